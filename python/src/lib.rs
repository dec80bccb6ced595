//! The Python package `newslode`: the library `newslode-page` for programs in Python.
//!
//! Each function takes the HTML of pages and returns values of classes that stand here. Only [`fetch`] uses the network, and
//! only [`site`] stores anything, in a file that is named. What is read is computed with the interpreter's
//! lock released and behind a guard ([`guard`]): a panic becomes an exception of the package.
//!
//! The doc comments of what Python sees are its docstrings. Their examples are tests, and `newslode/_newslode.pyi`
//! has the types (`check.sh`). Start at [`article`].

mod article;
mod dates;
mod errors;
mod fetch;
mod guard;
mod hierarchy;
mod input;
mod links;
mod many;
mod neutral;
mod response;
mod row;
mod site;
mod tables;
mod value;

use pyo3::prelude::*;

/// The allocator is that of `newslode-common`, and about this library's memory alone. It is named here for its feature.
use mimalloc as _;

/// The compiled part of `newslode`; import `newslode` instead.
#[pymodule]
mod _newslode {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::article::{Article, Block, Evidence, extract, kind};
    #[pymodule_export]
    use crate::fetch::fetch;
    #[pymodule_export]
    use crate::guard::fail;
    #[pymodule_export]
    use crate::hierarchy::{Hierarchy, Node, partition};
    #[pymodule_export]
    use crate::links::{Feed, Link, feeds, links};
    #[pymodule_export]
    use crate::many::{Articles, extract_many};
    #[pymodule_export]
    use crate::neutral::for_terminal;
    #[pymodule_export]
    use crate::response::Response;
    #[pymodule_export]
    use crate::site::Site;
    #[pymodule_export]
    use crate::tables::{Table, tables};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::guard::keep_panics_quiet();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
