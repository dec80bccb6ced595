//! `newslode eval articles`: fields and bodies against gold, beside all text of the page.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use newslode_page::Page;
use newslode_page::article::Article;
use newslode_page::extract::{Correction, Scorer, SiteKnowledge, as_article_by};
use newslode_page::time::Timestamp;

use super::{page, write_predictions};
use crate::args::EvalCommon;
use crate::eval::{Figure, articles, read_lines};
use crate::exit::{Exit, hinted};
use crate::out;
use crate::progress::Shown;

/// Gold pages carry no time of fetching; nothing they say can be later than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

/// Number of folds that a folder of trees has.
const FOLDS: usize = 5;

/// How many other pages of its site a page is read with.
#[derive(Clone, Copy)]
pub(super) struct Others {
    /// Unlabelled ones.
    pub(super) siblings: usize,
    /// Such that their gold corrected.
    pub(super) taught: usize,
}

pub(super) fn run(
    common: &EvalCommon,
    folds: Option<&Path>,
    others: Others,
    quiet: bool,
) -> anyhow::Result<Exit> {
    let folds = folds.map(read_folds).transpose()?;
    let golds: Vec<articles::Line> = read_lines(&common.gold)?;
    let mut methods: BTreeMap<&str, Vec<articles::Line>> = BTreeMap::new();
    let mut shown = Shown::new(quiet);
    let pages = golds.iter().map(|gold| {
        let input = page(&common.pages, &gold.id, gold.url.as_deref())?;
        Ok(Page::parse(&input.url, None, &input.bytes))
    });
    let pages: Vec<Page> = pages.collect::<anyhow::Result<_>>()?;
    for (done, (gold, page)) in golds.iter().zip(&pages).enumerate() {
        shown.say(|| format!("{done} of {} pages", golds.len()));
        methods.entry("all text").or_default().push(everything(&gold.id, page));
        let scorer = folds.as_ref().and_then(|folds| folds.get(gold.fold(FOLDS)));
        let mut read = |name, site: Option<&SiteKnowledge>| {
            let found = as_article_by(page, LATEST, scorer.unwrap_or(Scorer::shared()), site);
            methods.entry(name).or_default().push(said(&gold.id, &found));
        };
        read("default", None);
        let siblings = seen(&golds, &pages, done, others.siblings);
        if others.siblings > 0 {
            read("with siblings", Some(&siblings));
        }
        if others.taught > 0 {
            read("taught", Some(&taught(siblings, &golds, &pages, done, others.taught)));
        }
    }
    shown.end();
    write_predictions(common, &methods["default"])?;
    let mut summaries = BTreeMap::new();
    for (name, lines) in &methods {
        let rows: Vec<articles::Row> =
            golds.iter().zip(lines).map(|(gold, line)| articles::score(gold, line)).collect();
        if common.per_page && *name == "default" {
            for row in &rows {
                out::json_line(row)?;
            }
        }
        summaries.insert(*name, articles::summary(&rows));
    }
    if common.json {
        out::json(&summaries)?;
        return Ok(Exit::Done);
    }
    for (name, s) in &summaries {
        let share =
            |(value, n): (Figure, usize)| if n == 0 { "–".into() } else { format!("{value:.3} ({n})") };
        out::line(format!(
            "{name:16} {} pages: body P {:.3} R {:.3} F1 {:.3} (se {:.3}), {} of {} below .5 | title {} | authors {} F1 {} | day {} | segments F1 {}",
            s.pages,
            s.precision,
            s.recall,
            s.f1,
            s.f1_error,
            s.below_half,
            s.bodies,
            share(s.title),
            share(s.authors),
            share(s.author_f1),
            share(s.day),
            share(s.segment_f1)
        ))?;
    }
    Ok(Exit::Done)
}

/// The other pages of a page's site, those behind it in the gold first.
fn others(golds: &[articles::Line], of: usize) -> impl Iterator<Item = usize> {
    let order = (of + 1..golds.len()).chain(0..of);
    order.filter(move |&other| golds[of].site.is_some() && golds[other].site == golds[of].site)
}

fn seen(golds: &[articles::Line], pages: &[Page], of: usize, most: usize) -> SiteKnowledge {
    let mut site = SiteKnowledge::default();
    others(golds, of).take(most).for_each(|other| site.see(&pages[other]));
    site
}

/// With lessons of the first pages whose gold can teach: one that its page does not show cannot.
fn taught(
    mut site: SiteKnowledge,
    golds: &[articles::Line],
    pages: &[Page],
    of: usize,
    most: usize,
) -> SiteKnowledge {
    for other in others(golds, of) {
        if site.lessons().len() >= most {
            break;
        }
        let gold = &golds[other];
        let right = Correction {
            body: gold.body.clone().filter(|body| !body.is_empty()),
            title: gold.title.clone(),
            authors: gold.authors.clone().unwrap_or_default(),
            published: gold.published.clone(),
            ..Correction::default()
        };
        let only_body = Correction { body: right.body.clone(), ..Correction::default() };
        // A title, a name or a date that is not on the page as it was written down does not stop a lesson.
        if site.teach(&pages[other], LATEST, &right).is_err() {
            site.teach(&pages[other], LATEST, &only_body).ok();
        }
    }
    site
}

fn read_folds(folder: &Path) -> anyhow::Result<Vec<Scorer>> {
    let read = |fold| {
        let path = folder.join(format!("{fold}.txt"));
        let text = std::fs::read_to_string(&path).map_err(|error| {
            hinted(
                format!("cannot read `{}`: {error}", path.display()),
                "page/train/bodies.py --folds DIR writes the trees of all folds",
            )
        })?;
        Scorer::parse(&text).with_context(|| format!("cannot read `{}`", path.display()))
    };
    (0..FOLDS).map(read).collect()
}

/// The trivial baseline: all leaves, and the document's title.
fn everything(id: &str, page: &Page) -> articles::Line {
    let text: Vec<&str> = (0..page.leaves.len()).map(|leaf| page.leaves.text(leaf)).collect();
    articles::Line {
        id: id.into(),
        title: page.title.clone(),
        body: Some(text.join("\n")),
        ..Default::default()
    }
}

fn said(id: &str, article: &Article) -> articles::Line {
    articles::Line {
        id: id.into(),
        url: None,
        title: article.title.clone(),
        authors: Some(article.authors.clone()),
        published: article.published.clone(),
        body: Some(article.text()),
        ..Default::default()
    }
}
