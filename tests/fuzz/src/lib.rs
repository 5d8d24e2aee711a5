//! Fuzz targets for every reader of bytes that pagekin does not trust, and what runs them.
//!
//! ```console
//! $ cargo xtask fuzz                        # each target for a few seconds, as the tests do
//! $ cargo xtask fuzz --minutes 20 --jobs 2  # all for 20 minutes together, guided by coverage
//! $ cargo xtask fuzz --target lists --minutes 5
//! $ cargo xtask fuzz --repeat lists/0123456789abcdef
//! $ cargo xtask fuzz --slow --minutes 60    # pages that cost a build more than ordinary ones
//! ```
//!
//! | module | does |
//! | --- | --- |
//! | [`targets`] | what is read, and what must hold of it, by rooms of the code that is tested |
//! | [`small_index`] | small indexes in memory, from which inputs begin |
//! | [`sealing`] | headers with sound checksums, so that what is behind them is tested too |
//! | [`script`] | an input as changes of the shards or files of something sound |
//! | [`mutation`] | an input into another that is like it |
//! | [`coverage`] | which branches an input took, in a build that counts them |
//! | [`execution`] | one input, read once: no panic, and bounds of memory and time |
//! | [`hunt`] | a target with inputs made from inputs, until its time is up |
//! | [`fixtures`] | inputs that are kept: those that once failed, and those that lead far |
//! | [`slow`] | pages that cost a build more than ordinary pages of their size |
//!
//! # What has no target
//!
//! - What a run keeps for itself and removes in the end: the stages of `cluster` in
//!   `OUT.unfinished`, buckets, signatures. It lies where only who runs it writes.
//! - Arguments, and patterns of `--exclude` among them.
//! - Requests to `pagekin serve`: tests of it send them over its socket.
//!
//! # Rules
//!
//! 1. A run is a function of its seed and its number of executions: inputs are drawn from a stream
//!    of random numbers.
//! 2. An input that leads to a new outcome, such as another error, is kept to make others from it.
//!    In a build that counts branches (`--minutes`) so is one that takes a new branch.
//! 3. What fails is made smaller, and written to `crashers/TARGET/`. Whatever is there is read
//!    again by the tests.
//! 4. Time is a bound of its own. `--slow` searches for pages that cost much: each is made by a
//!    small [program](slow::program::Program), and a change of the program is kept if a build then
//!    takes more processor time or memory above that of prose of the same size. Those that nothing
//!    makes worse are grown to the largest size of a page. Programs that are kept are in
//!    `slow/NAME.json`. The tests build their pages again, and check memory and the parser's steps,
//!    but no time.

pub mod coverage;
pub mod execution;
pub mod fixtures;
pub mod hunt;
pub mod mutation;
pub mod script;
pub mod sealing;
pub mod slow;
pub mod small_index;
pub mod targets;
