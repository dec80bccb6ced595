//! Made articles and concepts for tests.

#![allow(clippy::unwrap_used, reason = "compiled for tests alone, which say what broke by panicking")]

use std::collections::BTreeMap;

use newslode_page::article::{Article, PageKind};
use newslode_page::reading::CanonicalUrl;

use crate::mining::taxonomy::{Concept, Form};

/// An article in English of which nothing is known but its address.
pub(crate) fn article(url: &str) -> Article {
    Article {
        url: url.into(),
        site: url.parse::<CanonicalUrl>().unwrap().site().as_str().into(),
        title: None,
        authors: Vec::new(),
        published: None,
        modified: None,
        place: None,
        section: None,
        concepts: Vec::new(),
        language: Some("en".into()),
        body: Vec::new(),
        image: None,
        kind: PageKind::Article,
        method: "test".into(),
        evidence: BTreeMap::new(),
        listed: None,
        ..Article::default()
    }
}

/// A concept in English that two sites write in one form.
pub(crate) fn concept(key: &str, label: &str, parents: &[&str]) -> Concept {
    Concept {
        key: key.into(),
        keys: vec![key.into()],
        label: label.into(),
        forms: vec![form(label)],
        language: "en".into(),
        sites: Vec::new(),
        score: 0.5,
        is_genre: false,
        parents: parents.iter().map(|key| (*key).into()).collect(),
        parent: None,
        edited: Vec::new(),
        aligned: Vec::new(),
    }
}

/// A form that two sites write.
pub(crate) fn form(text: &str) -> Form {
    Form { text: text.into(), sites: 2, pages: 3 }
}
