//! Pasted texts, and texts of pages: terms, excerpts, shingles, comparisons, URLs.

use pagekin_core::excerpt::passage_of_text;
use pagekin_core::near::comparison::compare;
use pagekin_core::near::identity::Identity;
use pagekin_core::near::megashingles::{SuperParams, Supershingler, b_similarity};
use pagekin_core::near::projection::{ProjectionParams, Projector, c_similarity};
use pagekin_core::near::shingles::{Shared, Shingler, tokens};
use pagekin_core::near::sketch::{KnownShingles, Sketch};
use pagekin_core::terms::{
    Analyzer, Compound, Language, TermKinds, Words, folded, for_each_compound, for_each_short_name,
    for_each_word, word_places,
};
use pagekin_core::vocabulary::term_id;
use pagekin_core::{Index, address};
use pagekin_pages::fuzzing::{is_other_page, redirects_elsewhere};
use pagekin_pages::site::normal_url;

use crate::small_index::{ADDRESSES as ASKED, SmallIndex, TEXTS, TITLES, Variety};
use crate::targets::{Outcome, Run, Target, split_mode};

/// Texts whose words are not separated by spaces alone.
const ODD: [&str; 8] = [
    "İstanbul ﬁn ß Σίσυφος naïve e\u{301}te\u{301} \u{202e}olleh",
    "東京都に住む 사람들이 ภาษาไทย Xin chào",
    "HTTPServer::new(a.b.c) snake__case ___ a1b2 0x1F 3.14 __init__ getElementByIDs",
    "don't l’été rock'n'roll A.B.C. x@y.z http://a.b/c?d=e#f",
    "a\u{0}b\u{ad}c\u{feff}d\u{200d}e\u{fffd}\u{10ffff}",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "ABCdefGHIjkl::MNOpqr.stu std::::a ::b c::",
    "👩‍👩‍👧‍👦 🇩🇪 1️⃣ ½ ² ① Ⅷ",
];

fn texts() -> Vec<Vec<u8>> {
    TEXTS.iter().chain(&TITLES).chain(&ODD).map(|text| text.as_bytes().to_vec()).collect()
}

/// Splits an input into two texts at a byte that is in no text.
fn pair(input: &[u8]) -> (String, String) {
    let at = input.iter().position(|&byte| byte == 0xff).unwrap_or(input.len());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&input[..at]), text(input.get(at + 1..).unwrap_or_default()))
}

fn pairs() -> Vec<Vec<u8>> {
    let texts = texts();
    let with_a_copy = |(a, b): (&Vec<u8>, &Vec<u8>)| [&a[..], &[0xff], b, b" ", a].concat();
    texts.iter().zip(texts.iter().rev()).map(with_a_copy).collect()
}

const TARGET: Target = Target {
    name: "",
    reads: "",
    prepare: || (texts(), Box::new(|_| Outcome::named(0, ""))),
    max_bytes: 2_048,
    memory_of_byte: 256,
    memory_free: 64 << 10,
    short: 3_000,
};

/// Words, identifiers and stems.
pub const TERMS: Target = Target {
    name: "terms",
    reads: "a text in any language: words, identifiers, stems",
    prepare: || {
        let stop = SmallIndex::new(Variety::Whole).manifest.stop;
        let languages = ["en", "de", "fr", "ru", "tr", "ar", "ta", "el", "hu", "fi", "xx"];
        let languages = languages.map(|tag| Language::from_tag(tag).expect("a language"));
        let run = move |input: &[u8]| {
            let (how, bytes) = split_mode(input);
            let text = String::from_utf8_lossy(bytes);
            let words = Words::new(&text);
            let mut alone = Vec::new();
            for_each_word(&text, |word| alone.push(word.to_owned()));
            assert!(words.iter().eq(&alone), "words are the same one by one");
            let places = word_places(&text);
            assert_eq!(places.len(), alone.len(), "each word has a position");
            assert!(places.is_sorted_by(|a, b| a.start < b.start));
            assert!(places.iter().all(|place| !text[place.clone()].is_empty()));
            for_each_compound(&text, |compound| {
                let (Compound::Part(word) | Compound::Identifier(word)) = compound;
                assert!((2..=64).contains(&word.len()) && text.contains(word), "{word:?}");
            });
            let language = &languages[usize::from(how) % languages.len()];
            let analyzer = Analyzer::new(language, &stop);
            for kinds in [TermKinds::Words, TermKinds::Text, TermKinds::Names] {
                let counts = analyzer.counts(&words, kinds);
                assert!(counts.is_sorted_by(|a, b| a.id < b.id));
                assert!(counts.iter().all(|term| term.tf > 0));
            }
            for_each_short_name(&text, |name| assert!(text.contains(name) && name.len() <= 4));
            assert!(alone.iter().all(|word| folded(&folded(word)) == folded(word)));
            let mut one_by_one: Vec<_> =
                words.iter().filter_map(|word| analyzer.term(word)).map(|s| term_id(&s)).collect();
            one_by_one.sort_unstable();
            one_by_one.dedup();
            let counted = analyzer.counts(&words, TermKinds::Words).into_iter().map(|term| term.id);
            assert!(counted.eq(one_by_one), "terms are those of the words");
            let _ = stop.guess(&words, &languages);
            Outcome::sized(bytes.len(), 0, alone.len())
        };
        (texts().into_iter().map(|text| [&[0][..], &text].concat()).collect(), Box::new(run))
    },
    memory_of_byte: 512,
    ..TARGET
};

/// Excerpts.
pub const EXCERPT: Target = Target {
    name: "excerpt",
    reads: "a text and a page: where the page has it",
    prepare: || {
        let index = SmallIndex::new(Variety::Lists);
        let index = Index::open(&index.manifest_bytes).expect("the manifest is sound");
        let run = move |input: &[u8]| {
            let (text, page) = pair(input);
            let Some(passage) = passage_of_text(&index, &text, "", &page) else {
                return Outcome::named(input.len(), "none");
            };
            assert!(passage.pieces.len() % 2 == 1 && passage.pieces.len() >= 3);
            let mut hits = passage.pieces.iter().skip(1).step_by(2);
            assert!(hits.all(|hit| page.contains(hit.as_str())), "{passage:?}");
            assert!(!passage.text_start.is_empty(), "{passage:?}");
            Outcome::sized(input.len(), 1, passage.pieces.len())
        };
        (pairs(), Box::new(run))
    },
    memory_of_byte: 512,
    ..TARGET
};

/// Comparisons of two texts.
pub const COMPARISON: Target = Target {
    name: "comparison",
    reads: "two texts: what they share, and where",
    prepare: || {
        let run = |input: &[u8]| {
            let (a, b) = pair(input);
            let found = compare(&a, &b);
            assert_eq!((found.text.concat(), found.page.concat()), (a.clone(), b.clone()));
            assert!(found.text.len() % 2 == 1 && found.page.len() % 2 == 1);
            assert_eq!(found.text.len() > 1, found.shared.both > 0, "{found:?}");
            assert_eq!(found.page.len() > 1, found.shared.both > 0, "{found:?}");
            let turned = compare(&b, &a);
            assert_eq!((&turned.text, &turned.page), (&found.page, &found.text));
            let shingler = Shingler::default();
            let [of_a, of_b] = [&a, &b].map(|text| shingler.set(&tokens(text)));
            assert_eq!(found.shared, Shared::between(&of_a, &of_b));
            Outcome::sized(input.len(), 0, found.text.len())
        };
        (pairs(), Box::new(run))
    },
    ..TARGET
};

/// Checks the invariants of two sketches.
pub(super) fn check_sketches(a: &Sketch, b: &Sketch) {
    let known = KnownShingles::from_page(a);
    let sample = known.shared_with(b);
    assert!(sample.both <= sample.text.min(sample.page), "{sample:?}");
    for part in [sample.resemblance(), sample.text_in_page(), sample.page_in_text()] {
        assert!(part.is_none_or(|part| (0.0..=1.0).contains(&part)), "{sample:?}");
    }
    let _ = sample.nearness();
}

/// Sketches of texts, by all algorithms.
pub const SKETCH: Target = Target {
    name: "sketch",
    reads: "two texts: their sketches by each algorithm",
    prepare: || {
        let supershingler = Supershingler::new(SuperParams::default()).expect("the default");
        let projector = Projector::new(ProjectionParams::default()).expect("the default");
        let shingler = Shingler::default();
        let run = move |input: &[u8]| {
            let (a, b) = pair(input);
            let identities = [&a, &b].map(|text| Identity::from_text(text));
            let [a, b] = [a, b].map(|text| tokens(&text));
            let [of_a, of_b] = [&a, &b].map(|tokens| shingler.set(tokens));
            // With space for all shingles, the result is exact.
            let sketches = |max| {
                [(&of_a, 0), (&of_b, 1)].map(|(set, at)| Sketch::new(set, max, identities[at]))
            };
            let (all, few) = (sketches(u16::MAX), sketches(16));
            for [x, y] in [&all, &few] {
                check_sketches(x, y);
                check_sketches(y, x);
                let sample = KnownShingles::from_tokens(&a, identities[0]).shared_with(y);
                assert!(sample.both <= sample.page);
            }
            let minvalues = [&of_a, &of_b].map(|set| supershingler.minvalues(set));
            let supers = minvalues.map(|min| min.map(|min| supershingler.supershingles(&min)));
            if let [Some(x), Some(y)] = &supers {
                assert_eq!(b_similarity(x, y), b_similarity(y, x));
                if of_a == of_b {
                    assert!(supershingler.are_similar(x, y));
                }
            }
            let projections = [&a, &b].map(|tokens| projector.sketch(tokens));
            let [x, y] = &projections;
            assert_eq!(c_similarity(x, y), c_similarity(y, x));
            if a == b {
                assert!(projector.are_similar(x, y));
            }
            Outcome::sized(input.len(), 0, of_a.as_slice().len())
        };
        (pairs(), Box::new(run))
    },
    short: 500,
    ..TARGET
};

/// URLs of pages.
pub const ADDRESS: Target = Target {
    name: "address",
    reads: "an address on a page: resolved, normal, canonical, a redirect",
    prepare: || {
        let bases = ["/", "https://example.org/docs/", "", "/a/b"];
        let seeds = ASKED.into_iter().chain([
            "https://User:pw@EXAMPLE.org:443/a/../b/index.html?utm_source=x&q=1#f",
            "//example.org/a%2fb/%c3%a9?",
            "javascript:alert(1)",
            "../../c.htm;x=y",
            "http://[::1]:80/é/?a=b&&fbclid=1",
        ]);
        let seeds = seeds.map(|seed| [&[1][..], seed.as_bytes()].concat()).collect();
        let run = move |input: &[u8]| {
            let (how, bytes) = split_mode(input);
            let given = String::from_utf8_lossy(bytes);
            let base = bases[usize::from(how) % bases.len()];
            let variants = address::variants(&given, base);
            // With a query, and five forms each of two URLs.
            assert!((1..=11).contains(&variants.len()), "{variants:?}");
            for (at, variant) in variants.iter().enumerate() {
                assert!(!variants[..at].contains(variant), "{variants:?}");
            }
            let own = "https://example.org/docs/a/page.html";
            let _ = (is_other_page(own, &given), redirects_elsewhere(own, &given));
            let _ = (is_other_page(&given, own), redirects_elsewhere(&given, own));
            assert!(!is_other_page(own, own) && !redirects_elsewhere(own, own));
            let place = normal_url::Place::new(own, Some(&given)).expect("the page has an address");
            for normal in [normal_url::normal(&given), place.resolve(&given)].into_iter().flatten()
            {
                assert!(normal.len() <= normal_url::MAX_BYTES);
                assert!(normal.starts_with("http://") || normal.starts_with("https://"));
                assert!(!normal.contains(['#', '\n', '\r', '\t', '<', '>', ' ']), "{normal}");
                assert_eq!(normal_url::normal(&normal).as_ref(), Some(&normal));
            }
            let class = normal_url::normal(&given).map_or(0, |normal| normal.len());
            Outcome::sized(input.len(), 0, class)
        };
        let run: Run = Box::new(run);
        (seeds, run)
    },
    ..TARGET
};
