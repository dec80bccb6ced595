//! The rules of a page's own style sheets that hide elements or keep their line ends.
//!
//! A selector is read if it is made of names, classes and ids; one with a state, an attribute or a pseudo-element is
//! left out. Rules count as on a wide screen: those for paper or for narrow screens are left out.

use memchr::{memchr, memchr2, memchr3};
use rustc_hash::FxHashMap;

use crate::reading::{NodeId, PageTree};

/// Most bytes of style sheets, and most selectors that are kept.
const MAX_BYTES: usize = 1 << 20;
const MAX_SELECTORS: usize = 400;
/// Most selectors with one class or id, most parts of a selector, and most ancestors that are asked.
const MAX_ALIKE: usize = 8;
const MAX_PARTS: usize = 4;
const MAX_ABOVE: usize = 24;
/// A screen of this many pixels is not narrow.
const WIDE: u32 = 1200;

/// What a rule does to an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    pub(super) hides: bool,
    pub(super) keeps_lines: bool,
}

/// The effects of a list of declarations: a style attribute, or the inside of a rule.
pub(super) fn effects_of(declarations: &str) -> Effects {
    let mut effects = Effects::default();
    let mut is_placed = false;
    let mut rest = declarations;
    while !rest.is_empty() {
        let end = memchr(b';', rest.as_bytes()).unwrap_or(rest.len());
        let declaration = rest.get(..end).unwrap_or_default().trim_start();
        rest = rest.get(end + 1..).unwrap_or_default();
        // Few declarations matter, and they begin like these.
        if !matches!(
            declaration.as_bytes(),
            [b'd' | b'v' | b'p' | b'l' | b't' | b'w' | b'D' | b'V' | b'P' | b'L' | b'T' | b'W', ..]
        ) {
            continue;
        }
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let (name, value) = (name.trim(), value.trim().trim_end_matches("!important").trim_end());
        let is = |expected: &str| name.eq_ignore_ascii_case(expected);
        let says = |expected: &str| value.eq_ignore_ascii_case(expected);
        if is("display") {
            effects.hides = says("none");
        } else if is("visibility") {
            effects.hides |= says("hidden") || says("collapse");
        } else if is("position") {
            is_placed = says("absolute") || says("fixed");
        } else if is("left") || is("top") || is("text-indent") {
            // Text is moved off the screen for readers who listen.
            let pixels = value.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<f32>();
            effects.hides |= pixels.is_ok_and(|pixels| pixels <= -900.0) && (is_placed || is("text-indent"));
        } else if is("white-space") {
            effects.keeps_lines = says("pre") || says("pre-wrap") || says("pre-line") || says("break-spaces");
        }
    }
    effects
}

/// An element as a part of a selector describes it.
#[derive(Debug, Default)]
struct Part {
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

impl Part {
    /// Reads a part such as `p.note#first`; `None` if it asks for more.
    fn parse(text: &str) -> Option<Part> {
        let mut part = Part::default();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let name = rest.trim_start_matches(['.', '#']);
            let end = name.find(|c: char| !is_name(c)).unwrap_or(name.len());
            let (name, behind) = name.split_at(end);
            if name.is_empty() {
                return None;
            }
            match first {
                '.' => part.classes.push(name.to_owned()),
                '#' => part.id = Some(name.to_owned()),
                first if is_name(first) && part.tag.is_none() => part.tag = Some(name.to_ascii_lowercase()),
                _ => return None,
            }
            rest = behind;
        }
        Some(part)
    }

    fn matches(&self, tree: &PageTree, node: NodeId) -> bool {
        let has_class = |class: &String| tree.classes(node).any(|other| other == class);
        self.tag.as_deref().is_none_or(|tag| tree.tag(node) == Some(tag))
            && self.id.as_deref().is_none_or(|id| tree.attr(node, "id") == Some(id))
            && self.classes.iter().all(has_class)
    }

    /// A class or id by which it is found.
    fn key(&self) -> Option<&str> {
        self.classes.first().or(self.id.as_ref()).map(String::as_str)
    }
}

/// The rules of a page.
#[derive(Debug, Default)]
pub(super) struct Sheets {
    /// Selectors, innermost part first, by a class or id of that part or of the next one.
    selectors: FxHashMap<String, Vec<(Vec<Part>, Effects)>>,
    /// Those whose innermost part is but a tag, by the tag.
    by_tag: FxHashMap<String, Vec<(Vec<Part>, Effects)>>,
}

impl Sheets {
    pub(super) fn new(tree: &PageTree) -> Sheets {
        let mut sheets = Sheets::default();
        let mut left = MAX_BYTES;
        let is_screen = |media: Option<&str>| media.is_none_or(is_for_wide_screens);
        let nodes = tree.node_ids().filter(|&node| tree.tag(node) == Some("style"));
        for node in nodes.filter(|&node| is_screen(tree.attr(node, "media"))) {
            for text in tree.children(node).filter_map(|child| tree.text(child)) {
                let Some(rest) = left.checked_sub(text.len()) else { return sheets };
                left = rest;
                // Most sheets do neither.
                if text.contains("none")
                    || text.contains("hidden")
                    || text.contains("pre")
                    || text.contains("-9")
                {
                    sheets.read(&without_comments(text));
                }
            }
        }
        sheets
    }

    fn read(&mut self, text: &str) {
        let mut rest = text;
        // Whether each block around the next rule counts.
        let mut counts: Vec<bool> = Vec::new();
        while let Some(at) = memchr3(b'{', b'}', b';', rest.as_bytes()) {
            let (head, mark) = (rest.get(..at).unwrap_or_default().trim(), rest.as_bytes().get(at).copied());
            rest = rest.get(at + 1..).unwrap_or_default();
            match mark {
                Some(b'{') if head.starts_with('@') => {
                    let name = head.split([' ', '(']).next().unwrap_or_default();
                    let behind = head.get(name.len()..).unwrap_or_default();
                    let is_open = match name {
                        "@media" => is_for_wide_screens(behind),
                        "@supports" | "@layer" | "@container" => true,
                        _ => false,
                    };
                    counts.push(is_open && counts.last().copied().unwrap_or(true));
                }
                Some(b'{') => {
                    let end = memchr2(b'{', b'}', rest.as_bytes()).unwrap_or(rest.len());
                    let effects = effects_of(rest.get(..end).unwrap_or_default());
                    if effects != Effects::default() && counts.last().copied().unwrap_or(true) {
                        head.split(',').for_each(|selector| self.add(selector.trim(), effects));
                    }
                    counts.push(false);
                }
                Some(b'}') => {
                    counts.pop();
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, selector: &str, effects: Effects) {
        // Scripts tell a page that they run, so what is hidden without them is shown.
        if selector.contains("no-js") || selector.contains("nojs") {
            return;
        }
        let parts = selector.split([' ', '>', '\n', '\t']).filter(|part| !part.is_empty()).rev();
        let Some(parts) = parts.take(MAX_PARTS + 1).map(Part::parse).collect::<Option<Vec<Part>>>() else {
            return;
        };
        let all = self.selectors.len() + self.by_tag.len();
        let Some(first) = parts.first().filter(|_| parts.len() <= MAX_PARTS && all < MAX_SELECTORS) else {
            return;
        };
        let map = match (first.key(), &first.tag) {
            (Some(key), _) => self.selectors.entry(key.to_owned()),
            // A tag alone says too little.
            (None, Some(tag)) if parts.iter().any(|part| part.key().is_some()) => {
                self.by_tag.entry(tag.clone())
            }
            _ => return,
        };
        let alike = map.or_default();
        if alike.len() < MAX_ALIKE {
            alike.push((parts, effects));
        }
    }

    /// Whether rules may be about elements with a class or id.
    pub(super) fn has_rule(&self, name: &str) -> bool {
        !self.selectors.is_empty() && self.selectors.contains_key(name)
    }

    /// Whether rules may be about elements by their tags.
    pub(super) fn has_rules_by_tag(&self) -> bool {
        !self.by_tag.is_empty()
    }

    /// What the rules do to an element.
    pub(super) fn effects_on(&self, tree: &PageTree, node: NodeId) -> Effects {
        let mut effects = Effects::default();
        let mut apply = |alike: Option<&Vec<(Vec<Part>, Effects)>>| {
            for (parts, own) in alike.into_iter().flatten() {
                if matches(parts, tree, node) {
                    effects.hides |= own.hides;
                    effects.keeps_lines |= own.keeps_lines;
                }
            }
        };
        if !self.selectors.is_empty() {
            tree.classes(node).for_each(|class| apply(self.selectors.get(class)));
            apply(tree.attr(node, "id").and_then(|id| self.selectors.get(id)));
        }
        if !self.by_tag.is_empty() {
            apply(tree.tag(node).and_then(|tag| self.by_tag.get(tag)));
        }
        effects
    }
}

/// Whether an element fits the innermost part of a selector, and elements above it the others.
fn matches(parts: &[Part], tree: &PageTree, node: NodeId) -> bool {
    let Some((own, outer)) = parts.split_first() else { return false };
    let mut above = tree.ancestors(node).take(MAX_ABOVE);
    own.matches(tree, node) && outer.iter().all(|part| above.any(|node| part.matches(tree, node)))
}

/// Whether a media query holds for a wide screen.
fn is_for_wide_screens(query: &str) -> bool {
    let query = query.to_ascii_lowercase();
    let holds = |one: &str| {
        let one = one.trim();
        let is_paper = one.contains("print") && !one.contains("not print");
        let pixels = |name: &str| {
            let value = one.split_once(name)?.1.trim_start_matches([':', ' ']);
            value.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()
        };
        let is_ems = one.contains("em)");
        !is_paper
            && !one.contains("prefers-")
            && pixels("max-width").is_none_or(|most| !is_ems && most >= WIDE)
            && pixels("min-width").is_none_or(|least| is_ems || least <= WIDE)
    };
    query.split(',').any(holds)
}

fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, behind)| behind);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[track_caller]
    fn check(sheet: &str, expected: &[&str]) {
        let page = page(&format!(
            "<style>{sheet}</style><div class=a id=1><p class='b c' id=2><i id=3></i></p></div><p id=4 class=b></p>"
        ));
        let sheets = Sheets::new(&page.tree);
        let hidden = page.tree.node_ids().filter(|&node| sheets.effects_on(&page.tree, node).hides);
        let hidden: Vec<&str> = hidden.filter_map(|node| page.tree.attr(node, "id")).collect();
        assert_eq!(hidden, expected, "{sheet}");
    }

    #[test]
    fn rules_hide_what_they_select() {
        check(".b{display:none}", &["2", "4"]);
        check("/* .b{} */ .x, p.b.c { color: red; DISPLAY : none !important }", &["2"]);
        check(".a .b{display:none}", &["2"]);
        check(".a > p > i{visibility:hidden}", &["3"]);
        check("#4{position:absolute;left:-9999px}", &["4"]);
        check("p{display:none} .b:hover{display:none} .b::after{display:none} [id]{display:none}", &[]);
        check(".no-js .b{display:none}", &[]);
        check(".b{display:none;display:block}", &[]);
    }

    #[test]
    fn rules_for_other_media_hide_nothing() {
        check("@media print{.b{display:none}} .c{display:none}", &["2"]);
        check("@media (max-width: 600px){.b{display:none}}", &[]);
        check("@media screen and (min-width:601px){.b{display:none} .x{color:red}} i{}", &["2", "4"]);
        check("@media screen{@supports (display:grid){.b{display:none}}}", &["2", "4"]);
        check("@font-face{.b{display:none}}", &[]);
        check("@import url(x.css); .c{display:none}", &["2"]);
    }

    #[test]
    fn sheets_of_any_size_are_read_in_one_pass() {
        for piece in [".b{display:none}", "{", "}", "@media x{", "/*", ".a .a .a .a .b{display:none}", ";"] {
            let page = page(&format!("<style>{}</style><p class=b>x", piece.repeat(50_000)));
            Sheets::new(&page.tree);
        }
    }
}
