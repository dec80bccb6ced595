//! A value that is never shown: its `Debug` and serialised forms hide what gives access.
//!
//! Addresses of servers hold credentials in several places: a user and password, a password alone (`redis://WORD@host`), a
//! parameter (`?password=`). [`shown_address`] shows what is known to be harmless and hides the rest. [`hide_secrets`] does
//! so in a whole configuration, [`hide_credentials`] in any text, such as the messages of other crates.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Stands for what is hidden.
const HIDDEN: &str = "***";

/// Parameters of our servers' addresses that give no access.
const HARMLESS: [&str; 8] = [
    "channel_max",
    "connection_timeout",
    "db",
    "frame_max",
    "heartbeat",
    "locale",
    "protocol",
    "auth_mechanism",
];

/// Parts of keys whose values are secret.
const SECRET_KEYS: [&str; 7] =
    ["secret", "password", "passwd", "passphrase", "token", "credential", "private_key"];

/// Endings of keys that only say where a secret is, or how long it lasts.
const NO_SECRETS: [&str; 4] = ["_file", "_s", "_ms", "_days"];

/// A URL with credentials. [`Secret::reveal`] is the only way to the text.
#[derive(Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text itself: for connecting, never for a log line.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown_address(&self.0))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A server's address without what gives access: scheme, user (only beside a password), hosts, path and the values of harmless
/// parameters are shown. What cannot be told apart for certain is hidden, so a wrong address shows little.
fn shown_address(address: &str) -> String {
    if address.is_empty() {
        return String::new();
    }
    let Some((scheme, rest)) = address.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else {
        return HIDDEN.into();
    };
    let (main, parameters) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
    let (user, place) = match main.rsplit_once('@') {
        Some((user, place)) => (Some(user), place),
        None => (None, main),
    };
    // A password with `/`, `?` or `#` in it ends anywhere.
    if parameters.contains('@') || !is_place(place) {
        return format!("{scheme}://{HIDDEN}");
    }
    let user = user.map(shown_user).unwrap_or_default();
    format!("{scheme}://{user}{place}{}", shown_parameters(parameters))
}

fn is_scheme(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// The user before a password, with the `@`. A word alone is more often a password than a user.
fn shown_user(user: &str) -> String {
    match user.split_once(':') {
        Some((name, _))
            if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-%".contains(&byte)) =>
        {
            format!("{name}:{HIDDEN}@")
        }
        _ => format!("{HIDDEN}@"),
    }
}

/// Whether a text is hosts with ports, and perhaps a path.
fn is_place(text: &str) -> bool {
    let hosts = text.split('/').next().unwrap_or_default();
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    // An IPv6 address ends with a bracket.
    let is_host = |host: &str| match host.rsplit_once(']') {
        Some((_, rest)) => rest.strip_prefix(':').map_or(rest.is_empty(), is_port),
        None => host.split_once(':').is_none_or(|(_, port)| is_port(port)),
    };
    hosts.split(',').all(is_host)
}

/// Query and fragment with the values that are known to be harmless.
fn shown_parameters(parameters: &str) -> String {
    let Some(query) = parameters.strip_prefix('?') else {
        return if parameters.is_empty() { String::new() } else { format!("#{HIDDEN}") };
    };
    let (query, fragment) = query.split_at(query.find('#').unwrap_or(query.len()));
    let shown = query.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if HARMLESS.contains(&name) => parameter.to_owned(),
        Some((name, _)) if is_scheme(&name.replace('_', "-")) => format!("{name}={HIDDEN}"),
        _ => HIDDEN.to_owned(),
    });
    let shown = shown.collect::<Vec<_>>().join("&");
    format!("?{shown}{}", if fragment.is_empty() { String::new() } else { format!("#{HIDDEN}") })
}

/// Hides the secrets of a configuration that is shown: the values of keys with names of secrets, and credentials in every
/// address.
pub fn hide_secrets(value: &mut Value) {
    let mut open = vec![(value, false)];
    while let Some((value, is_secret)) = open.pop() {
        match value {
            Value::Object(fields) => {
                open.extend(fields.iter_mut().map(|(key, value)| (value, is_secret || is_secret_key(key))));
            }
            Value::Array(items) => open.extend(items.iter_mut().map(|item| (item, is_secret))),
            Value::String(text) if is_secret && !text.is_empty() => *text = HIDDEN.into(),
            Value::String(text) => {
                if let Cow::Owned(shown) = hide_credentials(text) {
                    *text = shown;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn is_secret_key(key: &str) -> bool {
    let key = key.to_lowercase();
    SECRET_KEYS.iter().any(|part| key.contains(part)) && !NO_SECRETS.iter().any(|end| key.ends_with(end))
}

/// The mode of a file that others than its owner and its group may read, or others than its owner may change. Its group may
/// read it: so are secrets mounted for a process that is not root.
///
/// # Errors
/// When the file is not there.
pub fn mode_open_to_others(file: &Path) -> io::Result<Option<u32>> {
    let metadata = std::fs::metadata(file)?;
    let mode = metadata.permissions().mode() & 0o777;
    Ok((metadata.is_file() && mode & 0o027 != 0).then_some(mode))
}

/// A text without the credentials of the addresses in it: the password of `scheme://user:password@host`, or the word alone
/// before the `@`, and the values of parameters with names of secrets.
#[must_use]
pub fn hide_credentials(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let is_end = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '<' | '>');
        let (address, behind) = after.split_at(after.find(is_end).unwrap_or(after.len()));
        let authority = address.find(['/', '?', '#']).unwrap_or(address.len());
        let (own, anywhere) = (address[..authority].rfind('@'), address.rfind('@'));
        // A password with `/`, `?` or `#` in it: what comes before that is no host.
        let at = own.or(anywhere.filter(|_| !is_place(&address[..authority])));
        if let Some(at) = at {
            shown.push_str(&shown_user(&address[..at]));
        }
        let tail = &address[at.map_or(0, |at| at + 1)..];
        push_without_secret_parameters(tail, &mut shown);
        rest = behind;
    }
    shown.push_str(rest);
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

fn push_without_secret_parameters(address: &str, shown: &mut String) {
    let Some((place, query)) = address.split_once('?') else {
        shown.push_str(address);
        return;
    };
    shown.push_str(place);
    for (number, parameter) in query.split('&').enumerate() {
        shown.push(if number == 0 { '?' } else { '&' });
        match parameter.split_once('=') {
            Some((name, _)) if is_secret_key(name) => {
                shown.extend([name, "=", HIDDEN]);
            }
            _ => shown.push_str(parameter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_hidden_in_every_form() {
        for (address, wanted) in [
            ("amqp://miner:hunter2@rabbit:5672/%2f", "amqp://miner:***@rabbit:5672/%2f"),
            ("redis://hunter2@host", "redis://***@host"),
            ("redis://:hunter2@host:6379/0", "redis://:***@host:6379/0"),
            ("redis://host/?password=hunter2", "redis://host/?password=***"),
            ("redis://host?protocol=resp3&pw=hunter2&hunter2", "redis://host?protocol=resp3&pw=***&***"),
            ("amqps://me:hunter2@host/v?heartbeat=5#hunter2", "amqps://me:***@host/v?heartbeat=5#***"),
            ("redis+cluster://me:hunter2@one:7000,two:7001", "redis+cluster://me:***@one:7000,two:7001"),
            ("redis://me:hunter2@[::1]:6379/0", "redis://me:***@[::1]:6379/0"),
            ("socks5://me:hun:ter2@proxy:1080", "socks5://me:***@proxy:1080"),
            // Characters that should have been escaped.
            ("redis://:hunt@er2@host", "redis://:***@host"),
            ("redis://hunt@er2:x@host", "redis://***@host"),
            ("redis://:hunt/er2@host", "redis://:***@host"),
            ("redis://:hunt?er2@host", "redis://***"),
            ("redis://:hunt#er2@host", "redis://***"),
            ("redis://host:hunter2", "redis://***"),
            ("redis://host?password=hunt@er2", "redis://***"),
            ("not a url: hunter2", "***"),
            ("hunter2 redis://host", "***"),
            ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
            ("", ""),
        ] {
            let secret = Secret::new(address);
            assert_eq!(secret.to_string(), wanted, "{address}");
            assert_eq!(format!("{secret:?}"), wanted);
            assert_eq!(serde_json::to_value(&secret).unwrap(), wanted);
        }
    }

    #[test]
    fn a_configuration_is_shown_without_secrets_whatever_their_keys() {
        let mut shown = serde_json::json!({
            "archive": { "url": "s3://key:hunter2@bucket" },
            "console": { "client_secret": "hunter2", "token_file": "/run/token", "token_ttl_s": "5", "tokens": ["hunter2", { "a": "hunter2" }] },
            "list": [{ "Password": "hunter2" }, "https://hunter2@host/?auth_token=hunter2&page=2"],
        });
        hide_secrets(&mut shown);
        let wanted = serde_json::json!({
            "archive": { "url": "s3://key:***@bucket" },
            "console": { "client_secret": "***", "token_file": "/run/token", "token_ttl_s": "5", "tokens": ["***", { "a": "***" }] },
            "list": [{ "Password": "***" }, "https://***@host/?auth_token=***&page=2"],
        });
        assert_eq!(shown, wanted);
    }

    #[test]
    fn credentials_within_a_text_are_hidden_and_the_rest_stays() {
        for (text, wanted) in [
            (
                "cannot connect to `amqp://me:hunter2@a/` or redis://hunter2@b: no",
                "cannot connect to `amqp://me:***@a/` or redis://***@b: no",
            ),
            ("url=https://news.test/a?id=5&x=@b by me@host", "url=https://news.test/a?id=5&x=@b by me@host"),
            ("redis://h/?password=hunter2&db=1", "redis://h/?password=***&db=1"),
            ("amqp://me:***@a", "amqp://me:***@a"),
            ("redis://:hunt/er2@host:6379/0, then", "redis://:***@host:6379/0, then"),
            ("https://news.test/@author/a?b@c", "https://news.test/@author/a?b@c"),
            ("://", "://"),
        ] {
            assert_eq!(hide_credentials(text), wanted);
        }
    }
}
