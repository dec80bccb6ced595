//! What events are filed by, as a value of the store: who leads learns and writes it, every miner reads it.
//!
//! Filing by all articles is made for exports. Events need it at once and at a bounded cost, so the leader learns from a
//! sample of the articles that concept pages list ([`learn`]), now and then, beside the folds. Each miner looks at the value and keeps
//! what it read ([`HeldFiling`]). It is a cache: without it, or with one that cannot be read, events go without concepts.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use newslode_common::compression;
use newslode_common::message::wire;
use newslode_common::store::SiteState;
use tokio_util::sync::CancellationToken;

use crate::mining::filing::{Filing, Witness};
use crate::work::parts::Parts;
use crate::work::values;
use crate::work::waiting::pause;

mod renewal;
pub use renewal::learn;
pub(super) use renewal::renew;

/// Name of the value; its bytes are the number of a form, then a packed [`Filing`].
const FILING: &str = "filing";
/// Number of the stored form.
const FORM: u8 = 1;
/// The most bytes of a filing before it is packed. One that is larger goes without words, and then without pages that show first.
const MOST_BYTES: usize = 32 << 20;
/// The longest time between two looks at the value.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// What this miner read last.
#[derive(Default)]
pub struct HeldFiling(RwLock<Held>);

#[derive(Default)]
struct Held {
    version: Option<u64>,
    filing: Option<Arc<Filing>>,
    /// Whether the log tells that the value cannot be read.
    is_told: bool,
}

impl HeldFiling {
    /// What events are filed by; none before it was read.
    #[must_use]
    pub fn now(&self) -> Option<Arc<Filing>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).filing.clone()
    }

    /// Reads the value, if it is another than the one that was read last.
    ///
    /// # Errors
    /// When the store fails; what was read stays.
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
            Ok(filing) => (held.filing, held.is_told) = (filing.map(Arc::new), false),
            Err(reason) => {
                held.filing = None;
                if !std::mem::replace(&mut held.is_told, true) {
                    tracing::warn!(reason, "the value `{FILING}` cannot be read: events go without concepts");
                }
            }
        }
        Ok(())
    }
}

/// Looks at the value until `stop`.
///
/// # Errors
/// Never; a look that fails is logged, and the next one tries again.
pub(super) async fn follow(parts: Parts, every_s: u64, stop: CancellationToken) -> anyhow::Result<()> {
    let wait = Duration::from_secs(every_s).min(LOOK_EVERY);
    loop {
        if let Err(error) = parts.filing.refresh(parts.state.as_ref()).await {
            tracing::debug!(%error, "cannot look at what events are filed by");
        }
        if !pause(wait, &stop).await {
            return Ok(());
        }
    }
}

/// Writes the value. Returns whether it is another than before.
///
/// # Errors
/// When the store fails, or it cannot be packed.
pub async fn write(state: &dyn SiteState, filing: Filing) -> anyhow::Result<bool> {
    let bytes = tokio::task::spawn_blocking(move || pack(filing, MOST_BYTES)).await??;
    Ok(values::put(state, FILING, bytes).await?)
}

/// A filing as bytes. What makes it too large is left out.
fn pack(mut filing: Filing, most: usize) -> anyhow::Result<Vec<u8>> {
    let mut plain = wire::encode(&filing)?;
    for witness in [Witness::Words, Witness::List, Witness::Place] {
        if plain.len() <= most {
            break;
        }
        let (bytes, left_out) = (plain.len(), witness.name());
        tracing::warn!(
            bytes,
            most,
            left_out,
            "too much was learnt to keep all of it: events lack this witness"
        );
        filing.forget(witness);
        plain = wire::encode(&filing)?;
    }
    anyhow::ensure!(plain.len() <= most, "the names of the concepts alone take {} bytes", plain.len());
    let mut bytes = vec![FORM];
    bytes.extend(compression::compress(&plain)?);
    Ok(bytes)
}

fn unpack(bytes: &[u8]) -> Result<Filing, String> {
    let (form, packed) = bytes.split_first().ok_or("it is empty")?;
    if *form != FORM {
        return Err(format!("it has form {form}, this version reads form {FORM}"));
    }
    let plain = compression::decompress(packed, MOST_BYTES as u64).map_err(|error| error.to_string())?;
    wire::decode(&plain).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
