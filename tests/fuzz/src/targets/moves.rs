//! Redirects for hosts: the hosts must read them as intended.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use pagekin_core::address;
use pagekin_duplicates::SitePage;
use pagekin_duplicates::moves::{Fate, Move, MovedPart, Moves};
use pagekin_pages::Ledger;
use pagekin_pages::site::listing::segment;
use percent_encoding::percent_decode_str;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::HirKind;

use crate::targets::{Outcome, Target, split_mode};

/// The writer, included as source because the command line is not a library.
#[path = "../../../../crates/pagekin/src/site/redirects/rules.rs"]
mod redirects;
use redirects::Host;

/// A path and its target, unescaped.
type Rule = (Vec<u8>, Vec<u8>);

/// The old and new base URLs of sites.
const BASES: [[&str; 2]; 3] = [
    ["", ""],
    ["https://x.org/docs", "https://x.org/docs"],
    ["https://old.example", "https://new.example/d"],
];

/// Redirects of pages with any names, separated by zeros: each old name is followed by the new one.
pub const REDIRECTS: Target = Target {
    name: "redirects",
    reads: "redirects of files with any names, as Netlify, nginx and Apache read them",
    prepare: || {
        let seeds: [&[u8]; 4] = [
            b"\0guide/a b.html\0learn/a%20b.html\0A.html\0b.html\0a.html\0c.html",
            b"\x01$x.y(1)\"*.html\0c d/$1.html\0a\\b.html\0%{x}:y.html\0^{[|]}?+#.html\0n.html",
            b"\x02old/index.html\0\xc3\xbc/index.html\0\xff\xfe.html\0\n\t\r.html\0a\nb.html\0c\\",
            b"\0a\n.html\0x\0a.html\n\0y\0a.html\0z\0~a\0q",
        ];
        let run = |input: &[u8]| {
            let (how, names) = split_mode(input);
            let [before, now] = BASES[usize::from(how) % BASES.len()];
            let (found, expected) = moves(names, before, now);
            let written = redirects::from_moves(&found);
            for host in [Host::Netlify, Host::Nginx, Host::Apache] {
                let file = redirects::file(&written, host);
                let lines = file.lines().skip(usize::from(!matches!(host, Host::Netlify)));
                let rules: Option<Vec<Rule>> = lines.map(|line| rule(host, line)).collect();
                let mut rules = rules.unwrap_or_else(|| panic!("{host:?} does not take {file}"));
                rules.sort();
                assert_eq!(rules, expected, "{host:?}");
            }
            Outcome::sized(input.len(), how % 3, expected.len())
        };
        (seeds.map(<[u8]>::to_vec).into(), Box::new(run))
    },
    max_bytes: 512,
    memory_of_byte: 1_024,
    memory_free: 128 << 10,
    short: 3_000,
};

/// Returns the moves of pages with these file names, and the redirects that hosts should perform.
fn moves(names: &[u8], before: &str, now: &str) -> (Moves, Vec<Rule>) {
    let url = |base: &str, name: &[u8]| {
        let segments = name.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
        let path: String =
            segments.map(|name| "/".to_owned() + &segment(OsStr::from_bytes(name))).collect();
        address::normal(&format!("{base}{path}")).to_owned()
    };
    // A string that is not a file name has no URL.
    let is_name = |name: &&[u8]| name.iter().any(|&byte| byte != b'/');
    let names: Vec<&[u8]> = names.split(|&byte| byte == 0).filter(is_name).collect();
    let (pairs, _) = names.as_chunks::<2>();
    // URLs of a site are distinct.
    let pairs: BTreeMap<String, String> =
        pairs.iter().map(|[old, new]| (url(before, old), url(now, new))).collect();
    let mut expected = Vec::new();
    for (old, new) in pairs.iter().filter(|(old, new)| old != new) {
        let from = unescaped(address::path(old));
        let to = unescaped(if before == now { address::path(new) } else { new });
        if from.ends_with(b"/") {
            expected.push(([&from[..], b"index.html"].concat(), to.clone()));
        }
        expected.push((from, to));
    }
    expected.sort();
    let page = |url: &String| SitePage { url: url.clone(), ..SitePage::default() };
    let moved = |page: u32| {
        let to = Some(MovedPart { page, share_of_old: 1.0, share_of_new: 1.0 });
        Move { page, fate: Fate::Moved, to, parts: Vec::new(), closest: None }
    };
    let moves = Moves {
        moves: (0..pairs.len() as u32).map(moved).collect(),
        old: pairs.keys().map(page).collect(),
        new: pairs.values().map(page).collect(),
        arrived: Vec::new(),
        old_ledger: Ledger::default(),
        new_ledger: Ledger::default(),
    };
    (moves, expected)
}

fn unescaped(address: &str) -> Vec<u8> {
    percent_decode_str(address).collect()
}

/// Returns the rule that a host reads in a line, if it is a rule for one path.
fn rule(host: Host, line: &str) -> Option<Rule> {
    if let Host::Netlify = host {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [from, to, "301"] = words[..] else { return None };
        // A star and `:name` are placeholders.
        let is_path = from.starts_with('/') && !from.contains(['*', ':', '#', '?']);
        return is_path.then(|| (unescaped(from), unescaped(to)));
    }
    let is_nginx = matches!(host, Host::Nginx);
    let (begin, root, end) =
        if is_nginx { ("", "~^", ";") } else { ("RewriteRule ", "^/?", " [R=301,L,NE]") };
    let (pattern, rest) = quoted(line.strip_prefix(begin)?, is_nginx)?;
    let (to, rest) = quoted(rest.strip_prefix(' ')?, is_nginx)?;
    let path = literal(pattern.strip_prefix(root)?)?;
    let from = if is_nginx { path } else { [b"/", &path[..]].concat() };
    // Dollar signs start variables or references, as do percent signs for Apache, unless escaped by
    // a backslash.
    let refers = match is_nginx {
        true => to.contains('$'),
        false => to.replace("\\%", "").replace("\\$", "").contains(['%', '$', '\\']),
    };
    let to = if is_nginx { to } else { to.replace('\\', "") };
    (rest == end && !refers).then(|| (from, unescaped(&to)))
}

/// Returns the text in double quotes and the rest, as `ngx_conf_read_token` and `ap_getword_conf`
/// read them.
fn quoted(text: &str, is_nginx: bool) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('"')?.chars();
    let mut out = String::new();
    loop {
        match (rest.next()?, rest.as_str().chars().next()) {
            ('"', _) => return Some((out, rest.as_str())),
            ('\\', Some('"' | '\\')) => out.extend(rest.next()),
            // nginx reads these as other characters, and the writer does not need them.
            ('\\', Some('\'' | 't' | 'r' | 'n')) if is_nginx => return None,
            (other, _) => out.push(other),
        }
    }
}

/// Returns the bytes that the rest of an expression matches, if it matches a single text.
fn literal(expression: &str) -> Option<Vec<u8>> {
    // `$` would also match before a final line feed.
    let expression = expression.strip_suffix("\\z")?;
    let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(expression);
    match parsed.ok()?.into_kind() {
        HirKind::Literal(literal) => Some(literal.0.into()),
        HirKind::Empty => Some(Vec::new()),
        _ => None,
    }
}
