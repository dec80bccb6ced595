//! The archive in S3: a real server over HTTP, behind a gate that plays its troubles.

#![allow(clippy::unwrap_used, reason = "all of this file is tests; the lint knows only functions marked so")]

use std::net::TcpListener;
use std::time::{Duration, Instant};

use bytes::Bytes;
use newslode_common::store::archive::ObjectArchive;
use newslode_common::store::{Kind, PageArchive, StoreError, StoreResult, conformance};
use newslode_common::version::ContentHash;
use newslode_page::time::Timestamp;
use newslode_test_servers::{Mood, PAGE, S3Server, TOKEN};
use tokio::task::JoinSet;

/// The longest wait for what takes moments.
const SOON: Duration = Duration::from_secs(30);

const CONTENT: ContentHash = ContentHash([7; 16]);

/// An archive at a URL, with some variables set otherwise and those without a value not at all.
fn open_at(url: &str, server: &S3Server, others: &[(&str, &str)]) -> StoreResult<ObjectArchive> {
    let given = server.variables().into_iter().map(|(name, value)| (name.to_owned(), value));
    let kept = given.filter(|(name, _)| others.iter().all(|(other, _)| name != other));
    let others = others.iter().filter(|(_, value)| !value.is_empty());
    ObjectArchive::open_with(
        url,
        kept.chain(others.map(|(name, value)| (name.to_string(), value.to_string()))),
    )
}

fn open(server: &S3Server, others: &[(&str, &str)]) -> ObjectArchive {
    open_at(&server.url("archive"), server, others).unwrap()
}

async fn put(archive: &ObjectArchive) -> StoreResult<()> {
    archive.put(Kind::Page, CONTENT, "a page".into(), Timestamp(5)).await
}

/// The texts with which all four calls fail; each must be a refusal that a person must mend.
async fn refusals(archive: &ObjectArchive) -> Vec<String> {
    let answers = [
        put(archive).await,
        archive.get(Kind::Page, CONTENT).await.map(drop),
        archive.delete(Kind::Page, CONTENT).await,
        archive.expire(Timestamp(1)).await.map(drop),
    ];
    let refusal = |answer| match answer {
        Err(StoreError::Refused(text)) => text,
        answer => panic!("{answer:?}"),
    };
    answers.into_iter().map(refusal).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_keeps_the_promises_of_an_archive() {
    let server = S3Server::start().await;
    conformance::archive::all(&open(&server, &[])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fills_several_listings_expires_and_others_names_stay() {
    let server = S3Server::start().await;
    let archive = open(&server, &[]);
    let count = 2 * PAGE + 20;
    let mut puts = JoinSet::new();
    for number in 0..count {
        let (archive, at) = (archive.clone(), Timestamp(1 + number as u64 % 2));
        let content = ContentHash(
            0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128.wrapping_mul(number as u128 + 1).to_le_bytes(),
        );
        puts.spawn(async move { archive.put(Kind::Page, content, Bytes::new(), at).await.unwrap() });
    }
    puts.join_all().await;
    // Two archives in one bucket know nothing of each other.
    let other = open_at(&server.url("other"), &server, &[]).unwrap();
    put(&other).await.unwrap();
    assert_eq!(archive.expire(Timestamp(2)).await.unwrap().values, count as u64 / 2);
    assert_eq!(archive.expire(Timestamp(9)).await.unwrap().values, count as u64 / 2);
    assert_eq!(archive.expire(Timestamp(9)).await.unwrap().values, 0);
    assert!(other.get(Kind::Page, CONTENT).await.unwrap().is_some());
}

/// S3 answers one request in many with 503 or cuts it: that is no failure of ours.
#[tokio::test(flavor = "multi_thread")]
async fn what_passes_in_a_moment_is_not_noticed() {
    let server = S3Server::start().await;
    let archive = open(&server, &[]);
    let late = Mood::Late(Duration::from_millis(300));
    for (mood, requests) in [(Mood::SlowDown, 2), (Mood::Cut, 2), (late, 1)] {
        let (before, begun) = (server.troubled(), Instant::now());
        server.set(mood);
        let passes = async {
            while server.troubled() < before + requests {
                assert!(begun.elapsed() < SOON, "{mood:?}: the request was not made again");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            server.set(Mood::Well);
        };
        let (answer, ()) = tokio::join!(put(&archive), passes);
        assert!(answer.is_ok(), "{mood:?}: {answer:?}");
        assert!(archive.get(Kind::Page, CONTENT).await.unwrap().is_some(), "{mood:?}");
        archive.delete(Kind::Page, CONTENT).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stays_busy_is_told_in_time() {
    let server = S3Server::start().await;
    let archive = open(&server, &[]);
    for (mood, word) in
        [(Mood::SlowDown, "503 Service Unavailable: SlowDown: "), (Mood::Cut, "error sending request")]
    {
        server.set(mood);
        let (before, begun) = (server.troubled(), Instant::now());
        let error = archive.get(Kind::Page, CONTENT).await.unwrap_err();
        let requests = server.troubled() - before;
        eprintln!("{mood:?}: {requests} requests in {:?}: {error}", begun.elapsed());
        assert!(matches!(error, StoreError::Unavailable(_)) && error.to_string().contains(word), "{error}");
        assert!((3..=8).contains(&requests) && begun.elapsed() < SOON, "{requests} in {:?}", begun.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_names_its_cause_and_mend_and_no_secret() {
    let server = S3Server::start().await;
    let archive = open(&server, &[]);
    server.set(Mood::Expired);
    for text in refusals(&archive).await {
        assert!(text.contains("ExpiredToken") && text.contains("`AWS_SESSION_TOKEN`"), "{text}");
        assert!(!text.contains(TOKEN), "{text}");
    }
    server.set(Mood::NoS3);
    for text in refusals(&archive).await {
        assert!(text.contains("correct `AWS_ENDPOINT`"), "{text}");
    }
    server.set(Mood::Well);
    put(&archive).await.unwrap();

    // An object in a bucket that is gone is not absent: a miner would take its page out.
    for text in refusals(&open_at("s3://elsewhere/archive", &server, &[]).unwrap()).await {
        assert!(
            text.contains("NoSuchBucket") && text.contains("make the bucket, or correct `archive.url`"),
            "{text}"
        );
    }
    for text in refusals(&open(&server, &[("AWS_SECRET_ACCESS_KEY", "another-secret")])).await {
        assert!(text.contains("`AWS_SECRET_ACCESS_KEY` does not belong to"), "{text}");
        assert!(!text.contains("another-secret"), "{text}");
    }
    for text in refusals(&open(&server, &[("AWS_ACCESS_KEY_ID", "AKIANOBODY")])).await {
        assert!(text.contains("does not know the key in `AWS_ACCESS_KEY_ID`"), "{text}");
    }
    // Nobody listens where a machine of Amazon's would give credentials.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = format!("http://{nobody}");
    let without = [
        ("AWS_ACCESS_KEY_ID", ""),
        ("AWS_SECRET_ACCESS_KEY", ""),
        ("AWS_METADATA_ENDPOINT", nobody.as_str()),
    ];
    let error = put(&open(&server, &without)).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Refused(text) if text.contains("no credentials are set")),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_cannot_work_are_refused_before_any_request() {
    let server = S3Server::start().await;
    for (others, mend) in [
        ([("AWS_ALLOW_HTTP", "")], "set `AWS_ALLOW_HTTP` to `true`"),
        ([("AWS_SECRET_ACCESS_KEY", "")], "set both `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`"),
    ] {
        let error = open_at(&server.url("archive"), &server, &others).err().unwrap();
        let is_named = |text: &String| text.contains("`archive.url`") && text.contains(mend);
        assert!(matches!(&error, StoreError::Refused(text) if is_named(text)), "{error}");
    }
}
