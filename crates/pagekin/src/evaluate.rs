//! `pagekin evaluate`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use pagekin_research::evaluate::{
    EvaluateOptions, Evaluation, Grid, KEYS, Scored, Scores, Setting, TreeEvaluation, TreeScores,
    Varied, evaluate, evaluate_trees, figures, vary,
};
use serde_json::{Map, Value, json};

use crate::args::running::format_or_named;
use crate::args::{EvaluateArgs, EvaluateFormat};
use crate::failure::Failure;
use crate::output::{Reader, count, print_to};
use crate::progress::Progress;

pub(crate) fn run(args: EvaluateArgs) -> Result<(), Failure> {
    // Parsed before the site is read, so that mistakes are reported immediately.
    let grid = grid(args.grid.as_deref(), &args.set)?;
    let (hierarchy, links) = args.truth();
    let options = EvaluateOptions::new(args.site, grid).with(|options| {
        options.reading = args.reading.into();
        options.lang = args.lang.lang;
        options.keep_repeated = args.kept.keep_repeated;
        options.keep_title_suffix = args.kept.keep_repeated;
        options.hierarchy = hierarchy;
        options.links = links;
        options.held_out = args.held_out;
        options.sources = args.sources.0;
        options.threads = args.running.threads.number();
    });
    let output = args.output.file.as_deref();
    let format = format_or_named(args.format, output, EvaluateFormat::Table);
    let reader = Reader::for_table(format == EvaluateFormat::Table);
    let progress = Progress::new(args.running.quiet.quiet)?;
    if args.tree {
        let evaluated = evaluate_trees(&options, &progress);
        progress.finish();
        return print_to(args.output.file.as_deref(), reader, &trees(&evaluated?, format)?);
    }
    let evaluated = evaluate(&options, &progress);
    progress.finish();
    let evaluation = evaluated?;
    if let Some(folder) = &args.svg {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        for figure in figures(&evaluation) {
            pagekin_pages::write_file(&folder.join(figure.name), figure.svg.as_bytes())?;
        }
    }
    let report = match format {
        EvaluateFormat::Table => table(&evaluation, args.limit, args.running.quiet.quiet)?,
        EvaluateFormat::Json => serde_json::to_string(&json(&evaluation, args.held_out))? + "\n",
        EvaluateFormat::Csv => csv(&evaluation)?,
    };
    print_to(args.output.file.as_deref(), reader, &report)
}

/// Returns the grid of a name or file, with the settings of `--set` added.
fn grid(named: Option<&Path>, set: &[String]) -> Result<Grid, Failure> {
    let mut grid = match named.map(|named| (named, named.to_str())) {
        None if set.is_empty() => Grid::overview(),
        None => Grid::default(),
        Some((_, Some("default"))) => Grid::overview(),
        Some((_, Some("paper"))) => Grid::paper(),
        Some((file, _)) => {
            let message = |why: &dyn std::fmt::Display| {
                let file = file.display();
                format!(
                    "cannot read the grid {file}: {why}. Pass default, paper or a file with one setting per line"
                )
            };
            let text = fs::read_to_string(file).map_err(|error| message(&error))?;
            text.parse().map_err(|error| message(&error))?
        }
    };
    for settings in set {
        grid.push(settings).map_err(|error| format!("--set {settings:?}: {error}"))?;
    }
    Ok(grid)
}

/// Formats the best settings for people; `quiet` omits the summary.
fn table(evaluation: &Evaluation, limit: usize, quiet: bool) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    if !quiet {
        summary(&mut out, evaluation)?;
    }
    let mut scored: Vec<&Scored> = evaluation.scored.iter().collect();
    let key = |scored: &Scored| (scored.scores.answers(), scored.scores.gamma.unwrap_or(0.0));
    scored.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    for (name, _) in Scores::default().named() {
        write!(out, "{name:>10} ")?;
    }
    writeln!(out, " setting")?;
    for Scored { setting, scores } in scored.into_iter().take(limit) {
        for (name, score) in scores.named() {
            match score {
                Some(score) if name.contains('@') || name == "coverage" => {
                    write!(out, "{:>10.1} ", 100.0 * score)?;
                }
                Some(score) => write!(out, "{score:>10.3} ")?,
                None => write!(out, "{:>10} ", "-")?,
            }
        }
        writeln!(out, " {setting}")?;
    }
    Ok(out)
}

/// Formats the scores of trees.
fn trees(evaluation: &TreeEvaluation, format: EvaluateFormat) -> Result<String, Failure> {
    let TreeEvaluation { pages, sources, judged, levels, trees } = evaluation;
    let scores =
        |tree: &TreeScores| [("gamma", tree.gamma), ("together", tree.together), ("f", tree.f)];
    match format {
        EvaluateFormat::Table => {
            let mut out = String::new();
            let levels: Vec<_> = levels.iter().map(|&clusters| count(clusters)).collect();
            let (pages, sources, judged) = (count(*pages), count(*sources), count(*judged));
            writeln!(out, "{pages} pages, {sources} sources, {judged} judged by their folders")?;
            writeln!(out, "clusters per level: {}", levels.join(", "))?;
            writeln!(out, "{:>8} {:>10} {:>8} {:>8}  tree", "gamma", "together", "f", "seconds")?;
            for tree in trees {
                let shown = |score: Option<f64>, digits: usize| {
                    score.map_or("-".to_owned(), |score| format!("{score:.digits$}"))
                };
                let together = shown(tree.together.map(|part| 100.0 * part), 1);
                let (gamma, f) = (shown(tree.gamma, 3), shown(tree.f, 3));
                let (seconds, name) = (tree.seconds, tree.name);
                writeln!(out, "{gamma:>8} {together:>10} {f:>8} {seconds:>8.1}  {name}")?;
            }
            Ok(out)
        }
        EvaluateFormat::Json => {
            let tree = |tree: &TreeScores| {
                let scores = scores(tree).map(|(name, score)| (name.to_owned(), json!(score)));
                json!({ "tree": tree.name, "scores": Value::Object(scores.into_iter().collect()), "seconds": tree.seconds })
            };
            let trees: Vec<_> = trees.iter().map(tree).collect();
            let all = json!({ "pages": pages, "sources": sources, "judged": judged, "levels": levels, "trees": trees });
            Ok(serde_json::to_string(&all)? + "\n")
        }
        EvaluateFormat::Csv => {
            let mut lines = csv::Writer::from_writer(Vec::new());
            lines.write_record(["tree", "gamma", "together", "f", "seconds"])?;
            for tree in trees {
                let shown = |(_, score): (_, Option<f64>)| {
                    score.map_or_else(String::new, |s| s.to_string())
                };
                let scores = scores(tree).map(shown);
                let ends = [tree.name.to_owned(), tree.seconds.to_string()];
                lines.write_record(ends[..1].iter().chain(&scores).chain(&ends[1..]))?;
            }
            Ok(String::from_utf8(lines.into_inner()?)?)
        }
    }
}

/// Writes the summary for people.
fn summary(out: &mut String, evaluation: &Evaluation) -> std::fmt::Result {
    let Evaluation { pages, sources, words, seconds, .. } = evaluation;
    writeln!(
        out,
        "{} pages from {} HTML files with {} words, read in {:.1} s",
        count(*pages),
        count(evaluation.html_files),
        count(*words),
        seconds.reading
    )?;
    let mut truth = Vec::new();
    if let Some(classes) = evaluation.classes {
        truth.push(format!("{} classes", count(u64::from(classes))));
    }
    if let Some(links) = evaluation.links {
        truth.push(format!("{} links", count(links)));
    }
    writeln!(
        out,
        "{} settings measured with {} sources against {}, in {:.1} s; {} hub pages omitted",
        count(evaluation.scored.len() as u64),
        count(*sources),
        truth.join(" and "),
        seconds.measuring,
        count(evaluation.listings)
    )
}

/// Formats the evaluation for programs.
fn json(evaluation: &Evaluation, held_out: bool) -> Value {
    let skipped = crate::skipped::report(&evaluation.ledger);
    let values = |setting: &Setting| {
        let values = KEYS.iter().map(|key| ((*key).to_owned(), setting.get(key).into()));
        Value::Object(values.collect::<Map<_, _>>())
    };
    let scored = |scores: &Scores| {
        let scores = scores.named().map(|(name, score)| (name.to_owned(), json!(score)));
        Value::Object(scores.into_iter().collect::<Map<_, _>>())
    };
    let settings = evaluation.scored.iter().map(|Scored { setting, scores }| {
        json!({
            "setting": setting.to_string(),
            "values": values(setting),
            "scores": scored(scores),
        })
    });
    let varied = vary(evaluation).into_iter().map(|Varied { key, values, groups }| {
        let values = values.into_iter().map(|(value, scores)| (value, scored(&scores)));
        json!({ "key": key, "groups": groups, "values": values.collect::<Map<_, _>>() })
    });
    json!({
        "pages": evaluation.pages,
        "html_files": evaluation.html_files,
        "skipped": skipped,
        "words": evaluation.words,
        "sources": evaluation.sources,
        "classes": evaluation.classes,
        "unknown_urls": evaluation.unknown_urls.count,
        "links": evaluation.links,
        "listings": evaluation.listings,
        "held_out": held_out,
        "settings": settings.collect::<Vec<_>>(),
        "varied": varied.collect::<Vec<_>>(),
        "seconds": evaluation.seconds,
    })
}

/// Formats the settings for spreadsheets, with a column for each key and each score.
fn csv(evaluation: &Evaluation) -> Result<String, Failure> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    let names = Scores::default().named().map(|(name, _)| name);
    lines.write_record(KEYS.iter().chain(&names))?;
    for Scored { setting, scores } in &evaluation.scored {
        let values = KEYS.iter().map(|key| setting.get(key));
        let score =
            |(_, score): (_, Option<f64>)| score.map_or_else(String::new, |s| s.to_string());
        lines.write_record(values.chain(scores.named().map(score)))?;
    }
    Ok(String::from_utf8(lines.into_inner()?)?)
}
