//! Bytes as a page → tree → hierarchy by every way of partitioning → XML → read back: nothing panics, every
//! hierarchy is well formed with each leaf in exactly one label, and what is read back is what was written.
//!
//! `cargo +nightly fuzz run partition fuzz/corpus/partition fuzz/seeds/partition -- -dict=fuzz/dictionaries/html.dict`

#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use newslode_page::hierarchy::{Hierarchy, xml};
use newslode_page::partition::{Method, PaperParams, Scope, hierarchy};
use newslode_page::{Page, Params};

fuzz_target!(|bytes: &[u8]| {
    let url = "https://news.example.org/".parse().expect("a URL");
    let page = Page::parse(&url, None, bytes);
    let paper = Params::paper();
    let page_scope = PaperParams { scope: Scope::Page, ..paper.papers };
    let ways = [
        Params::default(),
        paper.clone(),
        Params { papers: page_scope, ..paper.clone() },
        Params { papers: PaperParams { max_dp_leaves: 7, ..page_scope }, ..paper.clone() },
        Params { method: Method::Flat, ..paper.clone() },
        paper.within(Duration::from_millis(1)),
    ];
    for params in ways {
        check(&page, &hierarchy(&page, &params));
    }
});

fn check(page: &Page, made: &Hierarchy) {
    assert_eq!(made.check(), Ok(()));
    let labels = made.nodes.iter().filter_map(|node| node.label.as_ref());
    let mut leaves: Vec<u32> = labels.flat_map(|label| label.leaves.iter().copied()).collect();
    leaves.sort_unstable();
    assert!(leaves.into_iter().eq(0..page.leaves.len() as u32), "each leaf is in exactly one label");
    let written = xml::write(made);
    let read = xml::read(&written).expect("what is written can be read");
    assert_eq!(read, representable(made));
}

/// The hierarchy with the characters that XML 1.0 does not know replaced.
fn representable(made: &Hierarchy) -> Hierarchy {
    let replace = |text: &str| -> String {
        let is_known = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..);
        text.chars().map(|c| if is_known(c) { c } else { '\u{FFFD}' }).collect()
    };
    let mut made = made.clone();
    made.url = replace(&made.url);
    made.title = made.title.as_deref().map(replace);
    for label in made.nodes.iter_mut().filter_map(|node| node.label.as_mut()) {
        label.text = replace(&label.text);
        label.href = label.href.as_deref().map(replace);
    }
    made
}
