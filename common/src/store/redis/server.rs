//! Checks and figures of the server.
//!
//! The server must be Redis 7 or later, since the store needs functions, and its eviction policy must never drop a key, since
//! a dropped counter would be wrong for ever. Otherwise one message names the cause and the remedy. Start at [`check`].

use std::collections::HashMap;

use super::connection::{Connection, Failure};
use crate::store::{Memory, StoreError, StoreResult};

/// What a server has done since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of commands, those inside functions included.
    pub commands: u64,
    /// Processor time in microseconds.
    pub cpu_us: u64,
}

/// Checks whether the server, or each master of a cluster, can be used: its version, policy, role and
/// functions. Loads the functions if they are absent.
pub(super) async fn check(connection: &Connection) -> StoreResult<()> {
    for server in connection.servers().await? {
        check_one(server.as_ref().map_or(connection, |node| node)).await?;
    }
    Ok(())
}

async fn check_one(connection: &Connection) -> StoreResult<()> {
    let info: String = connection.call(&redis::cmd("INFO")).await?;
    let info = fields(&info);
    let version = info.get("redis_version").copied().unwrap_or("unknown");
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < 7) {
        return Err(StoreError::Refused(format!(
            "the server is Redis {version}, but functions need Redis 7 or later: upgrade it"
        )));
    }
    if info.get("role").is_some_and(|role| *role == "slave") {
        return Err(StoreError::Refused(
            "the server is a replica and accepts no writes: set `store.url` to its master".into(),
        ));
    }
    check_policy(connection, &info).await?;
    connection.load_functions_here().await
}

/// The server's name for its current run. For a cluster, the names of all its masters together.
pub(super) async fn run_id(connection: &Connection) -> StoreResult<String> {
    let mut ids = Vec::new();
    for server in connection.servers().await? {
        ids.push(asked(server.as_ref().map_or(connection, |node| node), "server", "run_id").await?);
    }
    Ok(ids.join(" "))
}

/// Bytes of memory that the data of the server, or of all masters, takes.
pub(super) async fn used_memory(connection: &Connection) -> StoreResult<u64> {
    let mut bytes = 0;
    for server in connection.servers().await? {
        let used = asked(server.as_ref().map_or(connection, |node| node), "memory", "used_memory").await?;
        bytes += used.parse::<u64>().map_err(|_| StoreError::Corrupt(format!("`{used}` is not a size")))?;
    }
    Ok(bytes)
}

/// Memory of the server, or of the master that is nearest to its limit.
pub(super) async fn fullest(connection: &Connection) -> StoreResult<Option<Memory>> {
    let mut fullest: Option<Memory> = None;
    for server in connection.servers().await? {
        let server = server.as_ref().map_or(connection, |node| node);
        let info: String = server.call(redis::cmd("INFO").arg("memory")).await?;
        let memory = memory(&fields(&info))?;
        let share = |memory: Memory| memory.used as f64 / memory.limit as f64;
        if fullest.is_none_or(|fullest| share(memory) > share(fullest)) {
            fullest = Some(memory);
        }
    }
    Ok(fullest)
}

fn memory(info: &HashMap<&str, &str>) -> StoreResult<Memory> {
    let size = |field: &str| {
        let size = info.get(field).and_then(|text| text.parse::<u64>().ok());
        size.ok_or_else(|| StoreError::Corrupt(format!("the server does not report its `{field}`")))
    };
    // A server without a limit takes what the machine has.
    let limit = match size("maxmemory")? {
        0 => size("total_system_memory")?,
        limit => limit,
    };
    Ok(Memory { used: size("used_memory")?, limit })
}

/// What the server, or all masters, have done.
pub(super) async fn work(connection: &Connection) -> StoreResult<Work> {
    let mut work = Work::default();
    for server in connection.servers().await? {
        let server = server.as_ref().map_or(connection, |node| node);
        let info: String = server.call(&redis::cmd("INFO")).await?;
        let info = fields(&info);
        let number = |field: &str| {
            let number = info.get(field).and_then(|text| text.parse::<f64>().ok());
            number.ok_or_else(|| StoreError::Corrupt(format!("the server does not report its `{field}`")))
        };
        work.commands += number("total_commands_processed")? as u64;
        work.cpu_us += ((number("used_cpu_user")? + number("used_cpu_sys")?) * 1e6) as u64;
    }
    Ok(work)
}

async fn asked(connection: &Connection, section: &str, field: &str) -> StoreResult<String> {
    let info: String = connection.call(redis::cmd("INFO").arg(section)).await?;
    let found = fields(&info).get(field).map(|value| (*value).to_owned());
    found.ok_or_else(|| StoreError::Corrupt(format!("the server does not report its `{field}`")))
}

fn fields(info: &str) -> HashMap<&str, &str> {
    info.lines().filter_map(|line| line.split_once(':')).collect()
}

async fn check_policy(connection: &Connection, info: &HashMap<&str, &str>) -> StoreResult<()> {
    let asked = settings(connection, &["maxmemory-policy"]).await;
    let policy = match asked {
        Ok(mut answer) => answer.remove("maxmemory-policy"),
        Err(Failure::Store(error @ StoreError::Unavailable(_))) => return Err(error),
        Err(_) => info.get("maxmemory_policy").map(|policy| (*policy).to_owned()),
    };
    match policy.as_deref() {
        Some("noeviction") => Ok(()),
        Some(policy) => Err(StoreError::Refused(format!(
            "the server's `maxmemory-policy` is `{policy}`, which drops counters when memory is short: \
             set it to `noeviction`"
        ))),
        None => {
            tracing::warn!(
                "the Redis server does not reveal its `maxmemory-policy`; make sure that it is `noeviction`"
            );
            Ok(())
        }
    }
}

/// Settings of the server by name. Managed servers may not reveal them.
async fn settings(connection: &Connection, names: &[&str]) -> Result<HashMap<String, String>, Failure> {
    connection.call_once(redis::cmd("CONFIG").arg("GET").arg(names)).await
}

/// Warns once, at start, if a killed server would lose calls that it answered.
pub(super) async fn warn_of_losses(connection: &Connection) -> StoreResult<()> {
    for server in connection.servers().await? {
        warn_of_losses_of_one(server.as_ref().map_or(connection, |node| node)).await?;
    }
    Ok(())
}

/// Fields and bytes up to which hashes should be packed.
const PACKED: [(&str, u64); 2] = [("hash-max-listpack-entries", 256), ("hash-max-listpack-value", 128)];

/// Tells of settings that let the sums take several times the memory.
async fn tell_of_packing(connection: &Connection) {
    let Ok(held) = settings(connection, &PACKED.map(|(name, _)| name)).await else { return };
    let is_low =
        |(name, least): &(&str, u64)| held.get(*name).and_then(|held| held.parse().ok()) < Some(*least);
    if PACKED.iter().any(is_low) {
        tracing::info!(
            "sums take less memory if the Redis server has `hash-max-listpack-entries 512` and `hash-max-listpack-value 256`"
        );
    }
}

async fn warn_of_losses_of_one(connection: &Connection) -> StoreResult<()> {
    tell_of_packing(connection).await;
    match settings(connection, &["appendonly", "appendfsync"]).await {
        Ok(held) if held.get("appendonly").is_some_and(|kept| kept == "no") => {
            tracing::warn!(
                "the Redis server keeps no append-only file and loses all data when it stops; set `appendonly yes`"
            );
        }
        Ok(held) if held.get("appendfsync").is_some_and(|when| when != "always") => {
            tracing::warn!(
                "the Redis server may lose the writes of its last two seconds when it is killed; set `appendfsync always`"
            );
        }
        Err(Failure::Store(error @ StoreError::Unavailable(_))) => return Err(error),
        // All is well, or the server does not reveal its settings.
        Ok(_) | Err(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_without_a_limit_has_the_memory_of_its_machine() {
        let told = |limit: &str| {
            memory(&fields(&format!("used_memory:700\r\ntotal_system_memory:9000\r\nmaxmemory:{limit}\r\n")))
        };
        assert_eq!(told("1000").unwrap(), Memory { used: 700, limit: 1_000 });
        assert_eq!(told("0").unwrap(), Memory { used: 700, limit: 9_000 });
        let error = told("much").unwrap_err().to_string();
        assert!(error.contains("`maxmemory`"), "{error}");
    }
}
