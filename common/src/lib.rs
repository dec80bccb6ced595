//! What Newslode's services share, and no more: the page and its tree, the labelled hierarchy, the
//! messages and their wire form, the broker, the stores, configuration, telemetry and shutdown.
//!
//! Start at [`contribution`]: all mined state is a sum of integers over pages.

pub mod page;
