//! Checks that the number of the page algorithms is raised when they find something else.
//!
//! A few fixed pages are analysed with both presets. `digests.txt` holds a digest of everything found and the
//! number that found it. This number keeps the results of generations apart, so a change that does not raise it
//! would mix them.

use std::path::{Path, PathBuf};

use newslode_page::hierarchy::xml;
use newslode_page::time::Timestamp;
use newslode_page::{Params, analyse};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generation")
}

/// A digest of everything found on the fixed pages.
fn digest() -> String {
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(folder().join("pages")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    assert!(pages.len() > 2, "{pages:?}");
    let mut hasher = blake3::Hasher::new();
    for page in pages {
        let name = page.file_name().unwrap().to_str().unwrap();
        let (url, bytes) = (format!("https://courier.example/{name}"), std::fs::read(&page).unwrap());
        for params in [Params::default(), Params::paper()] {
            let at = Timestamp(1_717_500_000_000);
            let found = analyse(&url.parse().unwrap(), Some("text/html; charset=utf-8"), &bytes, at, &params);
            assert_eq!(found.notes.failed, None);
            assert!(found.contribution.labels.len() > 5, "{name} says too little");
            // The text of the parameters contains the number.
            let hierarchy = newslode_page::hierarchy::Hierarchy { method: String::new(), ..found.hierarchy };
            hasher.update(&serde_json::to_vec(&found.contribution).unwrap());
            hasher.update(&serde_json::to_vec(&found.slots).unwrap());
            hasher.update(xml::write(&hierarchy).as_bytes());
            hasher.update(&serde_json::to_vec(&found.article).unwrap());
        }
    }
    hasher.finalize().to_hex().to_string()
}

#[test]
fn the_number_of_the_algorithms_is_raised_when_they_find_something_else() {
    let (number, digest, file) =
        (Params::default().generation().number, digest(), folder().join("digests.txt"));
    let kept = std::fs::read_to_string(&file).unwrap();
    let known =
        kept.lines().filter_map(|line| line.split_once(' ')).find(|known| known.0 == number.to_string());
    match known {
        Some((_, known)) => assert_eq!(
            known,
            digest,
            "the algorithms find something else on the fixed pages: raise `ALGORITHMS` in src/partition/params.rs to {}, and run \
             this test once with NEWSLODE_UPDATE_GOLDEN=1",
            number + 1
        ),
        None if std::env::var_os("NEWSLODE_UPDATE_GOLDEN").is_some() => {
            std::fs::write(&file, format!("{kept}{number} {digest}\n")).unwrap();
        }
        None => panic!("no digest of algorithms {number}: run this test once with NEWSLODE_UPDATE_GOLDEN=1"),
    }
}
