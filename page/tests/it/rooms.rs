//! The library's rooms use one another one way: none is used by one that it uses, by however many steps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// A room and a file of it: the first name below `src`, without its ending.
fn room(source: &Path, file: &Path) -> String {
    let first = file.strip_prefix(source).unwrap().components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// The rooms that code names: what follows `crate::`, comments and tests left out.
fn named(code: &str) -> BTreeSet<String> {
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = lines.flat_map(|line| line.split("crate::").skip(1));
    let end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    names.map(|rest| rest.split(end).next().unwrap().to_owned()).collect()
}

/// Each room with the rooms that it uses. `lib` is the door, `testing` is for tests.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = rust_files(&source);
    let is_code = |file: &&PathBuf| {
        !file.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs")))
    };
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files.iter().filter(is_code) {
        let code = std::fs::read_to_string(file).unwrap();
        uses.entry(room(&source, file)).or_default().extend(named(&code));
    }
    uses.retain(|room, _| room != "lib" && room != "testing");
    let rooms: BTreeSet<String> = uses.keys().cloned().collect();
    for (room, used) in &mut uses {
        used.retain(|name| name != room && rooms.contains(name));
    }
    uses
}

#[test]
fn rooms_use_one_another_one_way() {
    let mut left = uses();
    assert!(left["partition"].contains("tables"), "the imports were not read: {left:?}");
    // Rooms that use none that is left are taken away until none is left, or a circle is.
    loop {
        let free: Vec<String> =
            left.iter().filter(|(_, used)| used.is_empty()).map(|(room, _)| room.clone()).collect();
        if free.is_empty() {
            break;
        }
        for room in &free {
            left.remove(room);
        }
        left.values_mut().for_each(|used| used.retain(|name| !free.contains(name)));
    }
    assert!(left.is_empty(), "among these rooms some use one another: {left:?}");
}
