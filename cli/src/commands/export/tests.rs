//! Mines a synthetic web and checks that the export holds instances with attributes, under their concepts.

use std::net::SocketAddr;
use std::path::Path;

use newslode_common::config::{Config, Follow, ResolveRule};
use newslode_common::message::envelope;
use newslode_common::rights::{PAGE, Rights, Source, Standing, Statement, Use, rights_key};
use newslode_common::store::{Applied, Change};
use newslode_common::version::{ContentHash, Version};
use newslode_demo_world::{Server, World, WorldSpec};
use newslode_miner::mining::site_scheme::{Place, SlotReport, folded};
use newslode_miner::work::places::explain_slots;
use newslode_page::article::Article;
use newslode_page::contribution::Delta;
use newslode_page::extract::SlotUse;
use newslode_page::reading::CanonicalUrl;
use tokio_util::sync::CancellationToken;

use newslode_miner::work::generations::Generations;

use super::*;
use crate::commands::mine::mine;
use crate::engine::{Engine, ONE_OF_MANY_FOR, add_seeds, open_states};
use crate::queries::articles::counted_pages;
use crate::queries::places::PlaceExplanation;
use crate::queries::rights::site_rights;

#[tokio::test(flavor = "multi_thread")]
async fn the_stories_of_concept_pages_are_instances_with_attributes() {
    let spec = WorldSpec { seed: 3, sites: 3, articles_per_section: 3, ..WorldSpec::default() };
    let (world, gold) = (World::generate(&spec), World::generate(&spec));
    let seeds: Vec<_> = world.seeds().iter().map(|seed| seed.parse().unwrap()).collect();
    let server = Server::start(world, SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let mut config = Config::default();
    config.crawler.resolve.push(ResolveRule::any(server.addr()));
    config.miner.follow = Follow::All;
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), config.clone()).unwrap();
    let parts = engine.miner_parts();
    add_seeds(&parts, &seeds, (None, None, Some(0)), &config.miner).await.unwrap();
    mine(&engine, folder.path(), &[], &CancellationToken::new(), true).await.unwrap();

    let taxonomy = fold::read_taxonomy(parts.stores.state.as_ref()).await.unwrap().unwrap();
    let sites = summaries(parts.stores.state.as_ref()).await.unwrap();
    let listed = members(&parts.stores, &taxonomy, &sites).await.unwrap();
    let mut found: Vec<ConceptInstance> = Vec::new();
    let take = |instance| {
        found.push(instance);
        Ok(())
    };
    instances::instances(&parts.stores, &taxonomy, &sites, &listed, take).await.unwrap();
    let stories = &gold.gold().articles;
    let (mut told, mut known) = (0, 0);
    for instance in &found {
        assert!(!instance.concepts.is_empty() && listed.contains_key(&instance.url), "{instance:?}");
        let Some(story) = stories.iter().find(|story| story.url == instance.url.as_str()) else { continue };
        known += 1;
        let values: Vec<&String> = instance.attributes.iter().flat_map(|own| &own.values).collect();
        let first: String = story.body.chars().take(20).collect();
        told += usize::from(values.iter().any(|value| value.contains(&first)));
    }
    eprintln!("{} instances, {known} of them stories, {told} of those tell their text", found.len());
    assert!(known * 10 >= found.len() * 9 && known > stories.len() / 3, "{known} of {}", found.len());
    // Templates follow the paths of most groups, so they do not read every layout.
    assert!(told * 4 >= known * 3, "{told} of {known}");
    let turtle = std::fs::read_to_string(folder.path().join("ontology.ttl")).unwrap();
    let filed = turtle.matches("schema:about").count();
    let articles = std::fs::read_to_string(folder.path().join("articles.jsonl")).unwrap().lines().count();
    assert!(filed * 10 >= articles * 9, "{filed} of {articles} articles are filed");
    places_are_said_alike_everywhere(&parts, &turtle).await;
    rights_are_joined_filtered_and_heeded(&parts).await;
    pages_that_a_browser_made_are_no_answers(&parts).await;
    articles_that_are_counted_anew_meanwhile_are_exported(&parts, folder.path(), &config).await;
}

/// A reader's state is renewed while it goes through a site, because nobody took what it prints, or because the site is large. Then an
/// article that was listed and replaced is exported as it is by now.
async fn articles_that_are_counted_anew_meanwhile_are_exported(
    parts: &Parts,
    folder: &Path,
    config: &Config,
) {
    let reader =
        installation::parts_of_run(folder, open_states(folder, ONE_OF_MANY_FOR).unwrap(), config).unwrap();
    let mut before: Vec<(CanonicalUrl, Option<String>)> = Vec::new();
    let note = |filed_article: &FiledArticle<'_>| {
        before.push((filed_article.article.url.parse()?, filed_article.article.title.clone()));
        Ok(())
    };
    export_articles(&reader, &mut std::io::sink(), RdfForm::Turtle, note).await.unwrap();
    let (page, _) = before.last().unwrap().clone();
    let site = page.site();
    let replace = async {
        let (archive, state) = (&parts.stores.archive, &parts.stores.state);
        let old = state.versions(&site, std::slice::from_ref(&page)).await.unwrap()[0].unwrap();
        let new = Version { fetch: old.fetch + 1, content: ContentHash::of(&page, None, b"anew") };
        let json = archive.get(Kind::Article, old.content).await.unwrap().unwrap();
        let mut article: Article = serde_json::from_slice(&json).unwrap();
        article.title = Some("Counted anew".into());
        let json = serde_json::to_vec(&article).unwrap();
        archive.put(Kind::Article, new.content, json.into(), Timestamp(9_000)).await.unwrap();
        let (expected, delta) = (Some(old), Delta::default());
        let change =
            Change { url: page.clone(), expected, new, fetched_at: Timestamp(9_000), delta, again: false };
        assert_eq!(state.apply(&site, &[change]).await.unwrap(), [Applied::Applied]);
        archive.delete(Kind::Article, old.content).await.unwrap();
    };
    let mut after: Vec<(CanonicalUrl, Option<String>)> = Vec::new();
    let mut replace = Some(replace);
    let take = |filed_article: &FiledArticle<'_>| {
        if filed_article.article.site == site.as_str()
            && let Some(replace) = replace.take()
        {
            tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(replace));
            reader.stores.state.renew();
        }
        after.push((filed_article.article.url.parse()?, filed_article.article.title.clone()));
        Ok(())
    };
    export_articles(&reader, &mut std::io::sink(), RdfForm::Turtle, take).await.unwrap();
    let of_site = before.iter().filter(|(page, _)| page.site() == site).count();
    assert!(of_site > 1, "the one that is replaced must not be the first of its site");
    before.last_mut().unwrap().1 = Some("Counted anew".into());
    assert_eq!(after, before);
}

/// Two articles of which something is said: one may train, the other asks for no copy.
async fn rights_are_joined_filtered_and_heeded(parts: &Parts) {
    let archive = parts.stores.archive.as_ref();
    let mut urls: Vec<CanonicalUrl> = Vec::new();
    let take = |filed_article: &FiledArticle<'_>| {
        assert_eq!(filed_article.rights, Rights::default(), "nobody says anything");
        urls.push(filed_article.article.url.parse()?);
        Ok(())
    };
    export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, take).await.unwrap();
    let statements = [
        (Source::ContentUsage, "train-ai=y", Use::AiTrain, Standing::Allowed),
        (Source::RobotsMeta, "noarchive", Use::Archive, Standing::Reserved),
    ];
    for (url, (source, written, of, standing)) in urls.iter().zip(statements) {
        let mut rights = Rights::default();
        rights.add(Statement::new(source, written, PAGE, Timestamp(9_000), [(of, standing)]));
        let json = serde_json::to_vec(&rights).unwrap();
        archive.put(Kind::Rights, rights_key(url), json.into(), Timestamp(9_000)).await.unwrap();
    }
    let values = Parameters::of_texts(&["rights=ai_train=allowed".to_owned()], &NAMES).unwrap();
    let chosen = Chosen::read(parts, &Filter::read(&values).unwrap()).await.unwrap();
    let mut lines = Vec::new();
    let take = |filed_article: &FiledArticle<'_>| match chosen.takes(filed_article) {
        true => json_line(&mut lines, &filed_article.line()),
        false => Ok(()),
    };
    export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, take).await.unwrap();
    let line: serde_json::Value = serde_json::from_slice(&lines).unwrap();
    let (rights, url) = (&line["rights"], line["url"].as_str());
    assert_eq!(
        (url, &rights["ai_train"], &rights["search"]),
        (Some(urls[0].as_str()), &"allowed".into(), &"unknown".into())
    );
    assert_eq!(rights["statements"][0]["written"], "train-ai=y");

    for (noarchive, is_exported) in [(Noarchive::Hide, false), (Noarchive::Record, true)] {
        let mut exported = Vec::new();
        let tell = |page: &pages::WrittenPage<'_>| {
            exported.push(page.url.to_owned());
            Ok(())
        };
        pages::write(
            parts,
            &mut std::io::sink(),
            noarchive,
            (Packing::Plain, RecordType::Conversion),
            None,
            tell,
        )
        .await
        .unwrap();
        assert!(exported.iter().any(|url| *url == urls[0].as_str()));
        assert_eq!(exported.iter().any(|url| *url == urls[1].as_str()), is_exported, "{noarchive:?}");
    }
    // The report of a site names what its pages say.
    let report = site_rights(&parts.stores, &urls[1].site()).await.unwrap();
    assert!(report.statements.iter().any(|statement| statement.written == "noarchive"));
    assert!(report.facts().iter().any(|(name, _)| name.contains("robots_meta")));
}

/// A page that a browser made is told apart from an answer.
async fn pages_that_a_browser_made_are_no_answers(parts: &Parts) {
    let archive = parts.stores.archive.as_ref();
    let generations = Generations::read(parts.stores.state.as_ref()).await.unwrap();
    let (site, _) = parts.stores.state.sites().await.unwrap().remove(0);
    let (url, version) = counted_pages(parts, &site).await.unwrap().remove(0);
    let (content, _) = generations.page(archive, version.content).await.unwrap().unwrap();
    let mut page = generations.fetched(archive, version.content).await.unwrap().unwrap();
    page.rendered = true;
    let sealed = envelope::seal(&page).unwrap();
    archive.put(Kind::Page, content, sealed.into(), Timestamp(9_000)).await.unwrap();
    for (kind, name) in [(RecordType::Conversion, "conversion"), (RecordType::Resource, "resource")] {
        let mut written = Vec::new();
        let form = (Packing::Plain, kind);
        pages::write(parts, &mut written, Noarchive::Record, form, None, |_| Ok(())).await.unwrap();
        let written = String::from_utf8_lossy(&written);
        let records =
            || written.split("WARC/1.1\r\n").skip(1).map(|record| record.split_once("\r\n\r\n").unwrap());
        let target = format!("WARC-Target-URI: {url}");
        let (head, block) = records().find(|(head, _)| head.lines().any(|line| line == target)).unwrap();
        assert!(head.contains(&format!("WARC-Type: {name}\r\n")), "{head}");
        assert!(head.contains("Content-Type: text/html") && !block.starts_with("HTTP/"), "{head}");
        let others = records().filter(|(head, _)| head.contains("WARC-Type: response")).count();
        assert!(others > 10, "{others}");
    }
}

/// The export, its filter, the table, the ontology and explanations name the same places of an article.
async fn places_are_said_alike_everywhere(parts: &Parts, turtle: &str) {
    let mut placed: Vec<(CanonicalUrl, Vec<Place>, String)> = Vec::new();
    let mut articles = 0;
    let take = |filed_article: &FiledArticle<'_>| {
        articles += 1;
        let url: CanonicalUrl = filed_article.article.url.parse()?;
        if !filed_article.places.is_empty() {
            let row = table::row(filed_article, Cells::Raw);
            placed.push((url, filed_article.places.clone(), row));
        }
        Ok(())
    };
    export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, take).await.unwrap();
    assert!(placed.len() * 2 > articles, "{} of {articles} articles have a place", placed.len());
    assert!(turtle.matches("dct:subject").count() >= placed.len());

    let (url, places, row) = placed.first().unwrap();
    let label = &places.first().unwrap().label;
    assert!(row.contains(label.as_str()), "`{label}` is not in {row}");
    let explained = PlaceExplanation::read(&parts.stores, url).await.unwrap().unwrap();
    assert_eq!(&explained.places, places);
    assert!(explained.facts().iter().any(|(_, value)| value.starts_with(label.as_str())), "{explained:?}");

    let wanted = |places: &[Place]| places.iter().any(|place| folded(&place.label) == folded(label));
    let values = Parameters::of_texts(&[format!("place={}", label.to_uppercase())], &NAMES).unwrap();
    let chosen = Chosen::read(parts, &Filter::read(&values).unwrap()).await.unwrap();
    let mut taken = 0;
    let take = |filed_article: &FiledArticle<'_>| {
        let is_taken = chosen.takes(filed_article);
        assert_eq!(is_taken, wanted(&filed_article.places), "{}", filed_article.article.url);
        taken += usize::from(is_taken);
        Ok(())
    };
    export_articles(parts, &mut std::io::sink(), RdfForm::Turtle, take).await.unwrap();
    assert!(taken > 0 && taken < articles, "{taken} of {articles}");

    // Slots are explained from the same pages that taught the scheme.
    let versions = parts.stores.state.versions(&url.site(), std::slice::from_ref(url)).await.unwrap();
    let content = versions.into_iter().next().flatten().unwrap().content;
    let slots = explain_slots(&parts.stores, url, content).await.unwrap();
    let is_naming = |slot: &&(SlotReport, SlotUse)| {
        slot.1.names.iter().any(|name| folded(&name.name).contains(&folded(label)))
    };
    let accepted: Vec<_> = slots.iter().filter(|(report, _)| report.rejected.is_none()).collect();
    assert!(accepted.iter().copied().any(|slot| is_naming(&slot)), "`{label}` of {url}: {slots:#?}");
    assert!(accepted.len() < slots.len(), "no slot is rejected: {slots:#?}");
}
