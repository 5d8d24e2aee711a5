//! What is measured and compared, for those who work on pagekin and for teachers: no command of a
//! site owner needs it.
//!
//! Its rooms, each of which needs only those above it:
//!
//! ```text
//! evaluate   pages into how well measures of similarity agree with folders and links
//! ```

pub mod evaluate;
