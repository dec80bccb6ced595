//! Fields that a page shows near its headline but not in its markup: a date, a byline.
//!
//! These are the last witnesses. The order for dates: keys of scripts that name a publication, the URL's path,
//! the title, a short text near the headline, any later short text. For authors: links to an author's page, a
//! text that begins with "By". "Near" means within some runs; runs close after the headline come first.

use crate::reading::NodeId;
use crate::time::Timestamp;

use super::authors::{self, Site};
use super::dates;
use super::metadata::Finding;
use super::runs::Runs;
use super::scripts;
use crate::Page;

/// How many runs after and before the headline are near, and how many on both sides are nearest.
const BEHIND: usize = 25;
const BEFORE: usize = 10;
const NEAREST: usize = 5;
/// Most words of a date or byline.
const MOST_WORDS: f32 = 16.0;
/// Path segments before the name of an author.
const AUTHOR_PATHS: [&str; 22] = [
    "author",
    "authors",
    "autor",
    "autoren",
    "autores",
    "autore",
    "auteur",
    "auteurs",
    "people",
    "person",
    "staff",
    "contributor",
    "contributors",
    "profile",
    "profiles",
    "writer",
    "writers",
    "reporter",
    "reporters",
    "byline",
    "columnist",
    "columnists",
];

/// A page and the run of its headline.
pub(super) struct Visible<'a> {
    page: &'a Page,
    runs: &'a Runs,
    headline: usize,
}

impl<'a> Visible<'a> {
    pub(super) fn new(page: &'a Page, runs: &'a Runs, title: Option<&str>) -> Visible<'a> {
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let wanted = title.map(letters).filter(|title| !title.is_empty());
        let is_in_h1 = |node: NodeId| super::metadata::is_inside(&page.tree, node, &["h1"]);
        let is_title = |text: &str| wanted.as_ref().is_some_and(|title| letters(text) == *title);
        let of_h1 = runs.runs.iter().position(|run| is_in_h1(run.block) && is_title(&run.text));
        let headline = of_h1.or_else(|| runs.runs.iter().position(|run| is_title(&run.text)));
        let headline = headline.or_else(|| runs.runs.iter().position(|run| is_in_h1(run.block))).unwrap_or(0);
        Visible { page, runs, headline }
    }

    /// The numbers of the runs near the headline: the nearest after it, the nearest before it, then those
    /// further away.
    fn near(&self) -> impl Iterator<Item = usize> + use<> {
        let behind = |count: usize| (self.headline + count).min(self.runs.runs.len());
        let before = |count: usize| self.headline.saturating_sub(count);
        let near = (self.headline..behind(NEAREST)).chain((before(NEAREST)..self.headline).rev());
        near.chain(behind(NEAREST)..behind(BEHIND)).chain((before(BEFORE)..before(NEAREST)).rev())
    }

    /// The short texts near the headline.
    pub(super) fn near_texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let runs = self.runs;
        let short = move |number: usize| {
            (runs.runs[number].words <= MOST_WORDS).then_some(runs.runs[number].text.as_str())
        };
        self.near().filter_map(short)
    }

    pub(super) fn published(&self, fetched_at: Timestamp, month_first: bool) -> Option<Finding<String>> {
        let parse = |text: &str| dates::parse(text, fetched_at, month_first);
        let found = |value, witness, confidence| Finding { value, witness, confidence };
        let short = |number: usize| {
            let run = &self.runs.runs[number];
            (run.words <= MOST_WORDS).then(|| parse(&run.text))?
        };
        let of_script = || Some(found(self.script_date(&parse)?, "script", 0.7));
        let of_url = || Some(found(url_date(self.page.url.as_str(), &parse)?, "url", 0.8));
        // A dateline may open the first paragraph.
        let opened = |number: usize| {
            let text = &self.runs.runs[number].text;
            let head = text.match_indices(' ').nth(2).map_or(text.as_str(), |(at, _)| &text[..at]);
            short(number).or_else(|| parse(head))
        };
        let of_title = || Some(found(title_date(self.page.title.as_deref()?, &parse)?, "title", 0.7));
        let near = || Some(found(self.near().find_map(opened)?, "text", 0.6));
        let anywhere = || Some(found((self.headline..self.runs.runs.len()).find_map(short)?, "text", 0.3));
        of_script().or_else(of_url).or_else(of_title).or_else(near).or_else(anywhere)
    }

    /// The date near the headline.
    pub(super) fn shown(&self, fetched_at: Timestamp, month_first: bool) -> Option<Finding<String>> {
        let mut dates = self.near_texts().filter_map(|text| dates::parse(text, fetched_at, month_first));
        Some(Finding { value: dates.next()?, witness: "text", confidence: 0.6 })
    }

    fn script_date(&self, parse: &impl Fn(&str) -> Option<String>) -> Option<String> {
        for text in scripts::texts(&self.page.tree) {
            for key in ["publish", "Publish", "pubDate", "pub_date", "pubdate"] {
                let values = text.match_indices(key).take(200).filter_map(|(at, _)| value(&text[at..]));
                if let Some(date) = values.filter_map(parse).next() {
                    return Some(date);
                }
            }
        }
        None
    }

    pub(super) fn authors(&self, site: &Site) -> Option<Finding<Vec<String>>> {
        let found = |names: Vec<String>, witness, confidence| {
            let value = authors::people(&names, site);
            (!value.is_empty()).then_some(Finding { value, witness, confidence })
        };
        let by = |number: usize| {
            let run = &self.runs.runs[number];
            let says_by = run.words <= MOST_WORDS && authors::says_by(&run.text);
            says_by.then(|| found(vec![run.text.clone()], "text", 0.5))?
        };
        found(self.author_links(), "author-link", 0.6).or_else(|| self.near().find_map(by))
    }

    /// Texts of the links near the headline to pages of authors: those of the first run with such links, and of
    /// runs right after.
    fn author_links(&self) -> Vec<String> {
        let (page, leaves) = (self.page, &self.page.leaves);
        let mut texts: Vec<String> = Vec::new();
        let mut last = None;
        for number in self.near() {
            if last.is_some_and(|last: usize| last.abs_diff(number) > 2) {
                break;
            }
            let run = &self.runs.runs[number];
            let range = leaves.range_under(&page.tree, run.block);
            let is_author = |leaf: &usize| {
                leaves.get(*leaf).node >= run.first
                    && leaves.link(*leaf).is_some_and(|link| self.is_author(link))
            };
            for leaf in range.take(20).filter(is_author) {
                texts.push(leaves.text(leaf).to_owned());
                last = Some(number);
            }
        }
        texts
    }

    fn is_author(&self, link: NodeId) -> bool {
        let href = self.page.tree.attr(link, "href").unwrap_or_default();
        let path = href.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let mut parts = path.rsplit('/').skip(1);
        parts.any(|part| AUTHOR_PATHS.contains(&part.to_ascii_lowercase().as_str()))
    }
}

/// The value after a key that begins here: for `publ` + `ished_at": "…"`, the text in quotes.
fn value(text: &str) -> Option<&str> {
    let rest =
        text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == ':');
    let rest = rest.trim_start_matches(['"', '\'', '\\', ' ']);
    // A colon right after the key has been skipped already.
    let rest = rest.trim_start_matches([':', '=', ' ', '"', '\'', '\\']);
    let end = rest.find(['"', '\'', '\\', ',', '}'])?;
    rest.get(..end).filter(|value| (8..=40).contains(&value.len()))
}

/// The date at the end of a title, after the site's name: "Bridge stays open | The Post | 03.05.2024".
fn title_date(title: &str, parse: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let (_, last) = title.rsplit_once(" | ").or_else(|| title.rsplit_once(" - "))?;
    // Only a bare date counts, as a headline may end with a date in its text.
    let is_date = last.chars().count() <= 18 && last.starts_with(|c: char| c.is_ascii_digit());
    is_date.then(|| parse(last))?
}

/// The date in a URL's path: `/2024/05/03/`, `/2024-05-03-`, `/20240503/`.
pub(super) fn url_date(url: &str, parse: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let path = url.splitn(4, '/').nth(3)?;
    let at = |start: usize| {
        let is_begun = start > 0 && path.as_bytes().get(start - 1).is_some_and(u8::is_ascii_digit);
        let part = path.get(start..(start + 10).min(path.len()))?;
        // "2024/05/0312345" is a month and a number.
        let goes_on = path.as_bytes().get(start + 10).is_some_and(u8::is_ascii_digit);
        let is_year = part.starts_with("19") || part.starts_with("20");
        let shape = part.as_bytes();
        let is_parted = !goes_on
            && matches!((shape.get(4), shape.get(7)), (Some(b'/'), Some(b'/')) | (Some(b'-'), Some(b'-')));
        let is_run = shape.len() >= 8
            && shape[..8].iter().all(u8::is_ascii_digit)
            && !shape.get(8).is_some_and(u8::is_ascii_digit);
        let part = if is_run { &part[..8] } else { part };
        (is_year && !is_begun && (is_parted || is_run)).then(|| parse(part))?
    };
    path.match_indices(['1', '2']).find_map(|(start, _)| at(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page_at;

    const NOW: Timestamp = Timestamp(1_717_200_000_000);

    #[track_caller]
    fn check(url: &str, html: &str, expected: Option<(&str, &str)>) {
        let page = page_at(url, html);
        let runs = Runs::new(&page);
        let found = Visible::new(&page, &runs, Some("Bridge stays open")).published(NOW, false);
        let found = found.as_ref().map(|found| (found.value.as_str(), found.witness));
        assert_eq!(found, expected, "{url} {html}");
    }

    #[test]
    fn dates_that_only_readers_see() {
        let at = "https://a.example/x";
        let dateline = "3. Mai 2024 The council voted on Tuesday to keep the old bridge open for another year, after many had asked.";
        check(at, &format!("<h1>Bridge stays open</h1><p>{dateline}"), Some(("2024-05-03", "text")));
        check(at, "<p>1.1.2020<h1>Bridge stays open</h1><p>3. Mai 2024", Some(("2024-05-03", "text")));
        check(at, "<p>3.5.2024<h1>Bridge stays open</h1>", Some(("2024-05-03", "text")));
        check(
            at,
            "<script>x={\"published_at\": \"2024-05-03T10:00:00Z\"}</script>",
            Some(("2024-05-03T10:00:00Z", "script")),
        );
        check(
            at,
            "<title>Bridge stays open | The Post | 03.05.2024</title><h1>Bridge stays open</h1><p>1.5.2024",
            Some(("2024-05-03", "title")),
        );
        check("https://a.example/2024/05/03/bridge", "<p>1.1.2020", Some(("2024-05-03", "url")));
        check("https://a.example/20240503-bridge", "", Some(("2024-05-03", "url")));
        check("https://a.example/id/120240503", "<p>none", None);
        check("https://a.example/2024/05/20240531_x", "", Some(("2024-05-31", "url")));
    }

    #[test]
    fn bylines_that_only_readers_see() {
        let of = |html: &str| {
            let page = page_at("https://a.example/x", html);
            let runs = Runs::new(&page);
            Visible::new(&page, &runs, None).authors(&Site::default()).map(|found| found.value)
        };
        let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(of("<h1>B</h1><p><a href=/people/ada>Ada Lovelace</a>"), names(&["Ada Lovelace"]));
        assert_eq!(of("<h1>B</h1><p>By Alan Turing<p>Text"), names(&["Alan Turing"]));
        assert_eq!(of("<h1>B</h1><p>Bystanders said so"), None);
    }
}
