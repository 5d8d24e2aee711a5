//! What the end-to-end tests share: the program under test, temporary folders, the truth about the
//! teaching site.
//!
//! The suites are in `tests/`, one program for each kind of user, with a module for each thing that
//! is tested; those of the browser are in `browser/`. Everything here panics when something goes
//! wrong: it is only for tests.
//!
//! | module | has |
//! | --- | --- |
//! | [`program`] | `pagekin`, run with arguments and input, and a time limit |
//! | [`freshness`] | whether a program is made of the sources as they are |
//! | [`checkout`] | where the checkout is that is tested |
//! | [`place`] | a temporary folder with a site in `site/` and its index in `out/`; what lies in a folder |
//! | [`truth`] | which pages of the teaching site are kin, copies, or no pages |
//! | [`anchors`] | what a crawl says of its URLs, for the benchmarks, as many as wanted |
//! | [`collection`] | pages for the benchmarks, as many as wanted |
//! | [`tokens`] | sets of tokens for the bench beside other libraries |
//! | [`measuring`] | what lookups find and cost, for the benchmarks and the snapshot of costs |
//! | [`mirrors`] | how requests for an index on several machines are sent, and the best way by brute force |
//! | [`near`] | how near-duplicates that were found are judged, for the bench of them |
//! | [`strands`] | reads of DNA of known strands, and how well clusters agree with them |
//! | [`served`] | `pagekin serve`, and what it answers to the bytes of a request |

pub mod anchors;
pub mod checkout;
pub mod collection;
pub mod freshness;
pub mod measuring;
pub mod mirrors;
pub mod near;
pub mod place;
pub mod program;
pub mod served;
pub mod strands;
pub mod tokens;
pub mod truth;
