//! The layout algorithm with imaginary index loads (Henzinger, *Combinatorial algorithms for web
//! search engines: three success stories*, SODA 2007, section 4).
//!
//! There are `n` subindices `f_1 … f_n` and `m` machines. Machine `i` has space for `s_i`
//! subindices. A request for `f_j` goes to one of the machines that store `f_j`, and puts a load on
//! it. `FL_j`, the index load, is the sum of the loads of all requests for `f_j`; `ML_i`, the
//! machine load, is the sum of all loads put on machine `i`. The loads are unknown, except that
//!
//! - *balanced requests*: there is an `L` with `L <= FL_j <= (1 + α) L` for all `j`;
//! - *small requests*: no single load is above `β`, which is far below every `FL_j`;
//! - all machines are equally fast, and `s_i >= (n div m) + 2`.
//!
//! The scheduler sends each request to the machine with the least load among those that store the
//! subindex. With this layout, `ML* = max ML_i <= 2 (1 + α) Opt + 2 β`, where `Opt` is the minimum
//! over all layouts and schedulers. `tests/tests/mirrors.rs` compares the layout with it.
//!
//! **Copies.** The layout stores most subindices once: it balances machines, and does not survive
//! the loss of one. For that, [`MirrorLayout::new`] repeats the layout `copies` times, each time
//! shifted by one machine, and each subindex has an imaginary load of `1 / copies` in each. Every
//! subindex is then on at least `copies` machines, and each machine still has an imaginary load of
//! `n / m`. The cost is space: a machine needs `copies ((n div m) + 2)` places. The bound is proved
//! for one copy; for more, it is only measured (`cargo xtask bench mirrors`).

use std::collections::BTreeMap;

/// Which machines store which subindices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorLayout {
    machines: u32,
    copies: u32,
    /// By subindex, in ascending order of machines.
    shares: Vec<Vec<Share>>,
}

/// A share of the imaginary index load of a subindex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The number of the machine, from 0.
    pub machine: u32,
    /// The load, in units of which a subindex has [`MirrorLayout::whole`].
    pub load: u64,
}

/// A machine with too few places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFewPlaces {
    /// The number of the machine, from 0.
    pub machine: u32,
    /// The number of places that it needs: `copies ((n div m) + 2)`.
    pub expected: u64,
    /// The number of places that it has: `s_i`.
    pub found: u64,
}

/// A layout is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// There are fewer machines than copies, or no copies.
    #[error("expected 1 to {machines} copies on {machines} machines, found {copies}")]
    Copies {
        /// The number of machines.
        machines: u32,
        /// The requested number of copies.
        copies: u32,
    },
    /// A machine has too few places.
    #[error("machine {} has too little space: expected at least {} places, found {}", .0.machine, .0.expected, .0.found)]
    Places(TooFewPlaces),
}

impl MirrorLayout {
    /// Places `n` subindices on machines, given the number of `places` on each.
    ///
    /// # Errors
    ///
    /// If a machine has too few places, there are fewer machines than `copies`, or no copies.
    pub fn new(n: u32, places: &[u64], copies: u32) -> Result<Self, LayoutError> {
        let m = places.len() as u32;
        if copies == 0 || copies > m {
            return Err(LayoutError::Copies { machines: m, copies });
        }
        let expected = u64::from(copies) * (u64::from(n / m) + 2);
        if let Some((machine, &found)) = (0..).zip(places).find(|(_, found)| **found < expected) {
            return Err(LayoutError::Places(TooFewPlaces { machine, expected, found }));
        }
        let once = poured(n, m);
        let repeated = |once: Vec<Share>| {
            let mut load_of = BTreeMap::new();
            for share in once {
                for copy in 0..copies {
                    *load_of.entry((share.machine + copy) % m).or_insert(0) += share.load;
                }
            }
            load_of.into_iter().map(|(machine, load)| Share { machine, load }).collect()
        };
        Ok(Self { machines: m, copies, shares: once.into_iter().map(repeated).collect() })
    }

    /// The number of subindices, `n`.
    #[must_use]
    pub fn subindices(&self) -> u32 {
        self.shares.len() as u32
    }

    /// The number of machines, `m`.
    #[must_use]
    pub fn machines(&self) -> u32 {
        self.machines
    }

    /// The imaginary load of one subindex, in the units of [`Share::load`]. A machine has `n / m`
    /// times that load.
    #[must_use]
    pub fn whole(&self) -> u64 {
        u64::from(self.machines) * u64::from(self.copies)
    }

    /// The machines that share the imaginary load of a subindex, ascending. Empty if there is no
    /// such subindex.
    #[must_use]
    pub fn shares(&self, subindex: u32) -> &[Share] {
        self.shares.get(subindex as usize).map_or(&[], Vec::as_slice)
    }

    /// The machines that store a subindex, ascending.
    pub fn stored_on(&self, subindex: u32) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        self.shares(subindex).iter().map(|share| share.machine)
    }
}

/// The layout of the paper, with a load of `m` for each subindex.
fn poured(n: u32, m: u32) -> Vec<Vec<Share>> {
    let whole = u64::from(m);
    // Step 1: store n div m subindices on each machine, each on that machine only.
    let apart = n - n % m;
    let mut shares: Vec<Vec<Share>> =
        (0..apart).map(|j| vec![Share { machine: j % m, load: whole }]).collect();
    // Step 2: pour the remaining subindices into one machine after another until each has n / m.
    let full = u64::from(n % m);
    let (mut machine, mut room) = (0, full);
    for _ in apart..n {
        let mut rest = whole;
        let mut parts = Vec::new();
        while rest > 0 {
            if room == 0 {
                (machine, room) = (machine + 1, full);
            }
            let load = rest.min(room);
            parts.push(Share { machine, load });
            (rest, room) = (rest - load, room - load);
        }
        shares.push(parts);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn roomy(n: u32, m: u32, copies: u32) -> MirrorLayout {
        let places = u64::from(copies) * (u64::from(n / m) + 2);
        MirrorLayout::new(n, &vec![places; m as usize], copies).unwrap()
    }

    fn stored(layout: &MirrorLayout, machine: u32) -> BTreeSet<u32> {
        let all = 0..layout.subindices();
        all.filter(|&j| layout.stored_on(j).any(|of| of == machine)).collect()
    }

    #[test]
    fn seven_subindices_on_three_machines() {
        let layout = roomy(7, 3, 1);
        // Two whole subindices each. A third of the seventh is on each of the three machines.
        let on = |machine| stored(&layout, machine).into_iter().collect::<Vec<_>>();
        assert_eq!([on(0), on(1), on(2)], [[0, 3, 6], [1, 4, 6], [2, 5, 6]]);
        assert!(layout.shares(6).iter().all(|share| share.load == 1));
        let layout = roomy(5, 3, 1);
        let part = |machine, load| Share { machine, load };
        assert_eq!(layout.shares(3), [part(0, 2), part(1, 1)]);
        assert_eq!(layout.shares(4), [part(1, 1), part(2, 2)]);
    }

    #[test]
    fn too_few_places_are_an_error() {
        let few = TooFewPlaces { machine: 1, expected: 4, found: 3 };
        assert_eq!(MirrorLayout::new(5, &[4, 3], 1), Err(LayoutError::Places(few)));
        let found = LayoutError::Places(few).to_string();
        assert_eq!(found, "machine 1 has too little space: expected at least 4 places, found 3");
        for (places, copies) in [(&[9, 9][..], 3), (&[9, 9], 0), (&[], 1)] {
            assert!(matches!(
                MirrorLayout::new(5, places, copies),
                Err(LayoutError::Copies { .. })
            ));
        }
    }

    proptest! {
        #[test]
        fn the_layout_matches_the_paper(n in 0u32..400, m in 1u32..70) {
            let layout = roomy(n, m, 1);
            let whole = layout.whole();
            let mut loads = vec![0; m as usize];
            for j in 0..n {
                prop_assert!(layout.stored_on(j).is_sorted_by(|a, b| a < b));
                prop_assert_eq!(layout.shares(j).iter().map(|share| share.load).sum::<u64>(), whole);
                for share in layout.shares(j) {
                    prop_assert!(share.load > 0);
                    loads[share.machine as usize] += share.load;
                }
            }
            for machine in 0..m {
                // The imaginary load is exactly n / m.
                prop_assert_eq!(loads[machine as usize] * u64::from(m), u64::from(n) * whole);
                let on = stored(&layout, machine);
                let alone = on.iter().filter(|&&j| layout.shares(j).len() == 1).count() as u32;
                prop_assert!(alone >= n / m, "{} whole ones", alone);
                prop_assert!(on.len() as u32 <= n / m + 2, "{} of {}", on.len(), n);
                prop_assert!(n % m != 0 || on.len() as u32 == n / m);
            }
        }

        #[test]
        fn every_subindex_is_on_enough_machines(n in 1u32..200, m in 1u32..40, copies in 1u32..5) {
            let copies = copies.min(m);
            let layout = roomy(n, m, copies);
            let mut loads = vec![0; m as usize];
            for j in 0..n {
                prop_assert!(layout.stored_on(j).len() as u32 >= copies);
                layout.shares(j).iter().for_each(|share| loads[share.machine as usize] += share.load);
            }
            prop_assert!(loads.iter().all(|load| load * u64::from(m) == u64::from(n) * layout.whole()));
            for machine in 0..m {
                prop_assert!(stored(&layout, machine).len() as u32 <= copies * (n / m + 2));
            }
        }
    }
}
