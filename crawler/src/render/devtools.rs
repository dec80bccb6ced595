//! A connection to Chromium's DevTools: JSON commands and events over a WebSocket.
//!
//! Every page has a connection of its own, so that the browser forgets the page when the connection ends, however it ends.
//! The protocol is <https://chromedevtools.github.io/devtools-protocol/>. Start at [`Browser::open`].

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::Context as _;
use futures::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use url::Url;

/// Longest wait for the answer to a command that needs nothing of a page, and for a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of events that wait while a command is answered.
const MOST_WAITING: usize = 10_000;
/// Maximum size of the description of a browser, in bytes.
const MOST_DESCRIPTION: usize = 64 << 10;

/// Why the browser cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DevtoolsError {
    #[error("cannot ask the browser for its version: {0}")]
    Version(String),
    #[error("the connection to the browser failed: {0}")]
    Connection(#[from] Box<tungstenite::Error>),
    #[error("the browser closed the connection")]
    Closed,
    #[error("the browser sent a message that is not DevTools JSON: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("the browser did not answer `{0}` in time")]
    Silent(&'static str),
    #[error("the browser refused `{method}`: {reason}")]
    Refused { method: &'static str, reason: String },
    #[error("a page raised more than {MOST_WAITING} events at once")]
    Flood,
}

impl From<tungstenite::Error> for DevtoolsError {
    fn from(error: tungstenite::Error) -> DevtoolsError {
        DevtoolsError::Connection(Box::new(error))
    }
}

impl DevtoolsError {
    /// Whether a page is the cause, by what it makes the browser say.
    pub(super) fn is_of_page(&self) -> bool {
        match self {
            DevtoolsError::Flood => true,
            DevtoolsError::Connection(error) => matches!(**error, tungstenite::Error::Capacity(_)),
            DevtoolsError::Version(_)
            | DevtoolsError::Closed
            | DevtoolsError::Malformed(_)
            | DevtoolsError::Silent(_)
            | DevtoolsError::Refused { .. } => false,
        }
    }
}

/// The browser at an address.
pub(crate) struct Browser {
    host: String,
    port: u16,
    client: reqwest::Client,
}

impl Browser {
    /// # Errors
    /// When the address has no host, or the client cannot be set up.
    pub(crate) fn new(address: &str) -> anyhow::Result<Browser> {
        newslode_common::tls::ready();
        let address = Url::parse(address)?;
        let host = address.host_str().context("it names no host")?.to_owned();
        let port = address.port_or_known_default().context("it names no port")?;
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE)
            .build()?;
        Ok(Browser { host, port, client })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// The path of the browser's endpoint. Each process of a browser has another one.
    pub(super) async fn endpoint(&self) -> Result<String, DevtoolsError> {
        #[derive(Deserialize)]
        struct Version {
            #[serde(rename = "webSocketDebuggerUrl")]
            endpoint: Url,
        }
        let failed =
            |error: reqwest::Error| DevtoolsError::Version(crate::error::with_causes(&error.without_url()));
        let asked = format!("http://{}:{}/json/version", self.host, self.port);
        let mut response = self.client.get(asked).send().await.map_err(failed)?;
        let mut text = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            text.extend_from_slice(&chunk);
            if text.len() > MOST_DESCRIPTION {
                return Err(DevtoolsError::Version("the answer is too long".into()));
            }
        }
        let version: Version =
            serde_json::from_slice(&text).map_err(|error| DevtoolsError::Version(error.to_string()))?;
        Ok(version.endpoint.path().to_owned())
    }

    /// Connects to an endpoint of the browser. Longer messages than `most` bytes end the connection.
    pub(super) async fn open(&self, endpoint: &str, most: usize) -> Result<Devtools, DevtoolsError> {
        let connecting = async {
            let stream = TcpStream::connect((self.host.trim_matches(['[', ']']), self.port)).await;
            let stream = stream.map_err(tungstenite::Error::Io)?;
            let config = WebSocketConfig::default().max_message_size(Some(most)).max_frame_size(Some(most));
            let url = format!("ws://{}:{}{endpoint}", self.host, self.port);
            let (socket, _) = tokio_tungstenite::client_async_with_config(url, stream, Some(config)).await?;
            Ok::<_, DevtoolsError>(Devtools { socket, last: 0, waiting: VecDeque::new() })
        };
        tokio::time::timeout(PATIENCE, connecting)
            .await
            .map_err(|_| DevtoolsError::Silent("the connection"))?
    }
}

/// What the browser says.
#[derive(Debug)]
pub(super) enum Said {
    /// The answer to a command: its result, or why it was refused.
    Reply { id: u64, result: Result<Value, String> },
    /// What happened in a session; that of the browser itself is empty.
    Event { session: String, method: String, params: Value },
}

/// A connection to a browser.
pub(super) struct Devtools {
    socket: WebSocketStream<TcpStream>,
    last: u64,
    /// What came while a command was answered.
    waiting: VecDeque<Said>,
}

/// A message as it comes.
#[derive(Deserialize)]
struct Incoming {
    id: Option<u64>,
    result: Option<Value>,
    error: Option<Value>,
    #[serde(rename = "sessionId", default)]
    session: String,
    #[serde(default)]
    method: String,
    #[serde(default)]
    params: Value,
}

impl Devtools {
    /// Sends a command to a session, or to the browser itself if that is empty, and returns its number.
    pub(super) async fn send(
        &mut self,
        session: &str,
        method: &str,
        params: Value,
    ) -> Result<u64, DevtoolsError> {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": params });
        if !session.is_empty() {
            command["sessionId"] = session.into();
        }
        self.socket.send(Message::Text(command.to_string().into())).await?;
        Ok(self.last)
    }

    /// Sends a command and waits for its result. What happens meanwhile waits for [`Devtools::next`].
    pub(super) async fn call(
        &mut self,
        session: &str,
        method: &'static str,
        params: Value,
    ) -> Result<Value, DevtoolsError> {
        let calling = async {
            let sent = self.send(session, method, params).await?;
            loop {
                match self.read().await? {
                    Said::Reply { id, result } if id == sent => {
                        return result.map_err(|reason| DevtoolsError::Refused { method, reason });
                    }
                    _ if self.waiting.len() >= MOST_WAITING => return Err(DevtoolsError::Flood),
                    said => self.waiting.push_back(said),
                }
            }
        };
        tokio::time::timeout(PATIENCE, calling).await.map_err(|_| DevtoolsError::Silent(method))?
    }

    /// What the browser says next. May be dropped before it is ready; nothing is lost by that.
    pub(super) async fn next(&mut self) -> Result<Said, DevtoolsError> {
        match self.waiting.pop_front() {
            Some(said) => Ok(said),
            None => self.read().await,
        }
    }

    async fn read(&mut self) -> Result<Said, DevtoolsError> {
        loop {
            let text = match self.socket.next().await.ok_or(DevtoolsError::Closed)?? {
                Message::Text(text) => text,
                Message::Close(_) => return Err(DevtoolsError::Closed),
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => continue,
            };
            let Incoming { id, result, error, session, method, params } =
                serde_json::from_str(text.as_str())?;
            return Ok(match id {
                Some(id) => {
                    let reason = error.map(|error| {
                        let message = error.get("message").and_then(Value::as_str);
                        message.unwrap_or("without a reason").to_owned()
                    });
                    let result = reason.map_or_else(|| Ok(result.unwrap_or_default()), Err);
                    Said::Reply { id, result }
                }
                None => Said::Event { session, method, params },
            });
        }
    }
}
