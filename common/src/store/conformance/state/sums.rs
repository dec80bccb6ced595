//! Checks of the sums in the cells.

use super::helpers::*;

/// A cell whose sum is zero is absent.
pub async fn cells_that_come_to_zero_are_gone(state: &dyn SiteState) {
    let name = "zero";
    forget(state, name).await;
    let batch = [
        change(name, "a", None, version(1, 1), &[("jazz", 5), ("rock", 1)]),
        change(name, "b", None, version(1, 1), &[("jazz", -5)]),
        change(name, "c", None, version(1, 1), &[("rock", -1), ("pop", 1)]),
    ];
    count(state, name, &batch[..2]).await;
    check_labels(state, name, &[("rock", 1)]).await;
    count(state, name, &batch[2..]).await;
    check_labels(state, name, &[("pop", 1)]).await;
    forget(state, name).await;
}

/// Sums wrap around at both ends, so that subtraction always undoes addition.
pub async fn sums_wrap(state: &dyn SiteState) {
    let name = "wrap";
    forget(state, name).await;
    let huge = [("up", i64::MAX), ("down", i64::MIN), ("zero", i64::MIN), ("odd", (1 << 53) + 1)];
    count(state, name, &[change(name, "a", None, version(1, 1), &huge)]).await;
    check_labels(state, name, &huge).await;
    let more = [("up", 1), ("down", -1), ("zero", i64::MIN), ("odd", 1 << 53)];
    count(state, name, &[change(name, "b", None, version(1, 2), &more)]).await;
    check_labels(state, name, &[("up", i64::MIN), ("down", i64::MAX), ("odd", (1 << 54) + 1)]).await;
    let undo = [("up", -1), ("down", 1), ("zero", i64::MIN), ("odd", -(1 << 53))];
    count(state, name, &[change(name, "b", version(1, 2), version(2, 0), &undo)]).await;
    check_labels(state, name, &huge).await;
    forget(state, name).await;
}

/// Keys are any text: empty, long, with separators, control characters and every script.
pub async fn keys_of_any_text_are_kept_apart(state: &dyn SiteState) {
    let name = "keys";
    forget(state, name).await;
    let long = "long ".repeat(1_000);
    let keys = [
        "",
        " ",
        "a",
        "A",
        "a\u{1f}b",
        "a\u{1f}",
        "\0",
        "\n",
        "{b1}:x",
        "\"'\\",
        "日本語",
        "e\u{301}",
        "é",
        &long,
    ];
    let cells: Vec<(&str, i64)> = keys.iter().zip(1..).map(|(key, count)| (*key, count)).collect();
    count(state, name, &[change(name, "a", None, version(1, 1), &cells)]).await;
    check_labels(state, name, &cells).await;
    forget(state, name).await;
}

/// The same key in two tables makes two cells.
pub async fn tables_are_kept_apart(state: &dyn SiteState) {
    let name = "tables";
    forget(state, name).await;
    let mut all = change(name, "a", None, version(1, 1), &[]);
    for (table, count) in Table::ALL.iter().zip(1..) {
        all.delta.add(Cell::new(*table, &["same"]), count);
    }
    count(state, name, &[all]).await;
    for (table, count) in Table::ALL.iter().zip(1..) {
        let cells = ok(state.cells(&site(name), *table).await);
        assert_eq!(cells, BTreeMap::from([("same".to_owned(), count)]), "{table:?}");
    }
    forget(state, name).await;
}

/// A page may change thousands of cells in one call.
pub async fn a_page_of_many_cells_is_counted(state: &dyn SiteState) {
    let name = "many";
    forget(state, name).await;
    let keys: Vec<String> = (0..9_000).map(|index| format!("label {index}")).collect();
    let cells: Vec<(&str, i64)> = keys.iter().zip(1..).map(|(key, count)| (key.as_str(), count)).collect();
    count(state, name, &[change(name, "a", None, version(1, 1), &cells)]).await;
    check_labels(state, name, &cells).await;
    forget(state, name).await;
    check_labels(state, name, &[]).await;
}

/// A change concerns its site alone, even if another site's name begins alike.
pub async fn sites_are_kept_apart(state: &dyn SiteState) {
    let names = ["apart", "apart2", "apar"];
    for name in names {
        forget(state, name).await;
    }
    for (name, by) in names.into_iter().zip(1..) {
        count(state, name, &[change(name, "a", None, version(1, 1), &[("jazz", by)])]).await;
    }
    forget(state, "apart").await;
    check_labels(state, "apart", &[]).await;
    for (name, by) in [("apart2", 2), ("apar", 3)] {
        check_labels(state, name, &[("jazz", by)]).await;
        check_pages(state, name, 1).await;
        forget(state, name).await;
    }
}

async fn counter(state: &dyn SiteState, name: &str) -> Option<u64> {
    let sites = ok(state.sites().await);
    assert!(sites.is_sorted_by(|(one, _), (next, _)| one < next), "sites are not in order of their names");
    sites.into_iter().find(|(listed, _)| *listed == site(name)).map(|(_, counter)| counter)
}

/// The counter grows with every change of a cell, and stays if nothing changed.
pub async fn a_sites_counter_grows_with_its_cells(state: &dyn SiteState) {
    let name = "counter";
    forget(state, name).await;
    let batch = [change(name, "a", None, version(1, 1), &[("jazz", 1)])];
    count(state, name, &batch).await;
    let first = counter(state, name).await;
    assert!(first.is_some(), "a site that was counted is not listed");
    assert_eq!(apply(state, name, &batch).await, [Applied::Stale]);
    let conflict = change(name, "a", None, version(2, 2), &[("rock", 1)]);
    assert_eq!(apply(state, name, &[conflict]).await, [Applied::Conflict(version(1, 1))]);
    assert_eq!(counter(state, name).await, first, "the counter grew and nothing changed");
    count(state, name, &[change(name, "a", version(1, 1), version(2, 0), &[("jazz", -1)])]).await;
    assert!(counter(state, name).await > first, "a cell changed and the counter did not grow");
    forget(state, name).await;
}

/// A forgotten site is not listed. When it is counted anew, its counter goes on, so that earlier readers
/// notice.
pub async fn a_forgotten_site_starts_anew(state: &dyn SiteState) {
    let name = "forgotten";
    forget(state, name).await;
    let batch = [change(name, "a", None, version(5, 5), &[("jazz", 1)])];
    count(state, name, &batch).await;
    let before = counter(state, name).await;
    forget(state, name).await;
    assert_eq!(counter(state, name).await, None, "a forgotten site is still listed");
    check_labels(state, name, &[]).await;
    check_pages(state, name, 0).await;
    let older = [change(name, "a", None, version(1, 1), &[("rock", 1)])];
    count(state, name, &older).await;
    check_labels(state, name, &[("rock", 1)]).await;
    assert!(counter(state, name).await > before, "a forgotten site's counter started again");
    forget(state, name).await;
}

/// Fetches shuffled, repeated, counted by old and newer algorithms side by side, in batches of any size: the result is
/// the sum of each page's newest version.
pub async fn any_order_and_duplication_ends_in_the_plain_sum(state: &dyn SiteState) {
    let name = "histories";
    let here = site(name);
    let mut dice = Dice(newslode_page::splitmix::SplitMix(11));
    let mut deliveries = histories::fetches(&mut dice, name, 25);
    let (newest, sums) = histories::plain_sum(&deliveries);
    let again: Vec<_> = deliveries.iter().filter(|_| dice.below(2) == 0).cloned().collect();
    deliveries.extend(again);
    let mut digests = BTreeSet::new();
    for round in 0..5 {
        ok(state.forget(&here).await);
        let mut rest = deliveries.as_slice();
        while !rest.is_empty() {
            let (batch, later) = rest.split_at((1 + dice.below(1 + round * 4)).min(rest.len()));
            histories::count(state, &mut dice, &here, batch).await;
            rest = later;
        }
        assert_eq!(ok(state.pages(&here).await), newest.clone().into_iter().collect::<Vec<_>>());
        for table in Table::ALL {
            let wanted: BTreeMap<String, i64> = sums
                .iter()
                .filter(|(cell, _)| cell.table == *table)
                .map(|(cell, sum)| (cell.key.clone(), *sum))
                .collect();
            assert_eq!(ok(state.cells(&here, *table).await), wanted, "{table:?} is not the plain sum");
        }
        digests.insert(ok(state_digest(state, &here).await));
        dice.shuffle(&mut deliveries);
    }
    assert_eq!(digests.len(), 1, "equal state has equal digests");
    ok(state.forget(&here).await);
}
