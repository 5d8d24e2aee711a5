//! Pages in seven languages and five scripts on one site: `tests/languages/` contains three pages
//! of each.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pagekin_tests::checkout;
use pagekin_tests::place::{Place, similar};
use pagekin_tests::program::{Answer, arguments, pagekin};
use unicode_normalization::UnicodeNormalization;

const LANGUAGES: [&str; 7] = ["ar", "de", "hi", "ja", "ru", "th", "zh"];
const TOPICS: [&str; 3] = ["bicycle", "bread", "tomatoes"];

fn pages() -> PathBuf {
    checkout::of_tests("languages")
}

fn file(language: &str, topic: &str) -> String {
    let path = pages().join(language).join(topic).with_extension("html");
    fs::read_to_string(path).expect("there is a page of each topic in each language")
}

/// Returns the paragraphs of a page.
fn paragraphs(html: &str) -> Vec<&str> {
    html.lines().filter_map(|line| line.strip_prefix("<p>")?.strip_suffix("</p>")).collect()
}

fn each_page(mut check: impl FnMut(&str, &str, &str)) {
    for language in LANGUAGES {
        for topic in TOPICS {
            check(language, &format!("/{language}/{topic}.html"), &file(language, topic));
        }
    }
}

fn out() -> &'static Path {
    static BUILT: OnceLock<Place> = OnceLock::new();
    let place = BUILT.get_or_init(|| {
        let place = Place::empty();
        let out = place.out();
        pagekin(arguments(
            &["build".as_ref(), pages().as_os_str(), "-o".as_ref(), out.as_os_str()],
            &["-q"],
        ))
        .ok();
        place
    });
    static OUT: OnceLock<PathBuf> = OnceLock::new();
    OUT.get_or_init(|| place.out())
}

fn ask(text: &str) -> Answer {
    similar(out(), &["-"], text)
}

/// Returns the code of the language assigned to the text, with the reason.
fn guess(answer: &Answer) -> Option<(&str, &str)> {
    answer.language.as_ref().map(|language| (&*language.code, &*language.by))
}

#[test]
fn a_passage_finds_its_page_and_its_language_is_guessed() {
    each_page(|language, url, html| {
        for passage in paragraphs(html) {
            let answer = ask(passage);
            assert_eq!(answer.urls()[0], url, "{passage}: {answer:?}");
            assert!(answer.results[0].confidence != "low", "{passage}: {answer:?}");
            assert_eq!(guess(&answer), Some((language, "guessed")), "{passage}");
        }
    });
}

#[test]
fn normalization_forms_of_a_text_have_the_same_answer() {
    let mut differ = 0;
    each_page(|_, _, html| {
        for passage in paragraphs(html) {
            let (nfc, nfd): (String, String) = (passage.nfc().collect(), passage.nfd().collect());
            differ += u32::from(nfc != nfd);
            assert_eq!(ask(&nfc), ask(&nfd), "{passage}");
        }
    });
    assert!(differ > 20, "{differ}");
}

#[test]
fn normalization_forms_of_pages_have_the_same_index() {
    let forms: [fn(&str) -> String; 2] = [|text| text.nfc().collect(), |text| text.nfd().collect()];
    let answers = forms.map(|form| {
        let place = Place::empty();
        each_page(|_, url, html| {
            // Titles are shown as written.
            let html = html.lines().filter(|line| !line.contains("<title>"));
            let html =
                html.map(|line| if line.starts_with("<p>") { form(line) } else { line.to_owned() });
            place.write(&format!("site{url}"), html.collect::<Vec<_>>().join("\n"));
        });
        place.build(&[]);
        let answers: Vec<Answer> = LANGUAGES
            .iter()
            .map(|language| place.similar_to(paragraphs(&file(language, "bread"))[0], &[]))
            .collect();
        answers
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn shown_words_are_whole_words_of_the_page() {
    each_page(|language, _, html| {
        let page: String = html.nfd().collect();
        for passage in paragraphs(html) {
            let answer = ask(passage);
            let words = &answer.results[0].shared_terms;
            assert!(!words.is_empty(), "{answer:?}");
            for word in words {
                // A stem is shown as the text's first word for it, which may differ from the
                // page's.
                let is_stemmed = ["ar", "de", "ru"].contains(&language);
                assert!(is_stemmed || page.contains(&word.nfd().collect::<String>()), "{word}");
            }
            // In Chinese and Japanese, two characters often are a word.
            let long = words.iter().filter(|word| word.chars().count() > 2).count();
            match language {
                "th" => assert_eq!(long, words.len(), "{words:?}"),
                "ja" | "zh" => assert!(long > 0, "{words:?}"),
                _ => {}
            }
        }
    });
}

#[track_caller]
fn check_words(text: &str, url: &str, expected: &str) {
    let answer = ask(text);
    assert_eq!(answer.urls()[0], url, "{answer:?}");
    let mut words = answer.results[0].shared_terms.clone();
    words.sort();
    assert_eq!(words.join(" "), expected, "{text}");
}

#[test]
fn words_shared_with_a_page_are_shown_whole() {
    check_words(
        "润滑油太多会粘沙子，链条和齿轮都磨损",
        "/zh/bicycle.html",
        "会粘 沙子 润滑油 磨损 链条 齿轮",
    );
    check_words(
        "自転車のチェーンの潤滑油を拭き取る方法",
        "/ja/bicycle.html",
        "チェーンの 拭き 潤滑油を 自転車の",
    );
    check_words("ควรรดน้ำต้นกล้ามะเขือเทศบ่อยแค่ไหน", "/th/tomatoes.html", "ต้นกล้ามะเขือเทศ รดน้ำ");
    check_words("टमाटर के पौधों को गमलों में पानी कैसे दें", "/hi/tomatoes.html", "गमलों टमाटर पानी पौधों");
    check_words("كيف أزرع الطماطم عند الجذور", "/ar/tomatoes.html", "الجذور الطماطم");
    check_words("часто ли смазывать цепь маслом", "/ru/bicycle.html", "маслом смазать цепь");
    check_words("wie man die Kette mit Öl pflegt", "/de/bicycle.html", "kette öl");
}

#[test]
fn optional_spellings_make_no_difference() {
    let plain = ask("كيف أسقي الطماطم عند الجذور");
    assert_eq!(plain.urls()[0], "/ar/tomatoes.html");
    assert_eq!(ask("كَيْفَ أَسْقِي الطَّمَاطِمَ عِنْدَ الجُذُورِ"), plain);
    assert_eq!(
        ask("Sau\u{ad}er\u{ad}teig mit Rog\u{ad}gen\u{ad}mehl").results,
        ask("Sauerteig mit Roggenmehl").results
    );
}

#[test]
fn a_text_in_another_script_gets_no_language() {
    let site = Place::empty();
    for topic in TOPICS {
        site.write(&format!("site/{topic}.html"), file("de", topic));
        site.write(&format!("site/en-{topic}.html"), format!("<html lang=en><title>{topic}</title><main>The {topic} of nginx and of the garden</main></html>"));
    }
    site.build(&[]);
    let guessed = |text: &str, options: &[&str]| {
        guess(&site.similar_to(text, options)).map(|(code, by)| (code.to_owned(), by.to_owned()))
    };
    assert_eq!(guessed("Как смазать цепь велосипеда nginx", &[]), None);
    assert_eq!(guessed("パンを焼く nginx", &[]), None);
    let known = |code: &str, by: &str| Some((code.to_owned(), by.to_owned()));
    assert_eq!(guessed("die Kette und das Öl", &[]), known("de", "guessed"));
    assert_eq!(guessed("the chain and the oil", &[]), known("en", "guessed"));
    assert_eq!(guessed("nginx", &[]), known("de", "assumed"));
    assert_eq!(guessed("nginx", &["--lang", "en"]), known("en", "given"));
    assert_eq!(guessed("nginx", &["--lang", "fr"]), known("de", "assumed"), "no page is French");
    let shown = site.try_similar_to("Как смазать цепь nginx", &[]).ok();
    assert!(
        shown.contains(
            "language of the text: unknown; none of the site's languages uses its script"
        ),
        "{shown}"
    );
    let shown = site.try_similar_to("the chain and the bicycle", &[]).ok();
    assert!(shown.contains("language of the text: en (guessed)"), "{shown}");
}

#[test]
fn pages_without_a_language_tag_are_classified_by_script() {
    let place = Place::empty();
    each_page(|language, url, html| {
        let html = html.replace(&format!("<html lang={language}"), "<html");
        place.write(&format!("site{url}"), html);
    });
    let built = place.build(&[]);
    let mut languages = built.languages();
    languages.sort_unstable();
    assert_eq!(
        languages,
        [("ar", 3), ("en", 3), ("hi", 3), ("ja", 3), ("ru", 3), ("th", 3), ("zh", 3)]
    );
    each_page(|_, url, html| {
        let answer = place.similar_to(paragraphs(html)[1], &[]);
        assert_eq!(answer.urls()[0], url, "{answer:?}");
    });
    let given = place.build(&["--lang", "de"]);
    assert_eq!(given.languages.len(), 1);
}

#[test]
fn all_pages_are_read_in_a_forced_language() {
    let place = Place::with(&[
        ("a.html", "<html lang=pt><title>A</title><p>Documenting the kettles of a shop."),
        ("b.html", "<html lang=de><title>B</title><p>Running along rivers."),
    ]);
    assert_eq!(place.build(&["--lang", "en"]).languages(), [("de", 1), ("pt", 1)]);
    assert_eq!(place.build(&["--lang", "en", "--force-lang"]).languages(), [("en", 2)]);
    let found = place.on_index("similar", &["documented kettles, and rivers"]).ok();
    assert!(found.contains("/a.html"), "by English stems: {found}");
    let refused = place.try_build(&["--force-lang"]).failed(2);
    assert!(refused.contains("force-lang"), "{refused}");
}
