//! Sites that write markup and script into whatever a page can say: names of sections, headlines, authors, texts, addresses.

use newslode_newsworld::{Content, Reply, World};

const SCRIPT: &str = "<script>alert(1)</script>";
const IMAGE: &str = "\"><img src=x onerror=alert(1)>";

/// A world, and two sites that attack whoever shows them.
pub(crate) struct Attacked(pub(crate) World);

impl Content for Attacked {
    fn respond(&self, host: &str, path: &str) -> Reply {
        if !host.ends_with("attack.test") {
            return self.0.respond(host, path);
        }
        let text = |body: String| Reply::ok("text/html; charset=utf-8", body.into_bytes());
        match path.trim_matches('/').split('/').collect::<Vec<_>>().as_slice() {
            [""] => text(listing("Front", &["rain", "snow", "wind"], true)),
            ["rain"] | ["snow"] | ["wind"] => text(listing(path, &[path.trim_matches('/')], true)),
            [section, story] if story.starts_with("story") => text(story_page(host, section, story)),
            _ => Reply::not_found(),
        }
    }
}

/// A text in HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// A page that links sections with hostile names, and stories.
fn listing(title: &str, sections: &[&str], has_menu: bool) -> String {
    let mut page = format!("<title>{}</title><h1>{}</h1>", escaped(SCRIPT), escaped(title));
    if has_menu {
        let item = |name: &&str| format!("<li><a href=/{name}/>{name} {}</a></li>", escaped(IMAGE));
        let menu: String = ["rain", "snow", "wind"].iter().map(item).collect();
        page.push_str(&format!("<nav><ul>{menu}</ul></nav>"));
    }
    for section in sections {
        page.push_str(&format!("<h2>{section}</h2>"));
        for number in 0..6 {
            page.push_str(&format!(
                "<div><h3><a href=/{section}/story{number}.html>A long headline of {section} number {number}</a></h3>\
                 <p>It is about {section}.</p></div>"
            ));
        }
    }
    page.push_str("<a href=\"javascript:alert(1)\">javascript:alert(1)</a>");
    page
}

/// An article that attacks in each of its fields. Its headline is its site's own: sites with the same stories count as one.
fn story_page(host: &str, section: &str, story: &str) -> String {
    let linked = serde_json::json!({
        "@type": "NewsArticle",
        "headline": format!("{IMAGE} Headline {section} {story} of {host}"),
        "author": [{ "@type": "Person", "name": format!("{SCRIPT} Ann Author") }],
        "articleSection": format!("{section} {IMAGE}"),
        "image": "javascript:alert(1)",
        "datePublished": "2026-11-0<script>",
        "inLanguage": "en\"><script>alert(1)</script>",
    });
    let words = "umbrella puddle thunder window garden river".repeat(6);
    let body: String = (0..6)
        .map(|number| {
            format!(
                "<p>{} {} On {host} {section} {story} paragraph {number}: {words}.</p>",
                escaped(SCRIPT),
                escaped(IMAGE)
            )
        })
        .collect();
    format!(
        "<html lang='\"><script>'><title>{title}</title>\
         <script type=application/ld+json>{linked}</script>\
         <meta property=og:image content='javascript:alert(1)'><meta property=og:type content=article>\
         <link rel=canonical href='javascript:alert(1)'>\
         <h1>{title}</h1><article>{body}</article><a href='javascript:alert(1)'>more {title}</a>",
        title = escaped(&format!("{SCRIPT}{IMAGE} {section} {story} of {host}")),
        linked = linked.to_string().replace("</", "<\\/"),
    )
}
