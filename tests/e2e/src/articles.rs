//! What exported articles say that follows from their pages alone, so that two ways of mining can be compared.
//!
//! Bodies, and fields that a site's templates or peers had a say in, depend on which of the site's pages were there
//! when they were viewed: the embedded engine views at its end, the services as pages come. What a feed says of an
//! article depends on whether the feed or the page was read first. Events depend on the time.

use std::collections::BTreeMap;

use serde_json::Value;

/// Two exports of the same articles, without what does not follow from their pages alone. An article that is in one of
/// them only stays as it is.
pub fn of_pages(one: &str, other: &str) -> (Vec<Value>, Vec<Value>) {
    let (mut one, mut other) = (articles(one), articles(other));
    let url = |article: &Value| article["url"].to_string();
    let mut others: BTreeMap<String, &mut Value> =
        other.iter_mut().map(|article| (url(article), article)).collect();
    for article in &mut one {
        let Some(same) = others.get_mut(&url(article)) else { continue };
        for field in [of_site(article), of_site(same)].concat() {
            [&mut *article, &mut **same].into_iter().for_each(|article| leave_out(article, &field));
        }
    }
    (one, other)
}

/// The articles without their bodies and the evidence for these, their places and concepts, and what happened when.
fn articles(lines: &str) -> Vec<Value> {
    let of = |line: &str| {
        let mut article: Value = serde_json::from_str(line).unwrap();
        let body = article.as_object_mut().unwrap().remove("body").unwrap();
        assert!(!body.as_array().unwrap().is_empty(), "{line}");
        article["evidence"].as_object_mut().unwrap().remove("body");
        // The scheme of the site gives places, and these give codes and concepts.
        for key in ["places", "codes", "concepts", "filed"] {
            assert!(article.as_object_mut().unwrap().remove(key).is_some(), "{key}: {line}");
        }
        for key in ["event", "version", "changed", "first_seen", "fetched_at"] {
            assert!(article.as_object_mut().unwrap().remove(key).is_some(), "{key}: {line}");
        }
        article
    };
    lines.lines().map(of).collect()
}

/// The fields that an article's site or its feed had a say in.
fn of_site(article: &Value) -> Vec<String> {
    let is_of_site =
        |witness: &str| ["siblings", "site", "feed"].contains(&witness) || witness.starts_with("template ");
    let evidence = article["evidence"].as_object().unwrap().iter();
    let of_site = evidence.filter(|(_, said)| is_of_site(said["witness"].as_str().unwrap()));
    of_site.map(|(field, _)| field.clone()).collect()
}

fn leave_out(article: &mut Value, field: &str) {
    article["evidence"].as_object_mut().unwrap().remove(field);
    article.as_object_mut().unwrap().remove(field);
}
