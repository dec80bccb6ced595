//! `newslode template`: teaches a site with one corrected page, and shows what is known about sites.
//!
//! The knowledge of a site is one value in the store of a run or of the services
//! (`newslode_miner::work::knowledge`). In a run's folder, `teach` and `forget` read the site's articles again at
//! once; in the services, the miners do so at their next look.

#[cfg(test)]
mod drift;
mod explain;
mod show;

use anyhow::Context;
use newslode_miner::work::archive;
use newslode_miner::work::knowledge::Knowledge;
use newslode_page::extract::Correction;
use newslode_page::reading::Site;

use crate::args::{PagesArgs, TeachArgs, TemplateArgs, TemplateCommand, TemplateSite};
use crate::control::{self, Change};
use crate::exit::Exit;
use crate::installation::{self, Setup, Target};
use crate::queries::templates::{open_site_state, read_knowledge};
use crate::teaching::{Lesson, LessonContent, LessonPage};
use crate::{input, out};

pub(crate) async fn run(args: TemplateArgs, setup: &Setup) -> anyhow::Result<Exit> {
    match args.command {
        TemplateCommand::Teach(args) => teach_site(args, setup).await,
        TemplateCommand::List { run, json } => {
            show::list(open_site_state(&run.target(setup), &setup.config).await?.as_ref(), json).await
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
    let state = open_site_state(&args.run.target(setup), &setup.config).await?;
    let knowledge = read_knowledge(state.as_ref(), &site).await?;
    Ok((site, knowledge))
}

async fn teach_site(args: TeachArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let target = args.run.target(setup);
    let page = page_to_correct(&args, &target, setup).await?;
    let body = args.body.as_ref().map(|file| {
        std::fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))
    });
    let correction = Correction {
        body: body.transpose()?,
        drop: args.drop,
        title: args.title,
        authors: args.author,
        published: args.published,
    };
    let site = Site::of_host(&args.site);
    keep_lesson(Lesson { site, content: LessonContent::Correct { page, correction } }, &target, setup).await
}

/// Keeps a lesson, and has the site's articles read again.
async fn keep_lesson(lesson: Lesson, target: &Target, setup: &Setup) -> anyhow::Result<Exit> {
    let site = lesson.site.clone();
    let known = control::apply(target, Change::Lesson(lesson), &setup.config).await?;
    let done = control::apply(target, Change::ReadAgain(site.clone()), &setup.config).await?;
    out::line(format!("{site}: {known}, {done}"))?;
    Ok(Exit::Done)
}

/// The page to correct: the archive's if it has this URL, otherwise read from a file or fetched.
async fn page_to_correct(args: &TeachArgs, target: &Target, setup: &Setup) -> anyhow::Result<LessonPage> {
    let parts = installation::open(target, &setup.config).await?;
    if let Ok(url) = input::parse_url(&args.page)
        && archive::page(&parts.stores, &url).await?.is_some()
    {
        return Ok(LessonPage::Archived(url));
    }
    let asked = PagesArgs { pages: vec![args.page.clone()], url: args.url.clone() };
    let pages = input::read_pages(&asked, &setup.config.crawler).await?;
    pages.first().map(LessonPage::of).with_context(|| format!("`{}` is no page", args.page))
}

async fn forget_lessons(args: TemplateSite, page: Option<String>, setup: &Setup) -> anyhow::Result<Exit> {
    let content = match page {
        Some(url) => {
            let page = input::parse_url(&url).map_or(url, |url| url.to_string());
            LessonContent::Forget { page }
        }
        None => LessonContent::ForgetAll,
    };
    let lesson = Lesson { site: Site::of_host(&args.site), content };
    keep_lesson(lesson, &args.run.target(setup), setup).await
}

#[cfg(test)]
mod tests;
