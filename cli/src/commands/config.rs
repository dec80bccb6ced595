//! `newslode config`: shows, checks or describes the configuration.

use newslode_common::config::{CrawlerConfig, hide_secrets, schema};
use newslode_crawler::web::Internet;

use crate::args::{ConfigArgs, ConfigCommand};
use crate::exit::Exit;
use crate::installation::Setup;
use crate::out;

/// The configuration has already been loaded, checked for unknown keys and validated.
pub(crate) fn run(args: ConfigArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let config = &setup.config;
    let origin = setup.file.as_ref().map_or("no file".to_owned(), |file| format!("`{}`", file.display()));
    let origin = format!("read from {origin}");
    match args.command {
        ConfigCommand::Show { json: true } => {
            let mut shown = serde_json::to_value(config)?;
            hide_secrets(&mut shown);
            out::json(&shown)?;
            if !setup.quiet {
                out::notice(origin);
            }
        }
        ConfigCommand::Show { json: false } => {
            // TOML has no null, so the way to JSON leads through TOML.
            let mut shown: serde_json::Value = toml::from_str(&toml::to_string(config)?)?;
            hide_secrets(&mut shown);
            out::line(format!("# {origin}\n# the environment (NEWSLODE__…) is included"))?;
            out::data(toml::to_string(&shown)?.as_bytes())?;
        }
        ConfigCommand::Check => {
            let crawler = &config.crawler;
            // The other services do without a contact.
            let agent = crawler.agent();
            // It needs a contact, too, but its files are to be checked in any case.
            let contact = if agent.is_ok() { crawler.contact.clone() } else { "nobody@example.org".into() };
            Internet::new(&CrawlerConfig { contact, ..crawler.clone() })?;
            out::line(format!("the configuration can be used ({origin})"))?;
            if let Err(error) = agent {
                out::line(format!("but no crawler starts with it: {error}"))?;
            }
        }
        ConfigCommand::Schema => out::json(&schema())?,
    }
    Ok(Exit::Done)
}
