//! What a bag takes: processor time of one thread, in each way and by the definitions.

use std::hint::black_box;

use pagekin_core::minhash::{Family, Signature, SignatureParams};
use pagekin_research::sketch::consistent::{Consistent, Draws};
use pagekin_research::sketch::gumbel;
use pagekin_research::sketch::gumbel::FastGumbel;
use pagekin_research::sketch::weights::WeightedBag;
use pagekin_tests::measuring::Failure;
use pagekin_tests::measuring::timing::{median, processor_seconds};
use serde::Serialize;

use crate::VALUES;
use crate::drawn::{Skew, bag};
use crate::ways::{Ready, Way, copies};

const SEED: u64 = 2_010;
/// A run goes over so many terms, at least.
const TERMS: u32 = 2_000;

/// The times of bags of a size and a skew.
#[derive(Debug, Serialize)]
pub(crate) struct Times {
    pub(crate) terms: u32,
    pub(crate) weights: &'static str,
    pub(crate) times: Vec<Time>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Time {
    pub(crate) way: String,
    /// Of a bag.
    pub(crate) seconds: f64,
    /// By its definition, plainly: of the copies with all their functions, of ICWS and I2CWS with
    /// all logarithms, of FastGM a race of all terms in every register.
    pub(crate) plain_seconds: f64,
}

pub(crate) fn measure(terms: u32, skew: Skew, runs: u32) -> Result<Times, Failure> {
    let bags: Vec<WeightedBag> =
        (0..TERMS.div_ceil(terms)).map(|seed| bag(terms, skew, seed.into())).collect();
    let mut times = Vec::new();
    // So that all is done on the thread whose time is taken.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for way in Way::ALL {
        let ready = way.ready(VALUES, SEED);
        let (mut fast, mut plain) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            let run = |by: &(dyn Fn(&WeightedBag) + Sync)| {
                one.install(|| processor_seconds(|| bags.iter().for_each(by))) / bags.len() as f64
            };
            fast.push(run(&|bag| drop(black_box(ready.values(bag)))));
            plain.push(run(&|bag| plainly(way, bag)));
        }
        check(&ready, &bags[0])?;
        let (seconds, plain_seconds) = (median(fast), median(plain));
        times.push(Time { way: way.name(), seconds, plain_seconds });
    }
    Ok(Times { terms, weights: skew.name(), times })
}

/// Sketches a bag by the definition.
fn plainly(way: Way, bag: &WeightedBag) {
    use pagekin_research::sketch::Sketch;
    let parts = match way {
        Way::Copies(sum) => {
            let family = Family::new(SignatureParams { m: VALUES, bits: 16, seed: SEED });
            drop(black_box(family.sign(&copies(bag, sum))));
            return;
        }
        Way::Weights(Sketch::FastGm) => {
            drop(black_box(gumbel::naive(VALUES, SEED, bag)));
            return;
        }
        Way::Weights(Sketch::I2cws) => Draws::Two,
        Way::Weights(_) => Draws::One,
    };
    drop(black_box(Consistent::new(parts, VALUES, SEED).by_definition(bag)));
}

/// The fast ways must give what the definitions do.
fn check(ready: &Ready, bag: &WeightedBag) -> Result<(), Failure> {
    use pagekin_research::sketch::Sketcher;
    let is_same = match ready {
        Ready::Copies(sum, signer) => {
            let family = Family::new(SignatureParams { m: VALUES, bits: 16, seed: SEED });
            let copies = copies(bag, *sum);
            let expected = family.sign(&copies);
            let mut desk = signer.desk();
            desk.sign(&copies) == expected.as_ref().map(Signature::values)
        }
        Ready::Weights(Sketcher::Consistent(consistent)) => {
            consistent.samples(bag) == consistent.by_definition(bag)
        }
        Ready::Weights(Sketcher::Gumbel(_)) => {
            let fast = FastGumbel::new(VALUES, SEED);
            fast.races(bag) == fast.by_definition(bag)
        }
    };
    if is_same { Ok(()) } else { Err("a fast way does not give what its definition does".into()) }
}
