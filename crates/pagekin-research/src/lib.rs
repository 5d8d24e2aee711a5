//! Evaluations for contributors to pagekin and for teachers. No command for site owners needs them.
//!
//! ```text
//! evaluate   pages -> how well measures of similarity agree with folders and links
//! ```

pub mod evaluate;
