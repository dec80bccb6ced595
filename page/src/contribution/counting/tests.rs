//! Pages in, contributions out.

use crate::contribution::{LabelUse, ListUse, Role};
use proptest::prelude::*;

use super::*;
use crate::partition::hierarchy;
use crate::partition::{PaperParams, Params};
use crate::testing::{page, page_at, pages};

fn contribution_of(page: &Page) -> Contribution {
    contribution(page, &hierarchy(page, &Params::default()))
}

fn english(html: &str) -> Contribution {
    contribution_of(&page(&format!("<html lang=en>{html}")))
}

fn roles(contribution: &Contribution, key: &str) -> Vec<Role> {
    let label = contribution.labels.iter().find(|label| label.key == key);
    label.map(|label| label.roles.clone()).unwrap_or_default()
}

const MENU: &str = "<div><h3>Sports</h3><ul><li><a href=/sport/cups>Cup</a><li><a href=/tour>Tour</a>\
                    <li><a href=https://elsewhere.test/race rel=nofollow>Race</a></ul></div>";

#[test]
fn a_menu_gives_roles_pairs_links_and_a_list() {
    let menu = english(MENU);
    use Role::{Any, Header, Inside, Link, Member, NoFollow, Spelled};
    assert_eq!(roles(&menu, "en:sport"), [Any, Header]);
    assert_eq!(roles(&menu, "en:cup"), [Any, Link, Inside, Member, Spelled]);
    assert_eq!(roles(&menu, "en:tour"), [Any, Link, Inside, Member, Spelled]);
    assert_eq!(roles(&menu, "en:race"), [Any, Link, Member, NoFollow]);
    let pairs: Vec<_> =
        menu.pairs.iter().map(|p| (p.broader.as_str(), p.narrower.as_str(), p.level)).collect();
    assert_eq!(pairs, [("en:sport", "en:cup", 1), ("en:sport", "en:race", 1), ("en:sport", "en:tour", 1)]);
    assert_eq!(menu.lists, [ListUse { labels: ["en:cup", "en:race", "en:tour"].map(String::from).to_vec() }]);
    let links: Vec<_> =
        menu.links.iter().map(|l| (l.target.as_str(), l.label.as_deref(), l.in_group, l.inside)).collect();
    assert_eq!(
        links,
        [
            ("https://news.example.org/sport/cups", Some("en:cup"), true, true),
            ("https://news.example.org/tour", Some("en:tour"), true, true),
            ("https://elsewhere.test/race", Some("en:race"), true, false),
        ]
    );
}

#[test]
fn links_that_lead_nowhere_are_empty() {
    let page = page_at(
        "https://news.example.org/a",
        "<html lang=en><a href='javascript:x()'>Menu</a><a href=/>Home</a><a href='#top'>Top</a>\
         <a href=/a>Here</a><a href=/b>There</a>",
    );
    let found = contribution_of(&page);
    for key in ["en:menu", "en:home", "en:top", "en:here"] {
        assert!(roles(&found, key).contains(&Role::Empty), "{key}");
    }
    assert!(!roles(&found, "en:there").contains(&Role::Empty));
    let targets: Vec<_> = found.links.iter().map(|link| link.target.as_str()).collect();
    assert_eq!(targets, ["https://news.example.org/", "https://news.example.org/b"]);
}

#[test]
fn tail_and_many_look_at_all_links_of_a_label() {
    let more: String = (0..4).map(|n| format!("<p><a href=/{n}>More</a></p>")).collect();
    let found = english(&format!(
        "<a href=/news>News</a>{more}<a href=/s>A storm of the century hits the coast</a>\
         <a href=/news>News</a><a href=/about>About</a>"
    ));
    assert!(roles(&found, "en:more").contains(&Role::Many));
    assert!(!roles(&found, "en:more").contains(&Role::Tail));
    assert!(!roles(&found, "en:news").contains(&Role::Tail));
    assert!(roles(&found, "en:about").contains(&Role::Tail));
}

#[test]
fn the_front_page_of_another_host_of_the_site_is_a_section() {
    let found = english(
        "<p><a href=https://travel.example.org/>Travel</a><p><a href=https://www.example.org/>Example</a>\
         <p><a href=https://news.example.org/>News</a>",
    );
    let spelled = roles(&found, "en:travel");
    assert!(spelled.contains(&Role::Spelled) && !spelled.contains(&Role::Empty));
    for key in ["en:exampl", "en:news"] {
        assert!(roles(&found, key).contains(&Role::Empty), "{key}");
    }
}

#[test]
fn all_of_a_labels_words_must_be_spelled_by_one_name() {
    let found = english(
        "<p><a href=/smallBusiness>Small Business</a><p><a href=/business-and-small>Small, business</a>\
         <p><a href=/middle/east>Middle East</a><p><a href=/about/press>About us</a>",
    );
    assert!(roles(&found, "en:busi small").contains(&Role::Spelled));
    for key in ["en:east middl", "en:about us"] {
        assert!(!roles(&found, key).contains(&Role::Spelled), "{key}");
    }
}

#[test]
fn links_in_running_text_are_known_and_make_no_list() {
    let text = "<p>The senate voted late on <a href=/tax>taxes</a> and then on <a href=/war>war</a>, too.";
    let found = english(&format!("{text}<ul><li><a href=/war>War</a><li><a href=/world>World</a></ul>"));
    assert!(roles(&found, "en:tax").contains(&Role::InText));
    assert!(!roles(&found, "en:war").contains(&Role::InText));
    assert_eq!(found.lists, [ListUse { labels: ["en:war", "en:world"].map(String::from).to_vec() }]);
    let kicker = english("<p><a href=/war>War</a> Three cities fell<p><a href=/x>By Ann Lee</a>");
    assert!(!roles(&kicker, "en:war").contains(&Role::InText));
}

#[test]
fn a_storys_comments_do_not_name_it() {
    let found = english(
        "<p><a href=/s>A storm of the century hits the coast</a> <a href=/s>Comments</a>\
         <p><a href=/t><img src=x></a> <a href=/t>Tour</a>",
    );
    let labels: Vec<_> = found.links.iter().map(|link| link.label.as_deref()).collect();
    assert_eq!(labels, [None, Some("en:tour")]);
}

#[test]
fn a_list_before_an_entry_is_not_the_entrys() {
    let nested = |html: &str| english(html).nested.len();
    let list = "<ul><li><a href=/1>Golf</a><li><a href=/2>Rugby</a></ul>";
    assert_eq!(nested(&format!("<div><a href=/3>Sport</a>{list}</div><div><a href=/4>News</a></div>")), 2);
    assert_eq!(nested(&format!("<div>{list}<a href=/3>Sport</a></div><div><a href=/4>News</a></div>")), 0);
}

#[test]
fn a_link_of_several_leaves_is_one_label() {
    let found = english("<p><a href=/top><b>Top</b> stories</a></p><p><a href=/x>x</a>");
    assert!(roles(&found, "en:stori top").contains(&Role::Link));
    assert!(!roles(&found, "en:stori").contains(&Role::Link));
    let form = |key: &str| found.labels.iter().find(|l| l.key == key).map(|l: &LabelUse| l.form.clone());
    assert_eq!(form("en:stori top").as_deref(), Some("Top stories"));
}

#[test]
fn the_most_frequent_form_stands_for_the_label() {
    let found = english("<p>world</p><p>World</p><p>World</p>");
    assert_eq!(found.labels[0].form, "World");
}

#[test]
fn a_menu_entry_over_its_submenu_belongs_to_the_outer_list() {
    let found = english(
        "<ul><li><a href=/n>News</a><ul><li><a href=/w>World</a><li><a href=/l>Local</a></ul>\
         <li><a href=/s>Sport</a><ul><li><a href=/g>Golf</a><li><a href=/t>Tennis</a></ul></ul>",
    );
    let lists: Vec<Vec<&str>> =
        found.lists.iter().map(|list| list.labels.iter().map(String::as_str).collect()).collect();
    assert_eq!(
        lists,
        [vec!["en:golf", "en:tenni"], vec!["en:local", "en:world"], vec!["en:news", "en:sport"]]
    );
}

#[test]
fn too_much_is_cut_and_said() {
    let links: String = (0..30_000).map(|n| format!("<a href=/{}{n}>x</a>", "y".repeat(200))).collect();
    let page = page(&links);
    let papers = PaperParams { max_steps: 0, ..PaperParams::default() };
    let params = Params { papers, ..Params::default() };
    let (found, is_cut) = bounded_contribution(&page, &hierarchy(&page, &params));
    assert!(is_cut);
    assert!(found.links.len() < 11_000 && found.links.len() > 8_000);
}

proptest! {
    #[test]
    fn a_contribution_is_sorted_bounded_and_repeatable(page in pages(60)) {
        let found = contribution_of(&page);
        prop_assert_eq!(&found, &contribution_of(&page));
        prop_assert!(found.labels.is_sorted_by(|a, b| a.key < b.key));
        prop_assert!(found.labels.iter().all(|l| l.roles.is_sorted() && !l.form.is_empty()));
        prop_assert!(found.pairs.is_sorted_by(|a, b| (&a.broader, &a.narrower) < (&b.broader, &b.narrower)));
        prop_assert!(found.pairs.iter().all(|p| p.broader != p.narrower && (1..=4).contains(&p.level)));
        prop_assert!(found.terms.is_sorted_by(|a, b| a.term < b.term));
        prop_assert!(found.nested.is_sorted_by(|a, b| a < b) && found.directories.is_sorted_by(|a, b| a < b));
        prop_assert!(found.lists.is_sorted_by(|a, b| a.labels < b.labels));
    }
}
