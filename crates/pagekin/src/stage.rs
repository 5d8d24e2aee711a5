//! `pagekin stage`.

use std::io::{BufReader, BufWriter, IsTerminal, stdin, stdout};

use pagekin_stage::JobStep;

use crate::args::{StageArgs, StageCommand, stage_defaults};
use crate::failure::Failure;
use crate::output::print_json;

pub(crate) fn run(args: StageArgs) -> Result<(), Failure> {
    let StageCommand::Run(stage) = args.command else { return print_json(&stage_defaults()) };
    if stdout().is_terminal() {
        return Err("standard output is a terminal. Pipe the Arrow IPC stream to a program, run stages with \
                    `pagekin-spark`, or run the whole job on one machine with `pagekin crawl cluster`"
            .into());
    }
    let stage = JobStep::from(stage);
    let (input, output) = (BufReader::new(stdin()), BufWriter::new(stdout()));
    Ok(stage.run(input, output, args.threads.into())?)
}
