//! The measures of a run of text, from which the scorer finds whether it is body.
//!
//! There are four families, each a function that adds names and values (see [`measures`](crate::measures)): the
//! run's own [`text`]; the elements and class words around it ([`place`]); its containers and their shares of
//! the page's prose ([`containers`]); the signatures that it shares with other runs, and its neighbours
//! ([`order`]). All are general: no site names, no class words of one site. A measure without meaning on a page
//! is negative.
//!
//! Invariant: one pass over the tree, and a bounded number of steps per run. Start at [`measure_runs`].

use std::sync::LazyLock;

use crate::measures::{self, MeasureSink};

use super::runs::{Run, Runs};
use crate::Page;

mod clean;
mod containers;
mod context;
mod order;
mod place;
mod text;
pub(super) mod vocabulary;

pub(super) use context::Claims;

use context::{PageContext, RunWords};

/// The names of all measures, in order.
pub(super) fn measure_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let Some(page) = measures::sample_page() else { return Vec::new() };
        let runs = Runs::new(&page);
        let claims = Claims::default();
        let page = PageMeasures::new(&page, &runs, &claims);
        measures::measure_names(|sink| page.measure(0, sink))
    });
    &NAMES
}

/// The measures of the wanted runs, row by row.
pub(super) struct RunMeasures {
    pub(super) values: Vec<f32>,
    /// The signature of every run, wanted or not: the tags and classes of its elements from the document down.
    pub(super) paths: Vec<u64>,
}

impl RunMeasures {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(measure_names().len().max(1))
    }
}

/// Measures the wanted runs of a page.
pub(super) fn measure_runs(
    page: &Page,
    runs: &Runs,
    claims: &Claims,
    is_wanted: impl Fn(&Run) -> bool,
) -> RunMeasures {
    let measured = PageMeasures::new(page, runs, claims);
    let wanted = runs.runs.iter().enumerate().filter(|(_, run)| is_wanted(run));
    let mut values = Vec::new();
    wanted.for_each(|(number, _)| measured.measure(number, &mut values));
    RunMeasures { values, paths: measured.paths }
}

/// The data that each family of measures has computed for the page.
struct PageMeasures<'a> {
    context: PageContext<'a>,
    texts: text::TextMeasures,
    places: place::PlaceMeasures,
    containers: containers::ContainerMeasures,
    orders: order::OrderMeasures,
    paths: Vec<u64>,
}

impl<'a> PageMeasures<'a> {
    fn new(page: &'a Page, runs: &'a Runs, claims: &'a Claims) -> PageMeasures<'a> {
        let prose = runs.sums(|run| if run.is_prose() { run.words } else { 0.0 });
        let signatures = order::Signatures::new(&page.tree);
        let places = place::PlaceMeasures::new(&page.tree, runs, &prose, &signatures);
        let paths: Vec<u64> = runs.runs.iter().map(|run| signatures.path[run.block.index()]).collect();
        let words = RunWords::new(runs);
        let is_prose = clean::prose_runs(runs, &words, &places, &paths);
        let headline = text::find_headline(&page.tree, runs, &words, claims);
        let context = PageContext::new(page, runs, words, claims, is_prose, headline);
        PageMeasures {
            texts: text::TextMeasures::new(&context),
            containers: containers::ContainerMeasures::new(&context),
            orders: order::OrderMeasures::new(&context, &signatures),
            places,
            context,
            paths,
        }
    }

    /// Measures one run; the names are the same for every run.
    fn measure(&self, number: usize, sink: &mut impl MeasureSink) {
        let run = &self.context.runs.runs[number];
        self.texts.measure(&self.context, number, sink);
        self.places.measure(&self.context, run, sink);
        self.containers.measure(&self.context, number, sink);
        self.orders.measure(&self.context, number, sink);
        self.places.measure_vocabulary(run, sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// One measure, by its name, of each run.
    fn measured(html: &str, claims: &Claims, name: &str) -> Vec<f32> {
        let page = page(html);
        let runs = Runs::new(&page);
        let at = measure_names().iter().position(|other| other == name).unwrap();
        measure_runs(&page, &runs, claims, |_| true).iter().map(|row| row[at]).collect()
    }

    const PROSE: &str = "The council voted on Tuesday to keep the old bridge open for another year.";

    #[test]
    fn every_measure_has_a_name_of_its_own() {
        let page = page("<h1>Title</h1><p>One <b>two</b> three.");
        let runs = Runs::new(&page);
        let names = measure_names();
        assert_eq!(names.len(), 153);
        let claims = Claims { titles: vec!["Title".into()], ..Claims::default() };
        for claims in [Claims::default(), claims] {
            assert_eq!(measure_runs(&page, &runs, &claims, |_| true).values.len(), 2 * names.len());
        }
        let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        let empty = crate::testing::page("");
        assert_eq!(measure_runs(&empty, &Runs::new(&empty), &Claims::default(), |_| true).iter().count(), 0);
    }

    #[test]
    fn the_best_container_holds_the_prose() {
        let html = format!("<div><p>Menu<p>More</div><div><p>{PROSE}<p>{PROSE} Yes.<p>{PROSE} No.</div>");
        let best = measured(&html, &Claims::default(), "level of the best container");
        assert_eq!(best, [9.0, 9.0, 0.0, 0.0, 0.0]);
        assert_eq!(measured(&html, &Claims::default(), "holder's prose share"), [0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn comments_and_copies_are_no_prose_of_the_article() {
        let comments: String = (0..9).map(|n| format!("<li class=comment><p>{PROSE} Said {n}.")).collect();
        let html = format!("<main><p>{PROSE}<p>{PROSE} Yes. {PROSE}</main><ul>{comments}</ul>");
        let clean = measured(&html, &Claims::default(), "is clean prose");
        assert_eq!(clean, [vec![1.0; 2], vec![0.0; 9]].concat());

        let parts: Vec<String> = (0..6)
            .map(|n| {
                format!("Part {n} of it says {n} times that the bridge number {n} is open, and {n} more.")
            })
            .collect();
        let html = format!(
            "<div>{}</div><section>{}</section>",
            parts.join(" "),
            parts.iter().map(|part| format!("<p>{part}")).collect::<String>()
        );
        assert_eq!(
            measured(&html, &Claims::default(), "is clean prose"),
            [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
        );
    }

    #[test]
    fn titles_and_the_metadatas_body_are_recognised() {
        let claims = Claims {
            titles: vec!["Bridge stays open".into()],
            body: Some(PROSE.repeat(5)),
            ..Claims::default()
        };
        let html = format!("<h1>Bridge stays open!</h1><p>{PROSE}<p>Words of somebody else about it.");
        assert_eq!(measured(&html, &claims, "is a title"), [1.0, 0.0, 0.0]);
        assert_eq!(measured(&html, &claims, "in the metadata's body")[1..], [1.0, 0.0]);
        assert_eq!(measured(&html, &claims, "runs behind the headline"), [0.0, 1.0, 2.0]);
    }

    #[test]
    fn teasers_are_cut_off() {
        let html = "<p>The council voted on Tuesday to ...<p>Read on […]<p>It voted.";
        assert_eq!(measured(html, &Claims::default(), "is cut off"), [1.0, 1.0, 0.0]);
    }

    #[test]
    fn class_words_of_much_prose_say_nothing() {
        let html =
            format!("<div class=related><p>{PROSE}</div><div class=paywall><p>{PROSE}<p>{PROSE}</div>");
        assert_eq!(measured(&html, &Claims::default(), "up to offer")[1], 20.0);
        assert_eq!(measured(&html, &Claims::default(), "up to related")[0], 1.0);
    }
}
