//! Redirects, as hosts want them written.

use std::fmt::Write as _;

use pagekin_core::address;
use pagekin_duplicates::moves::Moves;
use percent_encoding::percent_decode_str;

/// From where to where, as visitors ask for it: in escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    /// A path.
    from: String,
    /// A path, or a URL if the site is on another host now.
    to: String,
}

/// Who redirects.
#[derive(Debug, Clone, Copy)]
pub(super) enum Host {
    Netlify,
    Nginx,
    Apache,
}

/// Those of all pages whose URL is another now. The page of a folder is asked for by the folder,
/// and by its file.
pub(super) fn of(found: &Moves) -> Vec<Redirect> {
    let mut redirects = Vec::new();
    for page in &found.moves {
        let Some(to) = &page.to else { continue };
        let from = &found.old[page.page as usize].url;
        let to = address::normal(&found.new[to.page as usize].url);
        if address::normal(from) == to {
            continue;
        }
        let is_same_host = host(from) == host(to);
        let to = if is_same_host { address::path(to) } else { to };
        let from = address::path(address::normal(from));
        let is_folder = from.ends_with('/');
        let file = is_folder.then(|| format!("{from}index.html"));
        for from in std::iter::once(from.to_owned()).chain(file) {
            redirects.push(Redirect { from, to: to.to_owned() });
        }
    }
    redirects
}

/// What stands before the path of an address.
fn host(url: &str) -> &str {
    &url[..url.len() - address::path(url).len()]
}

/// The file of a host.
pub(super) fn file(redirects: &[Redirect], host: Host) -> String {
    let mut out = String::new();
    match host {
        Host::Netlify => {}
        Host::Nginx => out.push_str(
            "# In http: map $uri $moved_to { include FILE; }  In server: if ($moved_to) { return 301 $moved_to; }\n",
        ),
        Host::Apache => out.push_str("RewriteEngine On\n"),
    }
    for Redirect { from, to } in redirects {
        let line = match host {
            Host::Netlify => format!("{} {to} 301", escaped(from, &['*', ':'])),
            // Paths are compared without escapes, and as expressions: other keys match in any
            // case. In a value, a dollar begins a variable.
            Host::Nginx => {
                let to = escaped(to, &['$', '"', '\\']);
                format!("\"~^{}\" \"{to}\";", pattern(from))
            }
            // Paths are compared without escapes, and without the slash in .htaccess.
            Host::Apache => {
                let pattern = pattern(from.trim_start_matches('/'));
                format!("RewriteRule \"^/?{pattern}\" \"{}\" [R=301,L,NE]", substitution(to))
            }
        };
        let _ = writeln!(out, "{line}");
    }
    out
}

/// An address with these characters in escapes.
fn escaped(address: &str, characters: &[char]) -> String {
    address.chars().fold(String::new(), |mut out, character| {
        if characters.contains(&character) {
            let _ = write!(out, "%{:02X}", u32::from(character));
        } else {
            out.push(character);
        }
        out
    })
}

/// The rest of a regular expression that matches this path alone, without its escapes, to the end:
/// a dollar would match before a line feed there, too. It is between double quotes, out of which
/// both hosts take their own escapes first, and both end a line where there is one.
fn pattern(path: &str) -> String {
    let path: Vec<u8> = percent_decode_str(path).collect();
    let mut out = String::new();
    // Names need not be UTF-8.
    for chunk in path.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                c if c == '"' || c == '\\' || c.is_ascii_control() => {
                    let _ = write!(out, "\\x{:02x}", u32::from(c));
                }
                c if "^$.|?*+()[]{}".contains(c) => out.extend(['\\', c]),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out + "\\z"
}

/// What a rule of mod_rewrite puts in place: percent signs and dollars begin references.
fn substitution(to: &str) -> String {
    escaped(to, &['"', '\\']).replace('%', "\\%").replace('$', "\\$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(host: Host, from: &str, to: &str, expected: &str) {
        let redirect = Redirect { from: from.to_owned(), to: to.to_owned() };
        let lines = file(&[redirect], host);
        assert_eq!(lines.lines().last(), Some(expected));
    }

    #[test]
    fn hosts_take_paths_with_signs_of_their_own() {
        let (from, to) = ("/a%20b/$x.y(1)%22*.html", "/c%20d/$1.html");
        check(Host::Netlify, from, to, "/a%20b/$x.y(1)%22%2A.html /c%20d/$1.html 301");
        check(Host::Nginx, from, to, r#""~^/a b/\$x\.y\(1\)\x22\*\.html\z" "/c%20d/%241.html";"#);
        check(
            Host::Apache,
            from,
            to,
            r#"RewriteRule "^/?a b/\$x\.y\(1\)\x22\*\.html\z" "/c\%20d/\$1.html" [R=301,L,NE]"#,
        );
    }
}
