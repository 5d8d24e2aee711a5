//! Splits the classes of a crawl into parts that fit into memory.

/// URLs whose signatures are in memory together. They are renumbered in the same order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClassPart {
    /// The URLs in ascending order; `None` for all URLs of the crawl.
    urls: Option<Vec<u32>>,
    /// The class of each URL; empty without classes.
    classes: Vec<u32>,
}

impl ClassPart {
    /// Returns a part of all URLs, in one class.
    #[must_use]
    pub(crate) fn whole() -> Self {
        Self::default()
    }

    /// Returns a part of all URLs with their classes.
    #[must_use]
    pub(crate) fn new(classes: Vec<u32>) -> Self {
        Self { urls: None, classes }
    }

    /// Returns the number in the crawl of a URL of this part.
    #[must_use]
    pub(crate) fn url(&self, number: u32) -> u32 {
        self.urls.as_ref().map_or(number, |urls| urls[number as usize])
    }

    /// Returns the URLs of this part, or `None` if it contains all.
    #[must_use]
    pub(crate) fn urls(&self) -> Option<&[u32]> {
        self.urls.as_deref()
    }

    /// Returns the class of each URL of this part; empty without classes.
    #[must_use]
    pub(crate) fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// Returns the class of a URL of this part; 0 without classes.
    #[must_use]
    pub(crate) fn class(&self, number: u32) -> u32 {
        self.classes.get(number as usize).copied().unwrap_or_default()
    }

    /// Groups URLs of this part by their classes, in ascending order of classes. URLs of a class
    /// keep their order.
    #[must_use]
    pub(crate) fn by_class(&self, numbers: Vec<u32>) -> Vec<(u32, Vec<u32>)> {
        if self.classes.is_empty() {
            return vec![(0, numbers)];
        }
        let class = |number: &u32| self.class(*number);
        let mut numbers = numbers;
        numbers.sort_by_key(class);
        let chunks = numbers.chunk_by(|a, b| class(a) == class(b));
        chunks.map(|chunk| (class(&chunk[0]), chunk.to_vec())).collect()
    }
}

/// Returns parts of at most `max` URLs each, or of one larger class. Assigns classes to the first
/// part that has room, largest first, to minimize the number of parts.
///
/// # Cost
///
/// Linear in the URLs and in classes times parts.
#[must_use]
pub(crate) fn parts(classes: &[u32], max: u32) -> Vec<ClassPart> {
    let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut sizes = vec![0u32; count];
    classes.iter().for_each(|&class| sizes[class as usize] += 1);
    let mut largest: Vec<usize> = (0..count).collect();
    largest.sort_by_key(|&class| std::cmp::Reverse(sizes[class]));
    let mut room: Vec<u32> = Vec::new();
    let mut part_of = vec![0; count];
    for class in largest {
        let size = sizes[class];
        let part = room.iter().position(|&room| room >= size).unwrap_or_else(|| {
            room.push(max.max(size));
            room.len() - 1
        });
        room[part] -= size;
        part_of[class] = part;
    }
    let mut parts = vec![ClassPart { urls: Some(Vec::new()), classes: Vec::new() }; room.len()];
    for (url, &class) in (0..).zip(classes) {
        let part = &mut parts[part_of[class as usize]];
        part.urls.get_or_insert_default().push(url);
        part.classes.push(class);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn each_url_is_in_one_part_and_classes_are_not_split(
            classes in prop::collection::vec(0u32..9, 0..200), max in 1u32..80,
        ) {
            let parts = parts(&classes, max);
            let mut found = BTreeMap::new();
            for (at, part) in parts.iter().enumerate() {
                let numbers: Vec<u32> = (0..part.classes().len() as u32).collect();
                let by_class = part.by_class(numbers);
                prop_assert!(part.urls().unwrap().is_sorted());
                prop_assert!(part.classes().len() as u32 <= max || by_class.len() == 1);
                for (class, numbers) in by_class {
                    prop_assert!(numbers.is_sorted());
                    for number in numbers {
                        let url = part.url(number);
                        prop_assert_eq!(classes[url as usize], class);
                        prop_assert_eq!(*found.entry(class).or_insert(at), at, "a class is in one part");
                    }
                }
            }
            let urls: usize = parts.iter().map(|part| part.classes().len()).sum();
            prop_assert_eq!(urls, classes.len());
        }
    }

    #[test]
    fn without_classes_there_is_one() {
        let whole = ClassPart::whole();
        assert_eq!((whole.url(7), whole.urls()), (7, None));
        assert_eq!(whole.by_class(vec![1, 3]), [(0, vec![1, 3])]);
    }
}
