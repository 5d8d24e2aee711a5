//! The arguments of `pagekin completions`.

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that reads them
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
