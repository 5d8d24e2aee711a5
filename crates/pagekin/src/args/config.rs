//! The arguments of `pagekin config`.

#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    /// Print the JSON Schema of pagekin.toml, for an editor to complete and check it by
    #[arg(long)]
    pub(crate) schema: bool,
}
