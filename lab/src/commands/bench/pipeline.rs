//! `newslode-lab bench pipeline`: what a page costs from the fetch to the taxonomy.

use newslode::exit::Exit;
use newslode::out;

use super::progress::progress;
use crate::args::BenchPipelineArgs;
use crate::bench::{self, PipelineSpec};

pub(super) async fn run(args: BenchPipelineArgs, quiet: bool) -> anyhow::Result<Exit> {
    if args.serve {
        bench::serve(&args.pages).await?;
        return Ok(Exit::Done);
    }
    let peer = args.peer.map(|spider| (args.python, spider));
    let spec = PipelineSpec { pages: args.pages, rabbitmq: args.rabbitmq, miners: args.miners, peer };
    let work = move || bench::measure_pipeline(&spec, &mut progress(quiet));
    let report = tokio::task::spawn_blocking(work).await??;
    if args.json {
        out::json(&report)?;
        return Ok(Exit::Done);
    }
    let row = |name: &str, served: &bench::Served, cpu_ms: f64| {
        let bench::Served { pages, requests } = served;
        out::line(format!(
            "{name:14} {pages} pages, {requests} requests, {cpu_ms:.1} ms of processor time a page"
        ))
    };
    row("newslode mine", &report.embedded, report.embedded_cpu_ms)?;
    if let (Some(served), Some(cpu_ms)) = (&report.served, report.served_cpu_ms) {
        row("the services", served, cpu_ms)?;
        for service in &report.services {
            out::line(format!("{:>24} {:.1} ms", service.name, service.cpu_ms))?;
        }
    }
    if let (Some(peer), Some(cpu_ms), Some(times)) = (&report.peer, report.peer_cpu_ms, report.times) {
        row("the peer", peer, cpu_ms)?;
        out::line(format!("the peer takes {times:.1} times as much"))?;
    }
    Ok(Exit::Done)
}
