//! A publisher wants to be removed: afterwards neither Redis nor the archive holds a word of its pages. Before, the run
//! that follows the news has come to what [`newslode_e2e::news`] says.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use newslode_common::store::SiteState as _;
use newslode_e2e::news::{News, each_event_heard};
use newslode_newsworld::Gold;

use crate::lab::{Lab, small_world};
use crate::process::LOOK;
use crate::services::{Installation, SOON, Servers};

/// What every frame of zstd begins with.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Texts that no other site has: headlines of the site's articles, and addresses without their scheme.
fn own_texts(gold: &Gold, host: &str) -> BTreeSet<String> {
    let home = format!("http://{host}/");
    let (own, others): (Vec<_>, Vec<_>) =
        gold.articles.iter().partition(|article| article.url.starts_with(&home));
    let others: BTreeSet<&str> = others.iter().map(|article| article.title.as_str()).collect();
    let titles = own.iter().map(|article| article.title.clone());
    let mut texts: BTreeSet<String> = titles.filter(|title| !others.contains(title.as_str())).collect();
    assert!(texts.len() > 5, "{texts:?}");
    texts.extend(own.iter().map(|article| article.url["http://".len()..].to_owned()));
    // Stores write an address as its path, beside the name of the site.
    texts.extend(own.iter().map(|article| article.url[home.len() - 1..].to_owned()));
    texts
}

/// The texts that these bytes hold, as they are or packed.
fn found<'t>(bytes: &[u8], texts: &'t BTreeSet<String>) -> BTreeSet<&'t str> {
    let mut plain = bytes.to_vec();
    for at in 0..bytes.len().saturating_sub(MAGIC.len()) {
        if bytes[at..].starts_with(&MAGIC) {
            let decoder = zstd::stream::read::Decoder::new(&bytes[at..]);
            // What is no frame ends with an error.
            decoder.and_then(|decoder| decoder.single_frame().read_to_end(&mut plain)).ok();
        }
    }
    let text = String::from_utf8_lossy(&plain);
    texts.iter().map(String::as_str).filter(|needle| text.contains(needle)).collect()
}

fn files(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        bytes.extend(if path.is_dir() { files(&path) } else { std::fs::read(&path).unwrap() });
    }
    bytes
}

/// All that Redis holds.
fn dump(servers: &Servers, file: &Path) -> Vec<u8> {
    let port = servers.redis.port().to_string();
    let ended = Command::new("redis-cli").args(["-p", &port, "--rdb"]).arg(file).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    std::fs::read(file).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_a_removed_publisher() {
    let world = small_world(5);
    let host = world.seeds()[0].trim_start_matches("http://").trim_end_matches('/').to_owned();
    let texts = own_texts(world.gold(), &host);
    let lab = Lab::of(world).await;
    let news = News::undisturbed(&lab, &[]).await;
    let servers = Servers::start().await;
    assert_eq!(servers.redis.tell(&["CONFIG", "SET", "rdbcompression", "no"]), "+OK");
    let mut services = Installation::following("news", &lab, &servers, "removal", 0);
    services.start_all();
    services.ready().await;
    let listener = services.listener().await;
    services.seed().await;
    let history = services.has_the_news(&news).await;
    each_event_heard(&listener.events().await, &history).unwrap();
    let (archive, file) = (lab.path("removal-archive"), lab.path("removal.rdb"));
    // The kept instances and views are written beside the work.
    let stored = found(&dump(&servers, &file), &texts).len();
    let archived = found(&files(&archive), &texts).len();
    eprintln!("of {} texts the store holds {stored}, the archive {archived}", texts.len());
    assert!(stored > 10 && archived > 10, "the search finds too little");

    lab.ok(&services.asking(&["seed", "remove", &format!("http://{host}/")])).await;
    let (store, begun) = (services.store().await, Instant::now());
    loop {
        let sites = store.sites().await.unwrap();
        let left = [found(&dump(&servers, &file), &texts), found(&files(&archive), &texts)];
        if sites.len() == news.digests.len() - 1 && left.iter().all(BTreeSet::is_empty) {
            break;
        }
        services.all_run();
        assert!(begun.elapsed() < SOON, "left in the store, and in the archive: {left:?}");
        tokio::time::sleep(LOOK).await;
    }
    // The others are as they were.
    services.proved().await;
    services.stop().await;
}
