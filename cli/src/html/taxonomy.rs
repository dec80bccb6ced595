//! A taxonomy as a tree, and the neighbours of a concept.

use std::collections::BTreeMap;

use maud::{Markup, html};
use newslode_miner::mining::taxonomy::{Concept, Taxonomy};

use super::Links;
use super::lists::concept_link;
use super::values::{Number, count_with_noun, empty_note};

/// Deeper concepts are not drawn.
const DEEPEST: usize = 40;
/// Maximum number of concepts that are drawn at once. Levels that do not fit are left out.
const DRAWN: usize = 1_000;
/// Broader and narrower concepts that are shown.
const MOST_NEIGHBOURS: usize = 300;
/// Written forms that are shown.
const FORMS: usize = 20;

type Children<'a> = BTreeMap<Option<&'a str>, Vec<&'a Concept>>;

/// A taxonomy to browse.
pub(crate) struct Tree<'a> {
    pub(crate) taxonomy: &'a Taxonomy,
    pub(crate) links: &'a dyn Links,
    /// The number of articles of a concept.
    pub(crate) articles: &'a dyn Fn(&Concept) -> u64,
    /// Where concepts are that are not drawn.
    pub(crate) rest: &'a str,
}

impl Tree<'_> {
    /// All of it, or as many levels from the top as can be drawn.
    pub(crate) fn whole(&self) -> Markup {
        if self.taxonomy.concepts.is_empty() {
            return empty_note(
                "No concept was found yet. Concepts are labels that recur across sites: mine at least two sites of one language.",
            );
        }
        let children = self.taxonomy.children();
        let (levels, drawn) = levels_that_fit(&children);
        let main = self.taxonomy.main_language();
        let all = self.taxonomy.concepts.len();
        html! {
            @if drawn < all {
                p.note { (Number(drawn as u64)) " of " (Number(all as u64)) " concepts are drawn, from the top. " (self.rest) }
            }
            (self.below(None, levels, &children, main))
        }
    }

    /// Some concepts, without an order among them.
    pub(crate) fn flat(&self, concepts: &[&Concept]) -> Markup {
        let main = self.taxonomy.main_language();
        html! { ul.tree { @for concept in concepts { li { (self.line(concept, main)) } } } }
    }

    fn below(&self, above: Option<&str>, levels: usize, children: &Children<'_>, main: &str) -> Markup {
        let Some(own) = children.get(&above).filter(|_| levels > 0) else { return html! {} };
        html! {
            ul.tree.roots[above.is_none()] {
                @for concept in own.iter().take(DRAWN) {
                    li { (self.line(concept, main)) (self.below(Some(&concept.key), levels - 1, children, main)) }
                }
            }
        }
    }

    /// A concept with its numbers; its language if it is not that of most concepts.
    fn line(&self, concept: &Concept, main: &str) -> Markup {
        html! {
            div.line {
                span { (concept_link(concept, self.links)) @if concept.language != main { small.soft { " " (concept.language) } } @if concept.is_genre { small.soft { " genre" } } @if !concept.edited.is_empty() { small.soft { " set by an editor" } } }
                span.number { (count_with_noun((self.articles)(concept), "article", "articles")) }
                span.number { (count_with_noun(concept.sites.len() as u64, "site", "sites")) }
            }
        }
    }
}

/// How many levels can be drawn, at least one, and how many concepts they have.
fn levels_that_fit(children: &Children<'_>) -> (usize, usize) {
    let mut level: Vec<&Concept> = children.get(&None).into_iter().flatten().copied().collect();
    let (mut levels, mut drawn) = (1, level.len().min(DRAWN));
    while levels < DEEPEST {
        let mut next = Vec::new();
        for concept in &level {
            next.extend(children.get(&Some(concept.key.as_str())).into_iter().flatten().copied());
        }
        level = next;
        if level.is_empty() || drawn + level.len() > DRAWN {
            break;
        }
        (levels, drawn) = (levels + 1, drawn + level.len());
    }
    (levels, drawn)
}

/// The concepts above one and those below it.
pub(crate) struct Neighbours<'a> {
    pub(crate) broader: Vec<&'a Concept>,
    pub(crate) narrower: Vec<&'a Concept>,
}

impl<'a> Neighbours<'a> {
    /// Looks them up; genres come last.
    pub(crate) fn of(concept: &Concept, taxonomy: &'a Taxonomy) -> Neighbours<'a> {
        let mut around = Neighbours { broader: Vec::new(), narrower: Vec::new() };
        for relation in &taxonomy.relations {
            if relation.narrower == concept.key {
                around.broader.extend(taxonomy.concept(&relation.broader));
            } else if relation.broader == concept.key {
                around.narrower.extend(taxonomy.concept(&relation.narrower));
            }
        }
        around.narrower.sort_by_key(|concept| concept.is_genre);
        around
    }
}

/// Links to concepts around another one.
pub(crate) fn concept_links(concepts: &[&Concept], links: &dyn Links) -> Markup {
    html! {
        ul.links { @for concept in concepts.iter().take(MOST_NEIGHBOURS) { li { (concept_link(concept, links)) } } }
        @if concepts.len() > MOST_NEIGHBOURS { p.soft { "and " (Number((concepts.len() - MOST_NEIGHBOURS) as u64)) " more" } }
    }
}

/// How sites write a concept.
pub(crate) fn form_table(concept: &Concept) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th scope="col" { "Form" } th.number scope="col" { "Sites" } th.number scope="col" { "Pages" } } }
                tbody {
                    @for form in concept.forms.iter().take(FORMS) {
                        tr {
                            th scope="row" dir="auto" lang=(concept.language) { (form.text) }
                            td.number { (Number(form.sites)) }
                            td.number { (Number(form.pages)) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use newslode_page::reading::Site;

    use super::*;

    /// A concept of this key, at the top of the tree.
    pub(crate) fn test_concept(key: &str) -> Concept {
        Concept {
            key: key.into(),
            keys: vec![key.into()],
            label: key.into(),
            forms: Vec::new(),
            language: "en".into(),
            sites: Vec::new(),
            score: 1.0,
            is_genre: false,
            parents: Vec::new(),
            parent: None,
            edited: Vec::new(),
            aligned: Vec::new(),
        }
    }

    struct Nowhere;

    impl Links for Nowhere {
        fn concept(&self, concept: &Concept) -> String {
            format!("#{}", concept.key)
        }

        fn site(&self, site: &Site) -> String {
            format!("#{site}")
        }
    }

    /// So many concepts, of which each but the first `roots` stands below an earlier one.
    fn taxonomy(count: usize, roots: usize) -> Taxonomy {
        let concept = |number: usize| Concept {
            label: format!("A concept with a rather long label {number}"),
            parent: number.checked_sub(roots).map(|above| format!("en:{:06}", above / 3)),
            ..test_concept(&format!("en:{number:06}"))
        };
        Taxonomy { concepts: (0..count).map(concept).collect(), ..Taxonomy::default() }
    }

    #[test]
    fn a_large_taxonomy_is_drawn_from_the_top() {
        for (count, roots) in [(900, 10), (50_000, 10), (50_000, 50_000)] {
            let taxonomy = taxonomy(count, roots);
            let tree = Tree { taxonomy: &taxonomy, links: &Nowhere, articles: &|_| 0, rest: "" };
            let html = tree.whole().0;
            let drawn = html.matches("<li>").count();
            assert!(drawn == count || (drawn > 100 && drawn <= DRAWN), "{drawn} of {count}");
            assert_eq!(html.contains("are drawn, from the top"), drawn < count);
            assert!(html.len() < 1_000_000, "{} bytes", html.len());
        }
    }
}
