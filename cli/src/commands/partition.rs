//! `newslode partition`: the hierarchy of pages, for people or programs.

use anyhow::Context as _;
use newslode_common::config::Config;
use newslode_miner::mining::blocks::of_labels;
use newslode_page::hierarchy::{Hierarchy, NodeKind, Tag, svg, xml};
use newslode_page::partition::{Method, Scope, hierarchies, hierarchy};
use newslode_page::wisdom::{WisdomParams, find_blocks};
use newslode_page::{Page, Params};

use super::tags::{Company, tag_pages};
use crate::args::{MethodArg, PartitionArgs, ScopeArg, TreeFormat};
use crate::exit::{Exit, hinted};
use crate::input::Input;
use crate::out::{self, Styled};
use crate::site::Siblings;
use crate::{input, params, site};

pub(crate) async fn run(args: PartitionArgs, config: &Config) -> anyhow::Result<Exit> {
    let params = chosen_params(&args)?;
    let mut pages = input::read_pages(&args.pages, &config.crawler).await?;
    let several = pages.len() > 1;
    if several && args.format == TreeFormat::Svg {
        return Err(hinted(
            "one picture shows one page",
            "name the pages one by one, each with its own file",
        ));
    }
    let site = args.site.as_deref().map(Siblings::read).transpose()?;
    if let Some(site) = &site {
        site.name(&mut pages)?;
    }
    // Finished hierarchies are shown as they are; the other pages are partitioned.
    let made: Vec<Option<Hierarchy>> =
        pages.iter().map(|page| read_finished_hierarchy(page).transpose()).collect::<anyhow::Result<_>>()?;
    let fresh: Vec<&Input> =
        pages.iter().zip(&made).filter(|(_, made)| made.is_none()).map(|(page, _)| page).collect();
    let company = Company::of(site.as_ref());
    let mut tags =
        if args.tags { tag_pages(&fresh, &company, params.preset) } else { Vec::new() }.into_iter();
    let views = site.as_ref().map(|site| partition_with_site(&fresh, site, &params)).unwrap_or_default();
    let mut views = views.into_iter();
    for (page, made) in pages.iter().zip(made) {
        let made = match made {
            Some(made) if args.tags && !made.is_tagged() => return Err(untagged_error(page)),
            Some(made) => made,
            None => {
                let mut made = views.next().unwrap_or_else(|| partition_page(page, &params));
                tags.next().inspect(|own| made.tag(&own.tags));
                made
            }
        };
        match args.format {
            TreeFormat::Xml => out::data(format!("{}\n", xml::write(&made)).as_bytes())?,
            TreeFormat::Svg => out::data(svg::write(&made).as_bytes())?,
            TreeFormat::Json => out::json_line(&made)?,
            TreeFormat::Tree => {
                if several {
                    out::line(format!("== {}", page.name))?;
                }
                tree_text(&made, if out::is_coloured() { &SOME } else { &NONE }).print()?;
            }
        }
    }
    Ok(Exit::Done)
}

fn untagged_error(page: &Input) -> anyhow::Error {
    hinted(
        format!("`{}` is a finished hierarchy without tags", page.name),
        "tags are read from the HTML: name the page itself",
    )
}

/// Reads the hierarchy from a file that runs keep (`--keep hierarchies`).
fn read_finished_hierarchy(page: &Input) -> Option<anyhow::Result<Hierarchy>> {
    let text = page.finished_hierarchy()?;
    Some(xml::read(text).with_context(|| format!("`{}` cannot be read", page.name)))
}

/// Partitions pages with what their site shows of headers, and marks their informative blocks.
fn partition_with_site(inputs: &[&Input], site: &Siblings, params: &Params) -> Vec<Hierarchy> {
    let pages: Vec<Page> = inputs.iter().map(|input| input.parse()).collect();
    let pages: Vec<&Page> = pages.iter().collect();
    let mut views = hierarchies(&pages, &site.others(&pages), params);
    for (&page, view) in pages.iter().zip(&mut views) {
        let mut all = site.others(&[page]);
        all.push(page);
        let found = find_blocks(page, &site::terms_of_pages(all), &WisdomParams::default());
        view.mark(format!("{} pages", site.pages.len()), of_labels(&found));
    }
    views
}

/// The parameters of the preset or file, with the method and scope of the command line.
fn chosen_params(args: &PartitionArgs) -> anyhow::Result<Params> {
    let mut params = params::named(&args.params)?;
    match args.method {
        Some(MethodArg::Flat) => params.method = Method::Flat,
        Some(MethodArg::Entropy) => params.method = Method::Entropy,
        Some(MethodArg::Regex) => params.method = Method::Regex,
        Some(MethodArg::Dp) => params.method = Method::Dp,
        Some(MethodArg::Outline) => params.method = Method::Outline,
        None => {}
    }
    match args.scope {
        Some(ScopeArg::Segment) => params.papers.scope = Scope::Segment,
        Some(ScopeArg::Page) => params.papers.scope = Scope::Page,
        None => {}
    }
    Ok(params)
}

/// Partitions one page.
fn partition_page(page: &Input, params: &Params) -> Hierarchy {
    hierarchy(&page.parse(), params)
}

/// Escape sequences of the tree's parts; empty where there are no colours.
struct Colours {
    /// Colours of headers by depth; deeper headers start over.
    heads: [&'static str; 4],
    faint: &'static str,
    link: &'static str,
    end: &'static str,
}

const NONE: Colours = Colours { heads: [""; 4], faint: "", link: "", end: "" };
const SOME: Colours = Colours {
    heads: ["\x1b[1;34m", "\x1b[1;32m", "\x1b[1;33m", "\x1b[1;35m"],
    faint: "\x1b[2m",
    link: "\x1b[36m",
    end: "\x1b[0m",
};

/// Draws an indented outline with rules between segments. Headers are marked, and coloured by depth. If the
/// hierarchy has tags, their letters stand in front.
fn tree_text(hierarchy: &Hierarchy, colours: &Colours) -> Styled {
    let Colours { heads, faint, link, end } = colours;
    let mut text = Styled::default();
    let mut depth: Vec<usize> = Vec::with_capacity(hierarchy.nodes.len());
    let is_tagged = hierarchy.is_tagged();
    for node in &hierarchy.nodes {
        let own = node.parent.map_or(0, |parent| depth[parent as usize]);
        if node.kind == NodeKind::Segment {
            text.style(faint).text("────").style(end).text("\n");
        }
        let Some(label) = &node.label else {
            depth.push(own);
            continue;
        };
        let is_head = node.kind != NodeKind::Label;
        let (mark, colour) = if is_head { ("▾ ", heads[own % heads.len()]) } else { ("", "") };
        if is_tagged {
            let letters: String = label.own_tags().map(Tag::letter).collect();
            text.style(faint).text(&format!("{letters:4}")).style(end).text(" ");
        }
        text.text(&"  ".repeat(own)).style(colour).text(mark).text(&label.text);
        text.style(if colour.is_empty() { "" } else { end });
        if label.href.is_some() {
            text.text(" ").style(link).text("→").style(end);
        }
        text.text("\n");
        depth.push(own + usize::from(is_head));
    }
    for cut in &hierarchy.coarse {
        text.style(faint).text(&format!("(coarser: the limit of {cut} was met)")).style(end).text("\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_of_the_page_is_in_the_tree_once() {
        let html =
            "<body><h2>Sport</h2><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul><p>&#27;[2J";
        let page = Input {
            name: "p".into(),
            url: input::made_up("p.html").unwrap(),
            content_type: None,
            bytes: html.into(),
        };
        let made = partition_page(&page, &Params::default());
        let shown = tree_text(&made, &NONE);
        let shown = shown.as_str();
        assert!(shown.contains("▾ Sport\n  Cup →\n  Tour →\n"), "{shown}");
        assert!(!shown.contains('\x1b'), "no colours were asked for, and pages bring none: {shown}");
        assert!(tree_text(&made, &SOME).as_str().contains("\x1b[1;34m▾ Sport\x1b[0m\n"));
    }

    #[test]
    fn a_page_with_its_site_has_headers_that_it_does_not_have_alone() {
        let html = |note: &str| format!("<h2>Phones</h2><p>{note}</p><ul><li>12<li>13<li>14</ul>");
        let folder = tempfile::tempdir().unwrap();
        for (name, note) in [("one.html", "New numbers"), ("two.html", "Ask the porter")] {
            std::fs::write(folder.path().join(name), html(note)).unwrap();
        }
        let page = input::read_file(&folder.path().join("one.html"), None).unwrap();
        let site = Siblings::read(folder.path()).unwrap();
        let params = Params { method: Method::Regex, ..Params::default() };
        assert!(!tree_text(&partition_page(&page, &params), &NONE).as_str().contains("▾ Phones"));
        let views = partition_with_site(&[&page], &site, &params);
        assert_eq!((views.len(), views[0].site_version.as_deref()), (1, Some("2 pages")));
        let shown = tree_text(&views[0], &NONE);
        assert!(shown.as_str().contains("▾ Phones\n"), "{}", shown.as_str());
    }

    #[test]
    fn tags_stand_before_the_labels() {
        let page = Input {
            name: "p".into(),
            url: input::made_up("p.html").unwrap(),
            content_type: None,
            bytes: "<h1>Roller R5</h1><dl><dt>Weight:<dd>650 g<dt>Colour:<dd>black</dl>".into(),
        };
        let mut made = partition_page(&page, &Params::default());
        tag_pages(&[&page], &Company::Given, Params::default().preset)
            .iter()
            .for_each(|own| made.tag(&own.tags));
        let shown = tree_text(&made, &NONE);
        let shown = shown.as_str();
        let lines: Vec<(&str, &str)> = shown
            .lines()
            .filter_map(|line| Some((line.get(..5)?.trim(), line.get(5..)?.trim_start_matches(['▾', ' ']))))
            .collect();
        for wanted in [("C", "Roller R5"), ("A", "Weight:"), ("V", "650 g"), ("V", "black")] {
            assert!(lines.contains(&wanted), "{wanted:?} is missing in {shown}");
        }
    }
}
