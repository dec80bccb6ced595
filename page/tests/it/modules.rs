//! Dependencies between the library's modules have no cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// The top-level module of a file: the first name below `src`, without its ending.
fn module_of(source: &Path, file: &Path) -> String {
    let first = file.strip_prefix(source).unwrap().components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// The modules that code names: what follows `crate::`, without comments and tests.
fn named(code: &str) -> BTreeSet<String> {
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = lines.flat_map(|line| line.split("crate::").skip(1));
    let end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    names.map(|rest| rest.split(end).next().unwrap().to_owned()).collect()
}

/// The modules that each module uses. `lib` re-exports all of them and `testing` is for tests: both are left out.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = rust_files(&source);
    let is_code = |file: &&PathBuf| {
        !file.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs")))
    };
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files.iter().filter(is_code) {
        let code = std::fs::read_to_string(file).unwrap();
        uses.entry(module_of(&source, file)).or_default().extend(named(&code));
    }
    uses.retain(|module, _| module != "lib" && module != "testing");
    let modules: BTreeSet<String> = uses.keys().cloned().collect();
    for (module, used) in &mut uses {
        used.retain(|name| name != module && modules.contains(name));
    }
    uses
}

#[test]
fn modules_use_one_another_one_way() {
    let mut left = uses();
    assert!(left["partition"].contains("tables"), "the imports were not read: {left:?}");
    // Modules that use none of those left are removed until none is left, or only cycles are.
    loop {
        let free: Vec<String> =
            left.iter().filter(|(_, used)| used.is_empty()).map(|(module, _)| module.clone()).collect();
        if free.is_empty() {
            break;
        }
        for module in &free {
            left.remove(module);
        }
        left.values_mut().for_each(|used| used.retain(|name| !free.contains(name)));
    }
    assert!(left.is_empty(), "some of these modules form a cycle: {left:?}");
}
