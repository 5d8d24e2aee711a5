//! What the scores of pages are made of besides how well they [fit](crate::fit) each term: of
//! candidates, as far as lists know it, and of pages that are ranked.

/// How rare a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rarity {
    /// The [`quantised_idf`](crate::vocabulary::quantised_idf), or what it is taken for.
    pub(super) idf: u8,
    /// Its list would be in a shard that was read, and is not: no page has it.
    pub(super) is_nowhere: bool,
}

/// What a page's score has for having most of a text: `0.29 I (H / I)^3`, in the unit of scores,
/// where `I` is `all` of the inverse document frequencies of the text's terms, and `H` those of the
/// terms that the page has. So a page that has all of a passage comes before one that has the most
/// of it often.
pub(super) fn for_most_of_it(held: u64, all: u64) -> u64 {
    let part = (held << 16) / all.max(1);
    let cube = (((part * part) >> 16) * part) >> 16;
    ((all * cube) >> 8) * OF_MOST
}

/// 0.294 in 2^28ths, of what is in 256ths: 0.6, if idfs were natural logarithms.
const OF_MOST: u64 = 308_281;
