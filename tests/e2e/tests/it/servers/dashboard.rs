//! The dashboard over running services: Prometheus scrapes them as deployed, and every panel shows something.
//!
//! Prometheus gets the deployed configuration with two changes: its targets are those of this test, and it
//! scrapes every second. `tests/deploy/live.py` evaluates the panels' expressions.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::lab::{Lab, small_world};
use crate::process::Process;
use crate::services::{Installation, Servers, deployed};

/// Seconds within which every expression must return a series: a few scrapes.
const WAIT: &str = "60";
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread")]
async fn every_panel_shows_something() {
    let lab = Lab::of(small_world(3)).await;
    let servers = Servers::as_deployed().await;
    let mut services = Installation::new(&lab, &servers, "newslode", 0);
    services.start_all();
    services.ready().await;

    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let folder = lab.path("prometheus");
    std::fs::create_dir(&folder).unwrap();
    let config = scraping(&services, &servers, &address);
    std::fs::write(folder.join("prometheus.yml"), config).unwrap();
    std::fs::copy(deployed("prometheus/rules.yml"), folder.join("rules.yml")).unwrap();
    let _prometheus = prometheus(&folder, &address);

    services.seed().await;
    services.done(60).await;
    let mut asking = Command::new("python3");
    asking.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/live.py"));
    asking.args([&format!("http://{address}"), "--wait", WAIT]);
    let asked = Process::start(asking, "live", &folder).end(PATIENCE).await;
    assert_eq!(asked.code, Some(0), "{}{}\n{}", asked.out, asked.err, services.logs());
    assert!(asked.out.contains("; 0 left out"), "{}", asked.out);
    eprintln!("{}", asked.out);
    services.stop().await;
}

/// The deployed configuration, in which each job gets its targets of this test.
fn scraping(services: &Installation<'_>, servers: &Servers, prometheus: &str) -> String {
    let deployed = std::fs::read_to_string(deployed("prometheus/prometheus.yml")).unwrap();
    let (global, jobs) = deployed.split_once("scrape_configs:\n").unwrap();
    let global = global.replace("15s", "1s").replace("10s", "1s");
    let mut text = format!("{global}scrape_configs:\n");
    for job in jobs.split("  - job_name: ").skip(1) {
        let (name, rest) = job.split_once('\n').unwrap();
        let target = match name {
            "rabbitmq" | "rabbitmq-queues" => servers.rabbit.metrics(),
            "prometheus" => prometheus.to_owned(),
            // No panel shows anything of a console, and none runs here.
            "newslode-console" => continue,
            service => services.admin()[service].to_string(),
        };
        // Everything from the first `*_configs` on says where to scrape.
        let places = rest.find("    dns_sd_configs").or_else(|| rest.find("    static_configs")).unwrap();
        let how = &rest[..places];
        text.push_str(&format!(
            "  - job_name: {name}\n{how}    static_configs:\n      - targets: [\"{target}\"]\n"
        ));
    }
    text
}

fn prometheus(folder: &Path, address: &str) -> Process {
    let mut command = Command::new("prometheus");
    command.arg(format!("--config.file={}", folder.join("prometheus.yml").display()));
    command.arg(format!("--storage.tsdb.path={}", folder.join("data").display()));
    command.arg(format!("--web.listen-address={address}"));
    Process::start(command, "prometheus", folder)
}
