//! Data of fact pages: the people of a site's newsroom, and tables of figures. The desk lays them out.

use crate::rng::Rng;
use crate::site::SitePlan;
use crate::text::{capitalised, full_name};

/// Path of the page of tables.
pub(crate) const FIGURES: &str = "/data/figures.html";

/// Number of people in a newsroom.
const PEOPLE: usize = 4;

/// Somebody who works for a site.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    /// Full name.
    pub name: String,
    /// What they do.
    pub role: String,
    /// Values of the profile's properties, in the order of [`Words::facts`](crate::language::Words).
    pub facts: [Vec<String>; 4],
    /// Text of the profile.
    pub paragraph: String,
    /// Former posts.
    pub career: Vec<String>,
}

/// Path of the n-th profile.
#[must_use]
pub(crate) fn profile_path(n: usize) -> String {
    format!("/newsroom/person{n}.html")
}

/// The people of a site's newsroom. Their names differ.
#[must_use]
pub(crate) fn people(plan: &SitePlan) -> Vec<Person> {
    let pack = plan.language.pack();
    let mut rng = plan.rng.fork("people");
    let first = rng.sample(pack.first_names.len(), PEOPLE);
    let last = rng.sample(pack.last_names.len(), PEOPLE);
    let one = |(n, (first, last)): (usize, (usize, usize))| {
        let mut rng = plan.rng.fork(&format!("person {n}"));
        let (first, last) = (pack.first_names[first], pack.last_names[last]);
        person(plan, full_name(plan.language, (first, last)), &mut rng)
    };
    first.into_iter().zip(last).enumerate().map(one).collect()
}

fn person(plan: &SitePlan, name: String, rng: &mut Rng) -> Person {
    let (pack, words) = (plan.language.pack(), plan.language.words());
    let n_tongues = rng.between(1, 3);
    let tongues = rng.sample(words.tongues.len(), n_tongues);
    let n_posts = rng.between(2, 4);
    let posts = rng.sample(pack.bodies.len(), n_posts);
    let job = |at: usize| {
        let (role, body) = (pack.roles[at % pack.roles.len()], pack.bodies[at]);
        capitalised(&format!("{role}{}{body}", if plan.language.space().is_empty() { "" } else { ", " }))
    };
    Person {
        name,
        role: capitalised(pack.roles[rng.below(pack.roles.len())]),
        facts: [
            vec![rng.between(1952, 1999).to_string()],
            vec![(*rng.pick(pack.cities)).to_owned()],
            tongues.into_iter().map(|at| words.tongues[at].to_owned()).collect(),
            vec![format!("desk{}@{}", rng.between(1, 99), plan.domain)],
        ],
        paragraph: pack.ui.about[rng.below(pack.ui.about.len())].replace("{name}", &plan.name),
        career: posts.into_iter().map(job).collect(),
    }
}

/// A table: its cells, and how many of its rows and columns are headers.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// The caption above it.
    pub caption: &'static str,
    /// Rows of cells.
    pub rows: Vec<Vec<String>>,
    /// Header rows at the top.
    pub head_rows: usize,
    /// Header columns at the left.
    pub head_columns: usize,
}

/// Standings (header row), opening hours (header row and column), key facts of a town (header column).
#[must_use]
pub(crate) fn tables(plan: &SitePlan) -> Vec<Table> {
    let (pack, words) = (plan.language.pack(), plan.language.words());
    let mut rng = plan.rng.fork("tables");
    let [standings, teams @ ..] = words.standings;
    let [hours, places @ ..] = words.hours;
    let [town, labels @ ..] = words.town;
    let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<String>>();
    let mut standing_rows = vec![row(&teams)];
    for city in rng.sample(pack.cities.len(), 6) {
        let won = rng.between(2, 14);
        let figures = [rng.between(14, 20), won, won * 3 + rng.between(0, 5)].map(|n| n.to_string());
        standing_rows.push([vec![pack.cities[city].to_owned()], figures.to_vec()].concat());
    }
    let mut hour_rows = vec![row(&places)];
    for day in &pack.weekdays[..5] {
        let mut open = || format!("{}–{}", rng.between(8, 11), rng.between(15, 20));
        hour_rows.push(vec![capitalised(day), open(), open(), open()]);
    }
    let mayor = full_name(plan.language, (*rng.pick(pack.first_names), *rng.pick(pack.last_names)));
    let values = [
        (rng.between(8, 400) * 1_000 + rng.below(1_000)).to_string(),
        format!("{} km²", rng.between(20, 400)),
        mayor,
        rng.between(1100, 1900).to_string(),
    ];
    let town_rows =
        labels.iter().zip(values).map(|(label, value)| vec![(*label).to_owned(), value]).collect();
    vec![
        Table { caption: standings, rows: standing_rows, head_rows: 1, head_columns: 0 },
        Table { caption: hours, rows: hour_rows, head_rows: 1, head_columns: 1 },
        Table { caption: town, rows: town_rows, head_rows: 0, head_columns: 1 },
    ]
}
