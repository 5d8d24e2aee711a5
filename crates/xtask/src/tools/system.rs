//! Programs that the package manager of the machine installs.
//!
//! With apt, root installs them for all users, and other users unpack the downloaded packages in
//! `target/tools`. Lists and archives are in `target/tools` in both cases, so that only the
//! installation waits for another apt: for dpkg's lock. Without apt, the error names the command.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use anyhow::{Context, Result};

use super::{Tool, command};
use crate::repo::Repo;
use crate::run;

/// Maximum wait for an installation that somebody else began, in seconds.
const MAX_LOCK_WAIT: u32 = 900;

/// A program, and the packages that contain it.
pub(super) struct SystemPackages<'a> {
    /// Names of programs that are suitable, best first.
    programs: &'a [&'a str],
    debian: &'a [&'a str],
    /// The package for Fedora, and the formula of Homebrew: empty if macOS has no such program.
    others: [&'a str; 2],
    /// The path of the program in Debian's packages, if it also runs where they are unpacked.
    unpacked: Option<&'a str>,
}

impl<'a> SystemPackages<'a> {
    pub(super) const fn new(
        programs: &'a [&'a str],
        debian: &'a [&'a str],
        others: [&'a str; 2],
        unpacked: Option<&'a str>,
    ) -> Self {
        Self { programs, debian, others, unpacked }
    }

    /// The program's path, after installing it if it is missing.
    pub(super) fn get(&self, repo: &Repo, purpose: &str) -> Result<PathBuf> {
        let wrapper = repo.target("tools/unpacked/bin").join(self.programs[0]);
        let find = || {
            let installed = self.programs.iter().filter_map(|name| on_search_path(name));
            let is_working = |path: &PathBuf| run::version(path).is_some();
            installed.chain([wrapper.clone()]).find(is_working)
        };
        let mut steps = install(repo, self.debian);
        if steps.is_empty()
            && let Some(program) = self.unpacked
            && has_apt()
        {
            steps = unpack(repo, self.debian);
            if find().is_none() {
                write_wrapper(repo, program, &wrapper)?;
            }
        }
        Tool {
            name: self.programs[0].to_owned(),
            purpose,
            find: &find,
            install: steps,
            by_hand: &by_hand(self.debian, self.others[0], self.others[1]),
        }
        .get(repo)
    }
}

/// A sentence with the commands that install packages.
pub(super) fn by_hand(debian: &[&str], fedora: &str, homebrew: &str) -> String {
    let mut ways = vec![
        format!("`sudo apt-get install {}` on Debian or Ubuntu", debian.join(" ")),
        format!("`sudo dnf install {fedora}` on Fedora"),
    ];
    if !homebrew.is_empty() {
        ways.push(format!("`brew install {homebrew}` on macOS"));
    }
    let last = ways.pop().unwrap_or_default();
    format!("Install it with {} or {last}, then run this again.", ways.join(", "))
}

/// Commands that install packages for all users of the machine; none if that needs another package
/// manager, or root.
pub(super) fn install(repo: &Repo, debian: &[&str]) -> Vec<Command> {
    if !has_apt() || !is_root() {
        return Vec::new();
    }
    let mut install = apt_get(repo, "install");
    install.arg("-o").arg(format!("DPkg::Lock::Timeout={MAX_LOCK_WAIT}"));
    install.args(["--yes", "--no-install-recommends"]).args(debian);
    vec![make_folders(repo), apt_get(repo, "update"), install]
}

/// Commands that download packages with their missing dependencies, and unpack them in
/// `target/tools`.
fn unpack(repo: &Repo, debian: &[&str]) -> Vec<Command> {
    let mut download = apt_get(repo, "install");
    download.args(["--download-only", "--reinstall", "--yes", "--no-install-recommends"]);
    download.args(debian);
    let mut unpack = command("sh", ["-c"]);
    unpack.arg(
        "for deb in archives/*.deb; do dpkg-deb --extract \"$deb\" ../unpacked || exit 1; done",
    );
    unpack.current_dir(apt_folder(repo));
    vec![make_folders(repo), apt_get(repo, "update"), download, unpack]
}

fn make_folders(repo: &Repo) -> Command {
    let folder = apt_folder(repo);
    let mut make = command("mkdir", ["-p"]);
    make.args(["lists/partial", "archives/partial", "../unpacked"].map(|name| folder.join(name)));
    make
}

/// apt-get, with its lists and archives in `target/tools`.
fn apt_get(repo: &Repo, what: &str) -> Command {
    let folder = apt_folder(repo);
    let mut apt = command("apt-get", [what, "-o", "Acquire::Retries=3"]);
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    for (option, path) in
        [("State::Lists", "lists"), ("Cache", "cache"), ("Cache::Archives", "archives")]
    {
        apt.arg("-o").arg(format!("Dir::{option}={}", folder.join(path).display()));
    }
    if !is_root() {
        apt.args(["-o", "Debug::NoLocking=1"]);
    }
    apt
}

fn apt_folder(repo: &Repo) -> PathBuf {
    repo.target("tools/apt")
}

/// Writes a script that starts an unpacked program with its unpacked libraries.
fn write_wrapper(repo: &Repo, program: &str, wrapper: &Path) -> Result<()> {
    let root = repo.target("tools/unpacked");
    let libraries = ["usr/lib", "lib"].map(|folder| {
        format!("{0}/{1}/{2}-linux-gnu:{0}/{1}", root.display(), folder, env::consts::ARCH)
    });
    let script = format!(
        "#!/bin/sh\nLD_LIBRARY_PATH=\"{}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\" exec \"{}\" \"$@\"\n",
        libraries.join(":"),
        root.join(program).display()
    );
    let write = || {
        fs::create_dir_all(wrapper.parent().unwrap_or(wrapper))?;
        fs::write(wrapper, script)?;
        set_executable(wrapper)
    };
    write().with_context(|| format!("cannot write {}", wrapper.display()))
}

#[cfg(unix)]
fn set_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn set_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

fn has_apt() -> bool {
    on_search_path("apt-get").is_some()
}

#[cfg(unix)]
fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

fn on_search_path(program: &str) -> Option<PathBuf> {
    let search = env::var_os("PATH")?;
    env::split_paths(&search).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_command_for_each_system_that_has_the_program() {
        assert_eq!(
            by_hand(&["strace"], "strace", ""),
            "Install it with `sudo apt-get install strace` on Debian or Ubuntu or `sudo dnf install \
             strace` on Fedora, then run this again."
        );
        assert!(
            by_hand(&["a", "b"], "c", "--cask d")
                .contains("on Fedora or `brew install --cask d` on macOS")
        );
    }
}
