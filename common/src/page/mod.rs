//! Bytes to text to tree to leaves.
#![allow(missing_docs)]
use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CanonicalUrl(String);
impl CanonicalUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }
    pub fn host(&self) -> &str {
        self.0.split('/').nth(2).unwrap_or("")
    }
    pub fn path(&self) -> &str {
        self.0.splitn(4, '/').nth(3).unwrap_or("")
    }
    pub fn site(&self) -> Site {
        Site::of_host(self.host())
    }
    pub fn to_url(&self) -> url::Url {
        match url::Url::parse(&self.0) {
            Ok(u) => u,
            Err(_) => unreachable!("canonical"),
        }
    }
}
impl std::fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::str::FromStr for CanonicalUrl {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        Ok(CanonicalUrl(s.into()))
    }
}
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Site(String);
impl Site {
    pub fn as_str(&self) -> &str {
        &self.0
    }
    pub fn of_host(h: &str) -> Site {
        Site(h.trim_start_matches("www.").into())
    }
}
impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::str::FromStr for Site {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        Ok(Site(s.into()))
    }
}
