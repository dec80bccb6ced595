//! The measures of a day that may be an article's.

use std::sync::LazyLock;

use jiff::civil::Date;

use super::labels;
use super::mentions::{Day, Mention, Source, is_exact};
use crate::Page;
use crate::extract::surroundings::{NOWHERE, Surroundings};
use crate::extract::visible::Visible;
use crate::measures::{self, LowerCase, MeasureSink};

/// The value where there is nothing to measure.
const NOTHING: f32 = -1.0;
/// Farther days count as this far.
const FAR: i32 = 400;
/// Groups of sources: a day is compared with the first day that a source of the group mentions.
const COMPARED: [(&str, &[Source]); 6] = [
    ("told", &[Source::Article, Source::Object, Source::Meta]),
    ("dated", &[Source::Dated, Source::Microdata]),
    ("time", &[Source::Time]),
    ("shown", &[Source::Line]),
    ("url", &[Source::Url]),
    ("change", &[Source::Changed, Source::ChangedMeta]),
];

/// The data of a page that all its days are measured against.
pub(super) struct DayContext<'a> {
    page: &'a Page,
    surroundings: Surroundings<'a>,
    visible: &'a Visible<'a>,
    days: &'a [Day],
    /// How many days each source mentions.
    counts: [usize; Source::ALL.len()],
    /// The most trusted source that mentions any day.
    first: Option<Source>,
    compared: [Option<Date>; COMPARED.len()],
    /// Year and month of the page's address.
    url_month: Option<(i16, i8)>,
}

impl<'a> DayContext<'a> {
    pub(super) fn new(page: &'a Page, visible: &'a Visible<'a>, days: &'a [Day]) -> DayContext<'a> {
        let says = |day: &Day, source| day.mentions.iter().any(|(_, mention)| mention.source == source);
        let first = days.iter().flat_map(|day| &day.mentions).map(|(_, mention)| mention.source).min();
        let first_of = |sources: &[Source]| {
            let mentions =
                days.iter().flat_map(|day| day.mentions.iter().map(move |mention| (day.day, mention)));
            let of_sources = mentions.filter(|(_, (_, mention))| sources.contains(&mention.source));
            of_sources.min_by_key(|(_, (number, mention))| (mention.source, *number)).map(|(day, _)| day)
        };
        DayContext {
            page,
            surroundings: Surroundings::new(page, visible),
            visible,
            days,
            counts: Source::ALL.map(|source| days.iter().filter(|day| says(day, source)).count()),
            first,
            compared: COMPARED.map(|(_, sources)| first_of(sources)),
            url_month: url_month(page.url.as_str()),
        }
    }
}

/// The year and month in a URL's path: `/2024/05/`.
fn url_month(url: &str) -> Option<(i16, i8)> {
    let parts: Vec<&str> = url.split('/').skip(3).collect();
    parts.windows(2).find_map(|pair| {
        let (year, month) = (pair[0].parse().ok()?, pair[1].parse().ok()?);
        (pair[0].len() == 4 && (1990..2200).contains(&year) && (1..=12).contains(&month))
            .then_some((year, month))
    })
}

/// The names of the measures.
pub(super) fn measure_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let Some(page) = measures::sample_page() else { return Vec::new() };
        let runs = crate::extract::runs::Runs::new(&page);
        let visible = Visible::new(&page, &runs, None);
        let mention = Mention { source: Source::Url, value: "2024-05-03".into(), node: None };
        let days = [Day { day: Date::default(), mentions: vec![(0, mention)] }];
        let context = DayContext::new(&page, &visible, &days);
        measures::measure_names(|sink| measure_day(&days[0], &context, sink))
    });
    &NAMES
}

/// Measures one day.
pub(super) fn measure_day(day: &Day, context: &DayContext<'_>, sink: &mut impl MeasureSink) {
    measure_sources(day, context, sink);
    measure_other_days(day, context, sink);
    measure_place(day, context, sink);
}

/// Which sources mention it, and how exactly.
fn measure_sources(day: &Day, context: &DayContext<'_>, sink: &mut impl MeasureSink) {
    let mentions = || day.mentions.iter().map(|(_, mention)| mention);
    for (source, count) in Source::ALL.into_iter().zip(context.counts) {
        let name = LowerCase(source);
        let first = day.mentions.iter().find(|(_, mention)| mention.source == source);
        sink.add(format_args!("{name} says"), first.map_or(NOTHING, |(number, _)| *number as f32));
        sink.add(format_args!("days of {name}"), count as f32);
    }
    let mut sources: Vec<Source> = mentions().map(|mention| mention.source).collect();
    sources.sort_unstable();
    sources.dedup();
    sink.add("sources", sources.len() as f32);
    sink.add("times said", day.mentions.len() as f32);
    let best = sources.first().map_or(NOTHING, |source| *source as u8 as f32);
    sink.add("best source", best);
    sink.add("best of page", context.first.map_or(NOTHING, |first| best - first as u8 as f32));
    sink.flag("has time", mentions().any(|mention| is_exact(&mention.value)));
    let utc = || mentions().filter(|mention| mention.value.ends_with('Z'));
    sink.flag("is in utc", utc().next().is_some());
    let hour = utc().find_map(|mention| mention.value.get(11..13)?.parse::<u8>().ok());
    sink.add("hour in utc", hour.map_or(NOTHING, f32::from));
    let zoned = |mention: &Mention| mention.value.get(19..).is_some_and(|zone| zone.len() > 1);
    sink.flag("has zone", mentions().any(zoned));
}

/// How it lies to the other days.
fn measure_other_days(day: &Day, context: &DayContext<'_>, sink: &mut impl MeasureSink) {
    let after = |other: Date| {
        let days = day.day.since(other).map_or(0, |span| span.get_days());
        days.clamp(-FAR, FAR) as f32
    };
    let days = || context.days.iter().map(|day| day.day);
    sink.add("days", context.days.len() as f32);
    sink.add("earlier days", days().filter(|other| *other < day.day).count() as f32);
    sink.add("later days", days().filter(|other| *other > day.day).count() as f32);
    sink.add("after first", days().min().map_or(0.0, after));
    sink.add("after last", days().max().map_or(0.0, after));
    for ((name, _), other) in COMPARED.into_iter().zip(context.compared) {
        sink.add(format_args!("after {name}"), other.map_or(NOWHERE, after));
    }
    let agrees = |month: (i16, i8)| f32::from(u8::from(month == (day.day.year(), day.day.month())));
    sink.add("agrees with url month", context.url_month.map_or(NOTHING, agrees));
    sink.flag("begins month", day.day.day() == 1);
    sink.flag("begins year", day.day.day() == 1 && day.day.month() == 1);
}

/// Where it is shown.
fn measure_place(day: &Day, context: &DayContext<'_>, sink: &mut impl MeasureSink) {
    let DayContext { page, surroundings, visible, .. } = context;
    let nodes = || day.mentions.iter().filter_map(|(_, mention)| mention.node);
    let nearest = nodes().min_by_key(|node| surroundings.lines_after_headline(Some(*node)).abs() as u32);
    sink.add("times shown", nodes().count() as f32);
    sink.add("lines", context.visible.runs().runs.len() as f32);
    surroundings.measure(nearest, sink);
    let number = nearest.and_then(|node| surroundings.line_number(node));
    let runs = &visible.runs().runs;
    let text = |number: Option<usize>| {
        number.and_then(|number| runs.get(number)).map_or("", |run| run.text.as_str())
    };
    let line = text(number);
    let before = text(number.and_then(|number| number.checked_sub(1)));
    sink.add("line letters", line.chars().filter(|letter| letter.is_alphabetic()).count() as f32);
    for (name, text) in [("line", line), ("line before", before)] {
        let (changed, published) = labels::says(text);
        sink.flag(format_args!("{name} says changed"), changed);
        sink.flag(format_args!("{name} says published"), published);
    }
    sink.flag("is in time", nodes().any(|node| page.tree.is_inside(node, &["time"])));
    sink.flag("is in link", nodes().any(|node| page.tree.is_inside(node, &["a"])));
}
