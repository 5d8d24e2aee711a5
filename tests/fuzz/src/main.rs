//! Runs the fuzz targets, each in its own process, so that a killed process is reported like any
//! other failure.

use std::fs;
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use pagekin_fuzz::execution::Execution;
use pagekin_fuzz::fixtures::Kept;
use pagekin_fuzz::hunt::{Report, Rules, hunt};
use pagekin_fuzz::slow::{self, Slow};
use pagekin_fuzz::targets::{self, Target};

/// Runs the fuzz targets of pagekin
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run targets and print a table; failing inputs are written to the crashers
    Run(RunArguments),
    /// Read one input and print why it fails: TARGET/NAME of a crasher, or TARGET/ and the path of
    /// a file
    Repeat {
        /// The input
        input: String,
    },
    /// Search for pages that cost a build more than ordinary pages of their size, and print the
    /// worst
    Slow(SlowArguments),
    /// Run one target and print a report as JSON
    #[command(hide = true)]
    One(OneArguments),
}

#[derive(clap::Args)]
struct RunArguments {
    /// Run only these targets
    #[arg(long = "target", value_name = "NAME")]
    targets: Vec<String>,
    /// Run all targets for N minutes in total; by default each for its own number of executions
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// Number of targets that run at a time
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
    /// The seed of the stream of random numbers that inputs are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Add N inputs per target, those with the highest coverage, to the corpus
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep: usize,
}

#[derive(clap::Args)]
struct SlowArguments {
    /// Search for N minutes; without it, only measure the stored pages
    #[arg(long, value_name = "N", default_value_t = 0.0)]
    minutes: f64,
    /// The seed of the stream of random numbers that pages are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of the worst pages to keep, as programs that generate them
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep: usize,
}

#[derive(clap::Args)]
struct OneArguments {
    target: String,
    #[arg(long)]
    seed: u64,
    #[arg(long)]
    executions: u64,
    #[arg(long)]
    seconds: f64,
    #[arg(long)]
    keep: usize,
    #[arg(long)]
    trace: Option<PathBuf>,
}

/// Stack size of the threads of a build, which nested input must not exceed.
const STACK_BYTES: usize = 2 << 20;
/// Additional time for a run to start and end.
const GRACE: Duration = Duration::from_secs(120);
/// Maximum time of a short run.
const MAX_SHORT: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run(arguments) => run(&arguments),
        Command::Repeat { input } => repeat(&input),
        Command::Slow(arguments) => slow(&arguments),
        Command::One(arguments) => one(arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn target(name: &str) -> Result<&'static Target> {
    targets::named(name).with_context(|| {
        let names: Vec<_> = targets::ALL.iter().map(|target| target.name).collect();
        format!("expected one of the targets {}, found {name:?}", names.join(", "))
    })
}

/// Calls `work` on a thread with the stack size of a build's threads.
fn on_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)?;
        thread.join().map_err(|_| anyhow::anyhow!("the program itself failed, not a target"))
    })
}

fn one(arguments: OneArguments) -> Result<()> {
    let target = target(&arguments.target)?;
    let earlier = [Kept::Corpus, Kept::Crashers].map(|kept| kept.of(target));
    let mut inputs = Vec::new();
    for kept in earlier {
        inputs.extend(kept?.into_iter().map(|(_, input)| input));
    }
    let rules = Rules {
        seed: arguments.seed,
        executions: arguments.executions,
        time: Duration::from_secs_f64(arguments.seconds),
        trace: arguments.trace,
        keep: arguments.keep,
    };
    let report = on_a_thread(|| hunt(target, rules, inputs))?;
    std::io::stdout().write_all(&serde_json::to_vec(&report)?)?;
    Ok(())
}

fn repeat(input: &str) -> Result<()> {
    let (name, file) = input.split_once('/').context("expected TARGET/NAME")?;
    let target = target(name)?;
    let kept = Kept::Crashers.of(target)?.into_iter().find(|(name, _)| name == file);
    let bytes = match kept {
        Some((_, bytes)) => bytes,
        None => fs::read(file).with_context(|| format!("cannot read {file}"))?,
    };
    let outcome = on_a_thread(|| Execution::prepare(target).0.of(&bytes))?;
    match outcome {
        Ok(_) => println!("{input}: {} bytes are read as they should be", bytes.len()),
        Err(failure) => bail!("{input}: {}", failure.message),
    }
    Ok(())
}

/// Searches for costly pages. Fails if a page exceeds the maximum cost.
fn slow(arguments: &SlowArguments) -> Result<()> {
    let print_row = |slow: &Slow| {
        let Slow { program, bytes, above } = slow;
        let json = serde_json::to_string(program).unwrap_or_default();
        println!("| {:.2} | {:.0} | {bytes} | {json} |", above.seconds, above.memory / 1e6);
    };
    println!("| s above | MB above | bytes | page |\n| ---: | ---: | ---: | --- |");
    let kept = slow::kept()?.into_iter().map(|(_, program)| program).collect();
    let time = Duration::from_secs_f64(60.0 * arguments.minutes);
    let worst = slow::search(kept, time, arguments.seed, print_row)?;
    println!("\nThe worst:\n");
    worst.iter().for_each(print_row);
    let is_too_slow = |slow: &&Slow| slow.above.part() > 1.0;
    let too_slow = worst.iter().filter(is_too_slow).count();
    for slow in worst.iter().take(arguments.keep.max(too_slow)) {
        println!("kept: {}", slow::keep(&slow.program)?);
    }
    if too_slow > 0 {
        bail!("{too_slow} pages cost more than a page may");
    }
    Ok(())
}

fn run(arguments: &RunArguments) -> Result<()> {
    let targets: Vec<&Target> = match &arguments.targets[..] {
        [] => targets::ALL.iter().collect(),
        names => names.iter().map(|name| target(name)).collect::<Result<_>>()?,
    };
    let jobs = arguments.jobs.get();
    let time = arguments.minutes.map(|minutes| {
        Duration::from_secs_f64(60.0 * minutes * jobs as f64 / targets.len() as f64)
    });
    let (next, reports) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let report = report_of(target, arguments, time);
                    reports.lock().expect("no thread panics").push((target.name, report));
                }
            });
        }
    });
    let mut of_targets = Vec::new();
    let reports = reports.into_inner().expect("no thread panics");
    for target in targets {
        let report = reports.iter().find(|(name, _)| *name == target.name);
        match report {
            Some((_, Ok(report))) => of_targets.push((target, report)),
            Some((name, Err(error))) => bail!("{name}: {error:#}"),
            None => bail!("{}: it was not run", target.name),
        }
    }
    let failures = keep(&of_targets)?;
    println!("{}", table(&of_targets, arguments.seed, start.elapsed()));
    if failures > 0 {
        bail!("{failures} inputs failed");
    }
    Ok(())
}

/// Runs a target in its own process. If memory, the stack or an endless loop kills it, it is run
/// again, and each input is first written to a file.
fn report_of(
    target: &'static Target,
    arguments: &RunArguments,
    time: Option<Duration>,
) -> Result<Report> {
    let run = |trace: Option<&Path>| -> Result<Option<Report>> {
        let mut command = Process::new(std::env::current_exe()?);
        let executions = if time.is_some() { u64::MAX } else { target.short };
        let limit = time.unwrap_or(MAX_SHORT);
        command.args(["one", target.name, "--seed", &arguments.seed.to_string()]);
        command.args(["--executions", &executions.to_string()]);
        command.args(["--seconds", &limit.as_secs_f64().to_string()]);
        command.args(["--keep", &arguments.keep.to_string()]);
        if let Some(trace) = trace {
            command.arg("--trace").arg(trace);
        }
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut stdout = child.stdout.take().context("it has no output")?;
        let reader = thread::spawn(move || {
            let mut json = Vec::new();
            stdout.read_to_end(&mut json).map(|_| json)
        });
        // A traced run is slower.
        let end = Instant::now() + limit * if trace.is_some() { 4 } else { 1 } + GRACE;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if Instant::now() > end {
                child.kill()?;
                break child.wait()?;
            }
            thread::sleep(Duration::from_millis(5));
        };
        let json = reader.join().map_err(|_| anyhow::anyhow!("its output was not read"))??;
        Ok(if status.success() { Some(serde_json::from_slice(&json)?) } else { None })
    };
    if let Some(report) = run(None)? {
        return Ok(report);
    }
    let place = tempfile::tempdir()?;
    let trace = place.path().join("input");
    match run(Some(&trace))? {
        Some(_) => bail!("it was killed once, but not when it was run again"),
        None => {
            let input = fs::read(&trace).context("it was killed before it read an input")?;
            let why = "the program was killed or did not end".to_owned();
            Ok(Report { failures: vec![(input, why)], ..Report::default() })
        }
    }
}

/// Stores failing inputs and those with high coverage, and returns the number of failing inputs.
fn keep(reports: &[(&Target, &Report)]) -> Result<usize> {
    let mut failures = 0;
    for (target, report) in reports {
        for (input, why) in &report.failures {
            failures += 1;
            let name = Kept::Crashers.keep(target, input)?;
            eprintln!("{} failed by an input of {} bytes: {why}", target.name, input.len());
            eprintln!("to repeat it: cargo xtask fuzz --repeat {}/{name}\n", target.name);
        }
        for input in &report.kept {
            Kept::Corpus.keep(target, input)?;
        }
    }
    Ok(failures)
}

/// Formats a number with commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn table(reports: &[(&Target, &Report)], seed: u64, time: Duration) -> String {
    let mut lines = vec![
        "| target | reads | executions | a second | inputs kept | branches | peak memory, kB | crashes |".to_owned(),
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |".to_owned(),
    ];
    for (Target { name, reads, .. }, report) in reports {
        let a_second = report.executions as f64 / report.seconds.max(1e-9);
        lines.push(format!(
            "| `{name}` | {reads} | {} | {} | {} | {} | {} | {} |",
            grouped(report.executions),
            grouped(a_second as u64),
            grouped(report.corpus as u64),
            grouped(report.branches.into()),
            grouped(report.most_memory.div_ceil(1_000) as u64),
            report.failures.len(),
        ));
    }
    let all = reports.iter().map(|(_, report)| report.executions).sum();
    let crashes: usize = reports.iter().map(|(_, report)| report.failures.len()).sum();
    lines.push(format!("| **all** | | **{}** | | | | | **{crashes}** |", grouped(all)));
    lines.push(String::new());
    lines.push(format!("Seed {seed}, {:.1} minutes.", time.as_secs_f64() / 60.0));
    lines.join("\n")
}
