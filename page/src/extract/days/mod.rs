//! The day of an article: when it was published.
//!
//! The page [mentions](mentions) dates; each day among them is a candidate. Trees that were trained on articles with known
//! days compute how likely each candidate is the right one, from its sources, its distance to the other days and the
//! place where it is shown ([`measures`]). The likeliest wins, with the time of day if a mention of that day gives one.

use std::sync::LazyLock;

mod labels;
mod measures;
mod mentions;

pub(super) use mentions::{Mention, Source};

use mentions::{Day, by_day, is_exact};

use super::choice::{Choice, likeliest};
use super::dates;
use super::finding::Finding;
use super::metadata::Metadata;
use super::visible::Visible;
use super::zones::{self, SiteZone};
use crate::Page;
use crate::time::Timestamp;
use crate::trees::Trees;

/// The learnt trees, as written by `train/days.py`.
const TREES: &str = include_str!("days.txt");

/// How likely the day of a change in a line near the headline is right.
const SHOWN_CHANGE: f32 = 0.8;
/// The least likelihood of the day.
const LEAST: f32 = 0.1;
/// The hours in UTC from which some zones have the next day, and before which some have the day before.
const LEAST_HOUR: u8 = 10;
const MOST_HOUR: u8 = 12;
/// How many instants in UTC are looked up in the page's scripts, which may give its time zone.
const MOST_SEARCHED: usize = 2;

/// The days on which the article may have been published, and an instant with the offset in which the page writes it.
/// Instants in UTC are converted to the zone of the `site` if the page does not show its own.
pub(super) fn choices(
    page: &Page,
    metadata: &Metadata,
    visible: &Visible<'_>,
    fetched_at: Timestamp,
    site: &SiteZone,
) -> (Vec<Choice>, Option<(i64, i32)>) {
    /// Never empty: a test checks that the file can be parsed.
    static SHARED: LazyLock<Trees> =
        LazyLock::new(|| Trees::parse(TREES, measure_names()).unwrap_or_default());
    let (days, rows, zone) = measured_days(page, metadata, visible, fetched_at, site);
    let choice = |(candidate, likelihood): (&Day, f32)| {
        let day = readers_day(candidate, &days).unwrap_or(candidate);
        let best = day
            .mentions
            .iter()
            .min_by_key(|(number, mention)| (!is_exact(&mention.value), mention.source, *number));
        let (_, best) = best?;
        let sources =
            candidate.mentions.iter().map(|(_, mention)| (mention.source as u8, mention.node)).collect();
        let (key, value) = (candidate.day.to_string(), best.value.clone());
        Some(Choice { value, key, likelihood, sources, witness: best.source.witness() })
    };
    (days.iter().zip(SHARED.scores(&rows)).filter_map(choice).collect(), zone)
}

/// The likeliest day, if it is likely enough.
pub(super) fn decide(choices: &[Choice]) -> Option<Finding<String>> {
    let best = likeliest(choices.iter()).filter(|best| best.likelihood >= LEAST)?;
    Some(Finding { value: best.value.clone(), witness: best.witness, confidence: best.likelihood })
}

/// Whether markup calls it the day of publication, of this very article.
pub(super) fn is_declared(choice: &Choice) -> bool {
    choice
        .sources
        .iter()
        .any(|(source, _)| [Source::Article, Source::Meta].iter().any(|declared| *declared as u8 == *source))
}

/// The dates in lines near the headline, as readers see them.
pub(super) struct ShownDates {
    /// Source, ISO 8601, and the text; the nearest first.
    dates: Vec<(Source, String, String)>,
}

impl ShownDates {
    pub(super) fn new(metadata: &Metadata, visible: &Visible<'_>, fetched_at: Timestamp) -> ShownDates {
        let runs = &visible.runs().runs;
        let in_run = |number: usize| {
            let found = mentions::line_dates(runs, number, fetched_at, metadata.date_style).into_iter();
            found.filter_map(move |(source, date)| {
                let text = runs[number].text.get(date.range)?.to_owned();
                Some((source, date.value, text))
            })
        };
        ShownDates { dates: visible.near_runs().flat_map(in_run).collect() }
    }

    /// The last change that they tell.
    pub(super) fn change(&self) -> Option<Finding<String>> {
        let changes = self.dates.iter().filter(|(source, _, _)| *source == Source::ChangedLine);
        let value = changes.map(|(_, value, _)| value).max()?.clone();
        Some(Finding { value, witness: Source::ChangedLine.witness(), confidence: SHOWN_CHANGE })
    }

    /// How a date that is known otherwise is written there, if its day is.
    pub(super) fn as_written(&self, date: &str, is_change: bool) -> Option<String> {
        let day = date.get(..10)?;
        let is_same = |(source, value, _): &&(Source, String, String)| {
            (*source == Source::ChangedLine) == is_change && value.get(..10) == Some(day)
        };
        self.dates.iter().find(is_same).map(|(_, _, text)| text.clone())
    }
}

/// The adjacent day that readers see, if this one occurs only in machine-readable dates in UTC. The two differ because
/// the site is in another time zone.
fn readers_day<'d>(machine_day: &Day, days: &'d [Day]) -> Option<&'d Day> {
    let is_only_utc = machine_day.mentions.iter().all(|(_, mention)| mention.value.ends_with('Z'));
    let hour: u8 = machine_day.mentions.first()?.1.value.get(11..13).filter(|_| is_only_utc)?.parse().ok()?;
    let is_seen = |day: &&Day| day.mentions.iter().any(|(_, mention)| mention.source.is_seen());
    let days_after = |day: &Day| day.day.since(machine_day.day).map(|span| span.get_days());
    days.iter().filter(is_seen).find(|day| match days_after(day) {
        Ok(1) => hour >= LEAST_HOUR,
        Ok(-1) => hour < MOST_HOUR,
        _ => false,
    })
}

/// The days that a page mentions, the measures of all of them in one row, and an instant with the page's own offset.
fn measured_days(
    page: &Page,
    metadata: &Metadata,
    visible: &Visible<'_>,
    fetched_at: Timestamp,
    site: &SiteZone,
) -> (Vec<Day>, Vec<f32>, Option<(i64, i32)>) {
    let shown = mentions::visible_mentions(page, visible, fetched_at, metadata.date_style);
    let is_of_readers = |mention: &&Mention| mention.node.is_some_and(|node| visible.threads().hold(node));
    let declared = metadata.dates.iter().filter(|mention| !is_of_readers(mention)).cloned();
    let mut mentions: Vec<Mention> = declared.chain(shown).collect();
    let parse = |text: &str| dates::parse(text, fetched_at, metadata.date_style);
    // Instants in UTC become local times, each once: by the page's own zone, or by that of the site's other pages.
    let mut local: Vec<(String, String)> = Vec::new();
    let mut zone = None;
    for mention in mentions.iter_mut().filter(|mention| mention.value.ends_with('Z')) {
        let converted = local.iter().find(|(utc, _)| *utc == mention.value).map(|(_, local)| local.clone());
        let value = converted.unwrap_or_else(|| {
            let own =
                zones::in_local_time(&mention.value, page, visible, &parse, local.len() < MOST_SEARCHED);
            zone = zone.or_else(|| zones::instant_and_offset(&own));
            let value = if own.ends_with('Z') { site.local(&own).unwrap_or(own) } else { own };
            local.push((mention.value.clone(), value.clone()));
            value
        });
        mention.value = value;
    }
    let days = by_day(mentions);
    let context = measures::DayContext::new(page, visible, &days);
    let mut rows = Vec::new();
    days.iter().for_each(|day| measures::measure_day(day, &context, &mut rows));
    (days, rows, zone)
}

/// The names of the measures of a day.
pub(super) fn measure_names() -> &'static [String] {
    measures::measure_names()
}

/// The days that a page mentions, and their measures.
pub(super) fn evidence(
    page: &Page,
    metadata: &Metadata,
    visible: &Visible<'_>,
    fetched_at: Timestamp,
) -> Vec<(String, Vec<f32>)> {
    let (days, rows, _) = measured_days(page, metadata, visible, fetched_at, &SiteZone::default());
    let rows = rows.chunks(measure_names().len()).map(<[f32]>::to_vec);
    days.into_iter().map(|day| day.day.to_string()).zip(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::runs::Runs;
    use crate::testing::page_at;

    /// 2024-06-01T00:00:00Z.
    const NOW: Timestamp = Timestamp(1_717_200_000_000);

    #[test]
    fn what_is_compiled_in_can_be_read() {
        let trees = Trees::parse(TREES, measure_names()).unwrap();
        assert!(trees.len() >= 100, "{}", trees.len());
    }

    #[test]
    fn every_measure_has_a_name_of_its_own() {
        let distinct: std::collections::BTreeSet<&String> = measure_names().iter().collect();
        assert_eq!(distinct.len(), measure_names().len());
    }

    #[track_caller]
    fn check(url: &str, html: &str, expected: Option<(&str, &str)>) {
        let page = page_at(url, html);
        let (runs, metadata) = (Runs::new(&page), Metadata::new(&page, NOW));
        let visible = Visible::new(&page, &runs, Some("Bridge stays open"));
        let (choices, _) = choices(&page, &metadata, &visible, NOW, &SiteZone::default());
        let found = decide(&choices);
        let found = found.as_ref().map(|found| (found.value.as_str(), found.witness));
        assert_eq!(found, expected, "{url} {html}");
    }

    const AT: &str = "https://a.example/x";
    const PROSE: &str = "<p>The council voted on Tuesday to keep the old bridge open for another year, after many had \
                         asked.</p><p>It had been closed in winter, when a ship hit one of its piers, said the mayor.</p>";

    #[test]
    fn days_that_only_readers_see() {
        let page = |before: &str, behind: &str| format!("{before}<h1>Bridge stays open</h1>{behind}{PROSE}");
        check(AT, &page("", "<p>3. Mai 2024"), Some(("2024-05-03", "text")));
        check(
            AT,
            &page(
                "",
                "<p>3. Mai 2024 The council of the old town voted once more, and it was for the bridge that most had known all their lives.",
            ),
            Some(("2024-05-03", "text")),
        );
        check(AT, &page("<p>3.5.2024", ""), Some(("2024-05-03", "text")));
        check(
            AT,
            &page("<title>Bridge stays open | The Post | 03.05.2024</title>", ""),
            Some(("2024-05-03", "title")),
        );
        check(AT, &page("", ""), None);
    }

    #[test]
    fn days_in_scripts_and_addresses() {
        let html = format!("<h1>Bridge stays open</h1>{PROSE}");
        let script = format!("<script>x={{\"published_at\": \"2024-05-03T10:00:00Z\"}}</script>{html}");
        check(AT, &script, Some(("2024-05-03T10:00:00Z", "script")));
        check("https://a.example/2024/05/03/bridge", &html, Some(("2024-05-03", "url")));
        check("https://a.example/20240503-bridge", &html, Some(("2024-05-03", "url")));
        check("https://a.example/id/120240503", &html, None);
        check("https://a.example/2024/05/20240531_x", &html, Some(("2024-05-31", "url")));
    }

    #[test]
    fn the_publication_comes_before_changes_and_other_days() {
        let told = "<script type=application/ld+json>{\"@type\": \"NewsArticle\", \"datePublished\": \
                    \"2024-05-03T10:00:00+02:00\", \"dateModified\": \"2024-05-20T10:00:00+02:00\"}</script>";
        let html =
            format!("{told}<h1>Bridge stays open</h1><p>3 May 2024</p>{PROSE}<p>Comment of 5 May 2024</p>");
        check(AT, &html, Some(("2024-05-03T10:00:00+02:00", "json-ld")));
    }

    #[test]
    fn readers_beside_an_instant_in_utc_know_their_day() {
        let told = |at: &str| {
            format!("<meta property=article:published_time content={at}><h1>Bridge stays open</h1>{PROSE}")
        };
        check("https://a.example/2024/05/04/x", &told("2024-05-03T23:15:00Z"), Some(("2024-05-04", "url")));
        check("https://a.example/2024/05/02/x", &told("2024-05-03T02:15:00Z"), Some(("2024-05-02", "url")));
        let same = Some(("2024-05-03T02:15:00Z", "meta"));
        check("https://a.example/2024/05/04/x", &told("2024-05-03T02:15:00Z"), same);
    }
}
