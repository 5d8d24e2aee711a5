//! What a build says to programs.

use pagekin_index::{BundleSize, MirrorSize, Summary, UnknownRelated};
use pagekin_pages::SharedTitle;
use serde::Serialize;

use crate::site::skipped::{self, SkippedReport};

/// The summary for programs.
#[derive(Serialize)]
pub(super) struct BuildReport<'a> {
    pages: u64,
    html_files: u64,
    html_bytes: u64,
    skipped: Vec<SkippedReport<'a>>,
    languages: Vec<LanguageReport>,
    without_body: u64,
    links_without_html: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_below: Option<&'a str>,
    unknown_related: Vec<UnknownRelatedReport<'a>>,
    repeated: RepeatedReport,
    shared_titles: Vec<SharedTitleReport>,
    terms: u64,
    seed: u64,
    generation: String,
    parts: Vec<PartReport>,
    bytes: u64,
    files: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mirrors: Vec<MirrorReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offline_bundle: Option<BundleSize>,
    seconds: f64,
}

#[derive(Serialize)]
struct LanguageReport {
    language: String,
    pages: u64,
}

#[derive(Serialize)]
struct PartReport {
    name: &'static str,
    files: u64,
    bytes: u64,
}

/// What is to be published on a host.
#[derive(Serialize)]
struct MirrorReport<'a> {
    url: &'a str,
    folder: &'a str,
    files: u64,
    bytes: u64,
}

impl<'a> MirrorReport<'a> {
    fn of(MirrorSize { url, folder, files, bytes }: &'a MirrorSize) -> Self {
        Self { url, folder, files: *files, bytes: *bytes }
    }
}

/// What a page names as related, and is no page.
#[derive(Serialize)]
struct UnknownRelatedReport<'a> {
    page: &'a str,
    address: &'a str,
}

/// What is left out of pages.
#[derive(Serialize)]
struct RepeatedReport {
    sampled: u64,
    blocks: u64,
    left_out: u64,
    commonest: Vec<RepeatedBlockReport>,
}

#[derive(Serialize)]
struct RepeatedBlockReport {
    text: String,
    pages: u64,
}

/// What is left out of titles.
#[derive(Serialize)]
struct SharedTitleReport {
    language: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suffix: Option<String>,
}

impl<'a> BuildReport<'a> {
    pub(super) fn of(summary: &'a Summary) -> Self {
        let languages = summary.languages.iter();
        let commonest = summary
            .repeated
            .commonest
            .iter()
            .map(|block| RepeatedBlockReport { text: block.text.clone(), pages: block.pages });
        let shared_titles = summary.shared_titles.iter().map(|(language, shared)| {
            let (language, SharedTitle { prefix, suffix }) = (language.clone(), shared.clone());
            SharedTitleReport { language, prefix, suffix }
        });
        let parts = summary.parts.iter();
        Self {
            pages: summary.pages,
            html_files: summary.html_files,
            html_bytes: summary.html_bytes,
            skipped: skipped::report(&summary.skipped),
            languages: languages
                .map(|(code, pages)| LanguageReport { language: code.clone(), pages: *pages })
                .collect(),
            without_body: summary.without_body,
            links_without_html: summary.links_without_html,
            published_below: summary.published_below.as_deref(),
            unknown_related: summary
                .unknown_related
                .iter()
                .map(|UnknownRelated { page, address }| UnknownRelatedReport { page, address })
                .collect(),
            repeated: RepeatedReport {
                sampled: summary.repeated.sampled,
                blocks: summary.repeated.blocks,
                left_out: summary.repeated.left_out,
                commonest: commonest.collect(),
            },
            shared_titles: shared_titles.collect(),
            terms: summary.terms,
            seed: summary.seed,
            generation: format!("{:016x}", summary.generation),
            parts: parts
                .map(|part| PartReport { name: part.name, files: part.files, bytes: part.bytes })
                .collect(),
            bytes: summary.total_bytes(),
            files: summary.total_files(),
            mirrors: summary.mirrors.iter().map(MirrorReport::of).collect(),
            offline_bundle: summary.bundle,
            seconds: summary.seconds,
        }
    }
}
