//! The time zone in which people see times: that of `console.timezone`, for the whole process.
//!
//! Pages and filters ask for it in many places and it never changes, so it is set once, at the start, rather than handed through all
//! of them. Nothing that programs read depends on it. Without a start, as in tests, it is UTC.

use std::sync::OnceLock;

use jiff::tz::TimeZone;

static ZONE: OnceLock<TimeZone> = OnceLock::new();

/// Sets the zone, at the start of the process.
pub(crate) fn set_zone(zone: TimeZone) {
    // A second start in one process keeps the first zone.
    ZONE.set(zone).ok();
}

/// The zone.
pub(crate) fn zone() -> TimeZone {
    ZONE.get().cloned().unwrap_or(TimeZone::UTC)
}

/// What the zone is called. A machine's zone may have no name; then its offset is given.
pub(crate) fn zone_name() -> String {
    let zone = zone();
    match zone.iana_name() {
        Some(name) => name.to_owned(),
        None => format!("UTC{}", jiff::Timestamp::now().to_zoned(zone).offset()),
    }
}
