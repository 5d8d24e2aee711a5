//! Selects the texts of a report, and packs them in chunks.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use base64::prelude::BASE64_STANDARD;
use base64::write::EncoderStringWriter;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pagekin_core::near::passages::{SharedPassage, passages, tokens_with_places};
use pagekin_core::near::shingles::Shingler;
use pagekin_pages::progress::check;
use pagekin_pages::site::read::read_file;
use pagekin_pages::site::repeated::read_without;
use pagekin_pages::site::selectors::Selectors;
use pagekin_pages::{FileError, Observer, SiteOptions, Stage};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::error::DuplicatesError;
use crate::found::Duplicates;
use crate::groups::Group;
use crate::report::listing::first_copies;
use crate::texts::SitePage;

/// A chunk is closed at this many bytes of texts. The page unpacks a whole chunk to show a pair.
const CHUNK_BYTES: u64 = 512 << 10;

#[derive(Debug, Default)]
pub(super) struct Packed {
    /// The number of each included text, by the first page with this text and the original it is
    /// compared with, which may be itself.
    pub(super) numbers: FxHashMap<(u32, u32), u32>,
    /// The number of the first text of each chunk, followed by the total number of texts.
    pub(super) firsts: Vec<u32>,
    /// The chunks: arrays of texts with their passages as JSON, deflated, in base64.
    pub(super) chunks: Vec<String>,
}

/// A text of a report: its page, and the original it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted {
    page: u32,
    original: Option<u32>,
}

/// A text in the format of the script. Each passage is three numbers: the UTF-16 units since the
/// previous passage, the units of this passage, and the number of the passage of the other text
/// that contains its start.
#[derive(Serialize)]
#[serde(untagged)]
enum Stored {
    Alone((String,)),
    /// The text, the passages of the original that it contains, and its own passages that the
    /// original contains.
    Compared((String, Vec<u32>, Vec<u32>)),
}

impl Packed {
    /// Packs the texts of a result, up to `budget` bytes.
    pub(super) fn new(
        found: &Duplicates,
        reading: &SiteOptions,
        budget: u64,
        observer: &dyn Observer,
    ) -> Result<Self, DuplicatesError> {
        if found.estimated {
            // The pages are not available.
            return Ok(Self { firsts: vec![0], ..Self::default() });
        }
        let chunks = chunked(found, &chosen(found, budget));
        let texts = chunks.iter().map(Vec::len).sum::<usize>();
        observer.stage(Stage::Reporting, texts as u64);
        let selectors = &reading.selectors()?;
        let files = &Files { max_page_bytes: reading.max_page_bytes, selectors };
        let shingler = Shingler::default();
        let packed = chunks.par_iter().map(|chunk| {
            check(observer)?;
            let texts = texts_of(found, chunk, &shingler, files)?;
            observer.advance(chunk.len() as u64);
            let packed = pack(&texts);
            Ok(packed.map_err(FileError::io("pack the texts of", Path::new("the report")))?)
        });
        let packed = packed.collect::<Result<_, DuplicatesError>>()?;
        let pair = |text: &Wanted| (text.page, text.original.unwrap_or(text.page));
        let numbers = chunks.iter().flatten().map(pair).zip(0..).collect();
        let mut firsts = vec![0];
        for chunk in &chunks {
            firsts.push(firsts[firsts.len() - 1] + chunk.len() as u32);
        }
        Ok(Self { numbers, firsts, chunks: packed })
    }
}

/// Returns the distinct texts of a group, that of the original first, by the first page with each.
fn distinct_texts(group: &Group, first: &[u32]) -> Vec<u32> {
    let members = group.members.iter().filter(|member| first[member.page as usize] == member.page);
    std::iter::once(group.original).chain(members.map(|member| member.page)).collect()
}

/// Selects the texts to include, group by group.
fn chosen(found: &Duplicates, budget: u64) -> Vec<Vec<Wanted>> {
    let first = first_copies(found);
    let groups: Vec<_> = found.groups.iter().map(|group| distinct_texts(group, &first)).collect();
    // Near-duplicates by their rank in the group; copies after all others.
    let mut candidates: Vec<(usize, usize)> = Vec::new();
    for (group, texts) in groups.iter().enumerate() {
        match texts.len() {
            1 => candidates.push((usize::MAX, group)),
            n => candidates.extend((1..n).map(|rank| (rank, group))),
        }
    }
    candidates.sort_unstable();
    let bytes = |page: u32| found.pages[page as usize].text_bytes;
    let mut left = budget;
    // A page may be the original of near-duplicates and of quotations.
    let mut originals: FxHashSet<u32> = FxHashSet::default();
    let mut chosen: Vec<Vec<Wanted>> = vec![Vec::new(); groups.len()];
    for (rank, group) in candidates {
        let (texts, chosen) = (&groups[group], &mut chosen[group]);
        let original = texts[0];
        let near = texts.get(rank).copied();
        let costs_original = if originals.contains(&original) { 0 } else { bytes(original) };
        let costs = costs_original.saturating_add(near.map_or(0, bytes));
        if costs > left {
            continue;
        }
        left -= costs;
        if originals.insert(original) {
            chosen.push(Wanted { page: original, original: None });
        }
        chosen.extend(near.map(|page| Wanted { page, original: Some(original) }));
    }
    chosen
}

/// Divides the texts into chunks. A chunk may have texts of several groups, or part of a large one.
fn chunked(found: &Duplicates, groups: &[Vec<Wanted>]) -> Vec<Vec<Wanted>> {
    let mut chunks: Vec<Vec<Wanted>> = Vec::new();
    let mut bytes = CHUNK_BYTES;
    for &text in groups.iter().flatten() {
        if bytes >= CHUNK_BYTES {
            chunks.push(Vec::new());
            bytes = 0;
        }
        bytes += found.pages[text.page as usize].text_bytes;
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(text);
        }
    }
    chunks
}

/// How files are read again.
struct Files<'a> {
    max_page_bytes: u64,
    selectors: &'a Selectors,
}

/// A text read again from its page.
struct Read {
    page: u32,
    text: String,
    tokens: Vec<u64>,
    places: Vec<Range<usize>>,
}

impl Read {
    fn new(found: &Duplicates, page: u32, files: &Files<'_>) -> Result<Self, DuplicatesError> {
        let SitePage { file, .. } = &found.pages[page as usize];
        let mut bytes = Vec::new();
        let read = read_file(file, files.max_page_bytes, &mut bytes).and_then(|whole| {
            whole.then_some(()).ok_or_else(|| io::Error::other("it has grown in the meantime"))
        });
        read.map_err(FileError::io("read", file))?;
        let (read, ..) = read_without(&bytes, &found.repeated, files.selectors);
        Ok(Self::from_text(page, &read.page.text))
    }

    fn from_text(page: u32, text: &str) -> Self {
        let text = laid_out(text);
        let (tokens, places) = tokens_with_places(&text);
        Self { page, text, tokens, places }
    }

    /// Returns the text as stored for comparison with an original.
    fn compared(self, original: &Self, shingler: &Shingler) -> Stored {
        let (of_original, of_own) = passages(&original.tokens, &self.tokens, shingler);
        let (of_original, of_own) = (original.stored(&of_original), self.stored(&of_own));
        Stored::Compared((self.text, of_original, of_own))
    }

    /// Returns passages in the format of the script.
    fn stored(&self, passages: &[SharedPassage]) -> Vec<u32> {
        let units = |part: Range<usize>| self.text[part].encode_utf16().count() as u32;
        let mut stored = Vec::with_capacity(3 * passages.len());
        let mut at = 0;
        for passage in passages {
            let Range { start, end } = passage.place(&self.places);
            stored.extend([units(at..start), units(start..end), passage.twin]);
            at = end;
        }
        stored
    }
}

fn texts_of(
    found: &Duplicates,
    chunk: &[Wanted],
    shingler: &Shingler,
    files: &Files<'_>,
) -> Result<Vec<Stored>, DuplicatesError> {
    let read = |page| Read::new(found, page, files);
    let mut last: Option<Read> = None;
    let mut texts = Vec::with_capacity(chunk.len());
    for &Wanted { page, original } in chunk {
        let Some(original) = original else {
            let read = last.insert(read(page)?);
            texts.push(Stored::Alone((read.text.clone(),)));
            continue;
        };
        let last = match &mut last {
            Some(last) if last.page == original => last,
            // The original is in an earlier chunk.
            other => other.insert(read(original)?),
        };
        texts.push(read(page)?.compared(last, shingler));
    }
    Ok(texts)
}

/// Formats the text of a page for display. White space with two or more line feeds, which separates
/// blocks, becomes one line feed; all other white space becomes a space, so that line breaks of the
/// source do not appear. Words do not change.
#[must_use]
pub fn laid_out(text: &str) -> String {
    let mut laid_out = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some(start) = rest.find(char::is_whitespace) {
        laid_out.push_str(&rest[..start]);
        let word = rest[start..].find(|c: char| !c.is_whitespace());
        let end = word.map_or(rest.len(), |at| start + at);
        let lines = rest[start..end].matches('\n').count();
        laid_out.push(if lines > 1 { '\n' } else { ' ' });
        rest = &rest[end..];
    }
    laid_out.push_str(rest);
    laid_out
}

/// Packs a chunk of a text and another that is compared with it.
///
/// # Errors
///
/// Never in practice: both texts are in memory.
pub fn packed_pair(original: &str, other: &str) -> io::Result<String> {
    let original = Read::from_text(0, original);
    let stored = Read::from_text(1, other).compared(&original, &Shingler::default());
    pack(&[Stored::Alone((original.text,)), stored])
}

fn pack(texts: &[Stored]) -> io::Result<String> {
    let mut packer =
        ZlibEncoder::new(EncoderStringWriter::new(&BASE64_STANDARD), Compression::best());
    packer.write_all(&serde_json::to_vec(texts)?)?;
    Ok(packer.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::Member;
    use crate::pair::{PagePair, PairKind};
    use base64::Engine as _;
    use pagekin_core::near::shingles::{Shared, tokens};
    use proptest::prelude::*;

    fn reading(max_page_bytes: u64) -> SiteOptions {
        SiteOptions::default().with(|options| options.max_page_bytes = max_page_bytes)
    }

    /// A result with pages of these text lengths, and groups of an original and its members, which
    /// are copies if `true`.
    fn found(bytes: &[u64], groups: &[(u32, &[(u32, bool)])]) -> Duplicates {
        let page = |(number, &text_bytes): (usize, &u64)| SitePage {
            url: format!("/{number}"),
            text_bytes,
            ..SitePage::default()
        };
        let mut found = Duplicates {
            pages: bytes.iter().enumerate().map(page).collect(),
            ..Duplicates::default()
        };
        let shared = Shared { both: 1, a: 1, b: 1 };
        let kind = |exact| if exact { PairKind::Copy } else { PairKind::NearDuplicate };
        for &(original, members) in groups {
            for &(member, exact) in members {
                let kind = kind(exact);
                found.pairs.push(PagePair {
                    a: original,
                    b: member,
                    kind,
                    shared,
                    similarities: None,
                });
            }
            let members = members.iter();
            let member = |&(page, exact)| Member { page, kind: kind(exact), shared };
            found.groups.push(Group { original, members: members.map(member).collect() });
        }
        found
    }

    /// Returns the pages whose texts are included, group by group.
    fn pages(found: &Duplicates, budget: u64) -> Vec<Vec<u32>> {
        let pages = |texts: Vec<Wanted>| texts.iter().map(|text| text.page).collect();
        chosen(found, budget).into_iter().map(pages).collect()
    }

    #[test]
    fn most_similar_pages_of_each_group_come_first_and_copies_last() {
        let groups: [(u32, &[(u32, bool)]); 3] =
            [(0, &[(1, false), (2, false)]), (3, &[(7, true), (4, false)]), (5, &[(6, true)])];
        let equal = found(&[10; 8], &groups);
        assert_eq!(pages(&equal, 19), [vec![], vec![], vec![5]]);
        assert_eq!(pages(&equal, 20), [vec![0, 1], vec![], vec![]]);
        assert_eq!(pages(&equal, 40), [vec![0, 1], vec![3, 4], vec![]]);
        assert_eq!(pages(&equal, 50), [vec![0, 1, 2], vec![3, 4], vec![]]);
        assert_eq!(pages(&equal, 60), [vec![0, 1, 2], vec![3, 4], vec![5]]);
        // A text that is too large is skipped.
        let one_large = found(&[10, 1_000, 10, 10, 10, 10, 10, 10], &groups);
        assert_eq!(pages(&one_large, 50), [vec![0, 2], vec![3, 4], vec![5]]);
        assert!(pages(&one_large, 0).iter().all(Vec::is_empty));
        // The original of two groups is included once.
        let twice = found(&[10; 3], &[(0, &[(1, false)]), (0, &[(2, false)])]);
        assert_eq!(pages(&twice, 30), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn chunks_are_closed_when_they_are_full() {
        let half = CHUNK_BYTES / 2;
        let found = found(&[half, half, 1, 1, 3 * half, 1], &[]);
        let texts = |pages: Range<u32>| -> Vec<Wanted> {
            pages.map(|page| Wanted { page, original: None }).collect()
        };
        let chunks = chunked(&found, &[texts(0..3), texts(3..6)]);
        assert_eq!(chunks, [texts(0..2), texts(2..5), texts(5..6)]);
    }

    #[test]
    fn passages_are_measured_in_utf16_units() {
        let text = "\u{1f600} ab cd, é ef".to_owned();
        let (tokens, places) = tokens_with_places(&text);
        let read = Read { page: 0, text, tokens, places };
        let passages =
            [SharedPassage { tokens: 0..1, twin: 1 }, SharedPassage { tokens: 3..4, twin: 0 }];
        assert_eq!(read.stored(&passages), [3, 2, 1, 7, 2, 0]);
    }

    #[test]
    fn packed_texts_can_be_unpacked() {
        let texts = [
            Stored::Alone(("a".to_owned(),)),
            Stored::Compared(("b".to_owned(), vec![1], vec![2])),
        ];
        let packed = BASE64_STANDARD.decode(pack(&texts).unwrap()).unwrap();
        let unpacked = io::read_to_string(flate2::read::ZlibDecoder::new(&packed[..])).unwrap();
        assert_eq!(unpacked, r#"[["a"],["b",[1],[2]]]"#);
    }

    #[test]
    fn blocks_become_lines() {
        let text = "\n One\n two \t three\n\n  four\r\n\n\nfive ";
        assert_eq!(laid_out(text), "One two three\nfour\nfive");
        assert_eq!(laid_out(" \n"), "");
    }

    proptest! {
        #[test]
        fn formatting_keeps_the_words(text: String) {
            prop_assert_eq!(tokens(&laid_out(&text)), tokens(&text));
        }
    }

    #[test]
    fn estimated_results_have_no_texts() {
        use pagekin_pages::Silent;
        let mut found = found(&[10, 10], &[(0, &[(1, false)])]);
        found.estimated = true;
        let packed = Packed::new(&found, &reading(100), 100, &Silent).unwrap();
        assert_eq!((packed.firsts, packed.chunks, packed.numbers.len()), (vec![0], Vec::new(), 0));
    }

    #[test]
    fn texts_are_read_again_and_numbered_across_chunks() {
        use pagekin_pages::Silent;
        let site = tempfile::tempdir().unwrap();
        let mut found = found(&[CHUNK_BYTES, 4, 4, 4], &[(0, &[(1, false)]), (2, &[(3, true)])]);
        for (at, page) in found.pages.iter_mut().enumerate() {
            page.file = site.path().join(format!("{at}.html"));
            std::fs::write(&page.file, format!("<main>Page {at}</main>")).unwrap();
        }
        let packed = |max| Packed::new(&found, &reading(max), u64::MAX, &Silent);
        let Packed { numbers, firsts, chunks } = packed(100).unwrap();
        assert_eq!(firsts, [0, 1, 3]);
        let texts = [((0, 0), 0), ((1, 0), 1), ((2, 2), 2)];
        assert_eq!(numbers, texts.into_iter().collect());
        let unpacked = |chunk: &String| {
            let bytes = BASE64_STANDARD.decode(chunk).unwrap();
            io::read_to_string(flate2::read::ZlibDecoder::new(&bytes[..])).unwrap()
        };
        let texts: Vec<_> = chunks.iter().map(unpacked).collect();
        assert_eq!(texts, [r#"[["Page 0"]]"#, r#"[["Page 1",[],[]],["Page 2"]]"#]);
        // A page has grown in the meantime, or is gone.
        assert!(packed(10).unwrap_err().to_string().contains("grown in the meantime"));
        std::fs::remove_file(&found.pages[2].file).unwrap();
        assert!(packed(100).is_err());
    }
}
