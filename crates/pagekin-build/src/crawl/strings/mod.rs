//! Strings of any alphabet instead of pages: noisy reads of DNA, names, addresses, lines of a log.
//!
//! ```text
//! FASTA, FASTQ, lines -> strings with their names, in buckets, by a hash of the name
//!                     -> how long q-grams are, and from what similarity on two strings pair
//!                     -> bags of q-grams, without those that many strings have
//! ```
//!
//! From the bags on all is as of the URLs of a crawl: a string is a URL there, its name the
//! address, and the string itself the title. What a bag is made of is in
//! [`qgrams`](pagekin_core::qgrams).
//!
//! # Source
//!
//! Rashtchian et al., *Clustering Billions of Reads for DNA Data Storage* (NIPS 2017), join clusters
//! by hashes of the q-grams of a representative, too, and compare by edit distance.

pub(crate) mod choose;
pub(crate) mod common;
pub(crate) mod options;
pub(crate) mod records;
