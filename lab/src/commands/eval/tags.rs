//! `newslode-lab eval tags` and `newslode-lab eval attributes`: score tags of leaves, and attribute-value pairs.
//!
//! Pages with the same site in the gold are read together; pages without a site are read alone.

use std::collections::BTreeMap;
use std::path::Path;

use newslode::exit::Exit;
use newslode::out;
use newslode_page::preset::Preset;
use newslode_page::tagging::{self, Tag};
use newslode_page::{Page, Params};

use super::gold::{page, presets, write_predictions};
use crate::args::EvalCommon;
use crate::eval::tags::{Confusion, Gold, TAGS};
use crate::eval::{Figure, attributes, bootstrap_error, mean, tags};

const BASELINE: &str = "baseline";

/// Predicts a result for each page of a site.
type Reader<T> = Box<dyn Fn(&[Page]) -> Vec<T>>;
type Method<T> = (String, Reader<T>);

pub(super) fn tags(common: &EvalCommon) -> anyhow::Result<Exit> {
    let golds = tags::read(&common.gold)?;
    let mut methods: Vec<Method<Vec<Tag>>> =
        vec![(BASELINE.into(), Box::new(|pages| pages.iter().map(plain_tags).collect()))];
    methods.extend(presets(common)?.into_iter().map(|params| (params.name.clone(), tagger(&params))));
    let sites = sites(golds.iter().map(|gold| gold.site.clone()));
    let mut said = vec![Vec::new(); methods.len()];
    let mut ordered: Vec<&Gold> = Vec::new();
    for site in &sites {
        let of_site: Vec<&Gold> = site.iter().map(|&gold| &golds[gold]).collect();
        let pages = of_site
            .iter()
            .map(|gold| read(&common.pages, gold.site.as_deref(), &gold.page))
            .collect::<Result<Vec<_>, _>>()?;
        for ((_, method), lines) in methods.iter().zip(&mut said) {
            lines.extend(method(&pages).iter().zip(&of_site).map(|(tags, gold)| line(gold, tags)));
        }
        ordered.extend(of_site);
    }
    if let Some(lines) = said.last() {
        write_predictions(common, lines)?;
    }
    let mut summaries = BTreeMap::new();
    for ((name, _), lines) in methods.iter().zip(&said) {
        let rows: Vec<Confusion> =
            ordered.iter().zip(lines).map(|(gold, line)| Confusion::of(gold, &line.tags)).collect();
        if !common.json {
            print_tags(name, &ordered, &rows, common.per_page)?;
        }
        summaries.insert(name.clone(), tag_summary(&ordered, &rows, common.per_page));
    }
    if common.json {
        out::json(&summaries)?;
    }
    Ok(Exit::Done)
}

fn tagger(params: &Params) -> Reader<Vec<Tag>> {
    match params.preset {
        Preset::Default => Box::new(tagging::tags),
        Preset::Paper => Box::new(tagging::print::tags),
    }
}

/// Groups the indices of golds by site; a gold without a site is a site of its own.
fn sites(names: impl Iterator<Item = Option<String>>) -> Vec<Vec<usize>> {
    let mut sites: Vec<Vec<usize>> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (gold, name) in names.enumerate() {
        match name {
            Some(name) => {
                let at = *known.entry(name).or_insert(sites.len());
                sites.resize(sites.len().max(at + 1), Vec::new());
                sites[at].push(gold);
            }
            None => sites.push(vec![gold]),
        }
    }
    sites
}

/// Reads a page from the site's folder, from `pages` in it, or from the folder itself.
fn read(folder: &Path, site: Option<&str>, name: &str) -> anyhow::Result<Page> {
    let own = site.map(|site| folder.join(site));
    let places = own.iter().flat_map(|own| [own.join("pages"), own.clone()]).chain([folder.join("pages")]);
    let is_there = |place: &std::path::PathBuf| {
        place.join(name).is_file() || place.join(format!("{name}.html")).is_file()
    };
    let place = places.into_iter().find(is_there).unwrap_or_else(|| folder.to_path_buf());
    let input = page(&place, name, None)?;
    Ok(Page::parse(&input.url, input.content_type.as_deref(), &input.bytes))
}

fn line(gold: &Gold, tags: &[Tag]) -> tags::TagsRecord {
    let tags = tags.iter().map(|tag| tag.letter()).collect();
    tags::TagsRecord { site: gold.site.clone(), page: gold.page.clone(), tags }
}

#[derive(serde::Serialize)]
struct TagSummary {
    pages: usize,
    leaves: usize,
    micro: f64,
    macro_f: f64,
    page_micro: Figure,
    error: Figure,
    tags: BTreeMap<char, tags::Figures>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rows: Vec<(String, f64)>,
}

fn tag_summary(golds: &[&Gold], rows: &[Confusion], per_page: bool) -> TagSummary {
    let mut all = Confusion::default();
    rows.iter().for_each(|row| all.add(row));
    let own: Vec<f64> = rows.iter().map(Confusion::micro).collect();
    TagSummary {
        pages: rows.len(),
        leaves: all.leaves(),
        micro: all.micro(),
        macro_f: all.macro_f(),
        page_micro: mean(&own),
        error: bootstrap_error(&own),
        tags: TAGS.into_iter().enumerate().map(|(at, tag)| (tag, all.figures(at))).collect(),
        rows: golds
            .iter()
            .zip(&own)
            .filter(|_| per_page)
            .map(|(gold, &own)| (gold.page.clone(), own))
            .collect(),
    }
}

fn print_tags(name: &str, golds: &[&Gold], rows: &[Confusion], per_page: bool) -> anyhow::Result<()> {
    let summary = tag_summary(golds, rows, per_page);
    let mut all = Confusion::default();
    rows.iter().for_each(|row| all.add(row));
    if per_page {
        let mut pages: Vec<_> = golds.iter().zip(rows).collect();
        pages.sort_by(|a, b| a.1.micro().total_cmp(&b.1.micro()));
        for (gold, row) in pages {
            out::line(format!("  {:40} right {:.3} of {} leaves", gold.page, row.micro(), row.leaves()))?;
        }
    }
    out::line(format!(
        "{name:10} {} pages, {} leaves: micro {:.3} macro F {:.3} | page mean {:.3} (se {:.3})",
        summary.pages, summary.leaves, summary.micro, summary.macro_f, summary.page_micro, summary.error
    ))?;
    for (at, tag) in TAGS.iter().enumerate() {
        let (f, row) = (all.figures(at), all.row(at));
        let taken: Vec<String> = TAGS.iter().zip(row).map(|(tag, n)| format!("{tag} {n}")).collect();
        out::line(format!(
            "  {tag}  P {:.3} R {:.3} F {:.3}  taken for {}",
            f.precision,
            f.recall,
            f.f,
            taken.join(", ")
        ))?;
    }
    Ok(())
}

/// The trivial baseline. The first `h1` or `h2` is the concept. Other headings, bold texts, terms and header
/// cells under 60 characters, and texts that end in a colon, are attributes. Leaves without letters have the
/// tag none; the rest are values.
fn plain_tags(page: &Page) -> Vec<Tag> {
    const SET_OFF: [&str; 10] = ["h1", "h2", "h3", "h4", "h5", "h6", "b", "strong", "dt", "th"];
    let (tree, leaves) = (&page.tree, &page.leaves);
    let first = tree.node_ids().find(|&node| {
        matches!(tree.tag(node), Some("h1" | "h2")) && !leaves.range_under(tree, node).is_empty()
    });
    let concept = first.map_or(0..0, |node| leaves.range_under(tree, node));
    let tag = |(number, leaf): (usize, &newslode_page::reading::Leaf)| {
        let text = leaves.text(number);
        let names = || leaves.path(leaf.path).iter().map(|&tag| tree.tag_name(tag));
        if !text.chars().any(char::is_alphanumeric) {
            Tag::None
        } else if concept.contains(&number) {
            Tag::Concept
        } else if text.ends_with(':')
            || text.chars().count() < 60 && names().any(|name| SET_OFF.contains(&name))
        {
            Tag::Attribute
        } else {
            Tag::Value
        }
    };
    leaves.iter().enumerate().map(tag).collect()
}

pub(super) fn attributes(common: &EvalCommon) -> anyhow::Result<Exit> {
    let golds = attributes::read(&common.gold)?;
    let mut methods: Vec<Method<Vec<(String, String)>>> =
        vec![(BASELINE.into(), Box::new(|pages| pages.iter().map(plain_pairs).collect()))];
    methods.extend(presets(common)?.into_iter().map(|params| (params.name.clone(), pairer(&params))));
    let sites = sites(golds.iter().map(|gold| Some(gold.site.clone())));
    let mut said = vec![Vec::new(); methods.len()];
    for site in &sites {
        let of_site: Vec<&attributes::PairsRecord> = site.iter().map(|&gold| &golds[gold]).collect();
        let pages = of_site
            .iter()
            .map(|gold| read(&common.pages, Some(&gold.site), &gold.page))
            .collect::<Result<Vec<_>, _>>()?;
        for ((_, method), lines) in methods.iter().zip(&mut said) {
            let lines_of = method(&pages).into_iter().zip(&of_site);
            lines.extend(lines_of.map(|(pairs, gold)| attributes::PairsRecord {
                pairs,
                site: gold.site.clone(),
                page: gold.page.clone(),
            }));
        }
    }
    let ordered: Vec<&attributes::PairsRecord> = sites.iter().flatten().map(|&gold| &golds[gold]).collect();
    if let Some(lines) = said.last() {
        write_predictions(common, lines)?;
    }
    let mut summaries = BTreeMap::new();
    for ((name, _), lines) in methods.iter().zip(&said) {
        let rows: Vec<attributes::Row> =
            ordered.iter().zip(lines).map(|(gold, line)| attributes::score(gold, line)).collect();
        if !common.json {
            print_attributes(name, &rows, common.per_page)?;
        }
        summaries.insert(name.clone(), attributes::by_site(&rows));
    }
    if common.json {
        out::json(&summaries)?;
    }
    Ok(Exit::Done)
}

fn pairer(params: &Params) -> Reader<Vec<(String, String)>> {
    let read = match params.preset {
        Preset::Default => tagging::pairs,
        Preset::Paper => tagging::print::pairs,
    };
    let plain = |pair: tagging::Pair| (pair.label, pair.value);
    Box::new(move |pages| {
        read(pages).into_iter().map(|pairs| pairs.into_iter().map(plain).collect()).collect()
    })
}

/// The trivial baseline: a leaf with letters and at most 60 characters that ends in a colon is the label of
/// the next leaf, unless that is also a label.
fn plain_pairs(page: &Page) -> Vec<(String, String)> {
    let text = |leaf: usize| page.leaves.text(leaf);
    let is_label = |text: &str| {
        text.ends_with(':') && text.chars().any(char::is_alphabetic) && text.chars().count() <= 60
    };
    let labels = (1..page.leaves.len()).filter(|&leaf| is_label(text(leaf - 1)) && !is_label(text(leaf)));
    labels.map(|leaf| (text(leaf - 1).to_owned(), text(leaf).to_owned())).collect()
}

fn print_attributes(name: &str, rows: &[attributes::Row], per_page: bool) -> anyhow::Result<()> {
    if per_page {
        let mut rows: Vec<_> = rows.iter().collect();
        rows.sort_by(|a, b| a.counts[0].f1().total_cmp(&b.counts[0].f1()));
        for row in rows {
            let c = row.counts[0];
            out::line(format!(
                "  {:36} P {:.3} R {:.3} F1 {:.3} of {}",
                format!("{}/{}", row.site, row.page),
                c.precision(),
                c.recall(),
                c.f1(),
                c.wanted
            ))?;
        }
    }
    let sites = attributes::by_site(rows);
    for (site, counts) in &sites {
        let own: Vec<f64> =
            rows.iter().filter(|row| row.site == *site).map(|row| row.counts[0].f1()).collect();
        let shown: Vec<String> = attributes::NAMES
            .iter()
            .zip(counts)
            .map(|(what, c)| format!("{what} P {:.3} R {:.3} F1 {:.3}", c.precision(), c.recall(), c.f1()))
            .collect();
        out::line(format!(
            "{name:10} {site:20} {} | {} pages, page mean {:.3} (se {:.3})",
            shown.join(" | "),
            own.len(),
            mean(&own),
            bootstrap_error(&own)
        ))?;
    }
    let average = |what: usize, pick: fn(attributes::Count) -> f64| {
        mean(&sites.values().map(|c| pick(c[what])).collect::<Vec<_>>())
    };
    let shown: Vec<String> = (0..4)
        .map(|what| {
            let (p, r) =
                (average(what, attributes::Count::precision), average(what, attributes::Count::recall));
            format!("{} P {p:.3} R {r:.3} F1 {:.3}", attributes::NAMES[what], Figure::f1(p, r))
        })
        .collect();
    out::line(format!("{name:10} {:20} {}", "mean of the sites", shown.join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(html: &str) -> Page {
        let url = newslode::input::made_up("page.html").unwrap();
        Page::parse(&url, None, html.as_bytes())
    }

    #[test]
    fn pages_of_one_site_are_read_together() {
        let names = [Some("a"), None, Some("b"), Some("a"), None];
        let sites = sites(names.into_iter().map(|name| name.map(str::to_owned)));
        assert_eq!(sites, [vec![0, 3], vec![1], vec![2], vec![4]]);
    }

    #[test]
    fn the_baselines_say_what_they_are_said_to() {
        let page = parse("<h1>T</h1><h2>Staff</h2><p>Phone: <a>12</a> | Fax: Mail: <b>x</b>");
        let letters: String = plain_tags(&page).iter().map(|tag| tag.letter()).collect();
        assert_eq!(letters, "CAAVAA");
        assert_eq!(
            plain_pairs(&page),
            [("Phone:".to_owned(), "12".to_owned()), ("| Fax: Mail:".into(), "x".into())]
        );
    }
}
