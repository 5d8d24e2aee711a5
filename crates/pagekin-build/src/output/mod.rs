//! Files into an output that is swapped in whole.

pub(crate) mod staging;
