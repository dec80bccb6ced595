//! How pages look: five templates from five eras of the web.
//!
//! Each is a function from a [`View`] to HTML. They differ in what carries the structure: tables and bold text,
//! anonymous boxes, headings, landmarks, widgets. Within an era the site's own chance varies colours, class
//! names, the side on which the rail stands and the levels of headings. Markup faults come later (`mangle.rs`).

mod blog;
mod divs08;
mod html5_14;
mod semantic;
mod tables99;

use crate::mangle::mangle;
use crate::site::Era;
use crate::view::View;

/// The page as text, `part` naming it so that its faults are its own.
#[must_use]
pub(crate) fn render(view: &View<'_>, part: &str) -> String {
    let clean = match view.plan.era {
        Era::Tables99 => tables99::render(view),
        Era::Divs08 => divs08::render(view),
        Era::Html514 => html5_14::render(view),
        Era::Semantic => semantic::render(view),
        Era::Blog => blog::render(view),
    };
    mangle(&clean, view.plan.habits, &mut view.plan.rng.fork(part))
}
