//! What other services show inside a story: posts, videos, recordings, charts.
//!
//! Frames and players stand for themselves; posts come as a quotation that a script replaces, so the link in it is the post.
//! Frames of advertisers, trackers, comment systems and sharing buttons are none of the story.

use std::ops::RangeInclusive;

use rustc_hash::FxHashSet;

use super::place::{Place, followable};
use crate::Page;
use crate::article::{Embed, EmbedKind, MAX_EMBEDS};
use crate::extract::runs::Runs;
use crate::reading::{NodeId, PageTree};

/// Hosts of services, their names, and what they show.
const SERVICES: [(&str, &str, EmbedKind); 34] = [
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
const POSTS: [(&str, &str, EmbedKind); 9] = [
    ("twitter-tweet", "x", EmbedKind::Post),
    ("twitter-video", "x", EmbedKind::Post),
    ("instagram-media", "instagram", EmbedKind::Post),
    ("tiktok-embed", "tiktok", EmbedKind::Video),
    ("bluesky-embed", "bluesky", EmbedKind::Post),
    ("reddit-embed", "reddit", EmbedKind::Post),
    ("text-post-media", "threads", EmbedKind::Post),
    ("fb-post", "facebook", EmbedKind::Post),
    ("fb-video", "facebook", EmbedKind::Video),
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
/// Parts of the classes of players that a script fills with a video of the publisher's own.
const PLAYERS: [&str; 6] =
    ["video-player", "videoplayer", "video_player", "videoembed", "video-embed", "video_embed"];
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
pub(super) fn embeds(page: &Page, runs: &Runs, place: Place, videos: &[String]) -> Vec<(NodeId, Embed)> {
    let tree = &page.tree;
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
            _ => identified(tree, node).or(shown),
        };
        let is_declared = shown.is_none();
        let Some(embed) = shown.or_else(|| declared_video(tree, node, videos)) else { continue };
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
        if is_new && !runs.shown.is_unseen(node) {
            found.push((node, embed));
        }
    }
    found
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
        "blockquote" | "div" => {
            let named = |(name, ..): &&(&str, &str, EmbedKind)| {
                tree.classes(node).any(|class| class.starts_with(name))
            };
            let (_, provider, kind) = POSTS.iter().find(named)?;
            let own = ["cite", "data-instgrm-permalink", "data-href", "data-text-post-permalink"]
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

/// What an element shows that names a service and an item of it.
fn identified(tree: &PageTree, node: NodeId) -> Option<Embed> {
    let tag = tree.tag(node).filter(|tag| may_be_player(tag))?;
    let is_identifier = |name: &str| name != "id" && IDENTIFIERS.iter().any(|end| name.ends_with(end));
    let identifiers: Vec<&str> =
        tree.attrs(node).filter(|(name, _)| is_identifier(name)).map(|(_, value)| value.trim()).collect();
    if identifiers.is_empty() {
        return None;
    }
    let is_named = |service: &Identified| {
        let mut texts = tree.attrs(node).flat_map(|(name, value)| [name, value]).chain([tag]);
        texts.any(|text| {
            let lower = if text.len() <= MOST_NAME { text.to_ascii_lowercase() } else { String::new() };
            service.words.iter().any(|word| lower.contains(word))
        })
    };
    IDENTIFIED.iter().filter(|service| is_named(service)).find_map(|service| {
        let item = identifiers.iter().find(|identifier| service.is_item(identifier))?;
        Some(of_address(format!("{}{item}", service.address), service.kind))
    })
}

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
fn declared_video(tree: &PageTree, node: NodeId, videos: &[String]) -> Option<Embed> {
    let tag = tree.tag(node).filter(|tag| !videos.is_empty() && may_be_player(tag))?;
    let is_player = || {
        tree.classes(node).any(|class| {
            let class = class.to_ascii_lowercase();
            PLAYERS.iter().any(|part| class.contains(part))
        })
    };
    if tag != "video" && !is_player() {
        return None;
    }
    let identifiers =
        tree.attrs(node).filter(|(name, value)| name.ends_with("id") && value.len() >= LEAST_IDENTIFIER);
    let identified =
        identifiers.flat_map(|(_, value)| videos.iter().find(|video| video.contains(value))).next();
    let only = || videos.first().filter(|first| videos.iter().all(|video| video == *first));
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
