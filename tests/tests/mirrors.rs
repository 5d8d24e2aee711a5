//! The layout with imaginary index loads and a greedy scheduler, beside the optimum of all layouts and all schedulers.

use pagekin_build::mirrors::Layout;
use pagekin_core::hash::SplitMix64;
use pagekin_tests::mirrors::Request;
use pagekin_tests::mirrors::optimum::least_load;
use pagekin_tests::mirrors::scheduling::greedy;

/// So many small cases are compared with all that is possible.
const SMALL: u64 = 4_000;
const LARGE: u64 = 2_000;

/// A sequence of requests for `n` subindices on `m` machines, and what the bound knows of it.
#[derive(Debug)]
struct Case {
    n: u32,
    m: u32,
    requests: Vec<Request>,
    /// `L` and `(1 + α) L`: the least and the greatest index load.
    least: u64,
    most: u64,
    /// `β`.
    largest: u64,
}

impl Case {
    /// Of up to `most_requests` requests for each subindex, with loads of up to `most_load`, in any order.
    fn drawn(n: u32, m: u32, most_requests: u32, most_load: u32, random: &mut SplitMix64) -> Self {
        let mut requests = Vec::new();
        for subindex in 0..n {
            for _ in 0..=random.below(most_requests) {
                requests.push(Request { subindex, load: u64::from(1 + random.below(most_load)) });
            }
        }
        for end in (1..requests.len()).rev() {
            requests.swap(end, random.below(end as u32 + 1) as usize);
        }
        let mut index_loads = vec![0; n as usize];
        requests.iter().for_each(|request| index_loads[request.subindex as usize] += request.load);
        Self {
            n,
            m,
            least: index_loads.iter().copied().min().unwrap(),
            most: index_loads.iter().copied().max().unwrap(),
            largest: requests.iter().map(|request| request.load).max().unwrap(),
            requests,
        }
    }

    /// `s_i = (n div m) + 2`: as few as the layout takes.
    fn places(&self) -> Vec<u64> {
        vec![u64::from(self.n / self.m) + 2; self.m as usize]
    }

    /// `ML*`.
    fn busiest(&self) -> u64 {
        let layout = Layout::new(self.n, &self.places(), 1).unwrap();
        let loads = greedy(self.m, self.requests.iter().copied(), |j| layout.stored_on(j));
        loads.into_iter().max().unwrap()
    }

    /// Whether `load <= 2 (1 + α) opt + 2 β`, in whole numbers, where `opt` is a fraction.
    fn is_within_bound(&self, load: u64, (opt, of): (u64, u64)) -> bool {
        load * self.least * of <= 2 * self.most * opt + 2 * self.largest * self.least * of
    }
}

#[test]
fn the_busiest_machine_has_at_most_twice_the_optimum() {
    let mut random = SplitMix64::new(1);
    let (mut apart, mut alike) = (0, 0);
    for _ in 0..SMALL {
        let (n, m) = (1 + random.below(5), 1 + random.below(4));
        let case = Case::drawn(n, m, 3, 6, &mut random);
        let opt = least_load(&case.places(), &case.requests).expect("all fit");
        let busiest = case.busiest();
        assert!(busiest >= opt, "{busiest} is below the optimum {opt}: {case:?}");
        assert!(case.is_within_bound(busiest, (opt, 1)), "{busiest}, optimum {opt}: {case:?}");
        *(if busiest > opt { &mut apart } else { &mut alike }) += 1;
    }
    assert!(apart > 100 && alike > 100, "expected cases of both kinds, found {apart}, {alike}");
}

/// No layout has less on its busiest machine than the mean.
#[test]
fn small_requests_keep_to_the_bound_beside_the_mean() {
    let mut random = SplitMix64::new(2);
    for _ in 0..LARGE {
        let m = 1 + random.below(16);
        let n = m * (1 + random.below(4)) + random.below(m);
        let case = Case::drawn(n, m, 60, 3, &mut random);
        let total = case.requests.iter().map(|request| request.load).sum();
        let (busiest, mean) = (case.busiest(), (total, u64::from(m)));
        assert!(case.is_within_bound(busiest, mean), "{busiest}, mean {mean:?}: {n} on {m}");
    }
}

/// The bound says something: a layout that puts all on one machine breaks it.
#[test]
fn all_on_one_machine_is_beyond_the_bound() {
    let mut random = SplitMix64::new(3);
    let case = Case::drawn(12, 4, 60, 3, &mut random);
    let even = Case {
        requests: (0..1_200).map(|at| Request { subindex: at % 12, load: 1 }).collect(),
        least: 100,
        most: 100,
        largest: 1,
        ..case
    };
    let all = greedy(even.m, even.requests.iter().copied(), |_| [0]);
    assert!(even.is_within_bound(even.busiest(), (1_200, 4)));
    assert!(!even.is_within_bound(all[0], (1_200, 4)));
}
