//! Collects how each label is used on the page: its forms and its roles.

use std::collections::{BTreeMap, BTreeSet};

use crate::contribution::{LabelUse, Role};
use crate::hierarchy::{Hierarchy, NodeKind};
use crate::reading::{CanonicalUrl, Page};
use rustc_hash::FxHashMap;

use super::anchors::Anchor;
use super::outline::LabelOutline;
use crate::contribution::labels::LabelKeys;

/// A label that links to this many pages names none of them.
const MANY: usize = 4;

#[derive(Default)]
struct FormsAndRoles<'a> {
    /// Each form with its count and the order in which it first occurred.
    forms: FxHashMap<&'a str, (u32, usize)>,
    roles: BTreeSet<Role>,
    links: u32,
    empty_links: u32,
    tail_links: u32,
    text_links: u32,
    /// At most [`MANY`].
    targets: BTreeSet<&'a CanonicalUrl>,
}

/// The labels of a page by key.
#[derive(Default)]
pub(super) struct LabelUses<'a>(BTreeMap<&'a str, FormsAndRoles<'a>>);

impl<'a> LabelUses<'a> {
    /// Adds the labels of the hierarchy.
    pub(super) fn add_outline(&mut self, outline: &'a LabelOutline, hierarchy: &'a Hierarchy) {
        for (i, node) in hierarchy.nodes.iter().enumerate() {
            let (Some(key), Some(label)) = (outline.key(i), &node.label) else { continue };
            let parent = node.parent.and_then(|parent| hierarchy.nodes.get(parent as usize));
            let label_use = self.0.entry(key).or_default();
            label_use.add_form(&label.text);
            label_use.roles.insert(Role::Any);
            if outline.is_header(i) {
                label_use.roles.insert(Role::Header);
            }
            if parent.is_some_and(|parent| parent.kind == NodeKind::Group) {
                label_use.roles.insert(Role::Member);
            }
        }
    }

    /// Adds the labels that are texts of links.
    pub(super) fn add_anchors(&mut self, page: &Page, anchors: &'a [Anchor], keys: &LabelKeys) {
        let last_story = anchors.iter().rposition(Anchor::is_story);
        for (i, anchor) in anchors.iter().enumerate() {
            let Some(key) = &anchor.key else { continue };
            let label_use = self.0.entry(key).or_default();
            // The single leaf of a link was already counted as a label of the hierarchy, unless it is part of a
            // longer label.
            if anchor.leaves.len() != 1 || !label_use.forms.contains_key(anchor.text.as_str()) {
                label_use.add_form(&anchor.text);
            }
            label_use.links += 1;
            label_use.empty_links += u32::from(anchor.is_empty(page));
            label_use.text_links += u32::from(anchor.in_text);
            label_use.tail_links += u32::from(last_story.is_some_and(|story| story < i));
            label_use.roles.extend([Role::Any, Role::Link]);
            if anchor.nofollow {
                label_use.roles.insert(Role::NoFollow);
            }
            let Some(target) = &anchor.target else { continue };
            if label_use.targets.len() < MANY {
                label_use.targets.insert(target);
            }
            if anchor.inside {
                label_use.roles.insert(Role::Inside);
                if !label_use.roles.contains(&Role::Spelled) && is_spelled(key, target, keys) {
                    label_use.roles.insert(Role::Spelled);
                }
            }
        }
    }

    /// All labels, sorted by key.
    pub(super) fn labels(self) -> Vec<LabelUse> {
        let label = |(key, label_use): (&str, FormsAndRoles)| LabelUse {
            key: key.to_owned(),
            form: label_use.form().to_owned(),
            roles: label_use.roles(),
        };
        self.0.into_iter().map(label).collect()
    }
}

impl<'a> FormsAndRoles<'a> {
    fn add_form(&mut self, form: &'a str) {
        let place = self.forms.len();
        self.forms.entry(form).or_insert((0, place)).0 += 1;
    }

    /// The most frequent form; of equals the first.
    fn form(&self) -> &'a str {
        let best = self.forms.iter().max_by_key(|(_, (count, place))| (*count, std::cmp::Reverse(*place)));
        best.map_or("", |(form, _)| form)
    }

    fn roles(self) -> Vec<Role> {
        let mut roles = self.roles;
        if self.links > 0 && self.links == self.empty_links {
            roles.insert(Role::Empty);
        }
        if self.links > 0 && self.links == self.tail_links {
            roles.insert(Role::Tail);
        }
        if self.links > 0 && self.links == self.text_links {
            roles.insert(Role::InText);
        }
        if self.targets.len() >= MANY {
            roles.insert(Role::Many);
        }
        roles.into_iter().collect()
    }
}

/// Whether one name in the target's URL, a directory or a subdomain of the site, has all of the key's stems.
fn is_spelled(key: &str, target: &CanonicalUrl, keys: &LabelKeys) -> bool {
    let stems: Vec<&str> = key.split_once(':').map_or(key, |(_, stems)| stems).split(' ').collect();
    let site = target.site();
    let host = target.host().strip_suffix(site.as_str()).into_iter().flat_map(|hosts| hosts.split('.'));
    let mut names = host.map(str::to_owned).chain(target.path().split('/').map(spelled_out));
    names.any(|name| {
        let spelled = keys.stems(&name);
        stems.iter().all(|stem| spelled.iter().any(|other| other == stem))
    })
}

/// A name in a path as words: `art_design`, `artDesign` and `art%20design` become "art design".
pub(super) fn spelled_out(name: &str) -> String {
    let mut parts = url::form_urlencoded::parse(name.as_bytes());
    let decoded = parts.next().map(|(text, _)| text.into_owned()).unwrap_or_default();
    let mut words = String::with_capacity(decoded.len() + 4);
    let mut is_lower = false;
    for letter in decoded.chars() {
        if is_lower && letter.is_uppercase() {
            words.push(' ');
        }
        is_lower = letter.is_lowercase();
        words.push(if matches!(letter, '_' | '.') { ' ' } else { letter });
    }
    words
}
