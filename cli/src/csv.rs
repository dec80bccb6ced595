//! Rows of CSV (RFC 4180).

use std::borrow::Cow;

/// A row with its line end. Cells are quoted where they need it.
pub(crate) fn row<S: AsRef<str>>(cells: impl IntoIterator<Item = S>) -> String {
    let mut row = String::new();
    for (number, cell) in cells.into_iter().enumerate() {
        if number > 0 {
            row.push(',');
        }
        row.push_str(&quoted(cell.as_ref()));
    }
    row + "\r\n"
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
        assert_eq!(row(["a", "b c", ""]), "a,b c,\r\n");
        assert_eq!(row(["1,5", "say \"so\"", "two\nlines"]), "\"1,5\",\"say \"\"so\"\"\",\"two\nlines\"\r\n");
    }
}
