//! `newslode --help`: the commands grouped by task. clap knows one heading for all subcommands, so the list is a part of
//! the template, made from the commands' own descriptions.

use clap::builder::Styles;
use clap::{Command, CommandFactory as _};

use super::Cli;

/// The tasks, each with its commands. Commands with a space between share a line, which describes the first.
const TASKS: [(&str, &[&str]); 5] = [
    ("Mine", &["demo", "mine", "watch"]),
    (
        "Read what was mined, or single pages",
        &["taxonomy", "correct", "export", "report", "serve", "extract", "partition", "tables", "tags"],
    ),
    ("Operate", &["seed", "status", "explain", "recall", "template", "terms", "dead", "token", "warc"]),
    ("Prove, recover and update", &["verify", "backup", "compact", "repair", "recompute"]),
    ("Set up", &["init", "config", "completions", "man help"]),
];

/// The command line, with help that is grouped.
pub(crate) fn program() -> Command {
    let program = Cli::command();
    let list = list(&program);
    program.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\n{{options}}{{after-help}}"
    ))
}

/// The commands by task, and the heading of the options.
fn list(program: &Command) -> String {
    let styles = Styles::default();
    let (heading, name) = (styles.get_header(), styles.get_literal());
    let mut list = String::new();
    for (task, commands) in TASKS {
        list.push_str(&format!("{heading}{task}:{heading:#}\n"));
        for command in commands {
            let first = command.split(' ').next().unwrap_or(command);
            let about = program.find_subcommand(first).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let command = command.replace(' ', ", ");
            list.push_str(&format!("  {name}{command:12}{name:#} {about}\n"));
        }
    }
    list.push_str(&format!("{heading}Options:{heading:#}"));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most lines of the help.
    const LINES: usize = 50;

    #[test]
    fn the_help_fits_a_screen_and_leaves_room() {
        let help = program().render_help().to_string();
        assert!(help.trim_end().lines().count() <= LINES, "{help}");
        let longest = help.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(longest.chars().count() <= 100, "{longest}");
        assert!(help.contains("Operate:\n  seed         Add, remove"), "{help}");
        assert!(help.contains("Options:\n  -q, --quiet"), "{help}");
    }

    #[test]
    fn every_command_has_one_task() {
        let mut grouped: Vec<&str> =
            TASKS.iter().flat_map(|(_, commands)| *commands).flat_map(|row| row.split(' ')).collect();
        let mut program = program();
        program.build();
        let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
        let mut named: Vec<&str> = shown.map(Command::get_name).collect();
        grouped.sort_unstable();
        named.sort_unstable();
        assert_eq!(grouped, named);
    }
}
