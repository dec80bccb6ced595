//! A site whose pages print letters of readers under each story. No two are alike, so neither repetition nor a template tells
//! them from the story: a person must.

use newslode_newsworld::{Content, Reply, World};

/// The site.
pub(crate) const SITE: &str = "letters.test";
/// Its front page.
pub(crate) const FRONT: &str = "http://www.letters.test/";
/// Every letter has these words, and no story.
pub(crate) const MARK: &str = "your last edition";
/// Its stories.
pub(crate) const STORIES: usize = 9;

const TOPICS: [&str; STORIES] = [
    "harbour ferry",
    "grain market",
    "stone bridge",
    "night train",
    "salt mine",
    "river dam",
    "old theatre",
    "glass works",
    "hill forest",
];
const PEOPLE: [&str; STORIES] = [
    "Ada Thorn",
    "Ben Okoye",
    "Cora Lind",
    "Dan Reyes",
    "Elsa Moor",
    "Finn Brandt",
    "Gail Sato",
    "Hugo Vance",
    "Iris Kemp",
];

/// A world, and the site with letters.
pub(crate) struct Lettered(pub(crate) World);

impl Content for Lettered {
    fn respond(&self, host: &str, path: &str) -> Reply {
        if !host.ends_with(SITE) {
            return self.0.respond(host, path);
        }
        let text = |body: String| Reply::ok("text/html; charset=utf-8", body.into_bytes());
        match path.strip_prefix("/story/").and_then(|number| number.parse().ok()) {
            Some(number) if number < STORIES => text(story(number)),
            _ if path == "/" => text(front()),
            _ => Reply::not_found(),
        }
    }
}

fn headline(number: usize) -> String {
    format!("What the {} means for the valley in its {} year", TOPICS[number], 20 + number)
}

fn front() -> String {
    let items: String = (0..STORIES)
        .map(|number| {
            let topic = TOPICS[number];
            format!(
                "<div><h3><a href=/story/{number}>{}</a></h3><p>All about the {topic}.</p></div>",
                headline(number)
            )
        })
        .collect();
    format!("<html lang=en><title>The Letter Box</title><h1>The Letter Box</h1><h2>News</h2>{items}")
}

fn story(number: usize) -> String {
    let (topic, person) = (TOPICS[number], PEOPLE[number]);
    let other = PEOPLE[(number + 4) % STORIES];
    let days = 3 + number;
    let paragraphs = [
        format!(
            "The {topic} has been argued about for {days} weeks, and on Tuesday the council voted at last to keep it open until spring."
        ),
        format!(
            "{person}, who has worked there since the first day, said that nobody had asked the people of the {topic} before."
        ),
        format!(
            "The costs of the {topic} rose by {days} per cent within a year, as the figures of the treasurer show."
        ),
        format!(
            "A second vote on the {topic} follows in {days} months, and until then nothing may be sold, the mayor said."
        ),
    ];
    let letters = [
        format!(
            "I read in {MARK} about the {topic} and must say that {person} is right, as my late father always told us at table."
        ),
        format!(
            "Nobody who wrote in {MARK} has ever seen the {topic} at night, and I invite all of you to come along with {other} and me."
        ),
    ];
    let all = |kind: &str, texts: &[String]| {
        texts.iter().map(|text| format!("<p class={kind}>{text}</p>")).collect::<String>()
    };
    format!(
        "<html lang=en><title>{title} | The Letter Box</title><meta property=og:type content=article>\
         <meta name=author content='{person}'><meta property=article:published_time content=2026-11-{day:02}T08:00:00Z>\
         <div class=page><h1>{title}</h1><div class=text>{}</div><div class=post>{}</div></div>",
        all("story", &paragraphs),
        all("reader", &letters),
        title = headline(number),
        day = number + 1,
    )
}
