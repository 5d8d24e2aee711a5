//! The lab's results for the teaching site, computed by the core alone and stored in
//! `snapshots/lab.json`. `browser/lab.test.mjs` compares them with the text of its pages.

use std::fs;

use expect_test::expect_file;
use pagekin_core::bag::Bag;
use pagekin_core::lsh::TableRules;
use pagekin_core::similarity::Overlap;
use pagekin_index::LocalIndex;
use pagekin_lab_wasm::steps::draws::{self, Side, race};
use pagekin_lab_wasm::steps::edits::Edit;
use pagekin_lab_wasm::steps::walk::{
    Judged, both_ways, instructive_start, judge, neighborhood, numbering, walk,
};
use pagekin_lab_wasm::steps::{copies, meetings, pages, words};
use pagekin_pages::site::html::read_html;
use pagekin_tests::place::{Place, build_with, teaching_site};
use serde_json::{Value, json};

/// Number of seeds that the lab tries for its first draw.
const MAX_TRIES: u32 = 16;
const THRESHOLD: f64 = 0.15;
const NODES: usize = 10;
/// The number of values of a signature in the lab.
const M: u16 = 80;

fn hundredths(value: f64) -> String {
    format!("{value:.2}")
}

fn judged(judged: &Judged) -> Value {
    let Judged { clusters, largest, alone, within, below } = *judged;
    json!({ "clusters": clusters, "largest": largest, "alone": alone, "within": within, "below": below })
}

#[test]
fn the_lab_matches_its_snapshot() {
    let place = Place::empty();
    build_with(&teaching_site(), &place.out(), |_| {});
    let folder = LocalIndex::open(&place.out()).expect("the index was just built");
    let records = folder.records().expect("the index can be read");
    let bags: Vec<Bag> = records.iter().map(|page| page.bag.clone()).collect();
    let languages = folder.index().manifest().languages.iter();
    let languages: Vec<&str> = languages.map(|(language, _)| language.code()).collect();
    let pairs = meetings::pairs(&bags);
    let (u, v) =
        pages::instructive_pair(&records, &pairs, &languages).expect("the site has similar pages");
    let [a, b] = [u, v].map(|page| &records[page as usize]);
    let overlap = Overlap::between(&a.bag, &b.bag);
    let similarity = overlap.jaccard();
    let overlap = json!({ "both": overlap.intersection, "either": overlap.union,
        "ofA": a.bag.size(), "ofB": b.bag.size() });

    let text = |url: &str| {
        let bytes = fs::read(teaching_site().join(&url[1..])).expect("the page is there");
        read_html(&bytes).page
    };
    let (of_a, of_b) = (text(&a.url), text(&b.url));
    let rules = folder.index().manifest().params.bag;
    let fates = words::fates(folder.index(), &of_a.text, &of_a.lang, &rules);
    assert_eq!(fates.bag, a.bag, "the text of a page has the bag that the index has");
    let (all, kept) = fates.words_and_kept();
    let bag = json!({ "words": all, "kept": kept, "distinct": fates.terms.len(),
        "weighty": fates.weighty(), "inBag": a.bag.entries().len(), "copies": a.bag.size() });

    let race_seed = draws::ordinary_seed(similarity, &a.bag, &b.bag);
    let winners = race(400, race_seed.into(), &a.bag, &b.bag);
    let agreed = |n: usize| winners[..n].iter().filter(|one| one.side == Side::Both).count();
    let runs = [1, 10, 20, 80, 400].map(|n| json!({ "n": n, "agreed": agreed(n) }));

    let likeness = |pair: &meetings::MetPair| pair.overlap.jaccard();
    let wanted = pairs.iter().filter(|pair| likeness(pair) >= 0.2).count();
    let lsh_seed = meetings::ordinary_seed(&bags, &pairs, wanted, (2, 20), M, MAX_TRIES)
        .expect("k is below m");
    let lsh = [(2, 20), (3, 125), (3, 20)].map(|(k, l)| {
        let rules = TableRules::Independent { k, l };
        let met =
            meetings::meetings(&bags, &pairs, rules, M, lsh_seed.into()).expect("k is below m");
        let hits = pairs.iter().zip(&met).filter(|&(_, &tables)| tables > 0);
        let found = hits.clone().filter(|(pair, _)| likeness(pair) >= 0.2).count();
        let mean = meetings::EqualValues::new(&pairs, wanted, M).expected(k, l);
        json!({ "k": k, "l": l, "found": found, "compared": hits.count(),
            "meanFound": hundredths(mean.found), "meanCompared": hundredths(mean.compared),
            "exact": hundredths(meetings::ExactCurve::new(k, l, M).at(0.2)),
            "textbook": hundredths(rules.collision_probability(0.2)) })
    });

    let similar = |threshold: f64| -> Vec<(u32, u32)> {
        let mut similar: Vec<_> = pairs.iter().filter(|pair| likeness(pair) >= threshold).collect();
        similar
            .sort_by(|a, b| likeness(b).total_cmp(&likeness(a)).then((a.u, a.v).cmp(&(b.u, b.v))));
        similar.into_iter().map(|pair| (pair.u, pair.v)).collect()
    };
    let n = records.len() as u32;
    let near = neighborhood(n, &similar(THRESHOLD), u, NODES);
    let found = walk(n, &both_ways(&similar(0.1), &numbering(n, 0)));
    let centers: Vec<u32> =
        (0..).zip(&found.centers).map(|(page, center)| center.unwrap_or(page)).collect();
    let is_similar =
        |u: u32, v: u32| Overlap::between(&bags[u as usize], &bags[v as usize]).jaccard() >= 0.1;

    let met = pairs.iter().filter(|pair| pair.overlap.intersection > 0);
    let met: Vec<(u32, u32, f64)> = met.map(|pair| (pair.u, pair.v, likeness(pair))).collect();
    let start = instructive_start(n, &met, (5, NODES)).expect("CENTER divides some group");

    let edits: Vec<Value> = Edit::ALL
        .iter()
        .map(|edit| {
            let found =
                copies::copies(&of_a.text, &edit.apply(&of_a.text), 10).expect("10 is fine");
            let shared = found.shared;
            json!({ "edit": edit.name(), "both": shared.both,
                "either": shared.a + shared.b - shared.both,
                "supershingles": found.b_similarity.0, "bits": found.c_similarity.0 })
        })
        .collect();
    let quoted = copies::copies(&of_a.text, &of_b.text, 10).expect("10 is fine");

    let results = json!({
        "a": a.url, "b": b.url, "pages": n, "overlap": overlap, "bag": bag,
        "race": runs, "raceSeed": race_seed, "lshSeed": lsh_seed,
        "centerStart": { "page": records[start.0 as usize].url, "threshold": hundredths(start.1) },
        "pairs": pairs.len(), "wanted": wanted, "lsh": lsh,
        "neighbors": near.len(),
        "steps": both_ways(&similar(THRESHOLD), &numbering(n, 0)).iter()
            .filter(|(u, v)| near.contains(u) && near.contains(v)).count(),
        "center": judged(&judge(&centers, is_similar)), "components": judged(&judge(&found.components, is_similar)),
        "edits": edits, "quoted": { "both": quoted.shared.both, "bits": quoted.c_similarity.0 },
    });
    let text = serde_json::to_string_pretty(&results).expect("numbers are JSON") + "\n";
    expect_file!["../../snapshots/lab.json"].assert_eq(&text);
}
