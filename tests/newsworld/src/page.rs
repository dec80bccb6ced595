//! From a site's book to the views of its pages: which links, lists and texts stand on each.
//!
//! Every page of a site carries the same menu, footer and most-read box; the middle depends on the page. Start at
//! [`view`].

use crate::book::{Kind, SiteBook, url};
use crate::head::{byline_and_date, scope, story_head};
use crate::site::Era;
use crate::story::{Place, section_place};
use crate::view::{Entry, Link, Main, SectionBox, StoryView, Teaser, View, esc};

/// Draws the pages of one site that stand at one place.
struct Desk<'a, 'b> {
    book: &'a SiteBook,
    at: &'b Place,
}

/// The view of the HTML page `kind` that stands at `at`; nothing for what is no such page.
#[must_use]
pub(crate) fn view<'a>(book: &'a SiteBook, at: &Place, kind: &Kind) -> Option<View<'a>> {
    let desk = Desk { book, at };
    let plan = &book.plan;
    let (title, main) = match kind {
        Kind::Home => (plan.name.clone(), desk.front()),
        Kind::Section(section, page) => {
            (plan.sections[*section].label.clone(), desk.section(*section, *page))
        }
        Kind::Story(story) => (book.stories[*story].title.clone(), desk.story(*story)),
        Kind::About(text) => ((*text).to_owned(), desk.about(text)),
        Kind::Archive => (plan.language.pack().ui.archive.to_owned(), desk.archive()),
        Kind::Private => ("Private".to_owned(), desk.about("Private")),
        _ => return None,
    };
    let head_html = match kind {
        Kind::Story(story) => story_head(plan, &book.stories[*story], &url(at)),
        Kind::Home if plan.era != Era::Tables99 => format!(
            "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"RSS\" href=\"http://{}/feed.xml\">\n",
            plan.host
        ),
        _ => String::new(),
    };
    let title = if *kind == Kind::Home { title } else { format!("{title} | {}", plan.name) };
    Some(desk.frame(title, head_html, main))
}

impl<'a> Desk<'a, '_> {
    fn frame(&self, title: String, head_html: String, main: Main) -> View<'a> {
        let book = self.book;
        let plan = &book.plan;
        let ui = &plan.language.pack().ui;
        let mut rng = plan.rng.fork("frame");
        let most_read = rng.sample(book.stories.len(), 5);
        let pages = |list: &[(&str, &str)]| -> Vec<Link> {
            list.iter().map(|(text, path)| self.main_host(text, &format!("/{path}"))).collect()
        };
        let mut footer = pages(ui.footer);
        footer.push(self.main_host("RSS", "/feed.xml"));
        footer.push(self.main_host(ui.archive, "/archive"));
        let ads = rng
            .sample(ui.ads.len(), 3)
            .into_iter()
            .map(|ad| Link {
                text: ui.ads[ad].to_owned(),
                href: format!("http://click.adserver.test/c?campaign={}&site={}", 700 + ad, plan.number),
            })
            .collect();
        View {
            plan,
            title,
            head_html,
            home: self.main_host(ui.home, "/"),
            menu: self.menu(),
            utility: pages(ui.utility),
            footer,
            ads,
            most_read: most_read.into_iter().map(|s| self.story_link(s)).collect(),
            search: format!("http://{}/search", plan.host),
            main,
        }
    }

    /// The menu with all sections; built from the narrowest up, since sections stand after their parents.
    fn menu(&self) -> Vec<Entry> {
        let sections = &self.book.plan.sections;
        let mut below: Vec<Vec<Entry>> = vec![Vec::new(); sections.len() + 1];
        for section in (0..sections.len()).rev() {
            let mut children = std::mem::take(&mut below[section]);
            children.reverse();
            let entry = Entry { link: self.section_link(section), children };
            below[sections[section].parent.unwrap_or(sections.len())].push(entry);
        }
        let mut top = below.pop().unwrap_or_default();
        top.reverse();
        top
    }

    fn front(&self) -> Main {
        let book = self.book;
        let lead = book.newest((0..book.stories.len()).collect()).into_iter().take(4);
        Main::Front {
            lead: lead.map(|s| self.teaser(s)).collect(),
            boxes: book.plan.children(None).map(|s| self.section_box(s)).collect(),
        }
    }

    fn section(&self, section: usize, page: usize) -> Main {
        let book = self.book;
        let ui = &book.plan.language.pack().ui;
        let parent = |s: usize| book.plan.sections[s].parent;
        let mut crumbs: Vec<Link> =
            std::iter::successors(parent(section), |&s| parent(s)).map(|s| self.section_link(s)).collect();
        crumbs.push(self.main_host(ui.home, "/"));
        crumbs.reverse();
        let next = (page < book.list_pages(section))
            .then(|| self.link(ui.next, &section_place(&book.plan, section, page + 1)));
        Main::Section {
            heading: book.plan.sections[section].label.clone(),
            crumbs,
            list: book.list_page(section, page).into_iter().map(|s| self.teaser(s)).collect(),
            boxes: book.plan.children(Some(section)).map(|s| self.section_box(s)).collect(),
            pages: next.into_iter().collect(),
        }
    }

    fn story(&self, number: usize) -> Main {
        let book = self.book;
        let plan = &book.plan;
        let story = &book.stories[number];
        let mut rng = plan.rng.fork(&format!("article {number}"));
        let siblings: Vec<usize> =
            book.of_section(story.section).into_iter().filter(|&s| s != number).collect();
        let mut related: Vec<usize> = siblings.into_iter().take(3).collect();
        let elsewhere = rng.below(book.stories.len());
        if elsewhere != number && !related.contains(&elsewhere) {
            related.push(elsewhere);
        }
        let (byline_html, date_html) = byline_and_date(plan, story);
        let share = ["Facebook", "Twitter", "E-mail"].map(|to| Link {
            text: to.to_owned(),
            href: format!("http://share.social.test/{to}?u={}", url(self.at)),
        });
        let paragraphs_html =
            story.paragraphs.iter().map(|p| self.inline(p, story.section, &mut rng)).collect();
        Main::Story(Box::new(StoryView {
            kicker: rng.chance(75).then(|| self.section_link(story.section)),
            title: story.title.clone(),
            byline_html,
            date_html,
            paragraphs_html,
            caption: story.caption.clone(),
            image: format!("http://{}/img/{number}.jpg", plan.host),
            related: related.into_iter().map(|s| self.story_link(s)).collect(),
            share: share.to_vec(),
            comments: story.comments.clone(),
            newsletter: rng.chance(40),
            scope: scope(plan),
        }))
    }

    fn about(&self, heading: &str) -> Main {
        let plan = &self.book.plan;
        let pack = plan.language.pack();
        let mut paragraphs: Vec<String> =
            pack.ui.about.iter().map(|p| p.replace("{name}", &plan.name)).collect();
        plan.rng.fork(heading).shuffle(&mut paragraphs);
        paragraphs.truncate(2);
        Main::Plain { heading: heading.to_owned(), paragraphs, links: Vec::new() }
    }

    /// Redirects, broken links, forbidden pages and, in worlds with faults, the pages nobody likes.
    fn archive(&self) -> Main {
        let mut paths: Vec<String> =
            ["/old/front.html", "/old/story.html", "/old/chain1", "/private/members", "/search?q=news"]
                .map(str::to_owned)
                .to_vec();
        paths.extend(self.book.broken());
        if self.book.faults {
            let bad = ["/files/report.pdf", "/old/empty.html", "/old/broken.html", "/calendar/2024/1"];
            paths.extend(bad.map(str::to_owned));
        }
        let links =
            paths.iter().map(|path| self.main_host(&format!("[{}]", path.trim_start_matches('/')), path));
        let heading = self.book.plan.language.pack().ui.archive.to_owned();
        Main::Plain { heading, paragraphs: Vec::new(), links: links.collect() }
    }

    /// A paragraph with, now and then, a few of its words linked or emphasised; its text stays as it is.
    fn inline(&self, paragraph: &str, section: usize, rng: &mut crate::rng::Rng) -> String {
        let words: Vec<&str> = paragraph.split(' ').collect();
        if words.len() < 12 || !rng.chance(35) {
            return esc(paragraph);
        }
        let start = rng.between(2, words.len() - 6);
        let part = |range: std::ops::Range<usize>| esc(&words[range].join(" "));
        let (before, middle, last) = (part(0..start), part(start..start + 2), part(start + 2..start + 4));
        let marked = match rng.below(4) {
            0 => format!("<b>{middle} <i>{last}</i></b>"),
            1 => format!("<em>{middle}</em> {last}"),
            _ => {
                let link = self.section_link(section);
                format!("<a href=\"{}\">{middle}</a> {last}", esc(&link.href))
            }
        };
        format!("{before} {marked} {}", part(start + 4..words.len()))
    }

    fn section_box(&self, section: usize) -> SectionBox {
        let newest = self.book.under_section(section).into_iter().take(3);
        let heading = self.section_link(section);
        let more =
            Link { text: self.book.plan.language.pack().ui.more.to_owned(), href: heading.href.clone() };
        SectionBox { heading, items: newest.map(|s| self.story_link(s)).collect(), more }
    }

    fn teaser(&self, story: usize) -> Teaser {
        let plan = &self.book.plan;
        let s = &self.book.stories[story];
        let date = s.published.shown(plan.dates, plan.language);
        Teaser { link: self.story_link(story), text: s.teaser.clone(), date }
    }

    fn story_link(&self, story: usize) -> Link {
        let story = &self.book.stories[story];
        self.link(&story.title, &story.place)
    }

    fn section_link(&self, section: usize) -> Link {
        self.link(&self.book.plan.sections[section].label, &section_place(&self.book.plan, section, 1))
    }

    fn main_host(&self, text: &str, path: &str) -> Link {
        self.link(text, &(self.book.plan.host.clone(), path.to_owned()))
    }

    /// A link as the site writes it: absolute, from the host's root, or from the page's own folder.
    fn link(&self, text: &str, to: &Place) -> Link {
        let plan = &self.book.plan;
        let href = if plan.absolute_links || to.0 != self.at.0 {
            url(to)
        } else if plan.era == Era::Tables99 {
            relative(&self.at.1, &to.1)
        } else {
            to.1.clone()
        };
        Link { text: text.to_owned(), href }
    }
}

/// `to` as seen from the folder of `from`; both are absolute paths without a query in `from`'s folder part.
fn relative(from: &str, to: &str) -> String {
    let folder: Vec<&str> = from.split('/').collect();
    let folder = &folder[1..folder.len() - 1];
    let target: Vec<&str> = to.split('/').skip(1).collect();
    let same = folder.iter().zip(&target[..target.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(folder.len() - same);
    let down = target[same..].join("/");
    if up.is_empty() && down.is_empty() { "./".to_owned() } else { up + &down }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_go_up_and_down() {
        assert_eq!(relative("/a/b/c.html", "/a/d/e.html"), "../d/e.html");
        assert_eq!(relative("/a/b/c.html", "/a/b/x.html"), "x.html");
        assert_eq!(relative("/index.html", "/a/b.html"), "a/b.html");
        assert_eq!(relative("/a/b.html", "/"), "../");
        assert_eq!(relative("/", "/"), "./");
    }
}
