use super::*;

fn record(copies: u32) -> PageRecord {
    PageRecord { copies, ..PageRecord::default() }
}

/// Returns pages with these scores, best first.
fn compared<'a>(records: &'a [PageRecord], scores: &[u64]) -> Vec<Compared<'a>> {
    let pages = (0..).zip(records).zip(scores);
    pages
        .map(|((page, record), &score)| Compared {
            page,
            record,
            similarity: 0.0,
            coverage: 0.9,
            score,
            order: score,
            part: WHOLE_PART,
            title: TitleMatch::Part,
            improbability: 0,
            is_whole: false,
        })
        .collect()
}

#[test]
fn one_page_represents_its_copies() {
    // Two groups: number 7, whose original is the third page, and number 9.
    let records = [7 << 1, 0, 7 << 1 | 1, 9 << 1, 7 << 1].map(record);
    let families = |scores: &[u64], copies: bool| -> Vec<Vec<u32>> {
        let compared = compared(&records, scores);
        let options = LookupOptions { limit: 2, copies, ..LookupOptions::default() };
        let families = families(compared.iter(), RankedBy::Coverage, options);
        let pages = |family: &Family<'_, '_>| {
            [family.one.page].into_iter().chain(family.others.iter().map(|one| one.page)).collect()
        };
        families.iter().map(pages).collect()
    };
    assert_eq!(families(&[100, 99, 96, 50, 40], false), [vec![2, 0, 4], vec![1]]);
    assert_eq!(families(&[100, 99, 60, 50, 40], false), [vec![2, 0, 4], vec![1]]);
    assert_eq!(families(&[100, 99, 49, 48, 40], false), [vec![0, 2, 4], vec![1]]);
    assert_eq!(families(&[100, 99, 96, 50, 40], true), [vec![0], vec![1]]);
}

#[test]
fn an_original_with_less_of_the_text_or_in_another_language_does_not_represent_a_copy() {
    let records = [7 << 1, 7 << 1 | 1].map(record);
    let is_first = |change: fn(&mut Compared<'_>)| {
        let mut compared = compared(&records, &[100, 90]);
        change(&mut compared[1]);
        let options = LookupOptions::default();
        families(compared.iter(), RankedBy::Coverage, options)[0].one.page == 1
    };
    assert!(is_first(|_| ()));
    assert!(!is_first(|original| original.coverage = 0.8));
    assert!(!is_first(|original| original.part = OTHER_LANGUAGE_PART));
}

#[test]
fn listings_and_pages_in_other_languages_have_a_part_of_their_scores() {
    let page = |language, is_listing| PageRecord { language, is_listing, ..record(0) };
    let records = [page(2, false), page(2, true), page(1, false), page(1, true), page(0, false)];
    let scores = |language, change: fn(&mut [Compared<'_>])| {
        let mut compared = compared(&records, &[160; 5]);
        change(&mut compared);
        reduce(&mut compared, SubjectKind { is_short: true, language });
        compared.iter().map(|one| one.score).collect::<Vec<_>>()
    };
    assert_eq!(scores(2, |_| ()), [160, 80, 40, 20, 160]);
    assert_eq!(scores(0, |_| ()), [160, 80, 160, 80, 160]);
    let is_title = |compared: &mut [Compared<'_>]| compared[1].title = TitleMatch::Whole;
    assert_eq!(scores(0, is_title)[1], 160);
    let has_more = |compared: &mut [Compared<'_>]| compared[1].coverage = 1.0;
    assert_eq!(scores(0, has_more), [160, 160, 160, 80, 160], "no other page has as much");
}

#[test]
fn a_second_list_adds_a_good_match_and_other_first_results() {
    let list = |pages: &[u32], confidence: Confidence| -> Numbered {
        let result = SearchResult {
            url: String::new(),
            title: String::new(),
            metadata: PageMetadata::default(),
            score: 0.5,
            similarity: 0.5,
            coverage: 0.5,
            copies: Vec::new(),
            confidence,
            shared_terms: Vec::new(),
            missing_terms: Vec::new(),
            near: None,
        };
        pages.iter().map(|&page| (page, result.clone())).collect()
    };
    let first = list(&[1, 2, 3, 4], Confidence::Medium);
    let adds_something =
        |pages: &[u32], confidence| adds_something(&list(pages, confidence), &first);
    assert!(adds_something(&[1, 4, 2], Confidence::Medium));
    assert!(adds_something(&[5], Confidence::High));
    assert!(!adds_something(&[5], Confidence::Low));
    assert!(!adds_something(&[3, 1, 2, 5], Confidence::High), "the order alone");
    assert!(!adds_something(&[], Confidence::Medium));
}
