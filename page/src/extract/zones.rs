//! The local time of an instant that a page's metadata gives in UTC.
//!
//! Many systems write UTC for machines and local time for readers. The day of an article is the readers' day,
//! so the instant is written in the page's own zone if the page shows it. There are two ways: a date and time
//! with an offset, in an attribute or a script, that is the same instant; or a date and time without offset
//! near the headline that differs from it by a possible zone.
//!
//! Invariants: the instant does not change; a zone is read off the page, never guessed. Start at [`in_local_time`].

use jiff::Timestamp as Instant;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use memchr::memmem::find_iter;

use super::dates;
use super::scripts;
use super::visible::Visible;
use crate::Page;

/// The largest offset of a zone, in seconds; offsets are multiples of half an hour (except two small zones).
const MAX_ZONE: i64 = 14 * 3600;
const OFFSET_STEP: i64 = 1800;
/// Shown times are exact to the minute.
const MINUTE: i64 = 60;
const MAX_ELEMENTS: usize = 200;

/// A date and time in UTC is written in the page's own zone; anything else stays as it is. Scripts are long: they are only
/// read if so asked.
pub(super) fn in_local_time(
    date: &str,
    page: &Page,
    visible: &Visible<'_>,
    parse: &dyn Fn(&str) -> Option<String>,
    reads_scripts: bool,
) -> String {
    let unchanged = || date.to_owned();
    if !date.ends_with('Z') {
        return unchanged();
    }
    let Ok(instant) = date.parse::<Instant>() else { return unchanged() };
    let zone = zone_in_attributes(page, instant, parse)
        .or_else(|| visible.near_texts().find_map(|text| offset_between(instant, &parse(text)?)))
        .or_else(|| reads_scripts.then(|| zone_in_scripts(page, instant))?);
    zone.and_then(|zone| dates::format_instant(instant, zone)).unwrap_or_else(unchanged)
}

/// A date and time with an offset: the instant, in seconds, and the offset.
pub(super) fn instant_and_offset(written: &str) -> Option<(i64, i32)> {
    let zone = parse_offset(written).filter(|zone| *zone != 0)?;
    let instant: Instant = written.parse().ok()?;
    Some((instant.as_second(), i32::try_from(zone).ok()?))
}

/// The offsets of a site's other pages, each with its instant: the zone in which the site writes for its readers.
#[derive(Clone, Debug, Default)]
pub(super) struct SiteZone(Vec<(i64, i32)>);

/// Most difference between the offsets of a zone: that of summer.
const MOST_DIFFERENCE: i32 = 3600;
/// Least number of pages from which a site's time zone is inferred.
const LEAST_PAGES: usize = 2;
/// Seconds of a year, and most seconds of the year between a page and one that tells its offset.
const YEAR: i64 = 31_556_952;
const MOST_APART: i64 = 60 * 86_400;

impl SiteZone {
    /// The zone, unless pages disagree or are too few.
    pub(super) fn new(pages: Vec<(i64, i32)>) -> SiteZone {
        let offsets = || pages.iter().map(|(_, zone)| *zone);
        let differ = offsets().max().unwrap_or(0).saturating_sub(offsets().min().unwrap_or(0));
        SiteZone(if pages.len() >= LEAST_PAGES && differ <= MOST_DIFFERENCE { pages } else { Vec::new() })
    }

    /// A date and time in UTC in this zone, with the offset of the page nearest in the year.
    pub(super) fn local(&self, date: &str) -> Option<String> {
        let instant: Instant = date.parse().ok()?;
        let away = |at: i64| {
            let apart = (instant.as_second() - at).rem_euclid(YEAR);
            apart.min(YEAR - apart)
        };
        let (at, zone) = self.0.iter().min_by_key(|(at, zone)| (away(*at), *zone))?;
        if away(*at) > MOST_APART {
            return None;
        }
        dates::format_instant(instant, *zone)
    }
}

/// The offset, in seconds, at which the instant is this date and time.
fn offset_between(instant: Instant, written: &str) -> Option<i32> {
    let civil: DateTime = written.get(..19)?.parse().ok()?;
    let as_utc = Offset::UTC.to_timestamp(civil).ok()?.as_second();
    let zone = as_utc - instant.as_second();
    // An offset that the text itself gives must agree. Without one, the difference is rounded up to the next possible
    // offset, since a shown time may lack its seconds.
    let zone = match parse_offset(written) {
        Some(0) => return None,
        Some(written) if (zone - written).abs() < MINUTE => written,
        Some(_) => return None,
        // Without a zone the seconds may be missing, too.
        None => (zone + MINUTE - 1).div_euclid(OFFSET_STEP) * OFFSET_STEP,
    };
    let is_offset =
        zone != 0 && zone.abs() <= MAX_ZONE && (as_utc - instant.as_second() - zone).abs() < MINUTE;
    is_offset.then(|| i32::try_from(zone).ok())?
}

/// The offset of a date and time in ISO 8601, in seconds.
fn parse_offset(written: &str) -> Option<i64> {
    let rest = written.get(19..)?;
    if rest.starts_with('Z') {
        return Some(0);
    }
    let sign = if rest.starts_with('-') { -1 } else { 1 };
    let hours: i64 = rest.get(1..3)?.parse().ok()?;
    let minutes: i64 = rest.get(3..)?.trim_start_matches(':').get(..2)?.parse().ok()?;
    Some(sign * (hours * 3600 + minutes * 60))
}

fn zone_in_attributes(page: &Page, instant: Instant, parse: &dyn Fn(&str) -> Option<String>) -> Option<i32> {
    let tree = &page.tree;
    let elements = tree.node_ids().filter(|&node| matches!(tree.tag(node), Some("time" | "meta")));
    let value = |node| tree.attr(node, "datetime").or_else(|| tree.attr(node, "content"));
    let dated = elements.filter_map(value).filter(|value| value.starts_with(|c: char| c.is_alphanumeric()));
    let zoned = |value: &str| {
        let written = parse(value)?;
        parse_offset(&written)?;
        offset_between(instant, &written)
    };
    dated.filter(|value| value.contains(':')).take(MAX_ELEMENTS).find_map(zoned)
}

/// The offset of a date and time in a script with the minute and second of the instant.
fn zone_in_scripts(page: &Page, instant: Instant) -> Option<i32> {
    let utc = Offset::UTC.to_datetime(instant);
    let marks = ['-', '+'].map(|sign| format!(":{:02}:{:02}{sign}", utc.minute(), utc.second()));
    for text in scripts::script_texts(&page.tree) {
        let zone = |mark: &String| {
            find_iter(text.as_bytes(), mark).take(50).find_map(|at| {
                let written = text.get(at.checked_sub(13)?..at + 12)?;
                parse_offset(written).and_then(|_| offset_between(instant, written))
            })
        };
        if let Some(zone) = marks.iter().find_map(zone) {
            return Some(zone);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dates::DateStyle;
    use crate::extract::runs::Runs;
    use crate::testing::page;
    use crate::time::Timestamp;

    /// 2024-06-01T00:00:00Z.
    const NOW: Timestamp = Timestamp(1_717_200_000_000);

    #[track_caller]
    fn check(html: &str, expected: &str) {
        let page = page(html);
        let runs = Runs::new(&page);
        let visible = Visible::new(&page, &runs, None);
        let parse = |text: &str| dates::parse(text, NOW, DateStyle::default());
        assert_eq!(in_local_time("2024-05-04T01:48:19Z", &page, &visible, &parse, true), expected, "{html}");
    }

    #[test]
    fn the_same_instant_in_the_pages_own_zone() {
        check("<time datetime=2024-05-03T20:48:19-05:00>May 3</time>", "2024-05-03T20:48:19-05:00");
        check("<meta name=date content='Sat, 04 May 2024 03:48:19 +0200'>", "2024-05-04T03:48:19+02:00");
        check("<h1>A</h1><p>May 3, 2024 9:48 PM EDT", "2024-05-03T21:48:19-04:00");
        check("<h1>A</h1><p>May 4, 2024 7:18 AM", "2024-05-04T07:18:19+05:30");
        check("<script>x={'at': '2024-05-03T20:48:19-05:00'}</script>", "2024-05-03T20:48:19-05:00");
    }

    #[test]
    fn the_zone_of_other_pages() {
        let zone = |pages: &[&str]| {
            SiteZone::new(pages.iter().filter_map(|page| instant_and_offset(page)).collect())
        };
        let at = "2024-05-04T01:48:19Z";
        let both = ["2023-12-30T10:00:00-05:00", "2023-06-01T10:00:00-04:00"];
        assert_eq!(zone(&both).local(at).as_deref(), Some("2024-05-03T21:48:19-04:00"));
        assert_eq!(zone(&both).local("2024-01-04T01:48:19Z").as_deref(), Some("2024-01-03T20:48:19-05:00"));
        assert_eq!(zone(&both).local("2024-09-04T01:48:19Z"), None, "summer or winter");
        assert_eq!(zone(&both[..1]).local(at), None, "one page may be an exception");
        assert_eq!(zone(&[both[0], "2023-12-30T10:00:00+01:00"]).local(at), None);
        assert_eq!(instant_and_offset("2024-05-04T01:48:19Z"), None);
    }

    #[test]
    fn another_time_is_no_zone() {
        let same = "2024-05-04T01:48:19Z";
        check("<time datetime=2024-05-03T20:48:19-04:00>May 3</time>", same);
        check("<h1>A</h1><p>May 3, 2024 9:40 PM", same);
        check("<h1>A</h1><p>May 2, 2024 9:48 PM", same);
        check("<h1>A</h1><p>May 4, 2024 1:48 AM GMT", same);
        check("<script>x='2024-05-03T20:48:19-0'</script>", same);
    }

    #[test]
    fn what_is_no_instant_in_utc_stays() {
        let page = page("<p>May 3, 2024 9:48 PM");
        let runs = Runs::new(&page);
        let parse = |text: &str| dates::parse(text, NOW, DateStyle::default());
        for date in ["2024-05-03", "2024-05-03T10:00:00", "2024-05-03T10:00:00+02:00"] {
            assert_eq!(in_local_time(date, &page, &Visible::new(&page, &runs, None), &parse, true), date);
        }
    }
}
