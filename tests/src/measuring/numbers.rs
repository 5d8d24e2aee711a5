//! Readable numbers.

/// Formats an integer with thousands separators: `12,345`.
#[must_use]
pub fn grouped(number: u64) -> String {
    if number < 1_000 {
        return number.to_string();
    }
    format!("{},{:03}", grouped(number / 1_000), number % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        let numbers = [0, 999, 1_000, 20_304, 1_000_000, 12_000_050].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "20,304", "1,000,000", "12,000,050"]);
    }
}
