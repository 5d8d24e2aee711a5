//! Small indexes in memory, built by the current code, which are the seeds of inputs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use pagekin_core::hash::SplitMix64;
use pagekin_core::shard::{Kind, MANIFEST_NAME, Manifest, open};
use pagekin_index::{AssetFile, Assets, BuildOptions, Layout, build_pages};
use pagekin_pages::{PageSource, Silent, SourcePage};

/// Number of pages of an index, and of one that is read whole.
const PAGES: u64 = 40;
const FEW_PAGES: u64 = 9;
/// Number of words of a page.
const WORDS: u32 = 60;

/// A layout of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variety {
    /// Few enough pages that a lookup reads all of them.
    Whole,
    /// Lists of terms, one per file.
    Lists,
    /// Lists and tables, in packs.
    Packs,
}

impl Variety {
    /// All layouts.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Lists, Self::Packs];
}

/// Queries for these indexes: texts, some without words, some with only unknown words.
pub const TEXTS: [&str; 6] = [
    "feed the rye starter before the evening",
    "std::collections::HashMap and snake_case_name 1024",
    "zebra quagga xylophone",
    "der Teig und das Brot im Ofen",
    "",
    "grain oven crust river meadow harvest grain oven crust salt water flour yeast dough basket knife table window garden \
     beans poles soil climb net peas seed rows early warm morning cool summer winter autumn spring rain wind cloud stone",
];

/// URLs of pages.
pub const ADDRESSES: [&str; 4] =
    ["/p/3.html", "https://example.org/p/7.html#top", "/p/none.html", "?"];

/// Titles of pages.
pub const TITLES: [&str; 3] = ["Page of rye and oven", "3", "none such title"];

const COMMON: &str = "grain oven crust river meadow harvest salt water flour yeast dough basket knife table window garden \
    beans poles soil climb net peas seed rows early warm morning cool summer winter autumn spring rain wind cloud stone \
    feed the rye starter before evening and a loaf in tin HashMap snake_case_name std::collections::HashMap 1024 der Teig \
    das Brot im Ofen bäckt naïve 東京 слово";

/// Generated pages.
struct Pages(u64);

impl PageSource for Pages {
    fn count(&self) -> u64 {
        self.0
    }

    fn page(&self, at: u64) -> io::Result<SourcePage> {
        let common: Vec<&str> = COMMON.split_whitespace().collect();
        let mut rng = SplitMix64::new(at);
        let mut text = String::new();
        // Every fourth page starts like the one before.
        let mut like = SplitMix64::new(at - u64::from(at % 4 == 1));
        for word in 0..WORDS {
            let rng = if word < WORDS / 2 { &mut like } else { &mut rng };
            match rng.below(4) {
                0 => {
                    let rare = rng.below(400);
                    let letter = |n: u32| char::from(b'a' + (n % 20) as u8);
                    text.extend(['w', letter(rare), 'o', letter(rare / 20), 'k']);
                }
                _ => text.push_str(common[rng.below(common.len() as u32) as usize]),
            }
            text.push(' ');
        }
        let lang = if at % 9 == 8 { "de" } else { "en" };
        let title = format!("Page of {} and oven {at}", common[at as usize % common.len()]);
        Ok(SourcePage { url: format!("/p/{at}.html"), title, lang: lang.to_owned(), text })
    }

    fn name(&self, at: u64) -> PathBuf {
        at.to_string().into()
    }
}

/// Builds an index in a new folder. Errors panic, since none of this is under test.
pub fn build_into(variety: Variety, folder: &Path) {
    let options = BuildOptions::new("", folder).with(|options| {
        options.threads = Some(1);
        options.block_pages = Some(2);
        match variety {
            Variety::Whole => options.block_pages = None,
            Variety::Lists => {}
            Variety::Packs => {
                options.layout = Layout::Packs;
                options.tables = Some(true);
            }
        }
    });
    let pages = if variety == Variety::Whole { FEW_PAGES } else { PAGES };
    let client = AssetFile { path: "pagekin.js", bytes: b"export {};" };
    let assets = Assets { always: &[client], ..Assets::default() };
    build_pages(&options, &Pages(pages), &assets, &Silent).expect("an index is built");
}

/// An index in memory.
#[derive(Debug)]
pub struct SmallIndex {
    /// The decoded manifest.
    pub manifest: Manifest,
    /// The encoded manifest.
    pub manifest_bytes: Vec<u8>,
    /// All shards by name.
    pub shards: BTreeMap<String, SmallShard>,
}

/// A shard of a [`SmallIndex`].
#[derive(Debug)]
pub struct SmallShard {
    /// The kind.
    pub kind: Kind,
    /// The generation.
    pub generation: u64,
    /// The content of its file, followed by zeros if that is a pack.
    pub bytes: Vec<u8>,
    /// The inflated payload.
    pub payload: Vec<u8>,
}

impl SmallIndex {
    /// Builds an index with this layout.
    #[must_use]
    pub fn new(variety: Variety) -> Self {
        let place = tempfile::tempdir().expect("there is a temporary folder");
        let folder = place.path().join("index");
        build_into(variety, &folder);
        let manifest_bytes = fs::read(folder.join(MANIFEST_NAME)).expect("there is a manifest");
        let manifest = Manifest::decode(&manifest_bytes).expect("the manifest is sound");
        let mut shards = BTreeMap::new();
        for kind in Kind::NUMBERED {
            for number in 0..manifest.part(kind).map_or(0, |part| part.shards) {
                let name = manifest.name(kind, number);
                let bytes = read(&folder, &name);
                let generation = manifest.generation_of(kind, number);
                let stored = manifest.stored(kind, &bytes);
                let (_, payload) =
                    open(&name, kind, Some(generation), stored).expect("the shard is sound");
                let payload = payload.into_owned();
                shards.insert(name, SmallShard { kind, generation, bytes, payload });
            }
        }
        Self { manifest, manifest_bytes, shards }
    }

    /// Returns the generation and the payloads of the shards of a kind.
    #[must_use]
    pub fn payloads(&self, kind: Kind) -> (u64, Vec<Vec<u8>>) {
        let of_kind = || self.shards.values().filter(|shard| shard.kind == kind);
        let generation = of_kind().next().map_or(0, |shard| shard.generation);
        (generation, of_kind().map(|shard| shard.payload.clone()).collect())
    }
}

/// Returns the bytes of a name, `path` or `path#offset+length`.
fn read(folder: &Path, name: &str) -> Vec<u8> {
    let (path, place) =
        name.split_once('#').map_or((name, None), |(path, place)| (path, Some(place)));
    let bytes = fs::read(folder.join(path)).expect("the file is there");
    let Some((offset, length)) = place.and_then(|place| place.split_once('+')) else {
        return bytes;
    };
    let number = |text: &str| text.parse::<usize>().expect("a number");
    bytes[number(offset)..number(offset) + number(length)].to_vec()
}
