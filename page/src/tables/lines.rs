//! Rows and columns as candidate headers: what sets a line off from the lines that it would head.
//!
//! The same code measures a row along the grid and a column along the transposed grid. Each measure is a share
//! or a difference of shares, so that large and small tables compare. Only the first 60 lines and 40 places of
//! each are examined. Markup and style decide on their own; the features of the texts are weighed, see
//! [`HeaderLine::measure`]. Start at [`HeaderLine::new`].

use rustc_hash::FxHashMap;

use crate::measures::{self, MeasureSink};

use super::features::{CellFeatures, HeaderScope, TableFeatures, TextKind};
use super::grid::Grid;

/// Most lines, and most places of a line, that are examined.
const MAX_LINES: usize = 60;
const MAX_PLACES: usize = 40;

/// The grid as rows, or transposed as columns.
#[derive(Clone, Copy)]
pub(crate) struct LineView<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) features: &'a TableFeatures,
    pub(crate) transposed: bool,
}

impl<'a> LineView<'a> {
    pub(crate) fn cell(&self, line: usize, place: usize) -> Option<usize> {
        if self.transposed { self.grid.at(place, line) } else { self.grid.at(line, place) }
    }

    pub(crate) fn features_at(&self, line: usize, place: usize) -> Option<&'a CellFeatures> {
        self.cell(line, place).map(|cell| &self.features.cells[cell])
    }

    pub(crate) fn cells_of(&self, line: usize, places: &[usize]) -> Vec<&'a CellFeatures> {
        places.iter().filter_map(|&place| self.features_at(line, place)).collect()
    }
}

/// The features of a line and of the lines that it would head. Shares of markup and style leave out the first
/// place unless it is the only one: it also belongs to the header of the other direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeaderLine {
    pub(crate) th: f32,
    pub(crate) th_below: f32,
    /// Share of cells in the `thead` or with a matching `scope`.
    pub(crate) declared: f32,
    pub(crate) declared_below: f32,
    pub(crate) bold: f32,
    pub(crate) bold_below: f32,
    /// Share of places whose background or text colour is not the usual one below.
    pub(crate) paint: f32,
    /// Share of places with words where the usual content below is numbers.
    pub(crate) words_over_numbers: f32,
    pub(crate) numbers: f32,
    /// Share of texts that are plain digits.
    pub(crate) counts: f32,
    /// How much shorter than below the texts are on average, in halvings of the length.
    pub(crate) shorter: f32,
    /// The same at the place with the least difference.
    pub(crate) least_shorter: f32,
    pub(crate) words: f32,
    pub(crate) colons: f32,
    pub(crate) links: f32,
    pub(crate) capitals: f32,
    pub(crate) distinct: f32,
    pub(crate) distinct_below: f32,
    pub(crate) first_empty: bool,
    pub(crate) others_empty: f32,
    pub(crate) two_places: bool,
    /// Mean over the places of the share of the usual shape below, counted where the place's own shape differs.
    pub(crate) unlike: f32,
    /// See [`matrix_share`].
    pub(crate) matrix: f32,
    pub(crate) lines_below: usize,
}

impl HeaderLine {
    /// Measures a line as header of the lines `body`.
    pub(crate) fn new(view: LineView<'_>, line: usize, body: &[usize], places: &[usize]) -> HeaderLine {
        let body = &body[..body.len().min(MAX_LINES)];
        let places = &places[..places.len().min(MAX_PLACES)];
        let mut found = HeaderLine::default();
        found.measure_markup(view, line, body, if places.len() > 1 { &places[1..] } else { places });
        found.measure_texts(view, line, body, places);
        found.matrix = matrix_share(view, body, places);
        found.lines_below = body.len();
        found.two_places = places.len() <= 2;
        found
    }

    fn measure_markup(&mut self, view: LineView<'_>, line: usize, body: &[usize], rest: &[usize]) {
        let own = view.cells_of(line, rest);
        let below: Vec<&CellFeatures> = body.iter().flat_map(|&line| view.cells_of(line, rest)).collect();
        let is_declared = |cell: &CellFeatures| {
            if view.transposed {
                cell.scope == HeaderScope::Row
            } else {
                cell.in_head || cell.scope == HeaderScope::Column
            }
        };
        self.th = share(&own, |cell| cell.is_th);
        self.th_below = share(&below, |cell| cell.is_th);
        self.declared = share(&own, is_declared);
        self.declared_below = share(&below, is_declared);
        self.bold = share(&with_text(&own), |cell| cell.bold);
        self.bold_below = share(&with_text(&below), |cell| cell.bold);
        self.compare_with_usual(view, line, body, rest);
    }

    fn measure_texts(&mut self, view: LineView<'_>, line: usize, body: &[usize], places: &[usize]) {
        let all = view.cells_of(line, places);
        let own = with_text(&all);
        let below: Vec<&CellFeatures> =
            body.iter().flat_map(|&line| with_text(&view.cells_of(line, places))).collect();
        let more = |test: fn(&CellFeatures) -> bool| share(&own, test) - share(&below, test);
        self.words = mean_words(&own);
        self.shorter = ((1.0 + mean_words(&below)) / (1.0 + self.words)).log2().clamp(-2.0, 2.0);
        self.numbers = share(&own, |cell| cell.kind == TextKind::Number);
        self.counts = share(&own, |cell| cell.is_count);
        self.colons = more(|cell| cell.colon);
        self.links = more(|cell| cell.link);
        self.capitals = more(|cell| cell.capitals);
        self.distinct = distinct_share(&own);
        self.distinct_below = distinct_share(&below);
        self.first_empty = all.first().is_some_and(|cell| cell.is_blank);
        self.others_empty = share(all.get(1..).unwrap_or_default(), |cell| cell.chars == 0);
    }

    /// Compares each cell with the most frequent features below it.
    fn compare_with_usual(&mut self, view: LineView<'_>, line: usize, body: &[usize], places: &[usize]) {
        let mut n_places = 0.0_f32;
        self.least_shorter = 2.0;
        for &place in places {
            let Some(own) = view.features_at(line, place) else { continue };
            let below: Vec<&CellFeatures> =
                body.iter().filter_map(|&line| view.features_at(line, place)).collect();
            if below.is_empty() {
                continue;
            }
            n_places += 1.0;
            let usual =
                |feature: fn(&CellFeatures) -> u64| most_frequent(below.iter().map(|cell| feature(cell)));
            // Both colours as one number, so that the usual pair is found, not the usual value of each.
            let paint = |cell: &CellFeatures| u64::from(cell.background) << 32 | u64::from(cell.text_colour);
            self.paint += if usual(paint).0 == paint(own) { 0.0 } else { 1.0 };
            let (kind, _) = usual(|cell| cell.kind as u64);
            let is_word = matches!(own.kind, TextKind::Phrase | TextKind::Prose);
            let is_number = kind == TextKind::Number as u64 || kind == TextKind::Mixed as u64;
            self.words_over_numbers += f32::from(u8::from(is_word && is_number));
            let (shape, often) = usual(|cell| cell.shape);
            self.unlike += if shape == own.shape { 0.0 } else { often as f32 / below.len() as f32 };
            let texts = with_text(&below);
            if own.chars > 0 && !texts.is_empty() {
                let chars = texts.iter().map(|cell| cell.chars as f32).sum::<f32>() / texts.len() as f32;
                let shorter = (chars / own.chars as f32).log2().clamp(-2.0, 2.0);
                self.least_shorter = self.least_shorter.min(shorter);
            }
        }
        for sum in [&mut self.paint, &mut self.words_over_numbers, &mut self.unlike] {
            *sum /= n_places.max(1.0);
        }
    }

    /// Adds the measures of the line's texts compared with those that it would head.
    pub(crate) fn measure(&self, measures: &mut impl MeasureSink) {
        measures.add("bias", 1.0);
        measures.add("words over numbers", self.words_over_numbers);
        measures.add("numbers", self.numbers);
        measures.add("shorter", self.shorter);
        measures.add("shorter everywhere", self.least_shorter);
        measures.add("long", (self.words / 10.0).min(2.0));
        measures.add("colons", self.colons);
        measures.add("links", self.links);
        measures.add("capitals", self.capitals);
        measures.add("distinct", self.distinct);
        measures.add("more distinct", self.distinct - self.distinct_below);
        measures.flag("first empty", self.first_empty);
        measures.add("others empty", self.others_empty);
        measures.flag("two places", self.two_places);
        measures.add("shape unlike", self.unlike);
        measures.add("matrix", self.matrix);
        measures.flag("one line below", self.lines_below <= 1);
    }
}

/// The names of the measures of [`HeaderLine::measure`], in order.
pub(crate) fn line_measure_names() -> Vec<String> {
    measures::measure_names(|sink| HeaderLine::default().measure(sink))
}

fn with_text<'a>(features: &[&'a CellFeatures]) -> Vec<&'a CellFeatures> {
    features.iter().copied().filter(|cell| cell.chars > 0).collect()
}

fn mean_words(texts: &[&CellFeatures]) -> f32 {
    texts.iter().map(|cell| cell.words).sum::<u32>() as f32 / texts.len().max(1) as f32
}

fn distinct_share(texts: &[&CellFeatures]) -> f32 {
    let mut hashes: Vec<u64> = texts.iter().map(|cell| cell.text).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.len() as f32 / texts.len().max(1) as f32
}

/// The share of features that pass a test.
pub(crate) fn share(features: &[&CellFeatures], test: impl Fn(&CellFeatures) -> bool) -> f32 {
    features.iter().filter(|cell| test(cell)).count() as f32 / features.len().max(1) as f32
}

/// The most frequent value, on a tie the least, and its count.
pub(crate) fn most_frequent(values: impl Iterator<Item = u64>) -> (u64, usize) {
    let mut sorted: Vec<u64> = values.collect();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len()));
    runs.fold((0, 0), |best, run| if run.1 > best.1 { run } else { best })
}

/// How far the body is one matrix: for neighbouring places (except the first), the mean share of shapes that
/// both have. Days by hours and features by products are near 1, records of different fields near 0.
pub(crate) fn matrix_share(view: LineView<'_>, body: &[usize], places: &[usize]) -> f32 {
    let columns: &[usize] = if view.transposed { body } else { places.get(1..).unwrap_or_default() };
    let lines: &[usize] = if view.transposed { places } else { body };
    let columns = &columns[..columns.len().min(MAX_PLACES)];
    let lines = &lines[..lines.len().min(MAX_LINES)];
    let counts: Vec<FxHashMap<u64, usize>> = columns
        .iter()
        .map(|&column| {
            let mut counts = FxHashMap::default();
            for cell in lines.iter().filter_map(|&line| view.grid.at(line, column)) {
                *counts.entry(view.features.cells[cell].shape).or_default() += 1;
            }
            counts
        })
        .collect();
    let mut sum = 0.0_f32;
    for pair in counts.windows(2) {
        let both: usize = pair[0].iter().map(|(shape, n)| *n.min(pair[1].get(shape).unwrap_or(&0))).sum();
        let all = pair[0].values().sum::<usize>().max(pair[1].values().sum());
        sum += both as f32 / all.max(1) as f32;
    }
    if counts.len() < 2 { 0.0 } else { sum / (counts.len() - 1) as f32 }
}
