//! What happened to articles, an event a line: also to those that are gone.

use std::io::Write;

use newslode_miner::work::lives;
use newslode_miner::work::parts::Parts;

use crate::outputs::json_line;

/// Writes the events of every article that was ever counted, ordered by site, URL and number.
pub(super) async fn write(parts: &Parts, to: &mut impl Write) -> anyhow::Result<()> {
    for (site, _) in parts.state.sites().await? {
        for (url, _) in parts.state.pages(&site).await? {
            let Some(life) = lives::read(parts, &url).await? else { continue };
            for past in life.history() {
                json_line(to, &past)?;
            }
        }
    }
    Ok(())
}
