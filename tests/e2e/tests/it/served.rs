//! The services over RabbitMQ and Redis: they give the same result as the embedded engine, and obey
//! operators.

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

    // The taxonomy of the services' last fold is that of the embedded run.
    let taxonomy = lab.json(&services.asking(&["taxonomy", "--format", "json"])).await;
    let run = lab.path("undisturbed");
    let run = run.to_str().unwrap();
    assert_eq!(taxonomy, lab.json(&["taxonomy", "--format", "json", run]).await);
    assert!(!taxonomy["concepts"].as_array().unwrap().is_empty(), "{taxonomy}");

    let articles = lab.ok(&services.asking(&["export", "articles"])).await;
    assert!(articles.lines().count() > 20, "{articles}");
    let embedded = lab.ok(&["export", "articles", run]).await;
    let (mut served, mut embedded) = (of_pages(&articles), of_pages(&embedded));
    for (one, other) in served.iter_mut().zip(&mut embedded) {
        for field in [of_site(one), of_site(other)].concat() {
            [&mut *one, &mut *other].into_iter().for_each(|article| leave_out(article, &field));
        }
    }
    assert_eq!(served, embedded);

    let proof = lab.json(&services.asking(&["verify", "--json"])).await;
    assert_eq!((&proof["different"], &proof["sites"]), (&0.into(), &lab.seeds().len().into()), "{proof}");
}

/// The fields that an article's site had a say in.
fn of_site(article: &serde_json::Value) -> Vec<String> {
    let is_of_site = |witness: &str| witness == "siblings" || witness.starts_with("template ");
    let evidence = article["evidence"].as_object().unwrap().iter();
    let of_site = evidence.filter(|(_, said)| is_of_site(said["witness"].as_str().unwrap()));
    of_site.map(|(field, _)| field.clone()).collect()
}

fn leave_out(article: &mut serde_json::Value, field: &str) {
    article["evidence"].as_object_mut().unwrap().remove(field);
    article.as_object_mut().unwrap().remove(field);
}

/// The articles without their bodies, the evidence for these, and what happened when. They depend on the time, and on
/// which of the site's pages were there when they were viewed: the embedded engine views at its end, the services as
/// pages come.
fn of_pages(articles: &str) -> Vec<serde_json::Value> {
    let of = |line: &str| {
        let mut article: serde_json::Value = serde_json::from_str(line).unwrap();
        let body = article.as_object_mut().unwrap().remove("body").unwrap();
        assert!(!body.as_array().unwrap().is_empty(), "{line}");
        article["evidence"].as_object_mut().unwrap().remove("body");
        for key in ["event", "version", "changed", "first_seen", "fetched_at"] {
            assert!(article.as_object_mut().unwrap().remove(key).is_some(), "{key}: {line}");
        }
        article
    };
    articles.lines().map(of).collect()
}
