//! A value that is never shown: its `Debug` and serialised forms hide the password.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
        match url::Url::parse(&self.0) {
            _ if self.0.is_empty() => Ok(()),
            Ok(mut url) if url.password().is_some() => match url.set_password(Some("***")) {
                Ok(()) => f.write_str(url.as_str()),
                Err(()) => f.write_str("***"),
            },
            Ok(url) => f.write_str(url.as_str()),
            Err(_) => f.write_str("***"),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_hidden_in_every_form() {
        let secret = Secret::new("amqp://miner:hunter2@rabbit:5672/%2f");
        for shown in [secret.to_string(), format!("{secret:?}"), serde_json::to_string(&secret).unwrap()] {
            assert!(!shown.contains("hunter2") && shown.contains("miner"), "{shown}");
        }
        assert!(!Secret::new("not a url: hunter2").to_string().contains("hunter2"));
    }
}
