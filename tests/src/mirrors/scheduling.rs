//! Schedulers. `www/client/mirrored/mirrors.js` implements [`greedy`] in a browser, based on the
//! requests of one visitor.

use super::Request;

/// Sends each request to the machine with the least load among those in `stored_on`, the first in
/// case of ties. Returns the load of each machine.
///
/// # Panics
///
/// Panics if there is no machine for a request.
#[must_use]
pub fn greedy<I: IntoIterator<Item = u32>>(
    machines: u32,
    requests: impl IntoIterator<Item = Request>,
    stored_on: impl Fn(u32) -> I,
) -> Vec<u64> {
    let mut loads = vec![0; machines as usize];
    for Request { subindex, load } in requests {
        let on = stored_on(subindex).into_iter();
        let least = on.min_by_key(|&machine| loads[machine as usize]);
        loads[least.expect("a machine has it") as usize] += load;
    }
    loads
}

/// Sends each request to the next machine. All machines store everything.
#[must_use]
pub fn in_turn(machines: u32, requests: impl IntoIterator<Item = Request>) -> Vec<u64> {
    let mut loads = vec![0; machines as usize];
    for (at, request) in requests.into_iter().enumerate() {
        loads[at % machines as usize] += request.load;
    }
    loads
}
