//! A minimal HTML reader for the tests: text without tags, and targets of links. Independent of the templates.

use newslode_newsworld::Reply;

/// The text of a page without tags, scripts and styles, squeezed.
pub(crate) fn text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let raw = ["script", "style"]
            .iter()
            .find(|name| rest.get(1..=name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name)));
        let mark = raw.map_or_else(|| ">".to_owned(), |name| format!("</{name}>"));
        let end = rest.find(&mark).map_or(rest.len(), |i| i + mark.len());
        rest = &rest[end..];
    }
    out.push_str(rest);
    squeeze(&entities(&out))
}

/// Replaces each run of white space by one space.
pub(crate) fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn entities(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        let (name, after) = rest[start + 1..].split_once(';').unwrap_or((&rest[start + 1..], ""));
        match name {
            "amp" => out.push('&'),
            "lt" => out.push('<'),
            "gt" => out.push('>'),
            "quot" => out.push('"'),
            "nbsp" => out.push(' '),
            _ => out.extend(name.strip_prefix('#').and_then(|n| n.parse().ok()).and_then(char::from_u32)),
        }
        rest = after;
    }
    out + rest
}

/// Link targets of a page at `base`, without fragments.
pub(crate) fn links(base: &str, html: &str) -> Vec<String> {
    let base = url::Url::parse(base).unwrap();
    let mut out = Vec::new();
    for tag in html.split('<').filter(|t| t.starts_with("a ") || t.starts_with("A ")) {
        let tag = &tag[..tag.find('>').unwrap_or(tag.len())];
        let Some((_, value)) = tag.split_once("href=") else { continue };
        let href = match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap(),
            None => value.split(' ').next().unwrap(),
        };
        let mut url = base.join(&entities(href)).unwrap();
        url.set_fragment(None);
        out.push(url.into());
    }
    out
}

/// Host of an address, and its path with the query.
pub(crate) fn place(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let at = rest.find('/').unwrap();
    (rest[..at].to_owned(), rest[at..].to_owned())
}

/// Whether a reply is an HTML page.
pub(crate) fn is_html(reply: &Reply) -> bool {
    reply.status == 200 && reply.header("content-type").is_some_and(|t| t.starts_with("text/html"))
}
