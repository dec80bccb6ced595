//! Hostile sites through every output of the product. Their pages hold escape sequences of terminals, controls of the direction
//! of text, formulas and markup in every field: title, author, label, section, address, date, body, tables. Whatever a command
//! prints, a terminal must not obey it, a spreadsheet must not compute it, and a reader of Markdown must show it as it is.
//!
//! The commands, their formats and flags come from clap: one that is new and not in [`recipe`] fails the test. Each is run
//! twice, on a terminal (`script` makes one) and into a pipe. With `--raw` and `--raw-cells` everything arrives: without that,
//! the test would prove nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use clap::{ArgAction, Command as Program};
use newslode_newsworld::{Content, Reply};

use crate::attack::escaped;
use crate::bad_input::{dead, publish};
use crate::lab::Lab;
use crate::process::{Ended, Process, program};
use crate::services::{Installation, Servers};

/// The longest time for one command.
const PATIENCE: Duration = Duration::from_secs(90);

/// What a terminal obeys: write to the clipboard, report a position and a status (as one byte of Latin-1, too), show
/// backwards, overwrite the line, set the title.
const CONTROLS: [&str; 6] = [
    "\u{1b}]52;c;cm0gLXJmIH4=\u{7}",
    "\u{1b}[6n",
    "\u{9b}5n",
    "\u{202e}\u{2066}",
    "\u{8}\u{7f}",
    "\u{1b}]0;owned\u{9c}",
];

/// What a spreadsheet computes.
const FORMULAS: [&str; 5] =
    ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1+9)", "=HYPERLINK(\"http://evil.test/\")"];

/// What a reader of Markdown obeys.
const MARKUP: [&str; 5] = [
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](http://evil.test/t.png)",
    "# heading",
    "`code`",
];

/// Escape sequences of our own: colours, and what redraws a line of progress or the screen.
const OWN: [&str; 24] = [
    "\r\u{1b}[2K",
    "\u{1b}[2K",
    "\u{1b}[1A",
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[4m",
    "\u{1b}[31m",
    "\u{1b}[33m",
    "\u{1b}[32m",
    "\u{1b}[36m",
    "\u{1b}[1;34m",
    "\u{1b}[1;32m",
    "\u{1b}[1;33m",
    "\u{1b}[1;35m",
    "\u{1b}[2J",
    "\u{1b}[H",
    "\u{1b}[?25h",
    "\u{1b}[?25l",
    "\u{1b}[39m",
    "\u{1b}[22m",
    "\u{1b}[1G",
    "\u{1b}[K",
    "\u{1b}[J",
];

/// Whether a terminal or a reader of its lines could be misled by this character, in the test's own words.
fn is_control(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || ('\u{202a}'..='\u{202e}').contains(&letter)
        || ('\u{2066}'..='\u{2069}').contains(&letter)
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Two sites that say the same hostile things.
struct Hostile;

impl Content for Hostile {
    fn respond(&self, _: &str, path: &str) -> Reply {
        let page = |body: String| Reply::ok("text/html; charset=utf-8", body.into_bytes());
        match path.trim_matches('/').split('/').collect::<Vec<_>>().as_slice() {
            [""] => page(listing(&[0, 1, 2])),
            [section] if section.len() == 2 && section.starts_with('s') => match section[1..].parse() {
                Ok(section) if section < 3 => page(listing(&[section])),
                _ => Reply::not_found(),
            },
            [section, story] if story.starts_with("story-about-the-bridge-") => {
                let number = story.rsplit('-').next().and_then(|number| number.parse().ok());
                match (section[1..].parse(), number) {
                    (Ok(section), Some(number)) => page(story_page(section, number)),
                    _ => Reply::not_found(),
                }
            }
            _ => Reply::not_found(),
        }
    }
}

/// A name that begins with one of the hostile texts and holds others.
fn hostile(number: usize, words: &str) -> String {
    let formula = FORMULAS[number % FORMULAS.len()];
    let (control, other) = (CONTROLS[number % CONTROLS.len()], CONTROLS[(number + 1) % CONTROLS.len()]);
    format!("{formula} {control}{words}{other} {}", MARKUP[number % MARKUP.len()])
}

fn section_name(section: usize) -> String {
    let name = ["Sport", "Weather", "Culture"][section];
    format!("{}{name}{}", ["=", "@", "+"][section], CONTROLS[section])
}

fn menu() -> String {
    let item = |section| format!("<li><a href=\"/s{section}/\">{}</a></li>", escaped(&section_name(section)));
    (0..3).map(item).collect()
}

fn listing(sections: &[usize]) -> String {
    let mut page = format!("<title>{}</title><nav><ul>{}</ul></nav>", escaped(&hostile(0, "front")), menu());
    for section in sections {
        page.push_str(&format!("<h2>{}</h2>", escaped(&section_name(*section))));
        for number in 0..6 {
            let title =
                escaped(&hostile(section * 6 + number, &format!("The bridge of town {number} is closed")));
            page.push_str(&format!(
                "<div><h3><a href=\"/s{section}/story-about-the-bridge-{number}\">{title}</a></h3></div>"
            ));
        }
    }
    page
}

fn story_page(section: usize, number: usize) -> String {
    let title = hostile(section * 6 + number, &format!("The bridge of town {number} is closed"));
    let linked = serde_json::json!({
        "@type": "NewsArticle",
        "headline": title,
        "author": [{ "@type": "Person", "name": hostile(number, "Ann Author") }, { "@type": "Person", "name": "=1+1" }],
        "articleSection": section_name(section),
        "datePublished": format!("2026-11-0{}T10:00:00Z{}", number + 1, CONTROLS[0]),
        "dateModified": format!("=2026{}", CONTROLS[1]),
        "image": format!("http://evil.test/{}", CONTROLS[2]),
        "inLanguage": format!("en{}", CONTROLS[3]),
        "locationCreated": { "name": hostile(number, "Town") },
    });
    let sentences = "The council met on Tuesday evening and decided after a long debate that the bridge across the river \
                     will be repaired before winter begins, several members said.";
    let body: String = (0..5)
        .map(|part| {
            format!(
                "<p>{} {sentences} Part {part} of {section} {number}.</p>",
                escaped(&hostile(part, "Then"))
            )
        })
        .collect();
    let cells: String = FORMULAS
        .iter()
        .zip(CONTROLS)
        .map(|(formula, control)| {
            format!("<tr><td>{0}{1}</td><td>{0}</td><td>-3.5</td></tr>", escaped(formula), escaped(control))
        })
        .collect();
    format!(
        "<html lang=en><title>{title}</title><script type=application/ld+json>{linked}</script>\
         <meta property=og:type content=article><nav><ul>{menu}</ul></nav><h1>{title}</h1><article>{body}\
         <h2>{heading}</h2><table><thead><tr><th>{head}<th>Score<th>Change</tr><tbody>{cells}</table>\
         <dl><dt>{head}:<dd>{heading}</dl></article>",
        title = escaped(&title),
        linked = linked.to_string().replace("</", "<\\/"),
        menu = menu(),
        heading = escaped(&hostile(number + 1, "heading")),
        head = escaped(&hostile(3, "Town")),
    )
}

/// How a command is called.
enum Recipe {
    /// With these arguments.
    Alone(Vec<String>),
    /// With these arguments and `--dir`.
    Run(Vec<String>),
    /// With these arguments and the services' configuration.
    Services(Vec<String>),
    /// Not here, for this reason.
    Elsewhere(&'static str),
}

/// What the recipes are made of.
struct Kitchen<'a> {
    lab: &'a Lab,
    services: &'a Installation<'a>,
    story: String,
    letter: String,
}

impl Kitchen<'_> {
    fn path(&self, name: &str) -> String {
        self.lab.path(name).display().to_string()
    }

    /// How each command is called. `None`: nobody said how.
    fn recipe(&self, path: &[&str]) -> Option<Recipe> {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        Some(match path {
            ["demo"] => Recipe::Elsewhere("its pages are our own"),
            ["mine"] => Recipe::Alone(self.lab.mining("run", &[]).split_off(1)),
            // A picture shows one page.
            ["partition"] => Recipe::Alone(vec![format!("{}/{}", self.path("pages"), page_name(0))]),
            ["tables" | "tags" | "extract"] => Recipe::Alone(vec![self.path("pages")]),
            ["template", "teach"] => Recipe::Run(words(&[
                "attack.test",
                "--page",
                &self.story,
                "--title",
                &hostile(0, "The bridge of town 0 is closed"),
            ])),
            ["template", "list"] => Recipe::Run(Vec::new()),
            ["template", "show" | "explain" | "forget"] => Recipe::Run(words(&["attack.test"])),
            ["taxonomy" | "verify" | "repair" | "recompute" | "recall" | "status"]
            | ["correct", "list" | "export"]
            | ["seed", "list"]
            | ["token", "list"] => Recipe::Run(Vec::new()),
            ["correct", "hide"] => Recipe::Run(words(&[&hostile(0, "none")])),
            ["correct", "rename"] => Recipe::Run(words(&[
                &section_name(1),
                &hostile(1, "Weather"),
                "--note",
                CONTROLS[0],
                "--author",
                CONTROLS[1],
            ])),
            ["correct", "map"] => {
                Recipe::Run(words(&["attack.test", &hostile(2, "place"), &section_name(1)]))
            }
            ["correct", "merge" | "split" | "under" | "not-under"] => {
                Recipe::Run(words(&[&section_name(1), &hostile(1, "none")]))
            }
            ["correct", "undo"] => Recipe::Run(words(&["999"])),
            ["correct", "import"] => Recipe::Run(vec![self.path("none.json")]),
            ["token", "add" | "revoke"] => Recipe::Run(words(&["reader"])),
            ["init"] => Recipe::Alone(vec![self.path("monitor")]),
            ["compact"] => Recipe::Alone(vec![self.path("run")]),
            ["backup"] => Recipe::Alone(vec![self.path("run"), self.path("backup")]),
            ["report"] => Recipe::Run(words(&["--out", &self.path("report.html")])),
            ["serve"] => Recipe::Elsewhere("`console.rs` asks for every page"),
            ["watch"] => Recipe::Elsewhere("it ends with Ctrl-C only; `watching.rs` starts it"),
            ["terms"] => Recipe::Run(words(&["attack.test"])),
            ["export"] => Recipe::Run(Vec::new()),
            ["warc", "feed"] => Recipe::Services(vec![self.path("pages.warc.gz")]),
            ["warc", "index"] => Recipe::Alone(vec![self.path("pages.warc.gz")]),
            ["seed", "add" | "remove" | "pause" | "forget"] => Recipe::Run(words(&["http://other.test/"])),
            ["explain"] => Recipe::Run(vec![self.story.clone()]),
            ["dead", "list"] | ["dead", "replay"] => Recipe::Services(Vec::new()),
            ["dead", "show"] => Recipe::Services(vec![self.letter.clone()]),
            ["dead", "drop"] => Recipe::Services(words(&["none"])),
            ["config", "show" | "check" | "schema"] | ["completions"] | ["man"] => Recipe::Alone(Vec::new()),
            ["reference"] => Recipe::Alone(vec![self.path("reference")]),
            _ => return None,
        })
    }

    /// The whole command line: what of it is chosen stands before and after what the recipe says.
    fn line(
        &self,
        path: &[&str],
        recipe: Recipe,
        before: &[String],
        after: &[String],
    ) -> Option<Vec<String>> {
        let (own, more) = match recipe {
            Recipe::Alone(own) => (own, Vec::new()),
            Recipe::Run(own) => (own, vec!["--dir".to_owned(), self.path("run")]),
            Recipe::Services(own) => (own, vec!["--config".to_owned(), self.services.config().to_owned()]),
            Recipe::Elsewhere(reason) => {
                eprintln!("{} is left out: {reason}", path.join(" "));
                return None;
            }
        };
        let path = path.iter().map(ToString::to_string);
        Some(path.chain(before.to_vec()).chain(own).chain(more).chain(after.to_vec()).collect())
    }
}

/// Options that are not tried by themselves, by command, and why.
const UNTRIED: [(&str, &str, &str); 4] = [
    ("status", "watch", "it ends with Ctrl-C only; it prints the same again and again"),
    ("mine", "follow", "each value would mine the sites again and print the same"),
    ("mine", "allow-private", "nothing is fetched again"),
    ("dead drop", "all", "the letters are needed"),
];

/// All commands that do something, with their paths.
fn leaves(program: &Program) -> Vec<(Vec<String>, &Program)> {
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), program)];
    while let Some((path, command)) = open.pop() {
        let mut below: Vec<_> =
            command.get_subcommands().filter(|below| below.get_name() != "help").collect();
        if below.is_empty() {
            found.push((path, command));
            continue;
        }
        below.reverse();
        open.extend(
            below
                .into_iter()
                .map(|below| ([path.as_slice(), &[below.get_name().to_owned()]].concat(), below)),
        );
    }
    found
}

/// The choices that a command offers: the values of what it exports or looks at, with each format; then every other choice and
/// flag by itself. First what stands before the other arguments, then what stands after them.
fn choices(path: &str, command: &Program) -> Vec<(Vec<String>, Vec<String>)> {
    let mut product: Vec<(Vec<String>, Vec<String>)> = vec![(Vec::new(), Vec::new())];
    let mut single: Vec<Vec<String>> = Vec::new();
    for arg in command.get_arguments() {
        let name = arg.get_long().unwrap_or_default().to_owned();
        if arg.is_global_set() || UNTRIED.iter().any(|(of, flag, _)| *of == path && *flag == name) {
            continue;
        }
        let option = format!("--{name}");
        let values: Vec<String> =
            arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            single.push(vec![option]);
        } else if values.is_empty() || arg.get_action().takes_values() && values == ["true", "false"] {
            continue;
        } else if arg.is_positional() {
            product = values
                .iter()
                .flat_map(|value| {
                    product.iter().map(move |(before, after): &(Vec<String>, Vec<String>)| {
                        ([before.as_slice(), std::slice::from_ref(value)].concat(), after.clone())
                    })
                })
                .collect();
        } else if name == "format" {
            let with = values.iter().flat_map(|value| {
                product.iter().map(|(before, after)| {
                    (before.clone(), [after.as_slice(), &[option.clone(), value.clone()]].concat())
                })
            });
            product = product.iter().cloned().chain(with.collect::<Vec<_>>()).collect();
        } else {
            single.extend(values.into_iter().map(|value| vec![option.clone(), value]));
        }
    }
    let (first, rest) = product.split_first().map(|(first, rest)| (first.clone(), rest.to_vec())).unwrap();
    let single = single.into_iter().map(|after| (first.0.clone(), [first.1.clone(), after].concat()));
    let single: Vec<_> = single.collect();
    // Some flags concern one format only.
    let raw =
        rest.iter().chain([&first]).filter(|(_, after)| after.contains(&"csv".to_owned())).map(
            |(before, after)| (before.clone(), [after.as_slice(), &["--raw-cells".to_owned()]].concat()),
        );
    let has_raw_cells = command.get_arguments().any(|arg| arg.get_long() == Some("raw-cells"));
    let raw: Vec<_> = raw.filter(|_| has_raw_cells).collect();
    [vec![first], rest, single, raw].concat()
}

/// Runs a program on a terminal of its own; what it showed.
async fn on_terminal(lab: &Lab, name: &str, arguments: &[String]) -> String {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let words = [program(name).display().to_string()].into_iter().chain(arguments.iter().cloned());
    let line: Vec<String> = words.map(|word| quoted(&word)).collect();
    let mut command = Command::new("script");
    command.args([
        "--quiet",
        "--return",
        "--command",
        &format!("stty cols 160; {}", line.join(" ")),
        "/dev/null",
    ]);
    command.env("SHELL", "/bin/sh").env("TERM", "xterm").env_remove("NO_COLOR");
    Process::start(command, "terminal", &lab.path("")).end(PATIENCE).await.out
}

/// Runs a program whose output goes into files.
async fn into_pipe(lab: &Lab, name: &str, arguments: &[String]) -> Ended {
    let mut command = lab.command(name);
    command.args(arguments);
    std::fs::remove_file(lab.path("pipe.err")).ok();
    Process::start(command, "pipe", &lab.path("")).end(PATIENCE).await
}

/// A terminal shows the text, and obeys only our own sequences.
#[track_caller]
fn is_neutral(what: &str, shown: &str) {
    let mut left = shown.to_owned();
    for own in OWN {
        left = left.replace(own, "");
    }
    // The terminal's line ends (of CSV, too), and a line of progress that is drawn again.
    let left = left
        .replace("\r\r\n", "\n")
        .replace("\r\n", "\n")
        .replace("\r", if shown.contains("\u{1b}[2K") { "" } else { "\r" });
    if let Some(at) = left.find(is_control) {
        let around: String =
            left[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        panic!("{what}: {:?} after {around:?}", left[at..].chars().take(12).collect::<String>());
    }
}

/// The cells of a CSV.
fn cells(text: &str) -> Vec<String> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => is_quoted = !is_quoted,
            ',' | '\n' if !is_quoted => cells.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted && letters.peek() == Some(&'\n') => {}
            letter => cell.push(letter),
        }
    }
    assert!(!is_quoted && cell.is_empty(), "the CSV ends within a cell");
    cells
}

fn formulas(text: &str) -> Vec<String> {
    let begins =
        |cell: &String| cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    cells(text).into_iter().filter(begins).collect()
}

/// Each document of concatenated XML is well formed.
fn is_xml(lab: &Lab, what: &str, text: &str) {
    for (number, document) in text.split_inclusive("\n<?xml").enumerate() {
        let document = document.trim_end_matches("<?xml");
        let document = if number > 0 { format!("<?xml{document}") } else { document.to_owned() };
        let file = lab.path("document.xml");
        std::fs::write(&file, &document).unwrap();
        let checked = Command::new("xmllint").args(["--noout", "--huge"]).arg(&file).output().unwrap();
        assert!(checked.status.success(), "{what}: {}", String::from_utf8_lossy(&checked.stderr));
    }
}

/// What is written into a pipe: for programs a whole document, for people nothing that steers their terminal later.
fn is_right_in_a_pipe(lab: &Lab, line: &[String], command: &Program, ended: &Ended) {
    let what = line.join(" ");
    is_neutral(&format!("{what} (standard error)"), &ended.err);
    if ended.code != Some(0) || ended.out.is_empty() {
        return;
    }
    let has = |word: &str| line.iter().any(|given| given == word);
    let default = command.get_arguments().find(|arg| arg.get_long() == Some("format")).and_then(|arg| {
        let default = arg.get_default_values().first()?.to_str()?;
        Some(default.to_owned())
    });
    let format = line.iter().position(|word| word == "--format").map(|at| line[at + 1].clone()).or(default);
    let form = match (line[0].as_str(), format.as_deref()) {
        (_, Some("json" | "jsonl" | "json-ld")) => "json",
        (_, Some(form @ ("csv" | "markdown" | "turtle" | "html"))) => form,
        (_, Some("svg" | "xml" | "rdfxml" | "tei")) => "xml",
        (_, Some("warc" | "parquet")) => "binary",
        ("export", None) if has("hierarchies") => "xml",
        ("export", None) if has("ontology") => "turtle",
        ("export", None) if has("pages") => "binary",
        ("export", None) => "json",
        ("correct", None) if has("export") => "json",
        _ if has("--json") || has("schema") => "json",
        _ => "text",
    };
    match form {
        "json" => {
            let read = serde_json::Deserializer::from_str(&ended.out).into_iter();
            let values: Result<Vec<serde_json::Value>, _> = read.collect();
            assert!(!values.unwrap_or_else(|error| panic!("{what}: {error}")).is_empty(), "{what}");
        }
        "csv" if has("--raw-cells") => {
            assert!(!formulas(&ended.out).is_empty(), "{what}: raw cells are as they are")
        }
        "csv" => {
            assert_eq!(formulas(&ended.out), Vec::<String>::new(), "{what}");
            assert!(
                cells(&ended.out).iter().any(|cell| cell.starts_with("'=")),
                "{what} shows no formula at all"
            );
        }
        "xml" => is_xml(lab, &what, &ended.out),
        "markdown" => {
            is_neutral(&what, &ended.out);
            let unescaped = ended.out.replace("\\]", "");
            for raw in ["<script", "<img", "](javascript", "](<javascript", "](<data"] {
                assert!(!unescaped.contains(raw), "{what} holds `{raw}`:\n{}", ended.out);
            }
            assert!(
                ended.out.contains("&lt;script\\>") && ended.out.contains("\\[click\\]"),
                "{}",
                ended.out
            );
        }
        "html" => {
            is_neutral(&what, &ended.out);
            for raw in ["<script", "\"javascript:", "\"data:"] {
                assert!(!ended.out.contains(raw), "{what} holds `{raw}`:\n{}", ended.out);
            }
        }
        "turtle" => assert!(!ended.out.contains(['\u{1b}', '\u{7}', '\u{8}']), "{what}"),
        "binary" => {}
        _ => is_neutral(&what, &ended.out),
    }
}

fn page_name(number: usize) -> String {
    format!("=page{number}{}{}.html", CONTROLS[1], CONTROLS[3])
}

/// Pages as somebody saved them, under hostile names.
fn save_pages(folder: &Path) {
    std::fs::create_dir(folder).unwrap();
    for number in 0..2 {
        std::fs::write(folder.join(page_name(number)), story_page(0, number)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_hostile_sites_write_no_output_steers_its_reader() {
    let seeds = ["http://attack.test/".to_owned(), "http://other.test/".to_owned()];
    let lab = Lab::serving(Hostile, &seeds).await;
    save_pages(&lab.path("pages"));
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();

    // Progress and log lines, with all that is logged.
    let mut mining = lab.mining("run", &["-vv"]);
    mining.retain(|word| word != "--quiet" && word != "--json");
    let shown = on_terminal(&lab, "newslode", &mining).await;
    is_neutral("mine -vv", &shown);
    assert!(shown.contains("articles:") && shown.contains("DEBUG"), "{shown}");
    let run = lab.path("run").display().to_string();
    let warc = lab.path("pages.warc.gz").display().to_string();
    lab.ok(&["export", "pages", "--dir", &run, "--to", &warc]).await;

    let servers = Servers::start().await;
    let mut services = Installation::new(&lab, &servers, "newslode", 0);
    services.start_all();
    services.ready().await;
    let letters =
        [hostile(0, "letter"), format!("{{\"version\":1,\"url\":\"http://a.test/\",\"{}\":3}}", CONTROLS[3])];
    publish(&servers.rabbit.url(), "newslode.seeds", &letters.each_ref().map(String::as_str)).await;
    let letter = dead(&lab, &services, "seeds", 2).await[0]["id"].as_str().unwrap().to_owned();
    services.stop().await;

    let story = "http://attack.test/s0/story-about-the-bridge-0".to_owned();
    let kitchen = Kitchen { lab: &lab, services: &services, story, letter };
    let program = newslode::command_line();
    let (mut tried, mut met) = (0, BTreeMap::<String, BTreeSet<&str>>::new());
    for (path, command) in leaves(&program) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        for (before, after) in choices(&path.join(" "), command) {
            let recipe = kitchen.recipe(&path);
            let recipe = recipe
                .unwrap_or_else(|| panic!("say in `recipe` how `newslode {}` is called", path.join(" ")));
            let Some(line) = kitchen.line(&path, recipe, &before, &after) else { continue };
            let ended = into_pipe(&lab, "newslode", &line).await;
            is_right_in_a_pipe(&lab, &line, command, &ended);
            let shown = on_terminal(&lab, "newslode", &line).await;
            is_neutral(&line.join(" "), &shown);
            let ways = met.entry(path.join(" ")).or_default();
            ways.extend((ended.code == Some(0)).then_some("done"));
            ways.extend(shown.contains('\u{fffd}').then_some("filtered"));
            tried += 1;
        }
    }
    eprintln!("{tried} command lines: {met:?}");
    assert!(tried > 80, "{tried}");
    // What is called wrongly proves nothing. `verify` finds what the commands before it changed since the run's files were
    // written. Corrections name concepts that the hostile sites need not have; what is refused quotes them.
    for (path, ways) in &met {
        assert!(
            ways.contains("done")
                || ["dead show", "dead drop", "verify"].contains(&path.as_str())
                || path.starts_with("correct "),
            "`{path}` never succeeded"
        );
    }
    // Nor do commands whose output holds nothing hostile.
    for path in ["partition", "tables", "tags", "extract", "taxonomy", "export", "dead list", "dead show"] {
        assert!(met[path].contains("filtered"), "`{path}` met nothing hostile: {met:?}");
    }

    // Commands that fail quote what they were given.
    let wrong = [
        words(&["extract", &format!("{}/{}", lab.path("none").display(), CONTROLS[0])]),
        words(&["mine", &format!("--{}", CONTROLS[1])]),
        words(&["config", "check", "--config", CONTROLS[2]]),
        words(&["explain", &format!("ftp://{}/", CONTROLS[3]), "--dir", &run]),
        words(&["taxonomy", "--dir", &run, "--explain", CONTROLS[5]]),
        words(&["terms", CONTROLS[4], "--dir", &run]),
        words(&["template", "show", CONTROLS[0], "--dir", &run]),
        words(&["status", "--dir", &format!("{run}{}", CONTROLS[0])]),
    ];
    for line in wrong {
        let ended = into_pipe(&lab, "newslode", &line).await;
        assert!(!ended.err.is_empty() || ended.code == Some(0), "{line:?}: {ended:?}");
        is_neutral(&line.join(" "), &ended.err);
        is_neutral(&line.join(" "), &on_terminal(&lab, "newslode", &line).await);
    }
    for probe in ["leaves", "page-kinds"] {
        let pages = std::fs::read_dir(lab.path("pages")).unwrap();
        let pages = pages.map(|page| page.unwrap().path().display().to_string());
        let line: Vec<String> = words(&["probe", probe]).into_iter().chain(pages).collect();
        let shown = on_terminal(&lab, "newslode-lab", &line).await;
        assert!(shown.contains('\u{fffd}'), "probe {probe}: {shown}");
        is_neutral(&format!("newslode-lab probe {probe}"), &shown);
    }

    // With `--raw`, and as data in a pipe, everything arrives that is part of an article: marks of direction are not. Documents
    // hold no control characters wherever they go.
    let pages = lab.path("pages").display().to_string();
    let raw = on_terminal(&lab, "newslode", &words(&["extract", &pages, "--raw"])).await;
    assert!(raw.contains(CONTROLS[2]), "{raw:?}");
    let document = words(&["extract", &pages, "--format", "text", "--raw"]);
    is_neutral("a document", &on_terminal(&lab, "newslode", &document).await);
    let piped = into_pipe(&lab, "newslode", &words(&["extract", &pages])).await.out;
    assert!(piped.contains(CONTROLS[2]), "{piped:?}");
    let first: serde_json::Value = serde_json::from_str(piped.lines().next().unwrap()).unwrap();
    assert!(first["title"].as_str().unwrap().contains(CONTROLS[0]), "{first}");

    // The report is HTML, and the services' logs are for terminals, too.
    let report = std::fs::read_to_string(lab.path("report.html")).unwrap();
    assert!(
        report.contains("&lt;script&gt;alert(1)") && !report.contains("<script"),
        "markup is text in the report"
    );
    let logs = std::fs::read_dir(lab.path("")).unwrap().map(|file| file.unwrap().path());
    let logs: Vec<_> = logs.filter(|file| file.extension().is_some_and(|kind| kind == "err")).collect();
    assert!(logs.len() > 3, "{logs:?}");
    for log in logs {
        is_neutral(&log.display().to_string(), &String::from_utf8_lossy(&std::fs::read(&log).unwrap()));
    }
}
