//! The guard of addresses: connections go to public ones, unless the operator says otherwise.
//!
//! A page can name any host, and a name can lead to any address: the machine's own services, the cloud's
//! metadata, the neighbours in the private network. So every address is judged just before a connection to
//! it, in the client's own resolver ([`AddressGuard`] is one). This also stops names that change their
//! address between two look-ups. Hosts that are addresses already never reach a resolver:
//! [`AddressGuard::check_url`] judges them in the URL, for the first request and for each redirect.
//!
//! A proxy connects by itself. So in front of one each name is looked up and judged before its request is sent
//! ([`AddressGuard::judge`]); a proxy that is given the name (HTTP, `socks5h`) may find another address for it afterwards.
//!
//! Invariant: a connection to a reserved address needs `crawler.allow_private`, or an entry of
//! `crawler.resolve` that names it. Start at [`is_reserved`].

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use newslode_common::config::ResolveRule;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::error::{FetchError, PrivateAddress, with_causes};

/// IPv4 ranges without public hosts: address and length of the prefix.
const RESERVED_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // carrier-grade NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local, with the clouds' metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, and broadcast
];

/// IPv6 ranges inside 2000::/3 without public hosts. There are none outside of 2000::/3 either: that is
/// loopback, IPv4-mapped and -compatible, NAT64, discard, unique local, link-local, multicast.
const RESERVED_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Whether an address can belong to no public host.
#[must_use]
pub fn is_reserved(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => RESERVED_V4
            .iter()
            .any(|(range, length)| (u32::from(v4) ^ u32::from(*range)).leading_zeros() >= *length),
        IpAddr::V6(v6) => {
            let global = u128::from(v6) >> 125 == 1;
            !global
                || RESERVED_V6
                    .iter()
                    .any(|(range, length)| (u128::from(v6) ^ u128::from(*range)).leading_zeros() >= *length)
        }
    }
}

/// Judges addresses and answers look-ups. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AddressGuard {
    allow_private: bool,
    rules: Arc<BTreeMap<String, SocketAddr>>,
    /// A host of the operator's, which may be anywhere.
    proxy: Option<Arc<str>>,
}

impl AddressGuard {
    /// Takes the rules of `crawler.resolve`. They do not apply to hosts that are addresses, which are never
    /// looked up.
    #[must_use]
    pub fn new(allow_private: bool, rules: &[ResolveRule]) -> AddressGuard {
        let rules = rules.iter().map(|rule| (rule.host.clone(), rule.address)).collect();
        AddressGuard { allow_private, rules: Arc::new(rules), proxy: None }
    }

    /// Lets the client look up its proxy, wherever that is. Behind a proxy each URL must be [judged](Self::judge)
    /// before it is asked for.
    #[must_use]
    pub fn behind(self, proxy: Option<&str>) -> AddressGuard {
        AddressGuard { proxy: proxy.map(Into::into), ..self }
    }

    /// Looks a URL's host up and judges it. Returns the addresses that may be connected to.
    ///
    /// # Errors
    /// When there is none.
    pub async fn judge(&self, url: &Url) -> Result<Vec<IpAddr>, FetchError> {
        self.check_url(url)?;
        let host = match url.host() {
            Some(Host::Ipv4(v4)) => return Ok(vec![v4.into()]),
            Some(Host::Ipv6(v6)) => return Ok(vec![v6.into()]),
            Some(Host::Domain(host)) => host,
            None => "",
        };
        match self.look_up(host).await {
            Ok(found) => Ok(found.iter().map(SocketAddr::ip).collect()),
            Err(LookupError::Private(private)) => Err(private.into()),
            Err(other) => Err(FetchError::Broken { url: url.clone(), reason: with_causes(&other) }),
        }
    }

    async fn look_up(&self, host: &str) -> Result<Vec<SocketAddr>, LookupError> {
        if let Some(address) = self.rule(host) {
            return Ok(vec![address]);
        }
        match tokio::net::lookup_host((host, 0)).await {
            Ok(found) => self.keep(host, found.collect()),
            Err(source) => Err(LookupError::Failed { host: host.to_owned(), source }),
        }
    }

    /// Judges a host that is an address already. Names are judged when they are looked up.
    ///
    /// # Errors
    /// When the URL's host is a reserved address.
    pub fn check_url(&self, url: &Url) -> Result<(), PrivateAddress> {
        let address = match url.host() {
            Some(Host::Ipv4(v4)) => IpAddr::V4(v4),
            Some(Host::Ipv6(v6)) => IpAddr::V6(v6),
            Some(Host::Domain(_)) | None => return Ok(()),
        };
        if self.allow_private || !is_reserved(address) {
            Ok(())
        } else {
            Err(PrivateAddress { host: address.to_string() })
        }
    }

    /// Whether an operator's rule for all hosts says where this one is.
    pub(crate) fn is_one_for_all(&self, host: &str) -> bool {
        let all = self.rules.get("*");
        all.is_some() && self.rule(host) == all.copied()
    }

    fn rule(&self, host: &str) -> Option<SocketAddr> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.rules.get(&host).or_else(|| self.rules.get("*")).copied()
    }

    /// The addresses from a look-up that we may connect to.
    fn keep(&self, host: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, LookupError> {
        if found.is_empty() {
            return Err(LookupError::NoAddress(host.to_owned()));
        }
        let kept: Vec<SocketAddr> =
            found.into_iter().filter(|found| self.allow_private || !is_reserved(found.ip())).collect();
        if kept.is_empty() {
            return Err(LookupError::Private(PrivateAddress { host: host.to_owned() }));
        }
        Ok(kept)
    }
}

/// A look-up without a usable answer.
#[derive(Debug, thiserror::Error)]
enum LookupError {
    #[error("`{0}` has no address")]
    NoAddress(String),
    #[error("cannot look up `{host}`")]
    Failed { host: String, source: io::Error },
    #[error(transparent)]
    Private(PrivateAddress),
}

impl Resolve for AddressGuard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let host = name.as_str();
            if guard.proxy.as_deref() == Some(host) {
                let found: Vec<SocketAddr> = tokio::net::lookup_host((host, 0)).await?.collect();
                return Ok(Box::new(found.into_iter()) as Addrs);
            }
            match guard.look_up(host).await {
                Ok(kept) => Ok(Box::new(kept.into_iter()) as Addrs),
                // Not wrapped, so that a caller finds it in the chain of sources.
                Err(LookupError::Private(private)) => Err(private.into()),
                Err(other) => Err(other.into()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, reserved: bool) {
        assert_eq!(is_reserved(text.parse().unwrap()), reserved, "{text}");
    }

    #[test]
    fn every_reserved_range_ends_where_the_registry_says() {
        for (before, first, last, after) in [
            ("", "0.0.0.0", "0.255.255.255", "1.0.0.0"),
            ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
            ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
            ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
            ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
            ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
            ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
            ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
            ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
            ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
            ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
            ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
            ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
            ("223.255.255.255", "224.0.0.0", "255.255.255.255", ""),
            ("", "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"),
            ("2000:ffff::", "2001::", "2001:1ff::", "2001:200::"),
            ("2001:db7::", "2001:db8::", "2001:db8:ffff::", "2001:db9::"),
            ("2001:ffff::", "2002::", "2002:ffff::", "2003::"),
            ("3ffe:ffff::", "3fff::", "3fff:fff::", "3fff:1000::"),
            ("3fff:ffff::", "4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""),
        ] {
            [first, last].iter().for_each(|text| check(text, true));
            [before, after].iter().filter(|text| !text.is_empty()).for_each(|text| check(text, false));
        }
    }

    #[test]
    fn disguised_private_addresses_are_reserved() {
        for text in [
            "::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "fd00::1",
            "fc00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
        ] {
            check(text, true);
        }
        for text in ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::200e"] {
            check(text, false);
        }
    }

    proptest! {
        #[test]
        fn what_the_standard_library_knows_as_reserved_is_reserved(v4: u32, v6: u128) {
            let v4 = Ipv4Addr::from(v4);
            let known = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast()
                || v4.is_broadcast() || v4.is_documentation() || v4.is_unspecified();
            prop_assert!(!known || is_reserved(v4.into()));
            prop_assert!(is_reserved(v4.to_ipv6_mapped().into()));
            prop_assert!(is_reserved(v4.to_ipv6_compatible().into()));
            let v6 = Ipv6Addr::from(v6);
            let known = v6.is_loopback() || v6.is_unspecified() || v6.is_multicast()
                || v6.is_unique_local() || v6.is_unicast_link_local();
            prop_assert!(!known || is_reserved(v6.into()));
        }
    }

    #[test]
    fn a_name_has_its_own_rule_or_the_one_for_all() {
        let rules = ["a.test:10.0.0.1:80", "*:10.0.0.2:81"].map(|rule| rule.parse().unwrap());
        let guard = AddressGuard::new(false, &rules);
        assert_eq!(guard.rule("A.test."), Some("10.0.0.1:80".parse().unwrap()));
        assert_eq!(guard.rule("b.test"), Some("10.0.0.2:81".parse().unwrap()));
        assert_eq!(AddressGuard::new(false, &rules[..1]).rule("b.test"), None);
    }

    #[test]
    fn reserved_addresses_are_dropped_from_an_answer_and_refused_alone() {
        let guard = AddressGuard::new(false, &[]);
        let (private, public) = ("10.0.0.1:0".parse().unwrap(), "1.1.1.1:0".parse().unwrap());
        assert_eq!(guard.keep("a.test", vec![private, public]).unwrap(), vec![public]);
        assert!(matches!(guard.keep("a.test", vec![private]), Err(LookupError::Private(_))));
        assert!(matches!(guard.keep("a.test", vec![]), Err(LookupError::NoAddress(_))));
        let open = AddressGuard::new(true, &[]);
        assert_eq!(open.keep("a.test", vec![private]).unwrap(), vec![private]);
    }

    #[test]
    fn urls_with_an_address_are_judged_in_every_spelling() {
        let guard = AddressGuard::new(false, &["*:127.0.0.1:80".parse().unwrap()]);
        for text in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::ffff:7f00:1]/",
            "http://0/",
        ] {
            assert!(guard.check_url(&Url::parse(text).unwrap()).is_err(), "{text}");
        }
        assert_eq!(guard.check_url(&Url::parse("http://1.1.1.1/").unwrap()), Ok(()));
        let open = AddressGuard::new(true, &[]);
        assert_eq!(open.check_url(&Url::parse("http://127.0.0.1/").unwrap()), Ok(()));
    }
}
