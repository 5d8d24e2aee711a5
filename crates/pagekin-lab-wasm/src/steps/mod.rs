//! The steps of the core, one at a time, for display in the lab.
//!
//! No query needs this crate, and no decision is made here. Each module runs the code of the core
//! and records the intermediate results.
//!
//! | module | shows |
//! | --- | --- |
//! | [`words`] | how each word of a text is treated on its way into the bag |
//! | [`draws`] | random orders of the elements of two bags, and which element comes first |
//! | [`meetings`] | which pairs of pages meet in LSH tables |
//! | [`pages`] | pages of an index with their bags, all or a sample, and a pair to start with |
//! | [`walk`] | CENTER and connected components, pair by pair |
//! | [`copies`] | what shingles, supershingles and projections find in two texts |
//! | [`meaning`] | the vector of a text as the sum of those of its words, and the pages near it |
//! | [`toy`] | two short texts as a characteristic matrix with shuffled rows |
//! | [`edits`] | changes of a text whose effect on copies is known |

pub mod copies;
pub mod draws;
pub mod edits;
pub mod meaning;
pub mod meetings;
pub mod pages;
pub mod toy;
pub mod walk;
pub mod words;

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;
    use std::path::Path;

    use pagekin_core::shard::{FORMAT_VERSION, MANIFEST_NAME, Manifest};

    /// Returns the manifest of a small site.
    pub(super) fn manifest() -> Manifest {
        // Read at run time, because a copied checkout has tests that were compiled in the original.
        let own_folder = env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this");
        let formats = Path::new(&own_folder).join("../../tests/formats");
        let folder = formats.join(FORMAT_VERSION.to_string());
        Manifest::decode(&fs::read(folder.join(MANIFEST_NAME)).unwrap()).unwrap()
    }
}
