//! Compares two text files exactly: their resemblance, the share of each that the other contains,
//! and their shared passages.
//!
//! ```console
//! $ cargo run -p pagekin-core --example compare_texts -- mine.txt theirs.txt
//! ```
//!
//! Without arguments, the example compares two short texts.

use std::error::Error;
use std::{env, fs};

use pagekin_core::compare;

const ORIGINAL: &str = "Feed the starter the evening before baking, and let the dough rise in a \
    floured basket overnight. Heat a lidded iron pot in the oven before the loaf goes in.";
const COPY: &str = "My grandmother's advice: feed the starter the evening before baking, and let \
    the dough rise in a floured basket overnight. She had no thermometer.";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (text, page) = match &arguments[..] {
        [] => (ORIGINAL.to_owned(), COPY.to_owned()),
        [text, page] => (fs::read_to_string(text)?, fs::read_to_string(page)?),
        _ => return Err("pass the paths of two text files, or no arguments".into()),
    };
    let comparison = compare(&text, &page);
    let shared = comparison.shared;
    println!("resemblance        {:.3}", shared.resemblance());
    println!("first in second    {:.3}", shared.a_in_b());
    println!("second in first    {:.3}", shared.b_in_a());
    // Every second piece, starting with the second, is a shared passage.
    for passage in comparison.page.iter().skip(1).step_by(2) {
        println!("both: {passage}");
    }
    Ok(())
}
