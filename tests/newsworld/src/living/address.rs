//! Where the articles of a living site are.
//!
//! An article's address ends with its headline and a number, in one of four styles. [`LivingSite::url_at`] reads the
//! number back and compares the whole path, so that a made-up headline is not found.

use super::clock::ymd;
use super::masthead::Style;
use super::site::LivingSite;
use super::words::Source;

impl LivingSite {
    /// What the texts of an article are made of.
    pub(super) fn source(&self, article: usize) -> Source<'_> {
        let section = self.articles[article].section;
        let seed = self.seed ^ (article as u64 + 1).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        Source { seed, topic: &self.addresses.topics[section] }
    }

    /// The headline under which a URL number stands. An article that moves gets a new one.
    pub(super) fn headline(&self, url: usize) -> String {
        self.source(self.article_of(url)).headline(u64::from(url >= self.articles.len()))
    }

    /// The path of a URL number.
    #[must_use]
    pub(super) fn path(&self, url: usize) -> String {
        self.path_with(url, &self.headline(url))
    }

    /// The path of a URL number whose headline is known.
    pub(super) fn path_with(&self, url: usize, headline: &str) -> String {
        let article = self.article_of(url);
        let facts = &self.articles[article];
        let section = self.addresses.topics[facts.section].slug;
        let (y, m, d) = ymd(facts.published_ms);
        let mut out = match self.addresses.style {
            Style::SectionAndDate => format!("/{section}/{y}/{m:02}/{d:02}/"),
            Style::Section => format!("/{section}/"),
            Style::Date => format!("/{y}/{m:02}/{d:02}/"),
            Style::Plain => "/story/".to_owned(),
        };
        push_slug(&mut out, headline);
        // the mark keeps both addresses apart even if the editor finds the same words again
        out.push_str(if url == article { "-" } else { "-update-" });
        out.push_str(&(self.addresses.first + article).to_string());
        out.push_str(match self.addresses.style {
            Style::SectionAndDate => "/",
            Style::Section => ".html",
            Style::Date | Style::Plain => "",
        });
        out
    }

    /// The URL number of a path, whether or not it is published.
    pub(super) fn url_at(&self, path: &str) -> Option<usize> {
        let bare = path.strip_suffix('/').or_else(|| path.strip_suffix(".html")).unwrap_or(path);
        let number: usize = bare.rsplit_once('-')?.1.parse().ok()?;
        let article = number.checked_sub(self.addresses.first)?;
        if article >= self.articles.len() {
            return None;
        }
        let mut urls = std::iter::once(article).chain(self.second_url(article));
        urls.find(|&url| self.path(url) == path)
    }

    /// `path` as the site's pages link to it.
    pub(super) fn href(&self, path: &str) -> String {
        if self.addresses.absolute { format!("http://{}{path}", self.host) } else { path.to_owned() }
    }
}

/// At most nine words of a headline, in lower case, joined by hyphens.
fn push_slug(out: &mut String, headline: &str) {
    let words = headline.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for (nth, word) in words.take(9).enumerate() {
        if nth > 0 {
            out.push('-');
        }
        out.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    }
}
