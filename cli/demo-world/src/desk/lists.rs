//! Front page, section pages, pages about the site, and its archive page.

use super::{Desk, list};
use crate::byline;
use crate::marks::{Mark, Role};
use crate::story::section_place;
use crate::view::{Link, Main, SectionBox, Teaser};

impl Desk<'_, '_> {
    pub(super) fn front(&self) -> Main {
        let book = self.book;
        let lead = book.newest((0..book.stories.len()).collect()).into_iter().take(4);
        let heading = self.ink.write(self.pack().ui.top_stories, Mark { begins: true, ..Mark::default() });
        let lead = lead.map(|s| self.teaser(s, heading.id)).collect();
        let boxes = self.plan().children(None).map(|s| self.section_box(s, None)).collect();
        Main::Front { heading, lead, boxes }
    }

    pub(super) fn section(&self, section: usize, page: usize) -> Main {
        let (book, plan, ui) = (self.book, self.plan(), &self.pack().ui);
        let parent = |s: usize| plan.sections[s].parent;
        let mut path: Vec<usize> = std::iter::successors(parent(section), |&s| parent(s)).collect();
        path.reverse();
        let mut crumbs = vec![self.main_host(ui.home, "/", Mark { begins: true, ..list() })];
        crumbs.extend(path.into_iter().map(|s| self.section_link(s, list())));
        let heading = self.ink.write(&plan.sections[section].label, Mark::default());
        let list = book.list_page(section, page).into_iter().map(|s| self.teaser(s, heading.id)).collect();
        let boxes = plan.children(Some(section)).map(|s| self.section_box(s, Some(heading.id))).collect();
        let next = (page < book.list_pages(section)).then(|| {
            let mark = Mark { role: Role::List, ..Mark::under(heading.id) };
            self.link(ui.next, &section_place(plan, section, page + 1), mark)
        });
        Main::Section { crumbs, list, boxes, pages: next.into_iter().collect(), heading }
    }

    /// A page about the site. The first one links to the newsroom and to the tables.
    pub(super) fn about(&self, title: &str) -> Main {
        let plan = self.plan();
        let mut paragraphs: Vec<String> =
            self.pack().ui.about.iter().map(|p| p.replace("{name}", &plan.name)).collect();
        plan.rng.fork(title).shuffle(&mut paragraphs);
        paragraphs.truncate(2);
        let heading = self.ink.write(title, Mark { begins: true, ..Mark::default() });
        let paragraphs =
            paragraphs.iter().map(|text| self.ink.write(text, Mark::under(heading.id))).collect();
        let is_first = self.pack().ui.footer.first().is_some_and(|(text, _)| *text == title);
        let links = if is_first { self.newsroom(heading.id) } else { Vec::new() };
        Main::Plain { heading, paragraphs, links }
    }

    fn newsroom(&self, above: usize) -> Vec<Link> {
        let people = self.book.people.iter().enumerate();
        let link = |(n, person): (usize, &crate::facts::Person)| {
            self.main_host(&person.name, &crate::facts::profile_path(n), Mark::under(above))
        };
        let mut links: Vec<Link> = people.map(link).collect();
        links.push(self.main_host(self.words().figures, crate::facts::FIGURES, Mark::under(above)));
        links
    }

    /// Links to redirects, broken addresses, forbidden pages and, in worlds with faults, faulty pages.
    pub(super) fn archive(&self) -> Main {
        let mut paths: Vec<String> =
            ["/old/front.html", "/old/story.html", "/old/chain1", "/private/members", "/search?q=news"]
                .map(str::to_owned)
                .to_vec();
        paths.extend(self.book.broken());
        if self.book.faults {
            let bad = ["/files/report.pdf", "/old/empty.html", "/old/broken.html", "/calendar/2024/1"];
            paths.extend(bad.map(str::to_owned));
        }
        let heading = self.ink.write(self.pack().ui.archive, Mark { begins: true, ..Mark::default() });
        let links = paths.iter().map(|path| {
            self.main_host(&format!("[{}]", path.trim_start_matches('/')), path, Mark::under(heading.id))
        });
        let links = links.collect();
        Main::Plain { paragraphs: Vec::new(), links, heading }
    }

    fn section_box(&self, section: usize, above: Option<usize>) -> SectionBox {
        let columns = self.plan().looks.columns;
        let newest = self.book.under_section(section).into_iter().take(if columns > 1 { 6 } else { 3 });
        let heading = self.section_link(section, Mark { above, begins: true, ..list() });
        let items = newest.map(|s| self.story_link(s, heading.id)).collect();
        let mark = Mark { role: Role::List, ..Mark::under(heading.id) };
        let more = self.away(self.pack().ui.more, heading.href.clone(), mark);
        SectionBox { heading, items, more }
    }

    fn teaser(&self, story: usize, above: usize) -> Teaser {
        let (plan, looks) = (self.plan(), self.plan().looks);
        let s = &self.book.stories[story];
        let link = self.story_link(story, above);
        let write = |text: &str| self.ink.write(text, Mark::under(link.id));
        let mut rng = plan.rng.fork(&format!("kicker {story}"));
        let kicker = looks.has_kickers.then(|| {
            let section = &plan.sections[s.section].label;
            if rng.chance(50) { write(section) } else { write(self.words().kickers[rng.below(3)]) }
        });
        Teaser {
            kicker,
            text: write(&s.teaser),
            date: write(&s.published.shown(plan.dates, plan.language)),
            byline: looks.has_teaser_bylines.then(|| write(&byline::plain(plan, s))),
            link,
        }
    }
}
