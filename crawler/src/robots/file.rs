//! The rules of a robots.txt file for one crawler: RFC 9309, read as Google's open-source matcher reads real files.
//!
//! Where the RFC is silent about a malformed line, Google's reading counts, because owners of sites test their files against
//! it: misspelt names, a missing colon, an incomplete byte order mark, lines that are too long, `index.html`. In one place the
//! RFC goes further, and we follow it: `%7E` and `~` are the same character, and `%2A` is an asterisk that stands for itself.
//! `docs/decisions/0074-robots-txt-of-our-own.md` says why this is not a crate.
//!
//! Any bytes are a file. Parsing takes time and memory linear in its size; asking about an address takes at most one pass over
//! the address for each rule, whatever the rule looks like. Start at [`RobotsFile::parse`].

use std::borrow::Cow;
use std::cmp::Reverse;
use std::time::Duration;

use url::Url;

use crate::path_pattern::{PathPattern, normalized_path};

/// Number of bytes of a file that count (RFC 9309, section 2.5).
pub const MAX_FILE_BYTES: usize = 500 << 10;
/// Lines are cut to this many bytes and then read as usual, as Google's parser does.
const MAX_LINE_BYTES: usize = 2083 * 8 - 1;

/// Beginnings of lines and what they mean. Longer names with the same beginning are taken, too (`Sitemaps`).
const NAMES: [(&[u8], Name); 18] = [
    (b"user-agent", Name::UserAgent),
    (b"useragent", Name::UserAgent),
    (b"user agent", Name::UserAgent),
    (b"allow", Name::Allow),
    (b"disallow", Name::Disallow),
    (b"dissallow", Name::Disallow),
    (b"dissalow", Name::Disallow),
    (b"disalow", Name::Disallow),
    (b"diasllow", Name::Disallow),
    (b"disallaw", Name::Disallow),
    (b"crawl-delay", Name::CrawlDelay),
    (b"crawl delay", Name::CrawlDelay),
    (b"crawldelay", Name::CrawlDelay),
    (b"sitemap", Name::Sitemap),
    (b"site-map", Name::Sitemap),
    (b"site map", Name::Sitemap),
    (b"content-signal", Name::ContentSignal),
    (b"content-usage", Name::ContentUsage),
];

/// The meaning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
    ContentSignal,
    ContentUsage,
}

/// What a robots.txt says to one crawler.
#[derive(Clone, Debug, Default)]
pub struct RobotsFile {
    /// The most specific first.
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

#[derive(Clone, Debug)]
struct Rule {
    pattern: PathPattern,
    allows: bool,
}

/// Rules and delay of the groups of one agent.
#[derive(Default)]
struct Group {
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl RobotsFile {
    /// Reads what the file says to the crawler with this product token. All groups that name it count as one; the groups for
    /// `*` count if none does.
    ///
    /// A group ends at the first `User-agent` line after a rule, and at nothing else. A delay is for the agents named since
    /// the last rule or delay: a file that slows one crawler down and goes on with `User-agent: *` slows nobody else down.
    #[must_use]
    pub fn parse(bytes: &[u8], token: &str) -> RobotsFile {
        let (mut ours, mut everyones) = (Group::default(), Group::default());
        let mut is_named = false;
        let (mut rules_for, mut delay_for) = (Agents::default(), Agents::default());
        let (mut has_rule, mut has_delay) = (false, false);
        for (name, value) in lines(bytes) {
            match name {
                Name::UserAgent => {
                    if has_rule {
                        rules_for = Agents::default();
                    }
                    if has_rule || has_delay {
                        delay_for = Agents::default();
                    }
                    (has_rule, has_delay) = (false, false);
                    let agents = Agents::of_line(value, token);
                    is_named |= agents.us;
                    rules_for = rules_for.and(agents);
                    delay_for = delay_for.and(agents);
                }
                Name::Allow | Name::Disallow => {
                    has_rule = true;
                    for group in rules_for.groups(&mut ours, &mut everyones) {
                        group.add(value, name == Name::Allow);
                    }
                }
                Name::CrawlDelay => {
                    has_delay = true;
                    let Some(delay) = seconds(value) else { continue };
                    for group in delay_for.groups(&mut ours, &mut everyones) {
                        group.crawl_delay = Some(group.crawl_delay.map_or(delay, |other| other.min(delay)));
                    }
                }
                Name::Sitemap | Name::ContentSignal | Name::ContentUsage => {}
            }
        }
        let Group { mut rules, crawl_delay } = if is_named { ours } else { everyones };
        rules.sort_by_key(|rule| (Reverse(rule.pattern.octets()), !rule.allows));
        RobotsFile { rules, crawl_delay }
    }

    /// Forbids everything.
    #[must_use]
    pub fn disallow_all() -> RobotsFile {
        RobotsFile::parse(b"User-agent: *\nDisallow: /", "")
    }

    /// Whether the crawler may fetch this address. The longest rule that matches decides; of two that are equally long, the one
    /// that allows. The file itself is always allowed.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        let path = normalized_path(url);
        let deciding = self.rules.iter().find(|rule| rule.pattern.matches(&path));
        path == b"/robots.txt" || deciding.is_none_or(|rule| rule.allows)
    }

    /// Bytes of memory that the rules take.
    pub(super) fn memory(&self) -> usize {
        self.rules.iter().map(|rule| size_of::<Rule>() + rule.pattern.memory()).sum()
    }

    /// Time between two requests that the file asks for.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }
}

/// The values of the `Sitemap` lines, which belong to no group.
pub fn sitemaps(bytes: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    lines(bytes).filter(|(name, _)| *name == Name::Sitemap).map(|(_, value)| String::from_utf8_lossy(value))
}

/// Whose lines these are.
#[derive(Clone, Copy, Default)]
pub(super) struct Agents {
    pub(super) us: bool,
    pub(super) everyone: bool,
}

impl Agents {
    /// The agents of a `User-agent` line. Only its beginning is compared, up to the first character that a product token cannot
    /// have: people add versions, comments and other names.
    pub(super) fn of_line(value: &[u8], token: &str) -> Agents {
        let everyone =
            value.strip_prefix(b"*").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
        let length = value.iter().take_while(|&&byte| is_token_byte(byte)).count();
        Agents { us: length > 0 && value[..length].eq_ignore_ascii_case(token.as_bytes()), everyone }
    }

    /// These agents and others.
    pub(super) fn and(self, other: Agents) -> Agents {
        Agents { us: self.us || other.us, everyone: self.everyone || other.everyone }
    }

    fn groups<'a>(
        self,
        ours: &'a mut Group,
        everyones: &'a mut Group,
    ) -> impl Iterator<Item = &'a mut Group> {
        self.us.then_some(ours).into_iter().chain(self.everyone.then_some(everyones))
    }
}

/// Whether a product token may have this byte (RFC 9309, section 2.2.1).
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-')
}

/// The lines that mean something, with their values.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (Name, &[u8])> {
    without_byte_order_mark(within_limit(bytes)).split(|byte| matches!(byte, b'\r' | b'\n')).filter_map(
        |line| {
            let line = &line[..line.len().min(MAX_LINE_BYTES)];
            name_and_value(line)
        },
    )
}

/// The part of a file that counts: whole lines, because half a rule says something else than the rule.
fn within_limit(bytes: &[u8]) -> &[u8] {
    let Some(start) = bytes.get(..MAX_FILE_BYTES).filter(|start| start.len() < bytes.len()) else {
        return bytes;
    };
    let end = memchr::memrchr2(b'\r', b'\n', start).unwrap_or(start.len());
    &start[..end]
}

/// Also an incomplete mark goes, as in Google's parser.
fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().zip(b"\xEF\xBB\xBF").take_while(|(byte, mark)| byte == mark).count();
    &bytes[length..]
}

fn name_and_value(line: &[u8]) -> Option<(Name, &[u8])> {
    let end = memchr::memchr2(b'#', 0, line).unwrap_or(line.len());
    let line = line[..end].trim_ascii();
    let colon = memchr::memchr(b':', line).filter(|&colon| !is_of_scheme(line, colon));
    let (name, value) = match colon {
        Some(colon) => (&line[..colon], line[colon + 1..].trim_ascii()),
        // People forget the colon. Two words are a name and its value, but three are prose.
        None => {
            let space = memchr::memchr2(b' ', b'\t', line)?;
            let value = line[space..].trim_ascii();
            let is_word = memchr::memchr2(b' ', b'\t', value).is_none();
            is_word.then_some((&line[..space], value))?
        }
    };
    let has_beginning =
        |known: &[u8]| name.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known));
    let (_, name) = NAMES.iter().find(|(known, _)| has_beginning(known))?;
    Some((*name, value))
}

/// Whether this is the colon of an address, in a line that has no other (`Sitemap https://…`).
fn is_of_scheme(line: &[u8], colon: usize) -> bool {
    let has_words = memchr::memchr2(b' ', b'\t', line[..colon].trim_ascii()).is_some();
    has_words && line[colon + 1..].starts_with(b"//")
}

/// A number of seconds, possibly with a fraction.
fn seconds(value: &[u8]) -> Option<Duration> {
    let seconds = std::str::from_utf8(value).ok()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

impl Group {
    /// Adds a rule. One without a path says nothing.
    fn add(&mut self, value: &[u8], allows: bool) {
        if value.is_empty() {
            return;
        }
        self.rules.push(Rule { pattern: PathPattern::new(value), allows });
        // To allow a folder's `index.html` is to allow the folder's own address, which shows the same page.
        if let Some(slash) = memchr::memrchr(b'/', value).filter(|_| allows)
            && value[slash..].starts_with(b"/index.htm")
        {
            let folder = [&value[..=slash], b"$"].concat();
            self.rules.push(Rule { pattern: PathPattern::new(&folder), allows });
        }
    }
}
