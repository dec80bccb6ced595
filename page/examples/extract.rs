//! Extracts one page: title, date, authors and text of its article, and its hierarchy as XML.
//!
//!     cargo run -p newslode-page --example extract                                        # a small page
//!     cargo run -p newslode-page --example extract page.html https://www.example.com/story
//!
//! Without a URL, the page is read as if it came from `https://file.invalid/`. The library reads no file and no clock, so
//! the example does both.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "an example reads a file and the clock, and talks to its user"
)]

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use newslode_page::hierarchy::xml;
use newslode_page::neutral::for_terminal;
use newslode_page::{CanonicalUrl, Params, Timestamp, analyse};

const SMALL_PAGE: &str = "<html lang=en><title>Rain ends the drought - The Herald</title>
<meta property=og:type content=article><meta name=author content='Ada Lane'>
<meta property=article:published_time content=2024-05-02T08:00:00Z>
<ul><li><a href=/>Home</a><li><a href=/sport>Sport</a></ul>
<h1>Rain ends the drought</h1>
<p>By Ada Lane, May 2, 2024
<p>After eleven dry weeks it rained over the valley on Thursday, and the farmers came out of their houses to watch it fall.
<h2>Gardens</h2>
<p>The reservoir above the town rose by a hand's breadth before noon, the water board said, and the ban on watering
gardens ends today.";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (file, url) = (arguments.next(), arguments.next());
    let html = match &file {
        Some(file) => std::fs::read(file).map_err(|error| format!("cannot read `{file}`: {error}"))?,
        None => SMALL_PAGE.into(),
    };
    // The URL tells a front page from a story, and completes links.
    let url = url.as_deref().unwrap_or("https://file.invalid/page");
    let url: CanonicalUrl =
        url.parse().map_err(|error| format!("`{url}` is not the URL of a page: {error}"))?;
    // No date of the article may be later than the fetch.
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let fetched_at = Timestamp(u64::try_from(now.as_millis())?);

    let found = analyse(&url, Some("text/html"), &html, fetched_at, &Params::default());

    match &found.article {
        Some(article) => {
            // A page may hold characters that steer a terminal.
            let or_unknown = |field: &Option<String>| match field {
                Some(text) => for_terminal(text).into_owned(),
                None => "unknown".into(),
            };
            println!("title:     {}", or_unknown(&article.title));
            println!("published: {}", or_unknown(&article.published));
            println!("authors:   {}", for_terminal(&article.authors.join(", ")));
            // Each field says where it was found, and how far to trust it.
            for (field, evidence) in &article.evidence {
                println!("evidence:  {field} from {} ({})", evidence.witness, evidence.confidence);
            }
            println!("\n{}", for_terminal(&article.text()));
        }
        None => println!("The page is not an article."),
    }
    println!("\n{}", for_terminal(&xml::write(&found.hierarchy)));
    // A page never fails as a whole: where it met a limit, the result is coarser and names the limit.
    if !found.notes.coarse.is_empty() {
        println!("limits that were met: {}", found.notes.coarse.join(", "));
    }
    Ok(())
}
