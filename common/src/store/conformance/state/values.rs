//! Checks of the values that miners keep beside the cells.

use super::helpers::*;
use crate::network::NoNetwork;

/// A value is put only over the version that its writer read.
pub async fn a_value_is_put_if_it_is_what_was_expected(state: &dyn SiteState) {
    let name = fresh("value");
    let put =
        |expected, text: &'static str| state.put_value(&name, expected, Bytes::from_static(text.as_bytes()));
    assert_eq!(ok(state.value(&name).await), None);
    assert_eq!(ok(put(Some(1), "no").await), None, "a value that is not there has no version");
    let first = ok(put(None, "one").await);
    assert!(first.is_some(), "the first writer wins");
    assert_eq!(ok(put(None, "no").await), None, "the value is there");
    let second = ok(put(first, "two").await);
    assert!(second > first, "versions grow");
    assert_eq!(ok(put(first, "no").await), None, "the version has passed");
    assert_eq!(ok(state.value(&name).await), second.map(|version| (version, Bytes::from_static(b"two"))));
}

/// Only one of several writers that read the same version wins.
pub async fn of_concurrent_writers_of_a_value_one_wins(state: &dyn SiteState) {
    let name = fresh("race");
    let calls = (0..12_u8).map(|writer| state.put_value(&name, None, Bytes::from(vec![writer])));
    let won: Vec<Option<u64>> = futures::future::join_all(calls).await.into_iter().map(ok).collect();
    assert_eq!(won.iter().flatten().count(), 1, "one of twelve writers wins: {won:?}");
    let (version, bytes) = match ok(state.value(&name).await) {
        Some(value) => value,
        None => panic!("a value was put and is not there"),
    };
    assert_eq!(
        won.get(usize::from(bytes[0])).copied().flatten(),
        Some(version),
        "the winner's bytes are kept"
    );
}

/// Of several crawlers that are cut off at once, each says so for itself, and takes back only what it said.
pub async fn crawlers_without_a_network_are_counted(state: &dyn SiteState) {
    let names: Vec<String> = (0..4).map(|number| fresh(&format!("crawler-{number}"))).collect();
    // No earlier run of the checks spoke at this time.
    let now = crate::time::now();
    let said = |sites| NoNetwork { since: now, until: now, sites, crawlers: 0 };
    let calls =
        names.iter().zip(1..).map(|(name, sites)| NoNetwork::write(state, name, Some(said(sites)), now));
    futures::future::join_all(calls).await.into_iter().for_each(ok);
    let read = async || ok(NoNetwork::read(state, now).await).map(|found| (found.crawlers, found.sites));
    assert_eq!(read().await, Some((4, 4)), "four crawlers said that they reach no site");
    if let Some(last) = names.last() {
        ok(NoNetwork::write(state, last, None, now).await);
    }
    assert_eq!(read().await, Some((3, 3)), "one of them reaches sites again");
    for name in &names {
        ok(NoNetwork::write(state, name, None, now).await);
    }
    assert_eq!(read().await, None);
}

/// Values are bytes, empty or many.
pub async fn values_of_any_bytes_come_back(state: &dyn SiteState) {
    let name = fresh("bytes");
    let mut version = None;
    for bytes in [Bytes::new(), (0..=u8::MAX).collect(), vec![0xff; 2 << 20].into()] {
        version = ok(state.put_value(&name, version, bytes.clone()).await);
        let found = ok(state.value(&name).await);
        assert!(
            found.is_some_and(|(held, found)| Some(held) == version && found == bytes),
            "other bytes came back"
        );
    }
}
