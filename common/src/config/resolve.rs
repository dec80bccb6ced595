//! Entries of `crawler.resolve`: the address of a host where DNS is not asked.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Host;

/// `HOST:ADDRESS:PORT`: the address of a host, or of any host (`*`). The port is used for URLs that name
/// none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ResolveRule {
    /// A host name in lower case, or `*`.
    pub host: String,
    /// Where to connect.
    pub address: SocketAddr,
}

/// An entry that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`crawler.resolve`: `{entry}` is not `HOST:ADDRESS:PORT` (`*` for any host, brackets around an IPv6 address): {reason}"
)]
pub struct ResolveRuleError {
    entry: String,
    reason: &'static str,
}

impl ResolveRule {
    /// Applies to all hosts.
    #[must_use]
    pub fn any(address: SocketAddr) -> ResolveRule {
        ResolveRule { host: "*".into(), address }
    }
}

impl FromStr for ResolveRule {
    type Err = ResolveRuleError;

    fn from_str(entry: &str) -> Result<ResolveRule, ResolveRuleError> {
        parse(entry).map_err(|reason| ResolveRuleError { entry: entry.into(), reason })
    }
}

impl TryFrom<String> for ResolveRule {
    type Error = ResolveRuleError;

    fn try_from(entry: String) -> Result<ResolveRule, ResolveRuleError> {
        entry.parse()
    }
}

impl fmt::Display for ResolveRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.address)
    }
}

impl From<ResolveRule> for String {
    fn from(rule: ResolveRule) -> String {
        rule.to_string()
    }
}

fn parse(entry: &str) -> Result<ResolveRule, &'static str> {
    let (rest, port) = entry.rsplit_once(':').ok_or("there is no colon")?;
    let (host, address) = rest.split_once(':').ok_or("there is only one colon")?;
    let port: u16 = port.parse().map_err(|_| "the port is not a number up to 65535")?;
    if port == 0 {
        return Err("the port is 0");
    }
    let v6 = address.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
    let address = match v6 {
        Some(inner) => IpAddr::V6(inner.parse().map_err(|_| "the address in brackets is not IPv6")?),
        None => IpAddr::V4(address.parse().map_err(|_| "the address is not IPv4, nor IPv6 in brackets")?),
    };
    let address = SocketAddr::new(address, port);
    if host == "*" {
        return Ok(ResolveRule::any(address));
    }
    match Host::parse(host.trim_end_matches('.')) {
        Ok(Host::Domain(host)) => Ok(ResolveRule { host, address }),
        Ok(Host::Ipv4(_) | Host::Ipv6(_)) => Err("the host is an address, which is never looked up"),
        Err(_) => Err("the host is not a valid name"),
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(port in 1_u16.., v4: u32, v6: u128) {
            let (v4, v6) = (Ipv4Addr::from(v4), Ipv6Addr::from(v6));
            let named: ResolveRule = format!("A.test.:{v4}:{port}").parse().unwrap();
            prop_assert_eq!(&named, &ResolveRule { host: "a.test".into(), address: (v4, port).into() });
            let any: ResolveRule = format!("*:[{v6}]:{port}").parse().unwrap();
            prop_assert_eq!(&any, &ResolveRule::any((v6, port).into()));
            for rule in [named, any] {
                prop_assert_eq!(rule.to_string().parse(), Ok(rule));
            }
        }

        #[test]
        fn no_entry_panics(entry: String) {
            let result = entry.parse::<ResolveRule>();
            prop_assert!(result.is_ok() || result.unwrap_err().to_string().contains(&entry));
        }
    }

    #[test]
    fn a_wrong_entry_says_what_is_wrong() {
        for (entry, reason) in [
            ("a.test", "no colon"),
            ("a.test:80", "only one colon"),
            ("a.test:127.0.0.1:http", "not a number"),
            ("a.test:127.0.0.1:0", "port is 0"),
            ("a.test:::1:80", "in brackets"),
            ("a.test:[127.0.0.1]:80", "not IPv6"),
            ("10.0.0.1:127.0.0.1:80", "never looked up"),
            (":127.0.0.1:80", "not a valid name"),
        ] {
            let error = entry.parse::<ResolveRule>().unwrap_err().to_string();
            assert!(error.contains(entry) && error.contains(reason), "{error}");
        }
    }
}
