//! A site whose single pages are read badly: nothing on a page says which of its texts are the article's fields.
//!
//! The site's name is the `h1`, the share title and the document's title of every page. Headline, byline and date stand in
//! boxes without a word for a class, the date at the end. Its editor and the date of today stand above every story, and
//! between the paragraphs of each the same appeal. Only beside the site's other pages is it plain what is the story's.

use std::path::Path;

use serde::Serialize;

/// Who acts, on what, and where: a story each.
const STORIES: [(&str, &str, &str); 20] = [
    ("Council", "bridge", "Ashford"),
    ("Museum", "clocks", "Brigham"),
    ("Harbour", "quay", "Corley"),
    ("Library", "archive", "Dunmore"),
    ("Railway", "branch line", "Elsdon"),
    ("Theatre", "curtain", "Farndale"),
    ("Brewery", "cellar", "Garston"),
    ("Observatory", "telescope", "Hexton"),
    ("Orchestra", "rehearsals", "Ilford"),
    ("Hospital", "ward", "Jarvis"),
    ("Lighthouse", "lamp", "Kelby"),
    ("Vineyard", "harvest", "Lorton"),
    ("Abbey", "tower", "Marden"),
    ("Bakery", "oven", "Norwell"),
    ("College", "laboratory", "Oakham"),
    ("Ferry", "landing", "Penrith"),
    ("Gallery", "paintings", "Quorn"),
    ("Market", "stalls", "Ripley"),
    ("Sawmill", "wheel", "Sandon"),
    ("Stadium", "stands", "Thornby"),
];
const VERBS: [&str; 6] = ["keeps", "opens", "closes", "rebuilds", "sells", "moves"];
const AUTHORS: [&str; 7] = [
    "Ada Lovelace",
    "Alan Turing",
    "Mary Somerville",
    "Emmy Noether",
    "George Boole",
    "Charles Babbage",
    "Niels Abel",
];
const APPEAL: &str = "Our reporters are on the spot for you, in this town and in all others: read more of their work in the \
                      weekend's paper, and tell us what you think of it.";

/// A page and its gold.
#[derive(Debug, Serialize)]
pub struct Story {
    id: String,
    url: String,
    site: &'static str,
    title: String,
    authors: [&'static str; 1],
    published: String,
    body: String,
    #[serde(skip)]
    html: String,
}

/// The site's stories, always the same.
#[must_use]
pub fn stories() -> Vec<Story> {
    STORIES.iter().enumerate().map(|(number, story)| self::story(number, story)).collect()
}

fn story(number: usize, (who, what, place): &(&str, &str, &str)) -> Story {
    let (verb, author) = (VERBS[number % VERBS.len()], AUTHORS[number % AUTHORS.len()]);
    let (title, day) = (format!("{who} of {place} {verb} its {what}"), 3 + number);
    let body = [
        format!(
            "The {who} of {place} {verb} its {what} after a debate of two years, the people who run it said on Tuesday, and \
             those who had asked for it were glad."
        ),
        format!(
            "What becomes of the {what} was asked in {place} for a long time, and {day} hundred people signed a letter to the \
             mayor, who had not answered it until this week."
        ),
        format!(
            "The work costs {day} million and will be done before winter, said the builders, if the weather along the coast \
             lets them begin in {place} next month."
        ),
    ];
    let [first, second, third] = &body;
    let html = format!(
        "<html lang=en><title>The Valley Herald</title><meta property=og:title content='The Valley Herald'>\
         <meta property=og:type content=article><table><tr><td class=a0><h1>The Valley Herald</h1>\
         <p class=k0>Saturday, 1 June 2024<p class=k1>By Grace Hopper</td></tr><tr><td class=a1><div class=q7>{title}</div>\
         <div class=q2>By {author}</div><div class=q9><p>{first}<p>{APPEAL}<p>{second}<p>{third}</div>\
         <div class=q4>{day} May 2024</div></td></tr></table>"
    );
    Story {
        id: number.to_string(),
        url: format!("https://herald.example/p?{number}"),
        site: "herald.example",
        title,
        authors: [author],
        published: format!("2024-05-{day:02}"),
        body: body.join("\n"),
        html,
    }
}

/// Writes the pages into the subfolder `pages` of a folder, and the right answers into `gold.jsonl`.
///
/// # Errors
/// When a file cannot be written.
pub fn write(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder.join("pages"))?;
    let mut gold = String::new();
    for story in stories() {
        std::fs::write(folder.join("pages").join(format!("{}.html", story.id)), &story.html)?;
        gold.push_str(&serde_json::to_string(&story)?);
        gold.push('\n');
    }
    std::fs::write(folder.join("gold.jsonl"), gold)?;
    Ok(())
}
