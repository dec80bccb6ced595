//! The sites' summaries as the fold reads them: labels as numbers, with everything of a label that needs no other site.
//!
//! A fold over a thousand sites visits each label of each site several times. What it needs to know of a label on one site
//! (the shares of its links, their fault, whether its page files stories) is a pure function of that site's summary. So it is
//! computed once and kept as long as the summary is the same. Labels keep their numbers, so sites are compared by number
//! instead of by text. Invariant: an index contains nothing that its summaries do not, and numbers never reach a result.
//! Start at [`Indexer::index`].

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use newslode_page::contribution::Role;
use newslode_page::reading::{CanonicalUrl, Site};

use crate::mining::faults::{Fault, SECTION_STORIES};
use crate::mining::summary::{LabelSummary, SiteSummary, page_name};

/// A label's number.
pub(crate) type Id = u32;
/// No label.
pub(crate) const NONE: Id = Id::MAX;

/// Labels and their numbers.
#[derive(Debug, Default)]
pub(crate) struct Names {
    ids: HashMap<Arc<str>, Id>,
    names: Vec<Arc<str>>,
}

impl Names {
    fn id(&mut self, name: &str) -> Id {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let (id, name): (Id, Arc<str>) = (self.names.len() as Id, name.into());
        self.ids.insert(name.clone(), id);
        self.names.push(name);
        id
    }

    /// The number of a label that some site has.
    pub(crate) fn get(&self, name: &str) -> Option<Id> {
        self.ids.get(name).copied()
    }

    pub(crate) fn name(&self, id: Id) -> &str {
        self.names.get(id as usize).map_or("", |name| name)
    }

    /// A value for each label.
    pub(crate) fn table<T: Clone>(&self, value: T) -> Vec<T> {
        vec![value; self.names.len()]
    }
}

/// A label on one site.
#[derive(Debug)]
pub(crate) struct SiteLabel {
    pub(crate) id: Id,
    /// Whether a page shows it.
    pub(crate) is_shown: bool,
    /// Whether a page links it.
    pub(crate) is_linked: bool,
    /// Whether a link of it leads to its own site.
    pub(crate) is_inside: bool,
    // Shares of its links, see `LabelSummary::share`.
    pub(crate) spelled: f64,
    pub(crate) inside: f64,
    pub(crate) empty: f64,
    pub(crate) no_follow: f64,
    pub(crate) tail: f64,
    pub(crate) grouped: f64,
    /// The fault of its links.
    pub(crate) fault: Option<Fault>,
    /// Whether one of its pages files stories of its own; `None` if none of them is counted.
    pub(crate) files: Option<bool>,
    /// Names in the path of its page, at most [`DEEP`], and 1 if its page's URL has a query; its page is the one
    /// that most pages link.
    pub(crate) depth: f64,
    pub(crate) query: f64,
    /// The place of its page in [`SiteIndex::above`], if that has no query.
    pub(crate) place: Option<usize>,
}

/// One site.
#[derive(Debug, Default)]
pub(crate) struct SiteIndex {
    /// In the order of the keys.
    pub(crate) labels: Vec<SiteLabel>,
    pub(crate) lists: Vec<Vec<Id>>,
    pub(crate) nested: Vec<(Id, Id)>,
    pub(crate) pairs: Vec<(Id, Id, u8)>,
    pub(crate) directories: Vec<Id>,
    /// Labels that lead to one page other than the front page, in the order of the keys; at least two and at most
    /// [`MANY_NAMES`].
    pub(crate) together: Vec<Vec<Id>>,
    /// For each place in the site's paths, the place above it; the site itself has none.
    pub(crate) above: Vec<Option<usize>>,
}

/// A page that more labels than this lead to is named by none of them. Pairs of the labels of one page are listed, so this
/// keeps the work linear.
pub(crate) const MANY_NAMES: usize = 64;
/// Depth from which paths count as equally deep.
const DEEP: usize = 4;

impl SiteIndex {
    fn of(site: &SiteSummary, names: &mut Names) -> SiteIndex {
        let mut places: Places<'_> = HashMap::new();
        let mut index = SiteIndex::default();
        let mut leading: BTreeMap<&CanonicalUrl, Vec<Id>> = BTreeMap::new();
        for (key, label) in &site.labels {
            let id = names.id(key);
            let place = page(label)
                .filter(|url| !has_query(url))
                .map(|url| place(&mut places, &mut index.above, &steps(url)));
            index.labels.push(SiteLabel { place, ..site_label(id, key, label, site) });
            for url in label.targets.keys().filter(|url| !url.is_front_page()) {
                leading.entry(url).or_default().push(id);
            }
        }
        index.together =
            leading.into_values().filter(|labels| (2..=MANY_NAMES).contains(&labels.len())).collect();
        let mut id = |name: &String| names.id(name);
        index.lists = site.lists.iter().map(|list| list.labels.iter().map(&mut id).collect()).collect();
        index.nested = site.nested.iter().map(|(a, b)| (id(a), id(b))).collect();
        index.pairs = site.pairs.iter().map(|((a, b), level)| (id(a), id(b), *level)).collect();
        index.directories = site.directories.iter().map(&mut id).collect();
        index
    }

    /// Pairs of the labels that `kept` names whose pages' paths nest. A path's parent is the longest of the
    /// paths above it.
    pub(crate) fn by_path(&self, kept: impl Fn(Id) -> bool) -> Vec<(Id, Id)> {
        // Labels by the place of their page, so that those of one place are a range.
        let mut at: Vec<(usize, Id)> = self
            .labels
            .iter()
            .filter(|label| kept(label.id))
            .filter_map(|label| Some((label.place?, label.id)))
            .collect();
        at.sort_unstable();
        let labels = |place: usize| {
            let from = at.partition_point(|(other, _)| *other < place);
            let to = at.partition_point(|(other, _)| *other <= place);
            at.get(from..to).unwrap_or_default()
        };
        let mut pairs = Vec::new();
        for (place, narrower) in &at {
            let Some(above) = self.places_above(*place).find(|above| !labels(*above).is_empty()) else {
                continue;
            };
            // The site itself is above all places and is no parent.
            let is_site = self.places_above(above).next().is_none();
            let broader = labels(above);
            if !is_site && broader.len() <= MANY_NAMES {
                pairs.extend(broader.iter().map(|(_, broader)| (*broader, *narrower)));
            }
        }
        pairs
    }

    /// The places above one, the nearest first; the last one is the site itself.
    pub(crate) fn places_above(&self, place: usize) -> impl Iterator<Item = usize> {
        let above = |place: &usize| self.above.get(*place).copied().flatten();
        std::iter::successors(above(&place), move |place| above(place))
    }

    /// A label of the site by its key.
    pub(crate) fn label(&self, key: &str, names: &Names) -> Option<&SiteLabel> {
        let at = self.labels.binary_search_by(|label| names.name(label.id).cmp(key)).ok()?;
        self.labels.get(at)
    }
}

fn site_label(id: Id, key: &str, label: &LabelSummary, site: &SiteSummary) -> SiteLabel {
    let counted = label.targets.keys().filter(|url| !url.is_front_page());
    let stories = counted.filter_map(|url| site.filing.get(&page_name(url))).max();
    let page = page(label);
    let names = page.map_or(0, |url| url.path().split('/').filter(|name| !name.is_empty()).count());
    SiteLabel {
        id,
        is_shown: label.pages(Role::Any) > 0,
        is_linked: label.pages(Role::Link) > 0,
        is_inside: label.pages(Role::Inside) > 0,
        spelled: label.share(Role::Spelled),
        inside: label.share(Role::Inside),
        empty: label.share(Role::Empty),
        no_follow: label.share(Role::NoFollow),
        tail: label.share(Role::Tail),
        grouped: label.share(Role::Member),
        fault: site.fault(key, label),
        files: stories.map(|stories| *stories >= SECTION_STORIES),
        depth: names.min(DEEP) as f64,
        query: f64::from(u8::from(page.is_some_and(has_query))),
        place: None,
    }
}

/// The page that most of the site's pages link with a label.
fn page(label: &LabelSummary) -> Option<&CanonicalUrl> {
    let usual = label.targets.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    usual.map(|(url, _)| url)
}

fn has_query(url: &CanonicalUrl) -> bool {
    url.as_str().contains('?')
}

/// The URL's origin and the names on its path.
pub(crate) fn steps(url: &CanonicalUrl) -> Vec<&str> {
    let path = url.path().split('/').filter(|name| !name.is_empty());
    std::iter::once(url.host()).chain(path).collect()
}

/// The places in a site's paths: by the place above and the last name.
type Places<'a> = HashMap<(Option<usize>, &'a str), usize>;

fn place<'a>(places: &mut Places<'a>, above: &mut Vec<Option<usize>>, steps: &[&'a str]) -> usize {
    let mut last = None;
    for step in steps {
        last = Some(*places.entry((last, *step)).or_insert_with(|| {
            above.push(last);
            above.len() - 1
        }));
    }
    last.unwrap_or(0)
}

/// All sites, in the order of their names.
pub(crate) struct Index<'a> {
    pub(crate) names: &'a Names,
    pub(crate) sites: Vec<Arc<SiteIndex>>,
}

/// Makes indexes, and reuses what did not change since the last one.
#[derive(Debug, Default)]
pub(crate) struct Indexer {
    names: Names,
    kept: HashMap<Site, (Arc<SiteSummary>, Arc<SiteIndex>)>,
}

/// Number of labels beyond those in use from which the numbering starts over.
const SPARE: usize = 100_000;

impl Indexer {
    /// The index of these summaries. Only new or changed summaries are read.
    pub(crate) fn index(&mut self, sites: &[Arc<SiteSummary>]) -> Index<'_> {
        let labels: usize = sites.iter().map(|site| site.labels.len()).sum();
        if self.names.names.len() > 2 * labels + SPARE {
            *self = Indexer::default();
        }
        let mut kept = HashMap::with_capacity(sites.len());
        let mut indexes = Vec::with_capacity(sites.len());
        for site in sites {
            let held = self.kept.remove(&site.site).filter(|(summary, _)| Arc::ptr_eq(summary, site));
            let index =
                held.map_or_else(|| Arc::new(SiteIndex::of(site, &mut self.names)), |(_, index)| index);
            indexes.push(index.clone());
            kept.insert(site.site.clone(), (site.clone(), index));
        }
        self.kept = kept;
        Index { names: &self.names, sites: indexes }
    }
}
