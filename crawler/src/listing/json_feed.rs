//! JSON Feed.
//!
//! The items are taken one by one while the text is read, so a feed that breaks off gives those before. Fields
//! of an unexpected type count as absent. Recursion is bounded by the parser (128 levels).

use std::fmt;
use std::io::Read;

use newslode_common::schedule::FeedHints;
use newslode_page::CanonicalUrl;
use newslode_page::reading::listed::MAX_HTML;
use newslode_page::reading::resolve;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use url::Url;

use super::collect::{Collector, ItemDraft, is_like_address, plain_title};
use super::walk::{KEPT_TEXT, first_bytes};

const URL: u8 = 0;
const EXTERNAL_URL: u8 = 1;
const ID: u8 = 2;

/// What is read of an item as text, and as names.
const TEXTS: [&str; 12] = [
    "url",
    "external_url",
    "id",
    "title",
    "date_published",
    "date_modified",
    "summary",
    "content_html",
    "content_text",
    "image",
    "banner_image",
    "language",
];
const NAMES: [&str; 3] = ["authors", "author", "tags"];
/// Names of a list after these are passed over.
const MOST_NAMES: usize = 64;

/// How the reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonFeedEnd {
    /// All was read.
    Whole,
    /// The text breaks off, or is no JSON from some place on.
    Cut,
    /// JSON without the version of a JSON Feed.
    Other,
}

/// Reads the items of a JSON Feed, and the hubs that it names.
pub(super) fn read_json_feed(
    text: impl Read,
    url: &CanonicalUrl,
    found: &mut Collector<'_>,
    hints: &mut FeedHints,
) -> JsonFeedEnd {
    let (mut is_feed, base) = (false, url.to_url());
    let mut json = serde_json::Deserializer::from_reader(text);
    let read = FeedSeed { base: &base, found, hints, is_feed: &mut is_feed }.deserialize(&mut json);
    match (is_feed, read) {
        (false, _) => JsonFeedEnd::Other,
        (true, Ok(())) => JsonFeedEnd::Whole,
        (true, Err(_)) => JsonFeedEnd::Cut,
    }
}

/// The feed.
struct FeedSeed<'a, 'b> {
    base: &'a Url,
    found: &'a mut Collector<'b>,
    hints: &'a mut FeedHints,
    is_feed: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for FeedSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FeedSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON Feed")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(TextSeed(KEPT_TEXT))? {
            match key.as_deref() {
                Some("version") => {
                    let version = map.next_value_seed(TextSeed(KEPT_TEXT))?.unwrap_or_default();
                    *self.is_feed |= version.contains("jsonfeed.org/version/");
                }
                Some("hubs") => {
                    let mut hubs = Vec::new();
                    map.next_value_seed(NamesSeed { key: "url", names: &mut hubs })?;
                    let hubs = hubs.iter().filter_map(|hub| resolve(self.base, hub));
                    hubs.for_each(|hub| self.hints.add_hub(hub));
                }
                Some("items") => {
                    map.next_value_seed(ItemsSeed { base: self.base, found: &mut *self.found })?
                }
                _ => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(())
    }
}

/// The items of a feed.
struct ItemsSeed<'a, 'b> {
    base: &'a Url,
    found: &'a mut Collector<'b>,
}

impl<'de> DeserializeSeed<'de> for ItemsSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ItemsSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the items of a JSON Feed")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(ItemSeed { base: self.base, found: &mut *self.found })?.is_some() {}
        Ok(())
    }
}

/// An item of a feed.
struct ItemSeed<'a, 'b> {
    base: &'a Url,
    found: &'a mut Collector<'b>,
}

impl<'de> DeserializeSeed<'de> for ItemSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ItemSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an item of a JSON Feed")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (base, found, mut draft) = (self.base, self.found, ItemDraft::default());
        while let Some(key) = map.next_key_seed(TextSeed(KEPT_TEXT))? {
            let key = key.as_deref().unwrap_or_default();
            if NAMES.contains(&key) {
                let mut names = Vec::new();
                map.next_value_seed(NamesSeed { key: "name", names: &mut names })?;
                match key {
                    "tags" => names.iter().for_each(|name| draft.add_keywords(name)),
                    _ => names.iter().for_each(|name| draft.add_author(name)),
                }
                continue;
            }
            if !TEXTS.contains(&key) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let limit = if key.starts_with("content_") { MAX_HTML + 1 } else { KEPT_TEXT };
            let value = map.next_value_seed(TextSeed(limit))?.unwrap_or_default();
            match key {
                "url" => found.link(&mut draft, URL, base, &value),
                "external_url" => found.link(&mut draft, EXTERNAL_URL, base, &value),
                "id" if is_like_address(&value) => found.link(&mut draft, ID, base, &value),
                "title" => draft.add_title(0, plain_title(&value, false)),
                "date_published" => draft.add_published(0, found.date(&value)),
                "date_modified" => draft.modified = found.date(&value),
                "summary" => draft.add_summary(&value),
                "content_html" => draft.add_full_text(&value),
                "content_text" => draft.add_plain_text(&value),
                "image" | "banner_image" => draft.add_picture(base, &value),
                "language" => draft.add_language(&value),
                _ => {}
            }
        }
        found.take(draft);
        Ok(())
    }
}

/// The names in a list, or of one person: texts, and what each object has under a key.
struct NamesSeed<'a> {
    key: &'static str,
    names: &'a mut Vec<String>,
}

impl NamesSeed<'_> {
    fn again(&mut self) -> NamesSeed<'_> {
        NamesSeed { key: self.key, names: &mut *self.names }
    }
}

impl<'de> DeserializeSeed<'de> for NamesSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NamesSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("names")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if self.names.len() < MOST_NAMES {
            self.names.push(first_bytes(text, KEPT_TEXT).to_owned());
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self.again())?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(TextSeed(KEPT_TEXT))? {
            match key.as_deref() {
                Some(key) if key == self.key => map.next_value_seed(self.again())?,
                _ => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(())
    }
}

/// A text, cut to this number of bytes; `None` for anything else.
struct TextSeed(usize);

impl<'de> DeserializeSeed<'de> for TextSeed {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextSeed {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(first_bytes(text, self.0).to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}
