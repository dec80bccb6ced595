//! `newslode warc index`: writes the index of each web archive beside it.

use std::path::Path;

use newslode_common::warc::{Found, Index, Limits, Place, Reader};
use serde::Serialize;

use crate::args::IndexArgs;
use crate::exit::{Exit, hinted};
use crate::import::archive_files;
use crate::out;

/// A block is held up to `block` bytes, for its digest. Of a longer one the head is enough.
const LIMITS: Limits = Limits { head: 64 << 10, block: 64 << 20, beginning: 64 << 10 };

/// What became of an archive.
#[derive(Serialize)]
struct Indexed {
    file: String,
    /// The index, if it was written.
    index: Option<String>,
    /// Captures in the index.
    captures: u64,
    /// Captures without address or date, or in a packed member with others.
    left_out: u64,
    /// Places in the file that hold no record that can be read.
    broken: u64,
    /// Why the file cannot be read to its end, or the index not be written.
    problem: Option<String>,
}

pub(crate) fn run(args: &IndexArgs) -> anyhow::Result<Exit> {
    let mut all = Vec::new();
    for file in archive_files(&args.files)? {
        let indexed = index(&file);
        if !args.json {
            out::line(indexed.line())?;
        }
        all.push(indexed);
    }
    if args.json {
        out::json(&all)?;
    }
    let problems: Vec<&str> = all.iter().filter_map(|indexed| indexed.problem.as_deref()).collect();
    if !problems.is_empty() {
        return Err(hinted(
            format!("{} of {} files: problems\n  {}", problems.len(), all.len(), problems.join("\n  ")),
            "an index that was written holds what comes before the problem; get the file again and repeat the command",
        ));
    }
    if all.iter().any(|indexed| indexed.left_out > 0) {
        return Err(hinted(
            "some captures are in no index: they lack an address or a date, or share a packed member with others",
            "`warcio recompress` gives each record a gzip member of its own",
        ));
    }
    Ok(Exit::Done)
}

fn index(file: &Path) -> Indexed {
    let mut indexed = Indexed {
        file: file.display().to_string(),
        index: None,
        captures: 0,
        left_out: 0,
        broken: 0,
        problem: None,
    };
    let index = match read(file, &mut indexed) {
        Ok(index) => index,
        Err(problem) => {
            indexed.problem = Some(problem);
            return indexed;
        }
    };
    indexed.captures = index.count();
    match index.write_beside(file) {
        Ok(path) => indexed.index = Some(path.display().to_string()),
        Err(error) => {
            indexed.problem = Some(format!("cannot write `{}`: {error}", Index::path(file).display()));
        }
    }
    indexed
}

/// Reads what can be read. An error if the file is no archive.
fn read(file: &Path, indexed: &mut Indexed) -> Result<Index, String> {
    let mut index = Index::of(file);
    let mut reader = Reader::open(file, LIMITS).map_err(|error| error.to_string())?;
    let mut records = 0_u64;
    while let Some(next) = reader.next() {
        match next {
            Ok(Found::Record(record)) => {
                records += 1;
                if !Index::lists(&record) {
                    continue;
                }
                let place = reader.record_length().map(|length| Place { offset: record.offset, length });
                let is_added = place.is_some_and(|place| index.add(&record, place));
                indexed.left_out += u64::from(!is_added);
            }
            Ok(Found::Skipped(_)) => indexed.broken += 1,
            Err(error) if records == 0 => return Err(error.to_string()),
            Err(error) => indexed.problem = Some(error.to_string()),
        }
    }
    Ok(index)
}

impl Indexed {
    fn line(&self) -> String {
        let Indexed { file, captures, left_out, broken, .. } = self;
        match &self.index {
            Some(index) => format!("{index}: {captures} captures; left out: {left_out}; broken: {broken}"),
            None => format!("{file}: no index"),
        }
    }
}
