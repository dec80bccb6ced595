//! Whether a page can have a contribution: its limits, and the shape that [`Contribution`] promises.

use std::collections::BTreeSet;

use super::counting::{MAX_BYTES, MAX_STORIES, lists, outline, paths};
use super::terms::MAX_TERMS;
use super::{Contribution, LinkUse, Role, url_id};
use crate::bounds::{Excess, bytes, holds, most};
use crate::reading::CanonicalUrl;

/// Most bytes of a label's key. A label has 240 bytes, which the normal form of its letters may multiply by twelve.
const MAX_KEY: usize = 4 << 10;
/// Most bytes of a label as it is written.
const MAX_FORM: usize = 1 << 10;
/// Most bytes of a term: forty letters, and what their normal form adds.
const MAX_TERM: usize = 1 << 10;
/// Most occurrences of a term: no page is so large. The sums of `x · ln x` hold a few of them.
const MAX_COUNT: u32 = 1 << 26;
/// Most bytes of a language's code.
const MAX_LANGUAGE: usize = 16;

/// A label's key: a language, a colon, and stems.
fn key(what: &'static str, key: &str) -> Result<(), Excess> {
    bytes(what, key, MAX_KEY)?;
    holds(what, key.contains(':') && !key.contains(char::is_control), "is not the key of a label")
}

impl Contribution {
    /// Whether a page at this URL can have this contribution.
    ///
    /// # Errors
    /// Names the field that exceeds its limit or is not of the shape that pages have.
    pub fn check(&self, url: &CanonicalUrl) -> Result<(), Excess> {
        bytes("language", self.language.as_deref().unwrap_or_default(), MAX_LANGUAGE)?;
        self.check_labels()?;
        self.check_places()?;
        most("terms", "entries", self.terms.len(), MAX_TERMS)?;
        holds("terms", self.terms.is_sorted_by(|a, b| a.term < b.term), "are not sorted, each once")?;
        for term in &self.terms {
            bytes("term", &term.term, MAX_TERM)?;
            holds("term", (1..=MAX_COUNT).contains(&term.count), "occurs more often than a page has words")?;
        }
        let link_bytes =
            |link: &LinkUse| link.target.as_str().len() + link.label.as_ref().map_or(0, String::len);
        most("links", "bytes", self.links.iter().map(link_bytes).sum(), MAX_BYTES)?;
        let site = url.site();
        for link in &self.links {
            link.label.as_deref().map_or(Ok(()), |label| key("link", label))?;
            holds("link", !link.inside || link.target.site() == site, "leads inside, but to another site")?;
        }
        if let Some(filed) = &self.filed {
            holds("filed", filed.page == url_id(url), "is of another page")?;
            most("filed", "stories", filed.stories.len(), MAX_STORIES)?;
            let is_id = |id: &String| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            holds("filed", filed.stories.iter().all(is_id), "has a story without a name")?;
        }
        Ok(())
    }

    fn check_labels(&self) -> Result<(), Excess> {
        let label_bytes = self.labels.iter().map(|label| label.key.len() + label.form.len()).sum();
        most("labels", "bytes", label_bytes, MAX_BYTES)?;
        holds("labels", self.labels.is_sorted_by(|a, b| a.key < b.key), "are not sorted, each once")?;
        for label in &self.labels {
            key("label", &label.key)?;
            bytes("label", &label.form, MAX_FORM)?;
            most("label", "roles", label.roles.len(), Role::ALL.len())?;
            holds("label", label.roles.is_sorted_by(|a, b| a < b), "has a role twice")?;
        }
        Ok(())
    }

    fn check_places(&self) -> Result<(), Excess> {
        let pair_bytes = self.pairs.iter().map(|pair| pair.broader.len() + pair.narrower.len()).sum();
        most("pairs", "bytes", pair_bytes, MAX_BYTES)?;
        let mut seen = BTreeSet::new();
        for pair in &self.pairs {
            key("pair", &pair.broader)?;
            key("pair", &pair.narrower)?;
            holds(
                "pair",
                (1..=outline::MAX_LEVEL).contains(&pair.level),
                "is at a level that is not counted",
            )?;
            holds("pairs", seen.insert((&pair.broader, &pair.narrower)), "have one twice")?;
        }
        most(
            "lists",
            "bytes",
            self.lists.iter().flat_map(|list| &list.labels).map(String::len).sum(),
            MAX_BYTES,
        )?;
        most("lists", "entries", self.lists.len(), MAX_BYTES / 2)?;
        for label in self.lists.iter().flat_map(|list| &list.labels) {
            key("list", label)?;
        }
        most("nested", "entries", self.nested.len(), lists::MAX_NESTED + paths::MAX_PAIRS)?;
        holds("nested", self.nested.is_sorted_by(|a, b| a < b), "are not sorted, each once")?;
        for nested in &self.nested {
            key("nested", &nested.broader)?;
            key("nested", &nested.narrower)?;
        }
        most("directories", "entries", self.directories.len(), paths::MAX_DIRECTORIES)?;
        holds("directories", self.directories.is_sorted_by(|a, b| a < b), "are not sorted, each once")?;
        self.directories.iter().try_for_each(|directory| key("directory", directory))
    }
}
