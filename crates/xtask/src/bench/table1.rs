//! `cargo xtask bench table1`: the whole job of the paper, stage by stage, beside its own table.
//! The measuring itself is a bench of `tests/`.

use anyhow::Result;

use crate::repo::Repo;
use crate::run;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many URLs; several times for a run of each, and the exponent between them
    #[arg(long, value_name = "N", required = true, value_parser = clap::value_parser!(u64).range(1_000..=100_000_000))]
    urls: Vec<u64>,
    /// The memory for what is worked on in parts, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4_096)]
    memory: u64,
    /// The parameters: `web` or `paper`, with its k and l
    #[arg(long, value_name = "NAME", default_value = "web")]
    preset: String,
    /// The values of a key, in place of the preset's
    #[arg(long, value_name = "K")]
    values: Option<u8>,
    /// The number of tables, likewise
    #[arg(long, value_name = "L")]
    tables: Option<u16>,
    /// Pair only URLs of one class: `bags=N`, k-means on the bags, or `planted=N`, by a classifier
    /// that errs in 5 % of the URLs
    #[arg(long, value_name = "CLASSES")]
    classes: Option<String>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn of(urls: u64) -> Self {
        let (values, tables, classes) = (None, None, None);
        let (memory, preset) = (4_096, "web".into());
        Self { urls: vec![urls], memory, preset, values, tables, classes, json: false }
    }
}

pub(crate) fn run(repo: &Repo, arguments: &Arguments) -> Result<()> {
    let mut command = repo.cargo(&["bench", "--quiet", "--package", "pagekin-tests"]);
    command.args(["--bench", "table1", "--", "--preset", &arguments.preset]);
    command.arg("--folder").arg(repo.target("bench"));
    command.args(["--memory", &arguments.memory.to_string()]);
    for urls in &arguments.urls {
        command.args(["--urls", &urls.to_string()]);
    }
    for (name, number) in
        [("--values", arguments.values.map(u16::from)), ("--tables", arguments.tables)]
    {
        if let Some(number) = number {
            command.args([name, &number.to_string()]);
        }
    }
    if let Some(classes) = &arguments.classes {
        command.args(["--classes", classes]);
    }
    if arguments.json {
        command.arg("--json");
    }
    run::visible(&mut command)
}
