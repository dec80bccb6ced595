//! The lab's commands that documents show exist, with their options.

use std::collections::BTreeSet;

use clap::CommandFactory as _;

use self::faults::{fault, judged};
use super::Cli;

#[path = "../../../cli/src/args/documented/faults.rs"]
#[allow(dead_code, reason = "the other tests that use this file read the documents themselves")]
mod faults;
#[path = "../../../cli/src/args/documented/quoted.rs"]
#[allow(dead_code, reason = "the end-to-end tests ask whether a command is shown in a block")]
mod quoted;

#[test]
fn commands_that_documents_show_are_understood() {
    let judged = judged(&Cli::command());
    let faults: Vec<&str> = judged.iter().filter_map(|(_, fault)| fault.as_deref()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let shown: BTreeSet<&str> = judged.iter().map(|(line, _)| line.as_str()).collect();
    assert!(shown.len() > 30, "only {} commands are shown", shown.len());
}

#[test]
fn faults_of_commands_are_found() {
    assert!(fault(&Cli::command(), "newslode-lab bench partitions").is_some());
    assert_eq!(fault(&Cli::command(), "newslode-lab bench looks --sizes 300,1200"), None);
}
