//! Tests the output of `pagekin redirects` in the servers that it is for, where these are
//! installed.

use std::ffi::OsStr;
use std::fs;
use std::io::{Write, stderr};
use std::net::{TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pagekin_tests::place::{Place, html, words};
use pagekin_tests::program::{PATIENCE, command, run};
use pagekin_tests::served::Served;
use serde_json::Value;

/// Names of pages that all move: some differ only in case, and some contain special characters of
/// servers or bytes that are not UTF-8.
const NAMES: [&[u8]; 13] = [
    b"Case",
    b"CASE",
    b"line\nbreak",
    b"feed\n",
    b"tab\there",
    b"a quote\" and \\ and '",
    b"$uri {1,2} ~^(x)*[y]+",
    b"%24 & %1 #",
    b"what?",
    b"v1.2",
    b"semi;colon",
    "caf\u{e9} \u{2013} \u{1f35e}".as_bytes(),
    b"\xff\xfe",
];

/// Returns a site whose pages moved, except one that stayed and that has a similar name.
fn moved() -> Place {
    let place = Place::empty();
    for (number, name) in (0..).zip(NAMES) {
        let page = html(&format!("Page {number}"), &words(number * 100, 60));
        for folder in ["old", "new/to"] {
            fs::create_dir_all(place.path(folder)).expect("there is room");
            let file = place.path(folder).join(OsStr::from_bytes(&[name, &b".html"[..]].concat()));
            fs::write(file, &page).expect("there is room");
        }
    }
    let kept = html("Kept", &words(5_000, 60));
    place.write("old/case.html", &kept);
    place.write("new/case.html", &kept);
    // The server may run as another user.
    fs::set_permissions(place.path(""), PermissionsExt::from_mode(0o755)).expect("it is ours");
    place
}

/// Returns the redirects in a format.
fn redirects(place: &Place, format: &str) -> String {
    let mut command = command(["redirects"]);
    command.arg(place.path("old")).arg(place.path("new"));
    command.args(["--clean-urls", "--format", format, "-q"]);
    run(&mut command, b"").ok()
}

/// Starts a server that is a single process, and waits until it listens. Returns `None` if it is
/// not installed.
fn started(program: &str, arguments: &[&str], port: u16) -> Option<Served> {
    let program = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"]
        .map(|folder| Path::new(folder).join(program))
        .into_iter()
        .find(|program| program.is_file())?;
    let child = Command::new(program).args(arguments).stdout(Stdio::null()).spawn();
    let mut server = Served { child: child.expect("it starts"), line: String::new(), port };
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(server.child.try_wait().expect("it is a child").is_none(), "it takes its settings");
        assert!(start.elapsed() < PATIENCE, "it listens");
        sleep(Duration::from_millis(20));
    }
    Some(server)
}

fn skip(program: &str) {
    // The macro would hide this line, since output of passing tests is not shown.
    let _ = writeln!(stderr(), "SKIPPED: redirects in {program}, which is not installed");
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("some port is free");
    listener.local_addr().expect("it has an address").port()
}

/// Checks that exactly the pages that moved are redirected, and to their new URLs.
fn check(place: &Place, server: &Served) {
    let found: Value = serde_json::from_str(&redirects(place, "json")).expect("JSON");
    let mut moved = 0;
    for page in found["pages"].as_array().expect("pages") {
        let text = |value: &Value| value.as_str().expect("a URL").to_owned();
        let (url, fate) = (text(&page["url"]), text(&page["fate"]));
        let response = server.get(&url);
        if fate == "kept" {
            assert_ne!(response.status, 301, "{url} leads to {}", response.header("location"));
            continue;
        }
        moved += 1;
        let to = text(&page["to"]["url"]);
        let location = response.header("location");
        let location = location.find("/to/").map_or(location, |at| &location[at..]);
        assert_eq!((response.status, percent(location)), (301, percent(&to)), "{url}");
    }
    assert_eq!(moved, NAMES.len());
    for other in ["/cAse", "/line", "/x/Case", "/Case2", "/Case%0A", "/feed", "/v1x2"] {
        assert_ne!(server.get(other).status, 301, "{other}");
    }
}

/// Decodes the percent-encoding of a URL.
fn percent(address: &str) -> String {
    pagekin_core::address::written(address)
}

#[test]
fn nginx_redirects_exactly_the_moved_pages() {
    let place = moved();
    let (port, folder) = (free_port(), place.path(""));
    let folder = folder.display();
    place.write("moves.map", redirects(&place, "nginx"));
    let user = if rustix::process::geteuid().is_root() { "user root;" } else { "" };
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {folder}/{kind};"))
        .concat();
    place.write(
        "nginx.conf",
        format!(
            "{user} daemon off; master_process off; pid {folder}/pid; error_log {folder}/log; events {{}}\n\
             http {{ access_log off; {temporary}\n\
             map $uri $moved_to {{ include {folder}/moves.map; }}\n\
             server {{ listen 127.0.0.1:{port}; root {folder}/new;\n\
             if ($moved_to) {{ return 301 $moved_to; }} }} }}\n"
        ),
    );
    let file = format!("{folder}/nginx.conf");
    let log = format!("{folder}/log");
    let Some(server) = started("nginx", &["-e", &log, "-c", &file], port) else {
        return skip("nginx");
    };
    check(&place, &server);
}

#[test]
fn apache_redirects_exactly_the_moved_pages() {
    let place = moved();
    let modules = Path::new("/usr/lib/apache2/modules");
    let (port, folder) = (free_port(), place.path(""));
    let folder = folder.display();
    let rules = redirects(&place, "apache");
    place.write("rules.conf", &rules);
    place.write("new/.htaccess", &rules);
    let modules: String = ["mpm_event", "authz_core", "rewrite", "dir"]
        .map(|name| format!("LoadModule {name}_module {}/mod_{name}.so\n", modules.display()))
        .concat();
    let user =
        if rustix::process::geteuid().is_root() { "User nobody\nGroup nogroup\n" } else { "" };
    // In the settings of the server, or in those of the folder.
    for settings in [format!("Include {folder}/rules.conf"), String::new()] {
        let overrides = if settings.is_empty() { "All" } else { "None" };
        place.write(
            "apache.conf",
            format!(
                "{modules}{user}ServerName localhost\nListen 127.0.0.1:{port}\nPidFile {folder}/pid\nErrorLog {folder}/log\n\
                 DefaultRuntimeDir {folder}\nDocumentRoot {folder}/new\n<Directory {folder}/new>\nAllowOverride {overrides}\n\
                 Options FollowSymLinks\nRequire all granted\n</Directory>\n{settings}\n"
            ),
        );
        let file = format!("{folder}/apache.conf");
        let Some(server) = started("apache2", &["-X", "-f", &file], port) else {
            return skip("apache2");
        };
        check(&place, &server);
    }
}
