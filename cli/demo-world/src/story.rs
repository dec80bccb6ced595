//! The stories of a site and the addresses of its pages.
//!
//! Stories are made before any page, so that gold and all pages that show a story agree. Titles are distinct over the
//! whole world. The form of addresses depends on the site's era (file names, query strings, slugs, dated posts).

use std::collections::BTreeSet;

use crate::dates::Moment;
use crate::era::Era;
use crate::language::Language;
use crate::rng::Rng;
use crate::site::SitePlan;
use crate::text::{Cast, full_name};

/// A host and a path with its query.
pub(crate) type Place = (String, String);

/// A story as it was written.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    /// Number among the site's stories.
    pub number: usize,
    /// Index of the site's section.
    pub section: usize,
    /// Its address.
    pub place: Place,
    /// Headline.
    pub title: String,
    /// Its authors, one or two.
    pub authors: Vec<String>,
    /// When it appeared.
    pub published: Moment,
    /// When it was last changed.
    pub updated: Option<Moment>,
    /// Where it happened.
    pub city: &'static str,
    /// The place that its text begins with, as printed.
    pub dateline: Option<String>,
    /// Its text.
    pub paragraphs: Vec<String>,
    /// A sentence for lists.
    pub teaser: String,
    /// Caption of its photograph.
    pub caption: Option<String>,
    /// Readers' names and comments.
    pub comments: Vec<(String, String)>,
}

/// How the news ends.
#[derive(Clone, Copy)]
pub(crate) struct Ending {
    /// When, in minutes since 1970.
    pub(crate) today: u64,
    /// A concept, half of whose stories are of the last day.
    pub(crate) subject_of_the_day: Option<usize>,
}

/// Writes `per_section` stories for every section of the site; `titles` holds those already taken in the world.
#[must_use]
pub(crate) fn write(
    plan: &SitePlan,
    per_section: usize,
    ending: Ending,
    titles: &mut BTreeSet<String>,
) -> Vec<Story> {
    let mut stories = Vec::with_capacity(plan.sections.len() * per_section);
    for section in 0..plan.sections.len() {
        for nth in 0..per_section {
            let rng = plan.rng.fork(&format!("story {} {nth}", plan.sections[section].concept));
            let story = write_one(plan, section, stories.len(), ending, rng, titles);
            stories.push(story);
        }
    }
    stories
}

fn write_one(
    plan: &SitePlan,
    section: usize,
    number: usize,
    Ending { today, subject_of_the_day }: Ending,
    mut rng: Rng,
    titles: &mut BTreeSet<String>,
) -> Story {
    let concept = plan.sections[section].concept;
    let (cast, title) = draw_title(plan.language, concept, &mut rng, titles);
    let mut ago = rng.between(30, 40 * 1440) as u64;
    if subject_of_the_day == Some(concept) && rng.fork("last day").chance(50) {
        ago = 30 + ago % 1_200;
    }
    let published = Moment { minutes: today - ago, offset_hours: plan.offset_hours };
    let mut paragraphs = {
        let n = rng.between(4, 10);
        cast.paragraphs(n, &mut rng)
    };
    let pack = plan.language.pack();
    let mut person = || full_name(plan.language, (*rng.pick(pack.first_names), *rng.pick(pack.last_names)));
    let (author, second, readers) = (person(), person(), [person(), person(), person()]);
    let authors = if rng.chance(20) && author != second { vec![author, second] } else { vec![author] };
    let n_comments = if plan.comments { rng.between(0, 3) } else { 0 };
    let comments = readers
        .into_iter()
        .zip(rng.sample(pack.comments.len(), n_comments))
        .map(|(name, at)| (name, pack.comments[at].to_owned()))
        .collect();
    let mut later = rng.fork("later");
    let updated = later.chance(30).then(|| Moment {
        minutes: (published.minutes + later.between(60, 2_000) as u64).min(today),
        ..published
    });
    let city = cast.city();
    // Capitals set the place off; some scripts have none.
    let capitals = city.to_uppercase();
    let dateline = (plan.looks.has_datelines && capitals != city).then_some(capitals);
    if let (Some(place), Some(first)) = (&dateline, paragraphs.first_mut()) {
        *first = format!("{place} — {first}");
    }
    Story {
        number,
        section,
        place: story_place(plan, section, number, published, &title),
        teaser: cast.sentence(&mut rng),
        caption: rng.chance(60).then(|| cast.fill(pack.ui.caption, &mut rng)),
        title,
        authors,
        published,
        updated,
        city,
        dateline,
        paragraphs,
        comments,
    }
}

/// Draws a cast and an unused headline; after 40 tries the headline gets a number.
fn draw_title(
    language: Language,
    concept: usize,
    rng: &mut Rng,
    titles: &mut BTreeSet<String>,
) -> (Cast, String) {
    for round in 1.. {
        let cast = Cast::new(language, concept, rng);
        let mut title = cast.headline(rng);
        if round > 40 {
            title = format!("{title} ({})", round - 39);
        }
        if titles.insert(title.clone()) {
            return (cast, title);
        }
    }
    unreachable!("a number makes every headline new in the end")
}

/// The address of a page of a section's list; pages count from 1.
#[must_use]
pub(crate) fn section_place(plan: &SitePlan, section: usize, page: usize) -> Place {
    let s = &plan.sections[section];
    let slugs = s.slugs.join("/");
    let path = match (plan.era, page) {
        (Era::Tables99, 1) => format!("/{slugs}/index.html"),
        (Era::Tables99, n) => format!("/{slugs}/index{n}.html"),
        (Era::Divs08, 1) => format!("/section.php?id={}", 100 + s.concept),
        (Era::Divs08, n) => format!("/section.php?id={}&page={n}", 100 + s.concept),
        (Era::Html514, 1) => format!("/{slugs}"),
        (Era::Html514, n) => format!("/{slugs}?page={n}"),
        (Era::Semantic, 1) => format!("/{slugs}/"),
        (Era::Semantic, n) => format!("/{slugs}/{n}/"),
        (Era::Blog, 1) => format!("/category/{slugs}/"),
        (Era::Blog, n) => format!("/category/{slugs}/page/{n}/"),
        (Era::Portal03, 1) => format!("/news.asp?sec={}", 20 + s.concept),
        (Era::Portal03, n) => format!("/news.asp?sec={}&p={n}", 20 + s.concept),
        (Era::Cards20, 1) => format!("/{slugs}"),
        (Era::Cards20, n) => format!("/{slugs}/p/{n}"),
        (Era::Columns10, 1) => format!("/{slugs}/default.html"),
        (Era::Columns10, n) => format!("/{slugs}/default_{n}.html"),
    };
    (s.host.clone(), path)
}

fn story_place(plan: &SitePlan, section: usize, number: usize, at: Moment, title: &str) -> Place {
    let s = &plan.sections[section];
    let (y, m, d) = at.ymd();
    let slug = slug(title);
    let dashed = if slug.is_empty() { String::new() } else { format!("{slug}-") };
    let path = match plan.era {
        Era::Tables99 => format!("/{}/{y}{m:02}{d:02}/story{number:04}.html", s.slugs.join("/")),
        Era::Divs08 => format!("/article.php?id={}", 4000 + number),
        Era::Html514 => format!("/{}/{y}/{m:02}/{d:02}/{dashed}{number}", s.slugs[0]),
        Era::Semantic => format!("/{}/{dashed}{}", s.slugs.join("/"), 100_000 + number * 7),
        Era::Blog => format!("/{y}/{m:02}/{d:02}/{dashed}{number}/"),
        Era::Portal03 => format!("/story.asp?sid={}", 70_000 + number),
        Era::Cards20 => format!("/{}/{dashed}a{}", s.slugs[0], 1_000_000 + number * 13),
        Era::Columns10 => format!("/{}/{y}-{m:02}-{d:02}/{dashed}{number}.html", s.slugs.join("/")),
    };
    (s.host.clone(), path)
}

/// Up to seven words in lower-case ASCII, joined by dashes; letters beyond ASCII end a word.
fn slug(title: &str) -> String {
    let ascii: String =
        title.chars().map(|c| if c == '’' { '\'' } else { c }).filter(|&c| c != '\'').collect();
    ascii
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(7)
        .collect::<Vec<_>>()
        .join("-")
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_ascii() {
        assert_eq!(slug("The director’s cut: 7 questions"), "the-directors-cut-7-questions");
        assert_eq!(slug("政治"), "");
    }

    #[test]
    fn titles_stay_distinct_when_headlines_run_out() {
        let mut titles = BTreeSet::new();
        let mut rng = Rng::new(2);
        for _ in 0..400 {
            draw_title(Language::Japanese, 0, &mut rng, &mut titles);
        }
        assert_eq!(titles.len(), 400);
    }
}
