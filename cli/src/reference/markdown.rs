//! Texts as parts of a Markdown table.

/// A text as a cell of a table: in one line, and nothing of it is taken for a mark.
pub(super) fn table_cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    // Within code nothing is a mark.
    let outside = |(at, part): (usize, &str)| {
        if at % 2 == 0 { part.replace('<', "&lt;").replace('*', "\\*") } else { part.to_owned() }
    };
    line.split('`').enumerate().map(outside).collect::<Vec<_>>().join("`")
}

/// A text as code in a cell of a table.
pub(super) fn inline_code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_any_text() {
        assert_eq!(table_cell("a | b\n`<c*>` <d> *"), "a \\| b `<c*>` &lt;d> \\*");
    }
}
