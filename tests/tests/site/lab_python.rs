//! The Python of the lab's pages and its notebook, compared with the core on fixed texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use flate2::Crc;
use pagekin_core::bag::Bag;
use pagekin_core::center::{center, components};
use pagekin_core::lsh::TableRules;
use pagekin_core::minhash::{Family, Signature, SignatureParams, agreement, element_of};
use pagekin_core::similarity::Overlap;
use pagekin_core::terms::Words;
use pagekin_core::vocabulary::quantized_idf;
use pagekin_lab_wasm::steps::copies::copies;
use pagekin_lab_wasm::steps::meetings::ExactCurve;
use pagekin_lab_wasm::steps::walk::{Case, both_ways, numbering};
use pagekin_tests::place::{Place, teaching_site};

const TEXTS: [&str; 3] = [
    "Prune the old apple tree in winter. Remove dead wood first, then branches that rub against each other, and cut above the bud.",
    "Prune the young apple tree in winter. Remove dead wood first, then branches that rub against each other, and cut above the leaf.",
    "Feed the rye starter in the morning, and bake in the evening.",
];

fn lab() -> std::path::PathBuf {
    teaching_site().join("../../www/lab")
}

/// The Python of a page.
fn page_code(name: &str) -> String {
    let html = fs::read_to_string(lab().join(format!("{name}.html"))).expect("the page is there");
    let after = html.split_once(&format!("<code data-python=\"{name}\">")).expect("it has code").1;
    let code = after.split_once("</code>").expect("the code ends").0;
    code.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Runs a program on the texts; `None` if Python is not installed.
fn run(code: &str, arguments: &[&str]) -> Option<String> {
    let place = Place::empty();
    for (name, text) in ["a.txt", "b.txt", "c.txt"].iter().zip(TEXTS) {
        fs::write(place.out().with_file_name(name), text).expect("a file can be written");
    }
    let folder = place.out().parent().map(Path::to_owned).expect("it is in a folder");
    let output =
        Command::new("python3").arg("-c").arg(code).args(arguments).current_dir(folder).output();
    match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("not tested: python3 is not installed");
            None
        }
        run => {
            let run = run.expect("python3 runs");
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            Some(String::from_utf8(run.stdout).expect("Python prints text"))
        }
    }
}

/// The distinct words of a text, with their frequencies.
fn counts(text: &str) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for word in Words::new(text).iter() {
        *counts.entry(word.to_lowercase()).or_default() += 1;
    }
    counts
}

fn signature(text: &str) -> Signature {
    let elements = counts(text).into_keys().map(|word| {
        let mut crc = Crc::new();
        crc.update(word.as_bytes());
        element_of(crc.sum().into())
    });
    let family = Family::new(SignatureParams { m: 80, bits: 24, seed: 1 });
    family.sign_elements(elements).expect("the text has words")
}

fn agreeing(a: &str, b: &str) -> u32 {
    (agreement(signature(a).values(), signature(b).values()) * 80.0).round() as u32
}

/// The numbers of words in both texts and in either.
fn overlap(a: &str, b: &str) -> (usize, usize) {
    let (a, b) = (counts(a), counts(b));
    let both = a.keys().filter(|word| b.contains_key(*word)).count();
    (both, a.len() + b.len() - both)
}

#[test]
fn the_python_of_minhash_makes_the_signatures_of_the_core() {
    let Some(printed) = run(&page_code("minhash"), &["a.txt", "b.txt"]) else { return };
    let ((both, either), equal) = (overlap(TEXTS[0], TEXTS[1]), agreeing(TEXTS[0], TEXTS[1]));
    assert_eq!(printed, format!("Jaccard {both} of {either} estimate {equal} of 80\n"));
}

#[test]
fn the_python_of_bags_weights_like_the_core() {
    let Some(printed) = run(&page_code("bag"), &["a.txt", "b.txt", "c.txt"]) else { return };
    let all = TEXTS.map(counts);
    let df = |word: &str| all.iter().filter(|text| text.contains_key(word)).count() as u32;
    let words: Vec<&String> = all.iter().flat_map(BTreeMap::keys).collect();
    let bag = |text: &BTreeMap<String, u32>| {
        let weight = |word: &String, tf: u32| {
            libm::sqrt(f64::from(tf)) * f64::from(quantized_idf(df(word), 3))
        };
        let norm: f64 = text.iter().map(|(word, &tf)| weight(word, tf)).sum();
        let mut entries: Vec<(u32, u16)> = text
            .iter()
            .map(|(word, &tf)| {
                let id = words.iter().position(|one| *one == word).expect("it is a word");
                (id as u32, (100.0 * weight(word, tf) / norm) as u16)
            })
            .filter(|&(_, copies)| copies > 0)
            .collect();
        entries.sort_unstable();
        Bag::from_sorted(entries).expect("the terms are sorted")
    };
    let Overlap { intersection, union, .. } = Overlap::between(&bag(&all[0]), &bag(&all[1]));
    assert_eq!(printed, format!("weighted Jaccard {intersection} of {union}\n"));
}

#[test]
fn the_python_of_lsh_computes_the_curves_of_the_core() {
    let Some(printed) = run(&page_code("lsh"), &[]) else { return };
    let line = |s: f64| {
        let textbook = TableRules::Independent { k: 3, l: 125 }.collision_probability(s);
        let exact = ExactCurve::new(3, 125, 80).at(s);
        format!("similarity {s}: textbook {textbook:.3}, exact {exact:.3}\n")
    };
    assert_eq!(printed, [0.1, 0.2, 0.3, 0.5].map(line).concat());
}

fn clusters_of_chain() -> String {
    let (n, edges) = Case::Chain.graph();
    let pairs = both_ways(&edges, &numbering(n, 0));
    format!("CENTER {:?} components {:?}\n", center(n, &pairs), components(n, pairs.clone()))
}

#[test]
fn the_python_of_center_makes_the_clusters_of_the_core() {
    let Some(printed) = run(&page_code("center"), &[]) else { return };
    assert_eq!(printed, clusters_of_chain());
}

#[test]
fn the_python_of_copies_finds_the_shingles_of_the_core() {
    let Some(printed) = run(&page_code("copies"), &["a.txt", "b.txt"]) else { return };
    let shared = copies(TEXTS[0], TEXTS[1], 10).expect("10 is fine").shared;
    let (both, either) = (shared.both, shared.a + shared.b - shared.both);
    let first = format!(
        "resemblance {both} of {either}, containment of the second {both} of {}\n",
        shared.b
    );
    assert!(both > 0 && printed.starts_with(&first), "{printed} instead of {first}");
    let bits = printed.lines().nth(1).expect("it prints SimHash");
    assert!(bits.starts_with("SimHash ") && bits.ends_with(" of 64 bits equal"), "{bits}");
}

#[test]
fn the_python_of_lookups_finds_the_pages_with_the_words() {
    let Some(printed) = run(&page_code("lookup"), &["a.txt", "a.txt", "b.txt", "c.txt"]) else {
        return;
    };
    let words = counts(TEXTS[0]).len();
    let both = overlap(TEXTS[0], TEXTS[1]).0;
    assert!(
        printed.starts_with(&format!(
            "a.txt: {words} of {words} words\nb.txt: {both} of {words} words\n"
        )),
        "{printed}"
    );
}

#[test]
fn the_notebook_computes_what_the_core_does() {
    let notebook = fs::read(lab().join("lab.ipynb")).expect("the notebook is there");
    let notebook: serde_json::Value = serde_json::from_slice(&notebook).expect("it is JSON");
    let cells = notebook["cells"].as_array().expect("it has cells");
    let code: Vec<String> = cells
        .iter()
        .filter(|cell| cell["cell_type"] == "code")
        .map(|cell| {
            let lines = cell["source"].as_array().expect("a cell has lines");
            lines.iter().filter_map(serde_json::Value::as_str).collect()
        })
        .collect();
    let quoted = |name: &str| {
        let after = code[0].split_once(&format!("{name} = \"\"\"")).expect("it has texts").1;
        after.split_once("\"\"\"").expect("the text ends").0.to_owned()
    };
    let (a, b) = (quoted("A"), quoted("B"));
    let Some(printed) = run(&code.join("\n"), &[]) else { return };
    let lines: Vec<&str> = printed.lines().collect();
    let (both, either) = overlap(&a, &b);
    let similarity = both as f64 / either as f64;
    assert_eq!(lines[0], format!("{both} of {either} words: {similarity:.3}"));
    let equal = agreeing(&a, &b);
    assert_eq!(lines[1], format!("{equal} of 80 values agree; the similarity is {similarity:.3}"));
    let exact = ExactCurve::new(3, 125, 80).at(0.2);
    assert!(lines[2].ends_with(&format!("exact {exact:.3}")), "{}", lines[2]);
    assert_eq!(lines[3], clusters_of_chain().trim());
    let resemblance = copies(&a, &b, 3).expect("3 is fine").shared.resemblance();
    assert!(lines[4].starts_with(&format!("resemblance {resemblance:.3};")), "{}", lines[4]);
}
