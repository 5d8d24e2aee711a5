//! Compares texts: computes features, finds pairs by an algorithm, compares their shingles and
//! groups them.

use std::time::Instant;

use pagekin_core::near::megashingles::{SuperParams, b_similarity};
use pagekin_core::near::projection::{ProjectionParams, c_similarity};
use pagekin_core::near::shingles::{SHINGLE_TOKENS, Shared};
use pagekin_pages::progress::check;
use pagekin_pages::{Observer, Stage};
use pagekin_pairs::join::by_key::Pairs;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::error::DuplicatesError;
use crate::features::Features;
use crate::found::{Duplicates, DuplicatesSeconds};
use crate::options::{Algorithm, DuplicateOptions};
use crate::pair::{PagePair, PairKind, Similarities};
use crate::pairs::{candidates, quotations};
use crate::{groups, texts};

/// Times consecutive stages.
pub(crate) struct Laps(Instant);

impl Laps {
    pub(crate) fn begin() -> Self {
        Self(Instant::now())
    }

    /// Returns the seconds since the previous lap.
    pub(crate) fn lap(&mut self) -> f64 {
        let before = std::mem::replace(&mut self.0, Instant::now());
        (self.0 - before).as_secs_f64()
    }
}

/// Finds the near-duplicates among pages. `reading` is the duration of reading them, in seconds.
pub(crate) fn compare(
    read: texts::Read,
    options: &DuplicateOptions,
    reading: f64,
    observer: &dyn Observer,
) -> Result<Duplicates, DuplicatesError> {
    let mut laps = Laps::begin();
    observer.stage(Stage::Sketching, read.texts.len() as u64);
    let texts = read.texts.len() as u64;
    let seed = options.seed;
    let paper = (
        SuperParams { seed, ..SuperParams::default() },
        ProjectionParams { seed, ..ProjectionParams::default() },
    );
    let (features, copies) = Features::new(read.texts, SHINGLE_TOKENS, paper)?;
    features.prepare(options.algorithm, observer)?;
    let sketching = laps.lap();

    let (compared, not_compared) = pairs_to_compare(&features, options, observer)?;
    let pairing = laps.lap();

    observer.stage(Stage::Verifying, compared.len() as u64);
    let near = compared.par_iter().filter_map(|&(texts, quoted)| {
        observer.advance(1);
        near(&features, &copies, texts, quoted, options.min)
    });
    let pairs: Vec<PagePair> = near.collect();
    check(observer)?;
    let all = Similarities { b: paper.0.supershingles, c: paper.1.bits };
    let shared_by_copies = |text| {
        let n = u64::from(features.size(text));
        (Shared { both: n, a: n, b: n }, Some(all))
    };
    let n = read.pages.len() as u32;
    let (pairs, groups) = groups::with_copies(pairs, &copies, shared_by_copies, n);
    let comparing = laps.lap();
    Ok(Duplicates {
        base_url: options.reading.base_url.clone(),
        sites: options.sites.clone(),
        pages: read.pages,
        pairs,
        groups,
        html_files: read.html_files,
        ledger: read.ledger,
        repeated: read.repeated,
        left_out: read.left_out,
        texts,
        compared: compared.len() as u64,
        not_compared,
        seconds: DuplicatesSeconds { reading, sketching, pairing, comparing },
        ..Duplicates::default()
    })
}

/// Two texts, and whether one may quote the other.
type Candidate = ((u32, u32), bool);

/// Returns the pairs of texts to compare, and the number of pairs that are skipped.
fn pairs_to_compare(
    features: &Features,
    options: &DuplicateOptions,
    observer: &dyn Observer,
) -> Result<(Vec<Candidate>, u64), DuplicatesError> {
    let Pairs { pairs: found, not_compared } = candidates::find(features, options, observer)?;
    let quoted = match options.algorithm {
        Algorithm::Copies => quotations::find(&features.sets(), quotations::RULE, observer)?,
        _ => Vec::new(),
    };
    let mut compared: Vec<_> = found.into_iter().map(|pair| (pair, false)).collect();
    compared.extend(same_but_numbers(features).map(|pair| (pair, false)));
    // If a pair occurs twice, its quotation sorts first and is kept.
    compared.extend(quoted.into_iter().map(|pair| (pair, true)));
    compared.par_sort_unstable_by_key(|&(pair, quoted)| (pair, !quoted));
    compared.dedup_by_key(|pair| pair.0);
    Ok((compared, not_compared))
}

/// Pairs each text with the first text with the same words.
fn same_but_numbers(features: &Features) -> impl Iterator<Item = (u32, u32)> {
    let mut first: FxHashMap<u64, u32> = FxHashMap::default();
    let texts = (0..features.len()).filter(|&text| features.words(text) != 0);
    texts.filter_map(move |text| {
        let first = *first.entry(features.words(text)).or_insert(text);
        (first != text).then_some((first, text))
    })
}

/// Compares the shingles of two texts, and returns how they are related, if at all.
fn near(
    features: &Features,
    copies: &[Vec<u32>],
    (x, y): (u32, u32),
    quoted: bool,
    min: f64,
) -> Option<PagePair> {
    let shared = features.shared(x, y);
    let kind = match shared.resemblance() >= min {
        _ if features.are_same_but_numbers(x, y) => PairKind::SameButNumbers,
        true => PairKind::NearDuplicate,
        false if quoted => PairKind::Passages,
        false => return None,
    };
    let similarities = Similarities {
        b: b_similarity(&features.supershingles(x), &features.supershingles(y)),
        c: c_similarity(features.projection(x), features.projection(y)),
    };
    let [a, b] = [x, y].map(|text| copies[text as usize][0]);
    Some(PagePair { a, b, kind, shared, similarities: Some(similarities) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::{SitePage, Text, passage, tokens_of};
    use pagekin_core::hash::SplitMix64;
    use pagekin_pages::Silent;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Returns pages with these texts.
    fn read(texts: &[String]) -> texts::Read {
        let mut different: Vec<Text> = Vec::new();
        for (page, text) in (0..).zip(texts) {
            let (tokens, words) = tokens_of(text);
            match different.iter_mut().find(|text| text.tokens == tokens) {
                Some(text) => text.pages.push(page),
                None => different.push(Text { tokens, words, pages: vec![page] }),
            }
        }
        texts::Read {
            pages: vec![SitePage::default(); texts.len()],
            texts: different,
            html_files: 0,
            ledger: Default::default(),
            repeated: Default::default(),
            left_out: 0,
        }
    }

    fn pairs(texts: &[String]) -> Vec<PagePair> {
        let options = DuplicateOptions::new("");
        compare(read(texts), &options, 0.0, &Silent).unwrap().pairs
    }

    fn kinds(texts: &[&str]) -> Vec<PairKind> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        pairs(&texts).iter().map(|pair| pair.kind).collect()
    }

    /// The definition: the resemblance by runs of ten tokens, or of fewer if one text is short.
    fn resemblance(a: &str, b: &str) -> f64 {
        let (a, b) = (tokens_of(a).0, tokens_of(b).0);
        if a == b {
            return 1.0;
        }
        let shortest = a.len().min(b.len());
        let of = |k: usize| {
            let runs = |tokens: &[u64]| -> BTreeSet<Vec<u64>> {
                tokens.windows(k.min(tokens.len())).map(<[u64]>::to_vec).collect()
            };
            let (a, b) = (runs(&a), runs(&b));
            let (both, either) = (a.intersection(&b).count(), a.union(&b).count());
            both as f64 / (either + usize::from(both == either)) as f64
        };
        let ks = [(10, usize::MAX), (5, 98), (2, 48)].into_iter();
        ks.filter(|(_, most)| shortest <= *most).map(|(k, _)| of(k)).fold(0.0, f64::max)
    }

    /// A text of `n` random words (repeated letters) and numbers.
    fn text(stream: &mut SplitMix64, words: u32, n: u32) -> String {
        let word = |stream: &mut SplitMix64| match stream.below(words + 3) {
            at @ 0..3 => at.to_string(),
            at => format!(
                "w{}",
                char::from(b'a' + (at % 26) as u8).to_string().repeat(at as usize / 26 + 1)
            ),
        };
        (0..n).map(|_| word(stream)).collect::<Vec<_>>().join(" ")
    }

    /// Texts of 120 words: an original, its copy, one with a different last word, one that quotes
    /// 60 of its words, and an unrelated one.
    fn family() -> [String; 5] {
        let edited = passage(0..119) + "other";
        let quoting = passage(0..60) + &passage(1_000..1_060);
        [passage(0..120), passage(0..120), edited, quoting, passage(2_000..2_120)]
    }

    #[test]
    fn each_pair_has_its_kind_shingles_and_similarities() {
        let found = pairs(&family());
        let of = |a, b, kind, both| {
            let shared = Shared { both, a: 111, b: 111 };
            let similarities = found.iter().find(|pair| (pair.a, pair.b) == (a, b));
            PagePair { a, b, kind, shared, similarities: similarities.unwrap().similarities }
        };
        let expected = [
            of(0, 1, PairKind::Copy, 111),
            of(0, 2, PairKind::NearDuplicate, 110),
            of(0, 3, PairKind::Passages, 51),
            of(2, 3, PairKind::Passages, 51),
        ];
        assert_eq!(found, expected);
        assert_eq!(found[0].similarities, Some(Similarities { b: 6, c: 384 }));
        let (near, quoting) = (found[1].similarities.unwrap(), found[2].similarities.unwrap());
        assert!((2..=6).contains(&near.b) && (340..384).contains(&near.c), "{near:?}");
        assert!(quoting.b < 2 && (192..340).contains(&quoting.c), "{quoting:?}");
        // Only `Algorithm::Copies` finds quotations.
        let options = DuplicateOptions::new("");
        let shingles = options.with(|options| options.algorithm = Algorithm::Shingles);
        let without = compare(read(&family()), &shingles, 0.0, &Silent).unwrap();
        assert_eq!(without.pairs, expected[..2]);
    }

    #[test]
    fn the_result_contains_everything_that_was_read_and_counted() {
        let options = DuplicateOptions::new("one").with(|options| {
            options.sites.push("two".into());
            options.reading.base_url = "https://x.org/".to_owned();
        });
        let mut given = read(&family());
        let page = |at: u32| SitePage { url: format!("https://x.org/{at}"), ..SitePage::default() };
        given.pages = (0..5).map(page).collect();
        (given.html_files, given.left_out) = (9, 3);
        (given.ledger.came_in, given.ledger.pages) = (9, 5);
        given.repeated = pagekin_pages::site::blocks::Repeated::new([4].into_iter());
        let (ledger, repeated, pages) =
            (given.ledger.clone(), given.repeated.clone(), given.pages.clone());
        let found = compare(given, &options, 1.5, &Silent).unwrap();
        let [pairs, groups] = [found.pairs.len(), found.groups.len()];
        assert_eq!((pairs, groups), (4, 2));
        let DuplicatesSeconds { reading, sketching, pairing, comparing } = found.seconds;
        assert_eq!(reading, 1.5);
        assert!(sketching > 0.0 && pairing > 0.0 && comparing > 0.0);
        let expected = Duplicates {
            base_url: "https://x.org/".to_owned(),
            sites: vec!["one".into(), "two".into()],
            pages,
            html_files: 9,
            ledger,
            repeated,
            left_out: 3,
            texts: 4,
            compared: 3,
            pairs: found.pairs.clone(),
            groups: found.groups.clone(),
            seconds: found.seconds,
            ..Duplicates::default()
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn skipped_pairs_of_large_buckets_are_counted() {
        // The same word repeated: all texts have the same shingles.
        let texts: Vec<String> = (100..110).map(|n| "again ".repeat(n)).collect();
        let options = DuplicateOptions::new("").with(|options| {
            (options.max_compared, options.algorithm) = (3, Algorithm::Shingles);
        });
        let found = compare(read(&texts), &options, 0.0, &Silent).unwrap();
        assert_eq!(found.compared, 7 * 3 + 3);
        assert!(found.not_compared >= 45 - 24, "{}", found.not_compared);
    }

    #[test]
    fn copies_have_the_same_numbers_and_letters() {
        use PairKind::{Copy, NearDuplicate, SameButNumbers};
        let text = |of: &str| {
            format!(
                "The house rules say that {of}, and who is late must knock at the door of the porter, ring twice and wait until he comes down"
            )
        };
        let known = text("a fine is 50 euros from 1 May 2024");
        let is = |other: &str| kinds(&[&known, &text(other)]);
        assert_eq!(is("A fine: is 50 euros; from (1 May) 2024"), [Copy]);
        assert_eq!(is("a fine is 5000 euros from 7 May 2025"), [SameButNumbers]);
        assert_eq!(is("a fine is ٥٠ euros from 1 May 2024"), [SameButNumbers]);
        assert_eq!(is("a fine is 50 euros from 1 June 2024"), [NearDuplicate]);
        assert_eq!(is("b fine is 50 euros from 1 May 2024"), [NearDuplicate]);
        assert_eq!(kinds(&["1 2 3", "4 5 6"]), []);
    }

    #[test]
    fn a_text_with_one_word_changed_is_a_near_duplicate() {
        for n in [19, 20, 26, 30, 48, 49, 60, 98, 99, 120] {
            let words: Vec<String> = (0..n)
                .map(|at| {
                    format!(
                        "w{}",
                        "abcdefghij".chars().nth(at % 10).unwrap().to_string().repeat(at / 10 + 1)
                    )
                })
                .collect();
            let mut edited = words.clone();
            edited[n / 2] = "other".to_owned();
            assert_eq!(
                kinds(&[&words.join(" "), &edited.join(" ")]),
                [PairKind::NearDuplicate],
                "{n}"
            );
            edited.reverse();
            assert_eq!(kinds(&[&words.join(" "), &edited.join(" ")]), [], "{n}");
        }
    }

    #[test]
    fn any_number_of_equal_texts_are_copies() {
        let mut stream = SplitMix64::new(7);
        for (n, equal) in [(60, 12), (60, 60), (200, 60)] {
            let same = text(&mut stream, 40, 30);
            let texts: Vec<String> = (0..n)
                .map(|at| if at < equal { same.clone() } else { text(&mut stream, 4_000, 60) })
                .collect();
            let found = pairs(&texts);
            assert_eq!(found.len(), equal - 1);
            assert!(
                found
                    .iter()
                    .all(|pair| pair.kind == PairKind::Copy && pair.shared.resemblance() == 1.0)
            );
        }
    }

    #[test]
    fn pairs_match_brute_force() {
        let mut stream = SplitMix64::new(3);
        let mut texts: Vec<String> = Vec::new();
        for family in 0..40 {
            let n = 5 + stream.below(160);
            let words = if family % 4 == 0 { 3 } else { 4_000 };
            let first = text(&mut stream, words, n);
            for _ in 0..4 {
                let mut words: Vec<&str> = first.split(' ').collect();
                let other = text(&mut stream, 4_000, 1);
                for _ in 0..stream.below(3) {
                    let at = stream.below(words.len() as u32) as usize;
                    words[at] = &other;
                }
                texts.push(words.join(" "));
            }
        }
        let without = |text: &str| {
            text.split(' ')
                .filter(|word| word.starts_with('w'))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let found = pairs(&texts);
        let kinds: BTreeMap<(u32, u32), PairKind> =
            found.iter().map(|pair| ((pair.a, pair.b), pair.kind)).collect();
        let first =
            |page: usize| texts.iter().position(|text| *text == texts[page]).expect("its own");
        let mut near = 0;
        for (a, of_a) in texts.iter().enumerate() {
            for (b, of_b) in texts.iter().enumerate().skip(a + 1) {
                let expected = if of_a == of_b {
                    (first(a) == a).then_some(PairKind::Copy)
                } else if first(a) != a || first(b) != b {
                    None
                } else if !without(of_a).is_empty() && without(of_a) == without(of_b) {
                    let is_first = texts.iter().position(|text| without(text) == without(of_a));
                    (is_first == Some(a) || resemblance(of_a, of_b) >= 0.8)
                        .then_some(PairKind::SameButNumbers)
                } else {
                    (resemblance(of_a, of_b) >= 0.8).then_some(PairKind::NearDuplicate)
                };
                near += usize::from(expected == Some(PairKind::NearDuplicate));
                let kind = kinds.get(&(a as u32, b as u32)).copied();
                assert_eq!(
                    kind.filter(|&kind| kind != PairKind::Passages),
                    expected,
                    "{of_a}\n{of_b}"
                );
            }
        }
        assert!(near > 50, "{near}");
        for pair in found.iter().filter(|pair| pair.kind != PairKind::Passages) {
            let [a, b] = [pair.a, pair.b].map(|page| &texts[page as usize]);
            assert_eq!(pair.shared.resemblance(), resemblance(a, b));
        }
    }

    proptest! {
        #[test]
        fn only_copies_have_a_resemblance_of_one(a in "([ab1] ){1,40}", b in "([ab1] ){1,40}") {
            let texts = [a, b];
            let is_equal = texts[0] == texts[1];
            let found = pairs(&texts);
            let copies = found.iter().filter(|pair| pair.kind == PairKind::Copy).count();
            let whole = found.iter().filter(|pair| pair.shared.resemblance() == 1.0).count();
            prop_assert_eq!([copies, whole], [usize::from(is_equal); 2]);
        }

        #[test]
        fn an_added_word_never_increases_resemblance(
            a in "([a-d1] ){1,110}", b in "([a-d1] ){1,110}", taken: bool, at: prop::sample::Index,
        ) {
            let b = if taken { format!("{a}{b}") } else { b };
            let mut words: Vec<&str> = a.split_whitespace().collect();
            words.insert(at.index(words.len() + 1), "own");
            let more = words.join(" ");
            prop_assert!(resemblance(&more, &b) <= resemblance(&a, &b));
            let of = |text: &str| {
                let found = read(&[text.to_owned(), b.clone()]);
                let params = (SuperParams::default(), ProjectionParams::default());
                let (features, _) = Features::new(found.texts, SHINGLE_TOKENS, params).unwrap();
                if features.len() > 1 { features.shared(0, 1).resemblance() } else { 1.0 }
            };
            prop_assert_eq!([of(&more), of(&a)], [resemblance(&more, &b), resemblance(&a, &b)]);
        }

        #[test]
        fn copies_of_other_pages_do_not_change_pairs(seed: u64, copies in 1usize..30) {
            let mut stream = SplitMix64::new(seed);
            let texts: Vec<String> = (0..12).map(|_| text(&mut stream, 2, 40)).collect();
            let mut more = texts.clone();
            more.extend(std::iter::repeat_n(texts[0].clone(), copies));
            let others = |texts: &[String]| {
                let found = pairs(texts).into_iter().filter(|pair| (pair.b as usize) < 12);
                found.map(|pair| (pair.a, pair.b, pair.kind, pair.shared)).collect::<Vec<_>>()
            };
            prop_assert_eq!(others(&texts), others(&more));
        }
    }
}
