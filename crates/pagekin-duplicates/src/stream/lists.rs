//! Lists of postings in one arena.
//!
//! The number of buckets is a power of two, and each bucket has a list. A hash assigns a term to a
//! bucket. Terms may share a bucket: then a lookup of one finds pages with the other, which are
//! ruled out when they are compared. In return there are no keys, and a lookup reads one place.
//!
//! Lookups mostly wait for memory. A processor can wait for many places at the same time if it does
//! not need the contents of one to find the next. So [`Lists::place`], [`Lists::first`] and
//! [`Lists::at`] are each called for all terms of a page before the next.

/// A page that contains a term of a bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) page: u32,
    /// The time after which no page can form a pair with this one if they share no earlier term.
    pub(super) deadline: u32,
}

/// The lists of all buckets. Each list is one piece of the arena with room for a power of two of
/// postings. A list that outgrows its piece moves, and its old piece is reused.
#[derive(Debug)]
pub(super) struct Lists {
    places: Vec<Place>,
    arena: Vec<Posting>,
    /// Free pieces by the binary logarithm of their capacity.
    free: Vec<Vec<u32>>,
}

/// The place of a list in the arena, and its length. An empty list has no piece.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    begin: u32,
    len: u32,
}

impl Lists {
    /// Creates empty lists.
    pub(super) fn new(buckets: usize) -> Self {
        Self { places: vec![Place::default(); buckets], arena: Vec::new(), free: Vec::new() }
    }

    /// Returns the number of bytes in use.
    pub(super) fn bytes(&self) -> u64 {
        (self.places.capacity() * size_of::<Place>() + self.arena.capacity() * size_of::<Posting>())
            as u64
    }

    /// Returns whether there may be no room for another page. Places are 32-bit numbers.
    pub(super) fn are_full(&self) -> bool {
        self.arena.len() > 1 << 31
    }

    pub(super) fn push(&mut self, bucket: usize, posting: Posting) {
        let Place { begin, len } = self.places[bucket];
        // A piece is full when the number of its postings is a power of two.
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

    /// Returns a piece with room for 2^`room` postings.
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

    /// Returns the place of a list.
    pub(super) fn place(&self, bucket: usize) -> Place {
        self.places[bucket]
    }

    /// Returns the first posting of a list, or any posting if the list is empty.
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
    fn lists_contain_the_pushed_postings() {
        let mut stream = SplitMix64::new(4);
        let (mut lists, mut expected) = (Lists::new(8), vec![Vec::new(); 8]);
        for page in 0..10_000 {
            // The first buckets get few postings, the last ones thousands.
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
        // Free pieces are reused.
        assert!(lists.arena.len() < 10_000 * 3, "{}", lists.arena.len());
    }

    #[test]
    fn a_list_grows_into_free_pieces() {
        let mut lists = Lists::new(2);
        assert_eq!((lists.bytes(), lists.are_full()), (2 * 8, false));
        let mut fill = |bucket| {
            (0..64).for_each(|page| lists.push(bucket, Posting { page, deadline: 0 }));
            lists.arena.len()
        };
        // Pieces of 1, 2, 4 … 64 postings; only the last piece of the second list is new.
        assert_eq!((fill(0), fill(1)), (127, 127 + 64));
        assert_eq!(lists.bytes(), 2 * 8 + 8 * lists.arena.capacity() as u64);
    }
}
