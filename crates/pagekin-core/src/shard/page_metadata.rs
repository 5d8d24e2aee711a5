//! The metadata that results of a page show, such as its author or an image: keys with values.
//!
//! They are one text of lines, a key and then its value, so that a browser passes it on to a script
//! without taking it apart. A block has these texts at the end of its head, where they deflate
//! well: its pages come from the same templates. A block whose pages have none ends before them, so
//! that a site without metadata has no byte of it.

use super::wire::{Damaged, Reader, Writer};

/// Maximum number of bytes of the metadata of a page.
pub const MAX_METADATA_BYTES: usize = 4_096;

/// The metadata of a page, by distinct keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageMetadata(String);

impl PageMetadata {
    /// Keeps the first value of each key, as far as they fit. Line breaks become spaces.
    #[must_use]
    pub fn new<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut all = Self::default();
        for (key, value) in pairs {
            let pair = [key, value].map(|part| part.replace('\n', " ")).join("\n");
            let is_known = all.pairs().any(|(known, _)| pair.split('\n').next() == Some(known));
            if !is_known && all.0.len() + 1 + pair.len() <= MAX_METADATA_BYTES {
                if !all.0.is_empty() {
                    all.0.push('\n');
                }
                all.0.push_str(&pair);
            }
        }
        all
    }

    /// Returns its keys with their values.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut lines = self.0.split('\n');
        std::iter::from_fn(move || Some((lines.next()?, lines.next()?)))
    }

    /// Returns its lines: each key, followed by its value. Empty if there are none.
    #[must_use]
    pub fn lines(&self) -> &str {
        &self.0
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Writes the metadata of the pages of a block, if any has some.
pub(super) fn write<'a>(head: &mut Writer, pages: impl Iterator<Item = &'a PageMetadata> + Clone) {
    if pages.clone().any(|metadata| !metadata.is_empty()) {
        pages.for_each(|metadata| head.text(&metadata.0));
    }
}

/// Reads the metadata of the pages of a block from the rest of its head.
pub(super) fn read<'a>(
    head: &mut Reader<'_>,
    pages: impl Iterator<Item = &'a mut PageMetadata>,
) -> Result<(), Damaged> {
    if head.rest().is_empty() {
        return Ok(());
    }
    for metadata in pages {
        let lines = head.text("metadata")?;
        let breaks = lines.bytes().filter(|&byte| byte == b'\n').count();
        if lines.len() > MAX_METADATA_BYTES || (!lines.is_empty() && breaks % 2 == 0) {
            return Err(Damaged("metadata"));
        }
        lines.clone_into(&mut metadata.0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_first_value_of_a_key_is_kept_as_far_as_all_fit() {
        let long = "x".repeat(MAX_METADATA_BYTES);
        let pairs = [("a", "1"), ("b", "2\n3"), ("a", "4"), ("c", &long), ("d", "")];
        let metadata = PageMetadata::new(pairs);
        assert_eq!(metadata.pairs().collect::<Vec<_>>(), [("a", "1"), ("b", "2 3"), ("d", "")]);
        assert_eq!(metadata.lines(), "a\n1\nb\n2 3\nd\n");
        assert_eq!(PageMetadata::default().pairs().count(), 0);
    }

    fn read_back(bytes: &[u8], n: usize) -> Result<Vec<PageMetadata>, Damaged> {
        let mut pages = vec![PageMetadata::default(); n];
        let mut reader = Reader::new(bytes);
        read(&mut reader, pages.iter_mut())?;
        reader.end().map(|()| pages)
    }

    #[test]
    fn a_key_without_a_value_is_damage() {
        for (lines, is_sound) in [("", true), ("a", false), ("a\n", true), ("a\nb\nc", false)] {
            let mut head = Writer::new();
            head.text(lines);
            assert_eq!(read_back(&head.finish(), 1).is_ok(), is_sound, "{lines:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            pages in prop::collection::vec(prop::collection::btree_map("[a-c]{0,2}", "[a-c\u{e9}:, ]{0,9}", 0..4), 0..6),
        ) {
            let all: Vec<PageMetadata> = pages
                .iter()
                .map(|page| PageMetadata::new(page.iter().map(|(key, value)| (&**key, &**value))))
                .collect();
            let mut head = Writer::new();
            write(&mut head, all.iter());
            let bytes = head.finish();
            // The twin: without values there are no bytes.
            prop_assert_eq!(bytes.is_empty(), pages.iter().all(BTreeMap::is_empty));
            let read = read_back(&bytes, all.len()).unwrap();
            for (metadata, page) in read.iter().zip(&pages) {
                let pairs = page.iter().map(|(key, value)| (&**key, &**value));
                prop_assert!(metadata.pairs().eq(pairs));
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, n in 0usize..5) {
            let _ = read_back(&bytes, n);
        }
    }
}
