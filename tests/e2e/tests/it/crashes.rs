//! Kills `newslode mine` again and again: a resumed run ends where an undisturbed one does.
//!
//! In the default mode it ends as [`newslode_e2e::news`] says. Where all links are followed, every page is due once, so
//! the outcome of every URL must be that of the undisturbed run, too.

use std::time::Duration;

use newslode_e2e::news::News;
use newslode_newsworld::Rng;

use crate::lab::{Lab, digests_in, digests_of, open, outcomes_in, same_outcomes, small_world};

/// The delay between pages of a site, in milliseconds: so long that no run ends before its first kills.
const DELAY: &[&str] = &["--delay", "40"];

/// Kills runs so often in all, up to four times each, and passes the name and the summary of each run that is complete
/// to `check`.
async fn kill(lab: &Lab, follow: &str, times: usize, check: impl AsyncFn(&str, serde_json::Value)) {
    let mut dice = Rng::new(17);
    let (mut kills, mut run) = (0, 0);
    while kills < times {
        run += 1;
        let name = format!("run{run}");
        let mining = lab.mining_by(follow, &name, DELAY);
        // Early kills hit the start, late ones come after some commits of the state.
        for _ in 0..4.min(times - kills) {
            let after = Duration::from_millis(dice.between(20, 2_500) as u64);
            let mut process = lab.start(&mining);
            tokio::time::sleep(after).await;
            if process.ended().is_some() {
                break;
            }
            process.kill();
            kills += 1;
            eprintln!("{name}: kill {kills} after {after:?}");
        }
        let summary = lab.json(&mining).await;
        assert_eq!(summary["complete"], true, "{summary}");
        check(&name, summary).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_resumes_and_ends_in_the_same_state() {
    let lab = Lab::of(small_world(5)).await;
    let (digests, outcomes) = lab.undisturbed(DELAY).await;
    kill(&lab, "all", 10, async |name, summary| {
        assert_eq!(digests_of(&summary), digests, "{name}: the mined state differs");
        let store = open(&lab.path(name));
        assert_eq!(digests_in(&store).await, digests, "{name}");
        same_outcomes(&outcomes, &outcomes_in(&store).await);
        drop(store);
        lab.ok(&["verify", "--quiet", lab.path(name).to_str().unwrap()]).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_that_follows_the_news_resumes_and_finds_them() {
    let lab = Lab::of(small_world(5)).await;
    let news = News::undisturbed(&lab, DELAY).await;
    kill(&lab, "news", 8, async |name, summary| {
        assert_eq!(digests_of(&summary), news.digests, "{name}: the mined state differs");
        news.is_in(&lab, name).await;
    })
    .await;
}
