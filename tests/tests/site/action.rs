//! The scripts of the GitHub Action: which program they install, and their output.

use std::fs;
use std::path::Path;
use std::process::Command;

use pagekin_tests::checkout;
use pagekin_tests::program::{Done, run};
use tempfile::TempDir;

/// A replacement for `curl`: it records its arguments and copies the file from `releases`.
const CURL: &str = r#"#!/usr/bin/env bash
echo "$@" >> "$PLACE/curl.log"
while [ $# -gt 1 ]; do
  if [ "$1" = --output ]; then to=$2; fi
  shift
done
cp "$PLACE/releases/$(basename "$1")" "$to"
"#;

/// The published checksum line, given the hash and the name of an archive.
type Checksum<'a> = &'a dyn Fn(&str, &str) -> String;

fn place() -> TempDir {
    let place = tempfile::tempdir().expect("there is room");
    for folder in ["bin", "releases", "temp"] {
        fs::create_dir(place.path().join(folder)).expect("nothing is there");
    }
    place
}

/// Installs a program that takes precedence over those of the system.
fn install(place: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = place.join("bin").join(name);
    fs::write(&path, script).expect("there is room");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn script(place: &Path, name: &str, variables: &[(&str, &str)]) -> Done {
    let path = std::env::var("PATH").expect("there are programs");
    let mut command = Command::new("bash");
    command
        .arg(checkout::root().join("crates/pagekin/action").join(name))
        .current_dir(place)
        .env("PATH", format!("{}:{path}", place.join("bin").display()))
        .env("PLACE", place)
        .env("RUNNER_TEMP", place.join("temp"))
        .env("GITHUB_PATH", place.join("path"))
        .env("GITHUB_OUTPUT", place.join("output"))
        .env("GITHUB_STEP_SUMMARY", place.join("summary"))
        .envs(variables.iter().copied());
    run(&mut command, b"")
}

/// Installs a release whose published checksum is that of `checksum`, given the hash and the name
/// of its archive.
fn install_with(checksum: impl Fn(&str, &str) -> String) -> (TempDir, Done) {
    let place = place();
    install(place.path(), "curl", CURL);
    // Fix the platform that the script queries.
    install(place.path(), "uname", "#!/bin/sh\n[ \"$1\" = -s ] && echo Linux || echo x86_64\n");
    let name = "pagekin-v1.2.3-x86_64-unknown-linux-musl";
    let make = format!(
        "cd releases && mkdir {name} && echo program > {name}/pagekin && tar -czf {name}.tar.gz {name} && sha256sum < {name}.tar.gz"
    );
    let mut command = Command::new("bash");
    let made = run(command.args(["-c", &make]).current_dir(place.path()), b"").ok();
    let hash = made.split(' ').next().expect("it begins with the hash");
    let archive = format!("{name}.tar.gz");
    let published = place.path().join("releases").join(format!("{archive}.sha256"));
    fs::write(published, checksum(hash, &archive)).expect("there is room");
    let done = script(place.path(), "install.sh", &[("PAGEKIN_VERSION", "v1.2.3")]);
    (place, done)
}

#[test]
fn an_archive_is_installed_over_tls_if_its_hash_matches() {
    let (place, done) = install_with(|hash, name| format!("{hash}  {name}\n"));
    done.ok();
    let output = fs::read_to_string(place.path().join("output")).expect("it is written");
    assert_eq!(output, "version=1.2.3\n");
    let log = fs::read_to_string(place.path().join("curl.log")).expect("it was called");
    assert_eq!(log.lines().count(), 2);
    for line in log.lines() {
        for option in ["--proto =https ", "--proto-redir =https ", "--tlsv1.2 "] {
            assert!(line.contains(option), "{line}");
        }
    }
    let other = "0".repeat(64);
    let refused: [Checksum<'_>; 6] = [
        &|_, name| format!("{other}  {name}\n"),
        // The hash of an empty file.
        &|_, _| {
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  /dev/null\n"
                .to_owned()
        },
        &|_, _| String::new(),
        &|_, _| "*  *\n".to_owned(),
        &|hash, name| format!("{}  {name}\n", &hash[..8]),
        &|hash, name| format!("{other}  {name}\n{hash}  {name}\n"),
    ];
    for (at, checksum) in refused.into_iter().enumerate() {
        let (place, done) = install_with(checksum);
        assert!(done.stdout.contains("does not match the published one"), "{at}: {done:?}");
        assert!(!place.path().join("path").exists(), "{at}");
    }
}

#[test]
fn releases_are_not_fetched_without_tls() {
    let place = place();
    install(place.path(), "curl", CURL);
    for (name, value) in
        [("PAGEKIN_RELEASES", "http://example.org"), ("PAGEKIN_VERSION", "1\n::set-env::")]
    {
        let done = script(place.path(), "install.sh", &[(name, value)]);
        assert!(done.stdout.starts_with("::error::"), "{done:?}");
        assert_eq!(done.stdout.lines().count(), 1, "{done:?}");
    }
    assert!(!place.path().join("curl.log").exists());
}

#[test]
fn the_name_of_a_site_is_not_a_command_for_the_runner() {
    let place = place();
    let variables =
        [("SITE", "site"), ("OUTPUT", ""), ("BASE_URL", "/"), ("ARGS", ""), ("CACHE", "")];
    for code in ["0", "3"] {
        let program = format!(
            "#!/bin/sh\necho ::warning::title >&2\nprintf '```\\n::error::title\\n'\nexit {code}\n"
        );
        install(place.path(), "pagekin", &program);
        let done = script(place.path(), "build.sh", &variables);
        assert_eq!(
            (&*done.stderr, done.code.map(|code| code.to_string())),
            ("", Some(code.to_owned()))
        );
        let lines: Vec<&str> = done.stdout.lines().collect();
        let token = lines[0].strip_prefix("::stop-commands::").expect("commands are stopped");
        assert!(token.len() == 32, "{token}");
        assert_eq!(*lines.last().expect("there are lines"), format!("::{token}::"));
        assert_eq!(lines[1], "::warning::title");
        assert_eq!(lines.contains(&"::error::title"), code == "0", "{lines:?}");
    }
    let summary = fs::read_to_string(place.path().join("summary")).expect("it is written");
    assert_eq!(summary, "### pagekin\n\n    ```\n    ::error::title\n\n");
}
