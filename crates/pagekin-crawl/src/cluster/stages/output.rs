//! Collects the results of the stages in the crawl's output folder.

use std::fs;
use std::path::Path;

use pagekin_pages::Stage;

use crate::cluster::bags::collection::{Collection, Spread};
use crate::cluster::bags::frequencies::Frequencies;
use crate::cluster::error::{At, CrawlError};
use crate::cluster::stages::checkpoint;
use crate::cluster::stages::files::{FREQUENCIES, TERMS};
use crate::cluster::stages::job::{Gathered, Job};
use crate::folder::format::{CRAWL_VERSION, Description, IN_LINKS, StringRules};
use crate::folder::write::UrlResults;
use crate::folder::{urls, values, write};
use crate::rank::folder;
use crate::rank::folder::LinkFolder;

impl Job<'_> {
    /// Writes the crawl's files to `output`. The files of stages also stay where they are.
    pub(crate) fn write_output(
        &self,
        output: &Path,
        gathered: &Gathered,
        [pairs, stored_pairs]: [u64; 2],
        centers: &[u32],
        twins: &[u32],
    ) -> Result<(), CrawlError> {
        let (root, options) = (self.root(), self.options);
        let collection = Collection { preset: options.preset, all: gathered.mentioned };
        let description = Description {
            version: CRAWL_VERSION,
            urls: gathered.weighted.urls,
            pairs,
            stored_pairs,
            threshold: options.threshold.thousandths(),
            bags: options.bags,
            preset: options.preset,
            seed: options.seed,
            rules: self.params().bag,
            mentioned: collection.texts(),
            lang: options.lang.clone(),
            languages: gathered.read.languages.clone(),
            signatures: options.signatures,
            in_links: options.links && gathered.strings.is_none(),
            strings: gathered.strings.clone().map(StringRules),
        };
        self.link_files(output, &description)?;
        // Nobody reads q-grams as words.
        let mut terms = Vec::new();
        if gathered.strings.is_none() {
            let texts = TERMS.read(&root)?;
            let frequencies = frequencies(&root, collection.all)?;
            terms = frequencies.terms(texts.into_iter().collect(), collection);
        }
        write::finish(output, &terms, UrlResults { centers, twins }, &description).at(output)
    }

    /// Links the files that stages wrote in the format of the output.
    fn link_files(&self, output: &Path, description: &Description) -> Result<(), CrawlError> {
        let mut files: Vec<(Stage, &[&str])> = vec![
            (Stage::Weighing, &["urls", "urls.index"]),
            (Stage::Sorting, &["pairs", "pairs.index"]),
        ];
        if description.signatures {
            files.push((Stage::Inverting, &values::NAMES));
        }
        if description.in_links {
            files.push((Stage::Linking, &folder::NAMES));
            self.count_in_links(output)?;
        }
        for (stage, names) in files {
            for name in names {
                let from = checkpoint::folder(self.place.root(), stage).join(name);
                let to = output.join(name);
                // Some file systems do not support hard links.
                fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(|_| ())).at(&to)?;
            }
        }
        Ok(())
    }

    /// Writes the number of URLs that link to each URL with a bag.
    fn count_in_links(&self, output: &Path) -> Result<(), CrawlError> {
        let [links, bags] = [Stage::Linking, Stage::Weighing].map(|stage| self.place.folder(stage));
        let keys = urls::url_keys(&bags).at(&bags)?;
        let counts = LinkFolder::open(&links)?.count_in_links(keys, self.observer)?;
        write::write_numbers(output, IN_LINKS, &counts).at(output)
    }
}

/// Reads the number of URLs and texts out of `all` that contain each term, as counted by Bagging.
pub(crate) fn frequencies(root: &Path, all: Spread) -> Result<Frequencies, CrawlError> {
    Ok(Frequencies::from_counts(all, FREQUENCIES.read(root)?))
}
