//! `newslode token`: makes, lists and revokes tokens of the console, while it runs or not.

use std::sync::Arc;

use newslode_common::time::{iso, now};
use newslode_page::time::Timestamp;
use serde::Serialize;

use crate::args::{TokenArgs, TokenCommand};
use crate::engine::STATE_FILE;
use crate::exit::{Exit, hinted};
use crate::installation::{DirArgs, Setup, Target};
use crate::queries::audit::{AuditLog, AuditPlace, Deed};
use crate::queries::tokens::{NamedToken, Role, TokenStore};
use crate::{out, services};

/// A day in milliseconds.
const DAY_MS: u64 = 86_400_000;

pub(crate) async fn run(args: TokenArgs, setup: &Setup) -> anyhow::Result<Exit> {
    match args.command {
        TokenCommand::Add { name, role, expires, run } => {
            let store = token_store(&run, setup).await?;
            let now = now();
            let expires = expires.map(|days| Timestamp(now.0 + u64::from(days) * DAY_MS));
            let token = store.change(|list| list.add(&name, role, now, expires)).await?;
            let until = expires.map_or("for good".to_owned(), |expires| format!("until {}", iso(expires)));
            record(&store, Deed::AddedToken, &format!("{name} ({}, {until})", role.name())).await;
            out::line(token)?;
        }
        TokenCommand::List { run, json } => {
            list_tokens(&token_store(&run, setup).await?.read().await?.tokens, json)?
        }
        TokenCommand::Revoke { name, run } => {
            let store = token_store(&run, setup).await?;
            store.change(|list| list.revoke(&name)).await?;
            record(&store, Deed::RevokedToken, &name).await;
            out::line(format!("`{name}` is revoked; running consoles refuse it within seconds"))?;
        }
    }
    Ok(Exit::Done)
}

/// The tokens of a run or of the services.
async fn token_store(run: &DirArgs, setup: &Setup) -> anyhow::Result<TokenStore> {
    match run.target(setup) {
        // The run may be open in a console: its state is left alone.
        Target::Run(folder) if folder.join(STATE_FILE).exists() => Ok(TokenStore::Folder(folder)),
        Target::Run(folder) => Err(hinted(
            format!("`{}` holds no run", folder.display()),
            "name its folder: --dir DIR, or the services: --config FILE",
        )),
        Target::Services => Ok(TokenStore::Services(Arc::new(services::connect_store(&setup.config).await?))),
    }
}

/// Writes to the audit log of the consoles.
async fn record(store: &TokenStore, did: Deed, about: &str) {
    let place = match store {
        TokenStore::Folder(folder) => AuditPlace::Folder(folder.clone()),
        TokenStore::Services(state) => AuditPlace::Services(state.clone()),
    };
    let from = services::process_name();
    AuditLog::new(place).add("command line", &from, did, about).await;
}

/// A token as the list shows it.
#[derive(Serialize)]
struct ListedToken<'a> {
    name: &'a str,
    role: Role,
    created: Timestamp,
    expires: Option<Timestamp>,
    valid: bool,
}

fn list_tokens(tokens: &[NamedToken], json: bool) -> anyhow::Result<()> {
    let now = now();
    if json {
        let listed = tokens.iter().map(|token| ListedToken {
            name: &token.name,
            role: token.role,
            created: token.created,
            expires: token.expires,
            valid: token.is_valid(now),
        });
        return out::json(&listed.collect::<Vec<_>>());
    }
    for token in tokens {
        let end = match token.expires {
            None => "does not expire".to_owned(),
            Some(expires) if token.is_valid(now) => format!("expires {}", out::time(expires)),
            Some(expires) => format!("expired {}", out::time(expires)),
        };
        let NamedToken { name, role, created, .. } = token;

        out::line(format!("{name}  {}  made {}  {end}", role.name(), out::time(*created)))?;
    }
    Ok(())
}
