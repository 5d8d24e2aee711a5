//! Starting other programs, and waiting for them.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// On Windows, the name of a script includes its extension.
pub(crate) const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };
pub(crate) const NPX: &str = if cfg!(windows) { "npx.cmd" } else { "npx" };
pub(crate) const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

pub(crate) fn in_venv(environment: &Path, program: &str) -> PathBuf {
    let folder = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
    folder.join(format!("{program}{EXE_SUFFIX}"))
}

/// Runs a command with visible output. Fails unless its exit code is 0.
pub(crate) fn visible(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a command and returns its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    if !output.status.success() {
        bail!("`{}` failed ({})", line(command), output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The first line that a program prints for `--version`; nothing if it is missing or does not work.
pub(crate) fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    // A subcommand of Cargo expects its own name.
    let name = program.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    command.args(name.strip_prefix("cargo-"));
    let output = command.arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.lines().next().unwrap_or_default().to_owned())
}

/// Runs a command with its output in a file. If it fails, the error ends with the last lines of
/// that file.
pub(crate) fn logged(command: &mut Command, log: &Path) -> Result<()> {
    const LINES_SHOWN: usize = 20;
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let status = command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    if !status.success() {
        let bytes = fs::read(log).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let end = lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n");
        bail!("`{}` failed ({status}). Its last lines ({}):\n{end}", line(command), log.display());
    }
    Ok(())
}

/// The command as you would type it.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if !word.is_empty()
        && !word.contains(|c: char| c.is_whitespace() || "'\"\\$*?;&|<>()".contains(c))
    {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Replaces this program with another one, so that signals and the exit code are its own.
#[cfg(unix)]
pub(crate) fn instead_of_this(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(error).with_context(|| format!("cannot start `{}`", line(command)))
}

/// Runs a program to its end.
#[cfg(not(unix))]
pub(crate) fn instead_of_this(command: &mut Command) -> Result<()> {
    visible(command)
}

/// The CPU time of this program and of its finished children, including their children.
#[cfg(unix)]
pub(crate) fn cpu_time() -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    let mut micros = 0;
    for who in [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN] {
        let usage = getrusage(who).ok()?;
        for time in [usage.user_time(), usage.system_time()] {
            micros += u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).ok()?;
        }
    }
    Some(Duration::from_micros(micros))
}

#[cfg(not(unix))]
pub(crate) fn cpu_time() -> Option<Duration> {
    None
}
