//! Simulated days of news through `watch`'s engine, killed every six simulated hours: it comes to what a run without kills comes
//! to.
//!
//! The gate does two days of three sites. `NEWSLODE_ENDURE=SITESxDAYS` does more, such as `20x30` for a month of twenty sites;
//! `docs/operations.md` says what is compared.

use std::time::Duration;

use crate::lab::{Lab, small_world};
use crate::process::Process;

/// The variable with the size, and its default.
const SIZE: &str = "NEWSLODE_ENDURE";
const USUAL: &str = "3x2";
/// The longest time for a day of a site.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_is_killed_every_six_hours_comes_to_what_an_undisturbed_one_comes_to() {
    let size = std::env::var(SIZE).unwrap_or_else(|_| USUAL.to_owned());
    let (sites, days) = size.split_once('x').expect("SITESxDAYS");
    let lab = Lab::of(small_world(1)).await;
    let mut command = lab.command("newslode-lab");
    command.args(["bench", "endure", "--quiet", "--json", "--sites", sites, "--days", days]);
    let (sites, days): (u32, u32) = (sites.parse().unwrap(), days.parse().unwrap());
    let ended = Process::start(command, "endure", &lab.path("")).end(PATIENCE * (sites * days + 3)).await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    let report: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    eprintln!("{report:#}");
    assert!(report["kills"].as_u64().unwrap() >= u64::from(days) * 4 - 1, "{report}");
    assert!(report["articles"].as_u64().unwrap() > u64::from(days), "{report}");
    for what in ["sums", "pages", "articles", "lives", "filing", "taxonomy", "templates"] {
        assert_eq!(report["differences"][what], 0, "{what}: {report:#}");
    }
}
