//! `newslode extract`: extracts articles from pages, one JSON object per line.

use std::collections::BTreeMap;

use newslode_common::time;
use newslode_page::Page;
use newslode_page::article::PageKind;
use newslode_page::extract::{
    CommentedArticle, KindExplanation, Reading, SiteKnowledge, comments, explain_kind,
};
use newslode_page::reading::Site;
use newslode_page::template::MOST_COMPARED_PAGES;

use crate::args::{ExplanationForm, ExtractArgs};
use crate::exit::{Exit, hinted};
use crate::input::Input;
use crate::installation::{Setup, Target};
use crate::queries::explain::kind_facts;
use crate::queries::templates;
use crate::{input, out};

pub(crate) async fn run(args: ExtractArgs, setup: &Setup) -> anyhow::Result<Exit> {
    if args.comments && (args.format.document().is_some() || args.explain.is_some()) {
        return Err(hinted(
            "`--comments` has no place in this output: comments are no part of a document",
            "`--format json` writes them, as the key `comments` of each article",
        ));
    }
    let mut pages = input::read_pages(&args.pages, &setup.config.crawler).await?;
    if let Some(manifest) = &args.manifest {
        input::apply_manifest(&mut pages, manifest)?;
    }
    let knowledge = knowledge_of_sites(&args, &pages, setup).await?;
    let (mut found, all) = (0, pages.len());
    for page in pages {
        let site =
            knowledge.iter().find(|(site, _)| site.as_ref().is_none_or(|site| page.url.site() == *site));
        let site = site.map(|(_, knowledge)| knowledge);
        let page = parse_page(&page);
        if let Some(form) = args.explain {
            let explained = explain_kind(&page, site);
            found += usize::from(explained.kind == PageKind::Article);
            print_explanation(&explained, form)?;
            continue;
        }
        let reading = Reading::new(time::now(), site).with_focus(args.focus);
        let article =
            if args.any_kind { Some(reading.whatever_kind(&page)) } else { reading.article(&page).1 };
        let Some(article) = article else { continue };
        found += 1;
        match args.format.document() {
            None => {
                let comments = args.comments.then(|| comments(&page));
                out::json_line(&CommentedArticle { article: &article, comments: comments.as_deref() })?;
            }
            Some(format) => out::text(&format.write(&article))?,
        }
    }
    out::notice(format!("{} on {}", out::counted(found, "article"), out::counted(all, "page")));
    Ok(Exit::Done)
}

/// Prints why a page is or is not an article.
fn print_explanation(explained: &KindExplanation, form: ExplanationForm) -> anyhow::Result<()> {
    if form == ExplanationForm::Json {
        return out::json_line(explained);
    }
    out::line(&explained.url)?;
    kind_facts(explained).iter().try_for_each(|(name, value)| out::line(format!("  {name:16} {value}")))
}

fn parse_page(page: &Input) -> Page {
    Page::parse(&page.url, page.content_type.as_deref(), &page.bytes)
}

/// Knowledge of the pages' sites: for a named site, the store's knowledge, used for all pages; otherwise,
/// what the given pages of each site reveal about each other.
async fn knowledge_of_sites(
    args: &ExtractArgs,
    pages: &[Input],
    setup: &Setup,
) -> anyhow::Result<Vec<(Option<Site>, SiteKnowledge)>> {
    if let Some(site) = &args.template {
        let state =
            templates::open_site_state(&Target::new(args.dir.as_deref(), setup), &setup.config).await?;
        let knowledge = templates::read_knowledge(state.as_ref(), &Site::of_host(site)).await?;
        return Ok(vec![(None, knowledge.site_knowledge())]);
    }
    let mut sites: BTreeMap<Site, Vec<&Input>> = BTreeMap::new();
    if !args.alone {
        for page in pages {
            sites.entry(page.url.site()).or_default().push(page);
        }
    }
    sites.retain(|_, pages| pages.len() > 1);
    let learn = |(site, pages): (Site, Vec<&Input>)| {
        let step = pages.len().div_ceil(MOST_COMPARED_PAGES).max(1);
        let pages: Vec<Page> = pages.into_iter().step_by(step).map(parse_page).collect();
        let mut knowledge = SiteKnowledge::default();
        knowledge.learn(&pages.iter().collect::<Vec<_>>());
        (Some(site), knowledge)
    };
    Ok(sites.into_iter().map(learn).collect())
}
