//! `pagekin inspect`.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::Path;

use pagekin_core::lsh::TableRules;
use pagekin_core::shard::{FORMAT_VERSION, FilterDirectory, Kind, Manifest};
use pagekin_index::{LocalIndex, MirrorList, PageView, VerifyReport};
use serde_json::{Map, Value, json};

use crate::args::site::InspectArgs;
use crate::failure::Failure;
use crate::output::{count, in_table, print, print_json};

/// Maximum number of shown values of a filter.
const MAX_VALUES: usize = 10;

pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    let folder = LocalIndex::open(&args.out)?;
    let page = args.url.as_deref().map(|url| folder.page(url)).transpose()?;
    let verified = if args.verify { Some(folder.verify()?) } else { None };
    let filters = folder.filters()?;
    if args.json.json {
        let filters = filters.as_ref();
        return print_json(&described(&folder, filters, page.as_ref(), verified.as_ref()));
    }
    let manifest = folder.index().manifest();
    let mut out = String::new();
    about_rules(&mut out, &args.out, manifest)?;
    about_pages(&mut out, manifest)?;
    about_shards(&mut out, manifest)?;
    if let Some(filters) = filters {
        about_filters(&mut out, &filters)?;
    }
    if let Some(list) = folder.mirrors() {
        let home = if list.home() { " and at home" } else { "" };
        writeln!(
            out,
            "spread over {} hosts{home}: {}",
            list.hosts().len(),
            list.hosts().join(", ")
        )?;
    }
    if let Some(page) = page {
        about_page(&mut out, &page)?;
    }
    if let Some(verified) = verified {
        about_verification(&mut out, &verified)?;
    }
    print(&out)
}

/// Describes the index for programs.
fn described(
    folder: &LocalIndex,
    filters: Option<&FilterDirectory>,
    page: Option<&PageView>,
    verified: Option<&VerifyReport>,
) -> Value {
    let manifest = folder.index().manifest();
    json!({
        "format": FORMAT_VERSION,
        "generation": format!("{:016x}", manifest.generation()),
        "preset": manifest.params.preset().map(pagekin_core::Preset::name),
        "seed": manifest.params.signature.seed,
        "m": manifest.params.signature.m,
        "bits": manifest.params.signature.bits,
        "base_url": manifest.base_url,
        "pages": manifest.pages,
        "terms": manifest.vocabulary.len(),
        "rare_weight": manifest.vocabulary.rare_weight(),
        "layout": layout(manifest),
        "generations": manifest.generations.len(),
        "revised_files": revised(manifest),
        "blocks": manifest.blocks.shards,
        "block_pages": manifest.block_pages,
        "table_shards": manifest.tables.shards,
        "list_shards": manifest.lists.shards,
        "mean_length": manifest.mean_length,
        "address_shards": manifest.addresses.shards,
        "sketch_shards": manifest.sketches.shards,
        "sketch_pages": manifest.sketch_pages,
        "sketch_values": manifest.sketch_values,
        "languages": manifest.languages.iter().map(|(language, pages)| json!({"language": language.code(), "pages": pages})).collect::<Vec<_>>(),
        "filters": filters.map(|directory| directory.filters.iter().map(|(name, values)| {
            let values: Map<_, _> = values.iter().map(|one| (one.value.clone(), one.pages.into())).collect();
            (name.clone(), values.into())
        }).collect::<Map<_, Value>>()),
        "sort_keys": filters.map(|directory| directory.sort_keys().collect::<Vec<_>>()),
        "mirrors": folder.mirrors().map(MirrorList::hosts),
        "page": page.map(|page| json!({
            "number": page.number, "url": page.url, "title": page.title,
            "meta": crate::site::similar::meta_report(&page.metadata),
            "terms": page.terms.iter().map(|(word, copies)| json!({"word": word, "copies": copies})).collect::<Vec<_>>(),
        })),
        "verified": verified.map(|report| json!({"files": report.files, "bytes": report.bytes, "copies": report.copies, "client_files": report.client_files, "buckets": report.buckets, "lists": report.lists, "fewest_lists": report.fewest_lists, "pages_with_metadata": report.pages_with_metadata, "metadata_bytes": report.metadata_bytes})),
    })
}

/// Writes what was verified.
fn about_verification(out: &mut String, verified: &VerifyReport) -> std::fmt::Result {
    let VerifyReport { files, bytes, copies, client_files, buckets, lists, fewest_lists, .. } =
        *verified;
    let (files, buckets, lists) = (count(files), count(buckets), count(lists));
    let bytes = crate::output::bytes(bytes);
    writeln!(
        out,
        "verified: {files} files ({bytes}), {lists} lists, at least {fewest_lists} per file, {buckets} buckets; every page is found by \
         its URL, its terms and its keys"
    )?;
    if verified.pages_with_metadata > 0 {
        let pages = count(verified.pages_with_metadata);
        let bytes = crate::output::bytes(verified.metadata_bytes);
        writeln!(out, "metadata for results: {pages} pages, which take {bytes}")?;
    }
    if copies > 0 {
        writeln!(out, "verified: {} copies in mirror folders", count(copies))?;
    }
    match client_files {
        Some(n) => writeln!(out, "verified: {} files of the client and the demo", count(n))?,
        None => writeln!(
            out,
            "not verified: the client and the demo, because their checksums are missing (no pagekin.files)"
        )?,
    }
    Ok(())
}

/// Writes the parameters of the index.
fn about_rules(out: &mut String, path: &Path, manifest: &Manifest) -> std::fmt::Result {
    let params = &manifest.params;
    writeln!(
        out,
        "{}: format {FORMAT_VERSION}, generation {:016x}",
        path.display(),
        manifest.generation()
    )?;
    writeln!(
        out,
        "preset {}: bags with a total weight of {} and at most {} terms; signatures of {} {}-bit values, seed {}; {}",
        params.preset().map_or("none", pagekin_core::Preset::name),
        params.bag.sum,
        count(u64::from(params.bag.max_terms)),
        params.signature.m,
        params.signature.bits,
        params.signature.seed,
        describe(params.tables),
    )?;
    let curve: Vec<_> = [0.1, 0.2, 0.3, 0.5, 0.8]
        .map(|s| format!("{:.0}% at {s}", 100.0 * params.tables.collision_probability(s)))
        .into();
    writeln!(
        out,
        "probability that two pages share a bucket, by similarity: {}",
        curve.join(", ")
    )?;
    Ok(())
}

/// Writes the number of pages and terms.
fn about_pages(out: &mut String, manifest: &Manifest) -> std::fmt::Result {
    let languages: Vec<_> = manifest
        .languages
        .iter()
        .map(|(language, pages)| format!("{} {}", language.code(), count(u64::from(*pages))))
        .collect();
    writeln!(
        out,
        "{} pages ({}) under {}, {} weighted terms{}",
        count(u64::from(manifest.pages)),
        languages.join(", "),
        in_table(manifest.shown_base_url()),
        count(u64::from(manifest.vocabulary.len())),
        match manifest.vocabulary.rare_weight() {
            0 => String::new(),
            _ => ", and one weight for all rarer ones".to_owned(),
        },
    )?;
    Ok(())
}

/// Writes the number of shards of each kind.
fn about_shards(out: &mut String, manifest: &Manifest) -> std::fmt::Result {
    let shards = |n: u32, of: &str| format!("{} {of} shards", count(u64::from(n)));
    let tables = match (manifest.lists.shards, manifest.tables.shards) {
        (0, 0) => "no lists (the whole index is read)".to_owned(),
        (lists, 0) if manifest.read_whole => {
            format!("{} of embeddings (the whole index is read)", shards(lists, "list"))
        }
        (lists, 0) => shards(lists, "list"),
        (0, tables) => shards(tables, "table"),
        (lists, tables) => format!("{}, {}", shards(lists, "list"), shards(tables, "table")),
    };
    let sketches = match manifest.sketches.shards {
        0 => "no text sketches".to_owned(),
        n => format!(
            "{} shards of text sketches of {} values",
            count(u64::from(n)),
            manifest.sketch_values
        ),
    };
    writeln!(
        out,
        "{} blocks of up to {} pages, {}, {} address shards, {}; layout {}",
        count(u64::from(manifest.blocks.shards)),
        manifest.block_pages,
        tables,
        count(u64::from(manifest.addresses.shards)),
        sketches,
        layout(manifest),
    )?;
    if manifest.generations.len() > 1 {
        let (files, builds) = (revised(manifest), manifest.generations.len() - 1);
        writeln!(out, "{files} files rewritten by {builds} incremental builds")?;
    }
    Ok(())
}

/// Writes the filters with their commonest values, and the sort keys.
fn about_filters(out: &mut String, directory: &FilterDirectory) -> std::fmt::Result {
    for (name, values) in &directory.filters {
        let mut commonest: Vec<_> = values.iter().collect();
        commonest.sort_by_key(|one| Reverse(one.pages));
        let shown = commonest.iter().take(MAX_VALUES);
        let shown =
            shown.map(|one| format!("{} {}", in_table(&one.value), count(one.pages.into())));
        let more = if values.len() > MAX_VALUES { ", …" } else { "" };
        let (shown, n) = (shown.collect::<Vec<_>>().join(", "), count(values.len() as u64));
        writeln!(out, "filter {}: {n} values ({shown}{more})", in_table(name))?;
    }
    let keys: Vec<_> = directory.sort_keys().map(in_table).collect();
    if !keys.is_empty() {
        writeln!(out, "sort keys: {}", keys.join(", "))?;
    }
    Ok(())
}

/// Describes how keys are derived from signatures.
fn describe(tables: TableRules) -> String {
    match tables {
        TableRules::Independent { k, l } => format!("{l} tables of {k} values"),
        TableRules::Anchored { anchors, partners } => {
            format!("{anchors} tables of 1 value with {partners} partners each")
        }
    }
}

/// Returns the layout's name in `pagekin build --layout`.
fn layout(manifest: &Manifest) -> &'static str {
    if manifest.blocks.is_packed() { "packs" } else { "files" }
}

/// Returns the number of files that were rewritten after the first generation.
fn revised(manifest: &Manifest) -> usize {
    let parts = Kind::NUMBERED.iter().filter_map(|&kind| manifest.part(kind));
    parts.map(|part| part.revised.len()).sum()
}

fn about_page(out: &mut String, page: &PageView) -> std::fmt::Result {
    writeln!(out, "page {}: {}\n  {}", page.number, in_table(&page.title), in_table(&page.url))?;
    for (key, value) in page.metadata.pairs() {
        writeln!(out, "  {}: {}", in_table(key), in_table(value))?;
    }
    for (word, copies) in &page.terms {
        writeln!(out, "  {copies:>5}  {}", in_table(word))?;
    }
    Ok(())
}
