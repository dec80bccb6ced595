//! What events are filed by is kept and read again; whatever else stands there takes only the concepts away.

use newslode_common::store::redb::RedbStore;
use newslode_page::article::Article;

use super::*;
use crate::mining::filing::{ArticleEvidence, Lessons};
use crate::mining::taxonomy::Taxonomy;
use crate::mining::testing;

fn filing() -> Filing {
    let concept = testing::concept("en:sport", "Sports", &[]);
    Lessons::new(&Taxonomy {
        support: 2,
        sites: 2,
        concepts: vec![concept],
        relations: Vec::new(),
        schemes: String::new(),
    })
    .learn()
}

/// The label under which what the miner holds files an article of this section.
fn filed(held: &FilingCache) -> Option<String> {
    let article = Article { section: Some("sport".into()), ..testing::article("https://a.test/1") };
    let asked = ArticleEvidence { article: &article, listed: None, found_on: None, places: &[] };
    Some(held.now()?.file(asked).first()?.label.clone())
}

#[tokio::test]
async fn every_miner_reads_the_filing_that_the_leader_wrote() {
    let (store, held) = (RedbStore::in_memory().unwrap(), FilingCache::default());
    held.refresh(&store).await.unwrap();
    assert_eq!(filed(&held), None);
    assert!(write_filing(&store, filing()).await.unwrap());
    assert!(!write_filing(&store, filing()).await.unwrap(), "what is equal is not written again");
    held.refresh(&store).await.unwrap();
    assert_eq!(filed(&held).as_deref(), Some("Sports"));
}

#[tokio::test]
async fn an_unreadable_filing_files_articles_under_no_concept() {
    let (store, held) = (RedbStore::in_memory().unwrap(), FilingCache::default());
    let good = pack(filing(), MAX_BYTES).unwrap();
    let mut newer = good.clone();
    newer[0] = FORMAT + 1;
    let wrong = [Vec::new(), newer, good[..good.len() / 2].to_vec(), vec![FORMAT, 1, 2, 3], vec![FORMAT]];
    for bytes in wrong {
        assert!(unpack(&bytes).is_err());
        values::put(&store, FILING, good.clone()).await.unwrap();
        held.refresh(&store).await.unwrap();
        assert_eq!(filed(&held).as_deref(), Some("Sports"));
        values::put(&store, FILING, bytes).await.unwrap();
        held.refresh(&store).await.unwrap();
        assert_eq!(filed(&held), None);
    }
}

/// Numbers of concepts that do not exist name none, and no bytes end the process.
#[test]
fn damaged_bytes_are_refused_or_file_nowhere() {
    let plain = wire::encode(&filing()).unwrap();
    for at in 0..plain.len() {
        for bit in 0..8 {
            let mut damaged = plain.clone();
            damaged[at] ^= 1 << bit;
            let Ok(filing) = wire::decode::<Filing>(&damaged) else { continue };
            let held = FilingCache::default();
            held.0.write().unwrap().filing = Some(Arc::new(filing));
            filed(&held);
        }
    }
}

#[test]
fn a_filing_that_is_too_large_is_reduced_to_names_which_must_fit() {
    assert!(unpack(&pack(filing(), 100).unwrap()).is_ok());
    assert!(pack(filing(), 10).is_err());
}
