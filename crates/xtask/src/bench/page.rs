//! `cargo xtask bench page`: the cost of pages that make a build slow, compared with a page of
//! ordinary words.
//!
//! A process of its own indexes each page, with two small ones. The operating system reports its
//! time and memory.

use std::fs;
use std::io::{self, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

use crate::repo::Repo;
use crate::{run, web};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The size of each page in megabytes; by default, a build reads up to 16
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=16))]
    megabytes: u32,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { megabytes: 15 }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    web::build(repo)?;
    let program = repo.optimized_pagekin()?;
    let bytes = arguments.megabytes as usize * 1_000_000;
    let (site, out) = (repo.target("bench/page/site"), repo.target("bench/page/out"));
    fs::create_dir_all(&site)?;
    for name in ["one", "two"] {
        fs::write(
            site.join(name).with_extension("html"),
            format!("<p>page {name} of bread and rye"),
        )?;
    }
    let mut out_table = io::stdout().lock();
    writeln!(out_table, "| {} MB of | CPU s | peak MB | it is read |", arguments.megabytes)?;
    writeln!(out_table, "| --- | ---: | ---: | --- |")?;
    for (name, html) in PAGES {
        fs::write(site.join("page.html"), html(bytes))?;
        let mut command = Command::new(&program);
        command.arg("build").arg(&site).arg("-o").arg(&out);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child =
            command.spawn().with_context(|| format!("cannot start `{}`", run::line(&command)))?;
        let printed = io::read_to_string(child.stderr.take().context("it is piped")?)?;
        let ended = child.wait4()?;
        if !ended.status.success() {
            bail!("`{}` failed on {name}: {printed}", run::line(&command));
        }
        let read = printed.split_once(": it has ").map_or("whole".to_owned(), |(_, why)| {
            format!("in part: {}", why.lines().next().unwrap_or_default())
        });
        writeln!(
            out_table,
            "| {name} | {:.2} | {} | {read} |",
            (ended.rusage.utime + ended.rusage.stime).as_secs_f64(),
            ended.rusage.maxrss / 1_000_000,
        )?;
    }
    Ok(())
}

type Make = fn(usize) -> String;

/// The contents of pages, and functions that generate a number of bytes.
const PAGES: [(&str, Make); 18] = [
    ("words, 20,000 different ones", |bytes| {
        let mut random = Random(1);
        fill(bytes, |_| word(random.below(20_000)) + " ")
    }),
    ("random Han characters", random_han),
    ("random Latin words", |bytes| {
        let mut random = Random(3);
        fill(bytes, |_| word(random.below(u32::MAX)) + " ")
    }),
    ("identifiers", |bytes| fill(bytes, |at| format!("Id{at}_x "))),
    ("one word", |bytes| "a".repeat(bytes)),
    ("words of two letters", |bytes| "ab ".repeat(bytes / 3)),
    ("links", |bytes| fill(bytes, |at| format!("<a href={at}>w{at}</a>"))),
    ("headings", |bytes| {
        let mut random = Random(4);
        fill(bytes, |_| format!("<h2>{}</h2>", word(random.below(u32::MAX))))
    }),
    ("nested elements", |bytes| "<div>a".repeat(bytes / 6)),
    ("elements nested 500 deep, again and again", |bytes| {
        let block = "<b>".repeat(500) + "x" + &"</b>".repeat(500);
        block.repeat(bytes / block.len())
    }),
    ("empty elements", |bytes| "<p>".repeat(bytes / 3)),
    ("combining marks", |bytes| format!("<p>a{}", "\u{301}".repeat(bytes / 2))),
    ("Hangul in parts", |bytes| "\u{1100}\u{1161}\u{11a8}".repeat(bytes / 9)),
    ("entities", |bytes| "&NotEqualTilde;".repeat(bytes / 15)),
    ("templates", |bytes| "<template>".repeat(bytes / 10)),
    ("elements with names of their own", |bytes| {
        fill(bytes, |at| format!("<div><x-name-{at}></div>"))
    }),
    ("links below a long base", |bytes| {
        format!("<base href='/{}/'>", "base/".repeat(1_600))
            + &fill(bytes - 8_020, |at| format!("<a href={at}>"))
    }),
    ("a title", |bytes| format!("<title>{}</title><p>bread", "a ".repeat(bytes / 2))),
];

/// Each character is a word, and forms many different words with its neighbors.
pub(super) fn random_han(bytes: usize) -> String {
    let mut random = Random(2);
    fill(bytes, |_| {
        char::from_u32(0x4e00 + random.below(0x5000)).map_or(String::new(), String::from)
    })
}

/// Concatenates pieces up to a number of bytes.
fn fill(bytes: usize, mut piece: impl FnMut(usize) -> String) -> String {
    let mut html = String::with_capacity(bytes + 64);
    let mut at = 0;
    while html.len() < bytes {
        html += &piece(at);
        at += 1;
    }
    html
}

/// A word of letters for each number.
fn word(mut number: u32) -> String {
    let mut word = String::from("z");
    while number > 0 {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    word
}

struct Random(u64);

impl Random {
    fn below(&mut self, below: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % below
    }
}
