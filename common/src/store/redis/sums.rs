//! The sums of a site in Redis: its groups of cells and words, and what 0.1.0 left.
//!
//! Whoever adds to a site's sums must know into how many groups they are divided. We remember that for each site; the
//! functions refuse an old number and tell the new one. Tables of 0.1.0 are taken over where they are found: before pages of
//! their site are counted, or its sums are read. Start at [`RedisStore::apply_whole`] and [`RedisStore::read_sums`].

use super::batch::{self, Groups};
use super::state::verdict;
use super::{RedisStore, function, pack};
use crate::store::layout::word_key;
use crate::store::log::{self, History, Log};
use crate::store::wholes::{Judged, merged};
use crate::store::{Change, StoreError, StoreResult, Sums, bucket};
use newslode_page::contribution::{Cell, Delta, Table, first};
use newslode_page::reading::Site;

/// After this many calls in which others divided the site anew, we give up.
const ROUNDS: usize = 16;
/// Readings of a site that is counted meanwhile before its server is stopped for one.
const QUIET_TRIES: usize = 3;
/// Sites whose groups we remember.
const MOST_KNOWN: usize = 100_000;
/// Entries of a log in one answer.
const MOST_ENTRIES: usize = 1_000;
/// Fields of a table of 0.1.0 that are taken over at once.
const TAKEN: usize = 1_000;

impl RedisStore {
    /// Counts a batch if all its changes count.
    pub(super) async fn apply_whole(&self, site: &Site, changes: &[&Change]) -> StoreResult<Judged> {
        let merged = merged(changes);
        let entry = log::entry(site.as_str(), &log::note(site, changes, &merged)?);
        let sums = batch::Sums::of(merged);
        for _ in 0..ROUNDS {
            let groups = self.groups(site).await?.unwrap_or_else(|| sums.groups());
            let mut call = function("nl2_apply", &self.keys().mined(site));
            call.arg(site.as_str()).arg(&entry).arg(sums.packed(groups, site.as_str(), changes));
            let reply: Vec<redis::Value> = self.connection().call(&call).await?;
            let mut reply = reply.into_iter();
            match given(reply.next())?.as_slice() {
                b"T" => self.take_over(site).await?,
                b"G" => self.divided(site, reply)?,
                whole => return judged(whole == b"1", reply, changes.len()),
            }
        }
        Err(StoreError::Unavailable(format!("the groups of {site} changed during {ROUNDS} calls")))
    }

    /// The cells of these tables.
    pub(super) async fn read_sums(&self, site: &Site, tables: &[Table]) -> StoreResult<Sums> {
        self.take_over(site).await?;
        let mut known = self.asked_groups(site).await?;
        for _ in 0..ROUNDS {
            let Some(groups) = known else { return Ok(Sums::new()) };
            let sums = self.read_groups(site, tables, groups).await?;
            // A group that was split meanwhile may have been read before and after, or not at all.
            known = self.asked_groups(site).await?;
            if known == Some(groups) {
                return Ok(sums);
            }
        }
        Err(StoreError::Unavailable(format!("the groups of {site} changed during {ROUNDS} readings")))
    }

    async fn read_groups(&self, site: &Site, tables: &[Table], groups: Groups) -> StoreResult<Sums> {
        let (mut cells, mut words) = (Vec::new(), Vec::new());
        if tables.iter().any(|table| *table != Table::Terms) {
            cells = self.all_of(&self.keys().cells(site), groups.cells).await?;
        }
        if tables.contains(&Table::Terms) {
            words = self.all_of(&self.keys().words(site), groups.words).await?;
        }
        sums_of(tables, cells, words)
    }

    /// The cells of these tables at one position of the log.
    pub(super) async fn read_snapshot(&self, site: &Site, tables: &[Table]) -> StoreResult<(u64, Sums)> {
        for _ in 0..QUIET_TRIES {
            let before = self.log_end(site).await?;
            let sums = self.read_sums(site, tables).await?;
            if self.log_end(site).await? == before {
                return Ok((before, sums));
            }
        }
        let mut call = function("nl2_snapshot", &self.keys().mined(site));
        type Fields = Vec<(String, String)>;
        let (position, cells, words): (u64, Fields, Fields) =
            self.connection().call(call.arg(site.as_str())).await?;
        Ok((position, sums_of(tables, cells, words)?))
    }

    /// The position of the last entry of the log of a site's bucket.
    async fn log_end(&self, site: &Site) -> StoreResult<u64> {
        let [_, places] = self.keys().log(bucket(site));
        let end: Option<u64> = self.connection().call(redis::cmd("HGET").arg(places).arg("end")).await?;
        Ok(end.unwrap_or(0))
    }

    /// The cells at these homes, and the position of the log.
    pub(super) async fn read_history(&self, site: &Site, homes: &[String]) -> StoreResult<History> {
        let mut wanted = batch::MessagePack::default();
        wanted.array(homes.len());
        homes.iter().for_each(|home| wanted.bytes(home.as_bytes()));
        let mut call = function("nl2_history", &self.keys().mined(site));
        call.arg(site.as_str()).arg(wanted.0);
        let mut reply: Vec<String> = self.connection().call(&call).await?;
        for _ in 0..ROUNDS {
            if reply.first().is_none_or(|first| first != "T") {
                break;
            }
            self.take_over(site).await?;
            reply = self.connection().call(&call).await?;
        }
        let (position, fields) = reply.split_first().ok_or_else(|| no_answer("history"))?;
        let mut history = History { position: pack::number(position)?, cells: Vec::new() };
        for pair in fields.chunks_exact(2) {
            let [field, count] = pair else { continue };
            history.cells.push((cell(field)?, pack::number(count)?));
        }
        Ok(history)
    }

    /// Part of a bucket's log.
    pub(super) async fn read_log(&self, bucket: u16, after: u64, most: usize) -> StoreResult<Log> {
        let mut call = function("nl2_log", &self.keys().log(bucket));
        let reply: Vec<redis::Value> =
            self.connection().call(call.arg(pack::millis(after)).arg(most.clamp(1, MOST_ENTRIES))).await?;
        let mut reply = reply.into_iter();
        let mut number = || -> StoreResult<u64> {
            redis::from_redis_value(reply.next().unwrap_or(redis::Value::Nil)).map_err(|_| no_answer("log"))
        };
        let (dropped, end) = (number()?, number()?);
        let first = pack::millis(after).max(dropped) + 1;
        let entry = |(position, value)| log::decode_entry(position, &given(Some(value))?);
        Ok(Log { dropped, end, entries: (first..).zip(reply).map(entry).collect::<StoreResult<_>>()? })
    }

    /// All fields of these groups.
    async fn all_of(&self, base: &str, groups: u32) -> StoreResult<Vec<(String, String)>> {
        let groups: Vec<u32> = (0..groups).collect();
        let all: Vec<Vec<(String, String)>> = self
            .each(&groups, |group| {
                let mut ask = redis::cmd("HGETALL");
                ask.arg(format!("{base}:{group}"));
                ask
            })
            .await?;
        Ok(all.into_iter().flatten().collect())
    }

    /// Into how many groups a site is divided, as far as we know; `None`: it has no sums yet.
    async fn groups(&self, site: &Site) -> StoreResult<Option<Groups>> {
        let known = self.known_groups(|known| known.get(site).copied());
        if known.is_some() { Ok(known) } else { self.asked_groups(site).await }
    }

    async fn asked_groups(&self, site: &Site) -> StoreResult<Option<Groups>> {
        let mut ask = redis::cmd("HGET");
        ask.arg(self.keys().groups(bucket(site))).arg(site.as_str());
        let Some(held): Option<String> = self.connection().call(&ask).await? else {
            self.known_groups(|known| known.remove(site));
            return Ok(None);
        };
        let numbers: Vec<u32> = held.split(' ').map(pack::number).collect::<StoreResult<_>>()?;
        let [cells, _, words, _] = numbers[..] else {
            return Err(StoreError::Corrupt(format!("`{held}` are not the groups of {site}")));
        };
        self.know(site, Groups { cells, words });
        Ok(Some(Groups { cells, words }))
    }

    fn know(&self, site: &Site, groups: Groups) {
        self.known_groups(|known| {
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            known.insert(site.clone(), groups);
        });
    }

    fn known_groups<T>(&self, look: impl FnOnce(&mut rustc_hash::FxHashMap<Site, Groups>) -> T) -> T {
        look(&mut self.shared.groups.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Notes the groups that a function told.
    fn divided(&self, site: &Site, mut reply: impl Iterator<Item = redis::Value>) -> StoreResult<()> {
        let mut number = || -> StoreResult<u32> {
            redis::from_redis_value(reply.next().unwrap_or(redis::Value::Nil))
                .map_err(|error| StoreError::Corrupt(format!("the number of groups of {site}: {error}")))
        };
        let groups = Groups { cells: number()?, words: number()? };
        self.know(site, groups);
        Ok(())
    }

    /// Turns the tables of 0.1.0 into today's cells, if the site has any. Programs of 0.1.0 may count meanwhile.
    async fn take_over(&self, site: &Site) -> StoreResult<()> {
        let mut ask = redis::cmd("EXISTS");
        first::TABLES.iter().for_each(|table| {
            ask.arg(self.keys().first(site, *table));
        });
        if self.connection().call::<u64>(&ask).await? == 0 {
            return Ok(());
        }
        for table in first::TABLES {
            let old = self.keys().first(site, *table);
            let held: Vec<(String, String)> = self.connection().call(redis::cmd("HGETALL").arg(&old)).await?;
            for fields in held.chunks(TAKEN) {
                self.take(site, *table, fields).await?;
            }
        }
        Ok(())
    }

    /// Takes fields of a table of 0.1.0 over, unless they were changed meanwhile: then the next call finds them.
    async fn take(&self, site: &Site, table: Table, fields: &[(String, String)]) -> StoreResult<()> {
        let mut delta = Delta::default();
        for (key, count) in fields {
            let cells: Vec<(Cell, i64)> = first::to_current_cells(table, key, pack::number(count)?);
            cells.into_iter().for_each(|(cell, by)| delta.add(cell, by));
        }
        let added: Vec<(&Cell, i64)> = delta.iter().collect();
        let entry = log::entry(site.as_str(), &log::note_of_sums(&added)?);
        let sums = batch::Sums::of(added);
        let mut held = batch::MessagePack::default();
        held.array(2);
        for part in [0, 1] {
            held.array(fields.len());
            fields.iter().for_each(|(key, count)| held.bytes([key, count][part].as_bytes()));
        }
        for _ in 0..ROUNDS {
            let groups = self.groups(site).await?.unwrap_or_else(|| sums.groups());
            let mut call = function("nl2_take", &self.keys().mined(site));
            call.arg(site.as_str()).arg(&entry).arg(table.code().to_string()).arg(&held.0);
            call.arg(sums.packed_sums(groups, 3).0);
            let mut reply = self.connection().call::<Vec<redis::Value>>(&call).await?.into_iter();
            match given(reply.next())?.as_slice() {
                b"G" => self.divided(site, reply)?,
                _ => return Ok(()),
            }
        }
        Err(StoreError::Unavailable(format!("the groups of {site} changed during {ROUNDS} calls")))
    }
}

/// Sums from the fields of groups.
fn sums_of(
    tables: &[Table],
    cells: Vec<(String, String)>,
    words: Vec<(String, String)>,
) -> StoreResult<Sums> {
    let mut sums = Sums::new();
    for (field, count) in cells {
        let cell = cell(&field)?;
        if tables.contains(&cell.table) {
            sums.entry(cell.table).or_default().insert(cell.key, pack::number(&count)?);
        }
    }
    if tables.contains(&Table::Terms) && !words.is_empty() {
        let terms = sums.entry(Table::Terms).or_default();
        for (term, word) in words {
            for (at, count) in pack::word(&word)?.into_iter().enumerate().filter(|(_, count)| *count != 0) {
                terms.insert(word_key(&term, at), count);
            }
        }
    }
    Ok(sums)
}

/// The cell of a field.
fn cell(field: &str) -> StoreResult<Cell> {
    let mut letters = field.chars();
    let table = letters.next().and_then(Table::of_code);
    let table = table.ok_or_else(|| StoreError::Corrupt(format!("`{field}` is not a cell")))?;
    Ok(Cell { table, key: letters.as_str().to_owned() })
}

fn no_answer(function: &str) -> StoreError {
    StoreError::Corrupt(format!("the function `{function}` returned no answer"))
}

/// The bytes of a part of an answer.
fn given(value: Option<redis::Value>) -> StoreResult<Vec<u8>> {
    let wrong = |error: redis::ParsingError| StoreError::Corrupt(format!("a function's answer: {error}"));
    redis::from_redis_value(value.unwrap_or(redis::Value::Nil)).map_err(wrong)
}

fn judged(counted: bool, reply: impl Iterator<Item = redis::Value>, changes: usize) -> StoreResult<Judged> {
    let verdicts = reply.map(|value| verdict(&given(Some(value))?)).collect::<StoreResult<Vec<_>>>()?;
    if verdicts.len() != changes {
        let judged = verdicts.len();
        return Err(StoreError::Corrupt(format!("{changes} changes were sent, {judged} verdicts came back")));
    }
    Ok(Judged { counted, verdicts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_makes_no_sense_is_corrupt() {
        assert!(matches!(judged(false, [].into_iter(), 1), Err(StoreError::Corrupt(_))));
        let one = redis::Value::BulkString(b"A".to_vec());
        assert!(matches!(judged(true, [one].into_iter(), 2), Err(StoreError::Corrupt(_))));
    }

    #[test]
    fn merged_zeroes_are_not_sent() {
        let cell = Cell::new(Table::Pages, &[]);
        let sums = batch::Sums::of([(&cell, 0)]);
        assert_eq!(sums.groups(), Groups { cells: 1, words: 1 });
    }
}
