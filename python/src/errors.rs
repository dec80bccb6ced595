//! The exceptions of the package. They are classes of Python (`newslode/errors.py`), so that each can also be the
//! built-in exception that it resembles.

use pyo3::import_exception;

import_exception!(newslode.errors, CorrectionError);
import_exception!(newslode.errors, FormatError);
import_exception!(newslode.errors, InternalError);
import_exception!(newslode.errors, InvalidUrl);
import_exception!(newslode.errors, NewslodeError);
