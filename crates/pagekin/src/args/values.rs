//! Values that more than one command takes, from their texts.

use pagekin_pages::site::exclude::Exclude;

/// A given seed, or a random one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SeedArg {
    Number(u64),
    Random,
}

impl std::str::FromStr for SeedArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "random" => Ok(Self::Random),
            _ => text.parse().map(Self::Number).map_err(|_| {
                "expected a number from 0 to 18446744073709551615, or random".to_owned()
            }),
        }
    }
}

impl SeedArg {
    /// The given number, or a random one.
    pub(crate) fn number(self) -> Result<u64, getrandom::Error> {
        match self {
            Self::Number(seed) => Ok(seed),
            Self::Random => getrandom::u64(),
        }
    }
}

impl std::fmt::Display for SeedArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(seed) => write!(f, "{seed}"),
            Self::Random => f.write_str("random"),
        }
    }
}

pub(crate) fn language(text: &str) -> Result<String, String> {
    // A longer one, such as english, is of no language.
    let letters = text.find(['-', '_']).unwrap_or(text.len());
    let known = pagekin_core::terms::Language::from_tag(text).filter(|_| letters < 4);
    known
        .map(|_| text.to_owned())
        .ok_or_else(|| "expected a language tag such as en or pt-BR".to_owned())
}

pub(crate) fn glob(text: &str) -> Result<String, String> {
    let given = [text.to_owned()];
    let known = Exclude::of(&given).map(drop);
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

/// A size as it is written on a command line: a default is told in the library alone.
pub(crate) fn written_size(bytes: u64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "k")];
    let whole = units.into_iter().find(|(bits, _)| bytes != 0 && bytes.trailing_zeros() >= *bits);
    whole.map_or_else(|| bytes.to_string(), |(bits, unit)| format!("{}{unit}", bytes >> bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_they_are_read() {
        for (text, bytes) in
            [("500", 500), ("1025", 1025), ("64k", 64 << 10), ("16M", 16 << 20), ("3G", 3 << 30)]
        {
            assert_eq!((written_size(bytes).as_str(), size(text)), (text, Ok(bytes)));
        }
    }
}
