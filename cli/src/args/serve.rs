//! Arguments of `serve` and `token`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use url::Url;

use crate::console::access::origin::Network;
use crate::installation::{DirArgs, RunArgs};
use crate::queries::tokens::Role;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) console: ConsoleArgs,
}

/// Where a console is served, and who may use it.
#[derive(Debug, Args)]
pub(crate) struct ConsoleArgs {
    /// Address to serve at; port 0 takes any free one [default: 127.0.0.1:8080, or none with --socket].
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) addr: Option<SocketAddr>,
    /// Serve at this Unix socket, which only its owner may open. Who may open it may change things without a token.
    #[arg(long, value_name = "FILE")]
    pub(crate) socket: Option<PathBuf>,
    /// Also serve /metrics and /health at this address; port 0 takes any free one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) admin: Option<SocketAddr>,
    /// Seconds between two looks at the store; after a long one it waits ten times as long as that took.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) renew: u64,
    /// File with a token that lets change things, beside those of `newslode token` [default: a one-time address for signing in
    /// is printed to a terminal or written to a file].
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Where the one-time address is written if standard output is no terminal [default: console-sign-in in the run's folder;
    /// newslode-sign-in in $XDG_RUNTIME_DIR for the services].
    #[arg(long, value_name = "FILE")]
    pub(crate) sign_in_file: Option<PathBuf>,
    /// Ask for a token before anything is read, too.
    #[arg(long)]
    pub(crate) require_token: bool,
    /// A name by which browsers reach the console, beside localhost and its address; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// Address or network of a proxy whose X-Forwarded-For and X-Forwarded-Proto are believed; may be repeated.
    #[arg(long, value_name = "ADDRESS|NETWORK")]
    pub(crate) trusted_proxy: Vec<Network>,
    /// File with the certificate (PEM, its chain after it) to serve HTTPS.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// File with the certificate's private key (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) oidc: OidcArgs,
}

/// Signing in through an OpenID Connect provider.
#[derive(Debug, Args)]
#[command(next_help_heading = "Signing in through an OpenID Connect provider")]
pub(crate) struct OidcArgs {
    /// Let people sign in through this provider, named exactly as it names itself. Its clients must know the address that `serve` prints.
    #[arg(long, value_name = "URL", requires = "oidc_client_id")]
    pub(crate) oidc_issuer: Option<String>,
    /// What the provider calls this console.
    #[arg(long, value_name = "ID", requires = "oidc_issuer")]
    pub(crate) oidc_client_id: Option<String>,
    /// File with the secret that the console shows to the provider; it is read at each sign-in [default: none, for a public client].
    #[arg(long, value_name = "FILE", requires = "oidc_issuer")]
    pub(crate) oidc_client_secret_file: Option<PathBuf>,
    /// The claim of the ID token that gives a role; dots lead into objects, as in `realm_access.roles`.
    #[arg(long, value_name = "NAME", default_value = "groups")]
    pub(crate) oidc_claim: String,
    /// A value of the claim that lets change things; may be repeated.
    #[arg(long, value_name = "VALUE", requires = "oidc_issuer")]
    pub(crate) oidc_write: Vec<String>,
    /// A value of the claim that lets read; may be repeated.
    #[arg(long, value_name = "VALUE", requires = "oidc_issuer")]
    pub(crate) oidc_read: Vec<String>,
    /// A scope to ask for beside `openid` and `email`; may be repeated.
    #[arg(long, value_name = "SCOPE", requires = "oidc_issuer")]
    pub(crate) oidc_scope: Vec<String>,
    /// Address by which browsers reach the console, as in https://console.example.org/ [default: from --host, or the address that is served].
    #[arg(long, value_name = "URL", requires = "oidc_issuer")]
    pub(crate) public_url: Option<Url>,
}

#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    pub(crate) command: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it, the only time that it is shown.
    Add {
        /// Whose it is: a person or program.
        name: String,
        /// What it lets do.
        #[arg(long, value_enum, default_value_t = Role::Read)]
        role: Role,
        /// Days until it is refused [default: never].
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
        expires: Option<u32>,
        #[command(flatten)]
        run: DirArgs,
    },
    /// List the tokens, without what is secret of them.
    List {
        #[command(flatten)]
        run: DirArgs,
        /// Print as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Refuse a token from now on, and end the sessions that it began.
    Revoke {
        /// Its name.
        name: String,
        #[command(flatten)]
        run: DirArgs,
    },
}
