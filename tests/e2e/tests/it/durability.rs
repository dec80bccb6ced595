//! A run that is killed after an effect, whose disk is full, or whose file is damaged: it goes on to the same end, or names
//! what is wrong. `newslode-chaos --kills` does the first by the hundred.

use std::process::Command;
use std::time::Duration;

use newslode_common::failpoint;
use newslode_common::store::{Kind, PageArchive as _};
use newslode_e2e::process::Process;
use newslode_miner::work::histories::history::history_key;
use newslode_page::reading::CanonicalUrl;
use serde_json::Value;

use crate::client::Client;
use crate::lab::{Lab, open, small_world};

/// A web archive of a small world, and the articles that it comes to.
async fn archived(lab: &Lab) -> (String, String) {
    let archive = lab.path("pages.warc.gz").display().to_string();
    let crawled = lab.path("crawled").display().to_string();
    lab.ok(&lab.mining_by("concepts", "crawled", &[])).await;
    lab.ok(&["export", "pages", &crawled, "--format", "warc", "--to", &archive]).await;
    lab.ok(&import(lab, "undisturbed", &archive)).await;
    (archive, articles(lab, "undisturbed"))
}

fn import(lab: &Lab, name: &str, archive: &str) -> Vec<String> {
    let out = lab.path(name).display().to_string();
    ["mine", "--quiet", "--json", "--warc", archive, "--out", &out].map(str::to_owned).to_vec()
}

fn articles(lab: &Lab, name: &str) -> String {
    std::fs::read_to_string(lab.path(name).join("articles.jsonl")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_killed_after_an_effect_ends_with_the_same_articles() {
    let lab = Lab::of(small_world(5)).await;
    let (archive, wanted) = archived(&lab).await;
    let arguments = import(&lab, "killed", &archive);
    // Effects of the beginning, of counting and of the end.
    for last in ["3", "150", "300", "60"] {
        let mut command = lab.command("newslode");
        command.args(&arguments).env(failpoint::VARIABLE, last);
        let ended = Process::start(command, &format!("armed-{last}"), &lab.path(""))
            .end(Duration::from_secs(100))
            .await;
        let aborted = format!("aborted after effect {last}: store call at ");
        assert!(ended.code.is_none() && ended.err.contains(&aborted), "{}", ended.err);
    }
    lab.ok(&arguments).await;
    assert!(articles(&lab, "killed") == wanted, "the articles differ");
    lab.ok(&["verify", lab.path("killed").to_str().unwrap()]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_history_is_reported_by_verify_and_recovered_by_repair() {
    let lab = Lab::of(small_world(6)).await;
    let (_, wanted) = archived(&lab).await;
    let run = lab.path("undisturbed").display().to_string();
    let first: serde_json::Value = serde_json::from_str(wanted.lines().next().unwrap()).unwrap();
    let url: CanonicalUrl = first["url"].as_str().unwrap().parse().unwrap();
    {
        let store = open(&lab.path("undisturbed"));
        store.delete(Kind::History, history_key(&url)).await.unwrap();
    }
    let verified = lab.run(&["verify", &run]).await;
    assert_eq!(verified.code, Some(1), "{}", verified.out);
    assert!(verified.out.contains(&format!("history: {url}: it has no history")), "{}", verified.out);
    assert!(verified.out.contains("articles.jsonl differs from byte"), "{}", verified.out);
    let repaired = lab.ok(&["repair", "--dir", &run]).await;
    assert!(repaired.contains("the run's file is whole"), "{repaired}");
    assert!(articles(&lab, "undisturbed") == wanted, "the articles differ");
    let verified = lab.ok(&["verify", &run]).await;
    assert!(verified.contains("histories of ") && verified.contains("complete"), "{verified}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_named_and_repaired_from_what_it_still_holds() {
    let lab = Lab::of(small_world(7)).await;
    let (_, wanted) = archived(&lab).await;
    let run = lab.path("undisturbed").display().to_string();
    let file = lab.path("undisturbed").join("newslode.redb");
    // A bit of some archived values, some of which are no longer needed. Values are zstd frames, which have a checksum.
    let mut bytes = std::fs::read(&file).unwrap();
    let is_frame = |at: &usize| bytes[*at..].starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let frames: Vec<usize> = (0..bytes.len()).filter(is_frame).step_by(25).collect();
    frames.into_iter().for_each(|at| bytes[at + 30] ^= 4);
    std::fs::write(&file, bytes).unwrap();
    let verified = lab.run(&["verify", &run]).await;
    assert!(
        verified.code == Some(1) && verified.out.contains("damaged: table `archive`"),
        "{}",
        verified.out
    );
    let repaired = lab.run(&["repair", "--dir", &run]).await;
    assert!(repaired.out.contains("the damaged one is"), "{}{}", repaired.out, repaired.err);
    assert!(file.with_extension("redb.damaged").exists());
    lab.ok(&["verify", &run]).await;
    let kept = articles(&lab, "undisturbed").lines().count();
    assert!(kept * 4 >= wanted.lines().count() * 3, "{kept} articles are left");
}

/// A file system in memory, which is unmounted at the end; `None` for users who may not mount one.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(lab: &Lab) -> Option<SmallDisk> {
        let folder = lab.path("small");
        std::fs::create_dir(&folder).unwrap();
        let disk = SmallDisk(folder);
        disk.resize("mount", "size=2m").then_some(disk)
    }

    fn resize(&self, how: &str, options: &str) -> bool {
        let mut mount = Command::new("mount");
        if how == "mount" {
            mount.args(["-t", "tmpfs"]);
        }
        mount.args(["-o", options, "tmpfs"]).arg(&self.0).status().is_ok_and(|status| status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg("--lazy").arg(&self.0).status().ok();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_on_a_full_disk_names_the_cause_once_and_goes_on_when_there_is_room() {
    let lab = Lab::of(small_world(5)).await;
    let (archive, wanted) = archived(&lab).await;
    let Some(disk) = SmallDisk::mount(&lab) else {
        eprintln!("not tried: this user may not mount a file system");
        return;
    };
    let mut command = lab.command("newslode");
    command.args(import(&lab, "small/run", &archive)).env("NEWSLODE__ARCHIVE__RESERVE_MB", "0");
    let mut mining = Process::start(command, "mining", &lab.path(""));
    let begun = std::time::Instant::now();
    while !mining.tail().contains("the run waits until there is room") {
        assert!(mining.ended().is_none() && begun.elapsed() < Duration::from_secs(60), "{}", mining.tail());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let run = lab.path("small/run").display().to_string();
    assert!(disk.resize("remount", "remount,size=200m"));
    let ended = mining.end(Duration::from_secs(100)).await;
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(ended.err.matches("the run waits until there is room").count(), 1, "{}", ended.err);
    assert!(articles(&lab, "small/run") == wanted, "the articles differ");
    assert!(!lab.ok(&["status", &run]).await.contains("room"), "there is room again");
    assert_eq!(lab.json(&["status", "--json", &run]).await["shortage"], Value::Null);
    // With a reserve that no disk has there is none, and status and console say so.
    let greedy = |arguments: &[&str]| {
        let mut command = lab.command("newslode");
        command.args(arguments).env("NEWSLODE__ARCHIVE__RESERVE_MB", "900000000");
        command
    };
    let mut status = Process::start(greedy(&["status", &run]), "status", &lab.path(""));
    let status = status.end(Duration::from_secs(60)).await;
    assert!(status.out.contains("fetching waits for room: only "), "{}{}", status.out, status.err);
    let command = greedy(&["serve", &run, "--addr", "127.0.0.1:0"]);
    let mut console = Process::start(command, "console", &lab.path(""));
    console.printed("http://").await;
    let addr = console.out().split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let client = Client::new(addr.parse().unwrap());
    let begun = std::time::Instant::now();
    for page in ["/", "/operations"] {
        while !client.get(page).await.body.contains("Fetching waits for room: only ") {
            assert!(begun.elapsed() < Duration::from_secs(60), "{page}\n{}", console.tail());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_waits_while_less_than_the_reserve_is_free() {
    let lab = Lab::of(small_world(5)).await;
    let mut command = lab.command("newslode");
    // The warning is the point.
    command.args(lab.mining_by("news", "short", &[]).iter().filter(|argument| *argument != "--quiet"));
    command.env("NEWSLODE__ARCHIVE__RESERVE_MB", "900000000");
    let mut mining = Process::start(command, "short", &lab.path(""));
    let begun = std::time::Instant::now();
    while !mining.tail().contains("fetching stops until there is room") {
        assert!(mining.ended().is_none() && begun.elapsed() < Duration::from_secs(60), "{}", mining.tail());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(mining.tail().contains("`archive.reserve_mb`"), "{}", mining.tail());
    mining.kill();
    assert!(lab.asked().is_empty(), "nothing was fetched");
    // With room, the same run goes on.
    let summary = lab.json(&lab.mining_by("news", "short", &[])).await;
    assert_eq!(summary["complete"], true, "{summary}");
}
