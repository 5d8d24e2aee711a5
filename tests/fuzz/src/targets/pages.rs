//! HTML of sites, in any encoding.

use pagekin_core::anchor::AnchorWindows;
use pagekin_pages::fuzzing::{is_other_page, redirects_elsewhere};
use pagekin_pages::site::encoding::read_text;
use pagekin_pages::site::html::{looks_like_html, read_html, read_html_with_links};

use crate::targets::{Outcome, Target, split_mode};

/// Starts of pages for each rule of page extraction.
const SEEDS: [&str; 12] = [
    "<!DOCTYPE html><html lang=en-GB><head><meta charset=utf-8><title>Rye &amp; wheat</title><link rel=canonical \
     href=/b.html></head><body><nav>chrome</nav><main><h1>Bread</h1><p>Feed the <a href=a.html>starter</a>.</main>",
    "<meta http-equiv=refresh content='0; url=/next.html'><meta name=robots content='noindex, nofollow'><p>moved",
    "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>\u{43f}<base href='https://x.org/'><a href=b>c",
    "<?xml version='1.0' encoding='iso-8859-1'?><html xmlns='http://www.w3.org/1999/xhtml'><body/></html>",
    "<table><tr><td>a<td>b<tr><th>c</table><ul><li>d<li>e</ul><dl><dt>f<dd>g</dl><pre>\n x\n  y</pre>",
    "<svg><title>no</title><text>t</text></svg><math><mi>x</mi></math><template><p>z</template><select><option>o",
    "<p>a<b>b<i>c</b>d</i><p hidden>no</p><div data-pagefind-body>only<i data-pagefind-weight=2 title=t \
     data-pagefind-index-attrs=title data-pagefind-meta='title, a[title], url:x'>w</i></div><div data-pagekin-ignore>no</div>",
    "<script>var a='</scrip'+'t>'</script><style>p{}</style><noscript><p>n</noscript><!-- c --><textarea>t</textarea>",
    "<img alt='an oven' src=x><a rel=nofollow href=y><img alt=z></a><input value=v><button>b</button><label>l",
    "<div><div><div><div><span><span><em><strong><code><kbd>deep</kbd></code></strong></em></span></span></div></div>",
    "\u{feff}<frameset><frame src=a></frameset>&#x110000;&#0;&notin;&NotEqualTilde;&amp",
    "<header>h<h1>t</h1></header><footer>f</footer><aside>a</aside><article role=main>m<h2>n</h2></article><dialog>d",
];

/// Pages.
pub const HTML: Target = Target {
    name: "html",
    reads: "a page of HTML, with its links, redirects and canonical address",
    prepare: || {
        let labels = [None, Some("utf-8"), Some("utf-16le"), Some("shift_jis"), Some("none such")];
        let mut seeds: Vec<_> =
            SEEDS.iter().map(|seed| [&[0][..], seed.as_bytes()].concat()).collect();
        let wide = SEEDS[0].encode_utf16().flat_map(u16::to_le_bytes);
        seeds.push([0, 0xff, 0xfe].into_iter().chain(wide).collect());
        let run = move |input: &[u8]| {
            let (how, bytes) = split_mode(input);
            let read = read_html(bytes);
            let (same, _) = read_html_with_links(bytes, None);
            assert_eq!(read, same, "a page is the same with its links");
            let label = labels[usize::from(how) % labels.len()];
            let (labeled, links) = read_html_with_links(bytes, label);
            let page = &labeled.page;
            assert!(page.title.len() <= 4_096);
            assert_eq!(page.title, page.title.split_whitespace().collect::<Vec<_>>().join(" "));
            // Three bytes for each invalid one, and the separators of blocks.
            assert!(page.text.len() <= 16 * bytes.len() + 16, "{}", page.text.len());
            for address in page.canonical.iter().chain(&page.redirect) {
                let _ = is_other_page("/a/b.html", address);
                let _ = redirects_elsewhere("/a/b.html", address);
            }
            let windows = AnchorWindows::new(&links.text);
            for link in links.links.iter().take(8) {
                let window = windows.of(&link.text, 5);
                assert!(window.len() <= links.text.len() + 16);
            }
            let _ = looks_like_html(&read_text(bytes));
            Outcome::sized(bytes.len(), u8::from(labeled.malformed), page.text.len())
        };
        (seeds, Box::new(run))
    },
    max_bytes: 4_096,
    // An element of three bytes is a node of the tree, with the open elements around it.
    memory_of_byte: 1_024,
    memory_free: 512 << 10,
    short: 600,
};
