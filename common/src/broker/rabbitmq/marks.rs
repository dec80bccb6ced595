//! Marks that distinguish a broker that lost its volume from one that was only restarted.
//!
//! A mark is a durable exchange `<prefix>.mark.<mark>`, which nobody publishes to. It lasts exactly as long as the
//! definitions of the durable queues, and to ask for it needs no message that somebody else could hold.

use lapin::ExchangeKind;
use lapin::options::ExchangeDeclareOptions;
use lapin::types::FieldTable;

use super::core::Core;
use super::topology::is_not_found;
use crate::broker::BrokerError;

impl Core {
    pub(super) async fn holds_mark(&self, mark: &str) -> Result<bool, BrokerError> {
        let passive = ExchangeDeclareOptions { passive: true, durable: true, ..Default::default() };
        self.declare_mark(mark, passive).await
    }

    pub(super) async fn set_mark(&self, mark: &str) -> Result<(), BrokerError> {
        let durable = ExchangeDeclareOptions { durable: true, ..Default::default() };
        self.declare_mark(mark, durable).await.map(drop)
    }

    /// Returns false if there is none and `options` make none.
    async fn declare_mark(&self, mark: &str, options: ExchangeDeclareOptions) -> Result<bool, BrokerError> {
        let name = self.topology.mark(mark);
        let what = format!("cannot look for the exchange `{name}`");
        let asking = async {
            let link = self.links.now()?;
            // The broker closes it if there is no such exchange.
            let channel = link.channel().await.map_err(|error| self.failed(&what, &error))?;
            let kind = ExchangeKind::Fanout;
            match channel.exchange_declare(name.as_str().into(), kind, options, FieldTable::default()).await {
                Ok(()) => Ok(true),
                Err(error) if is_not_found(&error) => Ok(false),
                Err(error) => Err(self.failed(&what, &error)),
            }
        };
        self.ask(&what, asking).await
    }
}
