//! The archived pages as a web archive that other tools read.
//!
//! Of an answer we keep the address, the time, the type and the decoded body. What an archive wants beyond
//! that is rebuilt, and the first record says what.

use std::io::Write;
use std::path::Path;

use newslode_common::config::Noarchive;
use newslode_common::store::Kind;
use newslode_common::time;
use newslode_common::version::ContentHash;
use newslode_common::warc::http::rebuilt_head;
use newslode_common::warc::{Index, NewRecord, Packing, RecordType, Writer};
use newslode_miner::work::generations::Generations;
use newslode_miner::work::parts::Parts;
use newslode_page::article::Article;
use newslode_page::time::Timestamp;

use crate::queries::articles::{counted_pages, newer_version};
use crate::queries::rights::is_copy_hidden;

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
     requests neither. Pages that a browser made are conversion or resource records: the document as the browser \
     serialised it. The answers of which it made them were not kept.\r\n"
);

/// A page that was written.
pub(super) struct WrittenPage<'a> {
    /// The id of its record.
    pub(super) id: &'a str,
    pub(super) url: &'a str,
    pub(super) fetched_at: Timestamp,
    /// The title of its article, if it is one.
    pub(super) title: Option<String>,
}

/// Writes every counted page but those whose copies are hidden, ordered by site and URL, and tells of each. For a file the index is kept.
/// Pages that a browser made become records of the type `rendered`: a conversion says what they are, and replay tools show only
/// a resource.
pub(super) async fn write(
    parts: &Parts,
    to: &mut impl Write,
    noarchive: Noarchive,
    (packing, rendered): (Packing, RecordType),
    file: Option<&Path>,
    mut tell: impl FnMut(&WrittenPage<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Option<Index>> {
    let mut writer = match file {
        Some(file) => Writer::indexed(to, packing, file),
        None => Writer::new(to, packing),
    };
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
    let archive = parts.stores.archive.as_ref();
    let (mut removed, mut hidden) = (0_u64, 0_u64);
    for (site, _) in parts.stores.state.sites().await? {
        for (url, mut version) in counted_pages(parts, &site).await? {
            if is_copy_hidden(archive, noarchive, &url).await? {
                hidden += 1;
                continue;
            }
            let mut page = generations.fetched(archive, version.content).await?;
            if page.is_none()
                && let Some(newer) = newer_version(parts, &url, version).await?
            {
                version = newer;
                page = generations.fetched(archive, version.content).await?;
            }
            let Some(page) = page else {
                match generations.removed(archive, version.content).await? {
                    Some(_) => removed += 1,
                    None => tracing::warn!(%url, "the archive does not hold this page any more"),
                }
                continue;
            };
            let body = page.bytes()?;
            let record = NewRecord {
                kind: rendered,
                date: page.fetched_at,
                target: Some(page.url.as_str()),
                content_type: page.content_type.as_deref().unwrap_or("text/html"),
                fields: &[],
                block: &body,
                payload_at: None,
            };
            let id = if page.rendered {
                writer.write(&record)?
            } else {
                let mut block = rebuilt_head(page.content_type.as_deref(), body.len());
                let payload_at = Some(block.len());
                block.extend_from_slice(&body);
                let content_type = "application/http; msgtype=response";
                let kind = RecordType::Response;
                writer.write(&NewRecord { kind, content_type, block: &block, payload_at, ..record })?
            };
            let title = title(parts, version.content).await?;
            tell(&WrittenPage { id: &id, url: page.url.as_str(), fetched_at: page.fetched_at, title })?;
        }
    }
    if hidden > 0 {
        tracing::warn!(pages = hidden, "pages that ask for no copy are left out (crawler.noarchive)");
    }
    if removed > 0 {
        tracing::warn!(
            pages = removed,
            "pages whose bytes were removed, to save space or because they ask for no copy, are left out"
        );
    }
    Ok(writer.finish_with_index()?.1)
}

/// The title of the article that a counted page is.
async fn title(parts: &Parts, content: ContentHash) -> anyhow::Result<Option<String>> {
    let json = parts.stores.archive.get(Kind::Article, content).await?;
    Ok(json.and_then(|json| serde_json::from_slice::<Article>(&json).ok()?.title))
}
