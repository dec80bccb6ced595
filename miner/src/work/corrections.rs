//! Corrections of the taxonomy in the store, and the corrected taxonomy that follows from them.
//!
//! Corrections are the value `corrections`, a file as [`mining::corrections`](crate::mining::corrections) describes it. The value
//! `taxonomy` is the corrected taxonomy, which all readers use. Where it differs from the mined one, that is the value
//! `taxonomy/mined`; otherwise that value is empty. A fold writes both, and so does a change of corrections, without a fold.
//!
//! Both writers look again at what they read once they have written, so that a change that comes between is not lost. If a
//! process ends halfway, the next fold puts it right. Start at [`change`].

use anyhow::Context as _;
use newslode_common::store::SiteState;
use newslode_common::time;

use crate::mining::corrections::{Corrected, Corrections, apply};
use crate::mining::taxonomy::Taxonomy;
use crate::work::registry::follow_taxonomy;
use crate::work::values;
pub use crate::work::values::TAXONOMY;

/// Name of the value that holds the corrections; its bytes are JSON.
const CORRECTIONS: &str = "corrections";
/// Name of the value that holds the mined taxonomy where corrections change it; its bytes are JSON, or none.
const MINED: &str = "taxonomy/mined";
/// Number of attempts to write while other writers are first.
const MAX_ATTEMPTS: usize = 8;

/// The version of a value; `None` if it was never written.
type Version = Option<u64>;

/// The corrections of an installation.
///
/// # Errors
/// When the store fails, or the value cannot be read.
pub async fn read_corrections(state: &dyn SiteState) -> anyhow::Result<Corrections> {
    Ok(read(state).await?.0)
}

/// The taxonomy as it was last written, with the corrections of editors; `None` before the first fold.
///
/// # Errors
/// When the store fails or the value cannot be read.
pub async fn read_taxonomy(state: &dyn SiteState) -> anyhow::Result<Option<Taxonomy>> {
    let Some((_, bytes)) = state.value(TAXONOMY).await? else { return Ok(None) };
    serde_json::from_slice(&bytes).context("the value `taxonomy` cannot be read").map(Some)
}

/// The taxonomy as it was last mined, without corrections; `None` before the first fold.
///
/// # Errors
/// When the store fails, or the value cannot be read.
pub async fn read_mined(state: &dyn SiteState) -> anyhow::Result<Option<Taxonomy>> {
    Ok(read_mined_value(state).await?.map(|mined| mined.taxonomy))
}

/// Changes the corrections and at once applies them to the mined taxonomy. What other writers do meanwhile is kept. `change`
/// also gets the mined taxonomy, and may be called several times. Returns what it returned, and what was corrected.
///
/// # Errors
/// When `change` refuses, the store fails, or other writers keep being first.
pub async fn change<T>(
    state: &dyn SiteState,
    mut change: impl FnMut(&mut Corrections, &Taxonomy) -> anyhow::Result<T>,
) -> anyhow::Result<(T, Corrected)> {
    for _ in 0..MAX_ATTEMPTS {
        let (mut corrections, version) = read(state).await?;
        let mined = read_mined(state).await?.unwrap_or_default();
        let changed = change(&mut corrections, &mined)?;
        if state.put_value(CORRECTIONS, version, corrections.to_json()?.into()).await?.is_some() {
            let corrected = apply_again(state).await?;
            follow_taxonomy(state, time::now()).await?;
            return Ok((changed, corrected));
        }
    }
    anyhow::bail!("cannot save the corrections: other writers keep changing them; try again")
}

/// Applies the corrections to the mined taxonomy at hand.
async fn apply_again(state: &dyn SiteState) -> anyhow::Result<Corrected> {
    for _ in 0..MAX_ATTEMPTS {
        let (corrections, version) = read(state).await?;
        let Some(mined) = read_mined_value(state).await? else {
            return Ok(apply(&Taxonomy::default(), &corrections));
        };
        let corrected = correct(&mined.taxonomy, &corrections).await?;
        let differs = corrected.taxonomy != mined.taxonomy;
        if differs && !mined.is_apart {
            let bytes = serde_json::to_vec(&mined.taxonomy)?;
            if state.put_value(MINED, mined.version, bytes.into()).await?.is_none() {
                continue;
            }
        }
        values::put(state, TAXONOMY, serde_json::to_vec(&corrected.taxonomy)?).await?;
        if !differs
            && mined.is_apart
            && state.put_value(MINED, mined.version, Vec::new().into()).await?.is_none()
        {
            continue;
        }
        let is_same = read_mined(state).await?.is_some_and(|now| now == mined.taxonomy);
        if is_same && read_version(state).await? == version {
            return Ok(corrected);
        }
    }
    anyhow::bail!(
        "the corrections are saved, but other writers keep changing the taxonomy; the next fold applies them"
    )
}

/// What a fold wrote.
pub(super) struct Written {
    /// What readers see.
    pub(super) taxonomy: Taxonomy,
    /// Whether that changed.
    pub(super) is_new: bool,
}

/// Writes a taxonomy that was mined just now, and the corrected one.
///
/// # Errors
/// When the store fails, or the corrections cannot be read.
pub(super) async fn write_mined(state: &dyn SiteState, mined: &Taxonomy) -> anyhow::Result<Written> {
    let (mut is_new, mut attempts) = (false, 0);
    loop {
        attempts += 1;
        let (corrections, version) = read(state).await?;
        let corrected = correct(mined, &corrections).await?;
        let differs = corrected.taxonomy != *mined;
        if differs {
            values::put(state, MINED, serde_json::to_vec(mined)?).await?;
        }
        is_new |= values::put(state, TAXONOMY, serde_json::to_vec(&corrected.taxonomy)?).await?;
        if !differs {
            values::empty(state, MINED).await?;
        }
        // What is corrected again and again meanwhile waits for the next fold.
        if attempts == MAX_ATTEMPTS || read_version(state).await? == version {
            if !corrected.unmatched.is_empty() {
                tracing::debug!(unmatched = ?corrected.unmatched, "some corrections do not apply to the taxonomy");
            }
            return Ok(Written { taxonomy: corrected.taxonomy, is_new });
        }
    }
}

/// Applies corrections; a large taxonomy takes a while, so this stays off the threads that serve the queues.
async fn correct(mined: &Taxonomy, corrections: &Corrections) -> anyhow::Result<Corrected> {
    if corrections.is_empty() {
        return Ok(apply(mined, corrections));
    }
    let (mined, corrections) = (mined.clone(), corrections.clone());
    Ok(tokio::task::spawn_blocking(move || apply(&mined, &corrections)).await?)
}

async fn read(state: &dyn SiteState) -> anyhow::Result<(Corrections, Version)> {
    let Some((version, bytes)) = state.value(CORRECTIONS).await? else {
        return Ok((Corrections::default(), None));
    };
    let corrections = Corrections::parse(&bytes).context("the value `corrections` cannot be read")?;
    Ok((corrections, Some(version)))
}

async fn read_version(state: &dyn SiteState) -> anyhow::Result<Version> {
    Ok(state.value(CORRECTIONS).await?.map(|(version, _)| version))
}

/// The mined taxonomy, and where it is.
struct Mined {
    taxonomy: Taxonomy,
    /// It is the value [`MINED`]; otherwise nothing is corrected.
    is_apart: bool,
    /// The version of that value.
    version: Version,
}

async fn read_mined_value(state: &dyn SiteState) -> anyhow::Result<Option<Mined>> {
    let apart = state.value(MINED).await?;
    let version = apart.as_ref().map(|(version, _)| *version);
    if let Some((_, bytes)) = apart.filter(|(_, bytes)| !bytes.is_empty()) {
        let taxonomy = serde_json::from_slice(&bytes).context("the value `taxonomy/mined` cannot be read")?;
        return Ok(Some(Mined { taxonomy, is_apart: true, version }));
    }
    let taxonomy = read_taxonomy(state).await?;
    Ok(taxonomy.map(|taxonomy| Mined { taxonomy, is_apart: false, version }))
}
