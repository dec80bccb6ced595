//! The documents' examples in Python add sites.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use newslode_common::store::Frontier as _;
use newslode_page::reading::{CanonicalUrl, Site};

use crate::lab::{Lab, small_world};
use crate::process::LOOK;
use crate::services::{Installation, SOON, Servers};

/// The address of RabbitMQ in the examples, and that of the page.
const RABBIT: &str = "amqp://user:password@rabbitmq:5672/%2f";
const PAGE: &str = "https://www.example.com";

/// The blocks of a document that are Python.
fn examples(root: &Path, document: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root.join(document)).unwrap();
    let blocks = text.split("```python\n").skip(1).filter_map(|block| block.split("```").next());
    blocks.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_examples_in_python_add_sites() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = super::python();
    let examples = [examples(&root, "docs/operations.md"), examples(&root, "docs/seeds.md")].concat();
    let lab = Lab::of(small_world(5)).await;
    let servers = Servers::start().await;
    let mut services = Installation::new(&lab, &servers, "python", 0);
    services.start_all();
    services.ready().await;
    assert_eq!(examples.len(), 2);
    for (example, seed) in examples.iter().zip(lab.seeds()) {
        for fixed in [RABBIT, PAGE, "newslode.publish.seeds"] {
            assert!(example.contains(fixed), "`{fixed}` is missing in {example}");
        }
        let script = example
            .replace(RABBIT, &servers.rabbit.url())
            .replace(PAGE, seed)
            .replace("newslode.publish.seeds", "python.publish.seeds");
        let ended = Command::new(&python).args(["-c", &script]).output().unwrap();
        assert!(ended.status.success(), "{script}\n{}", String::from_utf8_lossy(&ended.stderr));
        let page: CanonicalUrl = seed.parse().unwrap();
        let (site, store, begun): (Site, _, _) = (page.site(), services.store().await, Instant::now());
        while store.site(&site).await.unwrap().is_none() {
            services.all_run();
            assert!(begun.elapsed() < SOON, "{site} was not added by\n{script}\n{}", services.logs());
            tokio::time::sleep(LOOK).await;
        }
    }
    let store = services.store().await;
    let settings =
        store.site(&lab.seeds()[1].parse::<CanonicalUrl>().unwrap().site()).await.unwrap().unwrap();
    assert_eq!((settings.max_pages, settings.delay_ms), (500, 2_000));
    services.stop().await;
}
