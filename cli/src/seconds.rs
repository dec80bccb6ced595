//! Spans of time for people.

/// A span in its largest unit: `40 s`, `55 min`, `7 h`, `28 days`.
pub(crate) fn in_words(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn spans_are_spelled_in_their_largest_unit() {
        let spelled = [40, 3_300, 7_200, 2_419_200].map(super::in_words);
        assert_eq!(spelled, ["40 s", "55 min", "2 h", "28 days"]);
    }
}
