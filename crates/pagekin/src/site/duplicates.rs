//! `pagekin duplicates`.

mod gate;
mod junit;
mod sarif;

use std::fmt::Write as _;

use gate::Gate;
use pagekin_duplicates as duplicates;
use pagekin_duplicates::report::ReportOptions;
use pagekin_duplicates::{
    Baseline, DuplicateOptions, Duplicates, Group, Member, PagePair, PairKind, Similarities, report,
};
use pagekin_pages::cells::cell;
use serde_json::{Value, json};

use crate::args::running::format_or_named;
use crate::args::site::{DuplicatesArgs, DuplicatesFormat};
use crate::failure::Failure;
use crate::output::{Reader, count, eprint_line, in_table, print_to};
use crate::progress::Progress;
use crate::skipped;
pub(crate) use gate::TooMany;

/// Maximum number of shown members of a group.
const MAX_SHOWN_MEMBERS: usize = 5;

pub(crate) fn run(args: DuplicatesArgs) -> Result<(), Failure> {
    let options = DuplicateOptions::new("").with(|options| {
        options.sites = args.sites;
        options.pages = args.site;
        options.reading = args.reading.into();
        options.keep_repeated = args.keep_repeated;
        options.min = args.threshold;
        options.threads = args.running.threads.number();
    });
    let output = args.output.file.as_deref();
    let format = format_or_named(args.format, output, DuplicatesFormat::Table);
    // Read before the site, so that mistakes are reported immediately.
    let baseline = args.gate.baseline.as_deref().map(gate::read_baseline).transpose()?;
    let progress = Progress::new(args.running.quiet.quiet)?;
    let found = duplicates::find(&options, &progress);
    let page = |found: &Duplicates, gate: &Gate| {
        let known = gate.has_baseline().then(|| gate.known().to_vec());
        let report_options =
            ReportOptions { texts: args.texts, at: args.output.file.clone(), known };
        report::html(found, &options, &report_options, &progress)
    };
    let judged = found.map_err(Failure::from).and_then(|found| {
        let gate = Gate::new(&args.gate, options.min, baseline, &found);
        let report = match format {
            DuplicatesFormat::Table => {
                table(&found, &gate, args.rows.limit, args.running.quiet.quiet)?
            }
            DuplicatesFormat::Json => serde_json::to_string(&json(&found, &gate))? + "\n",
            DuplicatesFormat::Csv => csv(&found, &gate)?,
            DuplicatesFormat::Html => page(&found, &gate)?,
            DuplicatesFormat::Junit => junit::report(&found, &gate)?,
            DuplicatesFormat::Sarif => sarif::report(&found, &gate)?,
        };
        Ok((report, gate, found))
    });
    progress.finish();
    let (report, gate, found) = judged?;
    let reader = Reader::for_table(format == DuplicatesFormat::Table);
    print_to(args.output.file.as_deref(), reader, &report)?;
    if let Some(path) = &args.gate.write_baseline {
        let baseline = Baseline::new(&found);
        pagekin_pages::write_file(path, baseline.encode()?.as_bytes())?;
        if !args.running.quiet.quiet {
            let groups = count(baseline.groups());
            eprint_line(&format!("{groups} known groups written to {}", path.display()));
        }
    }
    Ok(gate.check()?)
}

/// Formats everything for people; `quiet` omits the summary.
fn table(
    found: &Duplicates,
    gate: &Gate,
    limit: usize,
    quiet: bool,
) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    if !quiet {
        summary(&mut out, found)?;
    }
    groups(&mut out, found, limit)?;
    if gate.has_baseline() {
        writeln!(out)?;
        gate.new_pairs(&mut out, found, limit)?;
    }
    Ok(out)
}

/// Writes what was not compared, for people.
fn left_out(out: &mut String, found: &Duplicates) -> std::fmt::Result {
    skipped::write(out, &found.ledger)?;
    if found.left_out > 0 {
        let blocks = count(found.left_out);
        writeln!(
            out,
            "repeated text, such as menus: {blocks} blocks were omitted (--keep-repeated keeps them)"
        )?;
    }
    Ok(())
}

/// Writes the summary for people.
fn summary(out: &mut String, found: &Duplicates) -> std::fmt::Result {
    let pages = found.pages.len() as u64;
    let seconds = &found.seconds;
    match found.indexed {
        None => writeln!(
            out,
            "{} pages from {} HTML files with {} distinct texts, read in {:.1} s",
            count(pages),
            count(found.html_files),
            count(found.texts),
            seconds.reading,
        )?,
        Some(indexed) if found.estimated => writeln!(
            out,
            "{} pages in the index; results are estimated from its sketches, because its pages were not found. Pass their folder with --site",
            count(indexed),
        )?,
        Some(indexed) => writeln!(
            out,
            "{} of the {} pages in the index are candidates, with {} distinct texts, read in {:.1} s",
            count(pages),
            count(indexed),
            count(found.texts),
            seconds.reading,
        )?,
    }
    left_out(out, found)?;
    let of = |kind| count(found.pairs.iter().filter(|pair| pair.kind == kind).count() as u64);
    // Sketches cannot detect passages.
    let passages = match found.estimated {
        true => String::new(),
        false => format!("; {} pairs with shared passages", of(PairKind::Passages)),
    };
    writeln!(
        out,
        "{} exact copies; {} pairs the same but for numbers; {} near-duplicate pairs{passages}; {} pairs compared; in {:.1} s (sketches {:.1}, pairs {:.1}, \
         comparison {:.1})",
        of(PairKind::Copy),
        of(PairKind::SameButNumbers),
        of(PairKind::NearDuplicate),
        count(found.compared),
        seconds.sketching + seconds.pairing + seconds.comparing,
        seconds.sketching,
        seconds.pairing,
        seconds.comparing,
    )?;
    if found.not_compared > 0 {
        writeln!(
            out,
            "{} candidate pairs were not compared: if too many pages have the same key, each is compared only with the pages \
             of the most similar length",
            count(found.not_compared)
        )?;
    }
    Ok(())
}

/// Writes the groups for people.
fn groups(out: &mut String, found: &Duplicates, limit: usize) -> std::fmt::Result {
    writeln!(out, "{} groups", count(found.groups.len() as u64))?;
    let page = |number: u32| &found.pages[number as usize];
    for Group { original, members } in found.groups.iter().take(limit) {
        let of = page(*original);
        writeln!(
            out,
            "\n{:>7}  {}  {}",
            count(members.len() as u64 + 1),
            in_table(&of.url),
            in_table(&of.title)
        )?;
        for member in members.iter().take(MAX_SHOWN_MEMBERS) {
            writeln!(
                out,
                "{:>15}  {}",
                relation(member, found.estimated),
                in_table(&page(member.page).url)
            )?;
        }
        if let Some(rest @ 1..) = members.len().checked_sub(MAX_SHOWN_MEMBERS) {
            writeln!(out, "{:>15}  and {} more", "", count(rest as u64))?;
        }
    }
    Ok(())
}

/// Describes the relation of a member to its original, for people.
fn relation(member: &Member, estimated: bool) -> String {
    let about = if estimated { "~" } else { "" };
    match member.kind {
        PairKind::Copy => format!("{about}copy"),
        PairKind::SameButNumbers => format!("{about}other numbers"),
        PairKind::NearDuplicate => format!("{about}{:.1}%", 100.0 * member.shared.resemblance()),
        PairKind::Passages => format!("shares {:.1}%", 100.0 * member.containment()),
    }
}

/// Formats everything for programs.
fn json(found: &Duplicates, gate: &Gate) -> Value {
    let url = |number: u32| &found.pages[number as usize].url;
    let pair = |(pair, known): (&PagePair, &bool)| {
        json!({
            "a": url(pair.a),
            "b": url(pair.b),
            "kind": pair.kind.name(),
            "resemblance": pair.shared.resemblance(),
            "a_in_b": pair.shared.a_in_b(),
            "b_in_a": pair.shared.b_in_a(),
            "b_similarity": pair.similarities.map(|similarities| similarities.b),
            "c_similarity": pair.similarities.map(|similarities| similarities.c),
            "known": known,
        })
    };
    let group = |group: &Group| {
        let of = &found.pages[group.original as usize];
        let members = group.members.iter().map(|member| {
            json!({
                "url": url(member.page),
                "kind": member.kind.name(),
                "resemblance": member.shared.resemblance(),
                "of_original": member.shared.a_in_b(),
                "in_original": member.shared.b_in_a(),
            })
        });
        json!({
            "original": of.url,
            "title": of.title,
            "canonical_of": of.canonical_of,
            "in_links": of.in_links,
            "members": members.collect::<Vec<_>>(),
        })
    };
    json!({
        "indexed": found.indexed,
        "estimated": found.estimated,
        "pages": found.pages.len(),
        "html_files": found.html_files,
        "skipped": skipped::report(&found.ledger),
        "texts": found.texts,
        "compared": found.compared,
        "not_compared": found.not_compared,
        "groups": found.groups.iter().map(group).collect::<Vec<_>>(),
        "pairs": found.pairs.iter().zip(gate.known()).map(pair).collect::<Vec<_>>(),
        "gate": gate.json(),
        "seconds": {
            "reading": found.seconds.reading,
            "sketching": found.seconds.sketching,
            "pairing": found.seconds.pairing,
            "comparing": found.seconds.comparing,
        },
    })
}

/// Formats the pairs for spreadsheets.
fn csv(found: &Duplicates, gate: &Gate) -> Result<String, Failure> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record([
        "a",
        "b",
        "kind",
        "resemblance",
        "a_in_b",
        "b_in_a",
        "b_similarity",
        "c_similarity",
        "known",
    ])?;
    for (pair, known) in found.pairs.iter().zip(gate.known()) {
        let url = |number: u32| cell(&found.pages[number as usize].url).into_owned();
        let similarity = |of: fn(&Similarities) -> u32| {
            pair.similarities
                .as_ref()
                .map_or(String::new(), |similarities| of(similarities).to_string())
        };
        lines.write_record([
            url(pair.a),
            url(pair.b),
            pair.kind.name().to_owned(),
            pair.shared.resemblance().to_string(),
            pair.shared.a_in_b().to_string(),
            pair.shared.b_in_a().to_string(),
            similarity(|similarities| similarities.b),
            similarity(|similarities| similarities.c),
            known.to_string(),
        ])?;
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}
