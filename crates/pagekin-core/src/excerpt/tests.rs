use super::*;
use crate::shard::{FORMAT_VERSION, MANIFEST_NAME};
use crate::terms::{Language, StopLists};
use proptest::prelude::*;

/// Returns the passage for words with weights.
fn find(page: &str, query: &[(&str, u32)]) -> Option<Passage> {
    let mut stop = StopLists::new();
    stop.insert(Language::english(), ["the", "and", "in"]);
    let analyzer = Analyzer::new(&Language::english(), &stop);
    let terms: Vec<_> = query
        .iter()
        .filter_map(|&(word, weight)| Some((term_id(&analyzer.term(word)?), weight)))
        .collect();
    best_passage(page, &analyzer, |id| {
        terms.iter().find(|&&(term, _)| term == id).map(|&(_, weight)| weight)
    })
}

fn filler(words: usize) -> String {
    (0..words).map(|n| ["some", "other", "words", "here"][n % 4].to_owned() + " ").collect()
}

#[test]
fn the_best_sentence_is_shown_with_its_words_marked() {
    let page = format!(
        "Locks\n\nA lock is held. {}.\n\nWhen two sessions wait,\n  the deadlock is  Detected; one aborts. {}.",
        filler(60),
        filler(60)
    );
    let passage = find(&page, &[("deadlock", 9), ("detects", 5), ("lock", 3)]).unwrap();
    assert_eq!(
        passage.pieces[..4],
        ["When two sessions wait, the ", "deadlock", " is ", "Detected"]
    );
    assert!(passage.pieces[4].starts_with("; one aborts. some other"), "{:?}", passage.pieces);
    assert_eq!(passage.text_start, "When two sessions wait,");
    let of_passage: String = passage.pieces.concat();
    assert!(of_passage.contains(&passage.text_end) && !passage.text_end.is_empty());
}

#[test]
fn names_with_signs_and_digits_are_marked_whole() {
    let page = format!(
        "Older: 2.14.2, 3.8. {0}. Released as v2.14.3, in UTF-8. {0}. Calls db::open_v2 of x.",
        filler(60)
    );
    for (name, before, marked) in [
        ("2.14.3", "Released as v", "2.14.3"),
        ("UTF-8", "Released as v2.14.3, in ", "UTF-8"),
        ("open_v2", "Calls db::", "open_v2"),
    ] {
        let id = term_id(&name.to_ascii_lowercase());
        let stop = StopLists::new();
        let analyzer = Analyzer::new(&Language::english(), &stop);
        let passage = best_passage(&page, &analyzer, |term| (term == id).then_some(9)).unwrap();
        assert_eq!(passage.pieces[..2], [before, marked]);
    }
}

#[test]
fn numbers_and_signs_at_the_end_of_a_sentence_are_shown() {
    let end = |page: &str| {
        let passage = find(page, &[("keeper", 9)]).unwrap();
        passage.pieces.last().unwrap().clone()
    };
    let filler = filler(60);
    for last in ["until 2021.", "in C#", "to file 0.", "at 5 €", "of 2.5 (3)."] {
        let page = format!("{filler}\n\nThe keepers were paid {last}");
        assert_eq!(end(&page), format!(" were paid {last}"));
        let words = "and more words here that keep the passage from going on to its end ".repeat(2);
        let page = format!("The keepers were paid, {words}{last}\n\n{filler}.");
        assert!(end(&page).ends_with(last), "{:?}", end(&page));
    }
    let table = "1 2 3 4 5 6 7 8 9 ".repeat(9);
    assert_eq!(end(&format!("The keepers were paid {table}")), " were paid");
}

#[test]
fn distinct_words_count_more_than_repeated_words() {
    let page = format!("bread bread bread bread. {} bread with salt.", filler(60));
    let passage = find(&page, &[("bread", 4), ("salt", 4)]).unwrap();
    let marked: Vec<_> = passage.pieces.iter().skip(1).step_by(2).collect();
    assert_eq!(marked, ["bread", "salt"]);
}

#[test]
fn the_shortest_stretch_wins_and_then_the_first() {
    let page =
        format!("one salt here bread. {0}. two salt bread. {0}. three salt bread.", filler(60));
    let passage = find(&page, &[("bread", 4), ("salt", 4)]).unwrap();
    assert_eq!(passage.pieces[0], "two ");
}

#[test]
fn a_sentence_is_preferred_to_a_table_of_contents_unless_that_has_more_of_the_text() {
    let contents = "1. The Vacuum Command\n2. RBU Vacuum 3.1. RBU Vacuum Limitations 3.2. RBU Vacuum \
                    Programming and the many other things 3.3. Locks\n\n";
    let text = "The vacuum command rebuilds the file (see \"Locks\"). It has a limit of some kind.";
    let page = format!("{contents}{}\n\n{text}", filler(60));
    let passage = find(&page, &[("vacuum", 9)]).unwrap();
    assert!(passage.in_sentence);
    assert_eq!((passage.pieces[0].as_str(), passage.terms), ("The ", 1));
    assert!(passage.pieces[2].starts_with(" command rebuilds"), "{:?}", passage.pieces);
    let passage = find(&page, &[("vacuum", 9), ("programming", 9)]).unwrap();
    assert_eq!((passage.in_sentence, passage.terms), (false, 2));
    let passage = find(&page, &[("limits", 9)]).unwrap();
    assert!(passage.in_sentence && passage.pieces[0] == "It has a ", "{:?}", passage.pieces);
}

#[test]
fn the_main_text_is_tried_first() {
    let manifest = format!("../../tests/formats/{FORMAT_VERSION}/{MANIFEST_NAME}");
    let index = Index::open(&std::fs::read(manifest).unwrap()).unwrap();
    let of = |main: &str, other: &str| {
        let passage = passage_of_page(&index, "feeding starters", "en", main, other)?;
        Some((passage.pieces.concat(), passage.at))
    };
    let (main, other) = ("Feed the cat.", "Anna: my starter died.");
    assert_eq!(of(main, other), Some((main.to_owned(), Some(0))));
    assert_eq!(of("Sow peas.", other), Some((other.to_owned(), None)));
    assert_eq!(of("Sow peas.", "Ben: same here."), None);
}

#[test]
fn a_passage_that_begins_at_the_end_of_a_section_is_in_the_next() {
    let page = "Knead the dough.\n\nSoup\n\nSalt it before it boils.";
    let terms = ["dough", "soup", "salt", "boils"].map(|term| (term, 1));
    let passage = find(page, &terms).unwrap();
    assert_eq!(passage.text_start, "Knead the dough.");
    assert!(passage.at > page.find("Soup"), "{passage:?}");
}

#[test]
fn a_page_without_a_word_of_the_text_has_no_passage() {
    assert_eq!(find("Bread and salt.", &[("soup", 5), ("and", 5)]), None);
    assert_eq!(find("", &[("soup", 5)]), None);
    assert_eq!(find("Bread and salt.", &[]), None);
}

#[test]
fn a_word_of_weight_zero_is_found_if_there_is_no_other() {
    assert_eq!(
        find("Bread and salt.", &[("salt", 0)]).unwrap().pieces,
        ["Bread and ", "salt", "."]
    );
}

#[test]
fn a_long_sentence_is_truncated_on_both_sides() {
    let page = format!("{} salt {}", filler(100), filler(100));
    let passage = find(&page, &[("salt", 1)]).unwrap();
    assert!(passage.pieces[0].starts_with("… ") && passage.pieces[2].ends_with(" …"));
    assert_eq!(passage.pieces.concat().split_whitespace().count(), MAX_WORDS + 2);
}

#[test]
fn unused_room_on_one_side_goes_to_the_other() {
    let before = format!("{}. One two salt {}", filler(60), filler(100));
    let after = format!("{} salt one two. {}", filler(100), filler(60));
    for (page, first) in [(before, "One two "), (after, "… ")] {
        let passage = find(&page, &[("salt", 1)]).unwrap();
        assert!(passage.pieces[0].starts_with(first), "{passage:?}");
        assert_eq!(passage.pieces.concat().split_whitespace().count(), MAX_WORDS + 1);
    }
}

#[test]
fn characters_adjacent_to_a_word_are_included() {
    let passage = find("Call (std::vec_deque).\n", &[("vec", 1)]).unwrap();
    assert_eq!(passage.pieces, ["Call (std::", "vec", "_deque)."]);
    let page = format!("{}. (pg_stat.) {}", filler(4), "12 345 ".repeat(400));
    let passage = find(&page, &[("stat", 1)]).unwrap();
    assert_eq!(passage.pieces.concat(), "(pg_stat.)");
}

#[test]
fn pairs_of_characters_are_marked_as_one() {
    let passage = find("私は東京都に。", &[("東京", 1), ("京都", 1)]).unwrap();
    assert_eq!(passage.pieces, ["私は", "東京都", "に。"]);
}

#[test]
fn fragments_do_not_occur_earlier_on_the_page() {
    let short = find("One line about salt.", &[("salt", 1)]).unwrap();
    assert_eq!((short.text_start.as_str(), short.text_end.as_str()), ("One line about salt.", ""));

    let long = format!("Salt\nSalt is in the sea. {}.", filler(8));
    let page = format!("{long}\n\nMore salt and bread is about\nwhat {}", filler(6));
    let passage = find(&page, &[("salt", 1)]).unwrap();
    assert_eq!(passage.text_start, "Salt is in the sea. some other words here some");
    let passage = find(&page, &[("salt", 1), ("bread", 1)]).unwrap();
    assert_eq!(passage.text_start, "More salt and bread is about");
    assert_eq!(passage.text_end, "other words here some other");

    let page = "Nightly only and new.\n\nOne.\n\nNightly only and new.\nThis is salt\n\n";
    let passage = find(&format!("{page}of the sea"), &[("new", 1), ("salt", 1)]).unwrap();
    assert_eq!(passage.pieces[0], "Nightly only and ");
    assert_eq!(passage.text_start, "This is salt");
}

#[test]
fn fragments_lead_to_the_first_mark_if_possible() {
    let page = "40P01\n\ndeadlock_detected\n\nClass 42: Syntax Error or Violation\n";
    let passage = find(page, &[("deadlock", 1)]).unwrap();
    assert_eq!(passage.text_start, "deadlock_detected");
    assert_eq!(passage.text_end, "42: Syntax Error or Violation");
    let page = "Deadlocks\n\nThey are detected by the server.\n";
    let passage = find(page, &[("deadlock", 1)]).unwrap();
    assert_eq!(passage.text_start, "They are detected by the server.");
}

/// Tries every stretch.
fn slow_best(words: &Words<'_>) -> Option<(usize, usize, bool)> {
    let sentences = words.sentences();
    let inside: Vec<_> = words.hits.iter().filter(|hit| sentences[hit.word]).copied().collect();
    let (max, first, last) = slow_heaviest(words, &words.hits)?;
    let preferred = slow_heaviest(words, &inside).filter(|&(weight, ..)| 4 * weight >= 3 * max);
    Some(preferred.map_or((first, last, false), |(_, first, last)| (first, last, true)))
}

fn slow_heaviest(words: &Words<'_>, hits: &[Hit]) -> Option<(u32, usize, usize)> {
    let mut all = Vec::new();
    for (at, first) in hits.iter().enumerate() {
        for last in &hits[at..] {
            if words.span(first.word, last.word) <= MAX_WORDS {
                let inside = hits.iter().filter(|hit| (first.word..=last.word).contains(&hit.word));
                let terms: std::collections::BTreeMap<_, _> =
                    inside.map(|hit| (hit.term, hit.weight)).collect();
                all.push((terms.values().sum::<u32>(), first.word, last.word));
            }
        }
    }
    all.into_iter().min_by_key(|&(weight, first, last)| {
        (std::cmp::Reverse(weight), words.span(first, last), first)
    })
}

proptest! {
    #[test]
    fn the_passage_is_the_best_of_all_stretches(
        page in "((aa|bb|cc|dd|xx|yy|東京都)( |\n|\n\n|\\. |! 7 7777777 |, a-b )){0,120}",
        weights in [0u32..4, 0..4, 0..4, 0..4],
    ) {
        let (stop, english) = (StopLists::new(), Language::english());
        let analyzer = Analyzer::new(&english, &stop);
        let ids = ["aa", "bb", "dd", "東京"].map(|word| term_id(&analyzer.term(word).unwrap()));
        let weight_of = |id| ids.iter().position(|&term| term == id).map(|at| weights[at]);
        let words = Words::new(&page, &analyzer, weight_of);
        prop_assert_eq!(words.best(), slow_best(&words));

        let Some(passage) = best_passage(&page, &analyzer, weight_of) else {
            prop_assert!(words.hits.is_empty());
            return Ok(());
        };
        let whole = collapsed(&page);
        let shown = passage.pieces.concat();
        let shown = shown.strip_prefix("… ").unwrap_or(&shown);
        let shown = shown.strip_suffix(" …").unwrap_or(shown);
        prop_assert!(whole.contains(shown) && shown.trim() == shown, "{}", shown);
        prop_assert!(passage.pieces.len() % 2 == 1 && passage.pieces.len() > 1);
        prop_assert!(word_places(shown).len() <= MAX_WORDS + 2, "{}", shown);
        let is_hit = |word: &str| {
            analyzer.term(word).is_some_and(|stem| ids.contains(&term_id(&stem)))
        };
        for marked in passage.pieces.iter().skip(1).step_by(2) {
            let mut all = !marked.is_empty();
            for_each_word(marked, |word| all &= is_hit(word));
            prop_assert!(all, "{}", marked);
        }
        // The parts of the fragment are in the passage, each within a line.
        let (start, end) = (&passage.text_start, &passage.text_end);
        let from = shown.find(start.as_str());
        prop_assert!(!start.is_empty() && from.is_some());
        prop_assert!(shown[from.unwrap() + start.len()..].contains(end.as_str()));
        for part in [start, end] {
            prop_assert!(page.lines().any(|line| collapsed(line).contains(part.as_str())));
        }
    }

    #[test]
    fn any_text_is_accepted(page in "\\PC{0,80}", word in "[a-z]{2,3}") {
        find(&page, &[(&word, 1)]);
        find(&format!("{page} {word}{page}"), &[(&word, 1)]);
    }
}
