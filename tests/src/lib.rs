//! End-to-end tests of pagekin.
