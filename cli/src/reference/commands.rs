//! Every command with its arguments, options, defaults and examples, from the definition of the command line.

use clap::{Arg, Command};

use super::markdown::{inline_code, table_cell};

/// Describes a program's command line as a page: `head`, a table of the commands, and each command with its options.
#[must_use]
pub fn command_page(mut program: Command, head: &str) -> String {
    program.build();
    let name = program.get_name().to_owned();
    let mut page = head.to_owned();
    page.push_str("\n| command | does |\n|---|---|\n");
    for command in visible_commands(&program) {
        let command_name = command.get_name();
        page.push_str(&format!(
            "| [`{name} {command_name}`](#{name}-{command_name}) | {} |\n",
            table_cell(&about_text(command))
        ));
    }
    page.push_str("\n## Options of every command\n");
    page.push_str(&argument_table(program.get_arguments().filter(|arg| is_visible(arg))));
    for command in visible_commands(&program) {
        add_command(&mut page, command, &format!("{name} {}", command.get_name()), 2);
    }
    page
}

/// The subcommands that are documented.
fn visible_commands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

fn is_visible(arg: &Arg) -> bool {
    !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str())
}

fn add_command(page: &mut String, command: &Command, name: &str, level: usize) {
    page.push_str(&format!("\n{} {name}\n{}\n", "#".repeat(level), about_text(command)));
    let usage = command.clone().render_usage().to_string();
    page.push_str(&format!("\n    {}\n", usage.trim_start_matches("Usage: ").trim()));
    page.push_str(&argument_table(
        command.get_arguments().filter(|arg| is_visible(arg) && !arg.is_global_set()),
    ));
    if let Some(text) = command.get_after_help() {
        page.push_str(&after_help(&text.to_string()));
    }
    for inner in visible_commands(command) {
        add_command(page, inner, &format!("{name} {}", inner.get_name()), level + 1);
    }
}

fn about_text(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// The text after the options: indented lines are commands.
fn after_help(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("  ") {
        Some(command) => format!("    {command}\n"),
        None if line.starts_with("Example") => format!("{line}\n\n"),
        None => format!("{line}\n"),
    };
    format!("\n{}", text.lines().map(line).collect::<String>())
}

fn argument_table<'a>(args: impl Iterator<Item = &'a Arg>) -> String {
    let rows: String = args.map(argument_row).collect();
    if rows.is_empty() { rows } else { format!("\n| argument | default | meaning |\n|---|---|---|\n{rows}") }
}

fn argument_row(arg: &Arg) -> String {
    let takes = arg.get_action().takes_values();
    let values = arg.get_value_names().unwrap_or_default().join(" ");
    let dots = if arg.get_num_args().is_some_and(|number| number.max_values() > 1) { "…" } else { "" };
    let name = match (arg.get_short(), arg.get_long()) {
        (short, Some(long)) => {
            let short = short.map(|short| format!("-{short}, ")).unwrap_or_default();
            let value = if takes { format!(" {values}{dots}") } else { String::new() };
            format!("{short}--{long}{value}")
        }
        _ => format!("{values}{dots}"),
    };
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let is_told = takes && !defaults.is_empty() && !arg.is_hide_default_value_set();
    let default = if is_told { inline_code(&defaults.join(",")) } else { String::new() };
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let required = if arg.is_required_set() { "Required. " } else { "" };
    format!(
        "| {} | {default} | {required}{}{} |\n",
        inline_code(&name),
        table_cell(&help),
        allowed_values(arg, takes)
    )
}

/// The values that an argument takes, if they are few.
fn allowed_values(arg: &Arg, takes: bool) -> String {
    let values = if takes { arg.get_possible_values() } else { Vec::new() };
    let told = |value: &clap::builder::PossibleValue| match value.get_help() {
        Some(help) => format!(
            "{}: {}",
            inline_code(value.get_name()),
            table_cell(help.to_string().trim_end_matches('.'))
        ),
        None => inline_code(value.get_name()),
    };
    let told: Vec<_> = values.iter().filter(|value| !value.is_hide_set()).map(told).collect();
    if told.is_empty() { String::new() } else { format!("<br>{}", told.join("<br>")) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_command_stands_there_with_what_it_takes() {
        let page = command_page(Cli::command(), "# Commands\n");
        for wanted in [
            "\n## newslode mine\n",
            "\n### newslode dead replay\n",
            "\n    newslode mine --warc CC-NEWS",
            "| `--max-pages MAX_PAGES` |  | Maximum number",
            "| `--seed SEED` | `7` | Seed of the world |",
            "`concepts`: Follow links labelled with concepts",
            "| `--config FILE` |",
            "| `URL…` |",
        ] {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert!(!page.contains("newslode reference\n"), "it is hidden");
        let named = Cli::command().get_subcommands().filter(|command| !command.is_hide_set()).count();
        assert_eq!(page.matches("\n## newslode ").count(), named);
    }
}
