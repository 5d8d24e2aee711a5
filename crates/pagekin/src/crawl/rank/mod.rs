//! `pagekin crawl rank`.

mod formats;

use std::io::BufWriter;
use std::path::Path;

use formats::RankWriter;
use pagekin_crawl::cluster::{InputLinks, LinkOptions};
use pagekin_crawl::folder::format::DESCRIPTION_NAME;
use pagekin_crawl::rank::{LinkFolder, RankOptions, RankedUrl, Ranking, rank, read_csv};
use pagekin_pages::Input;
use pagekin_pages::output::output_file::OutputFile;
use pagekin_pages::site::normal_url::LOCALHOST;

use crate::args::crawl::{RankArgs, RankFormat};
use crate::args::running::format_or_named;
use crate::crawl::rows::{Failed, write_out};
use crate::failure::Failure;
use crate::output::{Reader, one_line, say};
use crate::progress::Progress;

/// URLs of a table or an object by default.
const SHOWN: usize = 20;

pub(crate) fn run(args: &RankArgs) -> Result<(), Failure> {
    let base_url = args.base.base_url.clone().unwrap_or_else(|| LOCALHOST.to_owned());
    let progress = Progress::new(args.running.quiet.quiet)?;
    // Of inputs that are read the links are gone with it.
    let mut read;
    let mut kept;
    let reset = args.reset.as_deref().map(read_csv).transpose()?.unwrap_or_default();
    let links = match clustered(args) {
        Some(crawl) => {
            kept = LinkFolder::open(crawl)?;
            &mut kept
        }
        None => {
            read = InputLinks::read(&inputs(args), &link_options(args)?, &progress)?;
            if !args.running.quiet.quiet {
                for (reason, skipped) in &read.inputs.ledger.skipped {
                    progress.finish();
                    let first = one_line(skipped.first());
                    say(&format!("skipped {} that {reason}, first {first}", skipped.count));
                }
            }
            &mut read.links
        }
    };
    let options = RankOptions::default().with(|options| {
        options.reset_probability = args.reset_probability;
        options.reset = reset;
        options.base_url = base_url;
        options.threads = args.running.threads.number();
    });
    let ranked = rank(links, &options, &progress);
    progress.finish();
    let ranking = ranked?;
    let convergence = ranking.convergence();
    if !convergence.reached {
        say(&format!(
            "warning: the ranks still change by {:.1e} in iteration {}, the last one. They are less \
             exact than usual. Raise --reset-probability",
            convergence.change, convergence.iterations
        ));
    }
    write(&ranking, links, args)
}

/// The clustered crawl that was given, if it is one.
fn clustered(args: &RankArgs) -> Option<&Path> {
    match &args.inputs[..] {
        [folder] => Some(Path::new(folder)).filter(|path| path.join(DESCRIPTION_NAME).is_file()),
        _ => None,
    }
}

fn inputs(args: &RankArgs) -> Vec<Input> {
    args.inputs.iter().map(|input| Input::from_arg(input)).collect()
}

fn link_options(args: &RankArgs) -> Result<LinkOptions, Failure> {
    let output = args.output.file.as_deref().map(OutputFile::place).transpose()?.flatten();
    let beside = output.as_deref().and_then(Path::parent).filter(|folder| folder.is_dir());
    let beside = beside.map_or_else(std::env::temp_dir, Path::to_path_buf);
    Ok(LinkOptions::beside(beside).with(|options| {
        options.inputs = options.inputs.clone().with(|options| {
            options.base_url.clone_from(&args.base.base_url);
            options.exclude.clone_from(&args.files.exclude);
            options.max_page_bytes = args.files.page_bytes.max_page_bytes;
        });
        options.memory = args.memory.memory;
        options.threads = args.running.threads.number();
    }))
}

/// Writes the ranks.
fn write(ranking: &Ranking, links: &LinkFolder, args: &RankArgs) -> Result<(), Failure> {
    let format = format_or_named(args.format, args.output.file.as_deref(), RankFormat::Table);
    let is_short = matches!(format, RankFormat::Table | RankFormat::Json);
    let most = args.limit.limit.or(is_short.then_some(SHOWN)).unwrap_or(usize::MAX);
    let counts = links.counts();
    let reader = Reader::for_table(format == RankFormat::Table);
    if !is_short && !args.running.quiet.quiet {
        formats::summary(ranking, counts).lines().for_each(say);
    }
    write_out(args.output.file.as_deref(), reader, |into| {
        let into = BufWriter::new(into);
        let mut writer = RankWriter::new(format, ranking, counts, into)?;
        ranking.each(most, links, args.memory.memory, |url: RankedUrl| {
            Ok::<(), Failed>(writer.push(url)?)
        })?;
        Ok(writer.finish()?)
    })
}
