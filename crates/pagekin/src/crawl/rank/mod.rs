//! `pagekin rank`.

mod formats;

use std::io::BufWriter;
use std::path::Path;

use formats::RankWriter;
use pagekin_crawl::cluster::{InputLinks, LinkOptions};
use pagekin_crawl::folder::CrawlFolder;
use pagekin_crawl::folder::format::DESCRIPTION_NAME;
use pagekin_crawl::rank::{
    LinkFolder, RankOptions, RankedUrl, Ranking, Reset, cluster_of, rank, read_csv,
};
use pagekin_pages::Input;
use pagekin_pages::output::output_file::OutputFile;
use pagekin_pages::site::normal_url::LOCALHOST;

use crate::args::crawl::{RankArgs, RankFormat, ResetArgs};
use crate::crawl::rows::{Failed, write_out};
use crate::failure::Failure;
use crate::output::{Reader, one_line, say};
use crate::progress::Progress;

/// URLs of a table or an object by default.
const SHOWN: usize = 20;

pub(crate) fn run(args: &RankArgs) -> Result<(), Failure> {
    let base_url = args.base_url.clone().unwrap_or_else(|| LOCALHOST.to_owned());
    let progress = Progress::new(args.running.quiet)?;
    // Of inputs that are read the links are gone with it.
    let mut read;
    let mut kept;
    let (links, reset) = match clustered(args) {
        Some(crawl) => {
            kept = LinkFolder::open(crawl)?;
            (&mut kept, reset(&args.reset, Some(crawl), &base_url)?)
        }
        None => {
            let reset = reset(&args.reset, None, &base_url)?;
            read = InputLinks::read(&inputs(args), &link_options(args)?, &progress)?;
            if !args.running.quiet {
                for (reason, skipped) in &read.inputs.ledger.skipped {
                    progress.finish();
                    let first = one_line(skipped.first());
                    say(&format!("skipped {} that {reason}, first {first}", skipped.count));
                }
            }
            (&mut read.links, reset)
        }
    };
    let options = RankOptions::default().with(|options| {
        options.reset_probability = args.reset.reset_probability;
        options.reset = reset;
        options.base_url = base_url;
        options.own = args.own;
        options.tolerance = args.tolerance;
        options.max_iterations = args.max_iterations;
        options.threads = args.running.threads.number();
    });
    let ranked = rank(links, &options, &progress);
    progress.finish();
    let ranking = ranked?;
    let convergence = ranking.convergence();
    if !convergence.reached {
        say(&format!(
            "warning: after {} iterations the ranks still change by {:.1e} in one, more than --tolerance {:e}. Raise \
             --max-iterations",
            convergence.iterations, convergence.change, args.tolerance
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
    let output = args.output.as_deref().map(OutputFile::place).transpose()?.flatten();
    let beside = output.as_deref().and_then(Path::parent).filter(|folder| folder.is_dir());
    let beside = beside.map_or_else(std::env::temp_dir, Path::to_path_buf);
    Ok(LinkOptions::beside(beside).with(|options| {
        options.inputs = options.inputs.clone().with(|options| {
            options.base_url.clone_from(&args.base_url);
            options.exclude.clone_from(&args.files.exclude);
            options.max_page_bytes = args.files.max_page_bytes;
        });
        options.memory = args.memory;
        options.threads = args.running.threads.number();
    }))
}

/// Where visitors begin.
fn reset(args: &ResetArgs, crawl: Option<&Path>, base_url: &str) -> Result<Reset, Failure> {
    if let Some(url) = &args.reset_cluster {
        let Some(crawl) = crawl else {
            return Err("--reset-cluster needs clusters: expected the folder of a crawl that was clustered with --links. Make one \
                        with `pagekin cluster --links`, or pass --reset-url or --reset-folder"
                .into());
        };
        return Ok(cluster_of(&mut CrawlFolder::open(crawl)?, url, base_url)?);
    }
    if let Some(path) = &args.reset_csv {
        return Ok(read_csv(path)?);
    }
    Ok(if !args.reset_folder.is_empty() {
        Reset::Folders(args.reset_folder.clone())
    } else if !args.reset_url.is_empty() {
        Reset::Urls(args.reset_url.iter().map(|url| (url.clone(), 1.0)).collect())
    } else {
        Reset::Everywhere
    })
}

/// Writes the ranks.
fn write(ranking: &Ranking, links: &LinkFolder, args: &RankArgs) -> Result<(), Failure> {
    let formats = [RankFormat::Table, RankFormat::Json];
    let format = args.json.or_named(args.format, args.output.as_deref(), formats);
    let is_short = matches!(format, RankFormat::Table | RankFormat::Json);
    let most = args.limit.or(is_short.then_some(SHOWN)).unwrap_or(usize::MAX);
    let counts = links.counts();
    let reader = Reader::for_table(format == RankFormat::Table);
    if !is_short && !args.running.quiet {
        formats::summary(ranking, counts).lines().for_each(say);
    }
    write_out(args.output.as_deref(), reader, |into| {
        let into = BufWriter::new(into);
        let mut writer = RankWriter::new(format, ranking, counts, into)?;
        ranking
            .each(most, links, args.memory, |url: RankedUrl| Ok::<(), Failed>(writer.push(url)?))?;
        Ok(writer.finish()?)
    })
}
