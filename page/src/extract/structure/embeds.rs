//! What other services show inside a story: posts, videos, recordings, charts.
//!
//! Frames and players stand for themselves; posts come as a quotation that a script replaces, so the link in it is the post.
//! Many players are filled by a script: an identifier or an address in their attributes says with what, else a box with a poster
//! alone shows that one stands there, and it has no address. A box that asks for consent names the service behind it.
//! Frames of advertisers, trackers, comment systems and sharing buttons are none of the story.

use std::cell::Cell;
use std::ops::RangeInclusive;

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::place::{Place, followable, text_under};
use crate::Page;
use crate::article::{Embed, EmbedKind, MAX_EMBEDS};
use crate::extract::NO_HOST;
use crate::extract::runs::Runs;
use crate::reading::{NodeId, PageTree};

/// Hosts of services, their names, and what they show.
const SERVICES: [(&str, &str, EmbedKind); 36] = [
    ("youtube.com", "youtube", EmbedKind::Video),
    ("youtube-nocookie.com", "youtube", EmbedKind::Video),
    ("youtu.be", "youtube", EmbedKind::Video),
    ("vimeo.com", "vimeo", EmbedKind::Video),
    ("dailymotion.com", "dailymotion", EmbedKind::Video),
    ("twitch.tv", "twitch", EmbedKind::Video),
    ("rumble.com", "rumble", EmbedKind::Video),
    ("brightcove.net", "brightcove", EmbedKind::Video),
    ("jwplatform.com", "jwplayer", EmbedKind::Video),
    ("jwplayer.com", "jwplayer", EmbedKind::Video),
    ("streamable.com", "streamable", EmbedKind::Video),
    ("vine.co", "vine", EmbedKind::Video),
    ("tiktok.com", "tiktok", EmbedKind::Video),
    ("glomex.com", "glomex", EmbedKind::Video),
    ("twitter.com", "x", EmbedKind::Post),
    ("x.com", "x", EmbedKind::Post),
    ("instagram.com", "instagram", EmbedKind::Post),
    ("facebook.com", "facebook", EmbedKind::Post),
    ("threads.net", "threads", EmbedKind::Post),
    ("bsky.app", "bluesky", EmbedKind::Post),
    ("reddit.com", "reddit", EmbedKind::Post),
    ("redditmedia.com", "reddit", EmbedKind::Post),
    ("t.me", "telegram", EmbedKind::Post),
    ("pinterest.com", "pinterest", EmbedKind::Post),
    ("vk.com", "vk", EmbedKind::Post),
    ("truthsocial.com", "truthsocial", EmbedKind::Post),
    ("soundcloud.com", "soundcloud", EmbedKind::Audio),
    ("spotify.com", "spotify", EmbedKind::Audio),
    ("podcasts.apple.com", "apple", EmbedKind::Audio),
    ("mixcloud.com", "mixcloud", EmbedKind::Audio),
    ("bandcamp.com", "bandcamp", EmbedKind::Audio),
    ("datawrapper.dwcdn.net", "datawrapper", EmbedKind::Other),
    ("flourish.studio", "flourish", EmbedKind::Other),
    ("flo.uri.sh", "flourish", EmbedKind::Other),
    ("dwcdn.net", "datawrapper", EmbedKind::Other),
    ("infogram.com", "infogram", EmbedKind::Other),
];
/// Parts of addresses of frames that are none of the story.
const OTHERS: [&str; 26] = [
    "doubleclick.",
    "googlesyndication.",
    "googletagmanager.",
    "google.com/recaptcha",
    "amazon-adsystem.",
    "adserver",
    "/ads/",
    "taboola.",
    "outbrain.",
    "disqus.",
    "facebook.com/plugins/like",
    "facebook.com/plugins/share",
    "facebook.com/plugins/page",
    "facebook.com/plugins/likebox",
    "facebook.com/plugins/comments",
    "facebook.com/connect",
    "widgets/tweet_button",
    "widgets/follow_button",
    "addthis.",
    "sharethis.",
    "mailchimp.",
    "list-manage.",
    "newsletter",
    "feedburner.",
    "criteo.",
    "about:blank",
];
/// Attributes with the address of a frame that is loaded late, in the order of trust.
const ADDRESSES: [&str; 6] =
    ["data-src", "data-lazy-src", "data-src-fg", "data-embed-src", "data-url", "src"];
/// Parts of class names of quotations that scripts turn into posts.
const POSTS: [(&str, &str, EmbedKind); 10] = [
    ("twitter-tweet", "x", EmbedKind::Post),
    ("twitter-video", "x", EmbedKind::Post),
    ("instagram-media", "instagram", EmbedKind::Post),
    ("tiktok-embed", "tiktok", EmbedKind::Video),
    ("bluesky-embed", "bluesky", EmbedKind::Post),
    ("reddit-embed", "reddit", EmbedKind::Post),
    ("text-post-media", "threads", EmbedKind::Post),
    ("fb-post", "facebook", EmbedKind::Post),
    ("fb-video", "facebook", EmbedKind::Video),
    ("mastodon-embed", "mastodon", EmbedKind::Post),
];
/// A service whose players name an item by its identifier alone, for a script to fill.
struct Identified {
    /// What names the service in a player's tag, classes and attributes.
    words: &'static [&'static str],
    /// Numbers of characters of an identifier.
    lengths: RangeInclusive<usize>,
    /// Whether an identifier has digits alone, or letters, too.
    is_number: bool,
    /// The address of an item is this and its identifier.
    address: &'static str,
    kind: EmbedKind,
}

const IDENTIFIED: [Identified; 6] = [
    Identified {
        words: &["tweet", "twitter"],
        lengths: 15..=20,
        is_number: true,
        address: "https://twitter.com/i/status/",
        kind: EmbedKind::Post,
    },
    Identified {
        words: &["youtube"],
        lengths: 11..=11,
        is_number: false,
        address: "https://www.youtube.com/watch?v=",
        kind: EmbedKind::Video,
    },
    Identified {
        words: &["vimeo"],
        lengths: 6..=12,
        is_number: true,
        address: "https://vimeo.com/",
        kind: EmbedKind::Video,
    },
    Identified {
        words: &["dailymotion"],
        lengths: 6..=8,
        is_number: false,
        address: "https://www.dailymotion.com/video/",
        kind: EmbedKind::Video,
    },
    Identified {
        words: &["instagram"],
        lengths: 11..=11,
        is_number: false,
        address: "https://www.instagram.com/p/",
        kind: EmbedKind::Post,
    },
    Identified {
        words: &["jwplayer", "jw-player", "jwplatform", "jwvideo"],
        lengths: 8..=8,
        is_number: false,
        address: "https://cdn.jwplayer.com/previews/",
        kind: EmbedKind::Video,
    },
];
/// Ends of the names of attributes that hold an identifier.
const IDENTIFIERS: [&str; 4] = ["id", "shortcode", "video", "tweet"];
/// Parts of the names of players that a script fills with a video of the publisher's own, in lower case. "Player" alone is an
/// athlete, too.
const PLAYERS: [&str; 18] = [
    "video-player",
    "videoplayer",
    "video_player",
    "videoembed",
    "video-embed",
    "video_embed",
    "video-placeholder",
    "player-placeholder",
    "player-aspect-ratio",
    "media-player",
    "mediaplayer",
    "jwplayer",
    "jw-player",
    "rmpplayer",
    "flowplayer",
    "theoplayer",
    "brightcove",
    "video-js",
];
/// Parts of names of boxes whose players are none of the story: advertisements, other stories, readings of the text.
const NO_PLAYERS: [&str; 15] = [
    "advert",
    "-ad-",
    "ad-slot",
    "adslot",
    "outstream",
    "connatix",
    "sponsor",
    "promo",
    "related",
    "recommend",
    "teaser",
    "sidebar",
    "audio",
    "speech",
    "listen",
];
/// Most words of the title, the length and the buttons on a player.
const PLAYER_WORDS: f32 = 40.0;
/// Levels around a player in which its names and its figure stand.
const PLAYER_LEVELS: usize = 3;
/// What services are called in boxes that ask for consent, and which name of [`SERVICES`] that is. Names that are common words are
/// left out.
const NAMED: [(&str, &str); 15] = [
    ("youtube", "youtube"),
    ("vimeo", "vimeo"),
    ("dailymotion", "dailymotion"),
    ("jw player", "jwplayer"),
    ("glomex", "glomex"),
    ("tiktok", "tiktok"),
    ("twitter", "x"),
    ("instagram", "instagram"),
    ("facebook", "facebook"),
    ("bluesky", "bluesky"),
    ("telegram", "telegram"),
    ("soundcloud", "soundcloud"),
    ("spotify", "spotify"),
    ("datawrapper", "datawrapper"),
    ("infogram", "infogram"),
];
/// Parts of the words by which such a box asks.
const CONSENT: [&str; 17] = [
    "datenschutz",
    "dsgvo",
    "einwillig",
    "cookie",
    "privacy",
    "gdpr",
    "personal data",
    "rgpd",
    "confidentialité",
    "données personnelles",
    "datos personales",
    "privacidad",
    "dati personali",
    "persoonsgegevens",
    "integritetspolicy",
    "personvern",
    "danych osobowych",
];
/// Most words of such a box, and most elements between it and its button.
const CONSENT_WORDS: f32 = 130.0;
const CONSENT_LEVELS: usize = 6;
/// Most bytes of an attribute that is read as JSON, and most values in it.
const MAX_JSON: usize = 1 << 16;
const MOST_VALUES: usize = 400;
/// Parts of addresses of services that show no item.
const NO_ITEMS: [&str; 8] =
    ["/channel/", "/user/", "/c/", "/@", "/hashtag/", "/intent/", "/share", "/results?"];
/// A shorter identifier may be part of any address.
const LEAST_IDENTIFIER: usize = 6;
/// An embed that more words than these separate from the story's last text is not the story's.
const WORDS_BEHIND_STORY: f32 = 80.0;
/// A frame of fewer pixels each way shows nothing.
const LEAST_SIZE: u32 = 32;
/// The longest name or value of an attribute that names a service.
const MOST_NAME: usize = 80;
/// Most elements of a quotation that are searched for the link to the post.
const MOST_NODES: usize = 200;

/// The embeds of a story, in page order, each with its element.
///
/// `videos` are the addresses that the markup declares.
pub(super) fn embeds(
    page: &Page,
    runs: &Runs,
    chosen: &[bool],
    place: Place,
    videos: &[String],
) -> Vec<(NodeId, Embed)> {
    let tree = &page.tree;
    let boxes = Boxes::of(page, runs, chosen, place);
    let start = tree.lca(place.story, place.headline);
    let end = tree.subtree_end(place.story).min(end_of_region(tree, runs, place.last));
    let mut found: Vec<(NodeId, Embed)> = Vec::new();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let mut at = start.index();
    while let Some(node) = tree.node_at(at).filter(|node| *node < end && found.len() <= MAX_EMBEDS) {
        at += 1;
        if tree.is_inside(node, &["nav", "footer", "form"]) {
            continue;
        }
        let shown = embed_of(page, node);
        let shown = match &shown {
            Some(embed) if embed.address.is_some() => shown,
            _ => identified(page, node).or(shown),
        };
        let is_declared = shown.is_none();
        let declared = || declared_video(&boxes, node, videos).or_else(|| boxes.empty_player(node));
        let Some(embed) = shown.or_else(declared) else {
            // The box around the button begins before it.
            if let Some((asking, embed)) = boxes.awaiting_consent(node) {
                at = at.max(tree.subtree_end(asking).index());
                found.push((asking, embed));
            }
            continue;
        };
        // A recording of the publisher's own reads the text aloud, and unknown frames around the story are advertisements.
        let is_known = is_declared || embed.provider.as_ref().is_some_and(|provider| !provider.contains('.'));
        let is_framed = || tree.is_inside(node, &["figure"]);
        let is_among = (place.first..place.last).contains(&node);
        if !is_known && !is_framed() && (embed.kind == EmbedKind::Audio || !is_among) {
            continue;
        }
        // What is inside a player or a quotation belongs to it.
        at = tree.subtree_end(node).index();
        let is_new = embed.address.as_ref().is_none_or(|address| seen.insert(without_query(address)));
        if is_new && !is_in_unseen(tree, runs, node) {
            found.push((node, embed));
        }
    }
    found
}

/// Whether readers never see an element. Scripts themselves are seen by what they put in their place.
fn is_in_unseen(tree: &PageTree, runs: &Runs, node: NodeId) -> bool {
    match tree.tag(node) {
        Some("script") => tree.parent(node).is_some_and(|above| runs.shown.is_unseen(above)),
        _ => runs.shown.is_unseen(node),
    }
}

/// The end of the region whose embeds belong to a story with this last text: the run with which the other texts behind it exceed
/// [`WORDS_BEHIND_STORY`].
fn end_of_region(tree: &PageTree, runs: &Runs, last: NodeId) -> NodeId {
    let mut words = 0.0;
    let behind = &runs.runs[runs.runs.partition_point(|run| run.first <= last)..];
    let over = behind.iter().position(|run| {
        words += run.words;
        words > WORDS_BEHIND_STORY
    });
    over.map_or(tree.subtree_end(tree.root()), |over| behind[over].first)
}

fn embed_of(page: &Page, node: NodeId) -> Option<Embed> {
    let tree = &page.tree;
    let tag = tree.tag(node)?;
    let address = |node: NodeId| {
        let mut names = ADDRESSES.iter().filter_map(|name| tree.attr(node, name));
        names.find_map(|reference| followable(page, reference).filter(|address| address.starts_with("http")))
    };
    match tag {
        "iframe" | "embed" | "object" | "amp-iframe" => {
            let address = address(node).or_else(|| followable(page, tree.attr(node, "data")?))?;
            let size = |name| tree.attr(node, name)?.trim().trim_end_matches("px").parse::<u32>().ok();
            let is_dot = ["width", "height"].into_iter().filter_map(size).any(|size| size < LEAST_SIZE);
            let lower = address.to_ascii_lowercase();
            let is_other = is_dot || OTHERS.iter().any(|part| lower.contains(part));
            (!is_other).then(|| of_address(address, EmbedKind::Other))
        }
        "video" | "audio" | "amp-video" | "amp-audio" => {
            let kind = if tag.ends_with("audio") { EmbedKind::Audio } else { EmbedKind::Video };
            let sources = || tree.children(node).filter(|&child| tree.tag(child) == Some("source"));
            let address = address(node).or_else(|| sources().find_map(address))?;
            Some(Embed { kind, ..of_address(address, kind) })
        }
        "amp-youtube" | "lite-youtube" => {
            let video = tree.attr(node, "data-videoid").or_else(|| tree.attr(node, "videoid"))?;
            Some(of_address(format!("https://www.youtube.com/watch?v={video}"), EmbedKind::Video))
        }
        "amp-twitter" => {
            let post = tree.attr(node, "data-tweetid")?;
            Some(of_address(format!("https://twitter.com/i/status/{post}"), EmbedKind::Post))
        }
        "amp-instagram" => {
            let post = tree.attr(node, "data-shortcode")?;
            Some(of_address(format!("https://www.instagram.com/p/{post}/"), EmbedKind::Post))
        }
        "amp-facebook" | "amp-tiktok" => {
            let address = ["data-href", "data-src"].iter().find_map(|name| tree.attr(node, name))?;
            Some(of_address(followable(page, address)?, EmbedKind::Post))
        }
        "script" => {
            if let Some(post) = tree.attr(node, "data-telegram-post") {
                return Some(of_address(followable(page, &format!("https://t.me/{post}"))?, EmbedKind::Post));
            }
            let source = tree.attr(node, "src").filter(|source| source.contains(".dwcdn.net/"))?;
            let chart = source.strip_suffix("embed.js")?;
            Some(of_address(followable(page, chart)?, EmbedKind::Other))
        }
        "blockquote" | "div" => {
            let named = |(name, ..): &&(&str, &str, EmbedKind)| {
                tree.classes(node).any(|class| class.starts_with(name))
            };
            let (_, provider, kind) = POSTS.iter().find(named)?;
            let own =
                ["cite", "data-instgrm-permalink", "data-href", "data-text-post-permalink", "data-embed-url"]
                    .iter()
                    .find_map(|name| followable(page, tree.attr(node, name)?));
            // The last link of a post leads to the post; those before it are in its text.
            let links = tree.descendants(node).take(MOST_NODES).filter(|&link| tree.tag(link) == Some("a"));
            let last = links.filter_map(|link| followable(page, tree.attr(link, "href")?)).next_back();
            Some(Embed { kind: *kind, provider: Some((*provider).to_owned()), address: own.or(last) })
        }
        _ => None,
    }
}

/// What an element shows that names a service and an item of it, in its attributes or in the data there.
fn identified(page: &Page, node: NodeId) -> Option<Embed> {
    let tree = &page.tree;
    let tag = tree.tag(node).filter(|tag| may_be_player(tag))?;
    // The address of an item.
    let address = |value: &str| item_address(page, value);
    let mut own = tree.attrs(node).filter(|(name, _)| name.starts_with("data-"));
    if let Some(embed) = own.find_map(|(_, value)| address(value)) {
        return Some(embed);
    }
    let is_identifier = |name: &str| {
        name != "id"
            && IDENTIFIERS.iter().any(|end| {
                name.len() >= end.len()
                    && name.is_char_boundary(name.len() - end.len())
                    && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
            })
    };
    let data: Vec<(String, String)> = tree.attrs(node).flat_map(|(_, value)| values_in(value)).collect();
    let given = tree.attrs(node).filter(|(name, _)| is_identifier(name)).map(|(_, value)| value.trim());
    let in_data = data.iter().filter(|(name, _)| is_identifier(name)).map(|(_, value)| value.trim());
    let identifiers: Vec<&str> = given.chain(in_data).collect();
    let is_named = |service: &Identified| {
        let of_data = data.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        let mut texts = tree.attrs(node).flat_map(|(name, value)| [name, value]).chain(of_data).chain([tag]);
        texts.any(|text| {
            let lower = if text.len() <= MOST_NAME { text.to_ascii_lowercase() } else { String::new() };
            service.words.iter().any(|word| lower.contains(word))
        })
    };
    let item = |service: &Identified| {
        let item = identifiers.iter().find(|identifier| service.is_item(identifier))?;
        is_named(service).then(|| of_address(format!("{}{item}", service.address), service.kind))
    };
    if let Some(embed) = IDENTIFIED.iter().find_map(item) {
        return Some(embed);
    }
    // Settings of a player; other settings name addresses of other things.
    let is_player = || names_part(tree, node, &["video", "player", "embed"]) && !is_none_of_story(tree, node);
    let mut found = data.iter().filter_map(|(_, value)| address(value));
    let first = found.next().filter(|_| is_player())?;
    found.all(|other| other.address == first.address).then_some(first)
}

/// What an address shows that is one of an item of a service.
fn item_address(page: &Page, value: &str) -> Option<Embed> {
    let value = value.trim();
    let is_address = value.starts_with("http") || value.starts_with("//");
    if !is_address || NO_ITEMS.iter().any(|part| value.contains(part)) {
        return None;
    }
    let embed = of_address(followable(page, value)?, EmbedKind::Other);
    let is_known = embed.provider.as_ref().is_some_and(|provider| !provider.contains('.'));
    let is_shown = matches!(embed.kind, EmbedKind::Video | EmbedKind::Audio);
    let path = value.split_once("://").map_or(value, |(_, rest)| rest).trim_start_matches('/');
    let item = path.split_once('/').map_or("", |(_, item)| item);
    // A name without a number is that of a channel.
    let is_item = item.len() >= LEAST_IDENTIFIER && item.bytes().any(|letter| letter.is_ascii_digit());
    (is_known && is_shown && is_item).then_some(embed)
}

/// The names and values in an attribute that holds a JSON object, at most two levels deep.
fn values_in(text: &str) -> Vec<(String, String)> {
    let text = text.trim();
    if !text.starts_with('{') || text.len() > MAX_JSON {
        return Vec::new();
    }
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |name: &str, value: &Value| match value {
        Value::String(value) => found.push((name.to_owned(), value.clone())),
        Value::Number(value) => found.push((name.to_owned(), value.to_string())),
        _ => {}
    };
    for (name, value) in object.iter().take(MOST_VALUES) {
        add(name, value);
        if let Value::Object(inner) = value {
            inner.iter().take(MOST_VALUES).for_each(|(name, value)| add(name, value));
        }
    }
    found
}

/// Whether a class, the identifier or a property in the style of an element has one of these parts.
fn names_part(tree: &PageTree, node: NodeId, parts: &[&str]) -> bool {
    let names = ["class", "id", "style"].into_iter().filter_map(|name| tree.attr(node, name));
    names.filter(|value| value.len() <= MOST_NAMES).any(|value| {
        let lower = value.to_ascii_lowercase();
        parts.iter().any(|part| lower.contains(part))
    })
}

/// The longest class, identifier or style that is looked at.
const MOST_NAMES: usize = 400;

/// Whether an element, or one close around it, calls itself an advertisement, another story or a reading of the text.
fn is_none_of_story(tree: &PageTree, node: NodeId) -> bool {
    let mut up = std::iter::once(node).chain(tree.ancestors(node).take(PLAYER_LEVELS));
    up.any(|node| names_part(tree, node, &NO_PLAYERS))
}

/// What stands between the story's texts without saying what it shows.
struct Boxes<'a> {
    page: &'a Page,
    runs: &'a Runs,
    chosen: &'a [bool],
    place: Place,
    /// By node: whether it says for itself what it shows, once that was asked. Boxes in boxes ask for the same nodes again and again.
    speaks: Vec<Cell<Option<bool>>>,
}

impl<'a> Boxes<'a> {
    fn of(page: &'a Page, runs: &'a Runs, chosen: &'a [bool], place: Place) -> Boxes<'a> {
        let speaks = page.tree.node_ids().map(|_| Cell::new(None)).collect();
        Boxes { page, runs, chosen, place, speaks }
    }

    /// Whether what is inside an element says for itself what it shows.
    fn hold_embed(&self, node: NodeId) -> bool {
        let speaks = |inside: NodeId| {
            let shows = || embed_of(self.page, inside).or_else(|| identified(self.page, inside)).is_some();
            let Some(known) = self.speaks.get(inside.index()) else { return shows() };
            let answer = known.get().unwrap_or_else(shows);
            known.set(Some(answer));
            answer
        };
        self.page.tree.descendants(node).take(MOST_NODES).filter(|&inside| inside != node).any(speaks)
    }

    /// The words of a box between the story's texts that holds none of them, if they are no more than so many.
    fn words_of_box(&self, node: NodeId, most: f32) -> Option<f32> {
        let tree = &self.page.tree;
        let (first, last) = (self.place.first, self.place.last);
        let is_among = first < node && node < last && !tree.is_ancestor(node, last);
        let inside = self.runs.under(tree, node);
        if !is_among || self.chosen.get(inside.clone())?.contains(&true) {
            return None;
        }
        let mut words = 0.0;
        for run in self.runs.runs.get(inside)? {
            words += run.words;
            if words > most {
                return None;
            }
        }
        Some(words)
    }

    /// A player that a script fills and of which the page shows at most a poster and a title. Its address is that of the link in
    /// its caption, if that bears the player's identifier.
    fn empty_player(&self, node: NodeId) -> Option<Embed> {
        let tree = &self.page.tree;
        let tag = tree.tag(node).filter(|tag| may_be_player(tag))?;
        if tag == "p" || !names_part(tree, node, &PLAYERS) || is_none_of_story(tree, node) {
            return None;
        }
        self.words_of_box(node, PLAYER_WORDS)?;
        // What leads to another page is its teaser.
        let is_link = |node: NodeId| tree.tag(node) == Some("a") && tree.attr(node, "href").is_some();
        let leads = tree.descendants(node).take(MOST_NODES).any(is_link)
            || tree.ancestors(node).take(PLAYER_LEVELS).any(is_link);
        if leads || self.hold_embed(node) {
            return None;
        }
        let figure =
            tree.ancestors(node).take(PLAYER_LEVELS).find(|&above| tree.tag(above) == Some("figure"));
        let captions = figure.into_iter().flat_map(|figure| tree.descendants(figure).take(MOST_NODES));
        let link = captions.filter(|&link| is_link(link)).find_map(|link| {
            let address = followable(self.page, tree.attr(link, "href")?)?;
            let names =
                ["id", "data-id", "data-video-id"].into_iter().filter_map(|name| tree.attr(node, name));
            let mut numbers = names.flat_map(|name| name.split(|letter: char| !letter.is_ascii_digit()));
            numbers.any(|number| number.len() >= LEAST_NUMBER && address.contains(number)).then_some(address)
        });
        let host = self.page.url.host();
        let provider = (host != NO_HOST).then(|| host.trim_start_matches("www.").to_owned());
        Some(Embed { kind: EmbedKind::Video, provider, address: link })
    }

    /// The box around a button that asks whether what a service shows may be loaded.
    fn awaiting_consent(&self, button: NodeId) -> Option<(NodeId, Embed)> {
        let tree = &self.page.tree;
        let is_button = tree.tag(button) == Some("button") || tree.attr(button, "role") == Some("button");
        if !is_button {
            return None;
        }
        for above in tree.ancestors(button).take(CONSENT_LEVELS) {
            let words = self.words_of_box(above, CONSENT_WORDS)?;
            if words == 0.0 {
                continue;
            }
            let text = text_under(self.page, self.runs, above).to_lowercase();
            let mut named = NAMED.iter().filter(|(name, _)| text.contains(name));
            // A box that names several is about the site as a whole.
            let (Some((_, provider)), None) = (named.next(), named.next()) else { continue };
            if !CONSENT.iter().any(|part| text.contains(part)) {
                continue;
            }
            let kind = SERVICES.iter().find(|(_, name, _)| name == provider).map(|(.., kind)| *kind)?;
            return Some((above, Embed { kind, provider: Some((*provider).to_owned()), address: None }));
        }
        None
    }
}

/// Least digits of a number that identifies a player.
const LEAST_NUMBER: usize = 4;

impl Identified {
    /// Whether a text may be an identifier. One of letters has a digit or a capital, which tells it from words.
    fn is_item(&self, text: &str) -> bool {
        let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_');
        let is_telling = |letter: u8| letter.is_ascii_digit() || letter.is_ascii_uppercase();
        self.lengths.contains(&text.len())
            && match self.is_number {
                true => text.bytes().all(|letter| letter.is_ascii_digit()),
                false => text.bytes().all(is_letter) && text.bytes().any(is_telling),
            }
    }
}

/// The declared video that an element is a player for: the one that bears its identifier, or the only one.
fn declared_video(boxes: &Boxes<'_>, node: NodeId, videos: &[String]) -> Option<Embed> {
    let tree = &boxes.page.tree;
    let tag = tree.tag(node).filter(|tag| !videos.is_empty() && may_be_player(tag))?;
    if tag != "video" && (!names_part(tree, node, &PLAYERS) || boxes.hold_embed(node)) {
        return None;
    }
    let identifiers =
        tree.attrs(node).filter(|(name, value)| name.ends_with("id") && value.len() >= LEAST_IDENTIFIER);
    let identified =
        identifiers.flat_map(|(_, value)| videos.iter().find(|video| video.contains(value))).next();
    // An address without a number is that of the player, or of all videos.
    let names_item = |video: &&String| video.bytes().any(|letter| letter.is_ascii_digit());
    let is_only = |first: &&String| videos.iter().all(|video| video == *first);
    let only = || videos.first().filter(is_only).filter(names_item);
    Some(of_address(identified.or_else(only)?.clone(), EmbedKind::Video))
}

/// Whether scripts fill elements of this kind with players.
fn may_be_player(tag: &str) -> bool {
    matches!(tag, "div" | "figure" | "section" | "span" | "p" | "video") || tag.contains('-')
}

/// An embed with the service that its address names.
fn of_address(address: String, otherwise: EmbedKind) -> Embed {
    let host =
        url::Url::parse(&address).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let is_of = |service: &str| host == service || host.ends_with(&format!(".{service}"));
    let service = SERVICES.iter().find(|(service, ..)| is_of(service));
    Embed {
        kind: service.map_or(otherwise, |(.., kind)| *kind),
        provider: Some(service.map_or(host.trim_start_matches("www."), |(_, name, _)| name).to_owned()),
        address: Some(address),
    }
}

fn without_query(address: &str) -> String {
    // Players of one service differ by their query; everybody else's query only sets options.
    let keeps = address.contains("watch?") || address.contains("video?") || address.contains("href=");
    if keeps { address.to_owned() } else { address.split(['?', '#']).next().unwrap_or_default().to_owned() }
}
