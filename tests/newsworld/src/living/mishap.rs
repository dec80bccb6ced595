//! Small troubles that pass: a site answers oddly for ten minutes to three hours.
//!
//! All are taken from reports to crawlers and feed readers. They are drawn from a stream of their own, so a world without
//! them ([`LivingSpec::mishaps`](super::LivingSpec)) is the same to the bit. None makes an article less worth having:
//! every listing is back before a day has passed.

use super::chance::Chance;
use super::clock::{DAY, DAY_0, MINUTE, Span};
use super::listing::ListingKind;
use super::serve::{HTML, Place, is_html, refusal};
use super::site::LivingSite;
use super::{Ask, render};
use newslode_demo_world::Reply;

/// Shortest and longest mishap.
const LENGTHS: (u64, u64) = (10 * MINUTE, 180 * MINUTE);
/// One site in this many has each kind of mishap, once in [`OFTEN`].
const SITES: usize = 8;
const OFTEN: u64 = 9 * DAY;
/// Times that mishaps are drawn for: a month.
const TIMES: u64 = 3;

/// What a site does for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MishapKind {
    /// Every page redirects to one place.
    Detour,
    /// Every page is the same notice, with status 200.
    Maintenance,
    /// Every page redirects to a consent page, which sets a cookie and leads back.
    CookieWall,
    /// Every page is empty and refreshes to one place.
    Refresh,
    /// robots.txt answers 503.
    RobotsDown,
    /// robots.txt forbids everything.
    Closed,
    /// Feeds have a program's warning before their first line.
    FeedJunk,
    /// One listing answers 503 with a `Retry-After` until the mishap's end.
    Busy,
}

impl MishapKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Detour,
        Self::Maintenance,
        Self::CookieWall,
        Self::Refresh,
        Self::RobotsDown,
        Self::Closed,
        Self::FeedJunk,
        Self::Busy,
    ];

    /// Whether no article can be read meanwhile.
    #[must_use]
    pub const fn hides_articles(self) -> bool {
        matches!(self, Self::Detour | Self::Maintenance | Self::Refresh | Self::RobotsDown | Self::Closed)
    }
}

/// A mishap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mishap {
    /// What happens.
    pub kind: MishapKind,
    /// When.
    pub span: Span,
}

/// Draws the mishaps of site `number`, by their start.
pub(super) fn draw(chance: &Chance, number: usize) -> Vec<Mishap> {
    let mut chance = chance.fork("mishaps");
    let mut mishaps = Vec::new();
    for (nth, kind) in MishapKind::ALL.into_iter().enumerate() {
        for time in 0..TIMES {
            let (start, length) = (chance.uniform(0.1, 1.0), chance.uniform(0.0, 1.0));
            if (number + 3 * nth + time as usize) % SITES == 0 {
                let from_ms = DAY_0 + time * OFTEN + (start * OFTEN as f64) as u64;
                let length = LENGTHS.0 + (length * (LENGTHS.1 - LENGTHS.0) as f64) as u64;
                mishaps.push(Mishap { kind, span: Span { from_ms, until_ms: from_ms + length } });
            }
        }
    }
    mishaps.sort_unstable_by_key(|mishap| mishap.span);
    mishaps
}

/// What a mishap makes of a request. `None`: the site answers as ever.
pub(super) fn reply(site: &LivingSite, place: Place, ask: &Ask<'_>, now_ms: u64) -> Option<Reply> {
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

/// What feeds have before their first line.
pub(super) fn junk(site: &LivingSite, now_ms: u64) -> &'static str {
    let is_junk = |mishap: &&Mishap| mishap.kind == MishapKind::FeedJunk && mishap.span.holds(now_ms);
    match site.mishaps.iter().find(is_junk) {
        Some(_) => {
            "<br />\n<b>Warning</b>:  Undefined variable $thumb in <b>/srv/feed.php</b> on line <b>12</b><br />\n"
        }
        None => "",
    }
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
