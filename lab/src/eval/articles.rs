//! Figures of a set of articles: means over pages of precision, recall and F1 of bodies, and shares of right fields.

use newslode::demo::scores::articles::ArticleScores;
use serde::Serialize;

use super::{Figure, Prf, bootstrap_error, mean};

/// Figures of a set.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) pages: usize,
    pub(crate) bodies: usize,
    pub(crate) precision: Figure,
    pub(crate) recall: Figure,
    pub(crate) f1: Figure,
    pub(crate) f1_error: Figure,
    pub(crate) below_half: usize,
    pub(crate) title: (Figure, usize),
    pub(crate) authors: (Figure, usize),
    pub(crate) author_f1: (Figure, usize),
    pub(crate) day: (Figure, usize),
    pub(crate) segment_f1: (Figure, usize),
}

/// Summarizes rows.
pub(crate) fn summary(rows: &[ArticleScores]) -> Summary {
    let bodies: Vec<Prf> = rows.iter().filter_map(|row| row.body).collect();
    let of = |pick: fn(&Prf) -> f64| bodies.iter().map(pick).collect::<Vec<_>>();
    let share = |values: Vec<f64>| (mean(&values), values.len());
    let flags = |pick: fn(&ArticleScores) -> Option<bool>| {
        share(rows.iter().filter_map(pick).map(|right| f64::from(u8::from(right))).collect())
    };
    let segments: Vec<_> = rows.iter().filter_map(|row| row.segments).collect();
    let (right, wanted, wrong) =
        segments.iter().fold((0, 0, 0), |sum, s| (sum.0 + s.0, sum.1 + s.1, sum.2 + s.2));
    let segment_f1 = Figure::ratio(2 * right, right + wrong + wanted);
    let f1 = of(|p| p.f1);
    Summary {
        pages: rows.len(),
        bodies: bodies.len(),
        precision: mean(&of(|p| p.precision)),
        recall: mean(&of(|p| p.recall)),
        f1: mean(&f1),
        f1_error: bootstrap_error(&f1),
        below_half: f1.iter().filter(|f1| **f1 < 0.5).count(),
        title: flags(|row| row.title),
        authors: flags(|row| row.authors),
        author_f1: share(rows.iter().filter_map(|row| row.author_f1).collect()),
        day: flags(|row| row.day),
        segment_f1: (segment_f1, segments.len()),
    }
}
