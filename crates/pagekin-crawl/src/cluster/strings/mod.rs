//! Clusters strings instead of pages: noisy reads of DNA, names, addresses, or log lines.
//!
//! ```text
//! FASTA, FASTQ, lines -> strings with their names, in buckets by a hash of the name
//!                     -> error rate of DNA reads, from a sample
//!                     -> length of q-grams, and minimum similarity of a pair
//!                     -> bags of q-grams, without the common ones
//! ```
//!
//! After the bags, strings are processed like the URLs of a crawl: the name of a string is the URL,
//! and the string itself the title. [`qgrams`](pagekin_core::qgrams) defines the bags.
//!
//! # Source
//!
//! Rashtchian et al., *Clustering Billions of Reads for DNA Data Storage* (NIPS 2017). They also
//! join clusters by hashes of the q-grams of a representative, and compare by edit distance.

pub(crate) mod choose;
pub(crate) mod common;
pub(crate) mod estimate;
pub(crate) mod options;
pub(crate) mod records;

#[cfg(test)]
mod tests {
    use crate::cluster::cluster;
    use crate::cluster::options::{ClusterOptions, Join, Pairing, TableOptions};
    use crate::cluster::strings::options::StringOptions;
    use crate::cluster::summary::ClusterSummary;
    use crate::folder::error::CrawlFolderError;
    use crate::folder::read::CrawlFolder;
    use pagekin_core::hash::SplitMix64;
    use pagekin_core::qgrams::Alphabet;
    use pagekin_pages::{Input, Silent};
    use pagekin_pairs::Threshold;
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt::Write as _;
    use std::fs;
    use std::path::Path;

    /// Clusters a text; returns the summary and the folder.
    fn clustered(
        place: &Path,
        name: &str,
        text: &str,
        strings: StringOptions,
        change: impl FnOnce(&mut ClusterOptions),
    ) -> (ClusterSummary, CrawlFolder) {
        let input = place.join("strings");
        fs::write(&input, text).unwrap();
        let options = ClusterOptions::new(place.join(name)).with(|options| {
            options.strings = Some(strings);
            options.join = Join::From(StringOptions::JOIN_DNA);
            change(options);
        });
        let summary = cluster(&[Input::Path(input)], &options, &Silent).unwrap();
        (summary, CrawlFolder::open(&options.output).unwrap())
    }

    /// Returns the clusters of at least two strings, by name.
    fn clusters(crawl: &mut CrawlFolder) -> BTreeSet<BTreeSet<String>> {
        let mut clusters: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        let centers = crawl.centers().unwrap();
        for (url, center) in crawl.urls().unwrap().zip(centers) {
            clusters.entry(center).or_default().insert(url.unwrap().url);
        }
        clusters.into_values().filter(|cluster| cluster.len() > 1).collect()
    }

    fn pairs(crawl: &CrawlFolder) -> BTreeSet<(u32, u32, u16)> {
        let mut pairs = BTreeSet::new();
        crawl
            .each_pair(|pair| {
                pairs.insert((pair.page, pair.other, pair.thousandths));
                Ok::<(), CrawlFolderError>(())
            })
            .unwrap();
        pairs
    }

    /// Returns six copies of each of 40 strands of 120 letters, with errors in a thirtieth of the
    /// letters, as FASTA.
    fn reads() -> String {
        let (mut stream, mut fasta) = (SplitMix64::new(11), String::new());
        let base = |stream: &mut SplitMix64| char::from(b"ACGT"[stream.below(4) as usize]);
        for strand in 0..40 {
            let letters: Vec<char> = (0..120).map(|_| base(&mut stream)).collect();
            for copy in 0..6 {
                writeln!(fasta, ">{strand}.{copy}").unwrap();
                for &letter in &letters {
                    match stream.below(90) {
                        0 => {}
                        1 => fasta.extend([base(&mut stream), letter]),
                        2 => fasta.push(base(&mut stream)),
                        _ => fasta.push(letter),
                    }
                }
                fasta.push('\n');
            }
        }
        fasta
    }

    fn strands() -> BTreeSet<BTreeSet<String>> {
        let of = |strand| (0..6).map(|copy| format!("{strand}.{copy}")).collect();
        (0..40).map(of).collect()
    }

    #[test]
    fn copies_of_a_strand_are_a_cluster_with_tables_and_without() {
        let place = tempfile::tempdir().unwrap();
        let reads = reads();
        let strings =
            StringOptions::new(Alphabet::Dna).with(|options| options.error_rate = Some(1.0 / 30.0));
        let with = |name: &str, change: fn(&mut ClusterOptions)| {
            clustered(place.path(), name, &reads, strings, change)
        };
        let (summary, mut tables) = with("tables", |_| {});
        assert_eq!((summary.urls, summary.empty, summary.clusters), (240, 0, 40), "{summary:?}");
        assert_eq!(clusters(&mut tables), strands());
        // Compares all bags. Tables find a subset of these pairs, with the same similarities.
        let (exact_summary, mut exact) = with("exact", |options| options.pairing = Pairing::Exact);
        assert_eq!(clusters(&mut exact), strands());
        let (found, all) = (pairs(&tables), pairs(&exact));
        assert!(
            found.is_subset(&all) && 100 * found.len() >= 97 * all.len(),
            "{} of {}",
            found.len(),
            all.len()
        );
        assert_eq!(exact_summary.strings, summary.strings);
        // This many tables miss nothing, and the same pairs form the same clusters and centers.
        let (_, mut many) = with("many", |options| {
            let tables =
                TableOptions::default().with(|tables| (tables.k, tables.l) = (Some(1), Some(80)));
            options.pairing = Pairing::Tables(tables);
            options.threads = Some(1);
        });
        let missed = all.difference(&pairs(&many)).count();
        assert!(missed <= all.len() / 200, "{missed}");
        if missed == 0 {
            assert_eq!(many.centers().unwrap(), exact.centers().unwrap());
        }
    }

    #[test]
    fn threads_and_memory_change_nothing_and_a_bag_is_that_of_its_string() {
        let place = tempfile::tempdir().unwrap();
        let strings = StringOptions::new(Alphabet::Dna);
        let reads = reads();
        let files = |name: &str, threads, memory| {
            let change = |options: &mut ClusterOptions| {
                (options.threads, options.memory) = (Some(threads), memory);
            };
            let (summary, mut crawl) = clustered(place.path(), name, &reads, strings, change);
            let rules = summary.strings.unwrap();
            let number = crawl.number_of("7.3").unwrap();
            let url = crawl.url(number).unwrap();
            assert_eq!(url.bag, rules.bag(&url.title).entries());
            assert!(url.title.len() > 100 && !url.bag.is_empty());
            let read = |entry: fs::DirEntry| {
                (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
            };
            let folder = fs::read_dir(place.path().join(name)).unwrap();
            folder.map(|entry| read(entry.unwrap())).collect::<BTreeMap<_, _>>()
        };
        let one = files("one", 1, ClusterOptions::MEMORY);
        assert_eq!(one, files("three", 3, 3_000));
    }

    #[test]
    fn a_handful_of_reads_by_hand() {
        let place = tempfile::tempdir().unwrap();
        // 9 letters have 6 4-grams. b has the last letter changed: 5 of 7 are in both. c is the
        // other strand of a, d shares nothing, e is too short, f is a once more.
        let reads =
            ">a\nAACCGGATC\n>b\nAACCGGATG\n>c\nGATCCGGTT\n>d\nTTTTTTTTT\n>e\nAAC\n>f\naaccggauc\n";
        let strings = StringOptions::new(Alphabet::Dna).with(|options| {
            (options.q, options.threshold) =
                (Some(4), Some(Threshold::from_thousandths(700).unwrap()));
        });
        let related = |strings, name: &str| {
            let exact = |options: &mut ClusterOptions| options.pairing = Pairing::Exact;
            let (summary, mut crawl) = clustered(place.path(), name, reads, strings, exact);
            assert_eq!((summary.inputs.ledger.pages, summary.urls, summary.empty), (6, 5, 1));
            let number = crawl.number_of("a").unwrap();
            let found = crawl.related(number).unwrap();
            found
                .into_iter()
                .map(|(n, t)| (crawl.url(n).unwrap().url, t))
                .collect::<BTreeMap<_, _>>()
        };
        let of = |all: &[(&str, u16)]| -> BTreeMap<String, u16> {
            all.iter().map(|&(name, t)| (name.to_owned(), t)).collect()
        };
        assert_eq!(related(strings, "one"), of(&[("b", 714), ("f", 1_000)]));
        let both = strings.with(|options| options.both_strands = true);
        let found = related(both, "both");
        assert_eq!((found["c"], found["f"]), (1_000, 1_000));
    }

    #[test]
    fn equal_lines_are_one_and_lines_alike_a_cluster() {
        let place = tempfile::tempdir().unwrap();
        let lines = "Rye bread with seeds\nrye  bread with seed\nMars Rover\nRye bread with seeds\n\nmars rovers\nQ\n";
        let (summary, mut crawl) =
            clustered(place.path(), "out", lines, StringOptions::new(Alphabet::Text), |_| {});
        assert_eq!((summary.inputs.ledger.pages, summary.urls), (6, 5));
        let cluster = |all: [&str; 2]| BTreeSet::from(all.map(str::to_owned));
        let expected = BTreeSet::from([
            cluster(["Rye bread with seeds", "rye  bread with seed"]),
            cluster(["Mars Rover", "mars rovers"]),
        ]);
        assert_eq!(clusters(&mut crawl), expected);
        let number = crawl.number_of("Rye bread with seeds").unwrap();
        assert_eq!(crawl.url(number).unwrap().fragments, 2);
        let error = crawl.of_pages().unwrap_err().to_string();
        assert!(error.contains("--alphabet"), "{error}");
    }

    #[test]
    fn what_cannot_be_clustered_is_told_and_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let input = place.path().join("strings");
        let failed = |text: &str, strings: StringOptions| {
            fs::write(&input, text).unwrap();
            let options = ClusterOptions::new(place.path().join("out"))
                .with(|options| options.strings = Some(strings));
            let error = cluster(&[Input::Path(input.clone())], &options, &Silent).unwrap_err();
            assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "only the input stays");
            error.to_string()
        };
        let dna = StringOptions::new(Alphabet::Dna);
        assert!(failed("", dna).contains("nothing to cluster"));
        assert!(failed(">a\nACG\n>b\nNNNNNNNNNNNN\n", dna).contains("smaller --q"));
        assert!(failed(">a\nAC!\n", dna).contains("record 1"));
        assert!(failed(">a\nACG\n", dna.with(|o| o.error_rate = Some(0.5))).contains("0 to 0.3"));
        assert!(failed(">a\nACG\n", dna.with(|o| o.q = Some(17))).contains("1 to 16"));
        let text = StringOptions::new(Alphabet::Text).with(|o| o.both_strands = true);
        assert!(failed("a\n", text).contains("reads of DNA"));
    }
}
