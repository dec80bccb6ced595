//! `newslode template`: teaches a site with one corrected page, and shows what is known about sites.
//!
//! The knowledge of a site is one value in the store of a run or of the services
//! (`newslode_miner::work::knowledge`). In a run's folder, `teach` and `forget` read the site's articles again at
//! once; in the services, the miners do so at their next look.

#[cfg(test)]
mod drift;
mod explain;
mod show;

use std::sync::Arc;

use anyhow::Context;
use newslode_common::config::Config;
use newslode_common::time;
use newslode_miner::work::archive;
use newslode_miner::work::knowledge::{self, Knowledge};
use newslode_miner::work::parts::Parts;
use newslode_page::Page;
use newslode_page::extract::Correction;
use newslode_page::reading::Site;
use tokio_util::sync::CancellationToken;

use crate::args::{PagesArgs, TeachArgs, TemplateArgs, TemplateCommand, TemplateSite};
use crate::exit::{Exit, hinted};
use crate::installation::{self, Setup};
use crate::outputs::read_again;
use crate::queries::templates::{open_site_state, read_knowledge};
use crate::{input, out};

pub(crate) async fn run(args: TemplateArgs, setup: &Setup) -> anyhow::Result<Exit> {
    match args.command {
        TemplateCommand::Teach(args) => teach_site(args, setup).await,
        TemplateCommand::List { run, json } => {
            show::list(open_site_state(&run.target(setup)?, &setup.config).await?.as_ref(), json).await
        }
        TemplateCommand::Show { site, json } => {
            let (site, knowledge) = read_site_knowledge(site, setup).await?;
            show::show(&site, &knowledge, json)
        }
        TemplateCommand::Explain { site, format } => {
            let (site, knowledge) = read_site_knowledge(site, setup).await?;
            explain::explain(&site, &knowledge.templates, format)
        }
        TemplateCommand::Forget { site, page } => forget_lessons(site, page, setup).await,
    }
}

async fn read_site_knowledge(args: TemplateSite, setup: &Setup) -> anyhow::Result<(Site, Knowledge)> {
    let site = Site::of_host(&args.site);
    let state = open_site_state(&args.run.target(setup)?, &setup.config).await?;
    let knowledge = read_knowledge(state.as_ref(), &site).await?;
    Ok((site, knowledge))
}

async fn teach_site(args: TeachArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let (config, target) = (&setup.config, args.run.target(setup)?);
    let parts = installation::open_to_change(&target, config).await?;
    let site = Site::of_host(&args.site);
    let page = page_to_correct(&parts, &args, config).await?;
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
    let knowledge = knowledge::teach(parts.stores.state.as_ref(), &site, |knowledge| {
        let taught = knowledge.site.teach(&page, time::now(), &correction);
        taught.map_err(|error| {
            hinted(error.to_string(), "newslode template teach --help shows what can be corrected")
        })?;
        Ok(())
    })
    .await?;
    let lessons = knowledge.site.lessons().len();
    let done = read_again(&parts, &site, target.folder(), config, &CancellationToken::new()).await?;
    out::line(format!("{site}: {lessons} corrected pages known, {done}"))?;
    Ok(Exit::Done)
}

/// The page to correct: from the run if it has this URL, otherwise read from a file or fetched.
async fn page_to_correct(parts: &Parts, args: &TeachArgs, config: &Config) -> anyhow::Result<Arc<Page>> {
    if let Ok(url) = input::parse_url(&args.page)
        && let Some(page) = archive::page(&parts.stores, &url).await?
    {
        return Ok(page);
    }
    let asked = PagesArgs { pages: vec![args.page.clone()], url: args.url.clone() };
    let pages = input::read_pages(&asked, &config.crawler).await?;
    let page = pages.first().with_context(|| format!("`{}` is no page", args.page))?;
    Ok(Arc::new(Page::parse(&page.url, page.content_type.as_deref(), &page.bytes)))
}

async fn forget_lessons(args: TemplateSite, page: Option<String>, setup: &Setup) -> anyhow::Result<Exit> {
    let (config, target) = (&setup.config, args.run.target(setup)?);
    let site = Site::of_host(&args.site);
    let parts = installation::open_to_change(&target, config).await?;
    read_knowledge(parts.stores.state.as_ref(), &site).await?;
    knowledge::teach(parts.stores.state.as_ref(), &site, |knowledge| {
        let Some(url) = &page else {
            // The site's templates are learnt anew from the pages at hand.
            *knowledge = Knowledge::default();
            return Ok(());
        };
        let url = input::parse_url(url).map_or_else(|_| url.clone(), |url| url.to_string());
        if knowledge.site.forget(Some(&url)) == 0 {
            return Err(hinted(
                format!("no page `{url}` of {site} was corrected"),
                "newslode template show lists them",
            ));
        }
        Ok(())
    })
    .await?;
    let done = read_again(&parts, &site, target.folder(), config, &CancellationToken::new()).await?;
    out::line(format!("{site}: forgotten, {done}"))?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests;
