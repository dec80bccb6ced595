//! The value by which events are filed, and the copy of it that each miner keeps.
//!
//! It saves work only: without it, or if it cannot be read, events are published without concepts.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use newslode_common::compression;
use newslode_common::message::wire;
use newslode_common::store::SiteState;
use tokio_util::sync::CancellationToken;

use crate::mining::filing::{Filing, Witness};
use crate::work::values;
use crate::work::waiting::pause;

/// Name of the value; its bytes are the number of its format, then a packed [`Filing`].
const FILING: &str = "filing";
/// Number of the stored format.
const FORMAT: u8 = 4;
/// Maximum size of a filing before it is packed. From a larger one the witnesses are left out, the least trusted first.
const MAX_BYTES: usize = 32 << 20;
/// Longest interval at which the value is read again.
const REFRESH_EVERY: Duration = Duration::from_secs(60);

/// The filing that this miner read last.
#[derive(Default)]
pub struct FilingCache(RwLock<CachedValue>);

#[derive(Default)]
struct CachedValue {
    version: Option<u64>,
    filing: Option<Arc<Filing>>,
    /// Whether it was logged that the value cannot be read.
    is_logged: bool,
}

impl FilingCache {
    /// By what events are filed; `None` until it was read once.
    #[must_use]
    pub fn now(&self) -> Option<Arc<Filing>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).filing.clone()
    }

    /// Reads the value again if its version changed.
    ///
    /// # Errors
    /// When the store fails; the filing read before stays in use.
    pub async fn refresh(&self, state: &dyn SiteState) -> anyhow::Result<()> {
        let value = state.value(FILING).await?;
        let version = value.as_ref().map(|(version, _)| *version);
        if version == self.0.read().unwrap_or_else(PoisonError::into_inner).version {
            return Ok(());
        }
        let read = match value {
            Some((_, bytes)) => tokio::task::spawn_blocking(move || unpack(&bytes).map(Some)).await?,
            None => Ok(None),
        };
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.version = version;
        match read {
            Ok(filing) => (held.filing, held.is_logged) = (filing.map(Arc::new), false),
            Err(reason) => {
                held.filing = None;
                if !std::mem::replace(&mut held.is_logged, true) {
                    tracing::warn!(
                        reason,
                        "cannot read the value `{FILING}`; events are published without concepts until it is learnt again"
                    );
                }
            }
        }
        Ok(())
    }
}

/// Refreshes the cache until `stop`.
///
/// # Errors
/// Never; a failed attempt is logged, and the next one tries again.
pub(in crate::work) async fn refresh_loop(
    cache: Arc<FilingCache>,
    state: Arc<dyn SiteState>,
    every_s: u64,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let wait = Duration::from_secs(every_s).min(REFRESH_EVERY);
    loop {
        if let Err(error) = cache.refresh(state.as_ref()).await {
            tracing::debug!(%error, "cannot read the value `{FILING}`; events are filed by the one read before");
        }
        if !pause(wait, &stop).await {
            return Ok(());
        }
    }
}

/// Writes the value. Returns whether it changed.
///
/// # Errors
/// When the store fails, or the value cannot be packed.
pub async fn write_filing(state: &dyn SiteState, filing: Filing) -> anyhow::Result<bool> {
    let bytes = tokio::task::spawn_blocking(move || pack(filing, MAX_BYTES)).await??;
    Ok(values::put(state, FILING, bytes).await?)
}

/// A filing as bytes. Witnesses that make it too large are left out.
fn pack(mut filing: Filing, most: usize) -> anyhow::Result<Vec<u8>> {
    let mut plain = wire::encode(&filing)?;
    for witness in [Witness::Words, Witness::List, Witness::Place, Witness::Topic] {
        if plain.len() <= most {
            break;
        }
        let (bytes, left_out) = (plain.len(), witness.name());
        tracing::warn!(
            bytes,
            most,
            left_out,
            "what was learnt about filing is too large; events are filed without this witness"
        );
        filing.forget(witness);
        plain = wire::encode(&filing)?;
    }
    anyhow::ensure!(
        plain.len() <= most,
        "what was learnt about filing takes {} bytes with the names of the concepts alone",
        plain.len()
    );
    let mut bytes = vec![FORMAT];
    bytes.extend(compression::compress(&plain)?);
    Ok(bytes)
}

fn unpack(bytes: &[u8]) -> Result<Filing, String> {
    let (format, packed) = bytes.split_first().ok_or("it is empty")?;
    if *format != FORMAT {
        return Err(format!("it has format {format}, this version reads format {FORMAT}"));
    }
    let plain = compression::decompress(packed, MAX_BYTES as u64).map_err(|error| error.to_string())?;
    wire::decode(&plain).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
