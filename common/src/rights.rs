//! What a site says may be done with its articles, and what follows from it.
//!
//! Sites say it in a dozen forms: groups of robots.txt, headers, elements of the page, files of their own. Each becomes a
//! [`Statement`]: as it is written, with its source, scope and date, and what it says of each [`Use`]. All statements are kept,
//! also those that contradict each other; the strictest decides. What nobody says is unknown, and unknown is never allowed.
//! `docs/rights.md` has the table of signals and their meanings. The crawler reads statements (`crawler/src/rights`) and stores
//! them beside the page, by its address; whoever writes an article out joins them.
//!
//! Invariant: [`Rights::standing`] never falls by adding a statement. Start at [`Rights::add`].

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::{Kind, PageArchive, StoreError, StoreResult};
use crate::time::iso;
use crate::version::ContentHash;

/// Most statements of a page that are kept; the standing also counts those beyond.
const MOST_STATEMENTS: usize = 64;
/// Most characters of a statement as written, and of its scope.
const MOST_WRITTEN: usize = 300;

/// Something that may be done with an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// Show it among the results of a search, with a link and a short passage.
    Search,
    /// Give it to a model that answers or summarises.
    AiInput,
    /// Train or tune a model with it.
    AiTrain,
    /// Mine it together with others for patterns and facts.
    TextMining,
    /// Keep and show a copy.
    Archive,
}

impl Use {
    /// All uses.
    pub const ALL: [Use; 5] = [Use::Search, Use::AiInput, Use::AiTrain, Use::TextMining, Use::Archive];

    /// Its name in filters and exports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Use::Search => "search",
            Use::AiInput => "ai_input",
            Use::AiTrain => "ai_train",
            Use::TextMining => "text_mining",
            Use::Archive => "archive",
        }
    }
}

/// How a use stands, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nobody says anything of it.
    #[default]
    Unknown,
    /// A statement allows it, and none reserves it.
    Allowed,
    /// A statement reserves it.
    Reserved,
}

impl Standing {
    /// All of them.
    pub const ALL: [Standing; 3] = [Standing::Unknown, Standing::Allowed, Standing::Reserved];

    /// Its name in filters and exports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Standing::Unknown => "unknown",
            Standing::Allowed => "allowed",
            Standing::Reserved => "reserved",
        }
    }
}

/// Where a statement is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A group of robots.txt for an agent that is known to work for AI or for an archive.
    RobotsAgent,
    /// `Content-Signal` in robots.txt.
    RobotsContentSignal,
    /// `Content-Usage` in robots.txt.
    RobotsContentUsage,
    /// `/.well-known/tdmrep.json`.
    Tdmrep,
    /// `/ai.txt`.
    AiTxt,
    /// The header `X-Robots-Tag`.
    RobotsTag,
    /// The header `Content-Signal`.
    ContentSignal,
    /// The header `Content-Usage`.
    ContentUsage,
    /// The headers `tdm-reservation` and `tdm-policy`.
    TdmHeader,
    /// `<meta name=robots>`, or one that names the crawler.
    RobotsMeta,
    /// `<meta name=tdm-reservation>` and `<meta name=tdm-policy>`.
    TdmMeta,
    /// A link with `rel=license`, in the page or in the header `Link`.
    LicenseLink,
    /// `license` in the page's JSON-LD.
    JsonLd,
}

impl Source {
    /// Its name in exports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Source::RobotsAgent => "robots_agent",
            Source::RobotsContentSignal => "robots_content_signal",
            Source::RobotsContentUsage => "robots_content_usage",
            Source::Tdmrep => "tdmrep",
            Source::AiTxt => "ai_txt",
            Source::RobotsTag => "robots_tag",
            Source::ContentSignal => "content_signal",
            Source::ContentUsage => "content_usage",
            Source::TdmHeader => "tdm_header",
            Source::RobotsMeta => "robots_meta",
            Source::TdmMeta => "tdm_meta",
            Source::LicenseLink => "license_link",
            Source::JsonLd => "json_ld",
        }
    }
}

/// The scope of a statement about the page's own text.
pub const PAGE: &str = "page";
/// The scope of a statement about the page's pictures: it decides nothing about the article.
pub const IMAGES: &str = "images";

/// What somebody wrote about the uses of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Where it is written.
    pub source: Source,
    /// As it is written, cut to 300 characters.
    pub written: String,
    /// What it is about: [`PAGE`], [`IMAGES`], or the pattern of paths that its file gives.
    pub scope: String,
    /// When it was read; written in ISO 8601, UTC.
    #[serde(with = "iso_8601")]
    pub at: Timestamp,
    /// What it says of each use that it is about. Nothing: it is recorded, and decides nothing.
    pub says: BTreeMap<Use, Standing>,
}

impl Statement {
    /// A statement that says the same of several uses.
    #[must_use]
    pub fn new(
        source: Source,
        written: &str,
        scope: &str,
        at: Timestamp,
        says: impl IntoIterator<Item = (Use, Standing)>,
    ) -> Statement {
        let mut all = BTreeMap::new();
        for (of, standing) in says {
            let known: &mut Standing = all.entry(of).or_default();
            *known = standing.max(*known);
        }
        Statement { source, written: bounded(written), scope: bounded(scope), at, says: all }
    }

    /// What it says of a use of the article.
    fn of(&self, of: Use) -> Standing {
        if self.scope == IMAGES { Standing::Unknown } else { self.says.get(&of).copied().unwrap_or_default() }
    }

    /// Whether another one says the same, at whatever time.
    fn is_same(&self, other: &Statement) -> bool {
        (self.source, &self.written, &self.scope, &self.says)
            == (other.source, &other.written, &other.scope, &other.says)
    }
}

/// One line of at most [`MOST_WRITTEN`] characters, without control characters.
fn bounded(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_WRITTEN);
    clean.collect::<String>().trim().to_owned()
}

/// How each use stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Standings {
    search: Standing,
    ai_input: Standing,
    ai_train: Standing,
    text_mining: Standing,
    archive: Standing,
}

impl Standings {
    /// How a use stands.
    #[must_use]
    pub fn of(&self, of: Use) -> Standing {
        match of {
            Use::Search => self.search,
            Use::AiInput => self.ai_input,
            Use::AiTrain => self.ai_train,
            Use::TextMining => self.text_mining,
            Use::Archive => self.archive,
        }
    }

    /// Lets a use stand at least as strictly as this.
    fn raise(&mut self, of: Use, standing: Standing) {
        let known = match of {
            Use::Search => &mut self.search,
            Use::AiInput => &mut self.ai_input,
            Use::AiTrain => &mut self.ai_train,
            Use::TextMining => &mut self.text_mining,
            Use::Archive => &mut self.archive,
        };
        *known = standing.max(*known);
    }
}

/// All that is said of a page, and how each use stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rights {
    /// The strictest of the statements, use by use.
    #[serde(flatten)]
    standings: Standings,
    /// Every statement, in the order in which they were read.
    statements: Vec<Statement>,
    /// Statements that were too many to be kept. The standings count them.
    #[serde(default, skip_serializing_if = "is_zero")]
    left_out: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Rights {
    /// Adds a statement. One that says what another one says already, at a later time, is not kept twice.
    pub fn add(&mut self, statement: Statement) {
        if self.statements.iter().any(|known| known.is_same(&statement)) {
            return;
        }
        for of in Use::ALL {
            self.standings.raise(of, statement.of(of));
        }
        if self.statements.len() < MOST_STATEMENTS {
            self.statements.push(statement);
        } else {
            self.left_out = self.left_out.saturating_add(1);
        }
    }

    /// Adds the statements of others: the stricter of both holds.
    pub fn add_all(&mut self, others: Rights) {
        let Rights { standings, statements, left_out } = others;
        statements.into_iter().for_each(|statement| self.add(statement));
        for of in Use::ALL {
            self.standings.raise(of, standings.of(of));
        }
        self.left_out = self.left_out.saturating_add(left_out);
    }

    /// How a use stands.
    #[must_use]
    pub fn standing(&self, of: Use) -> Standing {
        self.standings.of(of)
    }

    /// How all uses stand.
    #[must_use]
    pub fn standings(&self) -> Standings {
        self.standings
    }

    /// Every statement.
    #[must_use]
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Whether the page itself asks that no copy of it be shown (`noarchive`). What it asks of single archives is another matter.
    #[must_use]
    pub fn asks_for_no_copy(&self) -> bool {
        let asks = |statement: &Statement| {
            matches!(statement.source, Source::RobotsTag | Source::RobotsMeta)
                && statement.of(Use::Archive) == Standing::Reserved
        };
        self.statements.iter().any(asks)
    }

    /// Whether nobody says anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// Whether another one has the same statements, read at whatever times.
    #[must_use]
    pub fn is_same(&self, other: &Rights) -> bool {
        (self.standings, self.left_out, self.statements.len())
            == (other.standings, other.left_out, other.statements.len())
            && self.statements.iter().zip(&other.statements).all(|(ours, theirs)| ours.is_same(theirs))
    }
}

/// The key in the archive of what is said of the page at this address ([`Kind::Rights`]).
#[must_use]
pub fn rights_key(url: &CanonicalUrl) -> ContentHash {
    ContentHash::of(url, Some(Kind::Rights.name()), b"")
}

/// The key in the archive of what the files of a site say of rights ([`Kind::Rights`]).
#[must_use]
pub fn site_rights_key(site: &Site) -> ContentHash {
    let hash = blake3::hash(format!("rights of the site {site}").as_bytes());
    let mut short = [0; 16];
    short.copy_from_slice(&hash.as_bytes()[..16]);
    ContentHash(short)
}

/// What was said of a page at its fetch; nothing if there is no record of it.
///
/// # Errors
/// When the archive fails, or holds a record that cannot be read.
pub async fn read_rights(archive: &dyn PageArchive, url: &CanonicalUrl) -> StoreResult<Rights> {
    let key = rights_key(url);
    let Some(bytes) = archive.get(Kind::Rights, key).await? else { return Ok(Rights::default()) };
    serde_json::from_slice(&bytes)
        .map_err(|error| StoreError::Corrupt(format!("what is said of the rights of `{url}`: {error}")))
}

/// How uses must stand for an article to be asked for: `ai_train=allowed`, or several of them with commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RightsCondition(BTreeMap<Use, Standing>);

/// Why a text is no [`RightsCondition`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// A part of it is no pair of a use and a standing.
    #[error(
        "`{0}` says nothing about rights; write it as in ai_train=allowed, with one of search, ai_input, ai_train, \
         text_mining and archive, and one of allowed, reserved and unknown"
    )]
    NoPair(String),
    /// A use must stand in two ways.
    #[error("`{0}` cannot stand in two ways at once")]
    Twice(&'static str),
}

impl RightsCondition {
    /// Whether nothing is asked of the rights.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether uses stand so. Unknown is never allowed.
    #[must_use]
    pub fn takes(&self, standings: Standings) -> bool {
        self.0.iter().all(|(of, wanted)| standings.of(*of) == *wanted)
    }
}

impl FromStr for RightsCondition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<RightsCondition, ConditionError> {
        let mut wanted = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong = || ConditionError::NoPair(part.to_owned());
            let (of, standing) = part.split_once('=').ok_or_else(wrong)?;
            let of = Use::ALL.into_iter().find(|known| known.name() == of.trim()).ok_or_else(wrong)?;
            let is_meant = |known: &Standing| known.name() == standing.trim();
            let standing = Standing::ALL.into_iter().find(is_meant).ok_or_else(wrong)?;
            if wanted.insert(of, standing).is_some_and(|before| before != standing) {
                return Err(ConditionError::Twice(of.name()));
            }
        }
        Ok(RightsCondition(wanted))
    }
}

impl fmt::Display for RightsCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> =
            self.0.iter().map(|(of, standing)| format!("{}={}", of.name(), standing.name())).collect();
        f.write_str(&pairs.join(","))
    }
}

/// Times as ISO 8601 in JSON.
mod iso_8601 {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::{Timestamp, iso};

    pub(super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&iso(*at))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(from)?;
        let at: jiff::Timestamp = text.parse().map_err(D::Error::custom)?;
        Ok(Timestamp(u64::try_from(at.as_millisecond()).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn statement(written: &str, says: &[(Use, Standing)]) -> Statement {
        Statement::new(Source::ContentSignal, written, PAGE, Timestamp(1_500), says.iter().copied())
    }

    #[test]
    fn the_strictest_statement_decides_and_all_are_kept() {
        let mut rights = Rights::default();
        assert_eq!(Use::ALL.map(|of| rights.standing(of)), [Standing::Unknown; 5]);
        rights.add(statement("ai-train=yes", &[(Use::AiTrain, Standing::Allowed)]));
        assert_eq!(rights.standing(Use::AiTrain), Standing::Allowed);
        rights.add(statement("ai-train=no", &[(Use::AiTrain, Standing::Reserved)]));
        rights.add(statement("ai-train=yes", &[(Use::AiTrain, Standing::Allowed)]));
        assert_eq!(
            (rights.standing(Use::AiTrain), rights.standing(Use::Search), rights.statements().len()),
            (Standing::Reserved, Standing::Unknown, 2)
        );
        let both = [(Use::Search, Standing::Reserved), (Use::Search, Standing::Allowed)];
        rights.add(statement("search=no, search=yes", &both));
        assert_eq!(rights.standing(Use::Search), Standing::Reserved);
    }

    #[test]
    fn pictures_decide_nothing_about_the_article() {
        let mut rights = Rights::default();
        let says = [(Use::AiTrain, Standing::Reserved)];
        rights.add(Statement::new(Source::RobotsMeta, "noimageai", IMAGES, Timestamp(0), says));
        assert_eq!((rights.standing(Use::AiTrain), rights.statements().len()), (Standing::Unknown, 1));
    }

    #[test]
    fn statements_beyond_the_limit_still_count() {
        let mut rights = Rights::default();
        for number in 0..MOST_STATEMENTS {
            rights.add(statement(&number.to_string(), &[]));
        }
        rights.add(statement("ai-train=no", &[(Use::AiTrain, Standing::Reserved)]));
        assert_eq!((rights.statements().len(), rights.left_out), (MOST_STATEMENTS, 1));
        assert_eq!(rights.standing(Use::AiTrain), Standing::Reserved);
        let mut other = Rights::default();
        other.add_all(rights.clone());
        assert_eq!(other, rights);
        let long = statement(&"é\n".repeat(MOST_WRITTEN), &[]);
        assert_eq!(long.written.chars().count(), MOST_WRITTEN - 1, "the last line break is trimmed");
    }

    #[test]
    fn a_record_reads_as_articles_are_exported() {
        let mut rights = Rights::default();
        rights.add(statement("ai-train=no", &[(Use::AiTrain, Standing::Reserved)]));
        let json = serde_json::to_string(&rights).unwrap();
        let wanted = r#"{"search":"unknown","ai_input":"unknown","ai_train":"reserved","text_mining":"unknown","archive":"unknown","statements":[{"source":"content_signal","written":"ai-train=no","scope":"page","at":"1970-01-01T00:00:01.500Z","says":{"ai_train":"reserved"}}]}"#;
        assert_eq!(json, wanted);
        assert_eq!(serde_json::from_str::<Rights>(&json).unwrap(), rights);
    }

    #[test]
    fn conditions_take_only_what_stands_so() {
        let takes = |text: &str, rights: &Rights| {
            text.parse::<RightsCondition>().map(|condition| condition.takes(rights.standings()))
        };
        let mut rights = Rights::default();
        assert_eq!(takes("ai_train=allowed", &rights), Ok(false), "unknown is never allowed");
        assert_eq!(takes("ai_train=unknown,search=unknown", &rights), Ok(true));
        rights.add(statement("ai-train=yes", &[(Use::AiTrain, Standing::Allowed)]));
        assert_eq!(takes(" ai_train = allowed ,", &rights), Ok(true));
        assert_eq!(takes("ai_train=allowed,search=allowed", &rights), Ok(false));
        for wrong in ["ai_train", "train=allowed", "ai_train=yes", "=", "ai_train=allowed;search=allowed"] {
            assert!(matches!(takes(wrong, &rights), Err(ConditionError::NoPair(_))), "{wrong}");
        }
        assert_eq!(takes("search=allowed,search=reserved", &rights), Err(ConditionError::Twice("search")));
    }

    proptest! {
        #[test]
        fn no_statement_makes_a_use_freer(
            written in proptest::collection::vec(("[a-c]{1,2}", 0_usize..5, 0_usize..3, any::<bool>()), 0..90),
        ) {
            let mut rights = Rights::default();
            let mut strictest = [Standing::Unknown; 5];
            for (text, of, standing, is_of_images) in written {
                let (of, standing) = (Use::ALL[of], Standing::ALL[standing]);
                let scope = if is_of_images { IMAGES } else { PAGE };
                rights.add(Statement::new(Source::AiTxt, &text, scope, Timestamp(9), [(of, standing)]));
                if !is_of_images {
                    let known = &mut strictest[Use::ALL.iter().position(|known| *known == of).unwrap()];
                    *known = standing.max(*known);
                }
                prop_assert_eq!(Use::ALL.map(|of| rights.standing(of)), strictest);
            }
            let json = serde_json::to_vec(&rights).unwrap();
            prop_assert_eq!(serde_json::from_slice::<Rights>(&json).unwrap(), rights);
        }

        #[test]
        fn conditions_are_read_back_as_they_are_written(text in "[a-z_=, ]{0,60}", of in 0_usize..5, standing in 0_usize..3) {
            let pair = format!("{}={}", Use::ALL[of].name(), Standing::ALL[standing].name());
            for text in [text.clone(), pair.clone(), format!("{text},{pair}")] {
                let Ok(condition) = text.parse::<RightsCondition>() else { continue };
                prop_assert_eq!(condition.to_string().parse::<RightsCondition>(), Ok(condition));
            }
        }
    }
}
