//! Words as people type them: names with signs and digits, words without their marks, incomplete
//! and misspelled words, and words in another language than assumed.

use pagekin_tests::place::Place;
use serde_json::Value;

/// Builds a site of pages with a language, a title and a text each.
fn site(pages: &[(&str, &str, &str, &str)]) -> Place {
    let page = |&(name, lang, title, text): &(&str, &str, &str, &str)| {
        let html = format!(
            "<html lang={lang}><title>{title}</title><main><h1>{title}</h1><p>{text}</p></main>"
        );
        (name.to_owned(), html)
    };
    let mut files: Vec<(String, String)> = pages.iter().map(page).collect();
    // Enough other pages that words of a single page are outside the vocabulary.
    files.extend((0..60).map(|at| {
        let html = format!(
            "<html lang=en><title>Garden {at}</title><main><p>A garden by the river, bed {at}, \
            with shared stones{} and paths{}.</p></main>",
            at / 2,
            at / 3
        );
        (format!("z{at}.html"), html)
    }));
    let files: Vec<_> = files.iter().map(|(name, html)| (name.as_str(), html.as_str())).collect();
    let place = Place::with(&files);
    place.build(&[]);
    place
}

fn answer(place: &Place, command: &str, query: &str) -> Value {
    let text = place.on_index(command, &["--json", "--", query]).ok();
    serde_json::from_str(&text).expect("it is JSON")
}

fn urls(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().into_iter().flatten();
    results.filter_map(|result| result["url"].as_str()).collect()
}

/// Checks that both commands find a page first.
#[track_caller]
fn check_first(place: &Place, query: &str, url: &str) {
    for command in ["search", "similar"] {
        let answer = answer(place, command, query);
        assert_eq!(urls(&answer).first(), Some(&url), "{command} {query}: {answer}");
    }
}

#[test]
fn names_with_signs_and_digits_find_their_pages() {
    let place = site(&[
        (
            "new.html",
            "en",
            "News",
            "Version 2.14.3 runs on Python 3.12, at 10.0.0.1 since 2024-03-05.",
        ),
        (
            "old.html",
            "en",
            "Past",
            "Version 1.9.8 ran on Python 2.7, at 10.0.0.2 since 2024-03-07.",
        ),
        ("cpp.html", "en", "Ports to C++", "The library was ported last spring."),
        ("cs.html", "en", "Binding for C#", "The binding wraps the handle."),
        ("net.html", "en", "Runtimes", "It runs on .NET, over HTTP/2, in UTF-8."),
        ("nets.html", "en", "Fishing", "A net, a net and a net; HTTP/1.1 and UTF-16."),
        ("r.html", "en", "Statistics in R", "How to draw a plot."),
        ("s7.html", "en", "Minutes of session 7", "The board met."),
        ("s8.html", "en", "Minutes of session 8", "The board met."),
    ]);
    for (query, url) in [
        ("2.14.3", "/new.html"),
        ("v2.14.3", "/new.html"),
        ("Python 3.12", "/new.html"),
        ("Python 2.7", "/old.html"),
        ("10.0.0.2", "/old.html"),
        ("2024-03-07", "/old.html"),
        ("C++", "/cpp.html"),
        ("C#", "/cs.html"),
        (".NET", "/net.html"),
        ("HTTP/2", "/net.html"),
        ("UTF-16", "/nets.html"),
        ("2.14", "/new.html"),
        ("R", "/r.html"),
        ("session 8", "/s8.html"),
        ("Minutes of session 7", "/s7.html"),
    ] {
        check_first(&place, query, url);
    }
}

#[test]
fn letters_may_be_typed_without_their_marks() {
    let place = site(&[
        ("fr.html", "fr", "Une œuvre", "Le cœur de l’hôtel, une pièce élégante."),
        ("pl.html", "pl", "Łódź", "Pociąg do miasta."),
        ("da.html", "da", "Smørrebrød", "Rugbrød med smør."),
        ("vi.html", "vi", "Cài đặt", "Hướng dẫn phần mềm."),
        ("ru.html", "ru", "Ёлка", "Праздник зимы."),
        ("de.html", "de", "Herr Müller", "Die Straße ist lang."),
        ("tr.html", "tr", "İstanbul", "DİKKAT edilmesi gereken ışık."),
        ("ja.html", "ja", "設定", "ｻｰﾊﾞｰの設定。ＡＰＩ"),
    ]);
    for (query, url) in [
        ("oeuvre", "/fr.html"),
        ("coeur", "/fr.html"),
        ("lodz", "/pl.html"),
        ("smorrebrod", "/da.html"),
        ("cai dat", "/vi.html"),
        ("елка", "/ru.html"),
        ("mueller", "/de.html"),
        ("strasse", "/de.html"),
        ("istanbul", "/tr.html"),
        ("dikkat", "/tr.html"),
        ("isik", "/tr.html"),
        ("サーバー", "/ja.html"),
        ("api", "/ja.html"),
    ] {
        check_first(&place, query, url);
    }
}

#[test]
fn a_word_on_all_pages_may_be_typed_plainly_or_with_a_typo() {
    let html = |n| format!("<html lang=en><title>Bed {n}</title><p>A naïveté of plants{n}.");
    let files: Vec<_> = (0..12).map(|n| (format!("{n}.html"), html(n))).collect();
    let files: Vec<_> = files.iter().map(|(name, html)| (name.as_str(), html.as_str())).collect();
    let place = Place::with(&files);
    place.build(&[]);
    for typed in ["naivete", "naiv", "naïvetè", "niaveté"] {
        assert_eq!(urls(&answer(&place, "search", typed)).len(), 10, "{typed}");
    }
}

#[test]
fn the_exact_spelling_comes_first() {
    let place = site(&[
        ("plain.html", "en", "Jobs", "Send a resume of your work."),
        ("marked.html", "en", "News", "The talks résumé of the week."),
    ]);
    let urls_of = |query| {
        let answer = answer(&place, "search", query);
        urls(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(urls_of("resume")[0], "/plain.html");
    assert_eq!(urls_of("résumé")[0], "/marked.html");
}

#[test]
fn words_of_any_language_of_the_site_are_found() {
    let place = site(&[
        ("fr.html", "fr", "Recettes", "Des crêpes pour quatre personnes, et l’économie."),
        ("de.html", "de", "Verkehr", "Die Geschwindigkeitsbegrenzung gilt auch nachts."),
        ("ko.html", "ko", "기차", "부산까지 기차로 갑니다. 데이터베이스를 백업합니다."),
        ("zh.html", "zh", "饮品", "红茶和绿茶，茶道的历史。"),
        ("he.html", "he", "ספרייה", "הספרייה פתוחה בערב, והמוזיאון סגור"),
        ("who.html", "en", "The Who", "A band from London."),
    ]);
    for (query, url) in [
        ("crêpes", "/fr.html"),
        ("économie", "/fr.html"),
        ("Begrenzung", "/de.html"),
        ("Geschwindigkeit", "/de.html"),
        ("부산", "/ko.html"),
        ("데이터베이스", "/ko.html"),
        ("פתוח", "/he.html"),
        ("מוזיאון", "/he.html"),
        ("לספרייה", "/he.html"),
        ("The Who", "/who.html"),
    ] {
        check_first(&place, query, url);
    }
    let tea = answer(&place, "search", "茶");
    assert_eq!(urls(&tea), ["/zh.html"], "{tea}");
    // A page on which words are typed names its language.
    for (lang, query, url) in [
        ("en", "crêpes", "/fr.html"),
        ("en", "personnes", "/fr.html"),
        ("fr", "Geschwindigkeitsbegrenzung", "/de.html"),
        ("de", "personnes", "/fr.html"),
        ("fr", "bands", "/who.html"),
    ] {
        let found = place.on_index("search", &["--json", "--lang", lang, "--", query]).ok();
        let found: Value = serde_json::from_str(&found).expect("it is JSON");
        assert_eq!(urls(&found).first(), Some(&url), "{lang} {query}: {found}");
    }
}

#[test]
fn a_form_of_a_word_is_found_if_another_language_has_the_same_stem() {
    let books = "Nowe książki w bibliotece miejskiej.";
    let place = site(&[
        ("pl.html", "pl", "Biblioteka", books),
        ("fi.html", "fi", "Talo", "Taloissamme on lämmin sauna."),
        ("hu.html", "hu", "Bolt", "Árvíztűrő tükörfúrógép vásárlása."),
    ]);
    for query in ["książki", "książka", "ksiazka"] {
        check_first(&place, query, "/pl.html");
    }
}

#[test]
fn incomplete_and_misspelled_words_find_rare_words() {
    let place = site(&[
        ("x.html", "en", "Music", "A xylophone hangs there."),
        ("c.html", "en", "Files", "The configuration is read at start."),
        ("d.html", "en", "More files", "The config of a host."),
        ("p.html", "en", "Commits", "You can cherry-pick a commit and rebase it."),
        ("q.html", "en", "Commands", "The multitool is described here."),
        ("w.html", "en", "Network", "It needs Wi-Fi at home."),
    ]);
    let search = |query: &str| answer(&place, "search", query);
    for (query, url) in [
        ("xylo", "/x.html"),
        ("xilophone", "/x.html"),
        ("configu", "/c.html"),
        ("cherrypick", "/p.html"),
        ("cherypick", "/p.html"),
        ("wifi", "/w.html"),
        ("multi tool", "/q.html"),
    ] {
        let answer = search(query);
        assert_eq!(urls(&answer).first(), Some(&url), "{query}: {answer}");
        assert_eq!(answer["unmatched"], serde_json::json!([]), "{query}: {answer}");
    }
    assert_eq!(search("cherypick")["corrections"][0]["to"][0], "cherry pick");
    // A longer word of the site does not hide the two words.
    place.write("site/o.html", "<title>Fruit</title><main><p>All day cherrypicking.</p></main>");
    place.build(&[]);
    let found = search("cherrypick");
    assert_eq!(urls(&found), ["/p.html", "/o.html"], "{found}");
    place.write("site/o.html", "<title>Fruit</title><main><p>We cherrypick all day.</p></main>");
    place.build(&[]);
    let found_exactly = search("cherrypick");
    assert_eq!(urls(&found_exactly), ["/o.html", "/p.html"], "{found_exactly}");
    assert_eq!(found_exactly["corrections"], serde_json::json!([]));
    assert_eq!(
        found["corrections"],
        serde_json::json!([{"from": "cherrypick", "to": ["cherry pick"]}])
    );
    let config = search("config");
    assert_eq!(urls(&config), ["/d.html", "/c.html"], "{config}");
}

#[test]
fn a_typo_is_repaired_in_every_form_of_a_word() {
    // The completions have the most common form of a stem, "paginator".
    let place = site(&[
        ("a.html", "en", "Paginator", "A paginator cuts a list. Each paginator has pages."),
        ("b.html", "en", "Lists", "The paginator of a list is pagination."),
        ("c.html", "en", "Trees", "A tree of branches."),
    ]);
    for typed in ["pagnation", "paginaton", "pagination", "apgination", "paginators"] {
        let answer = answer(&place, "search", &format!("{typed} "));
        assert_eq!(urls(&answer), ["/a.html", "/b.html"], "{typed}: {answer}");
    }
    for foreign in ["agination", "pxgxnation"] {
        let answer = answer(&place, "search", &format!("{foreign} "));
        assert_eq!(urls(&answer), Vec::<&str>::new(), "{foreign}: {answer}");
    }
}

#[test]
fn an_identifier_with_a_typo_is_one_missing_word() {
    let place = site(&[
        ("a.html", "en", "sqlite3", "The sqlite3 module opens a file of SQLite."),
        ("b.html", "en", "Files", "A module opens a file."),
    ]);
    for typed in ["sqllite3", "sqltie3 "] {
        check_first(&place, typed, "/a.html");
    }
}

#[test]
fn a_word_is_there_if_its_stem_is_far_from_it() {
    // The completions have "log" for "logging", some shards before it.
    let words = |page: u32| -> String {
        let letters = |n: u32| [n / 676, n / 26 % 26, n % 26].map(|at| char::from(b'a' + at as u8));
        let word = |at| format!("log{}", String::from_iter(letters(160 * page + at))) + "zo ";
        (0..160).map(|at| word(at) + &word(at).replace("zo", "zovi")).collect()
    };
    let mut pages: Vec<_> = [
        ("l.html", "Log", "A log is a file. Keep a log by logging."),
        ("m.html", "More", "Another log."),
        ("o.html", "Off", "Call loggingoff or logging_level."),
    ]
    .map(|(name, title, text)| (name.to_owned(), title.to_owned(), text.to_owned()))
    .into();
    pages.extend((0..9).map(|page| (format!("{page}.html"), format!("Words {page}"), words(page))));
    let pages: Vec<_> = pages.iter().map(|(a, b, c)| (&**a, "en", &**b, &**c)).collect();
    let place = site(&pages);
    check_first(&place, "logging", "/l.html");
}

#[test]
fn words_written_as_one_are_an_alternative_that_adds_nothing() {
    let place = site(&[
        ("a.html", "en", "Create Table Data", "Create table with createtable. Table, createtable."),
        ("b.html", "en", "Create Table", "Defines one. It has columns and rows and constraints."),
        ("c.html", "en", "Rows", "Rows of a table, and how to create a row."),
        (
            "d.html",
            "en",
            "Raw values",
            "Use rawsql with rawsql, and raw values where sql has none.",
        ),
        (
            "e.html",
            "en",
            "Run raw queries",
            "Raw sql is sql in raw form. Raw sql goes to a database.",
        ),
        ("f.html", "en", "Names", "See rawsql."),
    ]);
    check_first(&place, "create table", "/b.html");
    check_first(&place, "raw sql", "/e.html");
    let raw = answer(&place, "search", "raw sql");
    assert!(urls(&raw).contains(&"/f.html"), "{raw}");
}

#[test]
fn words_that_the_site_lacks_match_nothing() {
    let place = site(&[("p.html", "en", "Commits", "The machinery of a commit, einer of many.")]);
    // No random word is found, not even one whose id is that of another word.
    let mut state = 7u64;
    for _ in 0..40 {
        let mut word = String::new();
        for _ in 0..11 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            word.push(char::from(b'a' + (state >> 33) as u8 % 26));
        }
        let answer = answer(&place, "search", &word);
        assert_eq!(urls(&answer), Vec::<&str>::new(), "{word}");
    }
    // In another language than the site's, nothing is corrected.
    let foreign = answer(&place, "search", "wie mache ich einen Commit rückgängig");
    assert_eq!(urls(&foreign), ["/p.html"], "{foreign}");
    assert_eq!(foreign["corrections"], serde_json::json!([]), "{foreign}");
    let unmatched = foreign["unmatched"].as_array().map(Vec::len);
    assert_eq!(unmatched, Some(5), "{foreign}");
}

#[test]
fn absent_words_are_named_as_typed_and_in_their_order() {
    let place = site(&[
        ("a.html", "ko", "글", "서울시청 앞 광장에서 음악회가 열립니다."),
        ("b.html", "ko", "글", "부산 해운대 해수욕장은 여름에 사람이 많습니다."),
        ("c.html", "ja", "記事", "東京都庁の展望室から富士山が見えます。"),
    ]);
    // The terms of these scripts are pairs of characters.
    for (query, absent) in [
        ("음악회 로봇청소기 인공지능", &["로봇청소기", "인공지능"][..]),
        ("展望室 自動販売機", &["自動販売機"]),
        ("음악회 zebra yak aardvark", &["zebra", "yak", "aardvark"]),
    ] {
        for command in ["search", "similar"] {
            let answer = answer(&place, command, query);
            assert_eq!(answer["unmatched"], serde_json::json!(absent), "{answer}");
        }
    }
    let both = answer(&place, "search", "음악회 해수욕장");
    let missing: Vec<_> =
        both["results"].as_array().unwrap().iter().map(|one| &one["missing_terms"]).collect();
    assert_eq!(
        missing,
        [&serde_json::json!(["음악회"]), &serde_json::json!(["해수욕장"])],
        "{both}"
    );
}

#[test]
fn another_number_is_no_typo() {
    let place = site(&[
        ("a.html", "en", "News", "Version 2.4.3 and error E0278, by sqlite3_prepare_v2."),
        ("b.html", "en", "Kiosk", "The kiosk opens at noon."),
    ]);
    for query in ["2.14.3", "E0277", "4.3"] {
        let answer = answer(&place, "search", query);
        assert!(urls(&answer).is_empty(), "{answer}");
        assert_eq!(answer["unmatched"].as_array().map(Vec::len), Some(1), "{answer}");
    }
    for query in ["sqlite3_perpare_v2", "2.4", "E0278"] {
        check_first(&place, query, "/a.html");
    }
}

#[test]
fn a_word_of_the_first_heading_counts_as_much_as_any_repetition() {
    let repeats = "A zebrafish, a zebrafish and a zebrafish: the zebrafish swim.";
    let place = site(&[("a.html", "en", "Ponds", repeats), ("b.html", "en", "Lakes", repeats)]);
    let heading = "<html lang=en><title>Page 7</title><main><h1>Keeping zebrafish</h1>\
                   <p>A tank, its water, and what they eat.</p></main>";
    place.write("site/heading.html", heading);
    place.build(&[]);
    check_first(&place, "zebrafish", "/heading.html");
}

/// A site of many long pages with the words of `hidden`, more often than the pages that are about
/// them.
fn hiding(hidden: &[(&str, &str)]) -> Place {
    let place = Place::empty();
    for (name, html) in hidden {
        place.write(&format!("site/{name}"), *html);
    }
    for at in 0..400 {
        let text =
            "The release notes of a device and its history: see the memory table, the walrus \
                    function, the kernel of the device, the release, a SlugField. "
                .repeat(3 + at % 5);
        let html = format!(
            "<title>Notes {at}</title><main><h1>Notes {at}</h1><h2>Walrus, memory and history</h2>\
             <p>{text} Bed{at} stone{} path{}.</p></main>",
            at / 2,
            at / 3
        );
        place.write(&format!("site/notes-{at}.html"), html);
    }
    place.build(&["--block-pages", "4"]);
    place
}

#[test]
fn a_page_is_found_by_its_title_its_file_name_and_what_it_defines() {
    let place = hiding(&[
        ("t1.html", "<title>Release History</title><main><p>One, two and three.</p></main>"),
        ("t2.html", "<title>Memory Table</title><main></main><p>Nothing else.</p>"),
        (
            "walrus.html",
            "<title>All about animals of the sea</title><main><p>They swim.</p></main>",
        ),
        (
            "classes.html",
            "<title>And more</title><main><dl><dt>class SlugField(kernel)</dt><dd>Holds \
             it.</dd></dl></main>",
        ),
        (
            "functions.html",
            "<title>What there is</title><main><dl><dt>kernel(device, table)</dt><dd>Starts \
             it.</dd></dl><h3>memory(device)</h3><p>Reads it.</p></main>",
        ),
    ]);
    for (query, url) in [
        ("release history", "/t1.html"),
        ("memory table", "/t2.html"),
        ("walrus", "/walrus.html"),
        ("kernel", "/functions.html"),
        ("slugfield", "/classes.html"),
    ] {
        let found = answer(&place, "search", query);
        assert_eq!(urls(&found).first(), Some(&url), "{query}: {found}");
    }
}

#[test]
fn a_line_of_a_message_finds_the_page_that_has_it_first() {
    let message = "error: the device has no release table";
    let place = hiding(&[(
        "log.html",
        "<title>Log</title><main><p>Sometimes it starts, and sometimes it says: error: the device \
         has no release table. Then wait, and try it again.</p></main>",
    )]);
    check_first(&place, message, "/log.html");
}
