//! `newslode config`: shows, checks or describes the configuration.

use newslode_common::config::{Config, schema};

use crate::args::{ConfigArgs, ConfigCommand};
use crate::exit::Exit;
use crate::out;

/// The configuration has already been loaded, checked for unknown keys and validated.
pub(crate) fn run(args: ConfigArgs, config: &Config) -> anyhow::Result<Exit> {
    match args.command {
        ConfigCommand::Show { json: true } => out::json(config)?,
        ConfigCommand::Show { json: false } => out::text(&toml::to_string(config)?)?,
        ConfigCommand::Check => {
            out::line("the configuration can be used")?;
            // The other services do without.
            if let Err(error) = config.crawler.agent() {
                out::line(format!("but no crawler starts with it: {error}"))?;
            }
        }
        ConfigCommand::Schema => out::json(&schema())?,
    }
    Ok(Exit::Done)
}
