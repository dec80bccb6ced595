use newslode_common::page::Site;

use super::*;
use crate::summary::{LabelSummary, ListSummary};

const SECTION: &[Role] = &[Role::Any, Role::Link, Role::Inside, Role::Spelled];
const SERVICE: &[Role] = &[Role::Any, Role::Link, Role::Inside, Role::NoFollow];

fn sites(count: usize, labels: &[(&str, &[Role])], lists: &[&[&str]]) -> Vec<Arc<SiteSummary>> {
    let label = |roles: &[Role]| LabelSummary {
        roles: roles.iter().map(|role| (*role, 1)).collect(),
        ..LabelSummary::default()
    };
    let site = |at| SiteSummary {
        site: Site::of_host(&format!("site{at}.test")),
        pages: 1,
        labels: labels.iter().map(|(key, roles)| ((*key).into(), label(roles))).collect(),
        pairs: BTreeMap::new(),
        lists: lists
            .iter()
            .map(|list| ListSummary { pages: 1, labels: list.iter().map(|key| (*key).into()).collect() })
            .collect(),
        filing: BTreeMap::new(),
        nested: Default::default(),
    };
    (0..count).map(|at| Arc::new(site(at))).collect()
}

#[track_caller]
fn check(count: usize, labels: &[(&str, &[Role])], lists: &[&[&str]], wanted: &[(&str, Verdict)]) {
    let judged = judge(&sites(count, labels, lists), 2);
    for (key, verdict) in wanted {
        assert_eq!(verdict_of(&judged, key), *verdict, "{key}: {:?}", judged.get(*key));
    }
}

#[test]
fn services_stand_apart_from_sections() {
    for count in [3, 6] {
        check(
            count,
            &[("en:art", SECTION), ("en:sport", SECTION), ("en:in log", SERVICE), ("en:subscrib", SERVICE)],
            &[&["en:art", "en:sport"], &["en:in log", "en:subscrib"]],
            &[
                ("en:art", Verdict::Concept),
                ("en:sport", Verdict::Concept),
                ("en:in log", Verdict::BadCompany),
                ("en:subscrib", Verdict::BadCompany),
            ],
        );
    }
}

#[test]
fn company_lifts_a_section_whose_path_does_not_spell_it() {
    let plain: &[Role] = &[Role::Any, Role::Link, Role::Inside];
    check(
        6,
        &[
            ("en:art", SECTION),
            ("en:sport", SECTION),
            ("en:home", plain),
            ("en:help", SERVICE),
            ("en:term", SERVICE),
        ],
        &[&["en:art", "en:sport", "en:home"], &["en:help", "en:term"]],
        &[("en:home", Verdict::Concept), ("en:help", Verdict::BadCompany)],
    );
}

#[test]
fn one_crowd_is_kept_whole() {
    check(
        6,
        &[("en:art", SECTION), ("en:sport", SECTION)],
        &[&["en:art", "en:sport"]],
        &[("en:art", Verdict::Concept), ("en:sport", Verdict::Concept)],
    );
}

#[test]
fn what_is_dropped_says_why() {
    check(
        2,
        &[
            ("en:art", SECTION),
            ("en:advertis", &[Role::Any]),
            ("en:partner", &[Role::Any, Role::Link]),
            ("en:more", &[Role::Any, Role::Link, Role::Inside, Role::Many]),
            ("en:back", &[Role::Any, Role::Link, Role::Inside, Role::Empty]),
            (":2012", SECTION),
        ],
        &[],
        &[
            ("en:art", Verdict::Concept),
            ("en:advertis", Verdict::NowhereALink),
            ("en:partner", Verdict::LeavesItsSite),
            ("en:more", Verdict::LeadsAnywhere),
            ("en:back", Verdict::LeadsNowhere),
            (":2012", Verdict::NoWord),
            ("en:gone", Verdict::TooFewSites),
        ],
    );
    check(1, &[("en:art", SECTION)], &[], &[("en:art", Verdict::TooFewSites)]);
}

#[test]
fn the_split_is_where_the_halves_are_farthest_apart() {
    assert_eq!(otsu(vec![0.9, 0.2, 0.25, 0.8]), Some(0.8));
    assert_eq!(otsu(vec![0.5, 0.51]), None);
    assert_eq!(otsu(vec![]), None);
}

#[test]
fn the_support_grows_with_the_sites_unless_chosen() {
    assert_eq!([least_support(0, 5), least_support(0, 60), least_support(4, 5)], [2, 3, 4]);
}
