//! Value parsers that several site commands share.

use pagekin_core::address;
use pagekin_pages::site::selectors::Selectors;

pub(crate) fn base_url(text: &str) -> Result<String, String> {
    if address::is_base(text) && !text.chars().any(char::is_whitespace) {
        Ok(text.to_owned())
    } else {
        Err("expected a path such as /docs/, or a URL such as https://example.org/docs/".to_owned())
    }
}

pub(crate) fn part(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|n| (0.0..=1.0).contains(n))
        .ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

pub(crate) fn selector(text: &str) -> Result<String, String> {
    Selectors::check(text)
        .map(|()| text.to_owned())
        .map_err(|expected| format!("expected {expected}"))
}
