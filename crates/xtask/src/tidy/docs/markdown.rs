//! As much of Markdown as the documents of this repository use.

use std::collections::{BTreeMap, BTreeSet};

/// What a document names, with its lines; without what stands in blocks of code.
pub(super) struct Document {
    /// What stands between backticks.
    pub(super) spans: Vec<(usize, String)>,
    /// The targets of links.
    pub(super) links: Vec<(usize, String)>,
    /// What a link may have behind `#`.
    pub(super) anchors: BTreeSet<String>,
}

impl Document {
    pub(super) fn new(text: &str) -> Self {
        let mut document = Self { spans: Vec::new(), links: Vec::new(), anchors: BTreeSet::new() };
        let mut slugs: BTreeMap<String, usize> = BTreeMap::new();
        // A paragraph and the number of its first line: a span may go on in the next one.
        let mut paragraph = (1, String::new());
        let mut in_code = false;
        for (number, line) in text.lines().enumerate() {
            let is_fence = line.trim_start().starts_with("```");
            if is_fence || in_code || line.trim().is_empty() {
                in_code ^= is_fence;
                document.read(paragraph.0, &paragraph.1);
                paragraph = (number + 2, String::new());
                continue;
            }
            if let Some(heading) = heading(line) {
                let slug = slug(heading);
                let before = slugs.entry(slug.clone()).or_default();
                let numbered = if *before == 0 { slug } else { format!("{slug}-{before}") };
                *before += 1;
                document.anchors.insert(numbered);
            }
            paragraph.1.push_str(line);
            paragraph.1.push('\n');
        }
        document.read(paragraph.0, &paragraph.1);
        document
    }

    /// Takes a paragraph apart: spans of code first, as what looks like a link in them is none.
    fn read(&mut self, first: usize, paragraph: &str) {
        let mut line = first;
        let mut prose = String::new();
        let mut rest = paragraph;
        while let Some(at) = rest.find('`') {
            let (before, from) = rest.split_at(at);
            let mark = &from[..from.len() - from.trim_start_matches('`').len()];
            prose.push_str(before);
            line += before.matches('\n').count();
            let inner = &from[mark.len()..];
            let Some(end) = inner.find(mark) else {
                rest = inner;
                continue;
            };
            self.spans.push((line, inner[..end].trim().to_owned()));
            let lines = inner[..end].matches('\n').count();
            line += lines;
            prose.push_str(&"\n".repeat(lines));
            rest = &inner[end + mark.len()..];
        }
        prose.push_str(rest);
        for (number, line) in prose.lines().enumerate() {
            let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            let defined = line.strip_prefix('[').and_then(|line| line.split_once("]: "));
            for target in inline.chain(defined.map(|(_, target)| target)) {
                let target = target.split_whitespace().next().unwrap_or_default();
                self.links.push((first + number, target.to_owned()));
            }
        }
    }
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| title.trim())
}

/// The anchor that GitHub gives to a heading.
fn slug(heading: &str) -> String {
    // Of a link its text.
    let parts = heading.split("](").enumerate().map(|(index, part)| match index {
        0 => part,
        _ => part.split_once(')').map_or("", |(_, rest)| rest),
    });
    let text: String = parts.collect();
    text.chars()
        .filter(|mark| mark.is_alphanumeric() || matches!(mark, ' ' | '-' | '_'))
        .flat_map(|mark| if mark == ' ' { '-' } else { mark }.to_lowercase())
        .collect()
}
