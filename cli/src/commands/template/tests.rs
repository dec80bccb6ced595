//! Tests what `teach` and `forget` do to the articles of a run with one site.

use std::path::Path;

use newslode_common::config::Config;
use newslode_common::message::{Body, FetchedPage, envelope};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Change, Kind, PageArchive, SiteState, Why};
use newslode_common::version::{ContentHash, Version};
use newslode_page::Page;
use newslode_page::article::Article;
use newslode_page::contribution::Delta;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use super::*;
use crate::engine;
use crate::installation::{RunArgs, Target};

const PROMO: &str = "Our reporters are on the spot for you, in this town and in all others: read more of their \
    work in the weekend's paper, and tell us what you think.";
const WORDS: [&str; 4] = ["bridge", "river", "museum", "railway"];

fn paragraphs(number: usize) -> Vec<String> {
    let word = WORDS[number];
    let sentence = |n: usize| {
        format!(
            "The {word} was seen by {n} people on Tuesday, who said that the {word} of the town is {n} years older than all others."
        )
    };
    (3..8).map(sentence).collect()
}

fn url(number: usize) -> CanonicalUrl {
    format!("https://www.post.example/{number}").parse().unwrap()
}

fn html(number: usize) -> String {
    let text: Vec<String> =
        paragraphs(number).iter().map(|text| format!("<p class=par>{text}</p>")).collect();
    let promo = format!("<div class=promo><p class=own>{PROMO} It is about the {}.</p></div>", WORDS[number]);
    format!(
        "<meta property=og:type content=article><main><h1>On the {}</h1><div class=text>{}{promo}{}</div></main>",
        WORDS[number],
        text[..2].concat(),
        text[2..].concat()
    )
}

/// Makes a zstd frame with one raw block.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).unwrap();
    let block = (size << 3 | 1).to_le_bytes();
    [&[0x28, 0xb5, 0x2f, 0xfd, 0xa0], &size.to_le_bytes()[..], &block[..3], bytes].concat()
}

async fn run_of_a_site() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = RedbStore::open(&folder.path().join(engine::STATE_FILE)).unwrap();
    let site = url(0).site();
    for number in 0..WORDS.len() {
        let (url, html, now) = (url(number), html(number), Timestamp(1_717_200_000_000));
        let content = ContentHash::of(&url, None, html.as_bytes());
        let version = Version { fetch: 1, content };
        let fetched = FetchedPage {
            url: url.clone(),
            site: site.clone(),
            depth: 0,
            why: Why::Seed,
            version,
            fetched_at: now,
            content_type: None,
            body: Body::Inline(packed(html.as_bytes())),
            listed: None,
            rendered: false,
        };
        let page = Page::parse(&url, None, html.as_bytes());
        let article = newslode_page::extract::article(&page, now).1.unwrap();
        store.put(Kind::Page, content, envelope::seal(&fetched).unwrap().into(), now).await.unwrap();
        let json = serde_json::to_vec(&article).unwrap();
        store.put(Kind::Article, content, json.into(), now).await.unwrap();
        let delta = Delta::default();
        let change = Change { url, expected: None, new: version, fetched_at: now, delta, again: false };
        store.apply(&site, &[change]).await.unwrap();
    }
    folder
}

fn articles(folder: &Path) -> Vec<Article> {
    let text = std::fs::read_to_string(folder.join("articles.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn teach_args(folder: &Path, page: &str) -> TeachArgs {
    TeachArgs {
        site: "www.post.example".into(),
        run: RunArgs::of(folder),
        page: page.into(),
        url: None,
        body: None,
        drop: Vec::new(),
        title: None,
        author: Vec::new(),
        published: None,
    }
}

#[tokio::test]
async fn one_corrected_page_changes_all_articles_of_its_site_and_can_be_forgotten() {
    let folder = run_of_a_site().await;
    let right = folder.path().join("right.txt");
    std::fs::write(&right, paragraphs(0).join("\n")).unwrap();
    let setup = Setup::default();
    let command = TemplateCommand::Teach(TeachArgs {
        body: Some(right),
        ..teach_args(folder.path(), "https://www.post.example/0")
    });
    run(TemplateArgs { command }, &setup).await.unwrap();
    for article in articles(folder.path()) {
        assert!(!article.text().contains("Our reporters"), "{article:?}");
        assert_eq!((article.body.len(), article.evidence["body"].witness.as_str()), (5, "taught"));
    }
    let named = || RunArgs::of(folder.path());
    for json in [false, true] {
        let command = TemplateCommand::List { run: named(), json };
        run(TemplateArgs { command }, &setup).await.unwrap();
    }
    let site = || TemplateSite { site: "post.example".into(), run: named() };
    let show = |json| TemplateArgs { command: TemplateCommand::Show { site: site(), json } };
    run(show(false), &setup).await.unwrap();
    run(show(true), &setup).await.unwrap();
    let page = Some("https://www.post.example/1".to_owned());
    let error = run(TemplateArgs { command: TemplateCommand::Forget { site: site(), page } }, &setup).await;
    assert!(error.unwrap_err().to_string().contains("no page `https://www.post.example/1`"));
    let forget = TemplateCommand::Forget { site: site(), page: None };
    run(TemplateArgs { command: forget }, &setup).await.unwrap();
    let articles = articles(folder.path());
    assert!(articles.iter().all(|article| article.text().contains("Our reporters")));
    assert!(articles.iter().all(|article| article.evidence["body"].witness != "taught"));
    run(show(false), &setup).await.unwrap();
}

#[tokio::test]
async fn what_a_page_does_not_show_teaches_nothing() {
    let folder = run_of_a_site().await;
    let drop = vec!["Nowhere on this page".to_owned()];
    let command =
        TemplateCommand::Teach(TeachArgs { drop, ..teach_args(folder.path(), "https://www.post.example/0") });
    let error = run(TemplateArgs { command }, &Setup::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the page does not show the text `Nowhere on this page`");
    let state = open_site_state(&Target::Run(folder.path().into()), &Config::default()).await.unwrap();
    let error = read_knowledge(state.as_ref(), &url(0).site()).await.unwrap_err();
    assert_eq!(error.to_string(), "nothing is known about `post.example`");
}
