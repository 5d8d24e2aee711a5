//! The archive of a release, and the program for the image.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::VERSION;
use super::platform::Platform;
use crate::files::{copy, copy_all};
use crate::repo::Repo;
use crate::run;

/// The shells that the program writes completions for, and the names of the files.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "pagekin.bash"),
    ("elvish", "pagekin.elv"),
    ("fish", "pagekin.fish"),
    ("powershell", "_pagekin.ps1"),
    ("zsh", "_pagekin"),
];

/// Builds the archive and the file with its checksum.
pub(super) fn make(
    repo: &Repo,
    platform: &Platform,
    program: &Path,
    manual: &Path,
) -> Result<(PathBuf, PathBuf)> {
    let name = format!("pagekin-v{VERSION}-{}", platform.target);
    let staging = repo.emptied("packages/build/archive")?;
    let folder = staging.join(&name);
    copy(program, &folder.join(platform.program()))?;
    for file in ["LICENSE", "README.md"] {
        copy(&repo.path(file), &folder.join(file))?;
    }
    copy_all(manual, &folder.join("man"))?;
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    for (shell, file) in COMPLETIONS {
        let script = run::output(Command::new(program).args(["completions", shell]))?;
        fs::write(completions.join(file), script)?;
    }
    let file = format!("{name}.{}", platform.archive_suffix());
    let archives = repo.emptied("packages/archives")?;
    let archive = archives.join(&file);
    let mut pack = if file.ends_with(".zip") {
        let mut zip = Command::new(run::PYTHON);
        zip.args(["-m", "zipfile", "-c"]);
        zip
    } else {
        let mut tar = Command::new("tar");
        tar.arg("-czf");
        tar
    };
    run::visible(pack.arg(&archive).arg(&name).current_dir(&staging))?;
    let checksum = archives.join(format!("{file}.sha256"));
    fs::write(&checksum, format!("{}  {file}\n", digest(&archive)?))?;
    Ok((archive, checksum))
}

/// The SHA-256 of a file in hexadecimal digits.
pub(super) fn digest(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Copies the program to the path that the Dockerfile uses.
pub(super) fn stage_image(repo: &Repo, platform: &Platform, program: &Path) -> Result<()> {
    let Some(arch) = platform.image else { return Ok(()) };
    copy(program, &repo.target(&format!("packages/docker/{arch}/pagekin")))
}
