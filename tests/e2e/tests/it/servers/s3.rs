//! The archive in S3: the services mine into a bucket while its server asks them to slow down, and while their credentials
//! have run out. Nothing is lost, and the logs say what is wrong and what to do. The run follows the news and ends as
//! [`newslode_e2e::news`] says.

use std::time::Instant;

use newslode_common::store::{Frontier, SiteStatus};
use newslode_e2e::news::News;
use newslode_test_servers::{Mood, S3Server, TOKEN};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::lab::{Lab, small_world};
use crate::process::LOOK;
use crate::services::{Installation, SERVICES, SOON, Servers};

/// The delay between two requests to a site, in milliseconds: so long that troubles meet a run under way.
const DELAY: u64 = 60;

/// The most lines about one trouble in the log of one service: a service tells it again every ten seconds, and its loops
/// at each of their looks, which are every second here.
const LINES: usize = 40;

#[tokio::test(flavor = "multi_thread")]
async fn services_outlast_a_slow_server_and_credentials_that_ran_out() {
    let mut lab = Lab::of(small_world(11)).await;
    let news = News::undisturbed(&lab, &[]).await;
    let bucket = S3Server::start().await;
    for (name, value) in bucket.variables() {
        lab.set(name, value);
    }
    lab.set("NEWSLODE__ARCHIVE__URL", bucket.url("mined"));
    let servers = Servers::start().await;
    let mut services = Installation::following("news", &lab, &servers, "s3", DELAY);
    services.start_all();
    services.ready().await;
    let listener = services.listener().await;
    services.seed().await;

    services.done(news.done / 4).await;
    until_told(Mood::SlowDown, "SlowDown", &bucket, &lab, &mut services).await;
    services.done(news.done / 2).await;
    until_told(Mood::Expired, "ExpiredToken", &bucket, &lab, &mut services).await;
    services.ends_with_the_news(&news, &listener).await;

    let logs =
        SERVICES.map(|service| std::fs::read_to_string(lab.path(&format!("s3-{service}.err"))).unwrap());
    for (cause, mend) in
        [("SlowDown", "Please reduce your request rate"), ("ExpiredToken", "`AWS_SESSION_TOKEN`")]
    {
        let told = logs.each_ref().map(|log| log.lines().filter(|line| line.contains(cause)).count());
        eprintln!("{cause}: {told:?} lines in the logs of {SERVICES:?}");
        assert!(told[0] > 0 && told.iter().all(|lines| *lines <= LINES), "{told:?} lines tell of {cause}");
        let is_told = |log: &String| log.lines().all(|line| !line.contains(cause) || line.contains(mend));
        assert!(logs.iter().all(is_told), "{cause} is told without `{mend}`\n{}", logs.concat());
    }
    assert!(logs.iter().all(|log| !log.contains(TOKEN)), "a log holds the token of a session");
}

/// Lets a trouble last until the crawler has given up on a request, counted the failure and logged the cause.
async fn until_told(mood: Mood, cause: &str, bucket: &S3Server, lab: &Lab, services: &mut Installation<'_>) {
    let (before, failed) = (bucket.troubled(), failures(services).await);
    bucket.set(mood);
    let (begun, log) = (Instant::now(), lab.path(&format!("s3-{}.err", SERVICES[0])));
    loop {
        services.all_run();
        let is_logged = std::fs::read_to_string(&log).unwrap().contains(cause);
        if is_logged && failures(services).await > failed {
            break;
        }
        assert!(begun.elapsed() < SOON, "no failure by {mood:?} was counted and logged\n{}", services.logs());
        tokio::time::sleep(LOOK).await;
    }
    let (sites, now) =
        (Frontier::status(&services.store().await).await.unwrap(), newslode_common::time::now());
    let is_under_way = |site: &SiteStatus| site.leased > 0 || site.next_due.is_some_and(|due| due <= now);
    assert!(sites.iter().any(is_under_way), "the run was over before {mood:?}: {sites:?}");
    bucket.set(Mood::Well);
    eprintln!("{mood:?} lasted {:?}; {} requests met it", begun.elapsed(), bucket.troubled() - before);
}

/// The sum of `newslode_archive_failures_total` over all services.
async fn failures(services: &Installation<'_>) -> f64 {
    let mut sum = 0.0;
    for addr in services.admin().values() {
        let mut stream = tokio::net::TcpStream::connect(addr).await.unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut metrics = String::new();
        stream.read_to_string(&mut metrics).await.unwrap();
        let lines = metrics.lines().filter(|line| line.starts_with("newslode_archive_failures_total"));
        sum += lines.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum::<f64>();
    }
    sum
}
