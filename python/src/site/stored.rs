//! What is known about a site, as a file: one line with the number of the form and the hash of the rest, and the rest as
//! JSON.
//!
//! The hash finds what is damaged or cut. A form that changes gets the next number; every number that was released
//! stays readable.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use newslode_page::SiteKnowledge;
use newslode_page::template::Template;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::errors::FormatError;
use crate::value::{json, of_json};

/// What a file begins with.
const MAGIC: &str = "newslode-site";
/// The number of the form.
const FORM: &str = "1";

#[derive(Serialize)]
struct Knowledge<'a> {
    site: &'a SiteKnowledge,
    templates: &'a [Template],
}

#[derive(Deserialize)]
struct Stored {
    site: SiteKnowledge,
    templates: Vec<Template>,
}

pub(super) fn pack(known: &SiteKnowledge) -> PyResult<Vec<u8>> {
    let rest = json(&Knowledge { site: known, templates: known.templates() })?;
    Ok(format!("{MAGIC} {FORM} {}\n{rest}", blake3::hash(rest.as_bytes())).into_bytes())
}

pub(super) fn unpack(bytes: &[u8]) -> PyResult<SiteKnowledge> {
    let damaged = || FormatError::new_err("what is known of the site is damaged: its hash is another one");
    let text = std::str::from_utf8(bytes).map_err(|_| damaged())?;
    let (head, rest) = text.split_once('\n').unwrap_or_default();
    let mut words = head.split(' ');
    if words.next() != Some(MAGIC) {
        return Err(FormatError::new_err(
            "this is not what is known of a site: `Site.save` did not write it",
        ));
    }
    match words.next() {
        Some(FORM) => {}
        form => {
            let form = form.unwrap_or("?");
            return Err(FormatError::new_err(format!("it has form {form}, this version reads form {FORM}")));
        }
    }
    if words.next() != Some(blake3::hash(rest.as_bytes()).to_hex().as_str()) {
        return Err(damaged());
    }
    let Stored { mut site, templates } = of_json(rest)?;
    site.set_templates(templates);
    Ok(site)
}

/// Writes a file beside, and puts it in place when it is whole.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
        fs::remove_file(&beside).ok();
    })
}
