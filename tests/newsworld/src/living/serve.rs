//! From an address to an answer: what stands there at a time, and whether the visitor has it already.

use super::clock::{DAY_0, HISTORY, SECOND, http};
use super::gate::Purpose;
use super::listing::{End, Listing, ListingKind, State, Validators};
use super::site::LivingSite;
use super::trouble::MishapKind;
use super::{Ask, render, xml};
use newslode_demo_world::Reply;
use newslode_demo_world::Rng;

const HTML: &str = "text/html; charset=utf-8";
const XML: &str = "application/xml; charset=utf-8";

/// What an address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Robots,
    /// Number of the listing, and page from 1.
    Listing(usize, usize),
    /// Number of the sitemap, and part from 1.
    Part(usize, usize),
    /// URL number.
    Article(usize),
    /// Something robots.txt disallows.
    Private,
    /// What links lead to that show no news.
    Partner,
    Events,
    About,
    Missing,
}

impl Place {
    /// Where a path with its query leads on a site.
    pub(super) fn find(site: &LivingSite, path_and_query: &str) -> Self {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        if path == "/robots.txt" {
            return Self::Robots;
        }
        if let Some(number) = site.listings.iter().position(|listing| listing.path == path) {
            return Self::Listing(number, page_of(query));
        }
        if let Some(url) = site.url_at(path) {
            return Self::Article(url);
        }
        if let Some(part) = part_of(path)
            && let Some(map) = site.listings.iter().position(|listing| listing.kind == ListingKind::Map)
        {
            return Self::Part(map, part);
        }
        match path.split('/').nth(1) {
            Some("private") => Self::Private,
            Some("partner") => Self::Partner,
            Some("events") => Self::Events,
            Some("about") => Self::About,
            _ => Self::Missing,
        }
    }

    /// What a request for it is for.
    pub(super) const fn purpose(self) -> Purpose {
        match self {
            Self::Robots => Purpose::Robots,
            Self::Listing(..) | Self::Part(..) => Purpose::Listing,
            Self::Private => Purpose::Disallowed,
            Self::Article(_) | Self::Partner | Self::Events | Self::About | Self::Missing => Purpose::Other,
        }
    }
}

fn page_of(query: &str) -> usize {
    let page = query.split('&').find_map(|pair| pair.strip_prefix("page=")?.parse().ok());
    page.unwrap_or(1).max(1)
}

fn part_of(path: &str) -> Option<usize> {
    path.strip_prefix("/sitemap-")?.strip_suffix(".xml")?.parse().ok()
}

/// The answer of a site that is up and does not block.
pub(super) fn reply(site: &LivingSite, place: Place, ask: &Ask<'_>, now_ms: u64) -> Reply {
    let mut reply =
        by_mishap(site, place, ask, now_ms).unwrap_or_else(|| usual_reply(site, place, ask, now_ms));
    if site.has_mishap(MishapKind::HeaderJunk, now_ms) {
        let types: Vec<String> = (reply.headers.iter().filter(|(name, _)| *name == "content-type"))
            .map(|(_, value)| format!("{};;, {value}", value.to_uppercase()))
            .collect();
        reply.headers.extend(types.into_iter().map(|value| ("content-type", value)));
    }
    reply
}

/// The answer without a mishap.
fn usual_reply(site: &LivingSite, place: Place, ask: &Ask<'_>, now_ms: u64) -> Reply {
    if place == Place::Robots {
        return match site.troubles.robots_down.iter().any(|span| span.holds(now_ms)) {
            true => refusal(503),
            false => Reply::ok("text/plain; charset=utf-8", xml::robots(site).into_bytes()),
        };
    }
    if site.troubles.is_walled(now_ms) && is_html(site, place) {
        return Reply::ok(HTML, render::wall(site).into_bytes());
    }
    let plain =
        |title: &str, text: &str| Reply::ok(HTML, render::plain(site, now_ms, title, text).into_bytes());
    match place {
        Place::Listing(number, page) => listing(site, &site.listings[number], page, ask, now_ms),
        Place::Part(number, part) => {
            let map = &site.listings[number];
            let text = xml::has_parts(map).then(|| xml::part(site, map, &map.state(now_ms, 1), part));
            text.flatten().map_or_else(Reply::not_found, |text| Reply::ok(XML, text.into_bytes()))
        }
        Place::Article(url) => article(site, url, ask, now_ms),
        Place::Private => plain("Subscribers’ archive", "Please log in to see your letters and invoices."),
        Place::Partner => plain("Partner offer", "This offer is made by a partner of ours."),
        Place::Events => plain("Calendar of the day", "There are no events on this day."),
        Place::About => plain("About us", "This paper has a printing press and two opinions."),
        Place::Robots | Place::Missing => Reply::not_found(),
    }
}

/// What a mishap makes of a request. `None`: the site answers as ever.
fn by_mishap(site: &LivingSite, place: Place, ask: &Ask<'_>, now_ms: u64) -> Option<Reply> {
    if site.mishaps.is_empty() {
        return None;
    }
    let (path, query) = ask.path.split_once('?').unwrap_or((ask.path, ""));
    match path {
        "/maintenance" => {
            let text = "We are back in a moment. Thank you for your patience.";
            return Some(Reply::ok(HTML, render::plain(site, now_ms, "Maintenance", text).into_bytes()));
        }
        "/agree" => {
            let back = query.strip_prefix("back=").unwrap_or("/");
            let mut reply = found(back);
            reply.headers.push(("set-cookie", "agreed=yes; Path=/; Max-Age=3600".to_owned()));
            return Some(reply);
        }
        _ => {}
    }
    let is_page = is_html(site, place);
    let active = site.mishaps.iter().filter(|mishap| mishap.span.holds(now_ms));
    active.into_iter().find_map(|mishap| match mishap.kind {
        MishapKind::Detour if is_page => Some(found("/maintenance")),
        MishapKind::Maintenance if is_page => {
            let text = "Our presses are being oiled. All stories return within hours.";
            Some(Reply::ok(HTML, render::plain(site, now_ms, "Back soon", text).into_bytes()))
        }
        MishapKind::CookieWall if is_page => {
            let has_agreed = ask.cookie.is_some_and(|cookie| cookie.contains("agreed=yes"));
            (!has_agreed).then(|| found(&format!("/agree?back={}", ask.path)))
        }
        MishapKind::Refresh if is_page => {
            let html = "<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"0; url=/maintenance\"><title>…</title>";
            Some(Reply::ok(HTML, html.as_bytes().to_vec()))
        }
        MishapKind::RobotsDown if place == Place::Robots => Some(refusal(503)),
        MishapKind::Closed if place == Place::Robots => {
            Some(Reply::ok("text/plain", b"User-agent: *\nDisallow: /\n".to_vec()))
        }
        MishapKind::Busy if is_busy(site, place) => {
            let mut reply = refusal(503);
            let seconds = (mishap.span.until_ms - now_ms).div_ceil(1_000);
            reply.headers.push(("retry-after", seconds.to_string()));
            Some(reply)
        }
        _ => None,
    })
}

/// The listing that is busy: the last feed, or the last of all.
fn is_busy(site: &LivingSite, place: Place) -> bool {
    let Place::Listing(number, _) = place else { return false };
    let feed = site.listings.iter().rposition(|listing| listing.kind == ListingKind::Feed);
    feed.or(site.listings.len().checked_sub(1)) == Some(number)
}

/// A redirect for now.
fn found(location: &str) -> Reply {
    Reply { status: 302, ..Reply::redirect(location) }
}

/// A short answer with an error status.
pub(super) fn refusal(status: u16) -> Reply {
    Reply { status, ..Reply::ok("text/plain; charset=utf-8", b"Please try again later.\n".to_vec()) }
}

fn is_html(site: &LivingSite, place: Place) -> bool {
    match place {
        Place::Listing(number, _) => {
            matches!(site.listings[number].kind, ListingKind::Front | ListingKind::Section)
        }
        Place::Robots | Place::Part(..) => false,
        _ => true,
    }
}

fn listing(site: &LivingSite, listing: &Listing, page: usize, ask: &Ask<'_>, now_ms: u64) -> Reply {
    match listing.ended(now_ms) {
        Some(End::Gone) => return Reply::not_found(),
        Some(End::Script) => return Reply::ok(HTML, render::script(site).into_bytes()),
        Some(End::Redirect) => return redirect_to_new(site, listing),
        Some(End::Frozen) | None => {}
    }
    let has_page = page == 1 || (site.paged && listing.kind == ListingKind::Section);
    if listing.born_ms > now_ms || !has_page {
        return Reply::not_found();
    }
    let mut state = listing.state(now_ms, page);
    if page > 1 && !listing.has_next(&listing.state(now_ms, page - 1), page - 1) {
        return Reply::not_found();
    }
    let edits = if listing.lastmod { edits_shown(site, listing, &mut state, now_ms) } else { 0 };
    if let Some(redesign) = site.troubles.redesign.filter(|redesign| redesign.at_ms <= now_ms) {
        // the menu has changed
        state.changed_ms = state.changed_ms.max(redesign.at_ms);
    }
    let parts = [
        state.items.start as u64,
        state.items.end as u64,
        state.teaser,
        state.junk,
        page as u64,
        edits,
        u64::from(site.troubles.is_redesigned(now_ms)),
    ];
    let stamp = Stamp::new(listing.validators, listing.noisy, &parts, state.changed_ms, now_ms);
    stamp.answer(ask, || body(site, listing, &state, page, now_ms))
}

fn body(site: &LivingSite, listing: &Listing, state: &State, page: usize, now_ms: u64) -> Reply {
    let (kind, text) = match listing.kind {
        ListingKind::Front => (HTML, render::front(site, listing, state, now_ms)),
        ListingKind::Section => {
            let next = site.paged && listing.has_next(state, page);
            (HTML, render::section(site, listing, state, (page, next), now_ms))
        }
        ListingKind::Feed => {
            let kind = if render::is_atom(listing) {
                "application/atom+xml; charset=utf-8"
            } else {
                "application/rss+xml; charset=utf-8"
            };
            (kind, xml::feed(site, listing, state, now_ms))
        }
        ListingKind::NewsMap => (XML, xml::news_map(site, listing, state, now_ms)),
        ListingKind::Map if xml::has_parts(listing) => (XML, xml::index(site, listing, state, now_ms)),
        ListingKind::Map => (XML, xml::part(site, listing, state, 1).unwrap_or_default()),
    };
    Reply::ok(kind, text.into_bytes())
}

/// Number of edits that a map with `lastmod` has taken note of; the newest counts as a change.
fn edits_shown(site: &LivingSite, listing: &Listing, state: &mut State, now_ms: u64) -> u64 {
    let made = listing.made_ms(now_ms);
    let count = site.edits.partition_point(|&edit| edit <= made);
    if let Some(&last) = site.edits[..count].last() {
        let regen = listing.regen_ms.max(1);
        state.changed_ms = state.changed_ms.max(last.next_multiple_of(regen));
    }
    count as u64
}

fn redirect_to_new(site: &LivingSite, old: &Listing) -> Reply {
    let new = site
        .listings
        .iter()
        .find(|new| new.kind == old.kind && new.section == old.section && new.born_ms > 0);
    new.map_or_else(Reply::not_found, |new| Reply::redirect(&format!("http://{}{}", site.host, new.path)))
}

fn article(site: &LivingSite, url: usize, ask: &Ask<'_>, now_ms: u64) -> Reply {
    let number = site.article_of(url);
    let facts = &site.articles[number];
    let moved = facts.moved_ms.filter(|&moved| moved <= now_ms);
    let is_first = url == number;
    if facts.published_ms > now_ms || (!is_first && moved.is_none()) {
        return Reply::not_found();
    }
    if facts.deleted_ms.is_some_and(|deleted| deleted <= now_ms) {
        let status = if number.is_multiple_of(2) { 404 } else { 410 };
        return Reply { status, ..Reply::not_found() };
    }
    if let (true, Some(_), Some(second)) = (is_first, moved, site.second_url(number)) {
        return Reply::redirect(&format!("http://{}{}", site.host, site.path(second)));
    }
    let redesigned = u64::from(site.troubles.is_redesigned(now_ms));
    let mut parts = vec![url as u64, facts.version(now_ms) as u64, redesigned];
    if site.noisy {
        parts.push(now_ms);
    }
    if site.latest {
        parts.extend(render::latest(site, now_ms).into_iter().map(|latest| latest as u64));
    }
    let stamp = Stamp { tag: Some(tag(&parts)), date: None };
    stamp.answer(ask, || Reply::ok(HTML, render::article(site, url, now_ms).into_bytes()))
}

/// The validators of a page at a time.
struct Stamp {
    tag: Option<String>,
    date: Option<String>,
}

impl Stamp {
    /// `parts` are all that the page depends on, `changed_ms` when the last of them changed.
    fn new(validators: Validators, noisy: bool, parts: &[u64], changed_ms: u64, now_ms: u64) -> Self {
        match validators {
            Validators::None => Self { tag: None, date: None },
            Validators::Sticky => {
                Self { tag: Some("\"feed-1\"".to_owned()), date: Some(http(DAY_0 - HISTORY)) }
            }
            Validators::Honest if noisy => Self { tag: Some(tag(&[now_ms])), date: None },
            Validators::Honest => {
                // within the second of a change another may follow under the same date
                let is_settled = changed_ms / SECOND < now_ms / SECOND;
                Self { tag: Some(tag(parts)), date: is_settled.then(|| http(changed_ms)) }
            }
        }
    }

    /// 304 if the visitor has the page, else what `body` makes. `If-None-Match` outweighs the date (RFC 9110).
    fn answer(self, ask: &Ask<'_>, body: impl FnOnce() -> Reply) -> Reply {
        let has = match ask.if_none_match {
            Some(tags) => self
                .tag
                .as_deref()
                .is_some_and(|tag| tags.split(',').any(|known| known.trim().trim_start_matches("W/") == tag)),
            // clients send back the date they were given, so equality is enough
            None => self.date.is_some() && ask.if_modified_since == self.date.as_deref(),
        };
        let mut reply = if has { Reply { status: 304, ..Reply::ok(HTML, Vec::new()) } } else { body() };
        reply.headers.extend(self.tag.map(|tag| ("etag", tag)));
        reply.headers.extend(self.date.map(|date| ("last-modified", date)));
        reply
    }
}

fn tag(parts: &[u64]) -> String {
    let hash = parts.iter().fold(0, |hash, part| Rng::new(hash ^ part).next_u64());
    format!("\"{hash:016x}\"")
}
