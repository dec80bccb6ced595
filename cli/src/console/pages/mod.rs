//! The pages. Each answers one question of an operator or reader, works without a script, and says what to do where there is
//! nothing to show. [`shell`] is around all of them, [`parts`] are what several show.

pub(super) mod article;
pub(super) mod articles;
pub(super) mod concept;
pub(super) mod correct;
pub(super) mod explain;
mod manage;
pub(super) mod news;
pub(super) mod operations;
pub(super) mod page_text;
pub(super) mod parts;
pub(super) mod shell;
pub(super) mod site;
pub(super) mod sites;
pub(super) mod taxonomy;
