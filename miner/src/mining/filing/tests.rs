//! Articles are filed by what they, their lists and their likes say.

use newslode_page::article::{Article, Block, BlockKind};
use newslode_page::reading::CanonicalUrl;

use super::hash::hash;
use super::*;
use crate::mining::members::Members;
use crate::mining::schemes::KnownLabels;
use crate::mining::site_scheme::{Place, PlaceKind};
use crate::mining::taxonomy::Taxonomy;
use crate::mining::testing::{self, concept};

fn taxonomy() -> Taxonomy {
    let concepts = [
        concept("en:news", "News", &[]),
        concept("en:sport", "Sports", &[]),
        concept("en:tenni", "Tennis", &["en:sport"]),
        concept("en:world", "World", &[]),
    ];
    Taxonomy {
        support: 2,
        sites: 2,
        concepts: concepts.into(),
        relations: Vec::new(),
        schemes: String::new(),
    }
}

fn article(url: &str, section: Option<&str>, text: &str) -> Article {
    Article {
        section: section.map(str::to_owned),
        body: vec![Block::new(BlockKind::Paragraph, text)],
        ..testing::article(url)
    }
}

#[track_caller]
fn check(filing: &Filing, article: &Article, expected: &[(&str, Witness)]) {
    check_asked(filing, ArticleEvidence::member(article, &Members::new()), expected);
}

#[track_caller]
fn check_asked(filing: &Filing, asked: ArticleEvidence<'_>, expected: &[(&str, Witness)]) {
    let (article, filed) = (asked.article, filing.file(asked));
    let found: Vec<_> = filed.iter().map(|filed| (filed.concept.as_str(), filed.witness)).collect();
    assert_eq!(found, expected, "{} {:?}", article.url, article.section);
}

#[test]
fn sections_and_addresses_name_concepts() {
    let filing = Lessons::new(&taxonomy()).learn();
    let at = |section, url: &str| article(url, section, "");
    let one = "https://a.test/x/story";
    check(&filing, &at(Some(" SPORTS "), one), &[("en:sport", Witness::Section)]);
    check(
        &filing,
        &at(Some("Sport / Tennis"), one),
        &[("en:sport", Witness::Section), ("en:tenni", Witness::Section)],
    );
    check(
        &filing,
        &at(Some("World news"), one),
        &[("en:news", Witness::Section), ("en:world", Witness::Section)],
    );
    // Of a name of which a part is unknown nothing is known.
    check(&filing, &at(Some("Table tennis"), one), &[]);
    check(&filing, &at(None, "https://a.test/sports/2024/05/story"), &[("en:sport", Witness::Address)]);
    check(&filing, &at(None, "https://tennis.a.test/story"), &[("en:tenni", Witness::Address)]);
    // The last part is the story itself.
    check(&filing, &at(None, "https://a.test/sports"), &[]);
    let of_nobody = Article { language: None, ..at(Some("Sports"), one) };
    check(&filing, &of_nobody, &[]);
}

#[test]
fn a_directory_is_learnt_from_articles_that_agree() {
    let url = |number: usize, directory: &str| format!("https://a.test/{directory}/{number}");
    let list = |directory: &str, concept: &str, count| {
        let member = |number| (url(number, directory).parse().unwrap(), [concept.to_owned()].into());
        (0..count).map(member).collect::<Vec<_>>()
    };
    let members: Members =
        [list("courts", "en:tenni", 4), list("mixed", "en:tenni", 2), list("few", "en:sport", 2)]
            .concat()
            .into_iter()
            .collect();
    let mut lessons = Lessons::new(&taxonomy());
    let mut see = |article: &Article| lessons.add(ArticleEvidence::member(article, &members));
    for (directory, count) in [("courts", 4), ("mixed", 2), ("few", 2)] {
        (0..count).for_each(|number| see(&article(&url(number, directory), Some("Matches"), "")));
    }
    (2..4).for_each(|number| see(&article(&url(number, "mixed"), Some("World"), "")));
    let filing = lessons.learn();
    check(&filing, &article(&url(9, "courts"), None, ""), &[("en:tenni", Witness::Place)]);
    let listed = article(&url(0, "courts"), None, "");
    check_asked(&filing, ArticleEvidence::member(&listed, &members), &[("en:tenni", Witness::List)]);
    for directory in ["mixed", "few"] {
        check(&filing, &article(&url(9, directory), None, ""), &[]);
    }
    // Another site's directory of the same name teaches nothing.
    check(&filing, &article("https://b.test/courts/9", None, ""), &[]);
}

/// Texts of two subjects, told apart by half of their words.
fn text(subject: usize, number: usize) -> String {
    let word = |at: usize| {
        let own = [
            ["racket", "serve", "court", "umpire", "volley"],
            ["treaty", "border", "summit", "envoy", "accord"],
        ];
        own[subject][(number + at) % 5].to_owned()
    };
    (0..6)
        .map(|at| format!("{} common{} words", word(at), (number * 7 + at) % 9))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn words_file_an_article_only_if_they_are_right_on_other_sites() {
    let learnt = |is_swapped: bool| {
        let mut lessons = Lessons::new(&taxonomy());
        for site in 0..12 {
            for number in 0..4 {
                let subject = number % 2;
                // Sites that file one thing here and another there teach nothing.
                let said = if is_swapped && site % 2 == 0 { 1 - subject } else { subject };
                let section = ["Tennis", "World"][said];
                let (url, text) = (format!("https://s{site}.test/{number}"), text(subject, number + site));
                lessons.add(ArticleEvidence::member(&article(&url, Some(section), &text), &Members::new()));
            }
        }
        lessons.learn()
    };
    let unfiled = |subject| article("https://new.test/1", None, &text(subject, 3));
    check(&learnt(false), &unfiled(0), &[("en:tenni", Witness::Words)]);
    check(&learnt(false), &unfiled(1), &[("en:world", Witness::Words)]);
    assert!(learnt(false).file(ArticleEvidence::member(&unfiled(0), &Members::new()))[0].confidence >= 0.9);
    check(&learnt(true), &unfiled(0), &[]);
    // What its site says is not overruled.
    check(
        &learnt(false),
        &article("https://new.test/1", Some("News"), &text(0, 3)),
        &[("en:news", Witness::Section)],
    );
}

#[test]
fn a_witness_that_is_left_out_is_not_used() {
    let filing = Lessons::without(&taxonomy(), Some(Witness::Section)).learn();
    check(&filing, &article("https://a.test/tennis/1", Some("World"), ""), &[("en:tenni", Witness::Address)]);
}

const TENNIS: &str = "https://s0.test/tennis";

/// A site whose pages of tennis and of the world list articles of both; of those that the page of tennis showed first,
/// this many belong elsewhere.
fn teacher(site: usize, strays: usize) -> Teacher {
    let page = |name: &str| format!("https://s{site}.test/{name}").parse::<CanonicalUrl>().unwrap();
    let pages = [(page("tennis"), "en:tenni"), (page("world"), "en:world")];
    let mut teacher = Teacher::default();
    for number in 0..12 {
        let subject = number % 2;
        let directory = ["courts", "borders"][subject];
        let url = format!("https://s{site}.test/{directory}/{number}");
        let listed = [pages[subject].1.to_owned()].into();
        teacher.members.insert(url.parse().unwrap(), listed);
        let found_on = if subject == 1 && number / 2 >= strays { &pages[1].0 } else { &pages[0].0 };
        let told = article(&url, None, &text(subject, number + site));
        let taught = TaughtArticle { article: told, found_on: Some(found_on.clone()), places: Vec::new() };
        teacher.articles.push(taught);
    }
    teacher.pages = pages.into_iter().map(|(page, key)| (page, vec![key.to_owned()])).collect();
    teacher
}

fn taught<'t>(teachers: impl Iterator<Item = &'t Teacher>) -> Filing {
    let mut lessons = Lessons::new(&taxonomy());
    teachers.for_each(|teacher| lessons.add_site(teacher));
    lessons.learn()
}

#[test]
fn filing_is_learnt_from_what_concept_pages_list() {
    let teachers: Vec<Teacher> = (0..12).map(|site| teacher(site, 0)).collect();
    let mut filing = taught(teachers.iter());
    let unread = article("https://s0.test/x/99", None, "");
    let found_on = TENNIS.parse::<CanonicalUrl>().unwrap();
    let shown = ArticleEvidence { article: &unread, listed: None, found_on: Some(&found_on), places: &[] };
    check_asked(&filing, shown, &[("en:tenni", Witness::List)]);
    check(&filing, &article("https://s0.test/courts/99", None, ""), &[("en:tenni", Witness::Place)]);
    let told = article("https://new.test/x/99", None, &text(1, 3));
    check(&filing, &told, &[("en:world", Witness::Words)]);
    // What was learnt may be forgotten for want of room.
    [Witness::List, Witness::Place, Witness::Words].into_iter().for_each(|witness| filing.forget(witness));
    check_asked(&filing, shown, &[]);
    check(&filing, &article("https://s0.test/courts/99", None, ""), &[]);
    check(&filing, &told, &[]);
}

fn place(label: &str) -> Place {
    Place {
        label: label.into(),
        address: None,
        kind: PlaceKind::Section,
        evidence: vec!["link".into()],
        probability: 0.9,
    }
}

#[track_caller]
fn check_placed(filing: &Filing, places: &[Place], expected: &[(&str, Witness)]) {
    let (told, members) = (article("https://s0.test/x/99", None, ""), Members::new());
    let asked = ArticleEvidence { places, ..ArticleEvidence::member(&told, &members) };
    check_asked(filing, asked, expected);
}

#[test]
fn an_article_is_filed_under_the_concepts_that_its_places_name() {
    use crate::mining::corrections::{Correction, Corrections, Entry};
    let filing = Lessons::new(&taxonomy()).learn();
    let told = article("https://s0.test/x/99", None, "");
    let places = [place("TENNIS"), place("Court gossip")];
    let members = Members::new();
    let asked = ArticleEvidence { places: &places, ..ArticleEvidence::member(&told, &members) };
    check_asked(&filing, asked, &[("en:tenni", Witness::Scheme)]);
    // An editor mapped the other one.
    let map = |place: &str, concept: &str| Correction::Map {
        site: newslode_page::reading::Site::of_host("s0.test"),
        place: place.into(),
        concept: concept.into(),
    };
    let mut corrections = Corrections::default();
    for correction in [map("court GOSSIP", "en:world"), map("Tennis", "en:gone")] {
        let entry = Entry { number: 0, correction, note: None, author: None, at: None };
        corrections.add(entry).unwrap();
    }
    let filing = Lessons::new(&taxonomy()).mapping(&corrections).learn();
    check_asked(&filing, asked, &[("en:tenni", Witness::Scheme), ("en:world", Witness::Scheme)]);
}

/// A paper on two sports with a team of each, whose stories are all featured: of each team so many stories in its sport, and the
/// others without.
fn paper(of_team: usize) -> (Taxonomy, Teacher) {
    let mut taxonomy = taxonomy();
    taxonomy.concepts.insert(0, concept("en:golf", "Golf", &["en:sport"]));
    let mut teacher = Teacher::default();
    for number in 0..2 * of_team {
        let (team, sport) = [("Hawks", "Tennis"), ("Owls", "Golf")][number % 2];
        let article = article(&format!("https://s0.test/x/{number}"), None, "");
        let places = [team, sport, "Featured"].map(place).into();
        teacher.articles.push(TaughtArticle { article, found_on: None, places });
        let without = self::article(&format!("https://s0.test/y/{number}"), None, "");
        let places = [team, "Featured"].map(place).into();
        teacher.articles.push(TaughtArticle { article: without, found_on: None, places });
    }
    (taxonomy, teacher)
}

#[test]
fn a_place_lies_in_the_part_of_a_whole_in_which_all_of_its_articles_are() {
    let (taxonomy, teacher) = paper(10);
    let learnt = |is_site: bool| {
        let mut lessons = Lessons::new(&taxonomy);
        let members = Members::new();
        match is_site {
            true => lessons.add_site(&teacher),
            false => teacher.articles.iter().for_each(|taught| {
                let told = ArticleEvidence::member(&taught.article, &members);
                lessons.add(ArticleEvidence { places: &taught.places, ..told });
            }),
        }
        lessons.learn()
    };
    for mut filing in [learnt(true), learnt(false)] {
        check_placed(&filing, &[place("HAWKS"), place("Featured")], &[("en:tenni", Witness::Place)]);
        check_placed(&filing, &[place("Owls")], &[("en:golf", Witness::Place)]);
        // What is as mixed as the site lies in nothing.
        check_placed(&filing, &[place("Featured")], &[]);
        // What the article itself says goes before.
        check_placed(&filing, &[place("Hawks"), place("Golf")], &[("en:golf", Witness::Scheme)]);
        let elsewhere = article("https://s1.test/x/99", None, "");
        let (places, members) = ([place("Hawks")], Members::new());
        let asked = ArticleEvidence { places: &places, ..ArticleEvidence::member(&elsewhere, &members) };
        check_asked(&filing, asked, &[]);
        filing.forget(Witness::Place);
        check_placed(&filing, &[place("Hawks")], &[]);
    }
}

#[test]
fn a_few_articles_that_agree_by_chance_put_a_place_nowhere() {
    let (taxonomy, teacher) = paper(9);
    let mut lessons = Lessons::new(&taxonomy);
    lessons.add_site(&teacher);
    check_placed(&lessons.learn(), &[place("Hawks")], &[]);
}

#[test]
fn schemes_know_other_names_of_concepts() {
    let mut taxonomy = taxonomy();
    let names = [("zz:car", "Cars"), ("zz:hors race", "Horse racing"), ("zz:senat", "Senate")];
    taxonomy.concepts.extend(names.map(|(key, label)| concept(key, label, &[])));
    taxonomy.concepts.push(concept("zz:unit state", "United States", &["en:world"]));
    let learn = |known: &KnownLabels| Lessons::new(&taxonomy).knowing(&taxonomy, known).learn();
    let filing = learn(KnownLabels::builtin());
    let mut filing: Filing =
        newslode_common::message::wire::decode(&newslode_common::message::wire::encode(&filing).unwrap())
            .unwrap();
    let by = |key| (key, Witness::Topic);
    check_placed(&filing, &[place("US")], &[by("zz:unit state")]);
    check_placed(&filing, &[place("Auto")], &[by("zz:car")]);
    check_placed(&filing, &[place("Auto news")], &[by("zz:car")]);
    // What is in one of two things is in what has both.
    check_placed(&filing, &[place("US & World")], &[by("en:world")]);
    check_placed(&filing, &[place("Auto + Tennis")], &[]);
    check_placed(&filing, &[place("US and Fjordlands")], &[]);
    // Two loose names may be two things, and a tag with a loose name may mean anything.
    check_placed(&filing, &[place("Congress")], &[]);
    let tag = |label| Place { kind: PlaceKind::Tag, ..place(label) };
    check_placed(&filing, &[tag("Auto")], &[]);
    check_placed(&filing, &[tag("USA")], &[by("zz:unit state")]);
    // A name that is a concept's own is not looked up.
    check_placed(&filing, &[place("Tennis")], &[("en:tenni", Witness::Scheme)]);
    check_placed(&learn(&KnownLabels::default()), &[place("US"), place("Auto")], &[]);
    filing.forget(Witness::Topic);
    check_placed(&filing, &[place("US")], &[]);
}

#[test]
fn an_article_has_the_codes_of_its_concepts_and_of_what_its_places_mean() {
    use crate::mining::schemes::{Builtin, SchemeSet, align_taxonomy};
    let set_of = |builtin: Builtin| SchemeSet::new(Vec::new(), vec![(builtin, builtin.scheme().unwrap())]);
    let (topics, genres) = (set_of(Builtin::Topics), set_of(Builtin::Genres));
    let mut taxonomy = taxonomy();
    align_taxonomy(&topics, &mut taxonomy);
    let filing = Lessons::new(&taxonomy).learn();
    let filing: Filing =
        newslode_common::message::wire::decode(&newslode_common::message::wire::encode(&filing).unwrap())
            .unwrap();
    let tennis =
        |witness| Filed { concept: "en:tenni".into(), label: "Tennis".into(), witness, confidence: 1.0 };
    let (filed, places) = (
        [tennis(Witness::Section)],
        [Place {
            label: "Football".into(),
            address: None,
            kind: PlaceKind::Tag,
            evidence: vec!["link".into()],
            probability: 0.9,
        }],
    );
    let own = ["urn:newslode:topics:tennis".to_owned()];
    assert_eq!(filing.codes(&filed, &[], Some("en"), Some(&topics)), own);
    let both = ["urn:newslode:topics:football".to_owned(), own[0].clone()];
    assert_eq!(filing.codes(&filed, &places, Some("en"), Some(&topics)), both);
    // Without the schemes to which the concepts were aligned, labels of places are not looked up.
    assert_eq!(filing.codes(&filed, &places, Some("en"), Some(&genres)), own);
    assert_eq!(filing.codes(&filed, &places, Some("en"), None), own);
    assert!(filing.codes(&[], &[], None, None).is_empty());
}

#[test]
fn a_concept_page_that_first_shows_other_stories_is_not_used() {
    let unread = article("https://s0.test/x/99", None, "");
    let found_on = TENNIS.parse::<CanonicalUrl>().unwrap();
    let shown = ArticleEvidence { article: &unread, listed: None, found_on: Some(&found_on), places: &[] };
    // Of twelve articles, eleven agree with their page, and then ten.
    check_asked(&taught([teacher(0, 1)].iter()), shown, &[("en:tenni", Witness::List)]);
    check_asked(&taught([teacher(0, 2)].iter()), shown, &[]);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    #[test]
    fn filing_does_not_depend_on_the_order_of_sites_and_articles(seed in 0_u64..u64::MAX) {
        let mut teachers: Vec<Teacher> = (0..12).map(|site| teacher(site, site % 3)).collect();
        // More equal words than are kept of a concept.
        let spelled = |number: usize| format!("{number:04}").bytes().map(|digit| char::from(digit + 49)).collect::<String>();
        let told = teachers.iter_mut().flat_map(|teacher| &mut teacher.articles);
        for (number, TaughtArticle { article, .. }) in told.enumerate() {
            let words: Vec<String> = (0..20).map(|at| spelled(20 * number + at)).collect();
            article.body.push(Block::new(BlockKind::Paragraph, words.join(" ")));
        }
        let bytes = |teachers: &[Teacher]| newslode_common::message::wire::encode(&taught(teachers.iter())).unwrap();
        let in_order = bytes(&teachers);
        teachers.sort_by_key(|teacher| hash(&format!("{seed} {:?}", teacher.pages.keys().next())));
        for teacher in &mut teachers {
            teacher.articles.sort_by_key(|taught| hash(&format!("{seed} {}", taught.article.url)));
        }
        proptest::prop_assert_eq!(bytes(&teachers), in_order);
    }
}

#[test]
fn a_sample_of_articles_does_not_depend_on_other_sites() {
    let all: Vec<CanonicalUrl> =
        (0..40).map(|number| format!("https://a.test/{number}").parse().unwrap()).collect();
    let some = sample(all.iter(), 10);
    assert_eq!(sample(all.iter().rev(), 10), some);
    assert_eq!(sample(some.iter().copied(), 10), some, "those that are left out change nothing");
    assert_eq!(sample(all.iter(), 99).len(), 40);
}
