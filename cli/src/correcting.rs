//! What an editor corrects in the taxonomy, on the command line or in the console.

use newslode_miner::mining::corrections::{Cause, Corrected, Corrections, Entry, apply};
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::corrections;
use newslode_miner::work::parts::Parts;
use serde::{Deserialize, Serialize};

use crate::exit::hinted;

/// A change of the corrections.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaxonomyChange {
    /// Another correction.
    Add(Box<Entry>),
    /// These corrections are forgotten.
    Undo(Vec<u64>),
    /// The corrections of a file are added, or replace all others.
    Import { file: Corrections, replace: bool },
}

impl TaxonomyChange {
    /// Makes the change to corrections of a mined taxonomy, and says in a sentence what it does.
    ///
    /// # Errors
    /// When a new correction does not apply, none has a number, or there are too many.
    pub(crate) fn make(&self, corrections: &mut Corrections, mined: &Taxonomy) -> anyhow::Result<String> {
        match self {
            TaxonomyChange::Add(entry) => {
                let number = corrections.add((**entry).clone())?;
                let unmatched = apply(mined, corrections).unmatched;
                if let Some(refused) = unmatched.into_iter().find(|unmatched| unmatched.number == number) {
                    return Err(refusal(entry, &refused.cause));
                }
                Ok(format!("correction {number}: {}", entry.correction))
            }
            TaxonomyChange::Undo(numbers) => {
                for number in numbers {
                    corrections.remove(*number).ok_or_else(|| {
                        hinted(
                            format!("there is no correction {number}"),
                            "newslode correct list shows their numbers",
                        )
                    })?;
                }
                Ok(format!("{} undone", numbers.len()))
            }
            TaxonomyChange::Import { file, replace } => {
                if *replace {
                    *corrections = file.clone();
                } else {
                    for entry in file.entries() {
                        corrections.add(entry.clone())?;
                    }
                }
                Ok(format!("{} imported", file.entries().len()))
            }
        }
    }

    /// Stores the change and applies it. Returns a sentence that says what was done.
    ///
    /// # Errors
    /// When the change is refused, or the store fails.
    pub(crate) async fn keep(&self, parts: &Parts) -> anyhow::Result<String> {
        let state = parts.stores.state.as_ref();
        let (said, Corrected { unmatched, .. }) =
            corrections::change(state, |corrections, mined| self.make(corrections, mined)).await?;
        Ok(match unmatched.len() {
            0 => said,
            1 => format!("{said}; 1 correction does not apply to the taxonomy now"),
            count => format!("{said}; {count} corrections do not apply to the taxonomy now"),
        })
    }
}

/// Why a new correction is refused, and what helps.
fn refusal(entry: &Entry, cause: &Cause) -> anyhow::Error {
    let hint = match cause {
        Cause::Missing { .. } => "newslode taxonomy shows the concepts".to_owned(),
        Cause::Cycle { path } => match path.as_slice() {
            [.., above, below] => {
                format!("forbid a pair of it first: newslode correct not-under {below:?} {above:?}")
            }
            _ => "undo another correction first".to_owned(),
        },
        Cause::NoForms { .. } | Cause::AllForms { .. } => {
            "newslode taxonomy --explain shows the written forms".to_owned()
        }
        Cause::Hidden { .. } | Cause::Merged { .. } | Cause::Overruled { .. } => {
            "newslode correct list shows the corrections, and newslode correct undo forgets one".to_owned()
        }
        Cause::Same { .. } | Cause::Languages { .. } => "name two concepts of one language".to_owned(),
    };
    hinted(format!("cannot {}: {cause}", sentence(entry)), hint)
}

/// The correction after "cannot".
fn sentence(entry: &Entry) -> String {
    let words = entry.correction.to_string();
    if words.starts_with('`') { format!("say that {words}") } else { words }
}
