//! A Redis cluster for one test: three masters on loopback that share the slots.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use newslode_common::config::{Secret, StoreConfig};

use crate::redis::{PATIENCE, RedisServer};

/// The slots of every cluster.
const SLOTS: u32 = 16_384;
const NODES: u32 = 3;

/// A cluster of running masters.
pub struct RedisCluster {
    nodes: Vec<RedisServer>,
}

impl RedisCluster {
    /// Starts three servers, gives each a third of the slots, and returns when every server knows all others.
    pub fn start() -> RedisCluster {
        let mut nodes = Vec::new();
        let mut buses = Vec::new();
        for _ in 0..NODES {
            let bus = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
            nodes.push(RedisServer::start_with(&[
                "--cluster-enabled",
                "yes",
                "--cluster-node-timeout",
                "1500",
                "--cluster-port",
                &bus,
            ]));
            buses.push(bus);
        }
        for ((node, bus), number) in nodes.iter().zip(&buses).zip(0..) {
            let (from, to) = (number * SLOTS / NODES, (number + 1) * SLOTS / NODES - 1);
            node.tell(&["CLUSTER", "ADDSLOTSRANGE", &from.to_string(), &to.to_string()]);
            nodes[0].tell(&["CLUSTER", "MEET", "127.0.0.1", &node.port().to_string(), bus]);
        }
        let cluster = RedisCluster { nodes };
        cluster.until_whole();
        cluster
    }

    /// The configuration to reach it.
    pub fn config(&self) -> StoreConfig {
        let hosts: Vec<String> = self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port())).collect();
        StoreConfig {
            url: Secret::new(format!("redis+cluster://{}", hosts.join(","))),
            timeout_ms: 5_000,
            ..StoreConfig::default()
        }
    }

    /// Its servers.
    pub fn nodes(&self) -> &[RedisServer] {
        &self.nodes
    }

    /// Ends one server at once, as `kill -9` does.
    pub fn kill(&mut self, number: usize) {
        self.nodes[number].kill();
    }

    /// Starts it again on its files, and returns when every server knows all others.
    pub fn restart(&mut self, number: usize) {
        self.nodes[number].restart();
        self.until_whole();
    }

    fn until_whole(&self) {
        let begin = Instant::now();
        let is_whole = |node: &RedisServer| {
            let info = node.tell(&["CLUSTER", "INFO"]);
            info.contains("cluster_state:ok") && info.contains(&format!("cluster_known_nodes:{NODES}"))
        };
        while !self.nodes.iter().all(is_whole) {
            assert!(begin.elapsed() < PATIENCE, "the cluster did not come up");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
