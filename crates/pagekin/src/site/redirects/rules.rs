//! Redirects in the formats of hosts.

use std::fmt::Write as _;

use pagekin_core::address;
use pagekin_duplicates::moves::Moves;
use percent_encoding::percent_decode_str;

/// A redirect. Both ends are percent-encoded, as in requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    /// A path.
    from: String,
    /// A path, or a URL if the site has moved to another host.
    to: String,
}

/// The software that redirects.
#[derive(Debug, Clone, Copy)]
pub(super) enum Host {
    Netlify,
    Nginx,
    Apache,
}

/// Returns the redirects of all pages whose URL has changed. The page of a folder gets two: one for
/// the folder and one for its file.
pub(super) fn from_moves(found: &Moves) -> Vec<Redirect> {
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

/// Returns the part of a URL before its path.
fn host(url: &str) -> &str {
    &url[..url.len() - address::path(url).len()]
}

/// Formats redirects for a host.
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
            // nginx decodes paths before matching. Keys are regular expressions, because plain keys
            // ignore case. In a value, a dollar sign starts a variable.
            Host::Nginx => {
                let to = escaped(to, &['$', '"', '\\']);
                format!("\"~^{}\" \"{to}\";", pattern(from))
            }
            // Apache decodes paths before matching, and removes the slash in .htaccess.
            Host::Apache => {
                let pattern = pattern(from.trim_start_matches('/'));
                format!("RewriteRule \"^/?{pattern}\" \"{}\" [R=301,L,NE]", substitution(to))
            }
        };
        let _ = writeln!(out, "{line}");
    }
    out
}

/// Percent-encodes the given characters.
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

/// Returns a regular expression, without its start, that matches exactly the decoded path. It ends
/// with `\z`, because a dollar sign also matches before a final line feed. It is used within double
/// quotes, where both hosts process their own escapes first and a line feed ends the line.
fn pattern(path: &str) -> String {
    let path: Vec<u8> = percent_decode_str(path).collect();
    let mut out = String::new();
    // Decoded paths may not be UTF-8.
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

/// Escapes a substitution of mod_rewrite, where percent and dollar signs start references.
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
    fn special_characters_are_escaped_for_each_host() {
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
