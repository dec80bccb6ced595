//! Correcting an article, and so teaching its site.
//!
//! Three steps on one path: the form with what was read, what the correction would change in the newest articles of the site,
//! and keeping it. Nothing is written before the last one. Start at [`correct`].

use std::sync::Arc;

use axum::extract::{Path, State};
use newslode_miner::work::archive;
use newslode_miner::work::copies::why_removed;
use newslode_miner::work::knowledge::Knowledge;
use newslode_miner::work::views::preview;
use newslode_page::Page;
use newslode_page::article::Article;
use newslode_page::extract::Correction;

use super::form::Form;
use crate::console::access::Visitor;
use crate::console::answer::{PageResult, Problem};
use crate::console::detail::Detail;
use crate::console::filter::ArticleQuery;
use crate::console::pages::article::find_article;
use crate::console::pages::correct::{CorrectionForm, Effect, form_page, preview_page, was_corrected};
use crate::console::pages::parts::article_path;
use crate::console::pages::shell::page_response;
use crate::console::snapshot::{ArticleSummary, Snapshot};
use crate::console::state::Console;
use crate::control::Change;
use crate::filter::Filter;
use crate::filter::times::Calendar;
use crate::queries::audit::Deed;
use crate::teaching::{Lesson, LessonContent, LessonPage, teach_page};

/// Articles of the site that a preview reads besides the corrected one: half of them the newest, the others from all of its time.
const READ: usize = 60;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let summary = find_article(&snapshot, &id)?;
    let article = read_article(&console, &snapshot, summary).await?;
    let (knowledge, _) = Knowledge::read(console.source.parts.stores.state.as_ref(), &summary.site).await?;
    let asked = CorrectionForm::of_article(&article);
    page_response(&console, &snapshot, form_page(summary, &asked, &knowledge, &visitor))
}

/// An article as the archive has it.
async fn read_article(
    console: &Console,
    snapshot: &Snapshot,
    summary: &ArticleSummary,
) -> Result<Article, Problem> {
    let detail = Detail::read(&console.source.parts, &snapshot.mined, summary).await?;
    let gone = || Problem::not_found("The article was read anew just now. Load this page again in a moment.");
    detail.map(|detail| detail.article).ok_or_else(gone)
}

pub(in crate::console) async fn correct(
    State(console): State<Arc<Console>>,
    Path(id): Path<String>,
    form: Form,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let summary = find_article(&snapshot, &id)?;
    let parts = &console.source.parts;
    let article = read_article(&console, &snapshot, summary).await?;
    let (knowledge, _) = Knowledge::read(parts.stores.state.as_ref(), &summary.site).await?;
    let asked = CorrectionForm::of_form(&form);
    if form.get("act") == "edit" {
        let visitor = Visitor { mark: Some(form.mark.clone()), may_sign_in: false, is_known: true };
        return page_response(&console, &snapshot, form_page(summary, &asked, &knowledge, &visitor));
    }
    let Some((_, page)) = archive::page(&parts.stores, &summary.url).await? else {
        let why = match archive::removed(&parts.stores, &summary.url).await? {
            Some(at) => {
                let why = why_removed(parts, &summary.url).await?;
                format!("The bytes of this page were removed on {} {why}", crate::out::day(at))
            }
            None => "The archive no longer holds this page".to_owned(),
        };
        return Err(Problem::not_found(format!("{why}, so nothing can be learnt from it.")).into());
    };
    let correction = correction_of(&asked, &article, &knowledge, summary);
    if form.get("act") == "keep" {
        let page = LessonPage::Archived(summary.url.clone());
        let content = LessonContent::Correct { page, correction };
        let lesson = Change::Lesson(Lesson { site: summary.site.clone(), content });
        let known = console.source.change(lesson).await.map_err(Problem::refused)?;
        form.did(&console, Deed::CorrectedArticle, summary.url.as_str()).await;
        let next = console.read_again(summary.site.clone());
        let said = format!("{} has learnt from it ({known}). {next}", summary.site);
        return Ok(console.notices.then(&article_path(summary), said));
    }
    let effect = preview_effect(&console, &snapshot, summary, &knowledge, (&page, &correction)).await?;
    page_response(&console, &snapshot, preview_page(&snapshot.mined, summary, &asked, &effect, &form.mark))
}

/// What was corrected: fields that differ from what was read. If the page was corrected before, what was sent replaces
/// that whole, so fields that were not touched now are part of it.
fn correction_of(
    asked: &CorrectionForm,
    article: &Article,
    knowledge: &Knowledge,
    summary: &ArticleSummary,
) -> Correction {
    let was_corrected = was_corrected(knowledge, summary);
    let read = CorrectionForm::of_article(article);
    let changed = |sent: &str, read: &str| {
        (!sent.is_empty() && (was_corrected || sent != read)).then(|| sent.to_owned())
    };
    let authors =
        if was_corrected || asked.authors != read.authors { asked.authors.clone() } else { Vec::new() };
    Correction {
        body: changed(&asked.body, &read.body),
        drop: asked.drop.clone(),
        title: changed(&asked.title, &read.title),
        authors,
        published: changed(&asked.published, &read.published),
    }
}

/// What a correction would change.
async fn preview_effect(
    console: &Console,
    snapshot: &Snapshot,
    summary: &ArticleSummary,
    knowledge: &Knowledge,
    (page, correction): (&Page, &Correction),
) -> Result<Effect, Problem> {
    let mut taught = knowledge.clone();
    if let Err(error) = teach_page(&mut taught, page, correction) {
        return Ok(Effect::Refused(error.to_string()));
    }
    let asked = ArticleQuery::of(Filter { site: summary.site.to_string(), ..Filter::default() });
    let all = asked.select(snapshot, usize::MAX, &Calendar::current())?.articles;
    let others: Vec<&ArticleSummary> = all.into_iter().filter(|other| other.id != summary.id).collect();
    let (newest, older) = others.split_at(others.len().min(READ / 2));
    let step = older.len().div_ceil(READ / 2).max(1);
    let others = newest.iter().chain(older.iter().step_by(step)).map(|other| other.content);
    let contents = std::iter::once(summary.content).chain(others).collect();
    let read = preview(
        &console.source.parts.stores,
        [knowledge.site_knowledge(), taught.site_knowledge()],
        contents,
    )
    .await?;
    Ok(Effect::Read(read))
}
