//! Installs the packages in empty folders, as people do, and uses them on the teaching site. It
//! does not ask registries, which contain other versions.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::{Packages, VERSION};
use crate::files::{copy, copy_all};
use crate::repo::Repo;
use crate::{run, tools};

const SITE: &str = "tests/site";
const MANIFEST: &str = "pagekin.manifest";

pub(crate) fn run(repo: &Repo, packages: &Packages) -> Result<()> {
    let trial = Trial { repo, folder: repo.emptied("packages/trial")? };
    let manifest = trial.program(packages)?;
    let mut others = vec![("npm", trial.npm(packages)?), ("wheel", trial.wheel(packages)?)];
    // Windows does not start a script by its path.
    if cfg!(unix) {
        others.push(("action", trial.action(packages)?));
    }
    for (name, other) in others {
        if other != manifest {
            bail!("expected the same index of all packages, found another of the {name}");
        }
    }
    packages.spark.as_deref().map_or(Ok(()), |wheel| trial.spark(wheel))
}

struct Trial<'a> {
    repo: &'a Repo,
    folder: PathBuf,
}

impl Trial<'_> {
    /// The program without a package.
    fn program(&self, packages: &Packages) -> Result<Vec<u8>> {
        self.build(&mut Command::new(&packages.program), "program")
    }

    /// Checks the version of a program, indexes the teaching site, and returns the manifest of the
    /// index.
    fn build(&self, program: &mut Command, name: &str) -> Result<Vec<u8>> {
        let mut other = again(program);
        expect(&run::output(other.arg("--version"))?, &format!("pagekin {VERSION}\n"))?;
        let output = self.folder.join(name).join("index");
        fs::create_dir_all(&output)?;
        program.arg("build").arg(self.repo.path(SITE)).arg("--output").arg(&output).arg("--quiet");
        program.args(["--components", "related,box,duplicates"]);
        run::visible(program)?;
        read(&output.join(MANIFEST))
    }

    /// An empty project with the npm packages, and a bundle that uses the client.
    fn npm(&self, packages: &Packages) -> Result<Vec<u8>> {
        let project = self.folder.join("npm");
        fs::create_dir_all(&project)?;
        fs::write(project.join("package.json"), "{\"private\": true, \"type\": \"module\"}\n")?;
        let install = |tarball: &Path| {
            let mut npm = in_folder(run::NPM, &project);
            npm.args(["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error"]);
            run::logged(npm.arg(tarball), &self.repo.target("tools/log/trial-npm.log"))
        };
        install(&packages.npm.pagekin)?;
        let alone = in_folder(run::NPX, &project)
            .args(["--offline", "pagekin", "--version"])
            .output()
            .context("cannot start npx")?;
        let message = String::from_utf8_lossy(&alone.stderr);
        if alone.status.success() || !message.contains("error: the package @pagekin/") {
            bail!(
                "expected an error about the package of this platform from `pagekin`, found {message:?}"
            );
        }
        install(&packages.npm.platform)?;
        let mut npx = in_folder(run::NPX, &project);
        npx.args(["--offline", "pagekin"]);
        let manifest = self.build(&mut npx, "npm")?;
        self.client(&project)?;
        self.plugin(&project)?;
        Ok(manifest)
    }

    /// Indexes the teaching site with a plugin, and pages of a program.
    fn plugin(&self, project: &Path) -> Result<()> {
        copy_all(&self.repo.path(SITE), &project.join("site"))?;
        copy(&self.repo.path("tests/packages/plugin.mjs"), &project.join("plugin.mjs"))?;
        run::visible(in_folder(tools::node()?, project).arg("plugin.mjs"))?;
        copy(&self.repo.path("tests/packages/builder.mjs"), &project.join("builder.mjs"))?;
        run::visible(in_folder(tools::node()?, project).arg("builder.mjs"))
    }

    /// Checks the types of a script that imports the client from the package, bundles it, and runs
    /// it.
    fn client(&self, project: &Path) -> Result<()> {
        tools::browser_test_packages(self.repo)?;
        for name in ["client.ts", "tsconfig.json"] {
            copy(&self.repo.path("tests/packages").join(name), &project.join(name))?;
        }
        let node = tools::node()?;
        let compiler = self.repo.path("tests/browser/node_modules/typescript/bin/tsc");
        run::visible(in_folder(&node, project).arg(compiler).arg("--project").arg(project))?;
        let mut bundle = in_folder(&node, project);
        bundle.arg(tools::esbuild(self.repo)?);
        bundle.args(["client.ts", "--bundle", "--format=esm", "--outfile=client.js"]);
        run::visible(bundle.arg("--log-level=warning"))?;
        run::visible(in_folder(&node, project).arg("client.js"))
    }

    /// A virtual environment with the wheel.
    fn wheel(&self, packages: &Packages) -> Result<Vec<u8>> {
        tools::python_venv(self.repo)?;
        let environment = self.folder.join("wheel/venv");
        let log = self.repo.target("tools/log/trial-pip.log");
        run::logged(Command::new(run::PYTHON).args(["-m", "venv"]).arg(&environment), &log)?;
        let mut pip = Command::new(run::in_venv(&environment, "pip"));
        pip.args(["install", "--no-index", "--disable-pip-version-check"]).arg(&packages.wheel);
        run::logged(&mut pip, &log)?;
        let manual = environment.join("share/man/man1/pagekin-build.1");
        if !manual.is_file() {
            bail!("the wheel does not contain {}", manual.display());
        }
        let mut program = Command::new(run::in_venv(&environment, "pagekin"));
        let by_name = self.build(&mut program, "wheel")?;
        let mut module = Command::new(run::in_venv(&environment, "python"));
        let by_module = self.build(module.args(["-m", "pagekin"]), "wheel")?;
        if by_name != by_module {
            bail!("expected the same index of `pagekin` and of `python -m pagekin`, found two");
        }
        let mut builder = in_folder(run::in_venv(&environment, "python"), &environment);
        run::visible(builder.arg(self.repo.path("tests/packages/builder.py")))?;
        Ok(by_name)
    }

    /// The wheel for Spark, without its dependencies, which clusters provide. Uses the program, and
    /// Spark if its tests installed it.
    fn spark(&self, wheel: &Path) -> Result<()> {
        let folder = self.folder.join("spark");
        let log = self.repo.target("tools/log/trial-spark.log");
        let mut pip = Command::new(run::PYTHON);
        pip.args(["-m", "pip", "install", "--no-index", "--no-deps", "--target"]).arg(&folder);
        pip.args(["--disable-pip-version-check"]).arg(wheel);
        run::logged(&mut pip, &log)?;
        let program = folder.join("pagekin_spark/bin/pagekin");
        expect(
            &run::output(Command::new(&program).arg("--version"))?,
            &format!("pagekin {VERSION}\n"),
        )?;
        let python = self.repo.target("tools/spark/bin/python");
        if !python.is_file() {
            return Ok(());
        }
        let spark = || {
            let mut command = Command::new(&python);
            command.args(["-m", "pagekin_spark"]).env("PYTHONPATH", &folder).env_remove("PAGEKIN");
            command
        };
        expect(&run::output(spark().arg("--version"))?, &format!("pagekin-spark {VERSION}\n"))?;
        let pages = self.folder.join("pages.jsonl");
        let lines: String = (0..9)
            .map(|at| {
                format!("{{\"url\": \"https://a.example/{at}\", \"text\": \"sow beans in may\"}}\n")
            })
            .collect();
        fs::write(&pages, lines)?;
        let mut cluster = spark();
        cluster.args(["cluster", "--master", "local[2]", "--bags", "content"]);
        cluster.arg(&pages).arg(self.folder.join("clusters")).stderr(Stdio::null());
        let found = run::output(&mut cluster)?;
        if !found.contains("1 clusters of 9 URLs") {
            bail!("expected a cluster of 9 URLs by Spark, found:\n{found}");
        }
        Ok(())
    }

    /// The scripts of the GitHub Action, with the archive in place of a release.
    fn action(&self, packages: &Packages) -> Result<Vec<u8>> {
        tools::curl(self.repo)?;
        let folder = self.folder.join("action");
        let release = folder.join(format!("releases/v{VERSION}"));
        let (archive, checksum) =
            (named(&release, &packages.archive), named(&release, &packages.checksum));
        copy(&packages.archive, &archive)?;
        copy(&packages.checksum, &checksum)?;
        let step = |script: &str| {
            let mut step = in_folder(self.repo.path("crates/pagekin/action").join(script), &folder);
            step.env("RUNNER_TEMP", folder.join("temp"))
                .env("GITHUB_PATH", folder.join("path"))
                .env("GITHUB_OUTPUT", folder.join("output"))
                .env("GITHUB_STEP_SUMMARY", folder.join("summary"))
                .env("PAGEKIN_RELEASES", format!("file://{}", folder.join("releases").display()));
            step
        };
        let log = self.repo.target("tools/log/trial-action.log");
        run::logged(&mut step("install.sh"), &log)?;
        expect(&fs::read_to_string(folder.join("output"))?, &format!("version={VERSION}\n"))?;
        let installed = PathBuf::from(fs::read_to_string(folder.join("path"))?.trim_end());
        completes(&installed.join("completions/pagekin.bash"))?;
        let mut manifests = Vec::new();
        // The second one uses the index of the first.
        for _ in 0..2 {
            let mut build = step("build.sh");
            build
                .env("PATH", tools::search_path(&[&installed])?)
                .env("SITE", self.repo.path(SITE))
                .env("OUTPUT", folder.join("index"))
                .env("BASE_URL", "/")
                .env("CACHE", ".cache/pagekin")
                .env("ARGS", "--threads 1 --lang en");
            run::logged(&mut build, &log)?;
            manifests.push(read(&folder.join("index").join(MANIFEST))?);
        }
        if manifests[0] != manifests[1] || !folder.join(".cache/pagekin").join(MANIFEST).is_file() {
            bail!("the next run of the action did not find the same index");
        }
        let summary = fs::read_to_string(folder.join("summary"))?;
        if summary.matches("### pagekin").count() != 2 {
            bail!("expected two summaries of the action, found {summary:?}");
        }

        let mut bytes = read(&archive)?;
        bytes.push(0);
        fs::write(&archive, bytes)?;
        if run::logged(&mut step("install.sh"), &log).is_ok() {
            bail!("the action accepted an archive with a wrong checksum");
        }
        Ok(manifests.swap_remove(0))
    }
}

/// Checks that bash completes the name of a command with a script.
fn completes(script: &Path) -> Result<()> {
    let mut bash = Command::new("bash");
    // The call of a shell for `pagekin bu`: the command, the word, and the word before it.
    let call = "source \"$0\"; COMP_WORDS=(pagekin bu) COMP_CWORD=1; _pagekin pagekin bu pagekin";
    bash.args(["-c", &format!("{call}; echo \"${{COMPREPLY[*]}}\"")]);
    expect(&run::output(bash.arg(script))?, "build\n")
}

fn in_folder(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

fn again(command: &Command) -> Command {
    let mut other = Command::new(command.get_program());
    other.args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        other.current_dir(folder);
    }
    other
}

fn named(folder: &Path, file: &Path) -> PathBuf {
    folder.join(file.file_name().unwrap_or_default())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn expect(found: &str, expected: &str) -> Result<()> {
    if found != expected {
        bail!("expected {expected:?}, found {found:?}");
    }
    Ok(())
}
