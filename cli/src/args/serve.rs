//! Arguments of `serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::installation::RunArgs;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Address to serve at; port 0 takes any free one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    pub(crate) addr: SocketAddr,
    /// Also serve /metrics and /health at this address; port 0 takes any free one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) admin: Option<SocketAddr>,
    /// Seconds between two looks at the store; after a long one it waits ten times as long as that took.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) renew: u64,
    /// File with a token: whoever knows it may change seeds, dead letters and articles [default: everybody if ADDRESS is
    /// loopback, else nobody].
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
}
