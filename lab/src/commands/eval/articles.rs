//! `newslode-lab eval articles`: scores fields and bodies against gold, beside all text of the page.

use std::collections::BTreeMap;
use std::path::Path;

use newslode::demo::scores::articles::{ArticleRecord, ArticleScores, score_article};
use newslode::exit::Exit;
use newslode::out;
use newslode::progress::ProgressDisplay;
use newslode_page::Page;
use newslode_page::article::Article;
use newslode_page::extract::{Correction, Focus, Reading, Scorer, SiteKnowledge};
use newslode_page::time::Timestamp;

use super::gold::{page, write_predictions};
use crate::args::EvalCommon;
use crate::eval::splits::Splits;
use crate::eval::{Figure, articles, read_lines};

/// Gold pages have no time of fetching. No date on them is later than this.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

/// Number of splits that `page/train/bodies.py` makes.
const SPLITS: usize = 5;

/// The most parts into which the pages of a site are dealt; the pages of a part are read with what the other parts teach.
const PARTS: usize = 5;

/// With which other pages of its site a page is read, too.
#[derive(Clone, Copy)]
pub(super) struct Others {
    /// The number of unlabelled pages.
    pub(super) siblings: usize,
    /// Whether with all that the site's unlabelled pages teach, templates included.
    pub(super) templates: bool,
    /// The number of pages corrected by their gold.
    pub(super) taught: usize,
}

pub(super) fn run(
    common: &EvalCommon,
    folds: Option<&Path>,
    others: Others,
    focus: Focus,
    quiet: bool,
) -> anyhow::Result<Exit> {
    let splits = folds.map(|folder| Splits::read(folder, SPLITS, "bodies.py", Scorer::parse)).transpose()?;
    let golds: Vec<ArticleRecord> = read_lines(&common.gold)?;
    let mut methods: BTreeMap<&str, Vec<ArticleRecord>> = BTreeMap::new();
    let mut display = ProgressDisplay::new(quiet);
    let pages = golds.iter().map(|gold| {
        let input = page(&common.pages, &gold.id, gold.url.as_deref())?;
        Ok(Page::parse(&input.url, None, &input.bytes))
    });
    let pages: Vec<Page> = pages.collect::<anyhow::Result<_>>()?;
    let mut learnt = Learnt::default();
    for (done, (gold, page)) in golds.iter().zip(&pages).enumerate() {
        display.count(done, golds.len(), "pages");
        methods.entry("all text").or_default().push(everything(&gold.id, page));
        let scorer = splits.as_ref().and_then(|splits| splits.without(gold.site_or_id()));
        let mut read = |name, site: Option<&SiteKnowledge>| {
            let reading = Reading::new(LATEST, site).with_scorer(scorer.unwrap_or(Scorer::shared()));
            let found = reading.with_focus(focus).as_article(page);
            methods.entry(name).or_default().push(said(&gold.id, &found));
        };
        read("default", None);
        let siblings = seen(&golds, &pages, done, others.siblings);
        if others.siblings > 0 {
            read("with siblings", Some(&siblings));
        }
        if others.templates {
            read("with templates", Some(learnt.for_page(&golds, &pages, done)));
        }
        if others.taught > 0 {
            read("taught", Some(&taught(siblings, &golds, &pages, done, others.taught)));
        }
    }
    display.end();
    write_predictions(common, &methods["default"])?;
    let mut summaries = BTreeMap::new();
    for (name, lines) in &methods {
        let rows: Vec<ArticleScores> =
            golds.iter().zip(lines).map(|(gold, line)| score_article(gold, line)).collect();
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

/// The other pages of a page's site; those after it in the gold come first.
fn others(golds: &[ArticleRecord], of: usize) -> impl Iterator<Item = usize> {
    let order = (of + 1..golds.len()).chain(0..of);
    order.filter(move |&other| golds[of].site.is_some() && golds[other].site == golds[of].site)
}

/// What was learnt from the pages of a site without one of its parts.
#[derive(Default)]
struct Learnt(BTreeMap<(String, usize), SiteKnowledge>);

impl Learnt {
    /// What the pages of the other parts of a page's site teach.
    fn for_page(&mut self, golds: &[ArticleRecord], pages: &[Page], of: usize) -> &SiteKnowledge {
        let site = golds[of].site_or_id();
        let all: Vec<usize> = (0..golds.len()).filter(|&at| golds[at].site_or_id() == site).collect();
        let parts = all.len().min(PARTS);
        let part = all.iter().position(|&at| at == of).unwrap_or(0) % parts;
        self.0.entry((site.to_owned(), part)).or_insert_with(|| {
            let others = all.iter().enumerate().filter(|(number, _)| number % parts != part);
            let others: Vec<&Page> = others.map(|(_, &at)| &pages[at]).collect();
            let mut site = SiteKnowledge::default();
            site.learn(&others);
            site
        })
    }
}

fn seen(golds: &[ArticleRecord], pages: &[Page], of: usize, most: usize) -> SiteKnowledge {
    let mut site = SiteKnowledge::default();
    others(golds, of).take(most).for_each(|other| site.see(&pages[other]));
    site
}

/// Teaches the site with the first pages whose gold can teach. Gold that its page does not show cannot.
fn taught(
    mut site: SiteKnowledge,
    golds: &[ArticleRecord],
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
        // A title, name or date that the page does not show as written must not stop a lesson.
        if site.teach(&pages[other], LATEST, &right).is_err() {
            site.teach(&pages[other], LATEST, &only_body).ok();
        }
    }
    site
}

/// The trivial baseline: the text of all leaves, and the document's title.
fn everything(id: &str, page: &Page) -> ArticleRecord {
    let text: Vec<&str> = (0..page.leaves.len()).map(|leaf| page.leaves.text(leaf)).collect();
    ArticleRecord {
        id: id.into(),
        title: page.title.clone(),
        body: Some(text.join("\n")),
        ..Default::default()
    }
}

fn said(id: &str, article: &Article) -> ArticleRecord {
    ArticleRecord {
        id: id.into(),
        url: None,
        title: article.title.clone(),
        authors: Some(article.authors.clone()),
        published: article.published.clone(),
        body: Some(article.text()),
        ..Default::default()
    }
}
