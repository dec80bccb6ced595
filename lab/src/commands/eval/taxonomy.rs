//! `newslode-lab eval taxonomy`: scores the whole path from pages to a taxonomy against a judged one.
//!
//! Pages become contributions, contributions are summed by site as in a store, and the sums are folded. The
//! baseline beside the presets uses support alone: every linked label that enough sites show, and every
//! pair that the outlines of enough sites show.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode::exit::{Exit, hinted};
use newslode::out;
use newslode::progress::ProgressDisplay;
use newslode_miner::mining::concepts::least_support;
use newslode_miner::mining::fold::{FoldParams, Rules, fold};
use newslode_miner::mining::summary::{SiteSummary, tables};
use newslode_page::contribution::counting::contribution;
use newslode_page::contribution::{Contribution, Role};
use newslode_page::partition::hierarchy;
use newslode_page::reading::Site;
use newslode_page::{Page, Params};
use serde::{Deserialize, Serialize};

use super::gold::{page, presets};
use crate::args::EvalTaxonomyArgs;
use crate::eval::taxonomy::{Figures, Gold, Judge, Prediction, Said, Score, genre_shares};
use crate::eval::{mean, read_lines, read_text};

/// Number of unjudged concepts that are printed.
const SHOWN: usize = 50;

#[derive(Debug, Deserialize)]
struct Row {
    file: String,
    url: String,
    lang: String,
    /// What the collector changed in the page.
    rewritten: Option<String>,
}

impl Row {
    /// Restores the page as its site served it. Collectors disable links with their own schemes, and say so.
    fn restored(&self, bytes: Vec<u8>) -> Vec<u8> {
        let said = self.rewritten.as_deref().and_then(|said| said.split_once("schemes changed to "));
        let Some((scheme, _)) = said.and_then(|(_, after)| after.split_once(':')) else { return bytes };
        replaced(&bytes, format!("{scheme}://").as_bytes(), b"http://")
    }
}

/// Replaces bytes, not characters, because pages come in many encodings.
pub(super) fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        if !from.is_empty() && rest.starts_with(from) {
            out.extend_from_slice(to);
            at += from.len();
        } else {
            out.extend_from_slice(&rest[..1]);
            at += 1;
        }
    }
    out
}

/// A method's figures on all sites and on each half.
#[derive(Debug, Serialize)]
struct Measured {
    method: String,
    all: Score,
    halves: Vec<Score>,
}

/// A way from the sites to concepts and pairs.
struct Method {
    name: String,
    sites: Vec<Arc<SiteSummary>>,
    fold: Option<FoldParams>,
}

impl Method {
    fn predict(&self, sites: &[Arc<SiteSummary>], support: u32) -> Prediction {
        match &self.fold {
            Some(params) => Prediction::of(&fold(sites, params)),
            None => support_alone(sites, least_support(support, sites.len())),
        }
    }
}

pub(super) fn run(args: &EvalTaxonomyArgs, quiet: bool) -> anyhow::Result<Exit> {
    let common = &args.common;
    let gold: Gold = serde_json::from_str(&read_text(&common.gold)?)?;
    let judge = Judge::new(&gold);
    let methods = methods(args, quiet)?;
    let Some((baseline, last)) = methods.first().zip(methods.last()) else { return Ok(Exit::Done) };
    if let Some(path) = &common.predictions {
        let said = last.predict(&last.sites, args.support);
        std::fs::write(path, serde_json::to_vec(&said)?)?;
    }
    let all = baseline.sites.len();
    let halves = halves(all, args.of.unwrap_or(all / 2), args.halves, args.seed);
    let measure = |method: &Method| {
        let all = judge.score(&method.predict(&method.sites, args.support), judge.expected());
        let half = |half: &BTreeSet<usize>| {
            let of = |sites: &[Arc<SiteSummary>]| -> Vec<Arc<SiteSummary>> {
                half.iter().filter_map(|at| sites.get(*at).cloned()).collect()
            };
            let shown = baseline.predict(&of(&baseline.sites), args.support);
            let expected = judge.expected().seen_by(&shown, &judge);
            judge.score(&method.predict(&of(&method.sites), args.support), &expected)
        };
        Measured { method: method.name.clone(), all, halves: halves.iter().map(half).collect() }
    };
    let measured: Vec<Measured> = methods.iter().map(measure).collect();
    if common.json {
        out::json(&measured)?;
        return Ok(Exit::Done);
    }
    for (method, measured) in methods.iter().zip(&measured) {
        print(&format!("{} sites", method.sites.len()), measured, common.per_page)?;
    }
    Ok(Exit::Done)
}

/// The baseline, on the sites as the last preset reads them, then the presets.
fn methods(args: &EvalTaxonomyArgs, quiet: bool) -> anyhow::Result<Vec<Method>> {
    let common = &args.common;
    let beside = || common.pages.join("manifest.jsonl");
    let rows: Vec<Row> = read_lines(&args.manifest.clone().unwrap_or_else(beside))?;
    let rows: Vec<Row> = rows.into_iter().filter(|row| row.lang == args.language).collect();
    if rows.is_empty() {
        return Err(hinted(
            format!("the manifest names no page in `{}`", args.language),
            "name another --language, or another --manifest",
        ));
    }
    let mut shown = ProgressDisplay::new(quiet);
    let mut methods = Vec::new();
    for params in presets(common)? {
        let sites = sites(common, &rows, &params, &mut shown)?;
        let fold = Some(FoldParams { support: args.support, rules: Rules::of_preset(params.preset) });
        methods.push(Method { name: params.name, sites, fold });
    }
    shown.end();
    let sites = methods.last().map(|method| method.sites.clone()).unwrap_or_default();
    methods.insert(0, Method { name: "support alone".into(), sites, fold: None });
    Ok(methods)
}

/// The sites' sums, in the order of their names.
fn sites(
    common: &crate::args::EvalCommon,
    rows: &[Row],
    params: &Params,
    shown: &mut ProgressDisplay,
) -> anyhow::Result<Vec<Arc<SiteSummary>>> {
    let mut pages: BTreeMap<Site, Vec<Contribution>> = BTreeMap::new();
    for (done, row) in rows.iter().enumerate() {
        shown.say(|| format!("{}: {done} of {} pages", params.name, rows.len()));
        let input = page(&common.pages, &row.file, Some(&row.url))?;
        let bytes = row.restored(input.bytes);
        let page = Page::parse(&input.url, input.content_type.as_deref(), &bytes);
        let said = contribution(&page, &hierarchy(&page, params));
        pages.entry(page.url.site()).or_default().push(said);
    }
    let summary = |(site, pages): (Site, Vec<Contribution>)| SiteSummary::of(site, &tables(&pages));
    Ok(pages.into_iter().map(|site| Arc::new(summary(site))).collect())
}

/// The trivial baseline: a label that enough sites link is a concept; a pair needs enough outlines.
fn support_alone(sites: &[Arc<SiteSummary>], support: u32) -> Prediction {
    let mut labels: BTreeMap<&str, Vec<&SiteSummary>> = BTreeMap::new();
    let mut pairs: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for site in sites {
        for (key, _) in site.labels.iter().filter(|(_, label)| label.pages(Role::Link) > 0) {
            labels.entry(key).or_default().push(site);
        }
        for (broader, narrower) in site.pairs.keys() {
            *pairs.entry((broader, narrower)).or_default() += 1;
        }
    }
    labels.retain(|_, on| on.len() >= support as usize);
    let mut said: BTreeMap<&str, Said> = BTreeMap::new();
    for (key, on) in labels {
        let uses = on.iter().filter_map(|site| site.labels.get(key));
        let forms: BTreeSet<String> = uses.flat_map(|label| label.forms.keys().cloned()).collect();
        let label = forms.first().cloned().unwrap_or_else(|| key.to_owned());
        said.insert(
            key,
            Said { label, labels: forms.into_iter().collect(), sites: on.len(), is_genre: false },
        );
    }
    let label = |key: &str| said.get(key).map(|said| said.label.clone());
    let frequent = pairs.iter().filter(|(_, sites)| **sites >= support);
    let is_a = frequent.filter_map(|((a, b), _)| Some((label(a)?, label(b)?)).filter(|(a, b)| a != b));
    Prediction { is_a: is_a.collect(), concepts: said.values().cloned().collect() }
}

/// Draws random sites, `of` at a time, with splitmix64 from a seed; the same on every machine.
fn halves(sites: usize, of: usize, count: usize, seed: u64) -> Vec<BTreeSet<usize>> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let half = |_| {
        let mut drawn: Vec<(u64, usize)> = (0..sites).map(|site| (next(), site)).collect();
        drawn.sort_unstable();
        drawn.into_iter().take(of).map(|(_, site)| site).collect()
    };
    (0..count).map(half).collect()
}

fn print(sites: &str, measured: &Measured, in_full: bool) -> anyhow::Result<()> {
    let Score { concepts, is_a, neutral, genres, unjudged } = &measured.all;
    out::line(format!("{:14} {sites}", measured.method))?;
    out::line(format!(
        "  {}, {} neutral, {} not judged",
        figures("concepts", concepts),
        neutral.len(),
        unjudged.len()
    ))?;
    out::line(format!("  {}", figures("is-a", is_a)))?;
    let (genres, subjects) = genres;
    if genres.len() + subjects.len() > 0 {
        let (of_neutral, of_right) = (genres.len(), subjects.len());
        out::line(format!("  called genres: {of_neutral} of the neutral, {of_right} of the right concepts"))?;
    }
    for (what, of) in
        [("concepts", (|score| &score.concepts) as fn(&Score) -> &Figures), ("is-a", |score| &score.is_a)]
    {
        if measured.halves.is_empty() {
            continue;
        }
        let values =
            |pick: fn(&Figures) -> f64| -> Vec<f64> { measured.halves.iter().map(|s| pick(of(s))).collect() };
        let (precision, recall) = (values(|f| f.precision), values(|f| f.recall));
        let least = |values: &[f64]| values.iter().copied().fold(1.0, f64::min);
        out::line(format!(
            "  {what:8} on {} draws: P {:.3} (least {:.3}) R {:.3} (least {:.3}) of what the draw shows",
            measured.halves.len(),
            mean(&precision),
            least(&precision),
            mean(&recall),
            least(&recall)
        ))?;
    }
    if let Some([of_neutral, of_right, right]) = genre_shares(&measured.halves) {
        out::line(format!(
            "  genres   on {} draws: {of_neutral:.3} of the neutral and {of_right:.3} of the right concepts; {right:.3} of these are neutral",
            measured.halves.len()
        ))?;
    }
    if !in_full {
        return Ok(());
    }
    let named = unjudged.iter().take(SHOWN).map(|(label, sites)| format!("{label} ({sites})"));
    let lists = [
        ("wrong concepts", concepts.wrong.clone()),
        ("missed concepts", concepts.missed.clone()),
        ("wrong pairs", is_a.wrong.clone()),
        ("missed pairs", is_a.missed.clone()),
        ("neutral", neutral.clone()),
        ("neutral called genres", genres.clone()),
        ("right called genres", subjects.iter().cloned().collect()),
        ("not judged, best supported", named.collect()),
    ];
    for (what, names) in lists {
        out::line(format!("  {what}: {}", names.join(", ")))?;
    }
    Ok(())
}

fn figures(what: &str, figures: &Figures) -> String {
    let Figures { precision, recall, f1, right, wrong, missed, hit } = figures;
    format!(
        "{what:8} P {precision:.3} ({} right, {} wrong) R {recall:.3} ({hit} of {}) F1 {f1:.3}",
        right.len(),
        wrong.len(),
        hit + missed.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_halves_and_come_again() {
        let drawn = halves(9, 4, 20, 7);
        assert!(drawn.iter().all(|half| half.len() == 4 && half.iter().all(|site| *site < 9)));
        assert_eq!(drawn, halves(9, 4, 20, 7));
        assert_ne!(drawn, halves(9, 4, 20, 8));
        assert!(drawn.windows(2).any(|two| two[0] != two[1]));
    }

    #[test]
    fn what_the_collector_changed_is_restored() {
        let row = |rewritten: Option<&str>| Row {
            file: String::new(),
            url: String::new(),
            lang: String::new(),
            rewritten: rewritten.map(str::to_owned),
        };
        let bytes = b"<a href=off://a.test/x>\xe4 off: o</a>".to_vec();
        let said = "absolute link schemes changed to off: by the collector";
        assert_eq!(row(Some(said)).restored(bytes.clone()), b"<a href=http://a.test/x>\xe4 off: o</a>");
        assert_eq!(row(Some("nothing of note")).restored(bytes.clone()), bytes);
        assert_eq!(row(None).restored(bytes.clone()), bytes);
    }

    #[test]
    fn support_alone_takes_what_enough_sites_link() {
        let contribution = |words: &[&str]| {
            let html: String = words.iter().map(|word| format!("<p><a href=/{word}>{word}</a>")).collect();
            let url = "https://a.test/".parse().unwrap();
            let page = Page::parse(&url, None, format!("<html lang=en>{html}").as_bytes());
            contribution(&page, &hierarchy(&page, &Params::default()))
        };
        let site = |name: &str, words: &[&str]| {
            Arc::new(SiteSummary::of(Site::of_host(name), &tables(&[contribution(words)])))
        };
        let sites = [site("a.test", &["Jazz", "Opera"]), site("b.test", &["Jazz", "Rock"])];
        let said = support_alone(&sites, 2);
        assert_eq!(said.concepts.iter().map(|said| said.label.as_str()).collect::<Vec<_>>(), ["Jazz"]);
    }
}
