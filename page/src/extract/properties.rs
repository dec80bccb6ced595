//! The properties that markup gives an element: microdata's `itemprop`, and RDFa's `property` and `rel`.
//!
//! All are asked for by schema.org's names. RDFa has prefixes, and older systems write in other vocabularies: Drupal 7
//! marks the day of a node as `dc:date dc:created` and its text as `content:encoded`.

use crate::reading::{NodeId, PageTree};

/// Names of other vocabularies, and schema.org's for the same.
const OTHER_NAMES: [(&str, &str); 9] = [
    ("dc:created", "datePublished"),
    ("dc:issued", "datePublished"),
    ("dcterms:created", "datePublished"),
    ("dcterms:issued", "datePublished"),
    ("dc:modified", "dateModified"),
    ("dcterms:modified", "dateModified"),
    ("dc:creator", "author"),
    ("dcterms:creator", "author"),
    ("content:encoded", "articleBody"),
];

/// Whether an attribute of an element says that it has a property of schema.org.
pub(super) fn says_property(tag: Option<&str>, (name, value): (&str, &str), property: &str) -> bool {
    match name {
        "itemprop" => value.split_ascii_whitespace().any(|word| word == property),
        // In a `meta`, `property` holds a name of Open Graph.
        "property" if tag != Some("meta") => {
            value.split_ascii_whitespace().any(|word| is_rdfa(word, property))
        }
        _ => false,
    }
}

/// Whether an element has a property of schema.org.
pub(super) fn has_property(tree: &PageTree, node: NodeId, property: &str) -> bool {
    tree.attrs(node).any(|attr| says_property(tree.tag(node), attr, property))
}

fn is_rdfa(word: &str, property: &str) -> bool {
    let own = word.strip_prefix("schema:").or_else(|| word.strip_prefix("http://schema.org/"));
    let own = own.or_else(|| word.strip_prefix("https://schema.org/")).unwrap_or(word);
    own == property || OTHER_NAMES.iter().any(|&(other, name)| other == word && name == property)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[test]
    fn microdata_and_rdfa_name_properties() {
        let check = |markup: &str, property: &str| {
            let page = page(markup);
            page.tree.node_ids().any(|node| has_property(&page.tree, node, property))
        };
        assert!(check("<p itemprop='name author'>Ada", "author"));
        assert!(
            check("<p property=author>Ada", "author") && check("<p property='schema:author'>Ada", "author")
        );
        assert!(check("<span property='dc:date dc:created' content='2024-05-03'>", "datePublished"));
        assert!(check("<div property='content:encoded'><p>Rain", "articleBody"));
        assert!(check("<p property='https://schema.org/headline'>Rain", "headline"));
        assert!(
            !check("<p property='foaf:author'>Ada", "author") && !check("<meta property=author>", "author")
        );
    }
}
