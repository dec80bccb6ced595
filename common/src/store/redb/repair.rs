//! Mends a damaged file: by the database's own means if that is enough, otherwise by moving everything that can still be
//! read to a new file.
//!
//! The frontier and the archive are what cannot be had again, so every record of them that can be read is kept. The sums
//! follow from the archive and are left out, since nobody knows which of them are right: the archived pages must be counted
//! again. Start at [`repair`].

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use ::redb::{
    Database, DatabaseError, Key, ReadTransaction, ReadableDatabase as _, ReadableTable as _,
    TableDefinition, TableHandle as _, Value,
};

use super::check::{FileCheck, check, check_value, reason};
use super::index::{self, Index};
use super::records::{EntryRecord, SiteRecord, decode};
use super::{FORMAT, META, archive, builder, cannot_open, errors, prepare, state, without_panic};
use crate::store::archive::packing::unpack;
use crate::store::{StoreError, StoreResult};
use crate::version::ContentHash;
use newslode_page::time::Timestamp;

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRepair {
    /// Nothing was damaged.
    Whole,
    /// The database mended it: the file was not closed, or its last commit was not complete.
    Recovered,
    /// What could be read was moved to a new file.
    Rebuilt(Rebuilt),
}

/// A file that was made anew.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Rebuilt {
    /// Where the damaged file is now.
    pub damaged: PathBuf,
    /// What was found in it.
    pub found: FileCheck,
    /// Records that were moved.
    pub kept: u64,
}

/// Values that do not follow from the sums: what people taught about sites, and by which algorithms pages were counted.
fn is_kept(value: &str) -> bool {
    ["generations", "taught", "parameters", "seed-file"].contains(&value)
        || ["templates/", "fed/"].iter().any(|prefix| value.starts_with(prefix))
}

/// Checks a file that no process has open, with the checksums of all its pages, and mends it. Blocks for as long as it takes
/// to read the file twice, or to write it anew.
///
/// # Errors
/// When the file is no store, is open elsewhere, or nothing of it can be read; also when the new file cannot be written. The
/// damaged file is never removed.
pub fn repair(path: &Path) -> StoreResult<FileRepair> {
    let shown = path.display().to_string();
    // 1. Is it damaged? The first look changes nothing.
    let looked = without_panic(&shown, || {
        let database = builder(&shown).open_read_only(path).map_err(|error| cannot_open(&shown, error))?;
        Ok(check(&database.begin_read()?))
    });
    let found = match looked {
        // A file that was not closed, or that is older, is looked at below.
        Err(StoreError::Refused(_)) => FileCheck::default(),
        Ok(found) => found,
        Err(StoreError::Damaged(what)) => FileCheck::of_file(&what),
        Err(error) => return Err(error),
    };
    // 2. The database's own means.
    let found = if found.is_whole() {
        let mended = without_panic(&shown, || {
            let mut database = builder(&shown).open(path).map_err(|error| cannot_open(&shown, error))?;
            let was_whole = database.check_integrity().map_err(|error| cannot_open(&shown, error))?;
            prepare(&database, &shown)?;
            Ok((was_whole, check(&database.begin_read()?)))
        });
        match mended {
            Ok((true, found)) if found.is_whole() => return Ok(FileRepair::Whole),
            Ok((false, found)) if found.is_whole() => return Ok(FileRepair::Recovered),
            Ok((_, found)) => found,
            Err(StoreError::Damaged(what)) => FileCheck::of_file(&what),
            Err(error) => return Err(error),
        }
    } else {
        found
    };
    // 3. A new file with what can be read. No process may go on with the old one.
    let held = without_panic(&shown, || match builder(&shown).open(path) {
        Err(error @ DatabaseError::DatabaseAlreadyOpen) => Err(cannot_open(&shown, error)),
        Ok(_) | Err(_) => Ok(()),
    });
    if let Err(error @ StoreError::InUse(_)) = held {
        return Err(error);
    }
    let source = Source { path, shown: &shown };
    source.check_format()?;
    let (fresh, damaged) = (with_suffix(path, "new"), unused(path));
    if fresh.exists() {
        // An earlier attempt ended early.
        std::fs::remove_file(&fresh).map_err(|error| failed("remove", &fresh, &error))?;
    }
    let kept = {
        let target = builder(&shown).create(&fresh).map_err(|error| cannot_open(&shown, error))?;
        prepare(&target, &shown)?;
        move_records(&source, &target)?
    };
    std::fs::rename(path, &damaged).map_err(|error| failed("rename", path, &error))?;
    std::fs::rename(&fresh, path).map_err(|error| failed("rename", &fresh, &error))?;
    Ok(FileRepair::Rebuilt(Rebuilt { damaged, found, kept }))
}

/// A damaged file. It is opened anew for each table and direction: after one page that lies outside of the file, the database
/// answers nothing more.
struct Source<'a> {
    path: &'a Path,
    shown: &'a str,
}

impl Source<'_> {
    /// Opens the file, without writing to it if that is possible.
    fn transaction(&self) -> StoreResult<ReadTransaction> {
        let Source { path, shown } = *self;
        let reading = without_panic(shown, || {
            let database = builder(shown).open_read_only(path).map_err(|error| cannot_open(shown, error))?;
            Ok(database.begin_read()?)
        });
        reading.or_else(|_| {
            without_panic(shown, || {
                let database = builder(shown).open(path).map_err(|error| cannot_open(shown, error))?;
                Ok(database.begin_read()?)
            })
        })
    }

    /// Checks that it can be opened, and that its records can be decoded.
    fn check_format(&self) -> StoreResult<()> {
        let transaction = self.transaction().map_err(|error| {
            StoreError::Damaged(format!(
                "nothing of it can be read, so nothing was changed ({}); take a copy of the file if there is one, or begin \
                 a new run",
                reason(error)
            ))
        })?;
        let format = without_panic(self.shown, || {
            Ok(transaction.open_table(META)?.get("format")?.map(|format| format.value()))
        });
        match format {
            // The format itself may be damaged. Records of another one cannot be decoded, and are left out.
            Ok(Some(FORMAT)) | Err(StoreError::Damaged(_)) => Ok(()),
            Ok(other) => Err(super::wrong_format(self.shown, other)),
            Err(error) => Err(error),
        }
    }
}

/// Moves the records that can be read. Returns how many.
fn move_records(source: &Source<'_>, target: &Database) -> StoreResult<u64> {
    let mut kept = move_frontier(source, target)?;
    let transaction = target.begin_write()?;
    {
        let mut blobs = archive::Blobs::open(&transaction)?;
        kept += each_readable(source, archive::BLOBS, |(kind, content), (at, packed)| {
            if !packed.is_empty() && unpack(packed).is_err() {
                return Ok(false);
            }
            blobs.put(kind, ContentHash(content), packed, Timestamp(at)).map(|()| true)
        })?;
        let mut values = transaction.open_table(state::VALUES)?;
        kept += each_readable(source, state::VALUES, |name, value| {
            let is_kept = is_kept(name) && check_value(value.1).is_ok();
            if is_kept {
                values.insert(name, value)?;
            }
            Ok(is_kept)
        })?;
    }
    transaction.commit()?;
    Ok(kept)
}

/// Moves sites and URLs, and makes the tables that order them anew. A URL whose site cannot be read is lost.
fn move_frontier(source: &Source<'_>, target: &Database) -> StoreResult<u64> {
    let mut sites: BTreeMap<String, SiteRecord> = BTreeMap::new();
    each_readable(source, index::SITES, |name, record| {
        let record = decode::<SiteRecord>(record).ok();
        Ok(record.map(|record| sites.insert(name.to_owned(), record)).is_some())
    })?;
    for record in sites.values_mut() {
        (record.urls, record.pending, record.leased, record.ready) = (0, 0, 0, None);
        record.outcomes.clear();
    }
    let transaction = target.begin_write()?;
    let mut kept = 0;
    {
        let mut index = Index::open(&transaction)?;
        kept += each_readable(source, index::ENTRIES, |(name, url), record| {
            let (Some(site), Ok(entry)) = (sites.get_mut(name), decode::<EntryRecord>(record)) else {
                return Ok(false);
            };
            index.put(name, url, None, &entry)?;
            site.urls += 1;
            site.leased += u64::from(entry.leased);
            site.pending += u64::from(entry.due.is_some() && !entry.leased);
            if let Some(outcome) = entry.outcome {
                *site.outcomes.entry(outcome).or_default() += 1;
            }
            Ok(true)
        })?;
        for (name, record) in &mut sites {
            index.save(name, record)?;
            kept += 1;
        }
    }
    transaction.commit()?;
    kept += copy(source, target, index::SCHEDULES)?;
    kept += copy(source, target, index::REMEMBERED)?;
    Ok(kept)
}

/// Copies the records of a table that can be read.
fn copy<K: Key + 'static, V: Value + 'static>(
    source: &Source<'_>,
    target: &Database,
    definition: TableDefinition<'_, K, V>,
) -> StoreResult<u64> {
    let transaction = target.begin_write()?;
    let kept = {
        let mut table = transaction.open_table(definition)?;
        each_readable(source, definition, |key, value| {
            table.insert(key, value)?;
            Ok(true)
        })?
    };
    transaction.commit()?;
    Ok(kept)
}

/// Passes the records of a table that can be read to `take`: from the first one up to a damaged page, then from the last one
/// down. Returns how many `take` kept.
fn each_readable<K: Key + 'static, V: Value + 'static>(
    source: &Source<'_>,
    definition: TableDefinition<'_, K, V>,
    mut take: impl for<'a> FnMut(K::SelfType<'a>, V::SelfType<'a>) -> StoreResult<bool>,
) -> StoreResult<u64> {
    let (mut kept, mut last, mut failure) = (0, None::<Vec<u8>>, None);
    let name = definition.name().to_owned();
    // Returns whether it came to the end. An error of `take` is noted: it is none of this file.
    let mut pass = |backwards: bool| -> bool {
        let reading = AssertUnwindSafe(|| -> StoreResult<()> {
            let table = source.transaction()?.open_table(definition)?;
            let mut records = table.iter()?;
            while let Some(record) = if backwards { records.next_back() } else { records.next() } {
                let (key, value) = record?;
                let bytes = K::as_bytes(&key.value()).as_ref().to_vec();
                let was_read = last.as_ref().is_some_and(|last| K::compare(last, &bytes).is_ge());
                if backwards && was_read {
                    return Ok(());
                }
                match take(key.value(), value.value()) {
                    Ok(is_kept) => kept += u64::from(is_kept),
                    Err(error) => {
                        failure = Some(error);
                        return Ok(());
                    }
                }
                if !backwards {
                    last = Some(bytes);
                }
            }
            Ok(())
        });
        let ended = catch_unwind(reading).unwrap_or_else(|panic| Err(errors::damaged(&*panic)));
        ended.inspect_err(|error| tracing::warn!(table = name, %error, "a part of a table is lost")).is_ok()
    };
    if !pass(false) {
        pass(true);
    }
    failure.map_or(Ok(kept), Err)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{suffix}"));
    name.into()
}

/// A name for the damaged file that no file has.
fn unused(path: &Path) -> PathBuf {
    let first = with_suffix(path, "damaged");
    let others = (2..).map(|number| with_suffix(path, &format!("damaged-{number}")));
    std::iter::once(first.clone()).chain(others).find(|path| !path.exists()).unwrap_or(first)
}

fn failed(what: &str, path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Refused(format!("cannot {what} `{}`: {error}", path.display()))
}
