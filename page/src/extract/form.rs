//! Articles that are not plain texts: live blogs, galleries, videos, and texts cut off by a paywall.
//!
//! The markup names the form and the text must confirm it: a long article with a video is still an article.

use super::finding::Finding;
use super::json_ld::{Objects, is_a};

/// A text of fewer words accompanies its video, or is the open part of a longer one.
const SHORT: f32 = 150.0;
/// A gallery has fewer words per picture, and at least this many pictures.
const WORDS_A_PICTURE: f32 = 50.0;
const LEAST_PICTURES: usize = 6;

/// The form of the article according to the markup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Forms {
    is_live: bool,
    is_gallery: bool,
    has_video: bool,
    /// The text is not free.
    is_paywalled: bool,
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
            is_paywalled: closed.is_some_and(is_closed),
        }
    }

    /// The form of an article with this many words and pictures; `None` for a plain text.
    pub(super) fn confirmed_by(self, words: f32, pictures: usize) -> Option<Finding<&'static str>> {
        let is_short = words < SHORT;
        let has_pictures = pictures >= LEAST_PICTURES && words < WORDS_A_PICTURE * pictures as f32;
        let found = |value| Some(Finding { value, witness: value, confidence: 0.8 });
        match self {
            Forms { is_live: true, .. } => found("live-blog"),
            Forms { is_gallery: true, .. } if has_pictures || is_short => found("gallery"),
            Forms { has_video: true, .. } if is_short => found("video"),
            Forms { is_paywalled: true, .. } if is_short => found("stub"),
            _ => None,
        }
    }
}
