//! `newslode template`: teach a site by one corrected page, and look at what is known of sites.
//!
//! What is known of a site is one versioned value, `templates/SITE`, in the run's store or the services'.
//! `teach` and `forget` read all the site's articles again at once, so that what the run holds is what is
//! known; pages that are mined later are read again at the end of that run.

#[cfg(test)]
mod drift;
mod explain;
mod redo;

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use newslode_common::config::Config;
use newslode_common::page::Site;
use newslode_common::store::SiteState;
use newslode_common::time::Timestamp;
use newslode_miner::service::Parts;
use newslode_partitioner::Page;
use newslode_partitioner::extract::{Correction, SiteKnowledge};
use newslode_partitioner::work::limits;

pub(crate) use self::redo::{redo, redo_known};
use super::taxonomy::installation;
use crate::args::{PagesArgs, TeachArgs, TemplateArgs, TemplateCommand, TemplateSite};
use crate::engine;
use crate::exit::{Exit, hinted};
use crate::{input, out, served};

/// Other writers were first, each time: after this often we give up.
const ROUNDS: usize = 5;

pub(crate) async fn run(args: TemplateArgs, config: &Config) -> anyhow::Result<Exit> {
    match args.command {
        TemplateCommand::Teach(args) => teach(args, config).await,
        TemplateCommand::List(args) => list(state(args.dir.as_deref(), config).await?.as_ref()).await,
        TemplateCommand::Show(args) => show(args, config).await,
        TemplateCommand::Explain { site, format } => {
            let (parts, site) = (installation(site.dir.as_deref(), config).await?, Site::of_host(&site.site));
            let known = match read(parts.state.as_ref(), &site).await? {
                Some((known, _)) if !known.templates().is_empty() => known,
                _ => redo::learnt(&parts, &site, SiteKnowledge::default()).await?,
            };
            explain::explain(&site, known.templates(), format)
        }
        TemplateCommand::Forget { site, page } => forget(site, page, config).await,
    }
}

/// The store of a run or of the services.
pub(crate) async fn state(dir: Option<&Path>, config: &Config) -> anyhow::Result<Arc<dyn SiteState>> {
    Ok(match dir {
        Some(folder) => Arc::new(engine::open_state(folder)?),
        None => Arc::new(served::store(config).await?),
    })
}

/// The value's name.
fn name(site: &Site) -> String {
    format!("templates/{site}")
}

/// What is known of a site, with the value's version.
pub(crate) async fn read(state: &dyn SiteState, site: &Site) -> anyhow::Result<Option<(SiteKnowledge, u64)>> {
    let Some((version, bytes)) = state.value(&name(site)).await? else { return Ok(None) };
    // A site that all was forgotten of keeps an empty value.
    if bytes.is_empty() {
        return Ok(None);
    }
    let known = SiteKnowledge::from_json(&bytes).with_context(|| format!("what is known of {site}"))?;
    Ok(Some((known, version)))
}

/// Changes what is known of a site; what others wrote meanwhile is kept.
async fn change(
    state: &dyn SiteState,
    site: &Site,
    mut change: impl FnMut(SiteKnowledge) -> anyhow::Result<Option<SiteKnowledge>>,
) -> anyhow::Result<Option<SiteKnowledge>> {
    for _ in 0..ROUNDS {
        let version = state.value(&name(site)).await?.map(|(version, _)| version);
        let known = read(state, site).await?.map(|(known, _)| known).unwrap_or_default();
        let new = change(known)?;
        let bytes = new.as_ref().map(SiteKnowledge::to_json).unwrap_or_default();
        if state.put_value(&name(site), version, bytes.into()).await?.is_some() {
            return Ok(new);
        }
    }
    anyhow::bail!("others change what is known of {site} all the time")
}

async fn teach(args: TeachArgs, config: &Config) -> anyhow::Result<Exit> {
    let parts = installation(args.dir.as_deref(), config).await?;
    let site = Site::of_host(&args.site);
    let page = page(&parts, &args, config).await?;
    let body = args.body.as_ref().map(|file| {
        std::fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))
    });
    let correction = Correction {
        body: body.transpose()?,
        drop: args.drop.clone(),
        title: args.title.clone(),
        authors: args.author.clone(),
        published: args.published.clone(),
    };
    // What the site's other pages show goes with the first lesson.
    let mut learnt = redo::learnt(&parts, &site, SiteKnowledge::default()).await?;
    learnt.see(&page);
    let known = change(parts.state.as_ref(), &site, |known| {
        let mut known = if known.templates().is_empty() { known.with_pages_of(&learnt) } else { known };
        let taught = known.teach(&page, Timestamp::now(), &correction);
        taught.map_err(|error| {
            hinted(error.to_string(), "newslode template teach --help shows what can be corrected")
        })?;
        Ok(Some(known))
    })
    .await?;
    let changed = redo(&parts, &site, known.as_ref()).await?;
    if let Some(folder) = &args.dir {
        super::export::write_outputs(&parts, folder, false).await?;
    }
    let lessons = known.map_or(0, |known| known.lessons().len());
    out::line(format!("{site}: {lessons} corrected pages known, {changed} articles read again"))?;
    Ok(Exit::Done)
}

/// The page that is corrected: of the run, if it has one of this URL, else a file or fetched.
async fn page(parts: &Parts, args: &TeachArgs, config: &Config) -> anyhow::Result<Page> {
    if let Ok(url) = input::parse_url(&args.page)
        && let Some(page) = redo::archived(parts, &url).await?
    {
        return Ok(page);
    }
    let asked = PagesArgs { pages: vec![args.page.clone()], url: args.url.clone() };
    let pages = input::read(&asked, &config.crawler).await?;
    let page = pages.first().with_context(|| format!("`{}` is no page", args.page))?;
    Ok(Page::parse(&page.url, page.content_type.as_deref(), &page.bytes, &limits()))
}

async fn list(state: &dyn SiteState) -> anyhow::Result<Exit> {
    for (site, _) in state.sites().await? {
        let Some((known, version)) = read(state, &site).await? else { continue };
        let pages: u32 = known.templates().iter().map(|template| template.pages).sum();
        out::line(format!(
            "{site}  {} corrected pages, {} templates of {pages} pages, {} pages compared, change {version}",
            known.lessons().len(),
            known.templates().len(),
            known.seen().count()
        ))?;
    }
    Ok(Exit::Done)
}

async fn show(args: TemplateSite, config: &Config) -> anyhow::Result<Exit> {
    let site = Site::of_host(&args.site);
    let state = state(args.dir.as_deref(), config).await?;
    let Some((known, version)) = read(state.as_ref(), &site).await? else {
        return Err(unknown(&site));
    };
    out::line(format!("{site}, change {version}"))?;
    for lesson in known.lessons() {
        out::line(format!("\ncorrected: {}", out::harmless(&lesson.url)))?;
        for (place, words) in &lesson.places {
            let share = if words.all > 0.0 { words.body / words.all * 100.0 } else { 0.0 };
            out::line(format!("  {share:3.0} % of {:5.0} words  {}", words.all, out::harmless(place)))?;
        }
        let fields = &lesson.fields;
        for source in &fields.title {
            let around = format!("{}…{}", source.before, source.after);
            out::line(out::harmless(&format!("  title: {:?}, as `{around}`", source.source)))?;
        }
        for (field, places) in [("authors", &fields.authors), ("published", &fields.published)] {
            for place in places {
                out::line(out::harmless(&format!("  {field}: {place}")))?;
            }
        }
    }
    for template in known.templates() {
        out::line(format!(
            "\ntemplate v{}: {} pages, {} vertices, {} passages vary",
            template.version,
            template.pages,
            template.pattern.vertices.len(),
            template.slots.len()
        ))?;
    }
    Ok(Exit::Done)
}

async fn forget(args: TemplateSite, page: Option<String>, config: &Config) -> anyhow::Result<Exit> {
    let site = Site::of_host(&args.site);
    let parts = installation(args.dir.as_deref(), config).await?;
    if read(parts.state.as_ref(), &site).await?.is_none() {
        return Err(unknown(&site));
    }
    let known = change(parts.state.as_ref(), &site, |mut known| {
        let Some(url) = &page else { return Ok(None) };
        let url = input::parse_url(url).map_or_else(|_| url.clone(), |url| url.to_string());
        if known.forget(Some(&url)) == 0 {
            return Err(hinted(
                format!("no page `{url}` of {site} was corrected"),
                "newslode template show lists them",
            ));
        }
        Ok(Some(known))
    })
    .await?;
    let changed = redo(&parts, &site, known.as_ref()).await?;
    if let Some(folder) = &args.dir {
        super::export::write_outputs(&parts, folder, false).await?;
    }
    out::line(format!("{site}: forgotten, {changed} articles read again"))?;
    Ok(Exit::Done)
}

fn unknown(site: &Site) -> anyhow::Error {
    hinted(
        format!("nothing is known of `{site}`"),
        "newslode template list shows of which sites something is",
    )
}

#[cfg(test)]
mod tests;
