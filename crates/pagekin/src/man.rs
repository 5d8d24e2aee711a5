//! `pagekin man`.

use std::fs;

use clap::CommandFactory;

use crate::args::{Args, ManArgs};
use crate::failure::Failure;

pub(crate) fn run(args: &ManArgs) -> Result<(), Failure> {
    let folder = args.folder.display();
    fs::create_dir_all(&args.folder).map_err(|error| format!("cannot create {folder}: {error}"))?;
    clap_mangen::generate_to(Args::command(), &args.folder)
        .map_err(|error| format!("cannot write man pages into {folder}: {error}"))?;
    Ok(())
}
