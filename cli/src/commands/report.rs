//! `newslode report`: writes a run, or the services' state, as one HTML file.

use std::path::PathBuf;

use newslode_miner::mining::ontology::RdfForm;

use crate::args::ReportArgs;
use crate::exit::{Exit, hinted};
use crate::installation::{self, Setup};
use crate::outputs::write_report;
use crate::queries::articles::{self, FiledArticle};
use crate::report::ArticlesByConcept;
use crate::{engine, out};

pub(crate) async fn run(args: ReportArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let target = args.run.target(setup);
    let parts = installation::open(&target, &setup.config).await?;
    if newslode_miner::work::fold::read_taxonomy(parts.stores.state.as_ref()).await?.is_none() {
        return Err(hinted(
            "the taxonomy has not been computed yet",
            "mine first, or wait for the miner's first fold",
        ));
    }
    let mut by_concept = ArticlesByConcept::default();
    let take = |filed_article: &FiledArticle<'_>| {
        by_concept.put(&filed_article.article, &filed_article.keys);
        Ok(())
    };
    let (taxonomy, _) =
        articles::export_articles(&parts, &mut std::io::sink(), RdfForm::Turtle, take).await?;
    let here = || target.folder().map_or_else(|| PathBuf::from("report.html"), engine::report_file);
    let file = args.out.clone().unwrap_or_else(here);
    write_report(&parts, &taxonomy, &by_concept, &file).await?;
    out::line(file.display())?;
    Ok(Exit::Done)
}
