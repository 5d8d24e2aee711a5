//! Options and value parsers that several commands share.

use pagekin_pages::SiteOptions;
use pagekin_pages::site::exclude::Exclude;

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct LimitArg {
    /// Maximum number of results
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: u32,
}

#[cfg(feature = "site")]
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct RowsArg {
    /// Maximum number of entries in each list of the table
    #[arg(short, long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct PageBytesArg {
    /// Skip pages larger than this size, such as 500k or 16M
    #[arg(long, value_name = "SIZE", default_value = format_size(SiteOptions::MAX_PAGE_BYTES), value_parser = size)]
    pub(crate) max_page_bytes: u64,
}

/// Language names that users may type instead of a tag: in English, and in the language itself.
const LANGUAGE_NAMES: &[(&str, &[&str])] = &[
    ("ar", &["arabic"]),
    ("cs", &["czech", "cesky", "čeština"]),
    ("da", &["danish", "dansk"]),
    ("de", &["german", "deutsch"]),
    ("el", &["greek", "ελληνικά"]),
    ("en", &["english"]),
    ("es", &["spanish", "espanol", "español"]),
    ("fi", &["finnish", "suomi"]),
    ("fr", &["french", "francais", "français"]),
    ("he", &["hebrew", "עברית"]),
    ("hi", &["hindi"]),
    ("hu", &["hungarian", "magyar"]),
    ("it", &["italian", "italiano"]),
    ("ja", &["japanese", "日本語"]),
    ("ko", &["korean", "한국어"]),
    ("nl", &["dutch", "nederlands"]),
    ("no", &["norwegian", "norsk"]),
    ("pl", &["polish", "polski"]),
    ("pt", &["portuguese", "portugues", "português"]),
    ("ro", &["romanian", "romana", "română"]),
    ("ru", &["russian", "русский"]),
    ("sv", &["swedish", "svenska"]),
    ("tr", &["turkish", "türkçe"]),
    ("uk", &["ukrainian", "українська"]),
    ("zh", &["chinese", "中文"]),
];

/// Parses a BCP 47 tag whose language subtag has two or three letters.
pub(crate) fn language(text: &str) -> Result<String, String> {
    // A longer subtag, such as `english`, does not name a language.
    let letters = text.find(['-', '_']).unwrap_or(text.len());
    let known = pagekin_core::terms::Language::from_tag(text).filter(|_| letters < 4);
    if known.is_some() {
        return Ok(text.to_owned());
    }
    let name = text[..letters].trim().to_lowercase();
    let meant = LANGUAGE_NAMES.iter().find(|(_, names)| names.contains(&name.as_str()));
    let tip = meant.map_or_else(String::new, |(tag, _)| format!("; did you mean {tag}?"));
    Err(format!("expected a language tag (BCP 47) such as en or pt-BR{tip}"))
}

pub(crate) fn glob(text: &str) -> Result<String, String> {
    let given = [text.to_owned()];
    let known = Exclude::new(&given).map(drop);
    known
        .map(|()| text.to_owned())
        .map_err(|_| "expected a glob such as drafts/** or **/print.html".to_owned())
}

pub(crate) fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit.to_ascii_lowercase().trim_end_matches("ib") {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => 0,
    };
    let size = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)).unwrap_or(0);
    if size == 0 { Err("expected a size such as 500000, 500k or 16M".to_owned()) } else { Ok(size) }
}

/// Formats a size for the command line, so that the library alone defines each default.
pub(crate) fn format_size(bytes: u64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "k")];
    let whole = units.into_iter().find(|(bits, _)| bytes != 0 && bytes.trailing_zeros() >= *bits);
    whole.map_or_else(|| bytes.to_string(), |(bits, unit)| format!("{}{unit}", bytes >> bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_name_is_refused_with_its_tag() {
        for tag in ["en", "pt-BR", "zh_Hant", "gsw"] {
            assert_eq!(language(tag).as_deref(), Ok(tag));
        }
        for (name, tag) in [("english", "en"), ("Deutsch", "de"), ("Русский", "ru")] {
            let why = language(name).unwrap_err();
            assert!(why.ends_with(&format!("; did you mean {tag}?")), "{why}");
        }
        let why = language("klingon").unwrap_err();
        assert!(why.ends_with("such as en or pt-BR"), "{why}");
        for (tag, names) in LANGUAGE_NAMES {
            assert_eq!(language(tag).as_deref(), Ok(*tag));
            names.iter().for_each(|name| assert_eq!(*name, name.to_lowercase()));
        }
    }

    #[test]
    fn sizes_round_trip() {
        for (text, bytes) in
            [("500", 500), ("1025", 1025), ("64k", 64 << 10), ("16M", 16 << 20), ("3G", 3 << 30)]
        {
            assert_eq!((format_size(bytes).as_str(), size(text)), (text, Ok(bytes)));
        }
    }
}
