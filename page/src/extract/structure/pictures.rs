//! The pictures of a story, with their captions and credits.
//!
//! A page shows many pictures that are none of the story's: other stories' teasers, authors' portraits, icons, pixels. What
//! speaks for and against each is weighed: where it stands, how large it is, whether it has a caption, where it leads, what its
//! markup calls it. The same picture counts once, whatever its size.
//!
//! Invariant: linear in the region of the story, for a picture looks at a bounded number of elements around it.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::place::{Place, inner_text};
use crate::Page;
use crate::article::{MAX_CAPTION, MAX_PICTURES, Picture};
use crate::extract::measures::Claims;
use crate::extract::picture::{best_address, is_picture_file, is_stand_in, picture_key};
use crate::extract::plain::readable;
use crate::extract::runs::{Run, Runs, ends_sentence};
use crate::reading::{NodeId, PageTree};
use crate::text::words_of_prose;

/// From this sum of what speaks for it a picture is the story's.
const LEAST_WEIGHT: f32 = 0.5;
/// Smaller pictures are icons; larger ones may be a story's, in pixels.
const ICON: u32 = 100;
/// A picture of fewer pixels is part of a line, whatever it leads to.
const LINE: u32 = 40;
const LARGE: u32 = 200;
/// Levels above a picture in which its caption and its link stand.
const LEVELS: usize = 8;
/// Levels at a picture that may be unseen until it is loaded.
const LATE_LEVELS: usize = 2;
/// Most words of a caption.
const CAPTION_WORDS: f32 = 120.0;
/// Most words of a line that is a credit.
const CREDIT_WORDS: f32 = 10.0;
/// Most bytes of the name of an agency in Japanese.
const AGENCY_BYTES: usize = 30;
/// Most bytes of a credit behind its label.
const CREDIT_BYTES: usize = 120;
/// Most pictures that are looked at.
const MOST_LOOKED_AT: usize = 4 * MAX_PICTURES;
/// Parts of names by which markup calls what is no picture of a story.
const OTHER_NAMES: [&str; 24] = [
    "avatar",
    "gravatar",
    "author",
    "byline",
    "logo",
    "icon",
    "emoji",
    "smiley",
    "badge",
    "share",
    "social",
    "related",
    "recommend",
    "sponsor",
    "promo",
    "advert",
    "banner",
    "sidebar",
    "teaser",
    "newsletter",
    "profile",
    "widget",
    "comment",
    "thumb-nav",
];
/// Hosts of the pictures that stand for videos until these are played.
const POSTERS: [&str; 2] = ["ytimg.com/", "img.youtube.com/"];
/// Parts of addresses of pictures of people who write.
const PORTRAITS: [&str; 5] = ["/profile", "/avatar", "/author", "gravatar.", "/byline"];
/// Parts of addresses of advertisements.
const ADVERTISERS: [&str; 4] = ["doubleclick.", "adserver", "googlesyndication.", "amazon-adsystem."];
/// Ends of names of files that are photographs rather than drawings.
const PHOTOGRAPHS: [&str; 5] = [".jpg", ".jpeg", ".webp", ".avif", ".heic"];
/// The largest share of a story's words that is removed as captions.
const MOST_OF_CAPTIONS: f32 = 0.3;
/// Parts of names of elements that hold captions.
const CAPTION_NAMES: [&str; 5] = ["caption", "legend", "bildunterschrift", "pie-de-foto", "didascalia"];
/// Parts of names of elements that hold credits.
const CREDIT_NAMES: [&str; 9] = [
    "credit",
    "credito",
    "copyright",
    "photographer",
    "source",
    "fotograf",
    "author",
    "autor",
    "attribution",
];
/// Words before a credit.
const LABELS: [&str; 61] = [
    "photo credit",
    "image credit",
    "picture credit",
    "photo by",
    "photos by",
    "photograph by",
    "image by",
    "picture by",
    "photo courtesy of",
    "courtesy of",
    "photograph",
    "photos",
    "photo",
    "image",
    "picture",
    "credits",
    "credit",
    "source",
    "copyright",
    "foto",
    "fotos",
    "fotografía",
    "fotografia",
    "fotograf",
    "bild",
    "bilder",
    "bildquelle",
    "quelle",
    "crédit photo",
    "crédit",
    "crédits",
    "fuente",
    "imagen",
    "imagem",
    "immagine",
    "kuva",
    "zdjęcie",
    "foto von",
    "фото",
    "фотография",
    "снимка",
    "світлина",
    "φωτογραφία",
    "φωτο",
    "写真",
    "撮影",
    "提供",
    "사진",
    "图片",
    "图",
    "صورة",
    "عکس",
    "תמונה",
    "צילום",
    "valokuva",
    "fotó",
    "nuotrauka",
    "ljósmynd",
    "ảnh",
    "illustration",
    "illustration by",
];

/// The pictures of the story, in page order, each with its element. Captions belong to their pictures and not to the text, so their
/// runs are removed from the chosen ones.
pub(super) fn story_pictures(
    page: &Page,
    runs: &Runs,
    chosen: &mut [bool],
    place: Place,
    claims: &Claims,
) -> Vec<(NodeId, Picture)> {
    let tree = &page.tree;
    // A picture may stand above the headline.
    let region = tree.lca(place.story, place.headline).index();
    let end = tree.subtree_end(place.story);
    let is_picture = |node: &NodeId| matches!(tree.tag(*node), Some("img" | "amp-img"));
    let nodes = (region..end.index()).filter_map(|at| tree.node_at(at)).filter(is_picture);
    let finder = Finder { page, runs, chosen, place, declared: claims.picture.as_deref().map(picture_key) };
    let mut found: Vec<(NodeId, Picture)> = Vec::new();
    let (mut seen, mut captioned): (FxHashMap<String, usize>, FxHashSet<NodeId>) = Default::default();
    for node in nodes.take(MOST_LOOKED_AT) {
        if finder.is_in_unseen(node) {
            continue;
        }
        let Some((address, size)) = best_address(page, node) else { continue };
        if POSTERS.iter().any(|host| address.contains(host)) {
            continue;
        }
        let caption = finder.caption_of(node);
        if finder.weight(node, &address, size, caption.is_some()) < LEAST_WEIGHT {
            continue;
        }
        // A caption below several pictures belongs to the first.
        let caption = caption.filter(|(caption, _)| captioned.insert(*caption));
        let (text, credit) = finder.texts_of(caption);
        let alternative = tree.attr(node, "alt").map(readable).filter(|text| !text.is_empty());
        let given = |name| tree.attr(node, name)?.trim().trim_end_matches("px").parse::<u32>().ok();
        let fits = |text: &String| text.len() <= MAX_CAPTION;
        let picture = Picture {
            address,
            alternative: alternative.filter(fits),
            caption: text.filter(fits),
            credit,
            width: given("width"),
            height: given("height"),
        };
        let key = picture_key(&picture.address);
        match seen.get(&key) {
            // The copy for browsers without scripts, or for small screens; it may be the one with the caption.
            Some(&at) => {
                let (_, first) = &mut found[at];
                first.caption = first.caption.take().or(picture.caption);
                first.credit = first.credit.take().or(picture.credit);
                first.alternative = first.alternative.take().or(picture.alternative);
            }
            None => {
                seen.insert(key, found.len());
                found.push((node, picture));
            }
        }
        if found.len() > MAX_PICTURES {
            break;
        }
    }
    take_out_captions(tree, runs, &captioned, chosen);
    found
}

/// Removes captions from the chosen runs, unless they make up so much of the text that they tell the story.
fn take_out_captions(tree: &PageTree, runs: &Runs, captions: &FxHashSet<NodeId>, chosen: &mut [bool]) {
    let within: FxHashSet<usize> = captions.iter().flat_map(|&caption| runs.under(tree, caption)).collect();
    let (mut of_captions, mut all) = (0.0, 0.0);
    for (at, run) in runs.runs.iter().enumerate().filter(|(at, _)| chosen[*at]) {
        all += run.words;
        of_captions += if within.contains(&at) { run.words } else { 0.0 };
    }
    if of_captions <= MOST_OF_CAPTIONS * all {
        within.into_iter().for_each(|at| chosen[at] = false);
    }
}

struct Finder<'a> {
    page: &'a Page,
    runs: &'a Runs,
    chosen: &'a [bool],
    place: Place,
    /// The picture that the metadata declare, without its size.
    declared: Option<String>,
}

impl Finder<'_> {
    fn tree(&self) -> &PageTree {
        &self.page.tree
    }

    /// The elements above a picture that are not around the whole story, inner ones first.
    fn around(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let story = self.place.story;
        let is_part = move |above: &NodeId| *above != story && !self.tree().is_ancestor(*above, story);
        self.tree().ancestors(node).take(LEVELS).take_while(is_part)
    }

    /// Whether readers never see the box of a picture. The picture itself may be unseen until it is loaded.
    fn is_in_unseen(&self, node: NodeId) -> bool {
        self.tree()
            .ancestors(node)
            .skip(LATE_LEVELS)
            .take(LEVELS)
            .any(|above| self.runs.shown.is_unseen(above))
    }

    /// What speaks for a picture being the story's, less what speaks against it.
    fn weight(&self, node: NodeId, address: &str, width: Option<u32>, has_caption: bool) -> f32 {
        let tree = self.tree();
        let mut weight = 0.0;
        let mut add = |is_so: bool, by: f32| weight += if is_so { by } else { 0.0 };
        let is_inside = tree.is_ancestor(self.place.story, node);
        let is_below = node > self.place.last && !self.is_directly_behind(node, address);
        let is_declared = self.declared.as_ref().is_some_and(|declared| *declared == picture_key(address));
        // Where it stands.
        add(is_inside && !is_below, 1.0);
        add(is_inside && is_below, -0.5);
        add(is_declared, 3.0);
        add(tree.is_inside(node, &["figure", "picture"]), 1.0);
        add(has_caption, 1.0);
        add(self.is_among_text(node), 1.0);
        add(tree.is_inside(node, &["nav", "aside", "footer", "form", "button"]), -3.0);
        let link = tree.ancestors(node).take(LEVELS).find(|&above| tree.tag(above) == Some("a"));
        let leads_to_picture = link.and_then(|link| tree.attr(link, "href")).is_some_and(is_picture_file);
        // How large it is.
        let given = |name| tree.attr(node, name)?.trim().trim_end_matches("px").parse::<u32>().ok();
        let sizes = || ["width", "height"].into_iter().filter_map(given);
        add(sizes().next().is_some() && sizes().all(|size| size >= LARGE), 0.5);
        add(sizes().any(|size| size < LARGE), -0.5);
        // The preview of a larger version may be a narrow strip.
        let is_strip =
            leads_to_picture && sizes().any(|size| size >= LARGE) && sizes().all(|size| size >= LINE);
        add(!is_strip && sizes().any(|size| size < ICON), -3.0);
        add(width.is_some_and(|width| width >= LARGE), 0.5);
        // Where it leads.
        if let Some(link) = link {
            let target = self.page.target(link);
            let is_own = leads_to_picture || target.as_ref().is_none_or(|target| *target == self.page.url);
            add(leads_to_picture, 1.0);
            add(!is_own, -1.0);
            let shows_text = !self.runs.under(tree, link).is_empty();
            add(!is_own && shows_text, -3.0);
            add(!is_own && target.is_some_and(|target| target.site() == self.page.url.site()), -0.5);
        }
        // Another story's headline beside it makes it a teaser.
        add(!has_caption && self.is_beside_headline(node), -3.0);
        // What it is called.
        let mut names = std::iter::once(node).chain(self.around(node));
        let calls = |node: NodeId| {
            let names = [tree.attr(node, "class"), tree.attr(node, "id")].into_iter().flatten();
            names
                .map(str::to_ascii_lowercase)
                .any(|name| OTHER_NAMES.iter().any(|other| name.contains(other)))
        };
        add(names.any(calls), -2.0);
        add(PORTRAITS.iter().any(|part| address.contains(part)), -3.0);
        add(ADVERTISERS.iter().any(|part| address.contains(part)), -6.0);
        add(is_stand_in(address), -6.0);
        weight
    }

    /// Whether a picture stands behind the story's last text with nothing but other pictures and their captions between, and is no
    /// button, badge or advertisement.
    fn is_directly_behind(&self, node: NodeId, address: &str) -> bool {
        let tree = self.tree();
        let mut up = tree.ancestors(node).take(LEVELS);
        let link = up.find(|&above| tree.tag(above) == Some("a")).and_then(|link| tree.attr(link, "href"));
        let given = |name| tree.attr(node, name)?.trim().trim_end_matches("px").parse::<u32>().ok();
        let mut sizes = ["width", "height"].into_iter().filter_map(given).peekable();
        // Without a size only the kind of file tells a photograph from a button.
        let is_large = match sizes.peek() {
            Some(_) => sizes.all(|size| size >= LARGE),
            None => {
                let path = address.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
                PHOTOGRAPHS.iter().any(|end| path.ends_with(end))
            }
        };
        if !is_large || link.is_some_and(|href| !is_picture_file(href)) {
            return false;
        }
        let runs = &self.runs.runs;
        let behind = &runs[runs.partition_point(|run| run.first <= self.place.last)..];
        let mut between = behind.iter().take_while(|run| run.first < node);
        between.all(|run| tree.is_inside(run.first, &["figcaption"]))
    }

    /// Whether the first text around the picture is none of the story's and holds a line that is only a link.
    fn is_beside_headline(&self, node: NodeId) -> bool {
        let tree = self.tree();
        let boxes = self.around(node).map(|above| self.runs.under(tree, above));
        let first = boxes.into_iter().find(|runs| !runs.is_empty());
        first.is_some_and(|runs| {
            !self.chosen[runs.clone()].contains(&true)
                && self.runs.runs[runs].iter().any(|run| run.is_mere_link() && run.words > 1.0)
        })
    }

    /// Whether the element of the picture stands beside elements of the text.
    fn is_among_text(&self, node: NodeId) -> bool {
        let tree = self.tree();
        let has_text = |node: NodeId| self.chosen[self.runs.under(tree, node)].contains(&true);
        // White space between elements is passed over.
        let is_blank = |node: &NodeId| tree.text(*node).is_some_and(|text| text.trim().is_empty());
        let before = |node| std::iter::successors(tree.prev_sibling(node), |&at| tree.prev_sibling(at));
        let after = |node| std::iter::successors(tree.next_sibling(node), |&at| tree.next_sibling(at));
        let stands_beside = |node: NodeId| {
            let nearest = [before(node).find(|at| !is_blank(at)), after(node).find(|at| !is_blank(at))];
            nearest.into_iter().flatten().any(has_text)
        };
        std::iter::once(node).chain(self.around(node)).any(stands_beside)
    }

    /// The element with the caption of a picture, and the one around both.
    fn caption_of(&self, node: NodeId) -> Option<(NodeId, NodeId)> {
        let tree = self.tree();
        let words = |node: NodeId| words_of_prose(&inner_text(self.page, self.runs, node));
        let is_caption = |node: NodeId| (f32::MIN_POSITIVE..=CAPTION_WORDS).contains(&words(node));
        let names_caption = |node: NodeId| {
            tree.tag(node) == Some("figcaption")
                || tree.classes(node).any(|class| {
                    let class = class.to_ascii_lowercase();
                    CAPTION_NAMES.iter().any(|name| class.contains(name))
                })
        };
        for above in self.around(node) {
            // What calls itself a caption, if it is that of no picture in between.
            let mut inside = tree.descendants(above).take(MOST_NODES).filter(|&inside| inside != node);
            if let Some(caption) =
                inside.find(|&inside| names_caption(inside) && !tree.is_ancestor(inside, node))
            {
                let is_before = caption < node;
                let between = if is_before { caption..node } else { node..caption };
                let others = (between.start.index() + 1..between.end.index())
                    .filter_map(|at| tree.node_at(at))
                    .filter(|&other| {
                        tree.tag(other) == Some("img") && best_address(self.page, other).is_some()
                    });
                let is_own = tree.tag(above) == Some("figure") || others.count() == 0;
                return Some((caption, above)).filter(|&(caption, _)| is_own && is_caption(caption));
            }
            // The only text beside a picture in a box of its own.
            let runs = self.runs.under(tree, above);
            if self.chosen[runs.clone()].contains(&true) {
                return None;
            }
            let (count, texts) = (runs.len(), self.texts_in_box(runs));
            if let (Some(first), Some(last)) = (texts.first(), texts.last()) {
                let is_box = matches!(
                    tree.tag(above),
                    Some("figure" | "dl" | "table" | "tbody" | "tr" | "div" | "td" | "center")
                );
                let is_link = texts.iter().any(|run| run.is_control());
                let caption = if texts.len() < count { tree.lca(first.first, last.last) } else { above };
                let inside = tree
                    .descendants(above)
                    .take(MOST_NODES)
                    .filter(|&inside| tree.tag(inside) == Some("img"));
                let keys = inside
                    .filter_map(|inside| best_address(self.page, inside))
                    .map(|(address, _)| picture_key(&address));
                let is_box = is_box && keys.collect::<FxHashSet<String>>().len() <= 1;
                return Some((caption, above))
                    .filter(|&(caption, _)| is_box && !is_link && is_caption(caption));
            }
        }
        None
    }

    /// The texts in the box of a picture, without buttons, and without the number of a slide beside others.
    fn texts_in_box(&self, runs: Range<usize>) -> Vec<&Run> {
        let tree = self.tree();
        let shown = self.runs.runs[runs]
            .iter()
            .filter(|run| !run.is_button && !tree.is_inside(run.first, &["button"]));
        let (numbers, texts): (Vec<&Run>, Vec<&Run>) = shown.partition(|run| is_slide_number(&run.text));
        if texts.is_empty() { numbers } else { texts }
    }

    /// The text of a caption without the credit, and the credit.
    fn texts_of(&self, caption: Option<(NodeId, NodeId)>) -> (Option<String>, Option<String>) {
        let Some((caption, around)) = caption else { return (None, None) };
        let tree = self.tree();
        let text = inner_text(self.page, self.runs, caption);
        // An element that calls itself the credit, in the caption or beside it.
        let names_credit = |node: &NodeId| {
            let class = tree.classes(*node).any(|class| {
                let class = class.to_ascii_lowercase();
                CREDIT_NAMES.iter().any(|name| class.contains(name))
            });
            let property = tree.attr(*node, "itemprop");
            class
                || matches!(tree.tag(*node), Some("cite" | "small"))
                || matches!(
                    property,
                    Some("copyrightHolder" | "creditText" | "author" | "creator" | "copyrightNotice")
                )
        };
        let mut marked =
            tree.descendants(around).take(MOST_NODES).filter(|node| names_credit(node) && *node != caption);
        let marked = marked.find_map(|node| {
            let credit = inner_text(self.page, self.runs, node);
            // An element around all of the caption says nothing.
            (!credit.is_empty() && credit.len() <= CREDIT_BYTES && credit != text).then_some(credit)
        });
        if let Some(credit) = marked {
            let rest = match text.strip_suffix(&credit) {
                Some(rest) => rest.to_owned(),
                None => text.replacen(&credit, "", 1),
            };
            let rest = readable(rest.trim_end_matches(|c: char| {
                c.is_whitespace() || matches!(c, '(' | '|' | '/' | '–' | '-' | '•')
            }));
            let credit = without_label(&credit).to_owned();
            return (
                Some(rest).filter(|rest| !rest.is_empty()),
                Some(credit).filter(|credit| !credit.is_empty()),
            );
        }
        let last = || {
            // A short last line behind a sentence, or one that a label begins.
            let runs = &self.runs.runs[self.runs.under(tree, caption)];
            let (last, before) = runs.split_last().filter(|(_, before)| !before.is_empty())?;
            let is_short = last.words <= CREDIT_WORDS && !ends_sentence(&last.text);
            let before = before.iter().map(|run| run.text.as_str()).collect::<Vec<_>>().join(" ");
            let is_behind_sentence =
                ends_sentence(&before) || without_label(&last.text).len() < last.text.trim().len();
            (is_short && is_behind_sentence).then(|| (before, without_label(&last.text).to_owned()))
        };
        match last().or_else(|| split_credit(&text)) {
            Some((text, credit)) => (Some(text).filter(|text| !text.is_empty()), Some(credit)),
            None => (Some(text).filter(|text| !text.is_empty()), None),
        }
    }
}

/// Whether a text counts slides: "3 of 12 |", "1/5".
fn is_slide_number(text: &str) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let numbers =
        words.clone().filter(|word| word.len() <= 3 && word.bytes().all(|letter| letter.is_ascii_digit()));
    numbers.take(3).count() == 2 && words.nth(MOST_SLIDE_WORDS).is_none()
}

/// Most words of the number of a slide.
const MOST_SLIDE_WORDS: usize = 4;

/// Most elements around a picture that are searched for its caption.
const MOST_NODES: usize = 80;

/// A credit without the word before it and without brackets.
fn without_label(credit: &str) -> &str {
    let brackets = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '©' | '|' | '/');
    let mut credit = credit.trim_matches(brackets);
    let lower = credit.to_lowercase();
    let label = LABELS.iter().filter(|label| lower.starts_with(**label)).max_by_key(|label| label.len());
    if let Some(behind) = label.and_then(|label| credit.get(label.len()..)) {
        // A label ends with a colon, or is a whole word before a name.
        let rest = behind.trim_start();
        if let Some(named) = rest.strip_prefix([':', '：']) {
            credit = named;
        } else if behind.starts_with(' ')
            && label.is_some_and(|label| label.contains(" by") || label.contains("courtesy"))
        {
            credit = rest;
        }
    }
    let lower = credit.trim_start().to_lowercase();
    credit = if lower.starts_with("(c)") { credit.trim_start().get(3..).unwrap_or(credit) } else { credit };
    credit.trim_matches(brackets)
}

/// Splits a text such as "The bridge. Photo: A. Lane" or "The bridge (A. Lane/Agency)" where its credit begins.
fn split_credit(text: &str) -> Option<(String, String)> {
    let cut = |at: usize| {
        let (before, credit) = (text.get(..at)?, without_label(text.get(at..)?));
        let is_credit = !credit.is_empty() && credit.len() <= CREDIT_BYTES;
        let before = before.trim_end_matches(|c: char| {
            c.is_whitespace() || matches!(c, '(' | '[' | '|' | '/' | '–' | '—' | '-' | '•')
        });
        is_credit.then(|| (before.to_owned(), credit.to_owned()))
    };
    if let Some(at) = text.rfind('©') {
        return cut(at);
    }
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    // The last label with a colon, or with "by", at the beginning of a word.
    let label_at = |label: &&str| {
        let at = lower.rfind(*label)?;
        let starts_word = lower.get(..at)?.chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let behind = lower.get(at + label.len()..)?.trim_start();
        // "AP Photo/A. Lane" is a credit as a whole.
        let ends_before = || !lower[..at].trim_end().ends_with(char::is_alphanumeric);
        let ends = behind.starts_with([':', '：'])
            || (behind.starts_with('/') && ends_before())
            || label.ends_with(" by")
            || label.ends_with("courtesy of");
        (starts_word && ends).then_some(at)
    };
    if let Some(at) = LABELS.iter().filter_map(label_at).min_by_key(|at| *at) {
        return cut(at);
    }
    // "The bridge | A. Lane", "橋＝ＡＰ"; in Japanese the sign also stands before a day or a place.
    for (mark, most) in
        [(" | ", CREDIT_BYTES), ("＝", AGENCY_BYTES), (" ▪ ", CREDIT_BYTES), (" • ", CREDIT_BYTES)]
    {
        let credit = text.rfind(mark).and_then(|at| Some((at, text.get(at + mark.len()..)?)));
        let is_name =
            |credit: &str| credit.len() <= most && !ends_sentence(credit) && !credit.contains(['、', '。']);
        if let Some((at, credit)) = credit.filter(|(_, credit)| is_name(credit)) {
            return Some((text.get(..at)?.trim_end().to_owned(), without_label(credit).to_owned()));
        }
    }
    // "橋（Ａ．レイン撮影）".
    let open = text.trim_end().strip_suffix('）').and_then(|text| text.rfind('（'));
    if let Some(at) =
        open.filter(|&at| text.get(at..).is_some_and(|part| part.contains("撮影") || part.contains("提供")))
    {
        let credit = text.get(at..)?.trim_matches(['（', '）']).replace("撮影", "").replace("提供", "");
        return Some((text.get(..at)?.to_owned(), credit)).filter(|(_, credit)| !credit.is_empty());
    }
    let names_agency = |text: &str| AGENCIES.iter().any(|agency| text.contains(agency));
    // Brackets at the end that name an agency, or that stand behind a sentence: "(AP Photo/J. Doe)", "It is old. (A. Lane)".
    if let Some(open) = text.trim_end().strip_suffix(')').and_then(|text| text.rfind('(')) {
        let inner = text.get(open..)?;
        let before = text.get(..open)?.trim_end();
        let is_credit =
            before.is_empty() || inner.contains('/') || names_agency(inner) || ends_sentence(before);
        if is_credit && inner.len() <= CREDIT_BYTES && !ends_sentence(inner.trim_end_matches(')')) {
            return cut(open);
        }
    }
    let is_short = text.split_whitespace().count() <= MOST_AGENCY_WORDS;
    if names_agency(text) && is_short { cut(0) } else { None }
}

/// Most words of a text that is only a credit.
const MOST_AGENCY_WORDS: usize = 5;
/// Agencies whose names stand in brackets behind captions.
const AGENCIES: [&str; 14] = [
    "AP",
    "AFP",
    "Reuters",
    "REUTERS",
    "Getty",
    "dpa",
    "EPA",
    "EFE",
    "ANSA",
    "Shutterstock",
    "Keystone",
    "APA",
    "Xinhua",
    "PA Wire",
];
