//! The clusters of [a scan by similarity](crate::center::by_similarity), computed in rounds on any
//! number of machines.
//!
//! Pages are distributed over *buckets*. For each of its free pages (pages that are not in a
//! cluster yet), a bucket stores the *live* pairs: those whose other page is free or a center, as
//! far as the bucket knows. In a round, each bucket receives the messages for its pages and sends
//! others:
//!
//! - If the first live pair of a page, in the order of the scan, is with a center, the page joins
//!   it.
//! - Otherwise the page asks the other page of that pair, once. The pair remains the first until
//!   the other page is decided, because pairs are only removed.
//! - Two pages that have asked each other are decided: the lower is a center, the higher its
//!   member.
//! - A decided page informs the other pages of its live pairs, and drops its own pairs. Pairs with
//!   members are removed.
//!
//! # Correctness
//!
//! A page is decided by its first live pair `p`. Any page that removed an earlier pair of it was
//! decided by a pair before that one, which was live at both ends. So when the scan reached `p`,
//! the pairs before it had left the page free; and if the other page is a center, it became one
//! before `p`. None of this depends on when messages arrive, so the clusters do not, either. The
//! first of all live pairs is always decided, so the algorithm terminates.
//!
//! # Number of rounds
//!
//! The number of rounds is the length of the longest chain of pairs that each wait for the previous
//! one. If pairs are equally similar, numbers in the order of a hash make chains of `O(log^2 n)`
//! with high probability (Blelloch, Fineman and Shun, *Greedy sequential maximal independent set
//! and matching are parallel on average*, SPAA 2012): a path of 100,000 pages takes about a dozen
//! rounds, a clique two. Numbers in the order of a crawl, where each page is similar to the next,
//! may take `n / 2`, and so may similarities that increase along a path. To bound the number of
//! rounds, scan the remaining pairs on one machine ([`CenterRest`]). This takes 26 bytes for each
//! live pair of each page, so 52 for most pairs.

use crate::center::by_similarity::{SimilarityScan, order};

/// A live pair of a free page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivePair {
    /// The free page.
    pub page: u32,
    /// The other page.
    pub other: u32,
    /// Their similarity.
    pub thousandths: u16,
    /// What the page knows about the other.
    pub known: Knowledge,
}

/// What a page knows about the other page of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    /// Nothing; the other page may be free.
    Free,
    /// The page has asked the other.
    Asked,
    /// The other has asked the page.
    Asks,
    /// The other is a center.
    Center,
}

/// A message from one page of a pair to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// The receiver.
    pub to: u32,
    /// The sender.
    pub from: u32,
    /// The content.
    pub news: News,
}

/// The content of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum News {
    /// The pair is the first live pair of the sender.
    Asks,
    /// The sender is a center.
    Center,
    /// The sender is a member of a cluster whose center is not the receiver.
    Member,
}

impl Knowledge {
    /// All variants, each at its discriminant.
    pub const ALL: [Self; 4] = [Self::Free, Self::Asked, Self::Asks, Self::Center];
}

impl News {
    /// All variants, each at its discriminant.
    pub const ALL: [Self; 3] = [Self::Asks, Self::Center, Self::Member];
}

/// The final cluster of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decided {
    /// The page.
    pub page: u32,
    /// The center of its cluster: the page itself if it is a center.
    pub center: u32,
}

/// The output of a bucket in a round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoundOutput {
    /// The pages of the bucket that were decided, ascending.
    pub decided: Vec<Decided>,
    /// Messages to pages of any bucket.
    pub messages: Vec<Message>,
}

/// Pairs of a bucket are invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected pairs of two pages, in order, each once, found that of {page} and {other} after that of {before:?}"
)]
#[non_exhaustive]
pub struct InvalidPairs {
    /// The page of the first invalid pair.
    pub page: u32,
    /// The other page of that pair.
    pub other: u32,
    /// The pages of the previous pair.
    pub before: Option<(u32, u32)>,
}

impl LivePair {
    /// Creates a pair whose page knows nothing about the other.
    #[must_use]
    pub fn new(page: u32, other: u32, thousandths: u16) -> Self {
        Self { page, other, thousandths, known: Knowledge::Free }
    }

    fn pages(&self) -> (u32, u32) {
        (self.page, self.other)
    }

    fn message(&self, news: News) -> Message {
        Message { to: self.other, from: self.page, news }
    }
}

/// A part of the pages of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CenterBucket {
    /// Sorted by page, then by the other page.
    pairs: Vec<LivePair>,
}

impl CenterBucket {
    /// Creates a bucket from `pairs`, in any order, and returns its first messages. A pair within
    /// the bucket must be listed in both directions. The pages of `founded`, in any order, are
    /// centers before all pairs: the first of each group of twins.
    ///
    /// # Errors
    ///
    /// Returns an error if a pair occurs twice, or is of one page.
    pub fn begin(
        mut pairs: Vec<LivePair>,
        founded: &[u32],
    ) -> Result<(Self, RoundOutput), InvalidPairs> {
        pairs.sort_unstable_by_key(LivePair::pages);
        check(&pairs)?;
        let mut founded = founded.to_vec();
        founded.sort_unstable();
        founded.dedup();
        let mut step = RoundOutput::default();
        let mut live = Vec::new();
        step.decided = founded.iter().map(|&page| Decided { page, center: page }).collect();
        each_page(&pairs, Vec::new(), |own, agreed| {
            if founded.binary_search(&own[0].page).is_ok() {
                step.messages.extend(own.iter().map(|pair| pair.message(News::Center)));
            } else {
                settle(own, agreed, &mut step);
                live.extend_from_slice(own);
            }
        });
        Ok((Self { pairs: live }, step))
    }

    /// Restores a bucket after a round from its [live pairs](Self::live).
    ///
    /// # Errors
    ///
    /// Returns an error if they are out of order.
    pub fn resume(live: Vec<LivePair>) -> Result<Self, InvalidPairs> {
        check(&live)?;
        Ok(Self { pairs: live })
    }

    /// Processes all messages to its pages since the last round, in any order. A message for a pair
    /// that is not live is ignored.
    pub fn round(&mut self, messages: Vec<Message>) -> RoundOutput {
        let mut step = RoundOutput::default();
        let mut live = Vec::new();
        each_page(&self.pairs, messages, |own, agreed| {
            settle(own, agreed, &mut step);
            live.extend_from_slice(own);
        });
        self.pairs = live;
        step
    }

    /// Returns the live pairs of the free pages, sorted by page, then by the other page: the whole
    /// state of the bucket. Once no bucket has any, all pages are decided; the others are not in a
    /// cluster.
    #[must_use]
    pub fn live(&self) -> &[LivePair] {
        &self.pairs
    }
}

/// The live pairs of all buckets after any number of rounds, to scan on one machine.
#[derive(Debug, Clone, Default)]
pub struct CenterRest {
    pairs: Vec<LivePair>,
}

impl CenterRest {
    /// Adds a bucket, and the messages for its pages from the last round.
    pub fn add(&mut self, bucket: &CenterBucket, messages: Vec<Message>) {
        each_page(&bucket.pairs, messages, |own, _| self.pairs.extend_from_slice(own));
    }

    /// Decides the pages that were free, in ascending order, except those in no cluster.
    #[must_use]
    pub fn finish(mut self) -> Vec<Decided> {
        // All pages know whether the others are members or centers, with one exception: a page that
        // has just become a member of a page that had asked it earlier asks it, too. It looks free,
        // and its only pair is that one, for which the scan has the same result.
        self.pairs.sort_unstable_by_key(LivePair::pages);
        let mut free: Vec<u32> = self.pairs.iter().map(|pair| pair.page).collect();
        free.dedup();
        let mut pages: Vec<u32> =
            self.pairs.iter().flat_map(|pair| [pair.page, pair.other]).collect();
        pages.sort_unstable();
        pages.dedup();
        let place = |page: u32| pages.partition_point(|&other| other < page) as u32;
        let mut scan = SimilarityScan::new(pages.len() as u32);
        for pair in &self.pairs {
            if pair.known == Knowledge::Center {
                scan.found(place(pair.other));
            }
        }
        self.pairs.sort_unstable_by_key(|pair| order(pair.page, pair.other, pair.thousandths));
        for pair in &self.pairs {
            // Indices are in the order of pages, so the lower page has the lower index.
            scan.next(place(pair.page), place(pair.other));
        }
        let of = |page: u32| {
            let center = scan.center(place(page))?;
            Some(Decided { page, center: pages[center as usize] })
        };
        free.into_iter().filter_map(of).collect()
    }
}

fn check(pairs: &[LivePair]) -> Result<(), InvalidPairs> {
    let mut before = None;
    for pair in pairs {
        let pages = pair.pages();
        if pair.page == pair.other || before >= Some(pages) {
            return Err(InvalidPairs { page: pair.page, other: pair.other, before });
        }
        before = Some(pages);
    }
    Ok(())
}

/// Calls `each` with the pairs of each page that are still live after its messages, if there are
/// any, and whether a page that it had asked has asked it.
fn each_page(
    pairs: &[LivePair],
    mut messages: Vec<Message>,
    mut each: impl FnMut(&mut Vec<LivePair>, bool),
) {
    messages.sort_unstable();
    let mut messages = messages.into_iter().peekable();
    let mut own = Vec::new();
    for pairs in pairs.chunk_by(|a, b| a.page == b.page) {
        let mut agreed = false;
        own.clear();
        for &(mut pair) in pairs {
            let mut is_live = true;
            while let Some(message) =
                messages.next_if(|message| (message.to, message.from) <= pair.pages())
            {
                if (message.to, message.from) != pair.pages() {
                    continue;
                }
                match (message.news, pair.known) {
                    (News::Member, _) => is_live = false,
                    (News::Center, _) => pair.known = Knowledge::Center,
                    (News::Asks, Knowledge::Free) => pair.known = Knowledge::Asks,
                    (News::Asks, Knowledge::Asked) => agreed = true,
                    (News::Asks, Knowledge::Asks | Knowledge::Center) => (),
                }
            }
            if is_live {
                own.push(pair);
            }
        }
        if !own.is_empty() {
            each(&mut own, agreed);
        }
    }
}

/// Decides a free page if its live pairs allow it, and then clears them; or asks the other page of
/// its first pair.
fn settle(own: &mut Vec<LivePair>, agreed: bool, step: &mut RoundOutput) {
    // Of equally similar pairs of a page, that with the lowest other page is first.
    let first = own.iter_mut().reduce(|a, b| if a.thousandths < b.thousandths { b } else { a });
    let Some(first) = first else { return };
    let (page, other) = first.pages();
    let lower = page.min(other);
    let center = match first.known {
        Knowledge::Center => other,
        Knowledge::Asks => lower,
        Knowledge::Asked if agreed => lower,
        Knowledge::Asked => return,
        Knowledge::Free => {
            step.messages.push(first.message(News::Asks));
            first.known = Knowledge::Asked;
            return;
        }
    };
    step.decided.push(Decided { page, center });
    for pair in own.iter().filter(|pair| pair.known != Knowledge::Center) {
        let is_center = center == page;
        if pair.other != other {
            step.messages.push(pair.message(if is_center { News::Center } else { News::Member }));
        } else if !agreed {
            // The other page does not know yet that the pair is decided.
            step.messages.push(pair.message(if is_center { News::Center } else { News::Asks }));
        }
    }
    own.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::SplitMix64;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Pairs = BTreeMap<(u32, u32), u16>;

    /// Collects each pair once, the lower page first.
    fn pairs(all: impl IntoIterator<Item = (u32, u32, u16)>) -> Pairs {
        let once = |(u, v, s): (u32, u32, u16)| (u != v).then_some(((u.min(v), u.max(v)), s));
        all.into_iter().filter_map(once).collect()
    }

    /// The scan on one machine.
    fn scanned(n: u32, pairs: &Pairs, founded: &BTreeSet<u32>) -> Vec<u32> {
        let mut sorted: Vec<_> = pairs.iter().collect();
        sorted.sort_by_key(|&(&(u, v), &s)| order(u, v, s));
        let mut scan = SimilarityScan::new(n);
        founded.iter().for_each(|&page| scan.found(page));
        sorted.into_iter().for_each(|(&(u, v), _)| scan.next(u, v));
        scan.finish()
    }

    struct Machines {
        buckets: Vec<CenterBucket>,
        mail: Vec<Vec<Message>>,
        centers: Vec<u32>,
        decided: BTreeSet<u32>,
        sent: usize,
    }

    impl Machines {
        fn bucket(page: u32, buckets: usize) -> usize {
            ((u64::from(page) * 0x9e37_79b1) >> 7) as usize % buckets
        }

        fn begin(n: u32, pairs: &Pairs, founded: &BTreeSet<u32>, buckets: usize) -> Self {
            let mut begun = Self {
                buckets: Vec::new(),
                mail: vec![Vec::new(); buckets],
                centers: (0..n).collect(),
                decided: BTreeSet::new(),
                sent: 0,
            };
            let mut own: Vec<Vec<LivePair>> = vec![Vec::new(); buckets];
            for (&(u, v), &s) in pairs {
                own[Self::bucket(v, buckets)].push(LivePair::new(v, u, s));
                own[Self::bucket(u, buckets)].push(LivePair::new(u, v, s));
            }
            for (at, own) in own.into_iter().enumerate() {
                let founded: Vec<u32> = founded
                    .iter()
                    .rev()
                    .copied()
                    .filter(|&u| Self::bucket(u, buckets) == at)
                    .collect();
                let (bucket, step) = CenterBucket::begin(own, &founded).unwrap();
                begun.buckets.push(bucket);
                begun.take(step);
            }
            begun
        }

        fn take(&mut self, RoundOutput { decided, messages }: RoundOutput) {
            assert!(decided.is_sorted());
            self.decide(decided);
            self.sent += messages.len();
            for message in messages.into_iter().rev() {
                let at = Self::bucket(message.to, self.mail.len());
                self.mail[at].push(message);
            }
        }

        fn decide(&mut self, decided: Vec<Decided>) {
            for Decided { page, center } in decided {
                assert!(self.decided.insert(page), "{page} was decided before");
                self.centers[page as usize] = center;
            }
        }

        fn live(&self) -> usize {
            self.buckets.iter().map(|bucket| bucket.live().len()).sum()
        }

        fn round(&mut self) {
            let none = vec![Vec::new(); self.mail.len()];
            for (at, messages) in std::mem::replace(&mut self.mail, none).into_iter().enumerate() {
                // As read from disk.
                let mut bucket = CenterBucket::resume(self.buckets[at].live().to_vec()).unwrap();
                let step = bucket.round(messages);
                self.buckets[at] = bucket;
                self.take(step);
            }
        }

        fn rest(mut self) -> Vec<u32> {
            let mut rest = CenterRest::default();
            for (bucket, messages) in self.buckets.iter().zip(self.mail.drain(..)) {
                rest.add(bucket, messages);
            }
            self.decide(rest.finish());
            self.centers
        }

        /// Returns the centers and the number of rounds.
        fn all_rounds(mut self) -> (Vec<u32>, u32) {
            let mut rounds = 0;
            while self.live() > 0 {
                self.round();
                rounds += 1;
            }
            (self.centers, rounds)
        }
    }

    /// Returns the number of rounds of a graph, and checks that the result equals the scan.
    fn rounds(n: u32, pairs: &Pairs) -> u32 {
        let founded = BTreeSet::new();
        let machines = Machines::begin(n, pairs, &founded, 8);
        let (centers, rounds) = machines.all_rounds();
        assert_eq!(centers, scanned(n, pairs, &founded));
        rounds
    }

    /// Numbers `n` pages in the order of a hash.
    fn by_hash(n: u32, seed: u64) -> Vec<u32> {
        let mut stream = SplitMix64::new(seed);
        let mut pages: Vec<(u64, u32)> = (0..n).map(|page| (stream.next_u64(), page)).collect();
        pages.sort_unstable();
        let mut numbers = vec![0; n as usize];
        for (number, (_, page)) in (0..).zip(pages) {
            numbers[page as usize] = number;
        }
        numbers
    }

    #[test]
    fn a_path_takes_few_rounds_only_if_numbered_by_hash() {
        let path = |n: u32| (1..n).map(|v| (v - 1, v));
        let in_order = rounds(600, &pairs(path(600).map(|(u, v)| (u, v, 500))));
        assert!((300..=600).contains(&in_order), "{in_order} rounds");
        let n = 100_000;
        for seed in 0..2 {
            let numbers = by_hash(n, seed);
            let number = |page: u32| numbers[page as usize];
            let found = rounds(n, &pairs(path(n).map(|(u, v)| (number(u), number(v), 500))));
            println!("a path of {n}: {found} rounds");
            assert!(found <= 20, "{found} rounds");
        }
    }

    #[test]
    fn a_clique_takes_two_rounds() {
        let (cliques, size) = (200, 50);
        let numbers = by_hash(cliques * size, 1);
        let number = |page: u32| numbers[page as usize];
        let within = |clique: u32| {
            let pages = clique * size..(clique + 1) * size;
            pages.clone().flat_map(move |u| (clique * size..u).map(move |v| (u, v)))
        };
        let all = (0..cliques).flat_map(within).map(|(u, v)| (number(u), number(v), 300));
        assert_eq!(rounds(cliques * size, &pairs(all)), 2);
    }

    #[test]
    fn graphs_numbered_at_random_take_few_rounds() {
        let n = 5_000;
        for (seed, degree, levels) in [(1, 1, 1), (2, 4, 1), (3, 10, 39), (4, 100, 800)] {
            let mut stream = SplitMix64::new(seed);
            let mut edge = |_| (stream.below(n), stream.below(n), stream.below(levels) as u16);
            let found = rounds(n, &pairs((0..n * degree / 2).map(&mut edge)));
            println!("degree {degree}, {levels} similarities: {found} rounds");
            assert!(found <= 30, "{found} rounds at degree {degree}");
        }
    }

    #[test]
    fn increasing_similarities_along_a_path_are_left_to_the_rest() {
        let n = 900;
        let rising = pairs((1..n).map(|v| (v - 1, v, v as u16)));
        let none = BTreeSet::new();
        let mut machines = Machines::begin(n, &rising, &none, 3);
        (0..10).for_each(|_| machines.round());
        assert!(machines.live() > 1_500);
        assert_eq!(machines.rest(), scanned(n, &rising, &none));
    }

    #[test]
    fn pages_send_few_messages() {
        let n = 5_000;
        let mut stream = SplitMix64::new(9);
        let all = pairs((0..4 * n).map(|_| (stream.below(n), stream.below(n), 1)));
        let mut machines = Machines::begin(n, &all, &BTreeSet::new(), 4);
        while machines.live() > 0 {
            machines.round();
        }
        assert!(machines.sent < 2 * all.len(), "{} for {} pairs", machines.sent, all.len());
    }

    #[test]
    fn pairs_out_of_order_are_rejected() {
        let pair = |page, other| LivePair::new(page, other, 5);
        for wrong in [vec![pair(1, 1)], vec![pair(1, 2), pair(1, 2)]] {
            assert!(CenterBucket::begin(wrong.clone(), &[]).is_err());
            assert!(CenterBucket::resume(wrong).is_err());
        }
        let error = CenterBucket::resume(vec![pair(1, 3), pair(1, 2)]).unwrap_err();
        assert_eq!((error.page, error.other, error.before), (1, 2, Some((1, 3))));
        CenterBucket::begin(vec![pair(1, 3), pair(1, 2)], &[]).unwrap();
        assert!(Knowledge::ALL.iter().enumerate().all(|(at, &known)| known as usize == at));
        assert!(News::ALL.iter().enumerate().all(|(at, &news)| news as usize == at));
    }

    fn a_pair() -> impl Strategy<Value = (u32, u32, u16)> {
        (0u32..40, 0u32..40, 0u16..4)
    }

    proptest! {
        #[test]
        fn rounds_give_the_clusters_of_the_scan(
            n in 1u32..40, all in prop::collection::vec(a_pair(), 0..90), levels in 1u16..5,
            founded in prop::collection::btree_set(0u32..40, 0..4), buckets in 1usize..9, stop in 0u32..8,
        ) {
            let pairs = pairs(all.into_iter().map(|(u, v, s)| (u % n, v % n, s % levels)));
            let founded: BTreeSet<u32> = founded.into_iter().filter(|&page| page < n).collect();
            let expected = scanned(n, &pairs, &founded);
            let begun = || Machines::begin(n, &pairs, &founded, buckets);
            prop_assert_eq!(&begun().all_rounds().0, &expected);
            let mut machines = begun();
            (0..stop).for_each(|_| machines.round());
            prop_assert_eq!(machines.rest(), expected);
        }

        /// Pairs and messages from damaged files are rejected or misread, but never cause a panic.
        #[test]
        fn nothing_panics(
            live in prop::collection::vec((a_pair(), 0usize..4), 0..20),
            said in prop::collection::vec((0u32..40, 0u32..40, 0usize..3), 0..40),
        ) {
            let mut live: Vec<LivePair> = live
                .into_iter()
                .map(|((page, other, thousandths), known)| LivePair { page, other, thousandths, known: Knowledge::ALL[known] })
                .collect();
            if let Ok(bucket) = CenterBucket::resume(live.clone()) {
                prop_assert_eq!(bucket.live(), &live[..]);
            }
            live.retain(|pair| pair.page != pair.other);
            live.sort_by_key(LivePair::pages);
            live.dedup_by_key(|pair| pair.pages());
            let messages: Vec<Message> = said.into_iter().map(|(to, from, news)| Message { to, from, news: News::ALL[news] }).collect();
            let mut bucket = CenterBucket::resume(live).unwrap();
            let mut rest = CenterRest::default();
            rest.add(&bucket, messages.clone());
            let _ = rest.finish();
            bucket.round(messages);
        }
    }
}
