//! `pagekin crawl rank`.

mod formats;

use std::io::BufWriter;
use std::path::Path;

use formats::RankWriter;
use pagekin_crawl::cluster::{InputLinks, LinkOptions};
use pagekin_crawl::folder::format::DESCRIPTION_NAME;
use pagekin_crawl::rank::{LinkFolder, RankOptions, RankedUrl, Ranking, rank, read_csv};
use pagekin_pages::output::output_file::OutputFile;
use pagekin_pages::site::normal_url::LOCALHOST;
use pagekin_pages::{Input, Ledger};

use crate::args::crawl::{RankArgs, RankFormat};
use crate::args::running::format_or_named;
use crate::crawl::rows::{RowError, write_out};
use crate::failure::Failure;
use crate::output::{Reader, eprint_line, one_line};
use crate::progress::Progress;

/// Default number of URLs in a table or a JSON object.
const DEFAULT_LIMIT: usize = 20;

pub(crate) fn run(args: &RankArgs) -> Result<(), Failure> {
    let base_url = args.base.base_url.clone().unwrap_or_else(|| LOCALHOST.to_owned());
    let progress = Progress::new(args.running.quiet.quiet)?;
    // The links of raw inputs live in a temporary folder, which is removed when `read` is dropped.
    let mut read;
    let mut kept;
    let reset = args.reset.as_deref().map(read_csv).transpose()?.unwrap_or_default();
    let (links, inputs) = match clustered(args) {
        Some(crawl) => {
            kept = LinkFolder::open(crawl)?;
            (&mut kept, None)
        }
        None => {
            read = InputLinks::read(&inputs(args), &link_options(args)?, &progress)?;
            if !args.running.quiet.quiet {
                for (reason, skipped) in &read.inputs.ledger.skipped {
                    progress.finish();
                    let first = one_line(skipped.first());
                    eprint_line(&format!("skipped {} that {reason}, first {first}", skipped.count));
                }
            }
            (&mut read.links, Some(&read.inputs.ledger))
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
        eprint_line(&format!(
            "warning: the ranks have not converged; they still change by {:.1e} in the last iteration ({}). \
             Raise --reset-probability",
            convergence.change, convergence.iterations
        ));
    }
    write(&ranking, links, inputs, args)
}

/// Returns the input folder if it is a clustered crawl.
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
    let folder = output.as_deref().and_then(Path::parent).filter(|folder| folder.is_dir());
    let folder = folder.map_or_else(std::env::temp_dir, Path::to_path_buf);
    Ok(LinkOptions::beside(folder).with(|options| {
        options.inputs = options.inputs.clone().with(|options| {
            options.base_url.clone_from(&args.base.base_url);
            options.exclude.clone_from(&args.files.exclude);
            options.max_page_bytes = args.page_bytes.max_page_bytes;
        });
        options.memory = args.memory.memory;
        options.threads = args.running.threads.number();
    }))
}

fn write(
    ranking: &Ranking,
    links: &LinkFolder,
    inputs: Option<&Ledger>,
    args: &RankArgs,
) -> Result<(), Failure> {
    let format = format_or_named(args.format, args.output.file.as_deref(), RankFormat::Table);
    let is_short = matches!(format, RankFormat::Table | RankFormat::Json);
    let max = args.limit.limit.or(is_short.then_some(DEFAULT_LIMIT)).unwrap_or(usize::MAX);
    let counts = links.counts();
    let reader = Reader::for_table(format == RankFormat::Table);
    if !is_short && !args.running.quiet.quiet {
        formats::summary(ranking, counts).lines().for_each(eprint_line);
    }
    write_out(args.output.file.as_deref(), reader, |into| {
        let into = BufWriter::new(into);
        let mut writer = RankWriter::new(format, ranking, counts, inputs, into)?;
        ranking.each(max, links, args.memory.memory, |url: RankedUrl| {
            Ok::<(), RowError>(writer.push(url)?)
        })?;
        Ok(writer.finish()?)
    })
}
