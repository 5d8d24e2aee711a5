//! The arguments of `pagekin completions`.

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to generate completions for
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
