//! How pages look: eight templates, one for each era of the web.
//!
//! Each is a function from a [`View`] to HTML. They differ in what carries the structure: tables and bold text,
//! anonymous boxes, headings, landmarks, widgets, definition lists, cards, columns. Within an era each site draws its
//! colours, class names, the side of its rail, and the markup of its headings and lists (`parts`). Markup faults come
//! later (`mangle.rs`).

mod blog;
mod cards20;
mod columns10;
mod divs08;
mod html5_14;
mod parts;
mod portal03;
mod semantic;
mod tables99;

use crate::era::Era;
use crate::mangle::mangle;
use crate::view::View;

/// The page as HTML. `part` names the page, so that it draws its own markup faults.
#[must_use]
pub(crate) fn render(view: &View<'_>, part: &str) -> String {
    let clean = match view.plan.era {
        Era::Tables99 => tables99::render(view),
        Era::Divs08 => divs08::render(view),
        Era::Html514 => html5_14::render(view),
        Era::Semantic => semantic::render(view),
        Era::Blog => blog::render(view),
        Era::Portal03 => portal03::render(view),
        Era::Cards20 => cards20::render(view),
        Era::Columns10 => columns10::render(view),
    };
    mangle(&clean, view.plan.habits, &mut view.plan.rng.fork(part))
}
