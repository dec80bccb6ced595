//! `newslode taxonomy`: prints the taxonomy of a run or of the services.

use newslode_miner::mining::fold::explain;
use newslode_miner::mining::ontology::{BASE, OntologyWriter, RdfForm};
use newslode_miner::mining::registry::Registry;
use newslode_miner::mining::schemes::align_taxonomy;
use newslode_miner::mining::taxonomy::{Taxonomy, tree_svg, tree_text};
use newslode_miner::work::corrections::read_mined;
use newslode_miner::work::registry::read_registry;
use newslode_miner::work::scheme_summaries::SchemeSummaries;
use newslode_miner::work::summaries::summaries;

use crate::args::{TaxonomyArgs, TaxonomyFormat};
use crate::exit::{Exit, hinted};
use crate::installation::{self, Setup};
use crate::out;
use crate::queries::corrections::corrections_about;
use crate::queries::taxonomy::{
    IdentifiedTaxonomy, SchemeReport, change_line, change_lines, explanation_json,
};

pub(crate) async fn run(args: TaxonomyArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let mut parts = installation::open(&args.run.target(setup), &setup.config).await?;
    args.scheme.override_schemes(&mut parts, &setup.config);
    let Some(mut taxonomy) = newslode_miner::work::fold::read_taxonomy(parts.stores.state.as_ref()).await?
    else {
        return Err(hinted(
            "the taxonomy has not been computed yet",
            "mine first, or wait for the miner's first fold",
        ));
    };
    if args.schemes {
        let report = SchemeReport::new(&*parts.schemes.set()?, &taxonomy);
        match args.format {
            TaxonomyFormat::Json => out::json(&report)?,
            TaxonomyFormat::Tree => out::text(&report.text())?,
            _ => return Err(hinted("the schemes are shown as a tree or as JSON", "leave out --format")),
        }
        return Ok(Exit::Done);
    }
    if parts.schemes.is_override() {
        align_taxonomy(&*parts.schemes.set()?, &mut taxonomy);
    }
    if let Some(concept) = &args.explain {
        let sites = summaries(parts.stores.state.as_ref()).await?;
        let schemes = SchemeSummaries::default().refresh(parts.stores.state.as_ref()).await?;
        let mut why = explain(&taxonomy, &sites, &schemes, parts.schemes.set()?.known(), concept);
        let mined = read_mined(parts.stores.state.as_ref()).await?.unwrap_or_default();
        for line in corrections_about(&parts, &taxonomy, &mined, concept).await? {
            why.push_str(&line);
            why.push('\n');
        }
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
