//! The tree, its order and its evidence.

#![allow(clippy::unwrap_used, reason = "compiled for tests alone, which say what broke by panicking")]

use newslode_page::contribution::Role;
use newslode_page::reading::Site;

use super::*;
use crate::mining::summary::{LabelSummary, ListSummary, Tables};
use crate::mining::taxonomy::tree_text;

fn label(form: &str, pages: u64) -> LabelSummary {
    let roles = [Role::Any, Role::Link, Role::Inside, Role::Spelled];
    LabelSummary {
        roles: roles.into_iter().map(|role| (role, pages)).collect(),
        forms: [(form.to_owned(), pages)].into(),
        targets: [(format!("https://a.test/{}", form.to_lowercase()).parse().unwrap(), pages)].into(),
    }
}

fn sites() -> Vec<Arc<SiteSummary>> {
    let site = |at: u64| SiteSummary {
        site: Site::of_host(&format!("site{at}.test")),
        pages: 2,
        labels: [
            ("en:sport".to_owned(), label(if at == 0 { "Sport" } else { "Sports" }, at + 1)),
            ("en:tenni".to_owned(), label("Tennis", 1)),
            ("de:sport".to_owned(), label("Sport", 1)),
        ]
        .into(),
        pairs: [(("en:sport".to_owned(), "en:tenni".to_owned()), 1)].into(),
        lists: vec![ListSummary { pages: 1, labels: vec!["en:sport".into(), "en:tenni".into()] }],
        filing: BTreeMap::new(),
        nested: [("en:sport".to_owned(), "en:tenni".to_owned())].into(),
        directories: Default::default(),
        numbered: Default::default(),
    };
    (0..3).map(|at| Arc::new(site(at))).collect()
}

#[test]
fn concepts_take_their_most_frequent_form_and_have_one_language() {
    let taxonomy = fold(&sites(), &FoldParams::default());
    let labels: Vec<_> = taxonomy.concepts.iter().map(|c| (c.language.as_str(), c.label.as_str())).collect();
    assert_eq!(labels, [("de", "Sport"), ("en", "Sports"), ("en", "Tennis")]);
    assert_eq!(taxonomy.concept("en:sport").unwrap().forms.len(), 2);
    assert_eq!(taxonomy.relations.len(), 1);
    assert_eq!(taxonomy.relations[0].sites.len(), 3);
    assert_eq!(tree_text(&taxonomy), "Sport (3 sites, de)\nSports (3 sites)\n  Tennis (3 sites)\n");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let bytes =
        || serde_json::to_vec(&fold(&sites(), &FoldParams { support: 2, ..FoldParams::default() })).unwrap();
    assert_eq!(bytes(), bytes());
    assert_eq!(serde_json::from_slice::<Taxonomy>(&bytes()).unwrap(), fold(&sites(), &FoldParams::default()));
}

#[test]
fn a_concept_is_explained_by_any_form_in_any_case() {
    let sites = sites();
    let taxonomy = fold(&sites, &FoldParams::default());
    let why = explain(&taxonomy, &sites, &Schemes::new(), KnownLabels::builtin(), "sports");
    for part in ["`en:sport` is a concept", "written `Sports`", "over `en:tenni` at level 1", "on site2.test"]
    {
        assert!(why.contains(part), "{part} is missing in:\n{why}");
    }
    assert!(
        explain(&taxonomy, &sites, &Schemes::new(), KnownLabels::builtin(), "opera")
            .contains("is on none of the 3 sites")
    );
}

/// The relations of two sites whose labels lead to these paths; the outlines of both show the pair.
fn relations(menu: bool, sport: &str, tennis: &str) -> Vec<(String, String)> {
    let made = sites().into_iter().take(2).map(|site| {
        let mut site = (*site).clone();
        let pages = [("en:sport", sport), ("en:tenni", tennis)];
        for (key, path) in pages {
            site.labels.get_mut(key).unwrap().targets =
                [(format!("https://{}{path}", site.site).parse().unwrap(), 2)].into();
        }
        site.labels.remove("de:sport");
        site.lists.clear();
        if !menu {
            site.nested.clear();
        }
        Arc::new(site)
    });
    let relations =
        fold(&made.collect::<Vec<_>>(), &FoldParams { support: 2, ..FoldParams::default() }).relations;
    relations.into_iter().map(|relation| (relation.broader, relation.narrower)).collect()
}

#[test]
fn menus_and_paths_make_pairs_and_outlines_alone_do_not() {
    let pair = vec![("en:sport".to_owned(), "en:tenni".to_owned())];
    assert_eq!(relations(true, "/a", "/b"), pair);
    assert_eq!(relations(false, "/sport", "/sport/tennis"), pair);
    assert_eq!(relations(false, "/sport/", "/sport/ball/tennis"), pair);
    assert_eq!(relations(false, "/sport", "/sportnews/tennis"), []);
    assert_eq!(relations(false, "/sport", "/tennis"), []);
    assert_eq!(relations(false, "/", "/tennis"), []);
    assert_eq!(relations(false, "/s?id=1", "/s/tennis"), []);
}

#[test]
fn labels_of_one_page_become_one_concept_with_the_sites_of_both() {
    let made: Vec<_> = sites()
        .into_iter()
        .map(|site| {
            let mut site = (*site).clone();
            let mut other = site.labels["en:tenni"].clone();
            other.forms = [("Lawn Tennis".to_owned(), 1)].into();
            site.labels.insert("en:lawn tenni".into(), other);
            Arc::new(site)
        })
        .collect();
    let taxonomy = fold(&made, &FoldParams::default());
    let tennis = taxonomy.concept("en:lawn tenni").unwrap();
    assert_eq!(tennis.keys, ["en:lawn tenni", "en:tenni"]);
    let forms: Vec<_> = tennis.forms.iter().map(|form| form.text.as_str()).collect();
    assert_eq!((tennis.label.as_str(), forms), ("Lawn Tennis", vec!["Lawn Tennis", "Tennis"]));
    assert!(taxonomy.concept("en:tenni").is_none());
    assert_eq!(taxonomy.relations[0].narrower, "en:lawn tenni");
}

#[test]
fn the_papers_method_relates_concepts_by_outlines_alone() {
    let made: Vec<_> = sites()
        .into_iter()
        .map(|site| {
            let mut site = (*site).clone();
            site.nested.clear();
            Arc::new(site)
        })
        .collect();
    let relations = |params: FoldParams| fold(&made, &params).relations.len();
    assert_eq!(relations(FoldParams { support: 3, rules: Rules::Paper }), 1);
    // Outlines alone need one site more than the support.
    assert_eq!(relations(FoldParams { support: 3, ..FoldParams::default() }), 0);
    assert_eq!(relations(FoldParams { support: 2, ..FoldParams::default() }), 1);
}

/// The relations of three sites with sports; only the first has tennis, on this path, read or not.
fn expanded(path: &str, filing: Option<u64>, in_directory: bool, level: Role) -> Vec<(String, String)> {
    let made = expanding(path, filing, in_directory, level);
    let relations = fold(&made, &FoldParams::default()).relations;
    relations.into_iter().map(|relation| (relation.broader, relation.narrower)).collect()
}

fn expanding(path: &str, filing: Option<u64>, in_directory: bool, level: Role) -> Vec<Arc<SiteSummary>> {
    sites()
        .into_iter()
        .enumerate()
        .map(|(at, site)| {
            let mut site = (*site).clone();
            let mut tennis = site.labels.remove("en:tenni").unwrap();
            site.nested.clear();
            site.pairs.clear();
            if at == 0 {
                let url: newslode_page::reading::CanonicalUrl =
                    format!("https://a.test{path}").parse().unwrap();
                let id = crate::mining::summary::page_name(&url);
                site.filing = filing.map(|stories| (id, stories)).into_iter().collect();
                tennis.targets = [(url, 1)].into();
                tennis.roles.insert(level, 1);
                site.labels.insert("en:tenni".into(), tennis);
                site.nested.insert(("en:sport".into(), "en:tenni".into()));
                site.directories.extend(in_directory.then(|| "en:tenni".to_owned()));
                let sport = site.labels.get_mut("en:sport").unwrap();
                sport.targets = [("https://a.test/sport".parse().unwrap(), 1)].into();
            }
            Arc::new(site)
        })
        .collect()
}

#[test]
fn an_added_concept_is_explained_by_the_pages_that_it_came_from() {
    let sites = expanding("/sport/tennis", Some(3), false, Role::Any);
    let taxonomy = fold(&sites, &FoldParams::default());
    let came = "expanded on site0.test: https://a.test/sport/tennis lies below https://a.test/sport";
    let why = explain(&taxonomy, &sites, &Schemes::new(), KnownLabels::builtin(), "tennis");
    assert!(why.contains("`en:tenni` is a concept by expansion") && why.contains(came), "{why}");
    let why = explain(&taxonomy, &sites, &Schemes::new(), KnownLabels::builtin(), "sports");
    assert!(why.contains("`en:sport` is a concept") && why.contains(came), "{why}");
}

#[test]
fn one_site_adds_a_concept_if_all_evidence_agrees() {
    let pair = vec![("en:sport".to_owned(), "en:tenni".to_owned())];
    let check = |path, filing, in_directory, wanted: &[_]| {
        assert_eq!(
            expanded(path, filing, in_directory, Role::Any),
            wanted,
            "{path} {filing:?} {in_directory}"
        );
    };
    check("/sport/tennis", Some(3), false, &pair);
    check("/sport/tennis", Some(2), true, &[]);
    check("/sport/tennis", None, true, &pair);
    check("/sport/tennis", None, false, &[]);
    check("/tennis", Some(3), true, &[]);
    assert_eq!(expanded("/sport/tennis", Some(3), true, Role::InText), []);
}

#[test]
fn a_page_is_requested_if_only_it_can_decide_a_concept() {
    let asked = |path, filing, in_directory| {
        let sites = expanding(path, filing, in_directory, Role::Any);
        Folder::default()
            .fold_asking(&sites, &Schemes::new(), KnownLabels::builtin(), &FoldParams::default())
            .asked
    };
    let tennis = "https://a.test/sport/tennis".parse().unwrap();
    assert_eq!(asked("/sport/tennis", None, false), [(tennis, 1)]);
    // The page was read; the site is believed without it; the page does not lie below the concept's.
    assert_eq!(asked("/sport/tennis", Some(2), false), []);
    assert_eq!(asked("/sport/tennis", None, true), []);
    assert_eq!(asked("/tennis", None, false), []);
}

/// After any changes, a folder that remembers gives the same result as a new one.
#[test]
fn folding_with_memory_equals_folding_from_scratch() {
    use proptest::prelude::*;
    // A site: labels with their targets, in lists of two; the first label of each list is broader.
    let site = prop::collection::vec((0..7u8, 0..7u8, 0..3u8), 0..6);
    let history = prop::collection::vec(prop::collection::vec((0..5usize, site), 1..4), 1..6);
    proptest!(ProptestConfig::with_cases(64), |(history in history)| {
        let mut sites: BTreeMap<usize, Arc<SiteSummary>> = BTreeMap::new();
        let (mut folder, params) = (Folder::default(), FoldParams { support: 2, ..FoldParams::default() });
        for changes in history {
            for (at, labels) in changes {
                // A site without labels is removed.
                sites.remove(&at);
                if !labels.is_empty() {
                    sites.insert(at, Arc::new(made(at, &labels)));
                }
            }
            let summaries: Vec<_> = sites.values().cloned().collect();
            let again = serde_json::to_vec(&folder.fold(&summaries, &params)).unwrap();
            prop_assert_eq!(again, serde_json::to_vec(&fold(&summaries, &params)).unwrap());
        }
    });
}

fn made(at: usize, labels: &[(u8, u8, u8)]) -> SiteSummary {
    let mut site = SiteSummary::of(Site::of_host(&format!("made{at}.test")), &Tables::default());
    site.pages = 1;
    for (broader, narrower, kind) in labels {
        let keys = [broader, narrower].map(|name| format!("en:{}", char::from(b'a' + name)));
        for (key, path) in keys.iter().zip(["", "/below"]) {
            let roles = [Role::Any, Role::Link, Role::Inside, Role::Spelled];
            let target = format!("https://made{at}.test/{}{path}", key.trim_start_matches("en:"));
            site.labels.insert(
                key.clone(),
                LabelSummary {
                    roles: roles.into_iter().map(|role| (role, 1 + u64::from(*kind))).collect(),
                    forms: [(key.to_uppercase(), 1)].into(),
                    targets: [(target.parse().unwrap(), 1)].into(),
                },
            );
        }
        match kind {
            0 => drop(site.nested.insert((keys[0].clone(), keys[1].clone()))),
            1 => drop(site.pairs.insert((keys[0].clone(), keys[1].clone()), 1)),
            _ => site.lists.push(ListSummary { pages: 1, labels: keys.to_vec() }),
        }
    }
    site
}

/// Sites of which only front pages are known, with these labels in one menu list each.
fn with_menus(count: usize, labels: &[(&str, &str)]) -> Vec<Arc<SiteSummary>> {
    let site = |at: usize| {
        let mut site = SiteSummary::of(Site::of_host(&format!("site{at}.test")), &Tables::default());
        site.pages = 2;
        site.labels = labels.iter().map(|(key, form)| ((*key).to_owned(), label(form, 1))).collect();
        Arc::new(site)
    };
    (0..count).map(site).collect()
}

/// The taxonomy of these sites with what their schemes say, by the number of the site.
fn fold_with(sites: &[Arc<SiteSummary>], schemes: &[(usize, SchemeSummary)]) -> Taxonomy {
    let schemes = schemes.iter().map(|(at, scheme)| (sites[*at].site.clone(), Arc::new(scheme.clone())));
    Folder::default()
        .fold_asking(sites, &schemes.collect(), KnownLabels::builtin(), &FoldParams::default())
        .taxonomy
}

fn labels_of(taxonomy: &Taxonomy) -> Vec<&str> {
    taxonomy.concepts.iter().map(|concept| concept.label.as_str()).collect()
}

#[test]
fn a_label_under_which_two_sites_file_articles_of_the_same_words_is_a_concept() {
    let sites = with_menus(3, &[]);
    let scheme =
        |words: &[&str]| SchemeSummary::made(&[("en:zither", "Zither", 3, words), ("en:x", "X", 3, &["x"])]);
    let shared = [(0, scheme(&["string", "wood"])), (1, scheme(&["string", "wood"]))];
    let taxonomy = fold_with(&sites, &shared);
    assert_eq!(labels_of(&taxonomy), ["X", "Zither"]);
    assert_eq!(taxonomy.concepts[1].sites, [sites[0].site.clone(), sites[1].site.clone()]);
    assert_eq!((taxonomy.concepts[1].forms[0].sites, taxonomy.concepts[1].forms[0].pages), (2, 6));
    // The articles of the second site are about something else.
    let other = [(0, scheme(&["string", "wood"])), (1, scheme(&["clause", "court"]))];
    assert_eq!(labels_of(&fold_with(&sites, &other)), ["X"]);
}

#[test]
fn sites_that_copy_each_other_share_no_concept_by_themselves() {
    let sites = with_menus(3, &[]);
    let scheme = |from: u32| {
        let words: &[&str] = &["string", "wood"];
        let summary =
            SchemeSummary::made(&[("en:zither", "Zither", 9, words), ("en:quill", "Quill", 9, &["x"])]);
        summary.with_headlines((from..from + 40).map(|number| number.wrapping_mul(2_654_435_761)))
    };
    let copies = [(0, scheme(0)), (1, scheme(10))];
    assert_eq!(labels_of(&fold_with(&sites, &copies)), [""; 0]);
    // Stories of one agency are no copies, and a third site is a witness of its own.
    assert_eq!(labels_of(&fold_with(&sites, &[(0, scheme(0)), (1, scheme(30))])), ["Quill", "Zither"]);
    let [one, other] = copies;
    let of_copies: Schemes = [&one, &other]
        .into_iter()
        .map(|(at, scheme)| (sites[*at].site.clone(), Arc::new(scheme.clone())))
        .collect();
    let why = explain(&Taxonomy::default(), &sites, &of_copies, KnownLabels::builtin(), "zither");
    assert!(why.contains("have the same stories and count as one site: site0.test, site1.test"), "{why}");
    let taxonomy = fold_with(&sites, &[one, other, (2, scheme(100))]);
    assert_eq!((labels_of(&taxonomy), taxonomy.concepts[0].sites.len()), (vec!["Quill", "Zither"], 3));
}

#[test]
fn menus_of_sites_that_copy_each_other_make_no_concepts() {
    let sites = with_menus(2, &[("en:zither", "Zither"), ("en:fiddl", "Fiddle")]);
    let scheme = |from: u32| {
        let labels: &[(&str, &str, u32, &[&str])] = &[("en:zither", "Zither", 9, &["string"])];
        let marks = (from..from + 40).map(|number| number.wrapping_mul(2_654_435_761));
        SchemeSummary::made(labels).with_headlines(marks)
    };
    let apart = labels_of(&fold_with(&sites, &[(0, scheme(0)), (1, scheme(900))])).len();
    let copies = labels_of(&fold_with(&sites, &[(0, scheme(0)), (1, scheme(0))])).len();
    assert!(apart > 0 && copies == 0, "{apart} concepts of two sites, {copies} of copies");
}

#[test]
fn two_articles_on_two_sites_make_no_concept() {
    let sites = with_menus(2, &[]);
    let scheme = SchemeSummary::made(&[("en:zither", "Zither", 1, &["string"]), ("en:x", "X", 9, &["x"])]);
    assert_eq!(labels_of(&fold_with(&sites, &[(0, scheme.clone()), (1, scheme)])), ["X"]);
}

#[test]
fn a_list_that_knows_a_label_speaks_for_it_like_one_more_site() {
    let sites = with_menus(3, &[]);
    let scheme = SchemeSummary::made(&[
        ("en:cricket", "Cricket", 3, &["bat"]),
        ("en:zither", "Zither", 3, &["string"]),
        ("en:uncategor", "Uncategorized", 90, &["string"]),
    ]);
    assert_eq!(labels_of(&fold_with(&sites, &[(1, scheme)])), ["Cricket"]);
}

#[test]
fn a_name_that_is_put_together_is_a_concept_if_a_list_knows_a_part_and_not_all_are_concepts() {
    let sites = with_menus(3, &[]);
    let scheme = SchemeSummary::made(&[
        ("en:cricket zither", "Cricket and zithers", 3, &["bat"]),
        ("en:cricket video", "Cricket & Video", 3, &["bat"]),
        ("en:fiddl zither", "Zithers & fiddles", 3, &["string"]),
        ("en:golf", "Golf", 3, &["hole"]),
        ("en:golf tenni", "Golf & Tennis", 3, &["hole"]),
        ("en:tenni", "Tennis", 3, &["net"]),
    ]);
    assert_eq!(labels_of(&fold_with(&sites, &[(1, scheme)])), ["Cricket and zithers", "Golf", "Tennis"]);
}

#[test]
fn a_menu_label_is_no_concept_if_its_sites_file_articles_under_others() {
    let menu = [("en:gadfli", "Gadfly"), ("en:sport", "Sport"), ("en:zither", "Zither")];
    let sites = with_menus(3, &menu);
    assert_eq!(labels_of(&fold_with(&sites, &[])), ["Gadfly", "Sport", "Zither"]);
    let scheme = SchemeSummary::made(&[("en:zither", "Zither", 40, &["string"])]);
    // Sport is known to a list, and one site that files no article under it is no proof of the contrary.
    let all: Vec<(usize, SchemeSummary)> = (0..3).map(|at| (at, scheme.clone())).collect();
    assert_eq!(labels_of(&fold_with(&sites, &all)), ["Sport", "Zither"]);
    // Two sites without a scheme are enough for the old rules.
    assert_eq!(labels_of(&fold_with(&sites, &all[..1])), ["Gadfly", "Sport", "Zither"]);
}

#[test]
fn labels_of_one_region_and_of_one_abbreviation_are_one_concept() {
    let menu = [
        ("en:kingdom unit", "United Kingdom"),
        ("en:uk", "UK"),
        ("en:world", "World"),
        ("en:news world", "World News"),
        ("en:it", "It"),
        ("en:inform technolog", "Information Technology"),
        ("en:ai", "AI"),
        ("en:artifici intellig", "Artificial Intelligence"),
    ];
    let taxonomy = fold_with(&with_menus(3, &menu), &[]);
    let keys: Vec<&[String]> = taxonomy.concepts.iter().map(|concept| concept.keys.as_slice()).collect();
    assert_eq!(keys.len(), 5, "{keys:?}");
    assert!(keys.contains(&["en:ai".to_owned(), "en:artifici intellig".to_owned()].as_slice()), "{keys:?}");
    assert!(keys.contains(&["en:kingdom unit".to_owned(), "en:uk".to_owned()].as_slice()), "{keys:?}");
    assert!(keys.contains(&["en:news world".to_owned(), "en:world".to_owned()].as_slice()), "{keys:?}");
}

#[test]
fn a_name_with_its_initials_behind_it_is_that_name_though_a_site_files_under_both() {
    let menu = [
        ("en:ai artifici intellig", "Artificial Intelligence (AI)"),
        ("en:artifici intellig", "Artificial Intelligence"),
        ("en:econom us", "Economics (US)"),
        ("en:econom", "Economics"),
    ];
    let words: &[&str] = &["model"];
    let labels = menu.map(|(key, form)| (key, form, 4, words));
    let taxonomy = fold_with(
        &with_menus(2, &menu),
        &[(0, SchemeSummary::made(&labels)), (1, SchemeSummary::made(&labels))],
    );
    let keys: Vec<usize> = taxonomy.concepts.iter().map(|concept| concept.keys.len()).collect();
    assert_eq!(keys, [2, 1, 1], "{:?}", labels_of(&taxonomy));
}

#[test]
fn a_last_name_and_the_full_name_that_its_articles_have_are_one_concept() {
    let menu = [
        ("en:anna zorro", "Anna Zorro"),
        ("en:zorro", "Zorro"),
        ("en:korea north", "North Korea"),
        ("en:korea", "Korea"),
        ("en:bill quux", "Bill Quux"),
        ("en:jill quux", "Jill Quux"),
        ("en:quux", "Quux"),
    ];
    let labels = menu.map(|(key, form)| (key, form, 4, [form.rsplit(' ').next().unwrap()]));
    let labels = labels.each_ref().map(|(key, form, articles, words)| (*key, *form, *articles, &words[..]));
    let scheme = |zorro| {
        SchemeSummary::made(&labels).with_first_names(&[
            ("en:zorro", "Anna", zorro),
            ("en:korea", "North", 4),
            ("en:quux", "Bill", 3),
            ("en:quux", "Jill", 2),
        ])
    };
    let sites = with_menus(2, &menu);
    let keys = |zorro| -> Vec<String> {
        let taxonomy = fold_with(&sites, &[(0, scheme(zorro)), (1, scheme(zorro))]);
        let joined = taxonomy.concepts.into_iter().filter(|concept| concept.keys.len() > 1);
        joined.flat_map(|concept| concept.keys).collect()
    };
    assert_eq!(keys(2), ["en:anna zorro", "en:zorro"]);
    assert_eq!(keys(1), <[String; 0]>::default(), "fewer than half of the articles have the full name");
}

#[test]
fn a_list_relates_concepts_of_sites_with_schemes_and_says_so() {
    let sites = with_menus(3, &[("en:europ", "Europe"), ("en:franc", "France"), ("en:rugbi", "Rugby")]);
    assert!(fold_with(&sites, &[]).relations.is_empty());
    let scheme = SchemeSummary::made(&[
        ("en:europ", "Europe", 3, &["union"]),
        ("en:franc", "France", 3, &["paris"]),
        ("en:rugbi", "Rugby", 3, &["ball"]),
    ]);
    let taxonomy = fold_with(&sites, &[(0, scheme.clone()), (1, scheme)]);
    let [relation] = &taxonomy.relations[..] else { panic!("{:?}", taxonomy.relations) };
    assert_eq!((relation.broader.as_str(), relation.narrower.as_str()), ("en:europ", "en:franc"));
    assert!(relation.is_listed && relation.sites.is_empty());
}

#[test]
fn a_region_is_not_broader_than_a_subject_whatever_menus_say() {
    let mut sites = with_menus(4, &[("en:educ", "Education"), ("en:uk", "UK"), ("en:zither", "Zither")]);
    for site in &mut sites {
        let nested = [("en:uk", "en:educ"), ("en:uk", "en:zither")];
        Arc::make_mut(site).nested = nested.map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    }
    let relations = fold_with(&sites, &[]).relations;
    let pairs: Vec<_> =
        relations.iter().map(|pair| (pair.broader.as_str(), pair.narrower.as_str())).collect();
    assert_eq!(pairs, [("en:uk", "en:zither")]);
}

#[test]
fn breadcrumbs_relate_concepts_like_menus_do_and_the_explanation_names_them() {
    let sites = with_menus(3, &[("en:zither", "Zither"), ("en:gadfli", "Gadfly")]);
    let scheme = |crumbs: &[(&str, &str, u32)]| {
        let labels =
            [("en:zither", "Zither", 9, &["strings"][..]), ("en:gadfli", "Gadfly", 5, &["strings", "fly"])];
        SchemeSummary::made(&labels).with_breadcrumbs(crumbs)
    };
    let down = scheme(&[("en:zither", "en:gadfli", 7)]);
    let related = |schemes: &[(usize, SchemeSummary)]| -> Vec<(String, String, usize)> {
        let relations = fold_with(&sites, schemes).relations;
        relations.into_iter().map(|pair| (pair.broader, pair.narrower, pair.sites.len())).collect()
    };
    // One site is not enough, and a site that says the reverse is outvoted.
    assert_eq!(related(&[(0, down.clone()), (1, scheme(&[]))]), []);
    let pair = ("en:zither".to_owned(), "en:gadfli".to_owned(), 2);
    assert_eq!(related(&[(0, down.clone()), (1, down.clone())]), std::slice::from_ref(&pair));
    let up = scheme(&[("en:gadfli", "en:zither", 9)]);
    assert_eq!(related(&[(0, down.clone()), (1, down.clone()), (2, up)]), [pair]);

    let schemes = [(0, down.clone()), (1, down)];
    let taxonomy = fold_with(&sites, &schemes);
    let schemes = schemes.map(|(at, scheme)| (sites[at].site.clone(), Arc::new(scheme)));
    let why = explain(&taxonomy, &sites, &schemes.into(), KnownLabels::builtin(), "Gadfly");
    assert!(why.contains("under `en:zither` at level 1"), "{why}");
    assert!(why.contains(&format!("by the breadcrumbs of 7 articles on {}", sites[0].site)), "{why}");
}
