//! Builds one bag per URL from pages and their links: fragments about each URL, in buckets on disk,
//! and the bags built from them.

pub mod collapse;
pub mod collection;
pub mod columns;
pub mod fragments;
pub mod frequencies;
pub mod from_fragments;
pub mod from_page;
pub mod source;
pub mod weights;
