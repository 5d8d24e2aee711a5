//! Options from pagekin.toml and the environment: their effect, their precedence, and refused
//! values.

use std::fs;
use std::path::Path;
use std::process::Command;

use pagekin_tests::checkout;
use pagekin_tests::place::Place;
use pagekin_tests::program::{self, Done, run};
use serde_json::Value;

const PAGES: &[(&str, &str)] = &[
    ("public/a.html", "<title>A</title><main>kestrels hover above meadows</main>"),
    ("public/b.html", "<title>B</title><main>kestrels hover above cliffs</main>"),
    ("public/drafts/c.html", "<title>C</title><main>lighthouse keepers</main>"),
];

/// Runs pagekin in `folder` with these environment variables.
fn run_in(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Done {
    let mut command = Command::new(program::path());
    command.current_dir(folder).args(arguments).envs(variables.iter().copied());
    run(&mut command, b"")
}

fn summary(done: Done) -> Value {
    serde_json::from_str(&done.ok()).expect("it is JSON")
}

fn place(toml: &str) -> Place {
    let place = Place::with(PAGES);
    fs::write(place.site().join("pagekin.toml"), toml).expect("the place is writable");
    place
}

const TOML: &str = "[build]\nsite = \"public\"\noutput = \"index\"\nbase-url = \"/docs/\"\n\
                    exclude = [\"drafts/**\"]\nrelated-json = true\ncomponents = [\"none\"]\n";

#[test]
fn the_file_sets_what_the_command_line_omits() {
    let place = place(TOML);
    let site = place.site();
    // Paths are relative to the file, which is searched for in the parent folders.
    let found = summary(run_in(&site.join("public/drafts"), &[], &["build", "--json"]));
    assert_eq!(found["pages"], 2, "{found}");
    let related = fs::read_to_string(site.join("index/related.json")).expect("it was requested");
    assert!(related.contains("\"/docs/a.html\""), "{related}");
    assert!(!site.join("index/box.js").exists());

    let more = ["build", "--json", "--components", "box", "--exclude", "b.html", "--base-url", "/"];
    let found = summary(run_in(&site, &[], &more));
    assert_eq!(found["pages"], 2, "lists replace one another: {found}");
    assert!(site.join("index/box.js").exists());
    let related = fs::read_to_string(site.join("index/related.json")).expect("it was requested");
    assert!(related.contains("\"/drafts/c.html\"") && !related.contains("docs"), "{related}");
}

#[test]
fn the_environment_takes_precedence_over_the_file() {
    let place = place(TOML);
    let variables = [("PAGEKIN_BASE_URL", "/env/"), ("PAGEKIN_EXCLUDE", "a.html, b.html")];
    let printed = run_in(&place.site(), &variables, &["config"]).ok();
    let lines: Vec<String> =
        printed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let folder = fs::canonicalize(place.site()).expect("it is there");
    let folder = folder.display();
    for line in [
        "base-url = \"/env/\" # PAGEKIN_BASE_URL".to_owned(),
        "exclude = [\"a.html\", \"b.html\"] # PAGEKIN_EXCLUDE".to_owned(),
        format!("site = \"{folder}/public\" # {folder}/pagekin.toml:2"),
        "related-count = 5 # default".to_owned(),
        "# previous =".to_owned(),
        "[duplicates]".to_owned(),
    ] {
        assert!(lines.contains(&line), "{line} in {printed}");
    }
    let found = summary(run_in(&place.site(), &variables, &["build", "--json"]));
    assert_eq!(found["pages"], 1);
    let switched = [("PAGEKIN_KEEP_REPEATED", "perhaps")];
    let error = run_in(&place.site(), &switched, &["build"]).failed(2);
    assert!(error.contains("PAGEKIN_KEEP_REPEATED: expected 1, true, 0 or false"), "{error}");
    let unknown = run_in(&place.site(), &[("PAGEKIN_BASE_ULR", "/")], &["build"]);
    assert!(
        unknown.stderr.contains("unknown environment variable PAGEKIN_BASE_ULR"),
        "{unknown:?}"
    );
}

#[test]
fn config_prints_an_equivalent_file() {
    let place = place(TOML);
    let printed = run_in(&place.site(), &[], &["config"]).ok();
    let copy = place.site().join("copy.toml");
    fs::write(&copy, &printed).expect("the place is writable");
    let name = copy.to_str().expect("it is a text");
    let again = run_in(&place.site(), &[], &["--config", name, "config"]).ok();
    let values = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split('#').next().unwrap_or_default().trim().into()).collect()
    };
    assert_eq!(values(&again), values(&printed));
}

#[test]
fn a_file_can_be_named_or_disabled() {
    let place = place("[build]\nno such thing\n");
    let build = ["build", "public", "-o", "index"];
    let error = run_in(&place.site(), &[], &build).failed(2);
    assert!(error.contains("pagekin.toml:2: "), "{error}");
    run_in(&place.site(), &[], &[&build[..], &["--no-config"]].concat()).ok();
    fs::write(place.site().join("other.toml"), "[build]\nbase-url = \"/other/\"\n")
        .expect("written");
    let other = ["--config", "other.toml", "build", "public", "-o", "index", "--related-json"];
    run_in(&place.site(), &[], &other).ok();
    let related = fs::read_to_string(place.site().join("index/related.json")).expect("written");
    assert!(related.contains("/other/a.html"), "{related}");
}

#[track_caller]
fn check_refused(toml: &str, expected: &str) {
    let place = place(toml);
    let error = run_in(&place.site(), &[], &["build", "public", "-o", "index"]).failed(2);
    assert!(error.contains(expected), "{error}");
    assert!(!place.site().join("index").exists());
}

#[test]
fn invalid_files_are_refused() {
    check_refused(
        "[build]\nbase_url = \"/\"\n",
        "pagekin.toml:2: unknown option \"base_url\" in [build]",
    );
    check_refused("[build]\ndemo = true\n", "; --demo was replaced by `--pages demo`");
    check_refused("[biuld]\nsite = \"/\"\n", "pagekin.toml:1: unknown section [biuld]");
    check_refused("\n[build]\nrelated-count = \"lots\"\n", "pagekin.toml:3: invalid value 'lots'");
    check_refused("[build]\nkeep-repeated = 1\n", "keep-repeated: expected true or false");
    check_refused(
        "[build]\nrelated-count = [\"1\"]\n",
        "related-count: expected one value, found a list",
    );
    check_refused("[build]\nfrom = \"crawl\"\n", "unknown option \"from\"");
    check_refused(
        "[build]\nprevious = 3\n",
        "pagekin.toml:2: previous: expected a string, found 3",
    );
    check_refused("[build]\nexclude = [\"[\"]\n", "pagekin.toml:2: invalid value '['");
    check_refused("[build]\nlang = \"english\"\n", "pagekin.toml:2: invalid value 'english'");
    // As many keys as a file may contain, each on its own line.
    let keys: String = (0..80_000).map(|n| format!("k{n} = 1\n")).collect();
    check_refused(&format!("[build]\n{keys}"), "pagekin.toml:2: unknown option \"k0\" in [build]");
    check_refused(&" ".repeat(2 << 20), "it has more than 1048576 bytes");
}

#[test]
fn the_published_schema_matches_the_options() {
    let path = checkout::root().join("crates/pagekin/pagekin.schema.json");
    let schema = run_in(Path::new("."), &[], &["config", "--schema"]).ok();
    let published = fs::read_to_string(path).unwrap_or_default();
    assert!(
        schema == published,
        "the options have changed: `pagekin config --schema > crates/pagekin/pagekin.schema.json`"
    );
}

#[track_caller]
fn check_only_if_named(toml: &str, arguments: &[&str], expected: &str) {
    let place = Place::with(PAGES);
    fs::create_dir(place.site().join("project")).expect("the place is writable");
    let folder = place.site().join("project");
    fs::write(folder.join("pagekin.toml"), toml).expect("the place is writable");
    let error = run_in(&folder, &[], arguments).failed(2);
    assert!(error.contains(expected), "{toml}: {error}");
    assert!(
        error.contains("Pass it on the command line, or name the file with --config"),
        "{error}"
    );
    assert!(!place.site().join("taken").exists(), "{toml}: nothing is written");
    let named = [&["--config", "pagekin.toml"], arguments].concat();
    let done = run_in(&folder, &[], &named);
    assert!(!done.stderr.contains("Pass it on the command line"), "{toml}: {done:?}");
}

#[test]
fn options_that_leave_the_folder_or_expose_it_are_set_by_the_user_alone() {
    let build = ["build", "../public"];
    check_only_if_named(
        "[build]\noutput = \"../taken\"\n",
        &build,
        "pagekin.toml:2: output: \"../taken\" is not in the folder of the file",
    );
    check_only_if_named(
        "[build]\noutput = \"index\"\noffline-bundle = \"../taken\"\n",
        &build,
        "pagekin.toml:3: offline-bundle: \"../taken\" is not in the folder",
    );
    check_only_if_named(
        "[build]\nsite = \"/etc\"\n",
        &["build"],
        "site: \"/etc\" is not in the folder",
    );
    check_only_if_named(
        "[duplicates]\nsites = [\".\", \"../public\"]\n",
        &["duplicates"],
        "pagekin.toml:2: sites: \"../public\" is not in the folder",
    );
    for (key, value) in [("host", "[\"evil.example\"]"), ("follow-symlinks", "true")] {
        // There is no index: it ends with that where the option is obeyed.
        check_only_if_named(
            &format!("[serve]\n{key} = {value}\n"),
            &["serve", "none"],
            &format!("pagekin.toml:2: {key} decides who can access which files"),
        );
    }
    // What is given otherwise is not asked of the file, and off is off.
    let place =
        place("[build]\nsite = \"..\"\noutput = \"..\"\n\n[serve]\nfollow-symlinks = false\n");
    let off = run_in(&place.site(), &[], &["serve", "none"]).failed(1);
    assert!(off.contains("no index at"), "{off}");
    run_in(&place.site(), &[("PAGEKIN_OUTPUT", "index")], &["build", "public"]).ok();
}

#[cfg(unix)]
#[test]
fn a_world_writable_file_is_used_only_if_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = place(TOML);
    let file = place.site().join("pagekin.toml");
    let mode = |mode| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    mode(0o666);
    for command in ["build", "config"] {
        let error = run_in(&place.site(), &[], &[command]).failed(2);
        assert!(error.contains("every user of this machine can write to it"), "{error}");
    }
    assert!(!place.site().join("index").exists());
    run_in(&place.site(), &[], &["build", "--config", "pagekin.toml"]).ok();
    // With a umask of 002 every file has this mode.
    mode(0o664);
    run_in(&place.site(), &[], &["build"]).ok();
}
