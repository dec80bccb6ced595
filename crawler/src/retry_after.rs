//! The `Retry-After` header: seconds, or an HTTP date in any of its three forms (RFC 9110, section 5.6.7).

use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::Offset;
use newslode_page::time::Timestamp;

/// Dates without their weekday, which some servers get wrong: the forms of RFC 850 and of `asctime`, that of cookies, and RFC 9110's.
/// All are in UTC.
const FORMS: [&str; 4] =
    ["%d-%b-%y %H:%M:%S GMT", "%b %e %H:%M:%S %Y", "%d-%b-%Y %H:%M:%S GMT", "%d %b %Y %H:%M:%S GMT"];

/// The wait from `now`; `None` if the value is neither a number of seconds nor a date. Part of a second is a second. A date in the
/// past gives no wait. There is no upper limit.
#[must_use]
pub fn parse(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    if let Some((seconds, fraction)) = value.split_once('.')
        && let (Ok(seconds), true) =
            (seconds.parse::<u32>(), fraction.bytes().all(|byte| byte.is_ascii_digit()))
        && !value.starts_with('+')
    {
        let part = fraction.bytes().any(|byte| byte != b'0');
        return Some(Duration::from_secs(u64::from(seconds) + u64::from(part)));
    }
    let date = match (jiff::fmt::rfc2822::parse(value), value.parse::<jiff::Timestamp>()) {
        (Ok(date), _) => date.timestamp(),
        (_, Ok(time)) => time,
        _ => {
            let (_, day) =
                value.split_once(' ').filter(|_| value.starts_with(|c: char| c.is_ascii_alphabetic()))?;
            let day = FORMS.iter().find_map(|form| DateTime::strptime(form, day.trim_start()).ok())?;
            Offset::UTC.to_timestamp(day).ok()?
        }
    };
    let date = date.as_millisecond();
    Some(now.until(Timestamp(u64::try_from(date).unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const NOW: Timestamp = Timestamp(784_111_777_000);

    #[test]
    fn seconds_and_dates_are_read_and_nothing_else() {
        for (value, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:48:37 GMT", Some(0)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", Some(60)),
            ("Sun Nov  6 08:50:37 1994", Some(60)),
            ("Monday, 06-Nov-94 08:50:37 GMT", Some(60)),
            ("Sun, 06-Nov-1994 08:50:37 GMT", Some(60)),
            ("Mon, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("1994-11-06T08:50:37Z", Some(60)),
            ("-5", None),
            ("1.5", Some(2)),
            ("60.000", Some(60)),
            ("1.5.2", None),
            ("1.5s", None),
            ("+1.5", None),
            ("-1.5", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(parse(value, NOW), seconds.map(Duration::from_secs), "{value}");
        }
    }

    proptest! {
        #[test]
        fn no_value_panics(value: String, now: u64) {
            let wait = parse(&value, Timestamp(now));
            prop_assert_eq!(wait.is_some(), parse(&value, NOW).is_some());
        }
    }
}
