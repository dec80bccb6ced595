//! The services over RabbitMQ and Redis: they give the same result as the embedded engine, and obey
//! operators.

use std::time::Duration;

use newslode_common::config::MinerConfig;
use newslode_common::store::SiteState;
use newslode_e2e::articles::of_pages;
use newslode_e2e::lab::are_alike;
use newslode_miner::mining::fold::{FoldParams, Folder};
use newslode_miner::mining::schemes::align_taxonomy;
use newslode_miner::work::scheme_set::ConfiguredSchemes;
use newslode_miner::work::scheme_summaries::SchemeSummaries;
use newslode_miner::work::summaries::summaries;
use serde_json::Value;

use crate::lab::{Lab, digests_in, small_world};
use crate::services::{Installation, Servers};

#[tokio::test(flavor = "multi_thread")]
async fn the_services_come_to_what_the_embedded_engine_comes_to() {
    let lab = Lab::of(small_world(3)).await;
    let (digests, outcomes) = lab.undisturbed(&[]).await;
    let servers = Servers::start().await;
    let mut services = Installation::new(&lab, &servers, "newslode", 0);

    services.start_all();
    services.ready().await;
    services.seed().await;
    services.comes_to(&digests).await;
    services.same_outcomes(&outcomes).await;
    eprintln!("the state is that of the embedded run");

    commands_work_against_the_services(&lab, &services, &outcomes).await;
    services.stop().await;
    assert_eq!(digests_in(&services.store().await).await, digests, "nothing was counted while stopping");
}

async fn commands_work_against_the_services(
    lab: &Lab,
    services: &Installation<'_>,
    outcomes: &crate::lab::Outcomes,
) {
    let status = lab.json(&services.asking(&["status", "--json"])).await;
    let counted: u64 = status["outcomes"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(counted, outcomes.len() as u64, "{status}");
    for queue in ["seeds", "pages", "partitions"] {
        assert_eq!(status["queues"][queue], 0, "{status}");
    }
    let mut watching = lab.start(&services.asking(&["status", "--watch", "--json"]));
    watching.printed("\"rate\":0.0").await;
    let listed = lab.json(&services.asking(&["seed", "list", "--json"])).await;
    assert_eq!(listed.as_array().unwrap().len(), lab.seeds().len(), "{listed}");

    // The services' taxonomy is what their sums and schemes give, to the bit, and like that of the embedded run.
    follows_from_what_is_stored(lab, services).await;
    let taxonomy = lab.taxonomy(&services.asking(&["taxonomy", "--format", "json"])).await;
    let run = lab.path("undisturbed");
    let run = run.to_str().unwrap();
    let embedded = lab.taxonomy(&["taxonomy", "--format", "json", run]).await;
    assert!(are_alike(&taxonomy, &embedded), "{taxonomy}\n{embedded}");

    let articles = lab.ok(&services.asking(&["export", "articles"])).await;
    assert!(articles.lines().count() > 20, "{articles}");
    let table = lab.ok(&services.asking(&["export", "articles", "--format", "csv"])).await;
    assert!(table.starts_with("url,site,title,authors,published,"), "{table}");
    let rows = table.lines().filter(|line| line.starts_with("http://")).count();
    assert_eq!(rows, articles.lines().count());
    let embedded = lab.ok(&["export", "articles", run]).await;
    let (served, embedded) = of_pages(&articles, &embedded);
    assert_eq!(served, embedded);

    let proof = lab.json(&services.asking(&["verify", "--json"])).await;
    assert_eq!((&proof["different"], &proof["sites"]), (&0.into(), &lab.seeds().len().into()), "{proof}");
}

/// Waits until the taxonomy is the one that a fold of the stored sums and schemes gives. A scheme may be learnt after a fold; the
/// next one takes it.
async fn follows_from_what_is_stored(lab: &Lab, services: &Installation<'_>) {
    let store = services.store().await;
    let (mut taxonomy, mut wanted) = (Value::Null, Value::Bool(false));
    for _ in 0..120 {
        taxonomy = lab.taxonomy(&services.asking(&["taxonomy", "--format", "json"])).await;
        wanted = folded_again(&store).await;
        if taxonomy == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!("stored {taxonomy}\nfolded {wanted}");
}

/// The taxonomy that a fold of all sums and schemes of a store gives.
async fn folded_again(state: &dyn SiteState) -> Value {
    let sites = summaries(state).await.unwrap();
    let schemes = SchemeSummaries::default().refresh(state).await.unwrap();
    let set = ConfiguredSchemes::of_config(&MinerConfig::default()).set().unwrap();
    let folded = Folder::default().fold_asking(&sites, &schemes, set.known(), &FoldParams::default());
    let mut taxonomy = folded.taxonomy;
    align_taxonomy(&set, &mut taxonomy);
    serde_json::to_value(taxonomy).unwrap()
}
