//! What every page of the console has around it: head, navigation, search and foot.

use std::sync::LazyLock;

use maud::{Markup, html};

use crate::html::{Frame, STYLE, document};

/// The style sheet's address.
pub(super) static STYLE_PATH: LazyLock<String> = LazyLock::new(|| {
    let hash = newslode_common::schedule::name(STYLE);
    format!("/assets/console-{hash:016x}.css")
});

/// The script of the first page, the only one.
pub(super) const SCRIPT: &str = include_str!("live.js");

/// The script's address.
pub(super) static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| {
    let hash = newslode_common::schedule::name(SCRIPT);
    format!("/assets/console-{hash:016x}.js")
});

/// Where a page stands in the navigation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NavigationItem {
    News,
    Taxonomy,
    Articles,
    Sites,
    Operations,
    None,
}

const NAVIGATION: [(NavigationItem, &str, &str); 5] = [
    (NavigationItem::News, "/", "News"),
    (NavigationItem::Taxonomy, "/taxonomy", "Taxonomy"),
    (NavigationItem::Articles, "/articles", "Articles"),
    (NavigationItem::Sites, "/sites", "Sites"),
    (NavigationItem::Operations, "/operations", "Operations"),
];

/// A page of which nothing but a title and a text is known.
pub(super) fn bare_page(place: NavigationItem, title: &str, text: Markup) -> Markup {
    let main = html! { div.title { h1 { (title) } (text) } };
    framed_page(place, title, None, main, html! { span { "Newslode " (env!("CARGO_PKG_VERSION")) } })
}

/// A page; `feed`: the address of the Atom feed of its list, which feed readers find in the head.
pub(super) fn framed_page(
    place: NavigationItem,
    title: &str,
    feed: Option<&str>,
    main: Markup,
    foot: Markup,
) -> Markup {
    let frame = Frame {
        title: title.into(),
        head: html! {
            link rel="stylesheet" href=(*STYLE_PATH);
            @if let Some(feed) = feed {
                link rel="alternate" type="application/atom+xml" title={ (title) " · Newslode" } href=(feed);
            }
        },
        home: "/",
        navigation: NAVIGATION.map(|(there, path, name)| (path, name, there == place)).into(),
        bar: html! {
            form role="search" aria-label="Articles" action="/articles" {
                label.hidden for="search" { "Search articles" }
                input #search type="search" name="q" placeholder="Search articles" autocomplete="off" dir="auto";
                button { "Search" }
            }
        },
        foot,
    };
    document(&frame, &main)
}
