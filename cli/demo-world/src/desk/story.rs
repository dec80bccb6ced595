//! Article pages.

use super::{Desk, list};
use crate::book::url;
use crate::byline::byline_and_date;
use crate::head::{picture, scope};
use crate::marks::{GoldTable, Mark, Role};
use crate::rng::Rng;
use crate::view::{Main, StoryView, esc};

impl Desk<'_, '_> {
    pub(super) fn story(&self, number: usize) -> Main {
        let (book, plan, ui) = (self.book, self.plan(), &self.pack().ui);
        let story = &book.stories[number];
        let mut rng = plan.rng.fork(&format!("article {number}"));
        let siblings: Vec<usize> =
            book.of_section(story.section).into_iter().filter(|&s| s != number).collect();
        let mut related: Vec<usize> = siblings.into_iter().take(3).collect();
        let elsewhere = rng.below(book.stories.len());
        if elsewhere != number && !related.contains(&elsewhere) {
            related.push(elsewhere);
        }
        let title = self.ink.write(&story.title, Mark { begins: true, ..Mark::default() });
        let under = || Mark::under(title.id);
        let (byline_html, date_html) = byline_and_date(plan, story, self.ink, title.id);
        let share_heading = self.ink.write(ui.share, Mark::unjudged());
        let share = ["Facebook", "Twitter", "E-mail"].map(|to| {
            self.away(to, format!("http://share.social.test/{to}?u={}", url(self.at)), Mark::unjudged())
        });
        let paragraphs_html =
            story.paragraphs.iter().map(|p| self.inline(p, story.section, title.id, &mut rng)).collect();
        let related_heading = self.ink.write(ui.related, Mark { begins: true, ..Mark::default() });
        let comments_heading = self.ink.write(ui.comments, Mark { begins: true, ..Mark::default() });
        let comments = story.comments.iter().map(|(name, text)| {
            let name = self.ink.write(name, Mark::under(comments_heading.id));
            let text = self.ink.write(text, Mark::under(name.id));
            (name, text)
        });
        Main::Story(Box::new(StoryView {
            kicker: rng
                .chance(75)
                .then(|| self.section_link(story.section, Mark { role: Role::List, ..under() })),
            byline_html,
            date_html,
            paragraphs_html,
            caption: story.caption.as_ref().map(|caption| self.ink.write(caption, under())),
            image: picture(plan, story),
            related: related.into_iter().map(|s| self.story_link(s, related_heading.id)).collect(),
            related_heading,
            share_heading,
            share: share.to_vec(),
            comments: comments.collect(),
            comments_heading,
            // Readers disagree whether a table of names and comments is data or layout.
            comments_table: self.ink.table(GoldTable::default()),
            newsletter: rng.chance(40).then(|| self.pair(ui.newsletter)),
            scope: scope(plan),
            title,
        }))
    }

    /// A paragraph as HTML, sometimes with a few words linked or emphasised. Its text is unchanged.
    fn inline(&self, paragraph: &str, section: usize, title: usize, rng: &mut Rng) -> String {
        let text = self.ink.write(paragraph, Mark { role: Role::Body, ..Mark::under(title) });
        let words: Vec<&str> = paragraph.split(' ').collect();
        if words.len() < 12 || !rng.chance(35) {
            return esc(&text.text);
        }
        let start = rng.between(2, words.len() - 6);
        // Markup splits the text, and every piece carries its number.
        let part = |range: std::ops::Range<usize>| esc(&self.ink.again(text.id, &words[range].join(" ")));
        let (before, middle, last) = (part(0..start), part(start..start + 2), part(start + 2..start + 4));
        let marked = match rng.below(4) {
            0 => format!("<b>{middle} <i>{last}</i></b>"),
            1 => format!("<em>{middle}</em> {last}"),
            _ => {
                let href = self.section_href(section);
                format!("<a href=\"{}\">{middle}</a> {last}", esc(&href))
            }
        };
        format!("{before} {marked} {}", part(start + 4..words.len()))
    }

    fn section_href(&self, section: usize) -> String {
        self.section_link(section, list()).href
    }
}
