//! Labels in the URLs of links: the directories of a site's stories are named after its sections.
//!
//! Names in a path are read as labels (`/world-news/middle_east` holds "world news" and "middle east"); names
//! with digits are dates and numbers and do not count. A story's directories are names of sections, each
//! broader than the next. A link whose label is a name in its path lies in the directories before that name.

use std::collections::BTreeSet;

use crate::contribution::NestedUse;
use crate::reading::{CanonicalUrl, Page};

use super::anchors::Anchor;
use super::uses::spelled_out;
use crate::contribution::labels::LabelKeys;

/// Most directories that a page adds; a front page has some thirty.
pub(in crate::contribution) const MAX_DIRECTORIES: usize = 200;
/// Most pairs of a directory and what lies in it.
pub(in crate::contribution) const MAX_PAIRS: usize = 1000;
/// Most names of a path that are read.
const MAX_NAMES: usize = 8;

/// The directories of the page's stories, and what lies in which directory; both sorted, each once.
pub(super) fn directories_in_urls(
    page: &Page,
    anchors: &[Anchor],
    keys: &LabelKeys,
) -> (Vec<String>, Vec<NestedUse>) {
    let mut directories: BTreeSet<String> = BTreeSet::new();
    let mut nested: BTreeSet<NestedUse> = BTreeSet::new();
    for anchor in anchors.iter().filter(|anchor| anchor.inside && !anchor.is_empty(page)) {
        let Some(target) = &anchor.target else { continue };
        if !anchor.is_story() && anchor.key.is_none() {
            continue;
        }
        let mut names = path_label_keys(target, keys);
        // A story lies in all directories before its own name. A label lies in those before the name that spells it.
        if anchor.is_story() {
            names.pop();
            nested.extend(names.windows(2).filter_map(|two| nested_use(two[0].as_ref(), two[1].as_ref())));
            directories.extend(names.into_iter().flatten());
        } else if let Some(at) = names.iter().position(|name| *name == anchor.key) {
            nested.extend(
                names.iter().take(at).filter_map(|name| nested_use(name.as_ref(), anchor.key.as_ref())),
            );
        }
        if directories.len() >= MAX_DIRECTORIES || nested.len() >= MAX_PAIRS {
            break;
        }
    }
    (directories.into_iter().take(MAX_DIRECTORIES).collect(), nested.into_iter().take(MAX_PAIRS).collect())
}

fn nested_use(broader: Option<&String>, narrower: Option<&String>) -> Option<NestedUse> {
    let (broader, narrower) = (broader?.clone(), narrower?.clone());
    (broader != narrower).then_some(NestedUse { broader, narrower })
}

/// The names in a path as label keys; file endings are dropped.
fn path_label_keys(target: &CanonicalUrl, keys: &LabelKeys) -> Vec<Option<String>> {
    let names = target.path().split('/').skip(1).take(MAX_NAMES);
    let words = names.map(|name| spelled_out(name.rsplit_once('.').map_or(name, |(name, _)| name)));
    words.map(|words| keys.key(&words).filter(|_| !words.contains(char::is_numeric))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contribution::counting::anchors::page_anchors;
    use crate::testing::page;

    #[track_caller]
    fn check(html: &str, directories: &[&str], nested: &[(&str, &str)]) {
        let page = page(&format!("<html lang=en>{html}"));
        let keys = LabelKeys::new(Some("en"));
        let (found, found_nested) = directories_in_urls(&page, &page_anchors(&page, &keys), &keys);
        assert_eq!(found, directories, "{html}");
        let found_nested: Vec<_> =
            found_nested.iter().map(|n| (n.broader.as_str(), n.narrower.as_str())).collect();
        assert_eq!(found_nested, nested, "{html}");
    }

    #[test]
    fn stories_name_their_sections() {
        check(
            "<a href=/sport/tennis/2012/11/a-cup-is-won.html>The cup that nobody wanted is won</a>",
            &["en:sport", "en:tenni"],
            &[("en:sport", "en:tenni")],
        );
        check("<a href=/a-cup-is-won>The cup that nobody wanted is won</a>", &[], &[]);
        check("<a href=https://else.test/sport/x>The cup that nobody wanted is won</a>", &[], &[]);
    }

    #[test]
    fn a_label_lies_in_the_directories_before_its_name() {
        check("<a href=/world/middleEast.html>Middle East</a>", &[], &[("en:world", "en:east middl")]);
        check(
            "<a href=/world/x/africa/today>Africa</a>",
            &[],
            &[("en:world", "en:africa"), ("en:x", "en:africa")],
        );
        check("<a href=/world/africa>Asia</a>", &[], &[]);
    }
}
