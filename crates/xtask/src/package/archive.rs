//! What is downloaded by itself: the archive of a release, and the file of the image.

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

/// The shells that the program writes completions for, and what they call the files.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "pagekin.bash"),
    ("elvish", "pagekin.elv"),
    ("fish", "pagekin.fish"),
    ("powershell", "_pagekin.ps1"),
    ("zsh", "_pagekin"),
];

/// Makes the archive and the file with its checksum.
pub(super) fn make(
    repo: &Repo,
    platform: &Platform,
    program: &Path,
    manual: &Path,
) -> Result<(PathBuf, PathBuf)> {
    let name = format!("pagekin-v{VERSION}-{}", platform.target);
    let staging = repo.emptied("packages/build/archive")?;
    let folder = staging.join(&name);
    copy(program, &folder.join("pagekin"))?;
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
    let archive = repo.emptied("packages/archives")?.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("-czf").arg(&archive).arg("-C").arg(&staging).arg(&name);
    run::visible(&mut tar)?;
    let bytes = fs::read(&archive).with_context(|| format!("cannot read {}", archive.display()))?;
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let checksum = archive.with_extension("gz.sha256");
    fs::write(&checksum, format!("{digest}  {name}.tar.gz\n"))?;
    Ok((archive, checksum))
}

/// Puts the program where the Dockerfile takes it from.
pub(super) fn stage_image(repo: &Repo, platform: &Platform, program: &Path) -> Result<()> {
    let Some(arch) = platform.image else { return Ok(()) };
    copy(program, &repo.target(&format!("packages/docker/{arch}/pagekin")))
}
