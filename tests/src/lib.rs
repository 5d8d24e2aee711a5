//! Shared code of the end-to-end tests: the program under test, temporary folders, the truth about
//! the teaching site.
//!
//! The suites are in `tests/`, one program for each kind of user, with a module for each subject;
//! those of the browser are in `browser/`. Everything here panics on errors, because it is only for
//! tests.
//!
//! | module | contents |
//! | --- | --- |
//! | [`program`] | `pagekin`, run with arguments and input and a time limit |
//! | [`freshness`] | whether a program was built from the current sources |
//! | [`checkout`] | the location of the checkout under test |
//! | [`place`] | a temporary folder with a site in `site/` and its index in `out/`; the files in a folder |
//! | [`truth`] | the related pages, copies, and files without a page on the teaching site |
//! | [`anchors`] | generated anchor texts of a crawl of any size, for the benchmarks |
//! | [`collection`] | generated pages in any number, for the benchmarks |
//! | [`tokens`] | sets of tokens, for the benchmark against other libraries |
//! | [`measuring`] | results and costs of lookups, for the benchmarks and the snapshot of costs |
//! | [`mirrors`] | schedulers of requests to an index on several machines, and the optimum by brute force |
//! | [`near`] | the judgment of reported near-duplicates, for their benchmark |
//! | [`strands`] | DNA reads of known strands, and the agreement of clusters with them |
//! | [`served`] | `pagekin serve`, and its responses to the bytes of a request |

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
