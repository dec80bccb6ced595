//! `newslode taxonomy`: prints the taxonomy of a run or of the services.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use newslode_common::broker::Limits;
use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::config::Config;
use newslode_common::store::{Frontier, PageArchive, SiteState};
use newslode_common::telemetry::metrics::Metrics;
use newslode_miner::mining::fold::{Rules, explain};
use newslode_miner::mining::ontology::{BASE, OntologyWriter, RdfForm};
use newslode_miner::mining::taxonomy::{Relation, Taxonomy, tree_svg, tree_text};
use newslode_miner::work::parts::Parts;
use newslode_miner::work::summaries::summaries;

use crate::args::{TaxonomyArgs, TaxonomyFormat};
use crate::exit::{Exit, hinted};
use crate::{engine, out, served};

/// Opens an installation for reading: a run's folder, or the services' servers. A reader publishes nothing,
/// so it gets an empty broker of its own.
pub(crate) async fn installation(dir: Option<&Path>, config: &Config) -> anyhow::Result<Parts> {
    let stores: Stores = match dir {
        Some(folder) => {
            let store = Arc::new(engine::open_state(folder)?);
            (store.clone(), store.clone(), store)
        }
        None => {
            let store = Arc::new(served::store(config).await?);
            (store.clone(), store, Arc::new(served::archive(config)?))
        }
    };
    installed(stores, config)
}

/// The stores of an installation.
type Stores = (Arc<dyn Frontier>, Arc<dyn SiteState>, Arc<dyn PageArchive>);

/// An installation over these stores.
pub(crate) fn installed((frontier, state, archive): Stores, config: &Config) -> anyhow::Result<Parts> {
    let (broker, metrics) = (Arc::new(InProcessBroker::new(Limits::default())), Metrics::new()?);
    let rules = Rules::of_preset(config.partitioner.params);
    let params = Arc::new(config.page_params());
    let schedule = Arc::new(config.schedule.clone());
    let retention = config.miner.retention;
    let (parsed, owners, filing) = (Arc::default(), Arc::default(), Arc::default());
    Ok(Parts {
        stores: newslode_miner::work::stores::Stores { frontier, state, archive, parsed },
        owners,
        filing,
        broker,
        metrics,
        rules,
        params,
        schedule,
        retention,
    })
}

pub(crate) async fn run(args: TaxonomyArgs, config: &Config) -> anyhow::Result<Exit> {
    let parts = installation(args.dir.as_deref(), config).await?;
    let Some(taxonomy) = newslode_miner::work::fold::read_taxonomy(parts.stores.state.as_ref()).await? else {
        return Err(hinted("nothing has been folded yet", "mine first, or wait for the miner's first fold"));
    };
    if let Some(concept) = &args.explain {
        let sites = summaries(parts.stores.state.as_ref()).await?;
        let why = explain(&taxonomy, &sites, concept);
        match args.format {
            TaxonomyFormat::Json => out::json(&explained(&taxonomy, concept, &why))?,
            _ => out::text(&why)?,
        }
        return Ok(Exit::Done);
    }
    match args.format {
        TaxonomyFormat::Tree => out::text(&tree_text(&taxonomy))?,
        TaxonomyFormat::Json => out::json(&taxonomy)?,
        TaxonomyFormat::Turtle => rdf(&taxonomy, RdfForm::Turtle)?,
        TaxonomyFormat::Rdfxml => rdf(&taxonomy, RdfForm::Xml)?,
        TaxonomyFormat::Svg => out::text(&tree_svg(&taxonomy))?,
    }
    Ok(Exit::Done)
}

/// What is behind a concept, as JSON: what the taxonomy says of it, and why, in words.
fn explained(taxonomy: &Taxonomy, asked: &str, why: &str) -> serde_json::Value {
    let concept = taxonomy
        .concepts
        .iter()
        .find(|concept| concept.key == asked || concept.label.to_lowercase() == asked.to_lowercase());
    let of_it = |relation: &&Relation| {
        concept.is_some_and(|concept| [&relation.broader, &relation.narrower].contains(&&concept.key))
    };
    let relations: Vec<_> = taxonomy.relations.iter().filter(of_it).collect();
    serde_json::json!({ "asked": asked, "concept": concept, "relations": relations, "why": why })
}

fn rdf(taxonomy: &Taxonomy, form: RdfForm) -> anyhow::Result<()> {
    let mut ontology = OntologyWriter::new(Vec::new(), BASE, form)?;
    ontology.taxonomy(taxonomy)?;
    Ok(std::io::stdout().lock().write_all(&ontology.finish()?)?)
}
