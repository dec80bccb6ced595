//! Rows of CSV (RFC 4180) that are safe to open in a spreadsheet.
//!
//! A spreadsheet takes a cell for a formula that begins with one of a few characters, quoted or not, and formulas can fetch
//! addresses or start programs. Cells hold what strangers wrote, so such a cell gets an apostrophe in front, which spreadsheets
//! read as "this is text". Programs that read CSV get the same cells as they are with `--raw-cells`.

use std::borrow::Cow;

/// How cells are written that look like formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cells {
    /// With an apostrophe in front.
    Neutral,
    /// As they are.
    Raw,
}

/// A row with its line end. Cells are quoted where they need it.
pub(crate) fn row<S: AsRef<str>>(values: impl IntoIterator<Item = S>, cells: Cells) -> String {
    let mut row = String::new();
    for (number, value) in values.into_iter().enumerate() {
        if number > 0 {
            row.push(',');
        }
        let value = value.as_ref();
        let value = match cells {
            Cells::Neutral if is_formula(value) => Cow::Owned(format!("'{value}")),
            _ => Cow::Borrowed(value),
        };
        row.push_str(&quoted(&value));
    }
    row + "\r\n"
}

/// Whether a spreadsheet may take a cell for a formula. Those of Japan and China know the wide characters, too. White space
/// hides a character only from us: some programs drop it first.
fn is_formula(cell: &str) -> bool {
    let shown = cell.trim_start();
    let begins = |text: &str| text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    cell.starts_with(['\t', '\r', '\n']) || begins(shown) && !is_negative_number(shown)
}

/// A minus sign and digits, perhaps with separators between them and a percent sign at the end.
fn is_negative_number(text: &str) -> bool {
    let Some(number) = text.strip_prefix('-') else { return false };
    let number = number.strip_suffix('%').unwrap_or(number).trim_end();
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    is_digit(number.chars().next())
        && is_digit(number.chars().next_back())
        && number.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ','))
}

fn quoted(cell: &str) -> Cow<'_, str> {
    if cell.contains([',', '"', '\r', '\n']) {
        Cow::Owned(format!("\"{}\"", cell.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_need_it() {
        assert_eq!(row(["a", "b c", ""], Cells::Neutral), "a,b c,\r\n");
        assert_eq!(
            row(["1,5", "say \"so\"", "two\nlines"], Cells::Neutral),
            "\"1,5\",\"say \"\"so\"\"\",\"two\nlines\"\r\n"
        );
    }

    #[test]
    fn what_begins_like_a_formula_is_text() {
        for cell in [
            "=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\rx", "\n=1", " =1", "-", "--1", "-1-1", "-a", "+2",
            "-1.", "-.5", "＝1", "－1", "-5 °C", "\u{a0}=1",
        ] {
            let wanted = row([format!("'{cell}")], Cells::Raw);
            assert_eq!(row([cell], Cells::Neutral), wanted, "{cell:?}");
            assert_eq!(row([cell], Cells::Raw), format!("{}\r\n", quoted(cell)));
        }
    }

    #[test]
    fn negative_numbers_and_other_texts_stay() {
        for cell in ["-3", "-2.5", "-1.234.567", "-1%", "-12.5 %", "a=b", "1-2", "'=1", "", "−3", "– dash"]
        {
            assert_eq!(row([cell], Cells::Neutral), format!("{cell}\r\n"));
        }
        assert_eq!(row(["-1,234.50"], Cells::Neutral), "\"-1,234.50\"\r\n");
    }
}
