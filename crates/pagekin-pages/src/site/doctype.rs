//! The document types of pages.

/// Whether a `table` may be in a `p`, by the document type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quirks {
    Yes,
    No,
    /// Some old document types are not judged here.
    Unknown,
}

impl Quirks {
    /// Reads a document type, without `<!doctype` and `>`.
    pub(crate) fn of(doctype: &str) -> Self {
        let doctype = doctype.trim_ascii().to_ascii_lowercase();
        if doctype == "html" {
            return Self::No;
        }
        let mut quoted = doctype.split('"');
        let parts: [Option<&str>; 5] = std::array::from_fn(|_| quoted.next());
        let [Some(start), Some(public), Some(between), Some(system), Some("")] = parts else {
            return Self::Unknown;
        };
        let is_public = start.split_ascii_whitespace().eq(["html", "public"]);
        let is_known = ["-//w3c//dtd xhtml 1.", "-//w3c//dtd html 4.01"]
            .iter()
            .any(|known| public.starts_with(known))
            && !system.contains("ibm");
        let is_plain =
            is_public && is_known && between.trim_ascii().is_empty() && quoted.next().is_none();
        if is_plain { Self::No } else { Self::Unknown }
    }
}
