//! On what commands work: the run in a folder, or the services.

use std::path::Path;
use std::process::Command;

use newslode::engine::Engine;
use newslode_common::config::Config;

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs `newslode` in a folder, with these variables and no others of ours, and without a configuration of this machine.
pub(crate) fn newslode(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Ended {
    run(program(folder).env("NEWSLODE_CONFIG", "").envs(variables.iter().copied()).args(arguments))
}

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_newslode"));
    command.current_dir(folder);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("NEWSLODE_")) {
        command.env_remove(name);
    }
    command
}

fn run(command: &mut Command) -> Ended {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Makes an empty run.
fn make_run(folder: &Path) {
    drop(Engine::open(folder, Config::default()).unwrap());
}

const STORE: (&str, &str) = ("NEWSLODE__STORE__URL", "redis://127.0.0.1:1/0");

#[tokio::test(flavor = "multi_thread")]
async fn without_a_folder_commands_work_where_mine_does() {
    let folder = tempfile::tempdir().unwrap();
    let missing = newslode(folder.path(), &[], &["status"]);
    assert_eq!(missing.code, Some(1), "{}", missing.err);
    assert!(
        missing.err.contains("`newslode-run` holds no run") && missing.err.contains("--dir"),
        "{}",
        missing.err
    );

    make_run(&folder.path().join("newslode-run"));
    for command in ["status", "verify", "recall"] {
        let ended = newslode(folder.path(), &[], &[command]);
        assert_eq!(ended.code, Some(0), "{command}: {}", ended.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_folder_of_an_option_is_that_of_an_argument() {
    let folder = tempfile::tempdir().unwrap();
    make_run(&folder.path().join("run"));
    let seeded = newslode(folder.path(), &[], &["seed", "add", "https://a.test", "--dir", "run"]);
    assert_eq!(
        (seeded.code, seeded.out.as_str()),
        (Some(0), "1 sent to the run in `run`\n"),
        "{}",
        seeded.err
    );
    let by_option = newslode(folder.path(), &[], &["status", "--json", "--dir", "run"]);
    assert!(by_option.out.contains("a.test"), "{}{}", by_option.out, by_option.err);
    // As version 0.1.0 took it.
    let by_place = newslode(folder.path(), &[], &["status", "--json", "run"]);
    let site = |ended: &Ended| {
        let status: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        status["sites"][0]["site"].clone()
    };
    assert_eq!(site(&by_place), site(&by_option));
    let explained = newslode(folder.path(), &[], &["explain", "a.test", "run"]);
    assert_eq!(explained.code, Some(0), "{}", explained.err);
    let both = newslode(folder.path(), &[], &["status", "run", "--dir", "run"]);
    assert_eq!(both.code, Some(2), "{}", both.err);
}

#[test]
fn a_configuration_with_limits_of_a_crawl_alone_stays_on_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("limits.toml"), "[crawler]\nworkers = 3\n[store]\nprefix = 'a'\n")
        .unwrap();
    let ended = newslode(folder.path(), &[], &["--config", "limits.toml", "taxonomy"]);
    assert!(ended.err.contains("`newslode-run` holds no run"), "{}", ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_wins_over_servers_that_a_configuration_names() {
    let folder = tempfile::tempdir().unwrap();
    make_run(&folder.path().join("run"));
    std::fs::write(folder.path().join("served.toml"), "[store]\nurl = 'redis://127.0.0.1:1/0'\n").unwrap();
    let file: &[_] = &["--config", "served.toml"];
    for (variables, before) in [([STORE].as_slice(), [].as_slice()), (&[], file)] {
        for arguments in
            [["status", "run"].as_slice(), &["status", "--dir", "run"], &["seed", "list", "--dir", "run"]]
        {
            let ended = newslode(folder.path(), variables, &[before, arguments].concat());
            assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.err);
        }
    }
}

#[test]
fn the_configuration_is_found_and_its_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let ours = folder.path().join("newslode");
    std::fs::create_dir(&ours).unwrap();
    std::fs::write(ours.join("newslode.toml"), "[crawler]\nworkers = 3\n").unwrap();
    std::fs::write(folder.path().join("other.toml"), "[crawler]\nworkers = 5\n").unwrap();
    let home = folder.path().to_str().unwrap();
    let show = |variable: (&str, &str), arguments: &[&str]| {
        newslode(
            folder.path(),
            &[("XDG_CONFIG_HOME", home), variable],
            &[&["config", "show"], arguments].concat(),
        )
    };
    let Ended { out, code, .. } =
        run(program(folder.path()).env("XDG_CONFIG_HOME", home).args(["config", "show"]));
    assert_eq!(code, Some(0));
    assert!(out.starts_with("# read from `") && out.contains("newslode/newslode.toml`"), "{out}");
    assert!(out.contains("workers = 3"), "{out}");
    let named = show(("NEWSLODE_CONFIG", "other.toml"), &[]).out;
    assert!(named.starts_with("# read from `other.toml`\n") && named.contains("workers = 5"), "{named}");
    let none = show(("NEWSLODE_CONFIG", ""), &[]).out;
    assert!(none.starts_with("# read from no file\n") && none.contains("workers = 16"), "{none}");
    let json = show(("NEWSLODE_CONFIG", "other.toml"), &["--json"]);
    assert!(json.err.contains("read from `other.toml`"), "{}", json.err);
    assert!(serde_json::from_str::<serde_json::Value>(&json.out).is_ok(), "{}", json.out);
    let missing = show(("NEWSLODE_CONFIG", "missing.toml"), &[]);
    assert!(missing.code == Some(2) && missing.err.contains("`missing.toml`"), "{}", missing.err);
}

#[test]
fn what_only_services_have_asks_for_their_servers() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("pages.warc");
    std::fs::write(&archive, "").unwrap();
    for arguments in [["dead", "list", "pages"].as_slice(), &["warc", "feed", "pages.warc"]] {
        let ended = newslode(folder.path(), &[], arguments);
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        let is_told = ended.err.contains("no server is named") && ended.err.contains("NEWSLODE__BROKER__URL");
        assert!(is_told, "{}", ended.err);
    }
}
