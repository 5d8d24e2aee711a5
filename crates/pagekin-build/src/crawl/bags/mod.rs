//! Pages with their links into bags, one a URL: what pages say of URLs, in buckets on disk, and what that makes of each.

pub mod columns;
pub mod fragments;
pub mod from_fragments;
pub mod from_page;
pub mod source;
