//! `newslode partition`: the hierarchy of pages, for people or programs.

use newslode_common::config::Config;
use newslode_common::hierarchy::{Hierarchy, svg, xml};
use newslode_partitioner::partition::hierarchy;
use newslode_partitioner::work::limits;
use newslode_partitioner::{Method, Page, Params, Scope};

use crate::args::{MethodArg, PartitionArgs, ScopeArg, TreeFormat};
use crate::exit::{Exit, hinted};
use crate::input::Input;
use crate::{input, out, params};

pub(crate) async fn run(args: PartitionArgs, config: &Config) -> anyhow::Result<Exit> {
    let params = parameters(&args)?;
    let pages = input::read(&args.pages, &config.crawler).await?;
    let several = pages.len() > 1;
    if several && args.format == TreeFormat::Svg {
        return Err(hinted(
            "one picture shows one page",
            "name the pages one by one, each with its own file",
        ));
    }
    for page in pages {
        let made = partition(&page, &params);
        match args.format {
            TreeFormat::Xml => out::line(xml::write(&made))?,
            TreeFormat::Svg => out::text(&svg::write(&made))?,
            TreeFormat::Json => out::json_line(&made)?,
            TreeFormat::Tree => {
                if several {
                    out::line(format!("== {}", page.name))?;
                }
                out::text(&tree(&made))?;
            }
        }
    }
    Ok(Exit::Done)
}

/// The named parameters with the command line's method and scope.
fn parameters(args: &PartitionArgs) -> anyhow::Result<Params> {
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
        Some(ScopeArg::Segment) => params.scope = Scope::Segment,
        Some(ScopeArg::Page) => params.scope = Scope::Page,
        None => {}
    }
    Ok(params)
}

/// One page's hierarchy.
pub(crate) fn partition(page: &Input, params: &Params) -> Hierarchy {
    hierarchy(&Page::parse(&page.url, page.content_type.as_deref(), &page.bytes, &limits()), params)
}

/// An indented outline: segments are ruled off, groups carry a bullet, headers are marked.
fn tree(hierarchy: &Hierarchy) -> String {
    use newslode_common::hierarchy::NodeKind;
    let mut text = String::new();
    let mut depth: Vec<usize> = Vec::with_capacity(hierarchy.nodes.len());
    for node in &hierarchy.nodes {
        let above = node.parent.map_or(0, |parent| depth[parent as usize]);
        let own = match node.kind {
            NodeKind::Page => 0,
            NodeKind::Segment => {
                text.push_str("────\n");
                above
            }
            _ => above,
        };
        let Some(label) = &node.label else {
            depth.push(own);
            continue;
        };
        let heads = node.kind != NodeKind::Label;
        let mark = if heads { "▾ " } else { "" };
        let link = if label.href.is_some() { " →" } else { "" };
        text.push_str(&format!("{}{mark}{}{link}\n", "  ".repeat(own), label.text));
        depth.push(own + usize::from(heads));
    }
    for cut in &hierarchy.coarse {
        text.push_str(&format!("(coarser: the limit of {cut} was met)\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_of_the_page_is_in_the_tree_once() {
        let html = "<body><h2>Sport</h2><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul>";
        let page = Input {
            name: "p".into(),
            url: input::made_up("p.html").unwrap(),
            content_type: None,
            bytes: html.into(),
        };
        let shown = tree(&partition(&page, &Params::default()));
        for label in ["Sport", "Cup →", "Tour →"] {
            assert_eq!(shown.matches(label).count(), 1, "{shown}");
        }
    }
}
