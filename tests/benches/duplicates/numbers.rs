//! How many of the pairs that are similar when numbers count as words the default rule finds: on
//! generated sites whose pages differ in prices and versions, and on given sites.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pagekin_core::hash::SplitMix64;
use pagekin_core::near::shingles::{Shared, ShingleSet, Shingler, tokens};
use pagekin_duplicates as duplicates;
use pagekin_duplicates::{DuplicateOptions, PairKind};
use pagekin_pages::Silent;
use pagekin_pages::site::html::read_html_with_links;
use pagekin_tests::measuring::Failure;
use pagekin_tests::near::judging::RIGHT;
use pagekin_tests::place::html;
use rayon::prelude::*;

/// Number of pages of a generated site.
const PAGES: u32 = 400;

/// Measures the generated and the given sites, and returns a table.
pub(crate) fn table(sites: &[PathBuf], folder: &Path) -> Result<String, Failure> {
    let mut out = "| site | pages | texts | pairs of 0.8 | found | precision | recall | same but for numbers |\n\
                   | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for (name, words) in [("offers", 12), ("releases", 45), ("manuals", 150)] {
        let site = folder.join(name);
        generate(&site, words)?;
        measure(name, &site, &mut out)?;
    }
    for site in sites {
        measure(&site.file_name().unwrap_or_default().to_string_lossy(), site, &mut out)?;
    }
    Ok(out)
}

/// Writes pages from a few templates of `words` to twice as many words. Each has its own prices and
/// versions, and some have other words in a few places.
fn generate(site: &Path, words: u32) -> Result<(), Failure> {
    fs::create_dir_all(site)?;
    let mut stream = SplitMix64::new(u64::from(words));
    let word = |stream: &mut SplitMix64| format!("w{}", letters(stream.below(5_000)));
    let templates: Vec<Vec<String>> = (0..PAGES / 10)
        .map(|_| (0..words + stream.below(words)).map(|_| word(&mut stream)).collect())
        .collect();
    for page in 0..PAGES {
        let mut text = templates[stream.below(PAGES / 10) as usize].clone();
        let n = text.len() as u32;
        for _ in 0..stream.below(2 + n / 40) {
            let other = word(&mut stream);
            text[stream.below(n) as usize] = other;
        }
        for _ in 0..stream.below(3 + n / 30) {
            let at = stream.below(n) as usize;
            let number = format!("{} {}.{}", text[at], stream.below(40), stream.below(3));
            text[at] = number;
        }
        let page = site.join(format!("{page}.html"));
        fs::write(page, html("Page", &text.join(" ")))?;
    }
    Ok(())
}

/// Returns a word for a number.
fn letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

/// The resemblance of two texts by all their runs, as defined.
struct Runs {
    tokens: Vec<u64>,
    /// Runs of ten, five and two tokens, and the maximum length of texts whose runs are compared.
    sets: [(ShingleSet, usize); 3],
}

impl Runs {
    fn new(text: &str) -> Result<Self, Failure> {
        let tokens = tokens(text);
        let set = |k| Ok::<_, Failure>(Shingler::new(k)?.set(&tokens));
        let sets = [(set(10)?, usize::MAX), (set(5)?, 98), (set(2)?, 48)];
        Ok(Self { tokens, sets })
    }

    fn resemble(&self, other: &Self) -> bool {
        let shortest = self.tokens.len().min(other.tokens.len());
        let mut both = self.sets.iter().zip(&other.sets).filter(|(own, _)| shortest <= own.1);
        both.any(|(a, b)| Shared::between(&a.0, &b.0).resemblance() >= RIGHT)
    }
}

fn measure(name: &str, site: &Path, out: &mut String) -> Result<(), Failure> {
    let options = DuplicateOptions::new(site).with(|options| options.keep_repeated = true);
    let found = duplicates::find(&options, &Silent)?;
    let copies = found.pairs.iter().filter(|pair| pair.kind == PairKind::Copy);
    let copies: BTreeSet<u32> = copies.map(|pair| pair.b).collect();
    let first = (0..found.pages.len() as u32).filter(|page| !copies.contains(page));
    let runs = first.map(|page| {
        let bytes = fs::read(&found.pages[page as usize].file)?;
        Ok((page, Runs::new(&read_html_with_links(&bytes, None).0.page.text)?))
    });
    let runs: Vec<(u32, Runs)> = runs.collect::<Result<_, Failure>>()?;
    let truth: BTreeSet<(u32, u32)> = (0..runs.len())
        .into_par_iter()
        .flat_map_iter(|at| {
            let (a, of_a) = &runs[at];
            let others = runs[at + 1..].iter().filter(|(_, of_b)| of_a.resemble(of_b));
            others.map(move |(b, _)| (*a, *b))
        })
        .collect();
    let by_numbers = found.pairs.iter().filter(|pair| pair.kind == PairKind::SameButNumbers);
    let is_near = |kind| matches!(kind, PairKind::SameButNumbers | PairKind::NearDuplicate);
    let near = found.pairs.iter().filter(|pair| is_near(pair.kind));
    let near = near.filter(|pair| pair.shared.resemblance() >= RIGHT);
    let near: BTreeSet<(u32, u32)> = near.map(|pair| (pair.a, pair.b)).collect();
    let right = near.intersection(&truth).count();
    let part = |of: usize| right as f64 / of.max(1) as f64;
    writeln!(
        out,
        "| {name} | {} | {} | {} | {} | {:.4} | {:.4} | {} |",
        found.pages.len(),
        runs.len(),
        truth.len(),
        near.len(),
        part(near.len()),
        part(truth.len()),
        by_numbers.count(),
    )?;
    Ok(())
}
