//! An article as JSON-LD: a schema.org `NewsArticle` with its context inline, so that no reader has to fetch one.
//!
//! Properties that the exported ontology also has are written so that both give the same triples.

use serde_json::{Map, Value, json};

use crate::article::{Access, Article, Picture};

/// The article as one line of JSON-LD.
#[must_use]
pub fn json_ld(article: &Article) -> String {
    let mut object = Map::new();
    let mut add = |key: &str, value: Value| {
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            object.insert(key.to_owned(), value);
        }
    };
    add("@context", json!({"@vocab": "https://schema.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"}));
    add("@id", json!(article.url));
    add("@type", json!("NewsArticle"));
    let language = article.language.as_deref();
    let tagged = |text: &String| match language {
        Some(language) => json!({"@value": text, "@language": language}),
        None => json!(text),
    };
    add("headline", article.title.as_ref().map(tagged).into());
    for (key, date) in [("datePublished", &article.published), ("dateModified", &article.modified)] {
        add(key, date.as_ref().map(|date| dated(date)).into());
    }
    add("author", json!(article.authors));
    add("inLanguage", json!(language));
    add("articleSection", article.section.as_ref().map(tagged).into());
    add("description", article.description.as_ref().map(tagged).into());
    add("keywords", json!(article.keywords));
    let publisher = article.publisher.as_ref().map(|name| json!({"@type": "Organization", "name": name}));
    add("publisher", publisher.into());
    add("license", json!(article.licence));
    add("isAccessibleForFree", article.access.map(|access| json!(access == Access::Free)).into());
    let shown = article.body.iter().filter_map(|block| block.picture.as_ref());
    let lead = article.lead.as_ref();
    let others = shown.filter(|picture| lead.is_none_or(|lead| lead.address != picture.address));
    add("image", lead.into_iter().chain(others).map(picture).collect());
    add("articleBody", Some(article.text()).filter(|text| !text.is_empty()).map(|text| tagged(&text)).into());
    // A value of maps of texts and numbers is always JSON.
    let mut text = Value::Object(object).to_string();
    text.push('\n');
    text
}

fn picture(picture: &Picture) -> Value {
    let mut object = Map::new();
    let texts = [("caption", &picture.caption), ("creditText", &picture.credit)];
    object.insert("@type".to_owned(), json!("ImageObject"));
    object.insert("contentUrl".to_owned(), json!(picture.address));
    object.extend(texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), json!(text.as_ref()?)))));
    let sizes = [("width", picture.width), ("height", picture.height)];
    object.extend(sizes.into_iter().filter_map(|(key, size)| Some((key.to_owned(), json!(size?)))));
    Value::Object(object)
}

/// A date with its type, if XML Schema knows it in this form.
fn dated(date: &str) -> Value {
    match date_type(date) {
        Some(kind) => json!({"@value": date, "@type": format!("xsd:{kind}")}),
        None => json!(date),
    }
}

/// The type of XML Schema that a date of an article has: `date`, `dateTime`, or none.
#[must_use]
pub fn date_type(date: &str) -> Option<&'static str> {
    let digits = |text: &str, form: &str| {
        let is_like =
            |(byte, form): (u8, u8)| if form == b'0' { byte.is_ascii_digit() } else { byte == form };
        text.len() == form.len() && text.bytes().zip(form.bytes()).all(is_like)
    };
    let (day, rest) = date.split_at_checked(10).unwrap_or((date, ""));
    let is_zone =
        |rest: &str| rest.is_empty() || rest == "Z" || digits(rest, "+00:00") || digits(rest, "-00:00");
    let time = rest.strip_prefix('T').and_then(|time| time.split_at_checked(8));
    match time {
        _ if !digits(day, "0000-00-00") => None,
        None => rest.is_empty().then_some("date"),
        Some((time, zone)) => (digits(time, "00:00:00") && is_zone(zone)).then_some("dateTime"),
    }
}
