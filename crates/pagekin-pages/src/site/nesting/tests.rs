//! The trees of small pages, compared with those of html5ever.

use super::*;
use crate::site::html::parse;
use proptest::prelude::*;

/// Whether the tree of a page is found by the rules of this module. It then equals that of
/// html5ever.
#[track_caller]
fn is_usual(page: &str) -> bool {
    let selectors = Selectors::default();
    let Ok(dom) = read(page, &selectors) else { return false };
    let (full, cut) = parse(page, &selectors);
    assert_eq!(cut, None);
    assert_eq!(dom.outline(), full.outline(), "{page}");
    true
}

#[test]
fn pages_as_generators_write_them_are_usual() {
    for page in [
        "",
        " text ",
        "<!doctype html><html lang=en><head><meta charset=utf-8></head><body>a</body></html> <!---->",
        "<title>a &amp; b</title><link rel=x href='?a=1&b=2&amp;c'><p>one<p>two<ul><li>a<li>b</ul>",
        "<script>if (a < b && '<!-- </p>') {}</script><style>p > a {}</style><p hidden>&eacute;&#x41;&#66; & c",
        "<table><caption>c</caption><col><tr><td>a<td><p>b<tr><th>c</table>d<table> <tbody> </tbody></table>",
        "<!doctype html><p>a<table><thead><tr><td></thead><tfoot><tr></tfoot></table></p>b",
        "<p>a<table><tr><td>b</table>c</p>d",
        "<dl><dt>a<dd>b<p>c<dt>d</dl><pre>\n\na</pre><pre>&#10;b</pre><textarea>\nc &lt;</textarea>",
        "<p>a <b>b <i>c</i></b> <a href=x>d</a><br/>e<hr></hr><img alt=q></p></p>f",
        "<svg viewBox='0 0 1 1'><title>a</title><path d=''/><g><a xlink:href=b>c</a></g></svg><svg/>d",
        "<select><optgroup><option>a<option>b</select><button>c</button><form><input></form>",
        "<body><template id=t><p>a<svg><path/></svg></template>b<noscript><p>c</p></noscript>",
        "<P CLASS=A hidden class=b>a</P><x-y data-pagefind-meta='a[B]' B=c>d</x-y>\r\ne\rf",
        "<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'><html><body/>",
    ] {
        assert!(is_usual(page), "{page}");
    }
    let long = format!("<p>{}é{}", "a".repeat(4_095), "bé".repeat(9_000));
    assert!(is_usual(&long));
}

#[test]
fn document_types_decide_whether_a_table_is_in_a_paragraph() {
    let check = |doctype: &str, expected: bool| {
        let page = format!("{doctype}<p>a<table><tr><td>b</table>");
        assert_eq!(is_usual(&page), expected, "{doctype}");
    };
    let public = |id: &str, system: &str| format!("<!DOCTYPE html PUBLIC \"{id}\"{system}>");
    let system = " \"http://www.w3.org/TR/html4/loose.dtd\"";
    check("", true);
    check("<!doctype HTML >", true);
    check(&public("-//W3C//DTD XHTML 1.0 Transitional//EN", system), true);
    check(&public("-//W3C//DTD XHTML 1.1//EN", system), true);
    check(&public("-//W3C//DTD HTML 4.01 Transitional//EN", system), true);
    check(&public("-//W3C//DTD HTML 4.01//EN", system), true);
    check(&public("-//W3C//DTD HTML 4.01 Transitional//EN", ""), false);
    check(&public("-//W3C//DTD HTML 3.2 Final//EN", ""), false);
    check("<!doctype html system \"about:legacy-compat\">", false);
    check("<!doctype x>", false);
}

#[test]
fn other_pages_are_left_to_html5ever() {
    for page in [
        "<b><p></b>",
        "<table>a",
        "<a><a>",
        "<p></b>",
        "<ul><li><b></ul>",
        "<html><html>",
        "<math>",
        "&copy",
        "&#128;",
        "&#x0;",
        "a<b",
        "<p a=b\"c>",
        "<!-- --!>",
        "<script><!-- <script> </script>",
        "<svg><p>",
        "<frameset>",
        "<p a='x'b>",
        "<textarea>",
        "</br>",
        "\0",
    ] {
        assert!(!is_usual(page), "{page}");
    }
    for page in ["<i>".repeat(300), "<p".to_owned() + &" a".repeat(65) + ">"] {
        assert!(!is_usual(&page));
    }
    assert!(!is_usual(&(0..2_000).map(|at| format!("<x-{at}></x-{at}>")).collect::<String>()));
}

/// Parts of pages. Most combinations of a few are usual.
const PARTS: &[&str] = &[
    "a",
    " ",
    "\n",
    "b c",
    "&amp;",
    "&nbsp;",
    "&lt",
    "&x",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<ul>",
    "<li>",
    "</li>",
    "</ul>",
    "<dl>",
    "<dt>",
    "<dd>",
    "</dl>",
    "<b>",
    "</b>",
    "<a>",
    "<a href=x>",
    "</a>",
    "<code>",
    "</code>",
    "<h1>",
    "</h1>",
    "<h2>",
    "<pre>",
    "</pre>",
    "<table>",
    "<caption>",
    "</caption>",
    "<colgroup>",
    "<col>",
    "<thead>",
    "<tbody>",
    "</tbody>",
    "<tr>",
    "</tr>",
    "<td>",
    "</td>",
    "<th>",
    "</table>",
    "<br>",
    "<hr>",
    "<img alt=q>",
    "<input>",
    "</input>",
    "<form>",
    "</form>",
    "<button>",
    "</button>",
    "<select>",
    "<option>",
    "</option>",
    "<optgroup>",
    "</select>",
    "<span class='x y'>",
    "</span>",
    "<x-y>",
    "</x-y>",
    "<svg>",
    "<path/>",
    "<g>",
    "</g>",
    "</svg>",
    "<svg/>",
    "<title>t</title>",
    "<style>s</style>",
    "<script>'<p>'</script>",
    "<script src=x></script>",
    "<noscript>",
    "</noscript>",
    "<template>",
    "</template>",
    "<textarea>\nx</textarea>",
    "<iframe><p></iframe>",
    "<!-- c -->",
    "<!doctype html>",
    "<html lang=en>",
    "<head>",
    "</head>",
    "<body class=x>",
    "</body>",
    "</html>",
    "<meta name=a content=b>",
    "<link>",
    "<base href=b>",
    "<details>",
    "<summary>",
    "</summary>",
    "</details>",
    "<section hidden>",
    "</section>",
    "<ruby>",
    "<main data-pagefind-body>",
    "</main>",
    "<p/>",
    "<br/>",
];

const PAIRS: &[(&str, &str)] = &[
    ("<p>", "</p>"),
    ("<p class=x>", ""),
    ("<div>", "</div>"),
    ("<ul><li>", "</li></ul>"),
    ("<ul><li>a<li>", "</ul>"),
    ("<ol>", "</ol>"),
    ("<li>", ""),
    ("<dl><dt>", "</dl>"),
    ("<dd>", ""),
    ("<dt>", "</dt>"),
    ("<b>", "</b>"),
    ("<code>", "</code>"),
    ("<a>", "</a>"),
    ("<i><span>", "</span></i>"),
    ("<h1>", "</h1>"),
    ("<pre>", "</pre>"),
    ("<x-y>", "</x-y>"),
    ("<table><tr><td>", "</table>"),
    ("<table><tbody><tr><th>", "</th></tr></tbody></table>"),
    ("<table><caption>", "</caption><col><tr></table>"),
    ("<td>", ""),
    ("<tr><td>", "</td>"),
    ("<thead><tr><td>", ""),
    ("<button>", "</button>"),
    ("<form>", "</form>"),
    ("<select><option>", "</select>"),
    ("<option>", "</option>"),
    ("<optgroup>", ""),
    ("<template>", "</template>"),
    ("<noscript>", "</noscript>"),
    ("<section>", "</section>"),
    ("<details><summary>", "</summary></details>"),
    ("<svg><g>", "</g></svg>"),
    ("", ""),
];
const PIECES: &[&str] = &[
    "",
    "a",
    " ",
    "\n",
    "\n\nb",
    "&amp;c",
    "&#10;",
    "<br>",
    "<hr>",
    "<input>",
    "<!-- c -->",
    "</p>",
    "</hr>",
    "<script>a<!--</script>",
    "<svg><title>t</title></svg>",
    "<link rel=x>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn any_tree_equals_that_of_html5ever(
        parts in prop::collection::vec(prop::sample::select(PARTS), 0..16),
    ) {
        is_usual(&parts.concat());
        is_usual(&format!("<!doctype html>{}", parts.concat()));
    }

    /// Elements end in order, so that most pages are usual.
    #[test]
    fn nested_trees_equal_those_of_html5ever(
        steps in prop::collection::vec(
            (prop::sample::select(PAIRS), prop::sample::select(PIECES), 0usize..3), 0..24),
    ) {
        let (mut page, mut open) = ("<!doctype html>".to_owned(), Vec::new());
        for ((start, end), piece, ends) in steps {
            page += start;
            page += piece;
            open.push(end);
            page.extend((0..ends).filter_map(|_| open.pop()));
        }
        is_usual(&page);
    }
}
