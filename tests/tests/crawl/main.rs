//! Tests of what users with crawls, editors and their gates rely on: clusters, pairs and ranks,
//! duplicates, moves and streams.

mod crawl;
mod duplicates;
mod duplicates_gate;
mod duplicates_report;
mod evaluate;
mod feedback;
mod from_crawl;
mod ledger;
mod moves;
mod outputs;
mod pairs;
mod rank;
mod redirects;
mod stream;
mod strings;
mod terminal;
mod waiting;
