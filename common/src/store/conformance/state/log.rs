//! Checks of the log and of histories: who reads them knows what the sums are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::helpers::*;
use crate::store::bucket;
use crate::store::log::{Flips, Logged, Note};
use newslode_page::contribution::names::short_name as named;

/// A cell of a label that stores watch, and one that they do not.
fn linked(label: &str) -> Cell {
    Cell { table: Table::Labels, key: named(label) + "l" }
}

fn written(label: &str) -> Cell {
    Cell { table: Table::Forms, key: named(label) + label }
}

fn adding(
    name: &str,
    path: &str,
    from: Option<Version>,
    to: Option<Version>,
    cells: &[(Cell, i64)],
) -> Change {
    let mut change = change(name, path, from, to, &[]);
    cells.iter().for_each(|(cell, by)| change.delta.add(cell.clone(), *by));
    change
}

/// The position at which the log of a site's bucket ends.
async fn end(state: &dyn SiteState, name: &str) -> u64 {
    ok(state.log(bucket(&site(name)), u64::MAX, 1).await).end
}

/// The entries of a site behind a position.
async fn logged(state: &dyn SiteState, name: &str, after: u64) -> Vec<Logged> {
    let log = ok(state.log(bucket(&site(name)), after, 1_000).await);
    let positions: Vec<u64> = log.entries.iter().map(|entry| entry.position).collect();
    assert_eq!(positions, (after + 1..=log.end).collect::<Vec<_>>(), "positions without gaps");
    log.entries.into_iter().filter(|entry| entry.site == site(name)).collect()
}

fn sorted(mut flips: Flips) -> Flips {
    flips.came.sort_unstable();
    flips.went.sort_unstable();
    flips
}

/// Each batch that counts has one entry: its pages, and what they added together, without terms.
pub async fn what_was_counted_is_logged(state: &dyn SiteState) {
    let name = "logged";
    forget(state, name).await;
    let before = end(state, name).await;
    let term = Cell::new(Table::Terms, &["tf", "jazz"]);
    let first = [
        adding(name, "a", None, version(1, 1), &[(written("jazz"), 2), (term.clone(), 3)]),
        adding(name, "b", None, version(1, 2), &[(written("jazz"), 1), (written("rock"), -1)]),
    ];
    count(state, name, &first).await;
    count(
        state,
        name,
        &[adding(name, "a", version(1, 1), version(2, 0), &[(written("jazz"), -2), (term, -3)])],
    )
    .await;
    let logged = logged(state, name, before).await;
    let notes: Vec<_> = logged.into_iter().map(|entry| (entry.is_forgotten, entry.note)).collect();
    let content = |byte| ContentHash([byte; 16]);
    let mut sums = vec![(written("jazz"), 3), (written("rock"), -1)];
    sums.sort_unstable();
    assert_eq!(notes.len(), 2, "one entry for each call: {notes:?}");
    assert_eq!(notes[0].1.pages, [(url(name, "a"), content(1)), (url(name, "b"), content(2))]);
    assert_eq!((notes[0].0, &notes[0].1.cells), (false, &sums));
    assert_eq!(notes[1].1.pages, [(url(name, "a"), content(0))]);
    assert_eq!(notes[1].1.cells, [(written("jazz"), -2)]);
    forget(state, name).await;
}

/// What is stale or in conflict leaves no trace.
pub async fn what_does_not_count_is_not_logged(state: &dyn SiteState) {
    let name = "unlogged";
    forget(state, name).await;
    count(state, name, &[adding(name, "a", None, version(2, 2), &[(linked("jazz"), 1)])]).await;
    let before = end(state, name).await;
    let stale = adding(name, "a", None, version(1, 1), &[(linked("rock"), 1)]);
    let conflict = adding(name, "a", None, version(3, 3), &[(linked("pop"), 1)]);
    apply(state, name, &[stale, conflict]).await;
    assert_eq!(logged(state, name, before).await, [], "nothing counted");
    forget(state, name).await;
}

/// A watched cell is named when it comes and when it goes, and only then.
pub async fn watched_cells_tell_when_they_come_and_go(state: &dyn SiteState) {
    let name = "watched";
    forget(state, name).await;
    let before = end(state, name).await;
    let steps: [&[(&str, i64)]; 4] = [
        &[("jazz", 1), ("rock", 2)],
        &[("jazz", 1), ("rock", -2), ("pop", 1)],
        &[("jazz", -2), ("rock", -1)],
        &[("pop", 1)],
    ];
    for (cells, fetch) in steps.into_iter().zip(1..) {
        let from = version(u64::from(fetch) - 1, fetch - 1).filter(|_| fetch > 1);
        let to = version(u64::from(fetch), fetch);
        let mut all: Vec<(Cell, i64)> = cells.iter().map(|(label, by)| (linked(label), *by)).collect();
        all.extend(cells.iter().map(|(label, by)| (written(label), *by)));
        count(state, name, &[adding(name, "a", from, to, &all)]).await;
    }
    let flips: Vec<Flips> =
        logged(state, name, before).await.into_iter().map(|entry| sorted(entry.flips)).collect();
    let of = |came: &[&str], went: &[&str]| {
        let names = |labels: &[&str]| labels.iter().map(|label| named(label)).collect();
        sorted(Flips { came: names(came), went: names(went) })
    };
    assert_eq!(
        flips,
        [of(&["jazz", "rock"], &[]), of(&["pop"], &["rock"]), of(&["rock"], &["jazz"]), of(&[], &[])]
    );
    forget(state, name).await;
}

/// A site that is forgotten has an entry that names all its watched cells; one that was never counted has none.
pub async fn a_forgotten_site_is_logged(state: &dyn SiteState) {
    let name = "logged-off";
    forget(state, name).await;
    let before = end(state, name).await;
    let cells = [(linked("jazz"), 1), (linked("rock"), 3), (written("pop"), 1)];
    count(state, name, &[adding(name, "a", None, version(1, 1), &cells)]).await;
    forget(state, name).await;
    let mut entries = logged(state, name, before).await;
    let last = entries.pop().unwrap_or_else(|| panic!("a site was forgotten and the log says nothing"));
    assert!(last.is_forgotten && last.note.cells.is_empty(), "{last:?}");
    assert_eq!(
        sorted(last.flips),
        sorted(Flips { came: Vec::new(), went: vec![named("jazz"), named("rock")] })
    );
    // Nothing is left of what it had, but who follows still sees the same labels come that go now.
    let first = entries.pop().unwrap_or_else(|| panic!("the entry before is gone, and so are its flips"));
    assert_eq!((first.is_forgotten, &first.note), (false, &Note::default()));
    assert_eq!(
        sorted(first.flips),
        sorted(Flips { came: vec![named("jazz"), named("rock")], went: Vec::new() })
    );
    count(state, name, &[adding(name, "a", None, version(1, 1), &cells)]).await;
    let again = logged(state, name, last.position).await;
    assert!(again.iter().any(|entry| !entry.note.pages.is_empty()), "what comes later is logged: {again:?}");
    forget(state, name).await;
}

/// A log can be read in parts.
pub async fn a_log_is_read_in_parts(state: &dyn SiteState) {
    let name = "parts";
    forget(state, name).await;
    let before = end(state, name).await;
    for path in ["a", "b", "c", "d", "e"] {
        count(state, name, &[adding(name, path, None, version(1, 1), &[(written(path), 1)])]).await;
    }
    let (mut after, mut cells) = (before, Vec::new());
    loop {
        let log = ok(state.log(bucket(&site(name)), after, 2).await);
        assert!(log.entries.len() <= 2, "more than were asked for");
        let Some(last) = log.entries.last() else { break };
        after = last.position;
        cells.extend(log.entries.into_iter().flat_map(|entry| entry.note.cells));
    }
    assert_eq!(cells, ["a", "b", "c", "d", "e"].map(|path| (written(path), 1)));
    assert_eq!(after, end(state, name).await, "the log ends where its entries do");
    forget(state, name).await;
}

/// A long log drops its oldest entries, and says so.
pub async fn a_long_log_drops_its_oldest_entries(state: &dyn SiteState) {
    let name = "long-log";
    forget(state, name).await;
    let mut dice = Dice(newslode_page::splitmix::SplitMix(7));
    let before = end(state, name).await;
    for round in 1..=24 {
        let label = |_| Cell {
            table: Table::Forms,
            key: format!("{}{}", named(&dice.next().to_string()), dice.next()),
        };
        let cells: Vec<(Cell, i64)> = (0..3_000).map(label).map(|cell| (cell, 1)).collect();
        count(state, name, &[adding(name, &round.to_string(), None, version(1, 1), &cells)]).await;
    }
    let log = ok(state.log(bucket(&site(name)), before, 1_000).await);
    assert_eq!(log.end, before + 24);
    assert!(log.dropped > before && log.dropped < log.end, "{} of {}", log.dropped, log.end);
    let positions: Vec<u64> = log.entries.iter().map(|entry| entry.position).collect();
    assert_eq!(
        positions,
        (log.dropped + 1..=log.end).collect::<Vec<_>>(),
        "the entries behind those that are gone"
    );
    forget(state, name).await;
}

/// A history has all cells of its homes and no others; the empty home has those of the whole site.
pub async fn a_history_has_the_cells_of_its_homes(state: &dyn SiteState) {
    let name = "homes";
    forget(state, name).await;
    let pages = Cell::new(Table::Pages, &[]);
    let mut cells = vec![(pages.clone(), 1), (linked("jazz"), 2), (written("jazz"), 3), (written("rock"), 4)];
    cells.extend((0..500).map(|label| (written(&format!("label {label}")), 1)));
    count(state, name, &[adding(name, "a", None, version(1, 1), &cells)]).await;
    for (homes, wanted) in [
        (vec![named("jazz")], vec![(linked("jazz"), 2), (written("jazz"), 3)]),
        (vec![named("rock"), String::new(), named("pop")], vec![(pages, 1), (written("rock"), 4)]),
        (vec![], vec![]),
    ] {
        let mut history = ok(state.history(&site(name), &homes).await);
        history.cells.sort_unstable();
        let mut wanted = wanted;
        wanted.sort_unstable();
        assert_eq!((history.position, history.cells), (end(state, name).await, wanted), "{homes:?}");
    }
    forget(state, name).await;
    assert_eq!(ok(state.history(&site(name), &[named("jazz")]).await).cells, []);
}

/// The cells of a history, or a snapshot, are the sum of the notes through its position, also while pages are counted.
pub async fn a_history_is_right_at_its_position(state: &dyn SiteState) {
    let name = "positions";
    forget(state, name).await;
    let before = end(state, name).await;
    // A look takes as long as a store takes to read: counting goes on until there were some.
    let looked = AtomicUsize::new(0);
    let counting = async {
        for round in 1..=400 {
            if round > 40 {
                if looked.load(Ordering::Relaxed) >= 4 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let cells = [(written("jazz"), round), (linked("jazz"), 1), (written("rock"), 1)];
            let path = round.to_string();
            count(state, name, &[adding(name, &path, None, version(1, 1), &cells)]).await;
        }
    };
    let looking = async {
        let (mut looks, here) = (Vec::new(), site(name));
        loop {
            let look = ok(state.history(&here, &[named("jazz")]).await);
            looks.push((look.position, look.cells.into_iter().collect::<BTreeMap<Cell, i64>>()));
            let (position, sums) = ok(state.snapshot(&here, Table::ALL).await);
            let cells = sums
                .into_iter()
                .flat_map(|(table, cells)| cells.into_iter().map(move |(key, by)| (Cell { table, key }, by)));
            looks.push((
                position,
                cells.filter(|(cell, _)| cell.home() == Some(named("jazz").as_str())).collect(),
            ));
            looked.fetch_add(1, Ordering::Relaxed);
            if look.position >= before + 40 && looks.len() >= 8 {
                return looks;
            }
            tokio::task::yield_now().await;
        }
    };
    let ((), looks) = futures::join!(counting, looking);
    let logged = logged(state, name, before).await;
    for (position, held) in looks {
        let mut sum = Delta::default();
        let until = logged.iter().filter(|entry| entry.position <= position);
        for (cell, by) in until.flat_map(|entry| &entry.note.cells) {
            if cell.home() == Some(named("jazz").as_str()) {
                sum.add(cell.clone(), *by);
            }
        }
        let wanted: BTreeMap<Cell, i64> = sum.iter().map(|(cell, by)| (cell.clone(), by)).collect();
        assert_eq!(held, wanted, "the cells at position {position}");
    }
    forget(state, name).await;
}
