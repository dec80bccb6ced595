//! The exceptions of the package. They are classes of Python (`newslode/errors.py`), so that each can also be the
//! built-in exception that it resembles.

use std::fmt::Display;

use newslode_page::neutral::for_terminal;
use pyo3::import_exception;

import_exception!(newslode.errors, CorrectionError);
import_exception!(newslode.errors, Disallowed);
import_exception!(newslode.errors, FetchError);
import_exception!(newslode.errors, FormatError);
import_exception!(newslode.errors, InternalError);
import_exception!(newslode.errors, InvalidUrl);
import_exception!(newslode.errors, NewslodeError);

/// The message of an exception, which usually ends on a terminal: what it quotes of a page or an address cannot steer that.
pub(crate) fn message(text: impl Display) -> String {
    for_terminal(&text.to_string()).into_owned()
}
