//! `newslode template list` and `show`: list the known sites, and show the knowledge of one.

use newslode_common::store::SiteState;
use newslode_miner::work::knowledge::Knowledge;
use newslode_page::extract::Lesson;
use newslode_page::reading::Site;

use crate::exit::Exit;
use crate::out;
use crate::queries::templates::{dropped_text, knowledge_json, template_usage};

pub(super) async fn list(state: &dyn SiteState, json: bool) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    for (site, _) in state.sites().await? {
        let (knowledge, _) = Knowledge::read(state, &site).await?;
        if knowledge.is_empty() {
            continue;
        }
        let templates = &knowledge.templates;
        let (seen, accepted) = templates.acceptance();
        if json {
            rows.push(knowledge_json(&site, &knowledge));
            continue;
        }
        out::line(format!(
            "{site}  {}, {} in use and {} dropped, {accepted} of {seen} articles accepted, {} waiting",
            out::counted(knowledge.site.lessons().len(), "corrected page"),
            out::counted(templates.live().len(), "template"),
            templates.dropped().len(),
            templates.waiting().len()
        ))?;
    }
    if json {
        out::json(&rows)?;
    }
    Ok(Exit::Done)
}

pub(super) fn show(site: &Site, knowledge: &Knowledge, json: bool) -> anyhow::Result<Exit> {
    if json {
        out::json(&knowledge_json(site, knowledge))?;
        return Ok(Exit::Done);
    }
    let (seen, accepted) = knowledge.templates.acceptance();
    out::line(format!(
        "{site}: {accepted} of {seen} articles are accepted by a template, {} wait for one, {} are compared with others",
        knowledge.templates.waiting().len(),
        knowledge.site.seen().count()
    ))?;
    if knowledge.has_new_lessons {
        out::line("some of its articles have not been read again since the last correction")?;
    }
    knowledge.site.lessons().iter().try_for_each(lesson_text)?;
    knowledge
        .templates
        .live()
        .iter()
        .try_for_each(|live| out::line(format!("\n{}", template_usage(live))))?;
    knowledge
        .templates
        .dropped()
        .iter()
        .rev()
        .try_for_each(|dropped| out::line(format!("\n{}", dropped_text(dropped))))?;
    Ok(Exit::Done)
}

fn lesson_text(lesson: &Lesson) -> anyhow::Result<()> {
    out::line(format!("\ncorrected: {}", lesson.url))?;
    for (place, words) in &lesson.places {
        let share = if words.all > 0.0 { words.body / words.all * 100.0 } else { 0.0 };
        out::line(format!("  {share:3.0} % of {:5.0} words  {place}", words.all))?;
    }
    let fields = &lesson.fields;
    for source in &fields.title {
        let around = format!("{}…{}", source.before, source.after);
        out::line(format!("  title: {:?}, as `{around}`", source.source))?;
    }
    for (field, places) in [("authors", &fields.authors), ("published", &fields.published)] {
        for place in places {
            out::line(format!("  {field}: {place}"))?;
        }
    }
    Ok(())
}
