//! `newslode extract`: articles of pages, one JSON object a line.

use newslode_common::article::{Article, BlockKind};
use newslode_common::config::Config;
use newslode_common::time::Timestamp;
use newslode_partitioner::Page;
use newslode_partitioner::extract::article;
use newslode_partitioner::work::limits;

use crate::args::{ArticleFormat, ExtractArgs};
use crate::exit::Exit;
use crate::input::Input;
use crate::{input, out};

#[allow(clippy::print_stderr, reason = "pages that fail are named beside the output")]
pub(crate) async fn run(args: ExtractArgs, config: &Config) -> anyhow::Result<Exit> {
    let mut pages = input::read(&args.pages, &config.crawler).await?;
    if let Some(manifest) = &args.manifest {
        input::name(&mut pages, manifest)?;
    }
    let (mut found, all) = (0, pages.len());
    for page in pages {
        let Some(article) = extract(&page, Timestamp::now()) else { continue };
        found += 1;
        match args.format {
            ArticleFormat::Json => out::json_line(&article)?,
            ArticleFormat::Text => out::line(format!("{}\n\n{}\n", heading(&article), article.text()))?,
            ArticleFormat::Markdown => out::line(markdown(&article))?,
        }
    }
    eprintln!("{found} articles on {all} pages");
    Ok(Exit::Done)
}

/// One page's article, if it is one.
pub(crate) fn extract(page: &Input, now: Timestamp) -> Option<Article> {
    let page = Page::parse(&page.url, page.content_type.as_deref(), &page.bytes, &limits());
    article(&page, now).1
}

fn heading(article: &Article) -> String {
    let byline = [article.authors.join(", "), article.published.clone().unwrap_or_default()];
    let byline: Vec<_> = byline.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}\n{}", article.title.as_deref().unwrap_or("(no title)"), byline.join(" · "))
}

fn markdown(article: &Article) -> String {
    let mut text = format!("# {}\n\n", heading(article).replacen('\n', "\n\n", 1));
    for block in &article.body {
        let mark = match block.kind {
            BlockKind::Paragraph => "",
            BlockKind::Heading => "## ",
            BlockKind::ListItem => "- ",
            BlockKind::Quote => "> ",
        };
        text.push_str(&format!("{mark}{}\n\n", block.text));
    }
    text
}
