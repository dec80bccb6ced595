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

/// Runs `newslode` in a folder, with these variables and no others of ours.
pub(crate) fn newslode(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_newslode"));
    command.current_dir(folder).args(arguments);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("NEWSLODE__")) {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
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

#[test]
fn a_folder_and_servers_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("served.toml");
    std::fs::write(&file, "[store]\nurl = 'redis://127.0.0.1:1/0'\n").unwrap();
    for (variables, before, cause) in [
        ([STORE].as_slice(), [].as_slice(), "NEWSLODE__STORE__URL"),
        (&[], &["--config", "served.toml"], "`store.url` in `served.toml`"),
    ] {
        for arguments in
            [["status", "run"].as_slice(), &["status", "--dir", "run"], &["seed", "list", "--dir", "run"]]
        {
            let ended = newslode(folder.path(), variables, &[before, arguments].concat());
            assert_eq!(ended.code, Some(1), "{}", ended.err);
            let is_told = ended.err.contains("`run`") && ended.err.contains(cause);
            assert!(is_told && ended.err.contains("\nhint: leave out the folder"), "{}", ended.err);
        }
    }
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
