//! The optimum by brute force.
//!
//! A layout only matters through the machines that may handle each request, so layouts and
//! schedules are searched together: a machine may handle requests for at most as many subindexes as
//! it has places.

use super::Request;

/// Returns the minimum load of the busiest machine over all layouts on machines with this number of
/// `places` and all schedules of the `requests`, which are known beforehand. Returns `None` if no
/// layout holds all subindexes.
#[must_use]
pub fn least_load(places: &[u64], requests: &[Request]) -> Option<u64> {
    // Large requests first, because they exceed the best result sooner.
    let mut requests = requests.to_vec();
    requests.sort_by_key(|request| std::cmp::Reverse(request.load));
    let machines = vec![Machine::default(); places.len()];
    let mut search = Search { places, requests: &requests, machines, best: None };
    search.send(0);
    search.best
}

#[derive(Clone, Default, PartialEq, Eq)]
struct Machine {
    load: u64,
    stores: Vec<u32>,
}

struct Search<'a> {
    places: &'a [u64],
    requests: &'a [Request],
    machines: Vec<Machine>,
    best: Option<u64>,
}

impl Search<'_> {
    /// Tries all schedules of the requests from `next` on that may be better than the best so far.
    fn send(&mut self, next: usize) {
        let Some(&Request { subindex, load }) = self.requests.get(next) else {
            self.best = self.machines.iter().map(|machine| machine.load).max();
            return;
        };
        for at in 0..self.machines.len() {
            // Equal machines are equivalent choices.
            let is_equivalent = (0..at).any(|other| {
                self.machines[other] == self.machines[at] && self.places[other] == self.places[at]
            });
            let machine = &mut self.machines[at];
            let is_new = !machine.stores.contains(&subindex);
            let full = is_new && machine.stores.len() as u64 >= self.places[at];
            if is_equivalent || full || self.best.is_some_and(|best| machine.load + load >= best) {
                continue;
            }
            machine.load += load;
            if is_new {
                machine.stores.push(subindex);
            }
            self.send(next + 1);
            let machine = &mut self.machines[at];
            machine.load -= load;
            if is_new {
                machine.stores.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_split_as_far_as_places_allow() {
        let requests = [(0, 3), (0, 3), (1, 2), (1, 2), (1, 2)]
            .map(|(subindex, load)| Request { subindex, load });
        assert_eq!(least_load(&[2, 2], &requests), Some(6));
        assert_eq!(least_load(&[2, 2, 2], &requests), Some(5));
        assert_eq!(least_load(&[1, 1, 1], &requests), Some(6));
        assert_eq!(least_load(&[1], &requests), None);
    }
}
