//! What lies around the crawler of a simulated site: the network, and where fetched pages go.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use newslode_common::broker::{Broker, BrokerError, Consumer, DeadLetter, Headers, PublishError, Queue};
use newslode_common::store::{Expired, Kind, PageArchive, StoreResult};
use newslode_common::time::Clock;
use newslode_common::version::ContentHash;
use newslode_crawler::error::FetchError;
use newslode_crawler::web::{HeaderMap, Response, Web, header, response};
use newslode_newsworld::living::{Answer, Ask, LivingWorld};
use newslode_page::Timestamp;
use url::Url;

/// Hears of each answer before the crawler does.
pub(crate) type Listener = Box<dyn Fn(&Url, &Answer, Timestamp) + Send + Sync>;

/// The simulated sites.
pub(crate) struct SimulatedWeb {
    world: Arc<LivingWorld>,
    clock: Clock,
    listener: Option<Listener>,
}

impl SimulatedWeb {
    /// The sites of a world at the time of a clock. After the end of the world they no longer change.
    pub(crate) fn new(world: Arc<LivingWorld>, clock: Clock) -> SimulatedWeb {
        SimulatedWeb { world, clock, listener: None }
    }

    /// The same sites, of which this listener hears.
    pub(crate) fn heard_by(self, listener: Listener) -> SimulatedWeb {
        SimulatedWeb { listener: Some(listener), ..self }
    }
}

#[async_trait]
impl Web for SimulatedWeb {
    async fn address(&self, _: &Url) -> Option<std::net::IpAddr> {
        None
    }

    async fn send(&self, url: &Url, headers: HeaderMap) -> Result<Response, FetchError> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let ask = Ask {
            host: url.host_str().unwrap_or_default(),
            path: &path,
            if_none_match: text(header::IF_NONE_MATCH),
            if_modified_since: text(header::IF_MODIFIED_SINCE),
            cookie: text(header::COOKIE),
        };
        let now = self.clock.now();
        let answer = self.world.answer(&ask, now.0.min(self.world.end()));
        if let Some(listener) = &self.listener {
            listener(url, &answer, now);
        }
        match answer {
            Answer::Timeout => Err(FetchError::Timeout { url: url.clone(), limit: Duration::from_secs(20) }),
            Answer::Reply(reply) => Ok(response(reply.status, &reply.headers, reply.body)),
        }
    }
}

/// Takes published pages until they are read. Nothing is archived.
#[derive(Default)]
pub(crate) struct Outbox {
    pages: Mutex<Vec<Bytes>>,
}

impl Outbox {
    /// The pages published since the last call.
    pub(super) fn take(&self) -> Vec<Bytes> {
        std::mem::take(&mut *self.pages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Broker for Outbox {
    async fn publish(&self, _: Queue, body: Bytes) -> Result<(), PublishError> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner).push(body);
        Ok(())
    }
    async fn publish_article(&self, _: &str, _: Headers<'_>, _: Bytes) -> Result<(), PublishError> {
        Ok(())
    }
    async fn consume(&self, _: Queue, _: u16) -> Result<Box<dyn Consumer>, BrokerError> {
        Err(BrokerError("a simulated queue has no consumers".into()))
    }
    async fn depth(&self, _: Queue) -> Result<u64, BrokerError> {
        Ok(0)
    }
    async fn dead(&self, _: Queue, _: usize) -> Result<Vec<DeadLetter>, BrokerError> {
        Ok(Vec::new())
    }
    async fn replay(&self, _: Queue, _: &[String]) -> Result<u64, BrokerError> {
        Ok(0)
    }
    async fn drop_dead(&self, _: Queue, _: &[String]) -> Result<u64, BrokerError> {
        Ok(0)
    }
    async fn ready(&self) -> Result<(), BrokerError> {
        Ok(())
    }
}

#[async_trait]
impl PageArchive for Outbox {
    async fn put(&self, _: Kind, _: ContentHash, _: Bytes, _: Timestamp) -> StoreResult<()> {
        Ok(())
    }
    async fn get(&self, _: Kind, _: ContentHash) -> StoreResult<Option<Bytes>> {
        Ok(None)
    }
    async fn delete(&self, _: Kind, _: ContentHash) -> StoreResult<()> {
        Ok(())
    }
    async fn expire(&self, _: Timestamp) -> StoreResult<Expired> {
        Ok(Expired::default())
    }
}
