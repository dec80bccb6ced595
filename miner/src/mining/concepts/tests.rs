//! What becomes a concept and what does not, on small made-up sites.

#![allow(clippy::unwrap_used, reason = "compiled for tests alone, which say what broke by panicking")]

use newslode_page::contribution::Role;
use newslode_page::contribution::names::short_name;
use newslode_page::reading::Site;

use super::*;
use crate::mining::faults::Fault;
use crate::mining::summary::{LabelSummary, ListSummary, page_name};

const SECTION: &[Role] = &[Role::Any, Role::Link, Role::Inside, Role::Spelled];
const SERVICE: &[Role] = &[Role::Any, Role::Link, Role::Inside, Role::NoFollow];

fn sites(count: usize, labels: &[(&str, &[Role])], lists: &[&[&str]]) -> Vec<Arc<SiteSummary>> {
    let label = |key: &str, roles: &[Role]| LabelSummary {
        roles: roles.iter().map(|role| (*role, 1)).collect(),
        targets: [(format!("https://a.test/{}", key.replace([':', ' '], "-")).parse().unwrap(), 1)].into(),
        ..LabelSummary::default()
    };
    let site = |at| SiteSummary {
        site: Site::of_host(&format!("site{at}.test")),
        pages: 1,
        labels: labels.iter().map(|(key, roles)| ((*key).into(), label(key, roles))).collect(),
        pairs: BTreeMap::new(),
        lists: lists
            .iter()
            .map(|list| ListSummary { pages: 1, labels: list.iter().map(|key| (*key).into()).collect() })
            .collect(),
        filing: BTreeMap::new(),
        nested: Default::default(),
        directories: Default::default(),
        numbered: Default::default(),
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
fn service_links_are_separated_from_sections() {
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
fn a_section_whose_path_does_not_spell_it_is_kept_for_its_company() {
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
fn labels_of_one_kind_are_not_split() {
    check(
        6,
        &[("en:art", SECTION), ("en:sport", SECTION)],
        &[&["en:art", "en:sport"]],
        &[("en:art", Verdict::Concept), ("en:sport", Verdict::Concept)],
    );
}

#[test]
fn each_language_is_split_by_its_own_scores() {
    let plain: &[Role] = &[Role::Any, Role::Link, Role::Inside];
    check(
        6,
        &[
            ("en:art", SECTION),
            ("en:sport", SECTION),
            ("zh:体育", plain),
            ("zh:财经", plain),
            ("zh:帮助", SERVICE),
            ("zh:广告", SERVICE),
        ],
        &[&["en:art", "en:sport"], &["zh:体育", "zh:财经"], &["zh:帮助", "zh:广告"]],
        &[
            ("en:art", Verdict::Concept),
            ("zh:体育", Verdict::Concept),
            ("zh:财经", Verdict::Concept),
            ("zh:帮助", Verdict::BadCompany),
            ("zh:广告", Verdict::BadCompany),
        ],
    );
}

#[test]
fn every_dropped_label_has_its_reason() {
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
            ("en:more", Verdict::Fault(Fault::LeadsAnywhere)),
            ("en:back", Verdict::Fault(Fault::LeadsNowhere)),
            (":2012", Verdict::NoWord),
            ("en:gone", Verdict::TooFewSites),
        ],
    );
    check(1, &[("en:art", SECTION)], &[], &[("en:art", Verdict::TooFewSites)]);
}

#[test]
fn scores_are_split_at_their_widest_gap_if_there_is_one() {
    assert_eq!(otsu(vec![0.9, 0.2, 0.25, 0.8]), Some(0.8));
    assert_eq!(otsu(vec![0.5, 0.51]), None);
    assert_eq!(otsu(vec![]), None);
}

#[test]
fn the_support_grows_with_the_sites_unless_chosen() {
    assert_eq!([least_support(0, 5), least_support(0, 60), least_support(4, 5)], [2, 3, 4]);
}

/// Sites with one label, linked in the usual way; each target is a path and the number of pages that lead to
/// it.
fn leading(count: usize, targets: &[(&str, u64)], filing: Option<u64>) -> Vec<Arc<SiteSummary>> {
    let made = sites(count, &[("en:art", SECTION)], &[]).into_iter().map(|site| {
        let mut site = (*site).clone();
        let url = |path: &str| format!("https://{}{path}", site.site).parse().unwrap();
        let targets: BTreeMap<_, _> = targets.iter().map(|(path, pages)| (url(path), *pages)).collect();
        let read = targets.keys().map(page_name).filter_map(|id| Some((id, filing?)));
        site.filing = read.collect();
        if let Some(art) = site.labels.get_mut("en:art") {
            art.roles = SECTION.iter().map(|role| (*role, 10)).collect();
            art.targets = targets;
        }
        Arc::new(site)
    });
    made.collect()
}

#[track_caller]
fn check_leading(targets: &[(&str, u64)], filing: Option<u64>, wanted: Verdict) {
    assert_eq!(verdict_of(&judge(&leading(3, targets, filing), 2), "en:art"), wanted);
}

#[test]
fn a_label_whose_page_files_too_few_stories_is_no_concept() {
    check_leading(&[("/arts", 10)], Some(3), Verdict::Concept);
    check_leading(&[("/arts", 10)], Some(2), Verdict::FilesNothing);
    check_leading(&[("/arts", 10)], None, Verdict::Concept);
}

#[test]
fn the_front_page_is_no_page_of_a_concept() {
    let mut folded = leading(3, &[("/", 10)], Some(9));
    let judged = judge(&folded, 2);
    assert_eq!(judged["en:art"].files, None);
    folded.clear();
    assert!(judge(&folded, 2).is_empty());
}

#[test]
fn an_unread_page_makes_its_label_wait_once_others_were_read() {
    let read = leading(3, &[("/arts", 10)], Some(3));
    let both: Vec<_> = read
        .into_iter()
        .map(|site| {
            let mut site = (*site).clone();
            let mut unread = site.labels["en:art"].clone();
            unread.targets = [(format!("https://{}/old", site.site).parse().unwrap(), 10)].into();
            site.labels.insert("en:old".into(), unread);
            Arc::new(site)
        })
        .collect();
    let judged = judge(&both, 2);
    assert_eq!(verdict_of(&judged, "en:art"), Verdict::Concept);
    assert_eq!(verdict_of(&judged, "en:old"), Verdict::Unread);
}

#[test]
fn a_label_that_leads_to_many_different_pages_is_dropped() {
    let pages = ["/a?page=2", "/b?page=2", "/c?page=2", "/d?page=2", "/e?page=2", "/f?page=2", "/g?page=2"];
    let pages = pages.map(|page| (page, 2));
    check_leading(&pages[..3], None, Verdict::Concept);
    check_leading(&pages, None, Verdict::Fault(Fault::LeadsAnywhere));
    check_leading(&[("/arts", 9), ("/b", 1), ("/c", 1), ("/d", 1), ("/e", 1)], None, Verdict::Concept);
}

#[test]
fn a_label_that_is_a_second_name_of_its_target_is_dropped() {
    check_leading(&[("/arts", 5)], None, Verdict::Concept);
    check_leading(&[("/arts", 4)], None, Verdict::Fault(Fault::SecondName));
}

#[test]
fn only_sites_that_link_a_label_support_it() {
    let mut folded = sites(3, &[("en:art", SECTION)], &[]);
    for site in folded.iter_mut().skip(1) {
        let mut plain = (**site).clone();
        plain.labels.get_mut("en:art").unwrap().roles = [(Role::Any, 1)].into();
        *site = Arc::new(plain);
    }
    assert_eq!(verdict_of(&judge(&folded, 2), "en:art"), Verdict::TooFewSites);
}

#[test]
fn a_list_counts_once_for_each_site_whatever_its_number_of_pages() {
    let labels = [("en:art", SECTION), ("en:sport", SECTION), ("en:in log", SERVICE)];
    let lists: &[&[&str]] = &[&["en:art", "en:sport"], &["en:art", "en:in log"]];
    let few = sites(3, &labels, lists);
    let many = few.iter().map(|site| {
        let mut site = (**site).clone();
        site.lists[1].pages = 500;
        Arc::new(site)
    });
    assert_eq!(judge(&few, 2)["en:art"].score, judge(&many.collect::<Vec<_>>(), 2)["en:art"].score);
}

#[test]
fn different_faults_on_different_sites_add_up() {
    let empty: &[Role] = &[Role::Any, Role::Link, Role::Inside, Role::Empty];
    let many: &[Role] = &[Role::Any, Role::Link, Role::Inside, Role::Many];
    let mut folded = sites(4, &[("en:art", SECTION)], &[]);
    for (site, roles) in folded.iter_mut().zip([empty, many]) {
        let mut faulty = (**site).clone();
        faulty.labels.get_mut("en:art").unwrap().roles = roles.iter().map(|role| (*role, 1)).collect();
        *site = Arc::new(faulty);
    }
    assert_eq!(verdict_of(&judge(&folded, 2), "en:art"), Verdict::Fault(Fault::LeadsNowhere));
    assert_eq!(verdict_of(&judge(&folded[1..], 2), "en:art"), Verdict::Concept);
}

#[test]
fn a_label_inside_running_text_is_no_concept() {
    let text: &[Role] = &[Role::Any, Role::Link, Role::Inside, Role::Spelled, Role::InText];
    check(3, &[("en:trump", text)], &[], &[("en:trump", Verdict::Fault(Fault::InText))]);
}

#[test]
fn a_label_with_changing_numbers_is_a_count_and_no_concept() {
    let made = |labels: usize| -> Vec<Arc<SiteSummary>> {
        let of = sites(3, &[("en:3 comment", SECTION), ("en:1 formula", SECTION)], &[]);
        let counted = of.into_iter().map(|site| {
            let mut site = (*site).clone();
            site.numbered = [(short_name("en:comment"), labels as u64), (short_name("en:formula"), 1)].into();
            Arc::new(site)
        });
        counted.collect()
    };
    assert_eq!(verdict_of(&judge(&made(4), 2), "en:3 comment"), Verdict::Fault(Fault::Counts));
    assert_eq!(verdict_of(&judge(&made(4), 2), "en:1 formula"), Verdict::Concept);
    assert_eq!(verdict_of(&judge(&made(3), 2), "en:3 comment"), Verdict::Concept);
}

#[test]
fn directories_count_in_any_order_of_sites() {
    let mut folded = sites(3, &[("en:art", SECTION)], &[]);
    let mut other = (*sites(1, &[], &[])[0]).clone();
    other.directories.insert("en:art".into());
    folded.insert(0, Arc::new(other.clone()));
    let first = judge(&folded, 2)["en:art"].own;
    folded.rotate_left(1);
    assert_eq!(judge(&folded, 2)["en:art"].own, first);
    folded.pop();
    assert!(judge(&folded, 2)["en:art"].own < first);
}

#[test]
fn the_papers_method_keeps_labels_that_evidence_drops() {
    let labels = [("en:art", SECTION), ("en:back", &[Role::Any, Role::Link, Role::Inside, Role::Empty][..])];
    let printed = judge_by_paper(&sites(3, &labels, &[]), 2);
    assert_eq!(verdict_of(&printed, "en:back"), Verdict::Concept);
    assert_eq!(verdict_of(&printed, "en:gone"), Verdict::TooFewSites);
}
