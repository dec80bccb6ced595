//! Rules about the source tree that no lint checks. They are the tests of this crate.
