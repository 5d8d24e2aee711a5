//! A site that can change: a copy of a folder, or generated pages.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};
use std::{fs, io};

use pagekin_index::{Assets, BuildOptions, Summary};
use pagekin_pages::site::html::{is_html_name, read_html};
use pagekin_pages::{PageSource, Silent, SourcePage};
use pagekin_tests::collection::Collection;
use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::queries::{file_of, text_in_collection, text_in_site};
use walkdir::WalkDir;

/// The changes of a site since the build that is followed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    /// Paragraphs appended to the text of pages, by URL.
    pub(crate) edited: BTreeMap<String, String>,
    /// New pages by URL.
    pub(crate) added: BTreeMap<String, SourcePage>,
    /// URLs of removed pages.
    pub(crate) removed: BTreeSet<String>,
}

pub(crate) enum Site {
    Folder(Copy),
    Generated(Collection),
}

/// A copy of a site's HTML files that can be changed.
pub(crate) struct Copy {
    original: PathBuf,
    pub(crate) folder: PathBuf,
    /// Files that differ from the original.
    changed: BTreeSet<PathBuf>,
}

impl Site {
    /// Indexes the site after `changes`.
    pub(crate) fn build(
        &mut self,
        changes: &Changes,
        options: &BuildOptions,
    ) -> Result<Summary, Failure> {
        match self {
            Self::Folder(copy) => {
                copy.change(changes)?;
                let options = options.clone().with(|options| options.site = copy.folder.clone());
                Ok(pagekin_index::build(&options, &Assets::default(), &Silent)?)
            }
            Self::Generated(collection) => {
                let pages = ChangedCollection::new(*collection, changes);
                Ok(pagekin_index::build_pages(options, &pages, &Assets::default(), &Silent)?)
            }
        }
    }

    /// Returns the text and the language of a page after `changes`.
    pub(crate) fn text(&self, changes: &Changes, url: &str) -> Result<(String, String), Failure> {
        match self {
            Self::Folder(copy) => text_in_site(&copy.folder, url),
            Self::Generated(collection) => {
                if let Some(page) = changes.added.get(url) {
                    return Ok((page.text.clone(), page.lang.clone()));
                }
                let (text, lang) = text_in_collection(collection, url)?;
                Ok((with_paragraph(text, changes.edited.get(url)), lang))
            }
        }
    }

    /// Returns whether a paragraph added to a page is indexed: pages may exclude parts of them.
    pub(crate) fn takes(&self, url: &str, paragraph: &str) -> Result<bool, Failure> {
        let Self::Folder(copy) = self else { return Ok(true) };
        Ok(edited(&fs::read(file_of(&copy.original, url)?)?, paragraph).is_some())
    }
}

impl Copy {
    /// Copies the HTML files of the site `original` into `folder`.
    pub(crate) fn new(original: &Path, folder: PathBuf) -> Result<Self, Failure> {
        let walk = WalkDir::new(original).follow_links(true).into_iter();
        // Links to files that a package omits are not pages.
        let is_gone =
            |error: &walkdir::Error| error.io_error().is_some_and(|e| e.kind() == NotFound);
        for entry in walk.filter(|entry| !entry.as_ref().is_err_and(is_gone)) {
            let entry = entry?;
            if entry.file_type().is_file() && is_html_name(entry.path()) {
                let to = folder.join(entry.path().strip_prefix(original)?);
                fs::create_dir_all(to.parent().unwrap_or(&folder))?;
                fs::copy(entry.path(), to)?;
            }
        }
        Ok(Self { original: original.to_owned(), folder, changed: BTreeSet::new() })
    }

    /// Makes the copy equal to the original after `changes`.
    pub(crate) fn change(&mut self, changes: &Changes) -> Result<(), Failure> {
        for file in std::mem::take(&mut self.changed) {
            let original = self.original.join(file.strip_prefix(&self.folder)?);
            if original.exists() {
                fs::copy(original, file)?;
            } else {
                fs::remove_file(file)?;
            }
        }
        for (url, paragraph) in &changes.edited {
            let file = file_of(&self.folder, url)?;
            let html = edited(&fs::read(&file)?, paragraph);
            fs::write(&file, html.ok_or_else(|| format!("{url} has no place for a paragraph"))?)?;
            self.changed.insert(file);
        }
        for (url, page) in &changes.added {
            let file = file_of(&self.folder, url)?;
            let (lang, title, text) = (&page.lang, escaped(&page.title), escaped(&page.text));
            let html = format!(
                "<!doctype html><html lang=\"{lang}\"><title>{title}</title><main><p>{text}</p></main></html>"
            );
            fs::write(&file, html)?;
            self.changed.insert(file);
        }
        for url in &changes.removed {
            let file = file_of(&self.folder, url)?;
            fs::remove_file(&file)?;
            self.changed.insert(file);
        }
        Ok(())
    }
}

/// Where to insert a paragraph, best first: text after the main text is often not indexed.
const ENDS: [&str; 4] = ["</main>", "</article>", "</p>", "</body>"];
/// Maximum number of places to try of each kind, from the end of the page.
const TRIED: usize = 20;

/// Inserts a paragraph at the first place where it is indexed, if there is one.
fn edited(html: &[u8], paragraph: &str) -> Option<Vec<u8>> {
    let text = |html: &[u8]| read_html(html).page.text;
    let paragraph = format!("<p>{}</p>", escaped(paragraph));
    let before = text(html);
    ENDS.iter().flat_map(|end| places(html, end).take(TRIED)).find_map(|place| {
        let (first, rest) = html.split_at(place);
        let edited = [first, paragraph.as_bytes(), rest].concat();
        (text(&edited) != before).then_some(edited)
    })
}

/// Returns the positions of a tag, last first.
fn places<'a>(html: &'a [u8], tag: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_tag = move |at: &usize| html[*at..*at + tag.len()].eq_ignore_ascii_case(tag.as_bytes());
    (0..(html.len() + 1).saturating_sub(tag.len())).rev().filter(is_tag)
}

/// Escapes a text for HTML in any encoding.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '<' | '>' | '&' | '"' | '\u{80}'.. => format!("&#{};", u32::from(c)),
        _ => c.to_string(),
    };
    text.chars().map(escape).collect()
}

fn with_paragraph(text: String, paragraph: Option<&String>) -> String {
    match paragraph {
        Some(paragraph) => format!("{text} {paragraph}"),
        None => text,
    }
}

/// Generated pages after changes.
struct ChangedCollection<'a> {
    collection: Collection,
    changes: &'a Changes,
    /// Numbers of the remaining pages.
    kept: Vec<u64>,
    added: Vec<&'a SourcePage>,
}

impl<'a> ChangedCollection<'a> {
    fn new(collection: Collection, changes: &'a Changes) -> Self {
        let removed: BTreeSet<u64> =
            changes.removed.iter().filter_map(|url| collection.number_of(url)).collect();
        let kept = (0..collection.count()).filter(|at| !removed.contains(at)).collect();
        Self { collection, changes, kept, added: changes.added.values().collect() }
    }
}

impl PageSource for ChangedCollection<'_> {
    fn count(&self) -> u64 {
        (self.kept.len() + self.added.len()) as u64
    }

    fn page(&self, at: u64) -> io::Result<SourcePage> {
        let Some(&number) = self.kept.get(at as usize) else {
            return Ok(self.added[at as usize - self.kept.len()].clone());
        };
        let page = self.collection.page(number)?;
        let text = with_paragraph(page.text, self.changes.edited.get(&page.url));
        Ok(SourcePage { text, ..page })
    }

    fn name(&self, at: u64) -> PathBuf {
        format!("page {at}").into()
    }
}
