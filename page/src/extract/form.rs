//! Articles that are more or less than a text: live blogs, galleries, videos, and texts cut off by a wall.
//!
//! Markup says so, and the text must bear it out: a long article with a video in it is an article.

use super::json_ld::{Objects, is_a};
use super::metadata::Finding;

/// A text of fewer words goes with its video, or is the open part of a longer one.
const SHORT: f32 = 150.0;
/// Words a picture in a gallery, and how many pictures make one.
const WORDS_A_PICTURE: f32 = 50.0;
const LEAST_PICTURES: usize = 6;

/// What the markup says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Forms {
    is_live: bool,
    is_gallery: bool,
    has_video: bool,
    /// The text is not accessible for free.
    is_walled: bool,
}

impl Forms {
    pub(super) fn new(objects: &Objects, og_type: Option<&str>) -> Forms {
        let any = |kinds: &[&str]| objects.all().any(|object| is_a(object, |kind| kinds.contains(&kind)));
        let og_type = og_type.unwrap_or_default().to_ascii_lowercase();
        let is_closed = |value: &serde_json::Value| match value {
            serde_json::Value::Bool(is_free) => !is_free,
            other => other.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case("false")),
        };
        let closed = objects.articles().find_map(|object| object.get("isAccessibleForFree"));
        Forms {
            is_live: any(&["LiveBlogPosting"])
                || objects.all().any(|object| object.contains_key("liveBlogUpdate")),
            is_gallery: any(&["ImageGallery", "MediaGallery"]) || og_type.contains("gallery"),
            has_video: any(&["VideoObject"]) || og_type.starts_with("video"),
            is_walled: closed.is_some_and(is_closed),
        }
    }

    /// The form of an article of so many words and pictures; `None` for a plain text.
    pub(super) fn named(self, words: f32, pictures: usize) -> Option<Finding<&'static str>> {
        let is_short = words < SHORT;
        let is_shown = pictures >= LEAST_PICTURES && words < WORDS_A_PICTURE * pictures as f32;
        let found = |value| Some(Finding { value, witness: value, confidence: 0.8 });
        match self {
            Forms { is_live: true, .. } => found("live-blog"),
            Forms { is_gallery: true, .. } if is_shown || is_short => found("gallery"),
            Forms { has_video: true, .. } if is_short => found("video"),
            Forms { is_walled: true, .. } if is_short => found("stub"),
            _ => None,
        }
    }
}
