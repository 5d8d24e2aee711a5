//! Inputs that once failed must pass, and a short run of each target must find no failures.

use std::process::Command;
use std::thread;

use pagekin_fuzz::execution::Execution;
use pagekin_fuzz::fixtures::Kept;
use pagekin_fuzz::targets;

#[test]
fn earlier_failures_pass() {
    for kept in [Kept::Crashers, Kept::Corpus] {
        for folder in kept.targets().expect("the folder is listed") {
            let target = targets::named(&folder);
            let target = target.unwrap_or_else(|| panic!("no target is called {folder}"));
            let (mut execution, _) = Execution::prepare(target);
            for (name, input) in kept.of(target).expect("inputs are read") {
                if let Err(failure) = execution.of(&input) {
                    panic!("{}/{name}: {}", target.name, failure.message);
                }
            }
        }
    }
}

#[test]
fn a_short_run_of_each_target_finds_nothing() {
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let run = Command::new(env!("CARGO_BIN_EXE_pagekin-fuzz"))
        .args(["run", "--jobs", &jobs.to_string()])
        .output()
        .expect("the program starts");
    let (table, errors) =
        (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{errors}\n{table}");
    for target in targets::ALL {
        let name = format!("| `{}` |", target.name);
        let line = table.lines().find(|line| line.starts_with(&name)).expect("it is in the table");
        let executions = line.split('|').nth(3).unwrap_or_default().trim().replace(',', "");
        assert!(executions.parse::<u64>().is_ok_and(|n| n >= target.short), "{line}");
    }
}
