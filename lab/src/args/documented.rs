//! The lab's commands that documents show exist, with their options.

use std::collections::BTreeSet;

use clap::CommandFactory as _;

use newslode::documented::{checked, fault};

use super::Cli;

#[test]
fn commands_that_documents_show_are_understood() {
    let checked = checked(&Cli::command()).unwrap();
    let faults: Vec<&str> = checked.iter().filter_map(|(_, fault)| fault.as_deref()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let shown: BTreeSet<&str> = checked.iter().map(|(line, _)| line.as_str()).collect();
    assert!(shown.len() > 30, "only {} commands are shown", shown.len());
}

#[test]
fn faults_of_commands_are_found() {
    assert!(fault(&Cli::command(), "newslode-lab bench partitions").is_some());
    assert_eq!(fault(&Cli::command(), "newslode-lab bench looks --sizes 300,1200"), None);
}
