//! Turns a site's book into views of its pages: which links, lists and texts each page has, and what heads what.
//!
//! Every page of a site has the same menu, footer and rail; the middle depends on the page. What heads what follows a
//! reader's judgement: a section heads its headlines, a headline its summary and date, a table's caption its columns.
//! Start at [`view`].

mod facts;
mod lists;
mod story;

use crate::book::{Kind, SiteBook, url};
use crate::era::Era;
use crate::head::story_head;
use crate::language::{Pack, Words};
use crate::marks::{Ink, Mark, Role, Text};
use crate::site::SitePlan;
use crate::story::{Place, section_place};
use crate::view::{Entry, Link, Main, Panel, View};

/// Makes the view of one page: the page at the address `at`.
struct Desk<'a, 'b> {
    book: &'a SiteBook,
    at: &'b Place,
    ink: &'b Ink,
}

/// The view of the page `kind` at the address `at`, its texts written by `ink`; nothing if `kind` is not HTML.
#[must_use]
pub(crate) fn view<'a>(book: &'a SiteBook, at: &Place, kind: &Kind, ink: &Ink) -> Option<View<'a>> {
    let desk = Desk { book, at, ink };
    let plan = &book.plan;
    let frame = desk.frame();
    let (title, main) = match kind {
        Kind::Home => (plan.name.clone(), desk.front()),
        Kind::Section(section, page) => {
            (plan.sections[*section].label.clone(), desk.section(*section, *page))
        }
        Kind::Story(story) => (book.stories[*story].title.clone(), desk.story(*story)),
        Kind::About(text) => ((*text).to_owned(), desk.about(text)),
        Kind::Archive => (desk.pack().ui.archive.to_owned(), desk.archive()),
        Kind::Private => ("Private".to_owned(), desk.about("Private")),
        Kind::Profile(person) => desk.profile(*person),
        Kind::Figures => (desk.words().figures.to_owned(), desk.figures()),
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
    Some(View { title, head_html, main, ..frame })
}

impl<'a> Desk<'a, '_> {
    fn plan(&self) -> &'a SitePlan {
        &self.book.plan
    }

    fn pack(&self) -> &'static Pack {
        self.plan().language.pack()
    }

    fn words(&self) -> &'static Words {
        self.plan().language.words()
    }

    /// What every page shows, around an empty middle.
    fn frame(&self) -> View<'a> {
        let (plan, ui) = (self.plan(), &self.pack().ui);
        let logo = self.link(&plan.name, &self.home_place(), Mark { begins: true, ..list() });
        let home = matches!(plan.era, Era::Tables99 | Era::Divs08 | Era::Portal03)
            .then(|| self.main_host(ui.home, "/", Mark { begins: true, ..list() }));
        let menu = self.menu(home.is_none());
        let (utility_heading, utility) = self.utility();
        let footer = ui.footer.iter().copied().chain([("RSS", "feed.xml"), (ui.archive, "archive")]);
        let footer = footer
            .enumerate()
            .map(|(at, (text, path))| {
                let mark = Mark { begins: at == 0, ..Mark::default() };
                self.main_host(text, &format!("/{path}"), mark)
            })
            .collect();
        View {
            plan,
            title: String::new(),
            head_html: String::new(),
            logo,
            home,
            menu,
            utility_heading,
            utility,
            footer,
            copyright: self.ink.write(&ui.copyright.replace("{name}", &plan.name), Mark::unjudged()),
            ads_heading: self.ink.write(ui.advertisement, Mark { begins: true, ..Mark::unjudged() }),
            ads: self.ads(),
            panels: self.panels(),
            cookies: plan.cookies.then(|| self.pair(ui.cookies)),
            search: format!("http://{}/search", plan.host),
            main: Main::Figures { heading: Text::default(), tables: Vec::new() },
        }
    }

    /// Words and a button, both unjudged.
    fn pair(&self, (words, button): (&str, &str)) -> (Text, Text) {
        let write = |text| self.ink.write(text, Mark::unjudged());
        (write(words), write(button))
    }

    /// The menu. Sections come after their parents: texts are written first to last, so that each knows its parent's
    /// number; entries are built last to first, so that each has its children.
    fn menu(&self, begins: bool) -> Vec<Entry> {
        let plan = self.plan();
        let is_shown = |section: usize| !plan.looks.has_flat_menu || plan.sections[section].parent.is_none();
        let mut links: Vec<Option<Link>> = Vec::with_capacity(plan.sections.len());
        for (number, section) in plan.sections.iter().enumerate() {
            let above = section.parent.and_then(|parent| links[parent].as_ref()).map(|link| link.id);
            let mark = Mark { above, begins: begins && number == 0, ..list() };
            let label = if plan.looks.has_capital_menu {
                section.label.to_uppercase()
            } else {
                section.label.clone()
            };
            links.push(is_shown(number).then(|| self.link(&label, &section_place(plan, number, 1), mark)));
        }
        let mut below: Vec<Vec<Entry>> = vec![Vec::new(); plan.sections.len() + 1];
        for (section, link) in links.into_iter().enumerate().rev() {
            let mut children = std::mem::take(&mut below[section]);
            children.reverse();
            if let Some(link) = link {
                below[plan.sections[section].parent.unwrap_or(plan.sections.len())]
                    .push(Entry { link, children });
            }
        }
        let mut top = below.pop().unwrap_or_default();
        top.reverse();
        if plan.looks.has_extras_in_menu {
            let extras = self.pack().ui.utility.iter();
            let entry = |(text, path): &(&str, &str)| Entry {
                link: self.main_host(text, &format!("/{path}"), Mark::default()),
                children: Vec::new(),
            };
            top.extend(extras.map(entry));
        }
        top
    }

    /// Links to weather, crossword and the like, unless the menu has them. In blogs a heading heads them.
    fn utility(&self) -> (Text, Vec<Link>) {
        let is_blog = self.plan().era == Era::Blog;
        let heading = self.ink.write(self.pack().ui.home, Mark { begins: true, ..Mark::default() });
        if self.plan().looks.has_extras_in_menu {
            return (heading, Vec::new());
        }
        let above = is_blog.then_some(heading.id);
        let links = self.pack().ui.utility.iter().enumerate().map(|(at, (text, path))| {
            let mark = Mark { above, begins: at == 0 && !is_blog, ..Mark::default() };
            self.main_host(text, &format!("/{path}"), mark)
        });
        let links = links.collect();
        (heading, links)
    }

    fn ads(&self) -> Vec<Link> {
        let (plan, ui) = (self.plan(), &self.pack().ui);
        let ads = plan.rng.fork("ads").sample(ui.ads.len(), 3).into_iter();
        ads.map(|ad| {
            let href = format!("http://click.adserver.test/c?campaign={}&site={}", 700 + ad, plan.number);
            self.away(ui.ads[ad], href, Mark::unjudged())
        })
        .collect()
    }

    /// The most-read list and, on some sites, the latest stories.
    fn panels(&self) -> Vec<Panel> {
        let (book, plan) = (self.book, self.plan());
        let most_read = plan.rng.fork("frame").sample(book.stories.len(), 5);
        let mut lists = vec![(self.pack().ui.most_read, most_read)];
        if plan.looks.has_tabs {
            let latest = book.newest((0..book.stories.len()).collect()).into_iter().take(5).collect();
            lists.push((self.words().latest, latest));
        }
        let panel = |(at, (heading, stories)): (usize, (&str, Vec<usize>))| {
            let heading = self.ink.write(heading, Mark { begins: at == 0, ..Mark::default() });
            let items = stories.into_iter().map(|s| self.story_link(s, heading.id)).collect();
            Panel { heading, items }
        };
        lists.into_iter().enumerate().map(panel).collect()
    }

    fn story_link(&self, story: usize, above: usize) -> Link {
        let story = &self.book.stories[story];
        self.link(&story.title, &story.place, Mark { role: Role::Story, ..Mark::under(above) })
    }

    fn section_link(&self, section: usize, mark: Mark) -> Link {
        self.link(&self.plan().sections[section].label, &section_place(self.plan(), section, 1), mark)
    }

    fn home_place(&self) -> Place {
        (self.plan().host.clone(), "/".to_owned())
    }

    fn main_host(&self, text: &str, path: &str, mark: Mark) -> Link {
        self.link(text, &(self.plan().host.clone(), path.to_owned()), mark)
    }

    /// A link as the site writes it: absolute, relative to the host's root, or relative to the page's folder.
    fn link(&self, text: &str, to: &Place, mark: Mark) -> Link {
        let plan = self.plan();
        let href = if plan.absolute_links || to.0 != self.at.0 {
            url(to)
        } else if plan.era == Era::Tables99 {
            relative(&self.at.1, &to.1)
        } else {
            to.1.clone()
        };
        self.away(text, href, mark)
    }

    fn away(&self, text: &str, href: String, mark: Mark) -> Link {
        let Text { text, id } = self.ink.write(text, mark);
        Link { text, id, href }
    }
}

/// The mark of a link to a page that lists stories.
fn list() -> Mark {
    Mark { role: Role::List, ..Mark::default() }
}

/// The path `to` relative to the folder of `from`. Both paths are absolute, and a query in `from` holds no slash.
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
