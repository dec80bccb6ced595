//! The server, or the cluster, that `store.url` names.
//!
//! `redis://` and `rediss://` name one server, as usual. `redis+cluster://user:password@host:6379,host` (and
//! `rediss+cluster://`) names a cluster by some of its servers, which tell us the others.

use std::sync::Arc;

use redis::cluster::ClusterClient;
use redis::{Client, RedisError};

use crate::store::{StoreError, StoreResult};

/// End of a cluster's scheme.
const CLUSTER: &str = "+cluster";
/// Tries of a call whose server no longer has its slot. The time limit covers all of them.
const RETRIES: u32 = 4;

/// Where the store is.
pub(super) enum Address {
    One(Client),
    Cluster {
        client: Arc<ClusterClient>,
        /// The URL before a host: scheme, user, password.
        before: String,
        /// The URL after the port.
        after: String,
    },
}

impl Address {
    pub(super) fn parse(url: &str) -> StoreResult<Address> {
        let wrong = |error: &dyn std::fmt::Display| {
            StoreError::Refused(format!(
                "`store.url` is not `redis://…`, `rediss://…` or `redis+cluster://…`: {error}"
            ))
        };
        let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| scheme.ends_with(CLUSTER))
        else {
            return Client::open(url).map(Address::One).map_err(|error| wrong(&error));
        };
        let scheme = scheme.trim_end_matches(CLUSTER);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, after) = rest.split_at(end);
        let (user, hosts) = match authority.rsplit_once('@') {
            Some((user, hosts)) => (format!("{user}@"), hosts),
            None => (String::new(), authority),
        };
        let before = format!("{scheme}://{user}");
        let nodes = hosts.split(',').map(|host| format!("{before}{host}{after}"));
        let client = Arc::new(cluster(nodes.collect()).map_err(|error| wrong(&error))?);
        Ok(Address::Cluster { client, before, after: after.to_owned() })
    }

    /// The URL of the cluster's server at this host and port.
    pub(super) fn node(&self, host: &str) -> Option<String> {
        match self {
            Address::One(_) => None,
            Address::Cluster { before, after, .. } => Some(format!("{before}{host}{after}")),
        }
    }
}

fn cluster(nodes: Vec<String>) -> Result<ClusterClient, RedisError> {
    ClusterClient::builder(nodes).retries(RETRIES).build()
}

/// The masters' hosts with their ports, from the answer to `CLUSTER NODES`. It has one line per server: `id
/// host:port@bus,name flags …`. A failed server is a master as long as no other one has its slots.
pub(super) fn masters(nodes: &str) -> Vec<String> {
    let mut masters: Vec<String> = nodes
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (_, address, flags) = (words.next()?, words.next()?, words.next()?);
            let mut flags = flags.split(',');
            // The slots follow after five more words.
            let has_slots = words.nth(5).is_some();
            (flags.any(|flag| flag == "master") && has_slots)
                .then(|| address.split('@').next().unwrap_or(address).to_owned())
        })
        .collect();
    masters.sort_unstable();
    masters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_named_by_some_of_its_servers() {
        let address = Address::parse("redis+cluster://me:word@one:7000,two:7001").unwrap();
        assert_eq!(address.node("three:7").unwrap(), "redis://me:word@three:7");
        assert!(matches!(Address::parse("redis://one:7000/0"), Ok(Address::One(_))));
        for wrong in ["http://one", "redis+cluster://", "nothing"] {
            assert!(matches!(Address::parse(wrong), Err(StoreError::Refused(_))), "{wrong}");
        }
    }

    #[test]
    fn masters_are_those_with_slots() {
        let nodes = "a 127.0.0.1:3@13 myself,master - 0 0 1 connected 0-5460\n\
                     b 127.0.0.1:1@11,name master,fail - 1 1 2 disconnected 5461-10922 16383\n\
                     c 127.0.0.1:2@12 slave a 0 0 1 connected\n\
                     d 127.0.0.1:4@14 master - 0 0 4 connected\n";
        assert_eq!(masters(nodes), ["127.0.0.1:1", "127.0.0.1:3"]);
    }
}
