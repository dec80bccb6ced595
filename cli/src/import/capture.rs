//! Which records of a web archive are pages, and what is in them.
//!
//! The same counts as a page here as for the crawler: status 200, HTML by its type or else by its start, not
//! empty, not too large. A record is judged in two events: by its heads at once ([`Capture::of_record`]), and by its
//! body ([`Capture::into_page`]), which takes milliseconds to decode and is left to where that does not disturb.

use std::time::Duration;

use newslode_common::message::{Body, FetchedPage};
use newslode_common::rights::Rights;
use newslode_common::store::Why;
use newslode_common::version::{ContentHash, Version};
use newslode_common::warc::http::{Answer, BodyFault};
use newslode_common::warc::{Record, RecordType};
use newslode_crawler::html::{is_html_type, looks_like_html};
use newslode_crawler::rights::{self, Reader};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use serde::Serialize;

use super::plan::ImportPlan;
use crate::input::Input;

/// How far a capture may be in the future.
const DAY: Duration = Duration::from_secs(86_400);

/// Why a record gives no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Skip {
    /// A request, metadata, or another record that holds no page.
    NoResponse,
    /// An answer that was the same before.
    Revisit,
    /// A part of a record that was cut into several.
    Segment,
    /// A response that is not HTTP, or of no web page's address.
    NoWebPage,
    /// Not a 200.
    OtherStatus,
    NotHtml,
    Empty,
    TooLarge,
    /// Its encoding or the record itself is broken.
    Broken,
    /// The body was not stored to its end.
    Cut,
    /// No time of capture, or one in the future.
    NoDate,
    /// Captured before the window.
    TooOld,
    /// Of a site that was not asked for.
    OtherSite,
    /// Captured before or after the dates that were asked for.
    OtherDate,
    /// This very capture counts already.
    Counted,
    /// Another capture of the page is as new or newer.
    NotNewest,
    /// The page was crawled, which goes before captures.
    Crawled,
}

impl Skip {
    /// The reason in words, behind a number.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Skip::NoResponse => "no responses",
            Skip::Revisit => "revisits",
            Skip::Segment => "parts of segmented records",
            Skip::NoWebPage => "not web pages",
            Skip::OtherStatus => "with a status other than 200",
            Skip::NotHtml => "not HTML",
            Skip::Empty => "empty",
            Skip::TooLarge => "too large",
            Skip::Broken => "broken",
            Skip::Cut => "cut off",
            Skip::NoDate => "without a usable date",
            Skip::TooOld => "older than the window",
            Skip::OtherSite => "of other sites",
            Skip::OtherDate => "of other dates",
            Skip::Counted => "counted before",
            Skip::NotNewest => "captured again later",
            Skip::Crawled => "crawled by ourselves",
        }
    }
}

/// A page in an archive, its body not looked at yet.
pub(super) struct Capture {
    pub(super) url: CanonicalUrl,
    pub(super) site: Site,
    pub(super) at: Timestamp,
    content_type: Option<String>,
    rendered: bool,
    /// The answer's head; `None` for a resource or conversion, whose block is the body.
    answer: Option<Answer>,
    block: Vec<u8>,
}

impl Capture {
    /// Judges a record by its heads. `now` is the time of the machine.
    pub(super) fn of_record(record: Record, plan: &ImportPlan, now: Timestamp) -> Result<Capture, Skip> {
        match record.kind {
            Some(RecordType::Response | RecordType::Resource | RecordType::Conversion)
                if record.is_segment() =>
            {
                return Err(Skip::Segment);
            }
            // A conversion to HTML is the document that a browser made of an answer.
            Some(RecordType::Response | RecordType::Resource | RecordType::Conversion) => {}
            Some(RecordType::Revisit) => return Err(Skip::Revisit),
            Some(RecordType::Continuation) => return Err(Skip::Segment),
            _ => return Err(Skip::NoResponse),
        }
        // The cheap tests come first: most records of a large archive are of other sites or too old.
        let url: CanonicalUrl = record.target().and_then(|url| url.parse().ok()).ok_or(Skip::NoWebPage)?;
        let (site, at) = check_site_and_time(&url, record.date(), plan, now)?;
        let is_answer = |value: &str| value.trim_start().to_ascii_lowercase().starts_with("application/http");
        let rendered = record.kind == Some(RecordType::Conversion);
        let is_file = (rendered || record.kind == Some(RecordType::Resource))
            && !record.fields.get("Content-Type").is_some_and(is_answer);
        let (answer, content_type) = if is_file {
            (None, record.fields.get("Content-Type").map(str::to_owned))
        } else {
            let answer = Answer::parse(&record.block).ok_or(Skip::NoWebPage)?;
            if answer.status != 200 {
                return Err(Skip::OtherStatus);
            }
            let content_type = answer.content_type().map(str::to_owned);
            (Some(answer), content_type)
        };
        if content_type.as_deref().is_some_and(|value| !is_html_type(value)) {
            return Err(Skip::NotHtml);
        }
        // A part of a page must not stand for the page, of which another capture may be whole.
        if record.fields.get("WARC-Truncated").is_some() {
            return Err(Skip::Cut);
        }
        Ok(Capture { url, site, at, content_type, rendered, answer, block: record.block })
    }

    /// A saved page that was fetched at `at`. `now` is the time of the machine.
    pub(super) fn of_saved_page(
        page: Input,
        at: Timestamp,
        plan: &ImportPlan,
        now: Timestamp,
    ) -> Result<Capture, Skip> {
        let Input { url, content_type, bytes: block, .. } = page;
        let (site, at) = check_site_and_time(&url, Some(at), plan, now)?;
        Ok(Capture { url, site, at, content_type, rendered: false, answer: None, block })
    }

    /// Number of bytes that the capture holds in memory.
    pub(super) fn bytes(&self) -> usize {
        self.block.len()
    }

    /// What the head of the answer says of the uses of the page.
    pub(super) fn head_rights(&self, token: &str) -> Rights {
        let fields = self.answer.iter().flat_map(|answer| answer.fields.iter());
        rights::of_headers(fields, &self.url.to_url(), Reader { token, at: self.at })
    }

    /// The page, its body decoded and at most `limit` bytes long.
    pub(super) fn into_page(self, limit: usize) -> Result<FetchedPage, Skip> {
        let body = match &self.answer {
            Some(answer) => answer.body(&self.block, limit).map_err(|fault| match fault {
                BodyFault::TooLarge(_) => Skip::TooLarge,
                BodyFault::Cut => Skip::Cut,
                BodyFault::Chunks | BodyFault::Coding(_) => Skip::Broken,
            })?,
            None if self.block.len() > limit => return Err(Skip::TooLarge),
            None => self.block,
        };
        if body.trim_ascii().is_empty() {
            return Err(Skip::Empty);
        }
        if self.content_type.is_none() && !looks_like_html(&body) {
            return Err(Skip::NotHtml);
        }
        let content = ContentHash::of(&self.url, self.content_type.as_deref(), &body);
        Ok(FetchedPage {
            version: Version::of_capture(self.at, content).ok_or(Skip::NoDate)?,
            url: self.url,
            site: self.site,
            depth: 0,
            why: Why::Link,
            fetched_at: self.at,
            content_type: self.content_type,
            body: Body::pack(&body).map_err(|_| Skip::Broken)?,
            listed: None,
            rendered: self.rendered,
        })
    }
}

/// Words of which a page must have one for its elements to state rights.
const RIGHTS_WORDS: [&str; 7] = ["tdm-", "noai", "noimageai", "noarchive", "noindex", "none", "license"];

/// What the elements of a captured page say of its uses. Few pages say anything, and only these are parsed.
pub(super) fn markup_rights(page: &FetchedPage, token: &str) -> Rights {
    let Ok(bytes) = page.bytes() else { return Rights::default() };
    let lower = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    match RIGHTS_WORDS.iter().any(|word| lower.contains(word)) {
        true => rights::of_markup(&page.parse(&bytes), Reader { token, at: page.fetched_at }),
        false => Rights::default(),
    }
}

/// The site and the time of a capture, if the plan wants a page of this URL and time.
fn check_site_and_time(
    url: &CanonicalUrl,
    at: Option<Timestamp>,
    plan: &ImportPlan,
    now: Timestamp,
) -> Result<(Site, Timestamp), Skip> {
    let site = url.site();
    if !plan.sites.is_empty() && !plan.sites.contains(&site) {
        return Err(Skip::OtherSite);
    }
    let at = at.ok_or(Skip::NoDate)?;
    if Version::of_capture(at, ContentHash::NONE).is_none() || at > now.plus(DAY) {
        return Err(Skip::NoDate);
    }
    if !plan.dates.contain(at) {
        return Err(Skip::OtherDate);
    }
    if plan.oldest_day(now).is_some_and(|oldest| at.day() < oldest) {
        return Err(Skip::TooOld);
    }
    Ok((site, at))
}

#[cfg(test)]
mod tests;
