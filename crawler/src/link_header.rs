//! The `Link` header (RFC 8288): where an answer leads, and as what.
//!
//! One value may hold several links, and their targets and quoted parameters may hold commas and semicolons. What is malformed ends
//! the value; the links before it count. Start at [`links`].

/// Longest value that is read, in bytes, and most links of one.
const MAX_VALUE: usize = 16 << 10;
const MOST_LINKS: usize = 100;

/// A link of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link<'v> {
    /// Its target as written.
    pub(crate) target: &'v str,
    /// Its relations as written, with white space between them.
    pub(crate) rel: String,
}

impl Link<'_> {
    /// Whether a word is among its relations. Case does not matter.
    pub(crate) fn has_rel(&self, word: &str) -> bool {
        self.rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case(word))
    }
}

/// The links of a value that lead from the answer itself: links with an `anchor` speak of another page.
pub(crate) fn links(value: &str) -> Vec<Link<'_>> {
    let mut found = Vec::new();
    let mut end = value.len().min(MAX_VALUE);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    let mut rest = value.get(..end).unwrap_or_default();
    loop {
        rest = rest.trim_start_matches([',', ' ', '\t']);
        let Some((target, after)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) else {
            break;
        };
        let (rel, is_anchored, after) = parameters(after);
        if let (Some(rel), false) = (rel, is_anchored) {
            found.push(Link { target: target.trim(), rel });
        }
        if found.len() >= MOST_LINKS || after.len() == rest.len() {
            break;
        }
        rest = after;
    }
    found
}

/// The first `rel` of a link, whether it has an `anchor`, and what follows its parameters.
fn parameters(mut rest: &str) -> (Option<String>, bool, &str) {
    let (mut rel, mut is_anchored) = (None, false);
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let Some(after) = rest.strip_prefix(';') else { break };
        let after = after.trim_start_matches([' ', '\t', ';']);
        let end = after.find(['=', ';', ',']).unwrap_or(after.len());
        let (name, after) = after.split_at_checked(end).unwrap_or((after, ""));
        let (value, after) = match after.strip_prefix('=') {
            Some(after) => parameter_value(after.trim_start_matches([' ', '\t'])),
            None => (String::new(), after),
        };
        let name = name.trim();
        is_anchored |= name.eq_ignore_ascii_case("anchor") && !value.is_empty();
        if name.eq_ignore_ascii_case("rel") && rel.is_none() {
            rel = Some(value);
        }
        rest = after;
    }
    // Whatever else is before the next comma belongs to no link.
    let next = rest.find(',').unwrap_or(rest.len());
    (rel, is_anchored, rest.get(next..).unwrap_or_default())
}

/// A token or a quoted text, and what follows it.
fn parameter_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        let (value, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        return (value.trim().to_owned(), rest);
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (value, quoted.get(at + 1..).unwrap_or_default()),
            '\\' => value.extend(letters.next().map(|(_, escaped)| escaped)),
            letter => value.push(letter),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hubs(value: &str) -> Vec<&str> {
        links(value).into_iter().filter(|link| link.has_rel("hub")).map(|link| link.target).collect()
    }

    #[test]
    fn links_are_parted_where_they_end() {
        for (value, wanted) in [
            ("<https://hub.test/>; rel=\"hub\"", &["https://hub.test/"][..]),
            ("<https://hub.test/>;rel=hub", &["https://hub.test/"]),
            ("<https://hub.test/> ; REL = 'hub'", &[]),
            ("<https://hub.test/>; Rel=\"self HUB\"", &["https://hub.test/"]),
            ("<https://a.test/feed>; rel=\"self\", <https://hub.test/>; rel=\"hub\"", &["https://hub.test/"]),
            (
                "<https://hub.test/?a=1,2;b>; title=\"a, \\\"b\\\"; rel=x\"; rel=hub,<x>",
                &["https://hub.test/?a=1,2;b"],
            ),
            ("</1>; rel=hub, , </2>; rel=hub; rel=next", &["/1", "/2"]),
            ("</1>; rel=next; rel=hub", &[]),
            ("</1>; anchor=\"#x\"; rel=hub, </2>; anchor=\"\"; rel=hub", &["/2"]),
            ("</1>; crossorigin; rel=hub junk, </2>; rel=hub", &["/1", "/2"]),
            ("</1>; title=\"never ends, </2>; rel=hub", &[]),
            ("</1>; rel=hub, no link, </3>; rel=hub", &["/1"]),
            ("</1", &[]),
            ("", &[]),
        ] {
            assert_eq!(hubs(value), wanted, "{value}");
        }
        assert_eq!(hubs(&"<h>;rel=hub,".repeat(5_000)).len(), MOST_LINKS);
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_an_end(value in "[<>;,=\"\\\\ a-hé/]{0,200}") {
            let found = links(&value);
            prop_assert!(found.iter().all(|link| value.contains(link.target)));
        }
    }
}
