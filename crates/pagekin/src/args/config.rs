//! The arguments of `pagekin config`.

#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    /// Print the JSON Schema of pagekin.toml, for completion and checks in an editor
    #[arg(long)]
    pub(crate) schema: bool,
}
