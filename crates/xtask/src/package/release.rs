//! `cargo xtask release`: uploads the packages of all platforms, or lists them.
//!
//! The plan lists the packages that must exist: a missing package, an additional one or one of
//! another version ends a release before its first upload. Packages that a registry already
//! contains are skipped, so an interrupted release can be started again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail};

use super::archive::digest;
use super::platform::{self, PLATFORMS, Platform};
use super::{VERSION, bytes, crates};
use crate::files::files;
use crate::repo::Repo;
use crate::run;

/// The image, without the tag of a version.
const IMAGE: &str = "ghcr.io/pagekin/pagekin";
/// The file with the checksums of a release, below target/packages.
const CHECKSUMS: &str = "SHA256SUMS";
/// Folders below target/packages that are not uploaded.
const NOT_UPLOADED: [&str; 2] = ["build", "trial"];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only list the uploads in their order
    #[arg(long)]
    dry_run: bool,
    /// Only the packages of this platform, as `cargo xtask package` builds them
    #[arg(long, requires = "dry_run")]
    here: bool,
    /// The tag of the release; it must name the version
    #[arg(long)]
    tag: Option<String>,
}

/// The destinations of uploads in their order: dependencies come first, and packages that can be
/// replaced later come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Crates,
    Npm,
    Wheels,
    Image,
    Release,
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Self::Crates => "crates.io",
            Self::Npm => "npm",
            Self::Wheels => "PyPI",
            Self::Image => "the registry of the image",
            Self::Release => "the release of the tag",
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Upload {
    place: Place,
    /// Its name at the destination.
    name: String,
    /// Below target/packages.
    file: String,
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    if let Some(tag) = arguments.tag.as_deref().filter(|tag| *tag != format!("v{VERSION}")) {
        bail!("expected the tag v{VERSION}, as Cargo.toml has that version, found {tag}");
    }
    let here = platform::here().ok().filter(|_| arguments.here);
    let platforms: Vec<_> = here.map_or_else(|| PLATFORMS.iter().collect(), |here| vec![here]);
    let plan = plan(&crates::published(repo)?, &platforms);
    let folder = repo.target("packages");
    let found = check(&folder, &plan);
    println!("Version {VERSION}, of {}:", folder.display());
    let sums = show(&folder, &plan)?;
    found?;
    if arguments.dry_run {
        println!("\nNothing was uploaded.");
        return Ok(());
    }
    fs::write(folder.join(CHECKSUMS), sums)
        .with_context(|| format!("cannot write {CHECKSUMS} into {}", folder.display()))?;
    upload(repo, &folder, &plan)
}

/// The uploads of some platforms. Crates are in the order of their dependencies.
fn plan(crates: &[&str], platforms: &[&Platform]) -> Vec<Upload> {
    let mut plan = Vec::new();
    let mut add = |place, name: String, file: String| plan.push(Upload { place, name, file });
    let is_whole = platforms.iter().any(|platform| platform.is_first());
    for name in crates.iter().filter(|_| is_whole) {
        add(Place::Crates, (*name).to_owned(), format!("crates/{name}-{VERSION}.crate"));
    }
    for platform in platforms {
        let (os, cpu) = platform.npm;
        add(Place::Npm, platform.npm_name(), format!("npm/pagekin-{os}-{cpu}-{VERSION}.tgz"));
    }
    if is_whole {
        // It depends on those of the platforms, and `latest` must be complete.
        add(Place::Npm, "pagekin".to_owned(), format!("npm/pagekin-{VERSION}.tgz"));
    }
    let wheel = |name: &str, tag: &str| format!("{name}-{VERSION}-py3-none-{tag}.whl");
    for platform in platforms {
        let file = format!("python/{}", wheel("pagekin", platform.tag));
        add(Place::Wheels, "pagekin".to_owned(), file);
    }
    for platform in platforms.iter().filter(|platform| platform.has_spark()) {
        let file = format!("python-spark/{}", wheel("pagekin_spark", platform.tag));
        add(Place::Wheels, "pagekin-spark".to_owned(), file);
    }
    for arch in platforms.iter().filter_map(|platform| platform.image) {
        add(Place::Image, format!("{IMAGE}:{VERSION}"), format!("docker/{arch}/pagekin"));
    }
    let tag = || format!("v{VERSION}");
    for platform in platforms {
        let file = format!(
            "archives/pagekin-v{VERSION}-{}.{}",
            platform.target,
            platform.archive_suffix()
        );
        add(Place::Release, tag(), format!("{file}.sha256"));
        add(Place::Release, tag(), file);
    }
    if is_whole {
        add(Place::Release, tag(), format!("sbom/pagekin-v{VERSION}.cdx.json"));
    }
    plan
}

/// Checks that exactly the planned files exist, and that archives have their checksums.
fn check(folder: &Path, plan: &[Upload]) -> Result<()> {
    let planned: BTreeSet<PathBuf> = plan.iter().map(|upload| folder.join(&upload.file)).collect();
    let there: BTreeSet<PathBuf> = files(folder)
        .with_context(|| {
            format!("cannot list {}: `cargo xtask package` builds it", folder.display())
        })?
        .into_iter()
        .filter(|file| {
            let below = file.strip_prefix(folder).unwrap_or(file);
            !NOT_UPLOADED.iter().any(|other| below.starts_with(other))
                && below != Path::new(CHECKSUMS)
        })
        .collect();
    let listed = |files: &mut dyn Iterator<Item = &PathBuf>| {
        let below =
            |file: &PathBuf| file.strip_prefix(folder).unwrap_or(file).display().to_string();
        files.map(below).collect::<Vec<_>>().join(", ")
    };
    let missing = listed(&mut planned.difference(&there));
    if !missing.is_empty() {
        bail!(
            "expected version {VERSION} of all packages, but some are missing: {missing}. \
             `cargo xtask package` builds those of one platform. Gather those of all platforms \
             in {}",
            folder.display()
        );
    }
    let others = listed(&mut there.difference(&planned));
    if !others.is_empty() {
        bail!(
            "expected only the packages of version {VERSION} in {}, found also: {others}. \
             Remove the packages of other versions or platforms",
            folder.display()
        );
    }
    for sums in planned.iter().filter(|file| file.extension().is_some_and(|end| end == "sha256")) {
        let archive = sums.with_extension("");
        let text =
            fs::read_to_string(sums).with_context(|| format!("cannot read {}", sums.display()))?;
        if text.split_whitespace().next() != Some(&digest(&archive)?) {
            bail!("expected the checksum of {} in {}", archive.display(), sums.display());
        }
    }
    Ok(())
}

/// Prints a plan, and returns the checksums of the files in the format of `sha256sum`.
fn show(folder: &Path, plan: &[Upload]) -> Result<String> {
    let mut sums = String::new();
    let mut all = 0;
    let mut last = None;
    for (number, upload) in plan.iter().enumerate() {
        if last.replace(upload.place) != Some(upload.place) {
            println!("\nto {}:", upload.place.name());
        }
        let path = folder.join(&upload.file);
        if !path.is_file() {
            println!("{:>3}. {:<28} {}: missing", number + 1, upload.name, upload.file);
            continue;
        }
        let (size, digest) = (bytes(&path)?, digest(&path)?);
        all += size;
        println!("{:>3}. {:<28} {}", number + 1, upload.name, upload.file);
        println!("     {size:>10} bytes  sha256 {digest}");
        let name = upload.file.rsplit('/').next().unwrap_or(&upload.file);
        // The archives contain the programs of the image, which have one name.
        if upload.place != Place::Image {
            sums += &format!("{digest}  {name}\n");
        }
    }
    println!("     and {CHECKSUMS}, the checksums of all of the above but the image's programs");
    println!("\n{} files, {all} bytes.", plan.len());
    Ok(sums)
}

/// Uploads the packages in the order of the plan.
fn upload(repo: &Repo, folder: &Path, plan: &[Upload]) -> Result<()> {
    let of = |place| plan.iter().filter(move |upload| upload.place == place);
    let paths = |place| of(place).map(|upload| folder.join(&upload.file)).collect::<Vec<_>>();
    check_crates(repo, folder)?;
    for Upload { name, .. } in of(Place::Crates) {
        let registry = ["--registry", "crates-io", "--quiet"];
        let named = format!("{name}@{VERSION}");
        if is_there(repo.cargo(&["info", &named]).args(registry)) {
            println!("{named} is already published");
            continue;
        }
        // The program was built from the packages. `www/dist` is not in Git.
        let publish = ["publish", "--no-verify", "--allow-dirty", "--package", name];
        run::visible(&mut repo.cargo(&publish))?;
    }
    for Upload { name, file, .. } in of(Place::Npm) {
        let named = format!("{name}@{VERSION}");
        if is_there(Command::new(run::NPM).args(["view", &named, "version"])) {
            println!("{named} is already published");
            continue;
        }
        let mut publish = Command::new(run::NPM);
        publish.arg("publish").arg(folder.join(file));
        if env::var_os("GITHUB_ACTIONS").is_none() {
            // Only GitHub can attest its origin.
            publish.arg("--provenance=false");
        }
        run::visible(&mut publish)?;
    }
    let mut twine = Command::new("twine");
    twine.args(["upload", "--non-interactive", "--skip-existing"]);
    run::visible(twine.args(paths(Place::Wheels)))?;
    let mut docker = Command::new("docker");
    docker.args(["buildx", "build", "--platform", "linux/amd64,linux/arm64", "--push"]);
    for tag in [VERSION, "latest"] {
        docker.args(["--tag", &format!("{IMAGE}:{tag}")]);
    }
    run::visible(docker.arg(".").current_dir(repo.path("")))?;
    let tag = format!("v{VERSION}");
    let gh = || {
        let mut gh = Command::new("gh");
        gh.current_dir(repo.path("")).arg("release");
        gh
    };
    if !is_there(gh().args(["view", &tag])) {
        let notes =
            format!("[What changed](https://github.com/pagekin/pagekin/blob/{tag}/CHANGELOG.md)");
        let mut create = gh();
        create.args(["create", &tag, "--verify-tag", "--draft", "--title", VERSION]);
        run::visible(create.args(["--notes", &notes]))?;
    }
    let mut attach = gh();
    attach.args(["upload", &tag, "--clobber"]).args(paths(Place::Release));
    run::visible(attach.arg(folder.join(CHECKSUMS)))?;
    // It is a draft until all files are attached.
    run::visible(gh().args(["edit", &tag, "--draft=false"]))
}

/// Whether a command succeeds and prints something.
fn is_there(command: &mut Command) -> bool {
    let output = command.stderr(Stdio::null()).output();
    output.is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}

/// Checks that Cargo would upload the crates from which the programs were built: it packages this
/// checkout again.
fn check_crates(repo: &Repo, folder: &Path) -> Result<()> {
    for made in crates::made(repo)? {
        let name = made.file_name().unwrap_or_default();
        let released = folder.join("crates").join(name);
        if digest(&made)? != digest(&released)? {
            bail!(
                "expected {} from this checkout again, found other bytes in {}. Use `www/dist` of the \
                 same run, and the same version of Cargo",
                released.display(),
                made.display()
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_uploaded_first() {
        let repo = Repo::locate().unwrap();
        let crates = crates::published(&repo).unwrap();
        let plan = plan(&crates, &PLATFORMS.iter().collect::<Vec<_>>());
        assert!(plan.is_sorted_by_key(|upload| upload.place));
        let at = |place, name: &str| {
            let mut places = plan.iter();
            places.position(|upload| upload.place == place && upload.name == name)
        };
        let mut needs = 0;
        for &name in &crates {
            for needed in &repo.package(name).unwrap().dependencies {
                if needed.path.is_none() || needed.kind.as_deref() == Some("dev") {
                    continue;
                }
                needs += 1;
                let (first, then) = (at(Place::Crates, &needed.name), at(Place::Crates, name));
                assert!(first.is_some() && first < then, "{name} needs {}", needed.name);
            }
        }
        assert!(needs > 10, "{needs}");
        let pagekin = at(Place::Npm, "pagekin").unwrap();
        for platform in &PLATFORMS {
            assert!(at(Place::Npm, &platform.npm_name()).unwrap() < pagekin);
        }
        let names: BTreeSet<_> = plan.iter().map(|upload| &upload.file).collect();
        assert_eq!(names.len(), plan.len());
        for file in ["npm/pagekin-win32-x64-", "archives/pagekin-v", "python/pagekin-"] {
            assert!(plan.iter().any(|upload| upload.file.starts_with(file)), "{file}");
        }
    }

    #[test]
    fn a_missing_package_or_another_version_ends_a_release() {
        let folder = Repo::locate().unwrap().emptied("release-test").unwrap();
        let windows = PLATFORMS.iter().find(|platform| platform.is_windows()).unwrap();
        let plan = plan(&["pagekin"], &[windows]);
        let write = |file: &str, text: &str| {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for Upload { file, .. } in &plan {
            write(file, "x");
        }
        let archive = format!("archives/pagekin-v{VERSION}-x86_64-pc-windows-msvc.zip");
        let error = check(&folder, &plan).unwrap_err().to_string();
        assert!(error.starts_with("expected the checksum of "), "{error}");
        let sum = digest(&folder.join(&archive)).unwrap();
        write(&format!("{archive}.sha256"), &format!("{sum}  x\n"));
        write("build/program/pagekin", "not uploaded");
        check(&folder, &plan).unwrap();
        write("npm/pagekin-win32-x64-0.0.1.tgz", "x");
        let error = check(&folder, &plan).unwrap_err().to_string();
        assert!(error.contains("found also: npm/pagekin-win32-x64-0.0.1.tgz. "), "{error}");
        fs::remove_file(folder.join(&archive)).unwrap();
        let error = check(&folder, &plan).unwrap_err().to_string();
        assert!(error.contains(&format!("missing: {archive}. ")), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }
}
