use super::*;
use crate::params::Preset;
use crate::shard::{CompletionShard, Counts, PostingsShard, WrittenBlock};
use crate::vocabulary::term_id;

pub(crate) fn manifest(preset: Preset) -> Manifest {
    let mut stop = StopLists::new();
    stop.insert(Language::english(), ["the"]);
    let mut tables = Shards::from_files(2);
    tables.revised = vec![(1, 1)];
    Manifest {
        params: preset.params(5),
        pages: 33,
        block_pages: 16,
        generations: vec![0x0123_4567_89ab_cdef, 7],
        tables,
        lists: Shards::from_files(3),
        blocks: Shards::from_files(4),
        addresses: Shards::from_files(1),
        sample: Shards::from_files(1),
        sketches: Shards::from_files(2),
        words: Shards::from_files(1),
        completions: Shards::from_files(3),
        filters: Shards::from_files(2),
        completion_starts: vec!["ka".to_owned(), "s".to_owned()],
        sketch_pages: 32,
        sketch_values: 8,
        texts: true,
        embeddings: false,
        read_whole: false,
        mean_length: 300,
        background: 900,
        list_model: Counts::for_coded::<PostingsShard>().model(),
        completion_model: Counts::for_coded::<CompletionShard>().model(),
        page_model: Counts::for_coded::<WrittenBlock<'_>>().model(),
        base_url: "/docs/".to_owned(),
        place: "search/pagekin/".to_owned(),
        languages: vec![(Language::english(), 30), (Language::from_tag("de").unwrap(), 3)],
        vocabulary: Vocabulary::new([(term_id("loaf"), 30)], 40),
        stop,
    }
}

#[test]
fn written_values_are_read_back() {
    for preset in [Preset::Web, Preset::Paper] {
        let manifest = manifest(preset);
        assert_eq!(Manifest::decode(&manifest.encode()), Ok(manifest.clone()));
        assert_eq!(manifest.params.preset(), Some(preset));
    }
}

#[test]
fn an_index_without_tables_and_postings_is_read_whole() {
    let of = |lists, read_whole| Manifest {
        tables: Shards::default(),
        lists: Shards::from_files(lists),
        read_whole,
        ..manifest(Preset::Web)
    };
    for (lists, read_whole, has_postings) in [(0, true, false), (3, true, false), (3, false, true)]
    {
        let manifest = of(lists, read_whole);
        assert_eq!(Manifest::decode(&manifest.encode()), Ok(manifest.clone()));
        assert_eq!(manifest.has_postings(), has_postings);
    }
    // What a lookup reads whole has few blocks.
    let many = Manifest { blocks: Shards::from_files(17), ..of(3, true) };
    let many = Manifest { sketches: Shards::default(), ..many };
    assert!(Manifest::decode(&many.encode()).is_err());
    let with_postings = Manifest { read_whole: false, ..many };
    assert_eq!(Manifest::decode(&with_postings.encode()), Ok(with_postings));
}

#[test]
fn the_place_of_the_index_is_a_path_below_the_site() {
    let filters = Shards::default();
    for (place, is_sound) in [
        ("", true),
        ("pagekin/", true),
        ("a/b/", true),
        ("pagekin", false),
        ("/", false),
        ("/pagekin/", false),
        ("../", false),
        ("a/../", false),
        ("a?/", false),
    ] {
        let manifest =
            Manifest { place: place.to_owned(), filters: filters.clone(), ..manifest(Preset::Web) };
        let read = Manifest::decode(&manifest.encode());
        assert_eq!(read.is_ok(), is_sound, "{place}");
        assert!(read.is_err() || read == Ok(manifest));
    }
}

#[test]
fn many_blocks_need_lists_or_tables() {
    let lists = Shards::default();
    let whole = Manifest { tables: Shards::default(), lists, ..manifest(Preset::Web) };
    assert!(Manifest::decode(&whole.encode()).is_ok());
    let sketches = Shards::from_files(9);
    let many = Manifest { blocks: Shards::from_files(17), sketches, ..whole };
    assert!(Manifest::decode(&many.encode()).is_err());
    for (lists, tables) in [(1, 0), (0, 1)] {
        let (lists, tables) = (Shards::from_files(lists), Shards::from_files(tables));
        let many = Manifest { lists, tables, ..many.clone() };
        assert!(Manifest::decode(&many.encode()).is_ok());
    }
}

#[test]
fn slots_must_be_enough_and_countable() {
    let few = Manifest { pages: 65, ..manifest(Preset::Web) };
    assert!(Manifest::decode(&few.encode()).is_err());
    let many = Manifest { blocks: Shards::from_files(u32::MAX), ..few };
    assert!(Manifest::decode(&many.encode()).is_err());
}

#[test]
fn shards_have_names() {
    let mut manifest = manifest(Preset::Web);
    assert_eq!(manifest.name(Kind::Pages, 1_234), "index/0123456789abcdef/pages/02/1234.shard");
    assert_eq!(manifest.name(Kind::Tables, 0), "index/0123456789abcdef/tables/00/0000.shard");
    assert_eq!(manifest.name(Kind::Tables, 1), "index/0000000000000007/tables/00/0001.shard");
    manifest.blocks.slot = 4_096;
    assert_eq!(manifest.name(Kind::Pages, 2), "index/0123456789abcdef/pages-000.pack#8192+4096");
    assert_eq!(
        manifest.name(Kind::Pages, 4_097),
        "index/0123456789abcdef/pages-001.pack#4096+4096"
    );
    assert_eq!(manifest.blocks.files(), 1);
}

proptest::proptest! {
    #[test]
    fn any_payload_is_read_or_refused(payload: Vec<u8>) {
        let _ = Manifest::decode(&seal(Kind::Manifest, 1, &payload));
    }

    #[test]
    fn a_changed_manifest_is_read_or_refused(at in 0usize..200, value: u8) {
        let bytes = manifest(Preset::Web).encode();
        let (_, payload) = open(MANIFEST_NAME, Kind::Manifest, None, &bytes).unwrap();
        let mut payload = payload.into_owned();
        let at = at % payload.len();
        payload[at] = value;
        let _ = Manifest::decode(&seal(Kind::Manifest, 7, &payload));
    }
}
