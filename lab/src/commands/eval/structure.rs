//! `newslode-lab eval structure`: scores what stands in and around the text of articles.
//!
//! Of recorded sites the gold are the bodies in their feeds, as the publishers' systems wrote them: links, pictures, captions,
//! headings, list items, quotations, frames, tables. Only what the page also holds counts; the page is read without its feed. Of
//! single pages the gold are labels: lead picture, pictures with captions and credits, embeds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use newslode::exit::{Exit, hinted};
use newslode::out;
use newslode_crawler::listing::{self, ListingLimits};
use newslode_page::article::{Article, Block, BlockKind, Embed, EmbedKind, MarkKind, Picture};
use newslode_page::extract::whatever_kind;
use newslode_page::reading::{CanonicalUrl, NodeId, PageTree};
use newslode_page::{Page, Timestamp};
use serde::Deserialize;

use super::gold::{folders, page};
use crate::args::EvalStructureArgs;
use crate::eval::read_lines;

/// When the pages count as fetched: after all of them were written.
const FETCHED_AT: Timestamp = Timestamp(1_790_000_000_000);
/// What stands in more than this share of a feed's bodies, and in this many, is the publisher's own advertisement.
const REPEATED: f32 = 0.2;
const LEAST_REPEATED: usize = 4;
/// A feed's text is whole if it has this share of the words of the page's.
const WHOLE: f32 = 0.7;

/// Quotations that scripts turn into posts; what is in them is the post's.
const POSTS: [&str; 3] = ["twitter-tweet", "instagram-media", "tiktok-embed"];

#[derive(Debug, Deserialize)]
struct Stored {
    file: String,
    url: String,
    kind: String,
}

#[derive(Debug, Deserialize)]
struct Gold {
    url: String,
    tags: Option<Vec<String>>,
}

/// Labels of a page.
#[derive(Debug, Deserialize)]
struct Labelled {
    id: String,
    url: Option<String>,
    lead: Option<Vec<String>>,
    pictures: Vec<LabelledPicture>,
    embeds: Vec<LabelledEmbed>,
}

#[derive(Debug, Deserialize)]
struct LabelledPicture {
    addresses: Vec<String>,
    caption: Option<String>,
    credit: Option<String>,
}

#[derive(Debug, Deserialize)]
struct LabelledEmbed {
    kind: String,
    address: Option<String>,
    page_id: Option<String>,
}

/// Found, expected and right things of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    found: usize,
    expected: usize,
    right: usize,
}

impl Counts {
    fn row(&self, name: &str) -> String {
        let share = |of: usize| if of == 0 { 0.0 } else { self.right as f64 / of as f64 };
        let (precision, recall) = (share(self.found), share(self.expected));
        let f1 = if self.right == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
        format!(
            "  {name:12} P {precision:.3} R {recall:.3} F1 {f1:.3} ({} expected, {} found)",
            self.expected, self.found
        )
    }
}

/// Counts by kind of thing.
type Table = BTreeMap<&'static str, Counts>;
/// The things of a kind, each once.
type Things = BTreeMap<&'static str, BTreeSet<String>>;

pub(super) fn run(args: &EvalStructureArgs) -> anyhow::Result<Exit> {
    let mut all = Table::new();
    if let Some(labels) = &args.labels {
        for labelled in read_lines::<Labelled>(labels)? {
            let input = page(&args.pages, &labelled.id, labelled.url.as_deref())?;
            let article = whatever_kind(&Page::parse(&input.url, None, &input.bytes), FETCHED_AT, None);
            score_labels(args, &labelled, &article, &mut all)?;
        }
        print("labelled pages", &all)?;
        return Ok(Exit::Done);
    }
    let sites = folders(&args.pages, "manifest.jsonl")?;
    if sites.is_empty() {
        let message = format!("no site in `{}`", args.pages.display());
        return Err(hinted(
            message,
            "each site is a folder with manifest.jsonl, pages and feeds; or give --labels",
        ));
    }
    for site in sites {
        let mut of_site = Table::new();
        score_site(args, &site, &mut of_site)?;
        let name = site.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        print(&name, &of_site)?;
        for (kind, counts) in of_site {
            let sum = all.entry(kind).or_default();
            sum.found += counts.found;
            sum.expected += counts.expected;
            sum.right += counts.right;
        }
    }
    print("all", &all)?;
    Ok(Exit::Done)
}

fn print(name: &str, table: &Table) -> anyhow::Result<()> {
    if table.values().all(|counts| counts.found + counts.expected == 0) {
        return Ok(());
    }
    out::line(name)?;
    table.iter().try_for_each(|(kind, counts)| out::line(counts.row(kind)))
}

/// Scores the articles of a site whose whole text a feed holds, and the keywords of all that have gold.
fn score_site(args: &EvalStructureArgs, site: &Path, table: &mut Table) -> anyhow::Result<()> {
    let rows: Vec<Stored> = read_lines(&site.join("manifest.jsonl"))?;
    let mut bodies: BTreeMap<String, String> = BTreeMap::new();
    for feed in rows.iter().filter(|row| row.kind == "feed") {
        let (Ok(url), Ok(bytes)) = (feed.url.parse::<CanonicalUrl>(), std::fs::read(site.join(&feed.file)))
        else {
            continue;
        };
        let limits = ListingLimits { same_site: false, ..ListingLimits::default() };
        let Ok(listing) = listing::read(&url, None, &bytes, FETCHED_AT, &limits) else { continue };
        for item in listing.items {
            let html = item.details.and_then(|details| details.html);
            // Feeds made elsewhere name other hosts.
            bodies.extend(html.map(|html| (path_of(item.url.as_str()), html)));
        }
    }
    let gold = site.join("gold.jsonl");
    let gold: Vec<Gold> = if gold.exists() { read_lines(&gold)? } else { Vec::new() };
    let tags: BTreeMap<&str, &Vec<String>> =
        gold.iter().filter_map(|gold| Some((gold.url.as_str(), gold.tags.as_ref()?))).collect();
    let repeated = repeated_things(bodies.values());
    for row in rows.iter().filter(|row| row.kind == "article") {
        let Ok(url) = row.url.parse::<CanonicalUrl>() else { continue };
        let (body, tags) =
            (bodies.get(&path_of(url.as_str())), tags.get(row.url.as_str()).filter(|tags| !tags.is_empty()));
        if body.is_none() && tags.is_none() {
            continue;
        }
        let bytes = std::fs::read(site.join(&row.file))?;
        let page = Page::parse(&url, Some("text/html"), &bytes);
        let article = whatever_kind(&page, FETCHED_AT, None);
        if let Some(tags) = tags {
            let names =
                |names: &[String]| names.iter().map(|name| letters(name)).collect::<BTreeSet<String>>();
            count(args, &article, "keywords", names(&article.keywords), names(tags), table)?;
        }
        let Some(body) = body else { continue };
        let wanted = Page::parse(&url, Some("text/html; charset=utf-8"), body.as_bytes());
        let words = |text: &str| text.split_whitespace().count() as f32;
        if words(&wanted.tree.text_content(wanted.tree.root())) < WHOLE * words(&article.text()) {
            continue;
        }
        let on_page = things_of_tree(&page, Origin::Page);
        let found = things_of_article(&article);
        let renamed = renamed_pictures(&page);
        for (kind, mut expected) in things_of_tree(&wanted, Origin::Feed) {
            let also = on_page.get(kind).cloned().unwrap_or_default();
            let mut found = found.get(kind).cloned().unwrap_or_default();
            let is_own = |thing: &String| !repeated.contains(&(kind, thing.clone()));
            expected.retain(|thing| also.contains(thing) && is_own(thing));
            found.retain(is_own);
            if kind == "pictures" {
                let original = |picture: &String| match renamed.get(picture) {
                    Some(original) if !expected.contains(picture) => original.clone(),
                    _ => picture.clone(),
                };
                found = found.iter().map(original).collect();
                // A lead picture stands above the text and is no part of the feed's body.
                let lead = article.lead.as_ref().map(|lead| key_of(&lead.address));
                found.retain(|picture| expected.contains(picture) || lead.as_ref() != Some(picture));
            }
            if kind == "captions" {
                let lead = article.lead.as_ref().and_then(caption_thing);
                // The label of a credit is in the feed's text alone.
                let whole = |caption: &String| {
                    let (key, text) = caption.split_once(": ")?;
                    let (text, credit) = text.split_once('|').unwrap_or((text, ""));
                    let is_same = |other: &&String| {
                        other
                            .split_once(": ")
                            .is_some_and(|(k, t)| k == key && t.starts_with(text) && t.ends_with(credit))
                    };
                    expected.iter().find(is_same).cloned()
                };
                found =
                    found.iter().map(|caption| whole(caption).unwrap_or_else(|| caption.clone())).collect();
                found.retain(|caption| expected.contains(caption) || lead.as_ref() != Some(caption));
            }
            count(args, &article, kind, found, expected, table)?;
        }
    }
    Ok(())
}

/// What stands in many of a site's bodies.
fn repeated_things<'b>(
    bodies: impl ExactSizeIterator<Item = &'b String>,
) -> BTreeSet<(&'static str, String)> {
    let all = bodies.len();
    let mut counts: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    for body in bodies {
        let Ok(url) = "https://feed.example/".parse() else { continue };
        let page = Page::parse(&url, Some("text/html; charset=utf-8"), body.as_bytes());
        for (kind, things) in things_of_tree(&page, Origin::Feed) {
            things.into_iter().for_each(|thing| *counts.entry((kind, thing)).or_default() += 1);
        }
    }
    let most = LEAST_REPEATED.max((REPEATED * all as f32) as usize);
    counts.into_iter().filter(|(_, count)| *count >= most).map(|(thing, _)| thing).collect()
}

fn count(
    args: &EvalStructureArgs,
    article: &Article,
    kind: &'static str,
    found: BTreeSet<String>,
    expected: BTreeSet<String>,
    table: &mut Table,
) -> anyhow::Result<()> {
    let counts = table.entry(kind).or_default();
    counts.found += found.len();
    counts.expected += expected.len();
    counts.right += found.intersection(&expected).count();
    if args.errors.as_deref() == Some(kind) {
        for (mark, things) in [("+", found.difference(&expected)), ("-", expected.difference(&found))] {
            for thing in things {
                out::line(format!("{mark} {thing}   {}", article.url))?;
            }
        }
    }
    Ok(())
}

fn score_labels(
    args: &EvalStructureArgs,
    labelled: &Labelled,
    article: &Article,
    table: &mut Table,
) -> anyhow::Result<()> {
    let pictures: Vec<&Picture> = article.body.iter().filter_map(|block| block.picture.as_ref()).collect();
    let is_one = |addresses: &[String], address: &str| {
        addresses.iter().any(|other| other == address || key_of(other) == key_of(address))
    };
    let named = |names: Vec<Option<String>>| names.into_iter().flatten().collect::<BTreeSet<String>>();
    // The lead picture.
    let lead = labelled.lead.as_ref().map(|lead| {
        let is_right = article.lead.as_ref().is_some_and(|found| is_one(lead, &found.address));
        (if is_right { article.lead.as_ref().map(|found| found.address.clone()) } else { None })
            .unwrap_or_else(|| lead[0].clone())
    });
    let found = article.lead.as_ref().map(|lead| lead.address.clone());
    count(args, article, "lead", named(vec![found]), named(vec![lead]), table)?;
    // Each labelled picture with the one that was found for it.
    let pairs: Vec<(usize, Option<&Picture>)> = labelled
        .pictures
        .iter()
        .map(|wanted| pictures.iter().find(|picture| is_one(&wanted.addresses, &picture.address)).copied())
        .enumerate()
        .collect();
    let number_of = |picture: &Picture| {
        let wanted = labelled.pictures.iter().position(|wanted| is_one(&wanted.addresses, &picture.address));
        wanted.map_or(picture.address.clone(), |number| number.to_string())
    };
    let found = pictures.iter().map(|picture| Some(number_of(picture))).collect();
    let wanted = pairs.iter().map(|(number, _)| Some(number.to_string())).collect();
    count(args, article, "pictures", named(found), named(wanted), table)?;
    type Field<'f> = (
        &'static str,
        &'f dyn Fn(&LabelledPicture) -> Option<&String>,
        &'f dyn Fn(&Picture) -> Option<&String>,
    );
    let fields: [Field<'_>; 2] = [
        ("captions", &|wanted| wanted.caption.as_ref(), &|found| found.caption.as_ref()),
        ("credits", &|wanted| wanted.credit.as_ref(), &|found| found.credit.as_ref()),
    ];
    for (kind, of_label, of_picture) in fields {
        let texts = |number: &str, text: &String| format!("{number}: {}", letters(text));
        let found =
            pictures.iter().map(|picture| Some(texts(&number_of(picture), of_picture(picture)?))).collect();
        let wanted = pairs
            .iter()
            .map(|(number, _)| Some(texts(&number.to_string(), of_label(&labelled.pictures[*number])?)));
        count(args, article, kind, named(found), named(wanted.collect()), table)?;
    }
    // Embeds by address.
    let embeds: Vec<&Embed> = article.body.iter().filter_map(|block| block.embed.as_ref()).collect();
    let same = |wanted: &LabelledEmbed, address: &str| {
        wanted.address.as_ref().is_some_and(|other| frame_of(other) == frame_of(address))
            || wanted.page_id.as_ref().is_some_and(|id| address.contains(id.as_str()))
    };
    // Those without an address on both sides are matched one to one, by their kind.
    let kind_of = |embed: &Embed| match embed.kind {
        EmbedKind::Post => "post",
        EmbedKind::Video => "video",
        EmbedKind::Audio => "audio",
        EmbedKind::Other => "other",
    };
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (at, embed) in embeds.iter().enumerate() {
        let number = match embed.address.as_deref() {
            Some(address) => labelled.embeds.iter().position(|wanted| same(wanted, address)),
            None => labelled.embeds.iter().enumerate().position(|(number, wanted)| {
                wanted.address.is_none() && wanted.kind == kind_of(embed) && !taken.contains(&number)
            }),
        };
        taken.extend(number);
        let unknown = || format!("{:?} {}", embed.provider, embed.address.as_deref().unwrap_or_default());
        names.insert(number.map_or_else(|| format!("{} {at}", unknown()), |number| number.to_string()));
    }
    let wanted = (0..labelled.embeds.len()).map(|number| Some(number.to_string())).collect();
    count(args, article, "embeds", names, named(wanted), table)
}

/// Where markup comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Page,
    Feed,
}

/// Attributes in which WordPress keeps the addresses of a picture's original. A copy of a site may have renamed the file.
const ORIGINALS: [&str; 3] = ["data-orig-file", "data-large-file", "data-medium-file"];

/// Pictures of a page whose files a copy renamed, with the names of the originals.
fn renamed_pictures(page: &Page) -> BTreeMap<String, String> {
    let tree = &page.tree;
    let name = |node: NodeId| {
        let shown = page.base.join(tree.attr(node, "src")?.trim()).ok()?;
        let original = ORIGINALS.iter().find_map(|name| tree.attr(node, name))?;
        Some((key_of(shown.as_str()), key_of(original))).filter(|(shown, original)| shown != original)
    };
    tree.node_ids().filter(|&node| tree.tag(node) == Some("img")).filter_map(name).collect()
}

fn is_in(tree: &PageTree, node: NodeId, tags: &[&str]) -> bool {
    tree.ancestors(node).any(|above| tree.tag(above).is_some_and(|tag| tags.contains(&tag)))
}

/// Whether a thing is none of the story's text. Of a page that is what stands beside its content, or what only browsers without
/// scripts show; of a feed's body, an article of its own inside it, which is another story's teaser.
fn is_beside(tree: &PageTree, node: NodeId, origin: Origin) -> bool {
    match origin {
        Origin::Page => is_in(tree, node, &["aside", "nav", "footer"]),
        Origin::Feed => is_in(tree, node, &["article"]),
    }
}

/// Whether a link leads to the page as a whole, and not to a part of it.
fn leads_to_itself(page: &Page, link: NodeId) -> bool {
    let href = page.tree.attr(link, "href").unwrap_or_default();
    !href.contains('#') && page.target(link).is_some_and(|target| target == page.url)
}

/// The letters of an element without those in some elements inside it.
fn text_without(tree: &PageTree, node: NodeId, without: &[&str]) -> String {
    let is_out = |inner: NodeId| {
        let mut up = tree.ancestors(inner).take_while(|&above| above != node);
        up.any(|above| tree.tag(above).is_some_and(|tag| without.contains(&tag)))
    };
    let texts = tree.descendants(node).filter(|&inner| !is_out(inner)).filter_map(|inner| tree.text(inner));
    letters(&texts.collect::<String>())
}

/// The things in the markup of a page or a feed's body.
fn things_of_tree(page: &Page, origin: Origin) -> Things {
    let tree = &page.tree;
    let mut things = Things::new();
    let mut add = |kind: &'static str, thing: String| {
        let of_kind = things.entry(kind).or_default();
        if !thing.is_empty() {
            of_kind.insert(thing);
        }
    };
    for kind in ["links", "pictures", "captions", "headings", "list items", "quotes", "frames", "tables"] {
        add(kind, String::new());
    }
    for node in tree.node_ids().filter(|&node| !is_beside(tree, node, origin)) {
        let text = |node: NodeId| letters(&tree.text_content(node));
        match tree.tag(node) {
            // A poll's link for browsers without scripts, and the link to the story itself that systems put below it, are no text.
            Some("a") if is_in(tree, node, &["noscript"]) || leads_to_itself(page, node) => {}
            Some("a") => {
                // Copies of sites have other addresses than their feeds, so links are told by their texts.
                let is_post = |above: NodeId| {
                    tree.classes(above).any(|class| POSTS.iter().any(|name| class.starts_with(name)))
                };
                if tree.attr(node, "href").is_some() && !tree.ancestors(node).any(is_post) {
                    add("links", text(node));
                }
            }
            Some("img") => {
                let address = ["data-src", "data-lazy-src", "data-original", "src"]
                    .iter()
                    .find_map(|name| tree.attr(node, name));
                let address = address.filter(|address| !address.starts_with("data:"));
                if let Some(address) = address.and_then(|address| page.base.join(address.trim()).ok()) {
                    add("pictures", key_of(address.as_str()));
                    let original = ORIGINALS.iter().find_map(|name| tree.attr(node, name));
                    if let Some(original) = original.filter(|_| origin == Origin::Page) {
                        add("pictures", key_of(original));
                    }
                    let caption = caption_in_tree(tree, node).unwrap_or_default();
                    if !caption.is_empty() {
                        add("captions", format!("{}: {caption}", key_of(address.as_str())));
                    }
                }
            }
            Some("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => add("headings", text(node)),
            // A list inside an item has items of its own, and a caption is its picture's.
            Some("li") => add("list items", text_without(tree, node, &["ul", "ol", "figcaption"])),
            Some("blockquote") if !tree.classes(node).any(|class| POSTS.contains(&class)) => {
                let is_nested = tree
                    .descendants(node)
                    .any(|inner| inner != node && tree.tag(inner) == Some("blockquote"));
                if !is_nested {
                    add("quotes", text(node));
                }
            }
            Some("iframe") => {
                let address =
                    ["data-src", "data-lazy-src", "src"].iter().find_map(|name| tree.attr(node, name));
                if let Some(address) = address.and_then(|address| page.base.join(address.trim()).ok()) {
                    add("frames", frame_of(address.as_str()));
                }
            }
            Some("table") => {
                let cells =
                    tree.descendants(node).filter(|&inner| matches!(tree.tag(inner), Some("td" | "th")));
                let cells: Vec<String> = cells.map(text).collect();
                if cells.len() >= 4 {
                    add("tables", cells.join("|"));
                }
            }
            _ => {}
        }
    }
    things
}

/// The caption that the markup gives a picture: that of its figure, or of the box that WordPress puts around it.
fn caption_in_tree(tree: &PageTree, picture: NodeId) -> Option<String> {
    let is_box = |node: NodeId| {
        tree.tag(node) == Some("figure")
            || tree.classes(node).any(|class| class == "wp-caption" || class == "gallery-item")
    };
    let holder = tree.ancestors(picture).take(5).find(|&above| is_box(above))?;
    let is_caption = |node: NodeId| {
        tree.tag(node) == Some("figcaption")
            || tree
                .classes(node)
                .any(|class| matches!(class, "wp-caption-text" | "wp-caption-dd" | "gallery-caption"))
    };
    let caption = tree.descendants(holder).find(|&node| is_caption(node))?;
    Some(letters(&tree.text_content(caption)))
}

/// The same things of an article.
fn things_of_article(article: &Article) -> Things {
    let mut things = Things::new();
    // Blocks that go on with the one before belong to one item or quotation.
    let mut joined: Vec<(BlockKind, String)> = Vec::new();
    for block in &article.body {
        match joined.last_mut().filter(|(kind, _)| block.continues && *kind == block.kind) {
            Some((_, text)) => text.push_str(&block.text),
            None => joined.push((block.kind, block.text.clone())),
        }
        for mark in block.marks.iter().filter(|mark| mark.kind == MarkKind::Link) {
            let text: String =
                block.text.chars().skip(mark.start as usize).take((mark.end - mark.start) as usize).collect();
            let text = letters(&text);
            if !text.is_empty() {
                things.entry("links").or_default().insert(text);
            }
        }
        add_shown(block, &mut things);
    }
    for (kind, text) in joined {
        let name = match kind {
            BlockKind::Heading => "headings",
            BlockKind::ListItem => "list items",
            BlockKind::Quote => "quotes",
            _ => continue,
        };
        things.entry(name).or_default().insert(letters(&text));
    }
    things
}

fn add_shown(block: &Block, things: &mut Things) {
    if let Some(picture) = &block.picture {
        things.entry("pictures").or_default().insert(key_of(&picture.address));
        things.entry("captions").or_default().extend(caption_thing(picture));
    }
    // Frames alone are compared: feeds hold posts as quotations, and the players of videos as files.
    let is_frame = |embed: &&Embed| {
        let address = embed.address.as_deref().unwrap_or_default();
        embed.kind != EmbedKind::Post && ![".mp4", ".mp3", ".webm"].iter().any(|end| address.contains(end))
    };
    if let Some(address) = block.embed.as_ref().filter(is_frame).and_then(|embed| embed.address.as_ref()) {
        things.entry("frames").or_default().insert(frame_of(address));
    }
    if let Some(table) = &block.table {
        let cells: Vec<String> = table.rows.iter().flatten().map(|cell| letters(&cell.text)).collect();
        things.entry("tables").or_default().insert(cells.join("|"));
    }
}

fn caption_thing(picture: &Picture) -> Option<String> {
    let part = |text: &Option<String>| text.as_deref().map(letters).unwrap_or_default();
    let (caption, credit) = (part(&picture.caption), part(&picture.credit));
    let text = if credit.is_empty() { caption } else { format!("{caption}|{credit}") };
    (!text.is_empty()).then(|| format!("{}: {text}", key_of(&picture.address)))
}

/// A picture's address without host, size and ending.
fn key_of(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_size = |end: &str| {
        end.split_once('x').is_some_and(|(a, b)| a.parse::<u32>().is_ok() && b.parse::<u32>().is_ok())
            || end == "scaled"
    };
    let name = name.rsplit_once('-').filter(|(_, end)| is_size(end)).map_or(name, |(stem, _)| stem);
    // Services that make sizes name them last, and short names say too little.
    if name.len() < 4 {
        let folders = path.rsplit('/').skip(1).take(3);
        let parts: Vec<&str> = std::iter::once(name).chain(folders).collect();
        return if address.contains("url=http") { address.to_lowercase() } else { parts.join("/") };
    }
    name.to_lowercase()
}

/// A frame's address without its scheme and options.
fn frame_of(address: &str) -> String {
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let keeps = address.contains("video?")
        || address.contains("watch?")
        || address.contains("href=")
        || address.contains("url=");
    let address = if keeps { address } else { address.split(['?', '#']).next().unwrap_or_default() };
    address.trim_end_matches('/').trim_start_matches("www.").to_owned()
}

fn path_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split_once('/').map_or("", |(_, path)| path).trim_end_matches('/').to_owned()
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
