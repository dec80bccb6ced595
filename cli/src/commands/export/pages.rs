//! The archived pages as a web archive that other tools read.
//!
//! Of an answer we keep the address, the time, the type and the decoded body. What an archive wants beyond
//! that is rebuilt, and the first record says what.

use std::io::Write;

use newslode_common::time;
use newslode_common::version::ContentHash;
use newslode_common::warc::http::rebuilt_head;
use newslode_common::warc::{NewRecord, Packing, RecordType, Writer};
use newslode_miner::work::generations::Generations;
use newslode_miner::work::parts::Parts;

/// The first record: who wrote the archive, and what in it is original.
const INFO: &str = concat!(
    "software: newslode/",
    env!("CARGO_PKG_VERSION"),
    "\r\n\
     format: WARC File Format 1.1\r\n\
     conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n\
     description: Original are each page's address (in canonical form), the time of its fetch, its Content-Type \
     and the bytes of its body after transfer and content encodings were undone. Rebuilt are the status line \
     (only answers with status 200 were kept) and Content-Length; other fields of the head were not kept, and \
     requests neither.\r\n"
);

/// Writes every counted page, ordered by site and URL.
pub(super) async fn write(parts: &Parts, to: &mut impl Write, packing: Packing) -> anyhow::Result<()> {
    let mut writer = Writer::new(to, packing);
    writer.write(&NewRecord {
        kind: RecordType::Warcinfo,
        date: time::now(),
        target: None,
        content_type: "application/warc-fields",
        fields: &[],
        block: INFO.as_bytes(),
        payload_at: None,
    })?;
    let generations = Generations::read(parts.stores.state.as_ref()).await?;
    for (site, _) in parts.stores.state.sites().await? {
        for (url, version) in parts.stores.state.pages(&site).await? {
            if version.content == ContentHash::NONE {
                continue;
            }
            let Some(page) = generations.fetched(parts.stores.archive.as_ref(), version.content).await?
            else {
                tracing::warn!(%url, "the archive does not hold this page any more");
                continue;
            };
            let body = page.bytes()?;
            let mut block = rebuilt_head(page.content_type.as_deref(), body.len());
            let payload_at = Some(block.len());
            block.extend_from_slice(&body);
            writer.write(&NewRecord {
                kind: RecordType::Response,
                date: page.fetched_at,
                target: Some(page.url.as_str()),
                content_type: "application/http; msgtype=response",
                fields: &[],
                block: &block,
                payload_at,
            })?;
        }
    }
    writer.finish()?;
    Ok(())
}
