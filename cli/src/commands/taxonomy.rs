//! `newslode taxonomy`: prints the taxonomy of a run or of the services.

use newslode_miner::mining::fold::explain;
use newslode_miner::mining::ontology::{BASE, OntologyWriter, RdfForm};
use newslode_miner::mining::registry::Registry;
use newslode_miner::mining::taxonomy::{Taxonomy, tree_svg, tree_text};
use newslode_miner::work::registry::read_registry;
use newslode_miner::work::scheme_summaries::SchemeSummaries;
use newslode_miner::work::summaries::summaries;

use crate::args::{TaxonomyArgs, TaxonomyFormat};
use crate::exit::{Exit, hinted};
use crate::installation::{self, Setup};
use crate::out;
use crate::queries::taxonomy::{IdentifiedTaxonomy, change_line, change_lines, explanation_json};

pub(crate) async fn run(args: TaxonomyArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let parts = installation::open(&args.run.target(setup), &setup.config).await?;
    let Some(taxonomy) = newslode_miner::work::fold::read_taxonomy(parts.stores.state.as_ref()).await? else {
        return Err(hinted(
            "the taxonomy has not been computed yet",
            "mine first, or wait for the miner's first fold",
        ));
    };
    if let Some(concept) = &args.explain {
        let sites = summaries(parts.stores.state.as_ref()).await?;
        let schemes = SchemeSummaries::default().refresh(parts.stores.state.as_ref()).await?;
        let why = explain(&taxonomy, &sites, &schemes, concept);
        match args.format {
            TaxonomyFormat::Json => out::json(&explanation_json(&taxonomy, concept, &why))?,
            _ => out::text(&why)?,
        }
        return Ok(Exit::Done);
    }
    let registry = read_registry(parts.stores.state.as_ref()).await?;
    if args.changes {
        match args.format {
            TaxonomyFormat::Json => out::json(&change_lines(&registry))?,
            _ => registry.changes.iter().try_for_each(|change| out::line(change_line(change, &registry)))?,
        }
        return Ok(Exit::Done);
    }
    match args.format {
        TaxonomyFormat::Tree => out::text(&tree_text(&taxonomy))?,
        TaxonomyFormat::Json => out::json(&IdentifiedTaxonomy::new(&taxonomy, &registry))?,
        TaxonomyFormat::Turtle => write_rdf(&taxonomy, &registry, RdfForm::Turtle)?,
        TaxonomyFormat::Rdfxml => write_rdf(&taxonomy, &registry, RdfForm::Xml)?,
        TaxonomyFormat::Svg => out::data(tree_svg(&taxonomy).as_bytes())?,
    }
    Ok(Exit::Done)
}

fn write_rdf(taxonomy: &Taxonomy, registry: &Registry, form: RdfForm) -> anyhow::Result<()> {
    let mut ontology = OntologyWriter::new(Vec::new(), BASE, form)?;
    ontology.taxonomy(taxonomy, registry)?;
    out::data(&ontology.finish()?)
}
