//! Tabs, menus of sections, headlines and kickers.

use super::*;

#[test]
fn tabs_head_their_panels() {
    check_without(
        "<div><ul class=tabs><li><a href=#>Day</a><li><a href=#>Week</a></ul>\
         <div class=p><p>a<p>b</div><div class=p><p>c<p>d</div></div>",
        |params| params.tabs = false,
        "Day\n a\n b\nWeek\n c\n d\n",
        "Day\nWeek\na\nb\nc\nd\n",
    );
}

#[test]
fn tabs_head_the_panels_that_they_name() {
    check_without(
        "<ul><li>p<li>q<li>r<li>s<li>t</ul><div><h2>Video</h2><ul><li><a href=#v1>New</a><li><a href=#v2>Old</a></ul></div><p>other<div>\
         <div class=box id=v2><p>c<p>d</div><div class=box id=v1><p>a<p>b</div></div>",
        |params| params.tabs = false,
        "p\nq\nr\ns\nt\nVideo\n New\n  a\n  b\n Old\n  c\n  d\n other\n",
        "p\nq\nr\ns\nt\nVideo\n New\n Old\n other\n  c\n  d\n  a\n  b\n",
    );
}

#[test]
fn tabs_head_as_many_panels_after_their_row() {
    check(
        "<div><div class=row><div role=tablist class=tabs><a href=/n>New</a><a href=/o>Old</a></div><span>more</span></div>\
         <section><div class=panel><p>a<p>b</div><div class=panel><p>c<p>d</div></section></div>",
        "New\n a\n b\nOld\n c\n d\nmore\n",
    );
    // Rows of tabs are not panels of one another.
    check(
        "<div><ul class=tabs><li><a href=/n>New</a><li><a href=/o>Old</a></ul>\
         <ul class=tabs><li><a href=/n>New</a><li><a href=/o>Old</a></ul></div>",
        "New\nOld\nNew\nOld\n",
    );
}

#[test]
fn the_open_tab_heads_the_only_panel() {
    check(
        "<div><ol class=tabs><li><a href=/n>New</a><li class=active><a href=/o>Old</a></ol>\
         <div class=box><p>a<p>b</div></div>",
        "New\nOld\n a\n b\n",
    );
}

#[test]
fn a_heading_with_the_menu_of_its_section_heads_the_section() {
    check(
        "<div><div><h2><a href=/s>Sport</a></h2><ul><li><a href=/t>Tennis</a><li><a href=/g>Golf</a></ul></div>\
         <div class=s><h3><a href=/1>Cup final tonight</a></h3><p>It begins.</div>\
         <div class=s><h3><a href=/2>Tour ends</a></h3><p>It is over.</div></div>",
        "Sport\n Tennis\n Golf\n Cup final tonight\n  It begins.\n Tour ends\n  It is over.\n",
    );
}

#[test]
fn a_headline_without_a_picture_is_no_heading() {
    let story = |at: u32| {
        format!(
            "<div class=story><a href=/{at}><img alt=Photo{at}></a><b class=title><a href=/{at}>Story number {at}</a></b></div>"
        )
    };
    let plain =
        |at: u32| format!("<div class=story><b class=title><a href=/{at}>Story number {at}</a></b></div>");
    check(
        &format!("<div>{}{}{}{}<div><p>one<p>two</div></div>", plain(1), story(2), story(3), plain(4)),
        "Story number 1\nStory number 2\n Photo2\nStory number 3\n Photo3\nStory number 4\none\ntwo\n",
    );
}

#[test]
fn a_short_label_before_a_longer_one_in_one_heading_is_its_kicker() {
    let story = |at: u32| {
        format!(
            "<li><h3><div class=a{at}>Topic {at}</div><span>Something happened in town {at}</span></h3><p>It did."
        )
    };
    check_without(
        &format!("<ul>{}{}{}</ul>", story(1), story(2), story(3)),
        |params| params.votes = false,
        "Something happened in town 1\n Topic 1\n It did.\nSomething happened in town 2\n Topic 2\n It did.\nSomething happened in town 3\n Topic 3\n It did.\n",
        "Topic 1\n Something happened in town 1\n It did.\nTopic 2\n Something happened in town 2\n It did.\nTopic 3\n Something happened in town 3\n It did.\n",
    );
}

#[test]
fn the_name_of_an_empty_menu_heads_nothing_beside_it() {
    check(
        "<div><nav><h2>Mobile menu</h2></nav><div><div><h2><a href=/1>Cup final tonight</a></h2><p>It begins.</div>\
         <div><h2><a href=/2>Tour ends</a></h2><p>It is over.</div></div></div>",
        "Mobile menu\nCup final tonight\n It begins.\nTour ends\n It is over.\n",
    );
    check("<div><nav><h2>Menu</h2><p>a<p>b</nav><p>c</div>", "Menu\n a\n b\nc\n");
}
