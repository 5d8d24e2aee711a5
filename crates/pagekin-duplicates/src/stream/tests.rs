//! A stream finds exactly the same pairs as brute force, to the bit.

use proptest::prelude::*;

use crate::stream::leaps::{Arrival, Leaps, Step};
use crate::stream::*;

/// A page with its time.
type Timed = (Vector, i64);

/// Finds all pairs by comparing each page with all earlier ones.
fn by_brute_force(pages: &[Timed], rule: &Rule) -> Vec<(u64, Match)> {
    let mut pairs = Vec::new();
    for (later, (page, at)) in pages.iter().enumerate() {
        for (earlier, (other, time)) in pages[..later].iter().enumerate() {
            let cosine = page.cosine(other);
            if let Some(decayed) = rule.decayed(cosine, at.abs_diff(*time)) {
                let found = Match { page: earlier as u64, cosine, decayed, time: *time };
                pairs.push((later as u64, found));
            }
        }
    }
    pairs
}

/// Returns the pages that do not arrive too late, and their pairs as reported.
fn by_streaming(pages: &[Timed], rule: &Rule) -> (Vec<Timed>, Vec<(u64, Match)>) {
    let mut streaming = Streaming::new(rule.clone());
    let (mut taken, mut pairs, mut matches) = (Vec::new(), Vec::new(), Vec::new());
    for (page, time) in pages {
        if let Ok(number) = streaming.push(page, *time, &mut matches) {
            pairs.extend(matches.drain(..).map(|found| (number, found)));
            taken.push((page.clone(), *time));
        }
    }
    (taken, pairs)
}

#[track_caller]
fn check(pages: &[Timed], rule: &Rule) -> usize {
    let (taken, pairs) = by_streaming(pages, rule);
    assert_eq!(pairs, by_brute_force(&taken, rule));
    pairs.len()
}

/// Pages that are random, or derived from an earlier page by adding some terms.
fn stream(max: usize) -> impl Strategy<Value = Vec<Timed>> {
    let term = prop_oneof![0u32..8, 0u32..60, any::<u32>()];
    let terms = proptest::collection::btree_map(term, prop_oneof![Just(1u32), 1u32..9], 0..24);
    let page = (terms, any::<proptest::sample::Index>(), 0..4u8, 0..40i64, 0..12i64);
    proptest::collection::vec(page, 0..max).prop_map(|made| {
        let mut counts: Vec<Vec<(u32, u32)>> = Vec::new();
        let (mut now, mut pages) = (1_000_000, Vec::new());
        for (terms, of, changed, passed, late) in made {
            let mut terms = terms;
            if changed < 3 && !counts.is_empty() {
                let keep = terms.into_iter().take(usize::from(changed)).collect::<Vec<_>>();
                terms = of.get(&counts).iter().copied().collect();
                terms.extend(keep);
            }
            now += passed;
            let terms: Vec<_> = terms.into_iter().collect();
            pages.push((Vector::from_counts(&terms), now - if changed == 0 { late } else { 0 }));
            counts.push(terms);
        }
        pages
    })
}

proptest! {
    #[test]
    fn streaming_matches_brute_force(
        pages in stream(120),
        horizon in 1..600i64,
        min in prop_oneof![Just(0.7), Just(0.5), 0.01..0.999f64],
        late in 0..20i64,
    ) {
        check(&pages, &Rule::new(horizon, min, late.min(horizon)).unwrap());
    }

    /// Thresholds are existing cosines and decayed similarities, and the next larger numbers.
    #[test]
    fn pairs_exactly_at_the_threshold_follow_the_definition(
        pages in stream(40),
        of in any::<proptest::sample::Index>(),
        above in any::<bool>(),
    ) {
        let rule = Rule::new(300, 0.01, 0).unwrap();
        let pairs = by_brute_force(&pages, &rule);
        prop_assume!(!pairs.is_empty());
        let (_, found) = of.get(&pairs);
        for min in [found.cosine, found.decayed] {
            let min = if above { min.next_up() } else { min };
            if min < 1.0 {
                for horizon in [1, 17, 300, 100_000] {
                    check(&pages, &Rule::new(horizon, min, 0).unwrap());
                }
            }
        }
    }
}

/// Streams pages through [`Leaps`]; `true` marks pages with a wrong time. Returns the pages without
/// one that were accepted, and their pairs, by position in `pages`.
fn by_leaps(pages: &[(Timed, bool)], rule: &Rule) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut streaming = Streaming::new(rule.clone());
    let (mut leaps, mut steps) = (Leaps::new(rule), Vec::new());
    for (at, ((_, time), _)) in pages.iter().enumerate() {
        leaps.arrive(Arrival { page: at, time: *time, is_timed: true }, &mut steps);
    }
    leaps.accept_all(&mut steps);
    let is_wrong = |at: usize| pages[at].1;
    let (mut taken, mut pairs, mut matches) = (Vec::new(), Vec::new(), Vec::new());
    for step in steps {
        match step {
            Step::Restart => streaming.reset(),
            Step::Reject(at) => assert!(is_wrong(at), "{at} is given up"),
            Step::Take(at) => {
                let (page, time) = &pages[at].0;
                if streaming.push(page, *time, &mut matches).is_ok() {
                    taken.push(at);
                    let earlier = matches.drain(..).map(|found| taken[found.page as usize]);
                    pairs.extend(earlier.map(|earlier| (at, earlier)));
                } else {
                    assert!(is_wrong(at), "{at} is late");
                }
            }
        }
    }
    taken.retain(|&at| !is_wrong(at));
    assert!(pairs.iter().all(|&(a, b)| is_wrong(a) == is_wrong(b)), "{pairs:?}");
    pairs.retain(|&(at, _)| !is_wrong(at));
    (taken, pairs)
}

proptest! {
    /// One or two consecutive lines with a wrong time only lose themselves.
    #[test]
    fn lines_with_wrong_times_do_not_affect_others(
        good in stream(60),
        wrong in proptest::collection::vec((0..60usize, 1..=2usize, any::<bool>(), 1..9_000i64), 0..4),
        horizon in 100..600i64,
        late in 12..20i64,
    ) {
        let rule = Rule::new(horizon, 0.5, late).unwrap();
        let mut pages: Vec<(Timed, bool)> = good.iter().cloned().map(|page| (page, false)).collect();
        let mut places: Vec<_> = wrong.iter().filter(|wrong| wrong.0 + 4 < good.len()).collect();
        places.sort();
        // With fewer than three lines, it is unknown which are right.
        places.dedup_by(|b, a| b.0 < a.0 + 4);
        for &&(place, lines, is_ahead, by) in places.iter().rev() {
            let lines = if place == 1 { 1 } else { lines };
            let (page, time) = good[place].clone();
            let far = 40 * 60 + horizon + by;
            let time = if is_ahead { time + far } else { time - far };
            pages.splice(place..place, vec![((page, time), true); lines]);
        }
        let (taken, pairs) = by_leaps(&pages, &rule);
        prop_assert_eq!(taken.len(), good.len());
        let place = |at: u64| taken[at as usize];
        let expected = by_brute_force(&good, &rule).into_iter();
        let expected: Vec<_> = expected.map(|(at, found)| (place(at), place(found.page))).collect();
        prop_assert_eq!(pairs, expected);
    }
}

/// Pages with a distribution of terms as in texts: many rare terms, and a few that are on most
/// pages.
fn zipf(pages: usize, every: i64) -> Vec<Timed> {
    let mut random = pagekin_core::hash::SplitMix64::new(7);
    let mut made: Vec<Vec<(u32, u32)>> = Vec::new();
    for n in 0..pages {
        let mut terms = std::collections::BTreeMap::new();
        let from = random.below(8);
        if n > 0 && from == 0 {
            let copied = &made[n - 1 - random.below(n.min(1_000) as u32) as usize];
            terms = copied.iter().copied().filter(|_| random.below(12) > 0).collect();
        }
        while terms.len() < 40 {
            let term = libm::exp10(f64::from(random.below(4_000)) / 1_000.0) as u32;
            *terms.entry(term).or_default() += 1;
        }
        made.push(terms.into_iter().collect());
    }
    made.iter().zip(0..).map(|(terms, n)| (Vector::from_counts(terms), n * every)).collect()
}

#[test]
fn a_long_stream_matches_brute_force_over_many_spans() {
    let pages = zipf(1_500, 10);
    let short = check(&pages, &Rule::new(5_000, 0.7, 0).unwrap());
    // All pages are in one horizon, so spans grow.
    let long = check(&pages, &Rule::new(1_000_000, 0.7, 0).unwrap());
    assert!(20 < short && short < long, "{short} and {long}");
}

#[test]
fn among_too_many_similar_pages_the_latest_are_compared() {
    let mut streaming = Streaming::new(Rule::new(1_000_000, 0.5, 0).unwrap());
    let (page, mut matches) = (Vector::from_counts(&[(1, 1), (2, 1)]), Vec::new());
    for time in 0..2_500 {
        matches.clear();
        streaming.push(&page, time, &mut matches).unwrap();
    }
    assert!(matches.iter().map(|found| found.page).eq(1_499..2_499), "{matches:?}");
    let work = streaming.work();
    assert_eq!((work.cut, work.compared), (1_500, 499_500 + 1_500_000));
    assert!(work.postings < 5_000_000, "{work:?}");
}

#[test]
fn memory_is_bounded_by_the_horizon() {
    let rule = Rule::new(20_000, 0.7, 0).unwrap();
    let mut streaming = Streaming::new(rule);
    let (mut matches, mut max) = (Vec::new(), [0, 0]);
    let pages = zipf(3_000, 10);
    for (n, (page, time)) in pages.iter().cycle().take(12_000).enumerate() {
        let time = time + (n / 3_000) as i64 * 30_000;
        let number = streaming.push(page, time, &mut matches).unwrap();
        assert!(number - streaming.first() <= 2_000 * 3 / 2 + 2);
        matches.clear();
        if let Some(part) = [1, 3].iter().position(|&part| part == n / 3_000) {
            max[part] = streaming.bytes().max(max[part]);
        }
    }
    // The number of counters of terms grows, up to a limit that is not reached here.
    assert!(max[1] <= max[0] * 3 / 2, "{max:?}");
}

#[test]
fn removed_pages_are_not_found_and_the_latest_are_kept() {
    let mut streaming = Streaming::new(Rule::new(1_000_000, 0.5, 0).unwrap());
    let mut matches = Vec::new();
    let page = |n: u32| Vector::from_counts(&[(n, 1), (n + 1_000_000, 2)]);
    for n in 0..4_500 {
        streaming.push(&page(n), i64::from(n), &mut matches).unwrap();
    }
    assert_eq!((matches.len(), streaming.first(), streaming.first_of_span()), (0, 0, 4_096));
    assert_eq!(streaming.removed(), Some((1_024, 1_023)));
    streaming.push(&page(1_023), 4_500, &mut matches).unwrap();
    assert_eq!(matches.len(), 0);
    streaming.push(&page(1_024), 4_501, &mut matches).unwrap();
    assert_eq!((matches[0].page, matches[0].cosine), (1_024, 1.0));
    while streaming.removed().is_some() {}
    assert_eq!(streaming.first(), 4_096);
}

#[test]
fn late_pages_are_refused_and_change_nothing() {
    let mut streaming = Streaming::new(Rule::new(100, 0.5, 10).unwrap());
    let (page, mut matches) = (Vector::from_counts(&[(1, 1)]), Vec::new());
    assert_eq!(streaming.push(&page, 1_000, &mut matches), Ok(0));
    assert_eq!(streaming.push(&page, 989, &mut matches), Err(TooLate { by: 11 }));
    assert_eq!(streaming.push(&page, 990, &mut matches), Ok(1));
    assert_eq!(matches.len(), 1);
}
