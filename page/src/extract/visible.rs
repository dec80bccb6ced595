//! What a page shows near its headline but not in its markup: a date.
//!
//! This is the last witness. Its order: keys of scripts that name a publication, the URL's path, the title, a short
//! text near the headline, any later short text. "Near" means within some runs; runs close after the headline come
//! first.

use crate::reading::NodeId;
use crate::time::Timestamp;

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
    pub(super) fn near(&self) -> impl Iterator<Item = usize> + use<> {
        let behind = |count: usize| (self.headline + count).min(self.runs.runs.len());
        let before = |count: usize| self.headline.saturating_sub(count);
        let near = (self.headline..behind(NEAREST)).chain((before(NEAREST)..self.headline).rev());
        near.chain(behind(NEAREST)..behind(BEHIND)).chain((before(BEFORE)..before(NEAREST)).rev())
    }

    pub(super) fn runs(&self) -> &'a Runs {
        self.runs
    }

    /// The number of the run that is the headline.
    pub(super) fn headline(&self) -> usize {
        self.headline
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
}
