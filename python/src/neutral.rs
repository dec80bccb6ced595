//! Texts of pages on terminals.

use std::borrow::Cow;

use newslode_page::neutral;
use pyo3::prelude::*;

/// A text for a terminal: control characters, which could steer it, and those that reverse the order of letters are
/// replaced with U+FFFD. Tabs and line ends stay.
///
/// >>> import newslode
/// >>> newslode.for_terminal("Rain\x1b[2J in the valley")
/// 'Rain�[2J in the valley'
#[pyfunction]
pub(crate) fn for_terminal(text: &str) -> Cow<'_, str> {
    neutral::for_terminal(text)
}
