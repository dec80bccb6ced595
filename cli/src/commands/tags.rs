//! `newslode tags`: what each text of pages is, and their attribute-value pairs, for people or programs.
//!
//! The pages of one site are read together ([`tag_pages`]), since what stands at the same place on many of them tells
//! names from values. Whether they are one site is said by their URLs, or by `--site`.

use std::collections::BTreeMap;

use newslode_common::config::Config;
use newslode_page::Page;
use newslode_page::preset::Preset;
use newslode_page::reading::Site;
use newslode_page::tagging::{self, Pair, Tag};
use serde_json::{Value, json};

use crate::args::{TagsArgs, TagsFormat};
use crate::exit::{Exit, hinted};
use crate::input::{self, Input};
use crate::out::{self, Styled};
use crate::site::Siblings;

/// Maximum width of the column of labels, in characters; the value of a longer label takes a line of its own.
const MAX_LABEL: usize = 28;

pub(crate) async fn run(args: TagsArgs, config: &Config) -> anyhow::Result<Exit> {
    let mut pages = input::read_pages(&args.pages, &config.crawler).await?;
    if let Some(made) = pages.iter().find(|page| page.finished_hierarchy().is_some()) {
        return Err(hinted(
            format!("`{}` is a finished hierarchy, and no page", made.name),
            "tags are read from the HTML; `newslode partition PAGE --tags` writes them into a hierarchy",
        ));
    }
    if let Some(manifest) = &args.manifest {
        input::apply_manifest(&mut pages, manifest)?;
    }
    let site = args.site.as_deref().map(Siblings::read).transpose()?;
    if let Some(site) = &site {
        site.name(&mut pages)?;
    }
    let company = if args.alone { Company::Nobody } else { Company::of(site.as_ref()) };
    let several = pages.len() > 1;
    let pages: Vec<&Input> = pages.iter().collect();
    for (input, read) in pages.iter().zip(tag_pages(&pages, &company, args.params)) {
        match args.format {
            TagsFormat::Text => {
                if several {
                    out::line(format!("== {}", input.name))?;
                }
                tags_text(&read, out::is_coloured()).print()?;
            }
            TagsFormat::Json => out::json_line(&as_json(&input.name, &read))?,
        }
    }
    Ok(Exit::Done)
}

/// The pages that a page is read together with.
pub(super) enum Company<'a> {
    Nobody,
    /// The other given pages of its site.
    Given,
    /// All given pages, and those of the folder.
    Site(&'a Siblings),
}

impl<'a> Company<'a> {
    /// The folder's pages, if there is one.
    pub(super) fn of(site: Option<&'a Siblings>) -> Company<'a> {
        site.map_or(Company::Given, Company::Site)
    }
}

/// A page and what it says.
pub(super) struct Tagged {
    page: Page,
    /// One for each leaf.
    pub(super) tags: Vec<Tag>,
    pairs: Vec<Pair>,
    /// The number of pages that were read together with it, itself included.
    together: usize,
}

/// Reads the pages, those of one site together.
pub(super) fn tag_pages(inputs: &[&Input], company: &Company<'_>, preset: Preset) -> Vec<Tagged> {
    let pages: Vec<Page> = inputs.iter().map(|input| input.parse()).collect();
    let mut sites: BTreeMap<(Option<Site>, usize), Vec<usize>> = BTreeMap::new();
    for (at, page) in pages.iter().enumerate() {
        let key = match company {
            Company::Nobody => (None, at),
            Company::Given => (Some(page.url.site()), 0),
            Company::Site(_) => (None, 0),
        };
        sites.entry(key).or_default().push(at);
    }
    let mut found: BTreeMap<usize, (Vec<Tag>, Vec<Pair>, usize)> = BTreeMap::new();
    for own in sites.values() {
        let mut all: Vec<&Page> = own.iter().map(|&at| &pages[at]).collect();
        if let Company::Site(site) = company {
            all.extend(site.others(&all));
        }
        let (tags, pairs) = match preset {
            Preset::Default => (tagging::tags(&all), tagging::pairs(&all)),
            Preset::Paper => (tagging::print::tags(&all), tagging::print::pairs(&all)),
        };
        for (&at, (tags, pairs)) in own.iter().zip(tags.into_iter().zip(pairs)) {
            found.insert(at, (tags, pairs, all.len()));
        }
    }
    let read = |(page, (tags, pairs, together))| Tagged { page, tags, pairs, together };
    pages.into_iter().zip(found.into_values()).map(read).collect()
}

/// The escape sequence of a tag.
fn tag_colour(tag: Tag) -> &'static str {
    match tag {
        Tag::Concept => "\x1b[1;35m",
        Tag::Attribute => "\x1b[1;34m",
        Tag::Value => "",
        Tag::None => "\x1b[2m",
    }
}

/// The leaves with their letters, then the pairs.
fn tags_text(read: &Tagged, is_coloured: bool) -> Styled {
    let mut text = Styled::default();
    for (leaf, &tag) in read.tags.iter().enumerate() {
        let start = if is_coloured { tag_colour(tag) } else { "" };
        let end = if start.is_empty() { "" } else { "\x1b[0m" };
        let words = format!("{}  {}", tag.letter(), read.page.leaves.text(leaf));
        text.style(start).text(&words).style(end).text("\n");
    }
    if read.tags.is_empty() {
        text.text("no text\n");
    }
    text.text(if read.pairs.is_empty() { "── no pairs\n" } else { "── pairs\n" });
    let length = |pair: &Pair| pair.label.chars().count();
    let width = read.pairs.iter().map(length).filter(|length| *length <= MAX_LABEL).max().unwrap_or(0);
    for pair in &read.pairs {
        let (label, value) = (&pair.label, &pair.value);
        if length(pair) > width {
            text.text(&format!("{label}\n{:width$}  {value}\n", ""));
        } else {
            text.text(&format!("{label:width$}  {value}\n"));
        }
    }
    text.text("\n");
    text
}

fn as_json(name: &str, read: &Tagged) -> Value {
    let leaf =
        |(leaf, tag): (usize, &Tag)| json!({ "leaf": leaf, "tag": tag, "text": read.page.leaves.text(leaf) });
    json!({
        "page": name,
        "read_together": read.together,
        "leaves": read.tags.iter().enumerate().map(leaf).collect::<Vec<_>>(),
        "pairs": read.pairs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn river(name: &str, length: &str, mouth: &str, url: &str) -> Input {
        let html = format!(
            "<h1>{name}</h1><div>Length</div><div>{length}</div><div>Mouth</div><div>{mouth}</div>\
             <footer>Imprint</footer>"
        );
        Input {
            name: format!("{name}.html"),
            url: input::parse_url(url).unwrap(),
            content_type: None,
            bytes: html.into(),
        }
    }

    fn rivers() -> Vec<Input> {
        [("Aare", "288 km", "Rhine"), ("Ticino", "248 km", "Po"), ("Reuss", "164 km", "Aare")]
            .map(|(name, length, mouth)| river(name, length, mouth, &format!("https://a.test/{name}")))
            .into()
    }

    fn shown(inputs: &[Input], company: &Company<'_>) -> Vec<String> {
        let inputs: Vec<&Input> = inputs.iter().collect();
        let read = tag_pages(&inputs, company, Preset::Default);
        read.iter().map(|read| tags_text(read, false).as_str().to_owned()).collect()
    }

    #[test]
    fn pages_of_one_site_show_together_what_is_a_name_and_what_a_value() {
        let pages = rivers();
        let expected = "C  Aare\nA  Length\nV  288 km\nA  Mouth\nV  Rhine\nN  Imprint\n── pairs\n\
                        Length  288 km\nMouth   Rhine\n\n";
        assert_eq!(shown(&pages, &Company::Given)[0], expected);
        let alone = &shown(&pages, &Company::Nobody)[0];
        assert!(alone.contains("V  Length\n") && alone.ends_with("── no pairs\n\n"), "{alone}");
        // A page of another site neither helps nor disturbs.
        let mut mixed = pages;
        mixed.insert(1, river("Elbe", "x", "y", "https://b.test/elbe"));
        let found = shown(&mixed, &Company::Given);
        assert_eq!(found[0], expected);
        assert!(
            found[1].contains("V  Length\n") && found[2].starts_with("C  Ticino\nA  Length"),
            "{found:?}"
        );
    }

    #[test]
    fn the_folder_of_a_site_helps_a_page_that_may_be_in_it() {
        let folder = tempfile::tempdir().unwrap();
        for page in rivers() {
            std::fs::write(folder.path().join(&page.name), &page.bytes).unwrap();
        }
        let site = Siblings::read(folder.path()).unwrap();
        let page = input::read_file(&folder.path().join("Aare.html"), None).unwrap();
        let read = tag_pages(&[&page], &Company::Site(&site), Preset::Default);
        assert_eq!((read.len(), read[0].together, read[0].pairs.len()), (1, 3, 2));
    }

    #[test]
    fn json_has_a_line_with_leaves_and_pairs() {
        let pages = rivers();
        let inputs: Vec<&Input> = pages.iter().collect();
        let read = tag_pages(&inputs, &Company::Given, Preset::Default);
        let line = as_json("p", &read[1]);
        assert_eq!(line["leaves"][1], json!({ "leaf": 1, "tag": "attribute", "text": "Length" }));
        assert_eq!(line["pairs"][1], json!({ "label": "Mouth", "value": "Po" }));
        assert_eq!(line["read_together"], 3);
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal_and_long_labels_take_a_line() {
        let label = "The number of bridges over it";
        let html = format!("<h1>T&#27;</h1><dl><dt>Fish<dd>trout</dl><p><b>{label}:</b> 7");
        let input = Input { bytes: html.into(), ..river("x", "", "", "https://a.test/") };
        let found = &shown(&[input], &Company::Nobody)[0];
        assert!(
            !found.contains('\x1b') && found.ends_with(&format!("Fish  trout\n{label}\n      7\n\n")),
            "{found}"
        );
        let nothing = Input { bytes: Vec::new(), ..river("x", "", "", "https://a.test/") };
        assert_eq!(shown(&[nothing], &Company::Nobody), ["no text\n── no pairs\n\n"]);
    }
}
