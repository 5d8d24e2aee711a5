//! Lists of postings in one arena.
//!
//! There is a list for each of a power of two of buckets, and a term belongs to one by a hash.
//! Terms may share a bucket: then a lookup of one finds pages that have the other, and comparing
//! them says so. In return there are no keys, and a lookup goes to one place.
//!
//! What a lookup takes is mostly waiting for memory. A processor waits for many places at once, if
//! it need not know what is in one to go to the next: so [`Lists::place`], [`Lists::first`] and
//! [`Lists::at`] are called for all terms of a page in turn.

/// A page that has a term of a bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) page: u32,
    /// The time after which no page can make a pair with this one that shares no earlier term.
    pub(super) deadline: u32,
}

/// The lists of all buckets. A list is in one piece, with room for a power of two of postings; one
/// that has outgrown its piece moves, and leaves it to another.
#[derive(Debug)]
pub(super) struct Lists {
    /// Where each list is.
    places: Vec<Place>,
    arena: Vec<Posting>,
    /// Pieces that were left, by the logarithms of their rooms.
    free: Vec<Vec<u32>>,
}

/// Where a list is in the arena, and how many postings it has. One without any has no piece.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    begin: u32,
    len: u32,
}

impl Lists {
    /// Empty ones, for so many buckets.
    pub(super) fn new(buckets: usize) -> Self {
        Self { places: vec![Place::default(); buckets], arena: Vec::new(), free: Vec::new() }
    }

    /// The bytes that they take.
    pub(super) fn bytes(&self) -> u64 {
        (self.places.capacity() * size_of::<Place>() + self.arena.capacity() * size_of::<Posting>())
            as u64
    }

    /// Whether there may be no room for another page. Places are numbers of 32 bits.
    pub(super) fn are_full(&self) -> bool {
        self.arena.len() > 1 << 31
    }

    pub(super) fn push(&mut self, bucket: usize, posting: Posting) {
        let Place { begin, len } = self.places[bucket];
        // A piece is full when the postings in it are a power of two.
        if len == 0 || len.is_power_of_two() {
            let room = if len == 0 { 0 } else { len.ilog2() as usize + 1 };
            let piece = self.piece(room);
            let (from, to) = (begin as usize, piece as usize);
            self.arena.copy_within(from..from + len as usize, to);
            if len > 0 {
                self.free[room - 1].push(begin);
            }
            self.places[bucket].begin = piece;
        }
        let place = &mut self.places[bucket];
        self.arena[(place.begin + place.len) as usize] = posting;
        place.len += 1;
    }

    /// A piece with room for 2 to the power of `room` postings.
    fn piece(&mut self, room: usize) -> u32 {
        while self.free.len() <= room {
            self.free.push(Vec::new());
        }
        self.free[room].pop().unwrap_or_else(|| {
            let begin = self.arena.len();
            self.arena.resize(begin + (1 << room), Posting::default());
            begin as u32
        })
    }

    /// Where a list is.
    pub(super) fn place(&self, bucket: usize) -> Place {
        self.places[bucket]
    }

    /// Its first posting, or any if it has none.
    pub(super) fn first(&self, place: Place) -> Posting {
        self.arena.get(place.begin as usize).copied().unwrap_or_default()
    }

    pub(super) fn at(&self, place: Place) -> &[Posting] {
        &self.arena[place.begin as usize..][..place.len as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::hash::SplitMix64;

    #[test]
    fn lists_have_what_was_pushed() {
        let mut stream = SplitMix64::new(4);
        let (mut lists, mut expected) = (Lists::new(8), vec![Vec::new(); 8]);
        for page in 0..10_000 {
            // The first have few, the last thousands.
            let bucket = (stream.below(1 << 16).max(1).ilog2() / 2) as usize;
            let posting = Posting { page, deadline: stream.below(1_000) };
            lists.push(bucket, posting);
            expected[bucket].push(posting);
        }
        for (bucket, expected) in expected.into_iter().enumerate() {
            assert_eq!(lists.at(lists.place(bucket)), expected);
            if let Some(first) = expected.first() {
                assert_eq!(lists.first(lists.place(bucket)), *first);
            }
        }
        // Pieces that were left are taken again.
        assert!(lists.arena.len() < 10_000 * 3, "{}", lists.arena.len());
    }

    #[test]
    fn a_list_grows_into_what_others_left() {
        let mut lists = Lists::new(2);
        assert_eq!((lists.bytes(), lists.are_full()), (2 * 8, false));
        let mut fill = |bucket| {
            (0..64).for_each(|page| lists.push(bucket, Posting { page, deadline: 0 }));
            lists.arena.len()
        };
        // Pieces of 1, 2, 4 and so on to 64; of the second list only the last is new.
        assert_eq!((fill(0), fill(1)), (127, 127 + 64));
        assert_eq!(lists.bytes(), 2 * 8 + 8 * lists.arena.capacity() as u64);
    }
}
