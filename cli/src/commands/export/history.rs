//! What happened to articles, an event a line: also to those that are gone.

use std::io::Write;

use newslode_miner::work::histories::read_history;
use newslode_miner::work::parts::Parts;

use crate::outputs::json_line;

/// Writes the events of every article that was ever counted, ordered by site, URL and number.
pub(super) async fn write(parts: &Parts, to: &mut impl Write) -> anyhow::Result<()> {
    for (site, _) in parts.stores.state.sites().await? {
        parts.stores.state.renew();
        for (url, _) in parts.stores.state.pages(&site).await? {
            let Some(history) = read_history(parts.stores.archive.as_ref(), &url).await? else { continue };
            for past in history.history() {
                json_line(to, &past)?;
            }
        }
    }
    Ok(())
}
