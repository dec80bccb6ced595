//! Finds the command lines of `newslode` and `newslode-lab` that documents quote. The lab and the end-to-end tests use this
//! file, too.

/// The programs whose command lines are taken.
const PROGRAMS: [&str; 2] = ["newslode", "newslode-lab"];

/// A command line in a document.
pub(crate) struct QuotedCommand {
    /// The line, with what continues it.
    pub(crate) line: String,
    /// Whether it stands in a block of code, and not within a sentence.
    pub(crate) is_block: bool,
}

/// The command lines in a document: lines of code, and spans of code within text.
pub(crate) fn quoted_commands(text: &str) -> Vec<QuotedCommand> {
    let mut commands = Vec::new();
    let mut lines = text.lines();
    let mut is_fenced = false;
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        }
        let of_code = is_fenced || line.starts_with("    ");
        let code = PROGRAMS.iter().fold(line.trim().trim_start_matches("$ ").to_owned(), |code, program| {
            code.replace(&format!("cargo run --release -p {program} -- "), &format!("{program} "))
        });
        if of_code && is_command(&code) {
            let mut command = code;
            while command.ends_with('\\') {
                command.pop();
                command.push_str(lines.next().unwrap_or_default());
            }
            commands.push(QuotedCommand { line: command, is_block: true });
        } else if !is_fenced {
            let spans = line.split('`').skip(1).step_by(2);
            let quoted = |span: &str| QuotedCommand { line: span.to_owned(), is_block: false };
            commands.extend(spans.filter(|span| is_command(span)).map(quoted));
        }
    }
    commands
}

fn is_command(line: &str) -> bool {
    PROGRAMS.iter().any(|program| line.strip_prefix(program).is_some_and(|rest| rest.starts_with(' ')))
}

/// Whether a line says how a command is used in general, as the reference does.
pub(crate) fn is_usage(line: &str) -> bool {
    line.contains("[OPTIONS]")
}

/// The words of a command as a shell takes them, up to what it does with the output.
pub(crate) fn split_words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in command.chars().chain([' ']) {
        match quote {
            Some(mark) if letter == mark => quote = None,
            Some(_) => word.push(letter),
            None if letter == '\'' || letter == '"' => quote = Some(letter),
            None if letter.is_whitespace() => {
                let done = std::mem::take(&mut word);
                if ["|", ">", "&&", "#", "2>"].contains(&done.as_str())
                    || done.starts_with(['#', '(', '<', '>'])
                {
                    break;
                }
                // Optional words stand in brackets, alternatives beside each other, and dots for more of the same.
                let done = done.trim_matches(['[', ']', '…', ',', ';']).split('|').next().unwrap_or_default();
                if !done.is_empty() {
                    words.push(done.to_owned());
                }
            }
            None => word.push(letter),
        }
    }
    words
}
