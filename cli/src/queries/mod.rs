//! The questions that people ask a run or the services, answered once for commands, console and API.
//!
//! An answer is a value, often with a form for people; nothing here prints or parses arguments. [`articles`] is what is
//! exported, `explain` one page or site, `health` the state of a site, `recall` what was missed, `status` all sites at a glance, `rights` what sites say of the uses of articles,
//! `templates` what sites
//! were taught and show, `taxonomy` a concept, `corrections` what
//! editors set, `places` an article's sections and tags, `dead` the letters that services gave up,
//! `tokens` who may use the console, `audit` who did.

pub mod articles;
pub(crate) mod audit;
pub(crate) mod codes;
pub(crate) mod corrections;
pub(crate) mod dead;
pub(crate) mod explain;
pub(crate) mod health;
pub(crate) mod past;
pub(crate) mod places;
pub(crate) mod recall;
pub(crate) mod rights;
pub(crate) mod status;
pub(crate) mod table;
pub(crate) mod taxonomy;
pub(crate) mod templates;
pub(crate) mod tokens;
