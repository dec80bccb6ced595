//! Where a request comes from, and which hosts it may name.
//!
//! A header that says "forwarded for" is believed only from a proxy that the operator named, because everybody else can write it, too.
//! Its absence says nothing at all: most proxies send none unless they are told to. So an address never gives a right to change
//! anything; it only names the client in the audit log and in limits.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::http::{HeaderMap, Uri, header};
use newslode_common::listen::connections::{Peer, network_of};

/// Who sent a request, as far as addresses say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::console) enum Client {
    /// A TCP client, or the one for which a named proxy asks.
    Address(IpAddr),
    /// A process at the Unix socket.
    Socket,
}

impl Client {
    /// What limits count as one client: a customer gets a whole /64 of IPv6 addresses.
    pub(in crate::console) fn counted(self) -> Client {
        match self {
            Client::Address(addr) => Client::Address(network_of(addr)),
            Client::Socket => Client::Socket,
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Client::Address(addr) => addr.fmt(f),
            Client::Socket => f.write_str("unix socket"),
        }
    }
}

/// A range of addresses, such as `10.0.0.0/8`; a single address is a range of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    addr: IpAddr,
    prefix: u32,
}

impl Network {
    fn contains(&self, other: IpAddr) -> bool {
        let differing = match (self.addr, other) {
            (IpAddr::V4(own), IpAddr::V4(other)) => (u32::from(own) ^ u32::from(other)).leading_zeros(),
            (IpAddr::V6(own), IpAddr::V6(other)) => (u128::from(own) ^ u128::from(other)).leading_zeros(),
            _ => return false,
        };
        differing >= self.prefix
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let wrong = || format!("`{text}` is neither an address nor a network such as 10.0.0.0/8");
        let (addr, prefix) = match text.split_once('/') {
            Some((addr, prefix)) => (addr, Some(prefix)),
            None => (text, None),
        };
        let addr: IpAddr = addr.parse().map_err(|_| wrong())?;
        let longest = if addr.is_ipv4() { Ipv4Addr::BITS } else { Ipv6Addr::BITS };
        let prefix = prefix.map_or(Ok(longest), |prefix| prefix.parse().map_err(|_| wrong()))?;
        if prefix > longest { Err(wrong()) } else { Ok(Network { addr, prefix }) }
    }
}

/// The proxies that the operator named.
#[derive(Clone, Debug, Default)]
pub(in crate::console) struct Proxies(pub(in crate::console) Vec<Network>);

/// What is known of a request's way here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) struct Origin {
    pub(in crate::console) client: Client,
    /// Whether a named proxy sends it.
    pub(in crate::console) is_proxied: bool,
    /// Whether the browser speaks TLS, with this console or with a named proxy.
    pub(in crate::console) is_encrypted: bool,
    /// Whether a secret may be sent this way: over TLS, from this machine, or by a named proxy.
    pub(in crate::console) is_private: bool,
    /// Whether it came over the Unix socket, and nobody says that it was sent on for another.
    pub(in crate::console) is_socket: bool,
}

impl Proxies {
    pub(in crate::console) fn names(&self, addr: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(addr))
    }

    pub(in crate::console) fn origin(&self, peer: Peer, headers: &HeaderMap) -> Origin {
        let (addr, is_encrypted) = match peer {
            Peer::Tcp { addr, is_encrypted } => (addr, is_encrypted),
            Peer::Socket => {
                return Origin {
                    client: Client::Socket,
                    is_proxied: false,
                    is_encrypted: false,
                    is_private: true,
                    is_socket: !is_forwarded(headers),
                };
            }
        };
        let is_proxied = self.names(addr);
        let client = if is_proxied { self.forwarded_for(addr, headers) } else { addr };
        let says_https = || last_word(headers, "x-forwarded-proto").is_some_and(|proto| proto == "https");
        Origin {
            client: Client::Address(client),
            is_proxied,
            is_encrypted: is_encrypted || (is_proxied && says_https()),
            is_private: is_encrypted || is_proxied || addr.is_loopback(),
            is_socket: false,
        }
    }

    /// The last address in `X-Forwarded-For` that is not a named proxy's. What is before it, its client wrote.
    fn forwarded_for(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let lines = headers.get_all("x-forwarded-for").into_iter().filter_map(|line| line.to_str().ok());
        let words: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
        let mut client = peer;
        for word in words.into_iter().rev() {
            let Some(addr) = parse_forwarded(word) else { break };
            client = addr;
            if !self.names(addr) {
                break;
            }
        }
        client
    }
}

/// Reads `10.0.0.1`, `10.0.0.1:5000`, `::1` and `[::1]:5000`.
fn parse_forwarded(word: &str) -> Option<IpAddr> {
    let addr = word.parse().ok().or_else(|| word.parse().ok().map(|addr: SocketAddr| addr.ip()));
    addr.or_else(|| word.strip_prefix('[')?.strip_suffix(']')?.parse().ok()).map(|addr| addr.to_canonical())
}

fn last_word<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let line = headers.get_all(name).into_iter().next_back()?.to_str().ok()?;
    line.rsplit(',').next().map(str::trim)
}

/// Whether somebody says that this request was sent on for another.
fn is_forwarded(headers: &HeaderMap) -> bool {
    ["x-forwarded-for", "x-forwarded-host", "forwarded", "x-real-ip", "via"]
        .into_iter()
        .any(|name| headers.contains_key(name))
}

/// The hosts that a request may name. Without this list the page of a stranger could have its own name point here (DNS
/// rebinding) and read everything through its visitor's browser.
#[derive(Clone, Debug)]
pub(in crate::console) struct Hosts {
    names: Vec<String>,
    bound: Option<IpAddr>,
}

impl Hosts {
    /// For a console at `bound`, which is also called `names`.
    pub(in crate::console) fn new(bound: Option<SocketAddr>, names: &[String]) -> Hosts {
        let names = names.iter().map(|name| name.trim_end_matches('.').to_ascii_lowercase());
        Hosts { names: names.collect(), bound: bound.map(|addr| addr.ip().to_canonical()) }
    }

    /// Whether a request names one of them: in its only `Host`, and in its target if that is absolute.
    pub(in crate::console) fn answer(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).into_iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        host.to_str().is_ok_and(|host| self.has(host))
            && uri.authority().is_none_or(|authority| self.has(authority.as_str()))
    }

    /// Whether the operator gave the console this name.
    pub(in crate::console) fn is_named(&self, host: &str) -> bool {
        without_port(host).is_some_and(|name| self.names.contains(&name.to_ascii_lowercase()))
    }

    /// Whether this host, with any port, is one of them. Ports may be forwarded.
    pub(in crate::console) fn has(&self, host: &str) -> bool {
        let Some(name) = without_port(host) else { return false };
        match name.parse::<IpAddr>() {
            // A browser that names an address has no name that could be pointed elsewhere.
            Ok(addr) => {
                let (addr, bound) = (addr.to_canonical(), self.bound);
                addr.is_loopback()
                    || bound.is_some_and(|bound| bound == addr || bound.is_unspecified())
                    || self.names.iter().any(|own| own == name)
            }
            Err(_) => {
                let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
                name == "localhost" || self.names.contains(&name)
            }
        }
    }
}

/// The name or address in `name`, `name:port`, `[address]` or `[address]:port`.
fn without_port(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (name, port) = rest.split_once(']')?;
            name.parse::<Ipv6Addr>().ok()?;
            (name, if port.is_empty() { "" } else { port.strip_prefix(':')? })
        }
        None => host.split_once(':').unwrap_or((host, "")),
    };
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "@/#?,".contains(c));
    (is_name && port.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn tcp(addr: &str) -> Peer {
        Peer::tcp(SocketAddr::new(addr.parse().unwrap(), 1), false)
    }

    fn proxies(networks: &[&str]) -> Proxies {
        Proxies(networks.iter().map(|network| network.parse().unwrap()).collect())
    }

    #[test]
    fn networks_are_addresses_and_ranges() {
        let has =
            |network: &str, addr: &str| network.parse::<Network>().unwrap().contains(addr.parse().unwrap());
        assert!(has("10.0.0.0/8", "10.255.0.1") && !has("10.0.0.0/8", "11.0.0.1"));
        assert!(has("127.0.0.1", "127.0.0.1") && !has("127.0.0.1", "127.0.0.2"));
        assert!(has("fd00::/8", "fd12::1") && !has("fd00::/8", "10.0.0.1") && has("0.0.0.0/0", "1.2.3.4"));
        for wrong in ["", "10.0.0.0/33", "fd00::/129", "proxy.test", "10.0.0.0/", "10.0.0.0/x"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn clients_behind_a_named_proxy_are_the_last_that_no_proxy_is() {
        let own = proxies(&["127.0.0.1", "10.0.0.0/8"]);
        let client = |proxies: &Proxies, peer: &str, pairs: &[(&'static str, &str)]| {
            proxies.origin(tcp(peer), &headers(pairs)).client.to_string()
        };
        let forged = [("x-forwarded-for", "6.6.6.6, 203.0.113.7")];
        assert_eq!(client(&own, "127.0.0.1", &forged), "203.0.113.7");
        let twice = [("x-forwarded-for", "6.6.6.6, 203.0.113.7"), ("x-forwarded-for", "10.1.1.1")];
        assert_eq!(client(&own, "127.0.0.1", &twice), "203.0.113.7");
        assert_eq!(client(&own, "127.0.0.1", &[("x-forwarded-for", "[2001:db8::1]:99")]), "2001:db8::1");
        assert_eq!(client(&own, "127.0.0.1", &[("x-forwarded-for", "garbage")]), "127.0.0.1");
        assert_eq!(client(&own, "127.0.0.1", &[]), "127.0.0.1");
        // Others may write what they like.
        assert_eq!(client(&own, "198.51.100.1", &forged), "198.51.100.1");
        assert_eq!(client(&Proxies::default(), "127.0.0.1", &forged), "127.0.0.1");
    }

    #[test]
    fn secrets_are_sent_over_tls_on_this_machine_or_by_a_named_proxy() {
        let own = proxies(&["10.0.0.1"]);
        let https = headers(&[("x-forwarded-proto", "https")]);
        let is_private = |peer| own.origin(peer, &https).is_private;
        assert!(is_private(tcp("127.0.0.1")) && is_private(tcp("10.0.0.1")) && is_private(Peer::Socket));
        assert!(!is_private(tcp("10.0.0.2")));
        assert!(is_private(Peer::tcp("10.0.0.2:1".parse().unwrap(), true)));
        assert!(own.origin(tcp("10.0.0.1"), &https).is_encrypted);
        assert!(!own.origin(tcp("10.0.0.2"), &https).is_encrypted);
        assert!(!own.origin(Peer::Socket, &headers(&[("via", "1.1 x")])).is_socket);
    }

    #[test]
    fn only_listed_hosts_are_answered() {
        let local = Hosts::new(Some("127.0.0.1:80".parse().unwrap()), &["Console.Example.org".into()]);
        for own in [
            "localhost",
            "LocalHost:8080",
            "localhost.",
            "127.0.0.1:80",
            "127.0.0.1",
            "[::1]:8080",
            "[::1]",
            "console.example.org",
            "console.example.org.:443",
        ] {
            assert!(local.has(own), "{own}");
        }
        for other in [
            "",
            ":80",
            "evil.test",
            "evil.test:8080",
            "localhost.evil.test",
            "10.0.0.1:8080",
            "[::1].evil.test",
            "::1]:1",
            "[[::1]]",
            "[127.0.0.1]",
            "user@localhost",
            "localhost:8080@evil.test",
            "evil.test#localhost",
            "localhost, evil.test",
            "localhost:80:80",
            "localhost\tx",
            "example.org",
            "127.1",
        ] {
            assert!(!local.has(other), "{other}");
        }
        let open = Hosts::new(Some("0.0.0.0:80".parse().unwrap()), &[]);
        assert!(open.has("10.0.0.1:80") && open.has("localhost") && !open.has("evil.test"));
        let bound = Hosts::new(Some("10.0.0.1:80".parse().unwrap()), &[]);
        assert!(bound.has("10.0.0.1") && !bound.has("10.0.0.2"));
    }

    #[test]
    fn a_request_names_one_host_and_its_target_names_no_other() {
        let hosts = Hosts::new(Some("127.0.0.1:80".parse().unwrap()), &[]);
        let answers =
            |uri: &str, pairs: &[(&'static str, &str)]| hosts.answer(&uri.parse().unwrap(), &headers(pairs));
        assert!(answers("/", &[("host", "localhost")]));
        assert!(answers("http://localhost/", &[("host", "localhost")]));
        assert!(!answers("http://evil.test/", &[("host", "localhost")]));
        assert!(!answers("http://localhost/", &[("host", "evil.test")]));
        assert!(!answers("/", &[("host", "localhost"), ("host", "evil.test")]));
        assert!(!answers("/", &[]));
    }
}
