//! What a site serves to machines: robots.txt, sitemaps and the feed. In worlds with faults also a PDF, invalid text
//! and an endless calendar.

use crate::book::{Kind, SiteBook, url};
use crate::reply::Reply;
use crate::view::esc;

/// Allows all but the private pages, the search and the calendar.
pub(crate) fn robots(book: &SiteBook) -> Reply {
    let delay = if book.plan.crawl_delay { "Crawl-delay: 0.2\n" } else { "" };
    let text = format!(
        "User-agent: *\nDisallow: /private/\nDisallow: /search\nDisallow: /calendar/\n{delay}\n\
         Sitemap: http://{}/sitemap.xml\n",
        book.plan.host
    );
    Reply::ok("text/plain", text.into_bytes())
}

pub(crate) fn sitemap(book: &SiteBook) -> Reply {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for (place, kind) in &book.register {
        let date = match kind {
            Kind::Home | Kind::Section(_, 1) => String::new(),
            Kind::Story(s) => format!("<lastmod>{}</lastmod>", book.stories[*s].published.rfc3339()),
            _ => continue,
        };
        text.push_str(&format!("<url><loc>{}</loc>{date}</url>\n", esc(&url(place))));
    }
    text.push_str("</urlset>\n");
    Reply::ok("application/xml", text.into_bytes())
}

pub(crate) fn sitemap_index(book: &SiteBook) -> Reply {
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
         <sitemap><loc>http://{}/sitemap-1.xml</loc></sitemap>\n</sitemapindex>\n",
        book.plan.host
    );
    Reply::ok("application/xml", text.into_bytes())
}

/// RSS 2.0 with the twenty newest stories.
pub(crate) fn feed(book: &SiteBook) -> Reply {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">\n<channel>\n<title>{}</title>\n\
         <link>{}</link>\n<language>{}</language>\n",
        esc(&book.plan.name),
        book.home(),
        book.plan.language.code()
    );
    for story in book.newest((0..book.stories.len()).collect()).into_iter().take(20) {
        let story = &book.stories[story];
        let address = esc(&url(&story.place));
        text.push_str(&format!(
            "<item><title>{}</title><link>{address}</link><guid>{address}</guid><pubDate>{}</pubDate>\
             <description>{}</description></item>\n",
            esc(&story.title),
            story.published.http(),
            esc(&story.teaser)
        ));
    }
    text.push_str("</channel>\n</rss>\n");
    Reply::ok("application/rss+xml", text.into_bytes())
}

pub(crate) fn pdf() -> Reply {
    let body =
        b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
    Reply::ok("application/pdf", body.to_vec())
}

/// Declared as UTF-8 but invalid: lone continuation bytes, a cut sequence, an overlong one, a NUL.
pub(crate) fn broken_text() -> Reply {
    let mut body = b"<html><head><title>Broken".to_vec();
    body.extend_from_slice(
        b"\x80\xbf</title></head><body><h1>Caf\xc3</h1><p>Half a char\xe2\x82 and \xc0\xaf",
    );
    body.extend_from_slice(b" and \x00 the rest of the sentence.</p></body></html>");
    Reply::ok("text/html; charset=utf-8", body)
}

/// `/calendar/YEAR/MONTH`: every month links to the next one, without end.
pub(crate) fn calendar(book: &SiteBook, path: &str) -> Option<Reply> {
    let mut parts = path.strip_prefix("/calendar/")?.split('/');
    let year: u32 = parts.next()?.parse().ok().filter(|y| *y < 1_000_000)?;
    let month: u32 = parts.next()?.parse().ok().filter(|m| (1..=12).contains(m))?;
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let text = format!(
        "<html><head><title>{year}/{month}</title></head><body><h1>{year}/{month}</h1>\
         <p><a href=\"/calendar/{next_year}/{next_month}\">{next_year}/{next_month}</a></p></body></html>"
    );
    Some(Reply::ok(book.plan.charset.content_type(), text.into_bytes()))
}
