//! What may be done with an article: what was said at its fetch and what its site says today, of which the stricter holds.
//!
//! A change of robots.txt is one record of its origin, so it is joined here, where articles are written out, and no article has an
//! event for it. Start at [`RightsReader::rights_of`].

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use newslode_common::config::Noarchive;
use newslode_common::rights::{Rights, Source, Standing, Use, read_rights};
use newslode_common::store::{PageArchive, StoreResult};
use newslode_common::time::iso;
use newslode_common::version::ContentHash;
use newslode_crawler::rights::FileRules;
use newslode_crawler::robots::{OriginRights, RightsChange, read_origin_rights};
use newslode_crawler::site_files::SiteRecord;
use newslode_miner::work::stores::Stores;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use serde::Serialize;

use crate::queries::explain::Fact;

/// Most origins whose files are kept in memory.
const MOST_ORIGINS: usize = 500;
/// Statements and changes that are shown to a person.
const MOST_SHOWN: usize = 12;
/// Pages of a site that a report looks at.
const MOST_REPORTED: usize = 1_000;

/// Reads the rights of articles; the files of an origin are read once.
pub(crate) struct RightsReader<'a> {
    archive: &'a dyn PageArchive,
    origins: HashMap<String, Arc<OriginRights>>,
    /// The rules of the other files of a site, with their origins and times: those of the site that was asked for last.
    site: Option<(Site, Vec<RulesOfOrigin>)>,
}

/// The rules of a file, with its origin and the time at which it was read.
type RulesOfOrigin = (String, Timestamp, FileRules);

impl<'a> RightsReader<'a> {
    pub(crate) fn new(archive: &'a dyn PageArchive) -> RightsReader<'a> {
        RightsReader { archive, origins: HashMap::new(), site: None }
    }

    /// What may be done with the article at this address.
    ///
    /// # Errors
    /// When the archive fails.
    pub(crate) async fn rights_of(&mut self, url: &CanonicalUrl) -> StoreResult<Rights> {
        let mut rights = read_rights(self.archive, url).await?;
        let origin = self.origin(url).await?;
        let page = url.to_url();
        rights.add_all(origin.rules.about(&page, origin.at));
        let name = page.origin().ascii_serialization();
        for (of, at, rules) in self.site_files(&url.site()).await? {
            if *of == name {
                rights.add_all(rules.about(&page, *at));
            }
        }
        Ok(rights)
    }

    /// The rules of a site's other files. Articles are asked for site by site.
    async fn site_files(&mut self, site: &Site) -> StoreResult<&[(String, Timestamp, FileRules)]> {
        if self.site.as_ref().is_none_or(|(known, _)| known != site) {
            let record = SiteRecord::read(self.archive, site).await?;
            self.site = Some((site.clone(), record.rules()));
        }
        Ok(self.site.as_ref().map_or(&[], |(_, rules)| rules))
    }

    async fn origin(&mut self, url: &CanonicalUrl) -> StoreResult<Arc<OriginRights>> {
        let url = url.to_url();
        let name = url.origin().ascii_serialization();
        if let Some(known) = self.origins.get(&name) {
            return Ok(known.clone());
        }
        if self.origins.len() >= MOST_ORIGINS {
            self.origins.clear();
        }
        let read = Arc::new(read_origin_rights(self.archive, &url).await?);
        self.origins.insert(name, read.clone());
        Ok(read)
    }
}

/// Whether the copy of a page is hidden, because it asks for none and the configuration heeds that.
///
/// # Errors
/// When the archive fails.
pub(crate) async fn is_copy_hidden(
    archive: &dyn PageArchive,
    noarchive: Noarchive,
    url: &CanonicalUrl,
) -> StoreResult<bool> {
    match noarchive {
        Noarchive::Record => Ok(false),
        Noarchive::Hide | Noarchive::Drop => Ok(read_rights(archive, url).await?.asks_for_no_copy()),
    }
}

/// A kind of statement that a site makes.
#[derive(Serialize)]
pub(crate) struct SiteStatement {
    pub(crate) source: Source,
    pub(crate) written: String,
    /// What it says of each use.
    pub(crate) says: BTreeMap<Use, Standing>,
    /// Articles of which it is said.
    pub(crate) articles: usize,
}

/// A change of what a file says of rights.
#[derive(Serialize)]
pub(crate) struct SiteChange {
    /// The file's address.
    pub(crate) file: String,
    /// ISO 8601, UTC.
    pub(crate) at: String,
    pub(crate) new: Vec<String>,
    pub(crate) gone: Vec<String>,
}

/// What a site says of the uses of its articles.
#[derive(Serialize)]
pub(crate) struct SiteRights {
    /// Pages that were looked at: at most 1,000 of those that count.
    pub(crate) pages: usize,
    /// Pages by use and standing.
    pub(crate) standings: BTreeMap<Use, BTreeMap<Standing, usize>>,
    /// What is said, most often said first.
    pub(crate) statements: Vec<SiteStatement>,
    /// How the files of its origins changed, the latest last.
    pub(crate) changes: Vec<SiteChange>,
}

/// Reports what a site says of the uses of its pages that count.
///
/// # Errors
/// When the stores fail.
pub(crate) async fn site_rights(stores: &Stores, site: &Site) -> anyhow::Result<SiteRights> {
    let mut reader = RightsReader::new(stores.archive.as_ref());
    let mut pages = stores.state.pages(site).await?;
    pages.retain(|(_, version)| version.content != ContentHash::NONE);
    // Evenly over the site, so that every section is seen.
    let step = pages.len().div_ceil(MOST_REPORTED).max(1);
    let mut report =
        SiteRights { pages: 0, standings: BTreeMap::new(), statements: Vec::new(), changes: Vec::new() };
    let mut said: BTreeMap<(Source, String), SiteStatement> = BTreeMap::new();
    for (url, _) in pages.iter().step_by(step) {
        report.pages += 1;
        let rights = reader.rights_of(url).await?;
        for of in Use::ALL {
            *report.standings.entry(of).or_default().entry(rights.standing(of)).or_default() += 1;
        }
        for statement in rights.statements() {
            let (source, written) = (statement.source, statement.written.clone());
            let says = statement.says.clone();
            let entry = said.entry((source, written.clone()));
            entry.or_insert(SiteStatement { source, written, says, articles: 0 }).articles += 1;
        }
    }
    report.statements = said.into_values().collect();
    report.statements.sort_by_key(|statement| std::cmp::Reverse(statement.articles));
    let change = |file: String, RightsChange { at, new, gone }: &RightsChange| SiteChange {
        file,
        at: iso(*at),
        new: new.clone(),
        gone: gone.clone(),
    };
    for (origin, rights) in &reader.origins {
        let changes = rights.changes.iter();
        report.changes.extend(changes.map(|changed| change(format!("{origin}/robots.txt"), changed)));
    }
    let record = SiteRecord::read(stores.archive.as_ref(), site).await?;
    report.changes.extend(record.changes().iter().map(|(file, changed)| change(file.clone(), changed)));
    report.changes.sort_by(|a, b| (&a.at, &a.file).cmp(&(&b.at, &b.file)));
    Ok(report)
}

impl SiteRights {
    /// The report for people.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        let counted = |(of, standings): (&Use, &BTreeMap<Standing, usize>)| {
            let pages = |standing: Standing| standings.get(&standing).copied().unwrap_or_default();
            let (allowed, reserved) = (pages(Standing::Allowed), pages(Standing::Reserved));
            match (allowed, reserved) {
                (0, 0) => (format!("  {}", of.name()), "unknown".to_owned()),
                _ => (
                    format!("  {}", of.name()),
                    format!("reserved on {reserved} pages, allowed on {allowed}"),
                ),
            }
        };
        let mut facts = vec![("rights".to_owned(), format!("of {} pages that count", self.pages))];
        facts.extend(self.standings.iter().map(counted));
        for SiteStatement { source, written, says, articles } in self.statements.iter().take(MOST_SHOWN) {
            let said: Vec<String> =
                says.iter().map(|(of, standing)| format!("{} {}", of.name(), standing.name())).collect();
            let said = if said.is_empty() { "decides nothing".to_owned() } else { said.join(", ") };
            facts.push((format!("  {}", source.name()), format!("{written} ({said}; {articles} pages)")));
        }
        for change in self.changes.iter().rev().take(MOST_SHOWN) {
            let lines = [("new", &change.new), ("gone", &change.gone)];
            let lines =
                lines.iter().flat_map(|(how, lines)| lines.iter().map(move |line| format!("{how}: {line}")));
            let text = format!("{} {}: {}", change.at, change.file, lines.collect::<Vec<_>>().join("; "));
            facts.push(("  changed".to_owned(), text));
        }
        facts
    }
}

/// What is said of the uses of a page, for people.
pub(crate) fn page_facts(rights: &Rights) -> Vec<Fact> {
    let standings = Use::ALL.map(|of| format!("{} {}", of.name(), rights.standing(of).name()));
    let mut facts = vec![("rights".to_owned(), standings.join(", "))];
    for statement in rights.statements().iter().take(MOST_SHOWN) {
        let text = format!("{} ({}, read {})", statement.written, statement.scope, iso(statement.at));
        facts.push((format!("  {}", statement.source.name()), text));
    }
    facts
}
