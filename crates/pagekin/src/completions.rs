//! `pagekin completions`.

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::failure::Failure;
use crate::output::{Reader, print_for};

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "pagekin", &mut script);
    print_for(Reader::Programs, &String::from_utf8(script)?)
}
