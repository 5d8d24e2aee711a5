//! Writes the files of a clustered crawl in their [format](crate::folder::format).

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use pagekin_pages::site::word_ids::word_id;

use crate::folder::checksums;
use crate::folder::format::{
    CrawledTerm, CrawledUrl, DESCRIPTION_NAME, Description, EQUAL, PAIR_ENTRY, StoredPair,
    TERM_STEP, pair_entry, url_key,
};

use crate::folder::leb128;

/// Writes the URLs of a crawl.
#[derive(Debug)]
pub struct UrlWriter {
    urls: BufWriter<File>,
    index: BufWriter<File>,
    at: u64,
    count: u32,
}

impl UrlWriter {
    /// Creates the files in a folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be created.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let file = |name| File::create_new(folder.join(name)).map(BufWriter::new);
        Ok(Self { urls: file("urls")?, index: file("urls.index")?, at: 0, count: 0 })
    }

    /// Adds a URL. Keys of URLs must ascend.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn push(&mut self, url: &CrawledUrl) -> io::Result<()> {
        let record = postcard::to_allocvec(url).map_err(io::Error::other)?;
        self.index.write_all(&url_key(&url.url).to_le_bytes())?;
        self.index.write_all(&self.at.to_le_bytes())?;
        self.urls.write_all(&record)?;
        self.at += record.len() as u64;
        self.count += 1;
        Ok(())
    }

    /// Writes the remaining data and returns the number of URLs.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<u32> {
        self.urls.flush()?;
        self.index.flush()?;
        Ok(self.count)
    }
}

/// Writes the pairs of a crawl and their index.
#[derive(Debug)]
pub struct PairWriter {
    pairs: BufWriter<File>,
    index: BufWriter<File>,
    urls: u32,
    /// Number of URLs whose offset is written.
    begun: u32,
    /// Number of entries written.
    entries: u64,
}

impl PairWriter {
    /// Creates the files in a folder, for `urls` URLs.
    ///
    /// # Errors
    ///
    /// If a file cannot be created.
    pub fn create(folder: &Path, urls: u32) -> io::Result<Self> {
        let file = |name| File::create_new(folder.join(name)).map(BufWriter::new);
        Ok(Self { pairs: file("pairs")?, index: file("pairs.index")?, urls, begun: 0, entries: 0 })
    }

    /// Adds pairs, each in both directions, in the order of
    /// [`external_sort`](crate::cluster::pairs::external_sort).
    ///
    /// # Errors
    ///
    /// If the pairs are out of order or writing fails.
    pub fn push(&mut self, pairs: &[StoredPair]) -> io::Result<()> {
        for pair in pairs {
            if pair.page >= self.urls || pair.page + 1 < self.begun {
                let what = format!(
                    "expected pairs of URLs from {} to {}, in order, found {pair:?}",
                    self.begun, self.urls
                );
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            self.begin(pair.page + 1)?;
            self.pairs.write_all(&pair.other.to_le_bytes())?;
            self.pairs.write_all(&pair.thousandths.to_le_bytes())?;
            self.entries += 1;
        }
        Ok(())
    }

    /// Writes where the entries of all URLs before `url` start.
    fn begin(&mut self, url: u32) -> io::Result<()> {
        while self.begun < url {
            self.index.write_all(&self.entries.to_le_bytes())?;
            self.begun += 1;
        }
        Ok(())
    }

    /// Writes the remaining data and returns the number of entries, twice the number of pairs.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<u64> {
        self.begin(self.urls)?;
        self.index.write_all(&self.entries.to_le_bytes())?;
        self.pairs.flush()?;
        self.index.flush()?;
        Ok(self.entries)
    }
}

/// Passes all pairs that a [`PairWriter`] of `urls` URLs wrote to `each`, in their order.
///
/// # Errors
///
/// If a file cannot be read, or an offset or a pair is out of range.
pub fn read_pairs(folder: &Path, urls: u32, mut each: impl FnMut(StoredPair)) -> io::Result<()> {
    let file =
        |name| File::open(folder.join(name)).map(|file| BufReader::with_capacity(1 << 20, file));
    let (mut pairs, mut index) = (file("pairs")?, file("pairs.index")?);
    let mut place = || {
        let mut bytes = [0; 8];
        index.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    };
    let mut at = place()?;
    for page in 0..urls {
        let end = place()?;
        for _ in at..end {
            let mut bytes = [0; PAIR_ENTRY as usize];
            pairs.read_exact(&mut bytes)?;
            let (other, thousandths) = pair_entry(bytes);
            if other >= urls || thousandths > EQUAL {
                let what = format!(
                    "expected URLs below {urls} with a similarity of at most {EQUAL} thousandths, found {other} with {thousandths}"
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            each(StoredPair { page, other, thousandths });
        }
        at = end.max(at);
    }
    Ok(())
}

/// Passes each pair once to `each`, with the lower URL first. See [`read_pairs`].
///
/// # Errors
///
/// The errors of [`read_pairs`].
pub fn read_pairs_once(
    folder: &Path,
    urls: u32,
    mut each: impl FnMut(StoredPair),
) -> io::Result<()> {
    read_pairs(folder, urls, |pair| {
        if pair.page < pair.other {
            each(pair);
        }
    })
}

/// Results per URL, indexed by the number of the URL.
#[derive(Debug, Clone, Copy)]
pub struct UrlResults<'a> {
    /// Center of the URL's cluster.
    pub centers: &'a [u32],
    /// First of the URL's twins.
    pub twins: &'a [u32],
}

/// Writes the terms, the results per URL, the description and, last, the checksums of all files in
/// the folder. A folder without checksums is not a crawl.
///
/// # Errors
///
/// If writing fails.
pub fn finish(
    folder: &Path,
    terms: &[CrawledTerm],
    of_urls: UrlResults<'_>,
    description: &Description,
) -> io::Result<()> {
    write_terms(folder, terms)?;
    write_numbers(folder, "centers", of_urls.centers)?;
    write_numbers(folder, "twins", of_urls.twins)?;
    let mut groups: Vec<(u32, u32)> =
        of_urls.twins.iter().copied().zip(0..).filter(|(first, url)| first != url).collect();
    groups.sort_unstable();
    let mut file = BufWriter::new(File::create_new(folder.join("twins.groups"))?);
    for (first, url) in groups {
        file.write_all(&first.to_le_bytes())?;
        file.write_all(&url.to_le_bytes())?;
    }
    file.flush()?;
    let mut json = serde_json::to_vec_pretty(description)?;
    json.push(b'\n');
    fs::write(folder.join(DESCRIPTION_NAME), json)?;
    checksums::seal(folder)
}

/// Writes a number per URL.
pub(crate) fn write_numbers(folder: &Path, name: &str, numbers: &[u32]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create_new(folder.join(name))?);
    numbers.iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
    file.flush()
}

/// Writes the terms and their index.
fn write_terms(folder: &Path, terms: &[CrawledTerm]) -> io::Result<()> {
    let (mut records, mut index) = (Vec::new(), Vec::new());
    leb128::put(&mut records, terms.len() as u64);
    for (at, term) in terms.iter().enumerate() {
        if at % TERM_STEP == 0 {
            index.extend_from_slice(&word_id(&term.stem).to_le_bytes());
            index.extend_from_slice(&(records.len() as u64).to_le_bytes());
        }
        records = postcard::to_extend(term, records).map_err(io::Error::other)?;
    }
    fs::write(folder.join("terms"), records)?;
    fs::write(folder.join("terms.index"), index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_out_of_order_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = PairWriter::create(folder.path(), 5).unwrap();
        let pair = |page| StoredPair { page, other: 0, thousandths: 1 };
        writer.push(&[pair(1), pair(3), pair(3)]).unwrap();
        assert!(writer.push(&[pair(2)]).is_err());
        assert!(writer.push(&[pair(5)]).is_err());
    }
}
