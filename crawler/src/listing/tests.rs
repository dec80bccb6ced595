//! Listings as bytes in, as text out: one line for each item.

use std::io::Write as _;

use proptest::prelude::*;

use super::*;

mod faults;
mod forms;
mod hostile;

/// 2024-06-01T12:00:00Z.
const NOW: Timestamp = Timestamp(1_717_243_200_000);

fn own() -> CanonicalUrl {
    "https://www.a.test/dir/feed".parse().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn read_all(bytes: &[u8]) -> Result<Listing, ListingError> {
    read(&own(), None, bytes, NOW, &ListingLimits::default())
}

fn date(at: Option<Timestamp>) -> String {
    let text = |at: Timestamp| jiff::Timestamp::from_millisecond(at.0 as i64).unwrap().to_string();
    at.map_or_else(|| "-".to_owned(), text)
}

/// A listing as lines: the form, `cut` if so, what was left out, then `url | title | published | modified`.
fn shown(listing: &Listing) -> String {
    let LeftOut { no_link, bad_link, other_site, merged, over_limit, itself, future_dates } =
        listing.left_out;
    let mut out = format!("{:?}{}", listing.form, if listing.is_cut { " cut" } else { "" });
    for (name, number) in [
        ("no_link", no_link),
        ("bad_link", bad_link),
        ("other_site", other_site),
        ("merged", merged),
        ("over_limit", over_limit),
        ("itself", itself),
        ("future_dates", future_dates),
    ] {
        if number > 0 {
            out += &format!(" {name}={number}");
        }
    }
    for item in &listing.items {
        let title = item.title.as_deref().unwrap_or("-");
        out += &format!("\n{} | {title} | {} | {}", item.url, date(item.published), date(item.modified));
    }
    for map in &listing.maps {
        out += &format!("\n{} | {}", map.url, date(map.modified));
    }
    out
}

#[track_caller]
fn check(bytes: impl AsRef<[u8]>, expected: &str) {
    let listing = read_all(bytes.as_ref()).unwrap();
    assert_eq!(shown(&listing), expected);
    assert!(sniff(None, bytes.as_ref()) && sniff(None, &gzip(bytes.as_ref())));
}

#[track_caller]
fn check_items(items: &str, expected: &str) {
    check(format!("<rss version='2.0'><channel>{items}</channel></rss>"), expected);
}
