//! Kills `newslode mine` again and again: a resumed run ends where an undisturbed one does.

use std::time::Duration;

use newslode_newsworld::Rng;

use crate::lab::{Lab, digests_in, digests_of, open, outcomes_in, same_outcomes, small_world};

/// Number of kills over all runs.
const KILLS: usize = 10;

/// The delay between pages of a site, in milliseconds: so long that no run ends before its first kills.
const DELAY: &[&str] = &["--delay", "40"];

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_resumes_and_ends_in_the_same_state() {
    let lab = Lab::of(small_world(5)).await;
    let (digests, outcomes) = lab.undisturbed(DELAY).await;
    let mut dice = Rng::new(17);
    let (mut kills, mut run) = (0, 0);
    while kills < KILLS {
        run += 1;
        let name = format!("run{run}");
        let mining = lab.mining(&name, DELAY);
        // Early kills hit the start, late ones come after some commits of the state.
        for _ in 0..4.min(KILLS - kills) {
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
        assert_eq!(digests_of(&summary), digests, "{name}: the mined state differs");
        let store = open(&lab.path(&name));
        assert_eq!(digests_in(&store).await, digests, "{name}");
        same_outcomes(&outcomes, &outcomes_in(&store).await);
        drop(store);
        lab.ok(&["verify", "--quiet", lab.path(&name).to_str().unwrap()]).await;
    }
}
