//! Names of the keys in Redis, built only here.
//!
//! All keys of a site have the hash tag of its bucket, so a call on one site, or on several sites of one
//! bucket, stays in one slot of a cluster. The kind stands before the site, so no site's name can be mistaken
//! for another key.
//!
//! | key | holds |
//! |---|---|
//! | `newslode:buckets` | set: buckets that a site was ever put into |
//! | `newslode:turns` | sorted set: bucket by a hint at the first of the times that follow: see `turns.lua` |
//! | `newslode:{b7}:sites` | sorted set: site by the time it may be claimed next; `+inf`: not at all |
//! | `newslode:{b7}:state`, `…:gone` | hash: change counter of the mined and of the forgotten sites |
//! | `newslode:{b7}:m:SITE` | hash: settings, last claim, rest |
//! | `newslode:{b7}:u:SITE` | hash: URL as `short` writes it → record; so in all that follow |
//! | `newslode:{b7}:d:SITE`, `…:l:SITE` | sorted sets: new URLs by due time, claimed ones by lease end |
//! | `newslode:{b7}:d0:SITE`, `…:d2:SITE`, `…:d3:SITE`, `…:d4:SITE` | sorted sets: waiting URLs of the other classes |
//! | `newslode:{b7}:p:SITE` | hash: URL → class, last good fetch, schedule |
//! | `newslode:{b7}:t:SITE` | hash: what the site's visits have taught |
//! | `newslode:{b7}:r:SITE` | hash: URLs that have left, packed: see `remembered.lua` |
//! | `newslode:{b7}:o:SITE` | hash: last outcome → URLs |
//! | `newslode:{b7}:v:SITE` | hash: URL → counted version and the day of its fetch |
//! | `newslode:{b7}:groups` | hash: site → its groups of cells, cells, groups of words, words |
//! | `newslode:{b7}:x:SITE:N` | hash, group N of its cells: letter of the table and key → count |
//! | `newslode:{b7}:w:SITE:N` | hash, group N of its words: term → df, tf, q as one text |
//! | `newslode:{b7}:log`, `…:places` | list of what changed in the sums; hash: its positions and bytes |
//! | `newslode:{b7}:c.t:SITE` | hash of 0.1.0: cell of table `t` → count; taken over when it is found |
//! | `newslode:{v:NAME}` | hash: version and bytes of a value |

use crate::store::bucket;
use newslode_page::contribution::Table;
use newslode_page::reading::Site;

/// Builds keys with the configured prefix.
#[derive(Debug)]
pub(super) struct Keys {
    prefix: String,
}

impl Keys {
    pub(super) fn new(prefix: &str) -> Keys {
        Keys { prefix: prefix.to_owned() }
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn buckets(&self) -> String {
        format!("{}:buckets", self.prefix)
    }

    pub(super) fn turns(&self) -> String {
        format!("{}:turns", self.prefix)
    }

    pub(super) fn sites(&self, bucket: u16) -> String {
        format!("{}:{{b{bucket}}}:sites", self.prefix)
    }

    pub(super) fn state(&self, bucket: u16) -> String {
        format!("{}:{{b{bucket}}}:state", self.prefix)
    }

    pub(super) fn value(&self, name: &str) -> String {
        format!("{}:{{v:{name}}}", self.prefix)
    }

    fn of(&self, kind: &str, site: &Site) -> String {
        format!("{}:{{b{}}}:{kind}:{site}", self.prefix, bucket(site))
    }

    pub(super) fn meta(&self, site: &Site) -> String {
        self.of("m", site)
    }

    pub(super) fn outcomes(&self, site: &Site) -> String {
        self.of("o", site)
    }

    pub(super) fn versions(&self, site: &Site) -> String {
        self.of("v", site)
    }

    /// The sizes of the sites of a bucket.
    pub(super) fn groups(&self, bucket: u16) -> String {
        format!("{}:{{b{bucket}}}:groups", self.prefix)
    }

    /// What the keys of the groups of a site's cells begin with.
    pub(super) fn cells(&self, site: &Site) -> String {
        self.of("x", site)
    }

    /// What the keys of the groups of a site's words begin with.
    pub(super) fn words(&self, site: &Site) -> String {
        self.of("w", site)
    }

    /// A table of 0.1.0.
    pub(super) fn first(&self, site: &Site, table: Table) -> String {
        self.of(&format!("c.{}", table.code()), site)
    }

    /// The keys of the frontier's functions on one site.
    pub(super) fn frontier(&self, site: &Site) -> Vec<String> {
        let mut keys = vec![self.sites(bucket(site))];
        keys.extend(self.claimed(site));
        keys.push(self.outcomes(site));
        keys
    }

    /// The keys of one site for `claim`.
    pub(super) fn claimed(&self, site: &Site) -> [String; 11] {
        ["m", "u", "d", "l", "d0", "d2", "d3", "p", "t", "r", "d4"].map(|kind| self.of(kind, site))
    }

    /// The log of a bucket, and its places.
    pub(super) fn log(&self, bucket: u16) -> [String; 2] {
        ["log", "places"].map(|kind| format!("{}:{{b{bucket}}}:{kind}", self.prefix))
    }

    /// The keys of `apply`, `take`, `forget` and `history`.
    pub(super) fn mined(&self, site: &Site) -> Vec<String> {
        let bucket = bucket(site);
        let gone = format!("{}:{{b{bucket}}}:gone", self.prefix);
        let (cells, words, first) = (self.cells(site), self.words(site), self.of("c.*", site));
        let [log, places] = self.log(bucket);
        vec![
            self.versions(site),
            self.state(bucket),
            gone,
            self.groups(bucket),
            cells,
            words,
            first,
            log,
            places,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_site_are_distinct_and_share_one_hash_tag() {
        let keys = Keys::new("newslode");
        let site: Site = "news.example".parse().unwrap();
        let mut all = [keys.frontier(&site), keys.mined(&site)].concat();
        let tag = format!("newslode:{{b{}}}:", bucket(&site));
        assert!(all.iter().all(|key| key.starts_with(&tag)), "{all:?}");
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn no_site_is_mistaken_for_another_key() {
        let keys = Keys::new("newslode");
        let of = |name: &str| keys.of("u", &name.parse().unwrap());
        assert_ne!(of("a"), keys.of("m", &"u:a".parse().unwrap()));
        assert_ne!(of("sites"), keys.sites(bucket(&"sites".parse().unwrap())));
    }
}
