//! `newslode seed`: manages seeds of running services, over the broker, or of a run's folder.

use std::path::Path;

use bytes::Bytes;
use newslode_common::broker::Broker;
use newslode_common::message::seed::{SeedError, SeedMessage, VERSION};
use newslode_common::store::Frontier;

use crate::args::{SeedArgs, SeedCommandArg, SeedUrls};
use crate::control::{self, Change};
use crate::engine;
use crate::exit::{Exit, hinted};
use crate::installation::{DirArgs, Setup, Target};
use crate::{out, services};

pub(crate) async fn run(args: SeedArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let plain = |urls: &SeedUrls, make: fn(String) -> SeedMessage| {
        urls.urls.iter().cloned().map(make).collect::<Vec<SeedMessage>>()
    };
    let (sites, messages) = match args.command {
        SeedCommandArg::List { run, json } => return list_sites(&run, json, setup).await,
        SeedCommandArg::Add { sites, max_pages, depth, delay, since, until } => {
            let make = |url: &String| SeedMessage {
                version: VERSION,
                url: Some(url.clone()),
                max_pages,
                max_depth: depth,
                delay_ms: delay,
                since: since.clone(),
                until: until.clone(),
                ..SeedMessage::default()
            };
            let messages = sites.urls.iter().map(make).collect();
            (sites, messages)
        }
        SeedCommandArg::Remove(sites) => {
            let messages = plain(&sites, |url| SeedMessage {
                version: VERSION,
                remove: Some(url),
                ..Default::default()
            });
            (sites, messages)
        }
        SeedCommandArg::Pause(sites) => {
            let messages =
                plain(&sites, |url| SeedMessage { version: VERSION, pause: Some(url), ..Default::default() });
            (sites, messages)
        }
        SeedCommandArg::Forget(pages) => {
            let make = |url| SeedMessage { version: VERSION, forget: Some(url), ..Default::default() };
            let messages = plain(&pages, make);
            (pages, messages)
        }
    };
    send_seeds(&sites, &messages, setup).await
}

/// Checks all messages, then sends them.
async fn send_seeds(sites: &SeedUrls, messages: &[SeedMessage], setup: &Setup) -> anyhow::Result<Exit> {
    let commands = messages.iter().cloned().map(SeedMessage::command).collect::<Result<Vec<_>, _>>();
    commands.map_err(|error| {
        let hint = match error {
            SeedError::Days => {
                "newslode seed add https://www.example.com --since 2024-04-01 --until 2024-06-30"
            }
            _ => "a seed looks like https://www.example.com",
        };
        hinted(error.to_string(), hint)
    })?;
    let config = &setup.config;
    let to = match sites.run.target(setup) {
        Target::Run(folder) => {
            let target = Target::Run(folder);
            control::apply(&target, Change::Seeds(messages.to_vec()), config).await?;
            format!("the run in `{}`", target.folder().unwrap_or(Path::new(".")).display())
        }
        Target::Services => {
            let broker = services::connect_broker(config).await?;
            for message in messages {
                broker.publish(message.queue(), Bytes::from(serde_json::to_vec(message)?)).await?;
            }
            format!("the services, over the broker at {}", config.broker.url)
        }
    };
    out::line(format!("{} sent to {to}", messages.len()))?;
    Ok(Exit::Done)
}

async fn list_sites(run: &DirArgs, json: bool, setup: &Setup) -> anyhow::Result<Exit> {
    let sites = match run.target(setup) {
        Target::Run(folder) => Frontier::status(&engine::open_state(&folder)?).await?,
        Target::Services => Frontier::status(&services::connect_store(&setup.config).await?).await?,
    };
    if json {
        out::json(&sites)?;
        return Ok(Exit::Done);
    }
    for site in &sites {
        let settings = &site.settings;
        let paused = if settings.paused { ", paused" } else { "" };
        out::line(format!(
            "{}  {} of {} pages, depth {}, every {} ms{paused}",
            site.site, site.urls, settings.max_pages, settings.max_depth, settings.delay_ms
        ))?;
    }
    Ok(Exit::Done)
}
