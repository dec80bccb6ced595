//! Files of a crate do not import each other in circles, and tests are named by what they start.
//!
//! An import is a path that begins with `crate`, `self` or `super`, in a `use` or in the text; the tests at the end of a file
//! do not count. A parent that re-exports (`pub use self::…`) or calls its child by the child's bare name is no import: every module tree has such calls.
//! Whoever reads one file of a circle has to read all of them: move what both sides need into a file of its own, or merge
//! files that tell one story.

#![allow(clippy::unwrap_used, reason = "a test says what broke by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates whose sources are looked through.
const CRATES: [&str; 14] = [
    "page",
    "common",
    "crawler",
    "partitioner-worker",
    "miner",
    "cli",
    "cli/demo-world",
    "lab",
    "python",
    "tests/servers",
    "tests/e2e",
    "tests/chaos",
    "tests/fuzzing",
    "tests/newsworld",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A module's path: the names below its crate.
type Module = Vec<String>;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The module that a file holds: `a/mod.rs` and `a.rs` are `a`, and the root is the crate.
fn module_of(file: &Path, root: &Path) -> Module {
    let path = file.strip_prefix(root).unwrap().with_extension("");
    let mut names: Module = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|name| name == "mod") || ["lib", "main"].contains(&names.join("/").as_str()) {
        names.pop();
    }
    names
}

/// The text without comments, visibilities and the tests at its end.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().replace("pub(in crate", "pub(in "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths of a `use`, with its braces resolved.
fn paths(tree: &str) -> Vec<String> {
    let Some((before, rest)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut parts, mut part, mut depth) = (Vec::new(), String::new(), 0);
    for letter in inner.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(letter);
    }
    parts.push(part);
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| paths(part)).map(|path| format!("{}{path}", before.trim())).collect()
}

/// All paths of a file that begin inside its crate. What a module only re-exports of its children, it does not use.
fn inner_paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    for start in ["crate::", "self::", "super::"] {
        for (at, _) in code.match_indices(start) {
            if code[..at].ends_with(|letter: char| is_word(letter) || letter == ':') {
                continue;
            }
            let before = code[..at].trim_end();
            let is_used = before.ends_with("use");
            let visibility =
                before.trim_end_matches("use").trim_end().rsplit(['\n', ';']).next().unwrap_or_default();
            if is_used && start == "self::" && visibility.trim_start().starts_with("pub") {
                continue;
            }
            let end = code[at..].find(|letter: char| !(is_word(letter) || letter == ':'));
            let path = &code[at..end.map_or(code.len(), |end| at + end)];
            let tree = code[at..].split(';').next().unwrap_or_default();
            found.extend(if is_used { paths(tree) } else { vec![path.to_owned()] });
        }
    }
    found
}

/// The names that a module re-exports, each with the path that it has from there.
fn re_exports(code: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for statement in code.split(';') {
        let line = statement.trim_start().rsplit("\n\n").next().unwrap_or_default().trim_start();
        let Some((visibility, tree)) = line.split_once("use ") else { continue };
        if visibility.starts_with("pub") && !visibility.contains(['{', '=']) {
            for path in paths(tree) {
                let name = path.rsplit([':', ' ']).next().unwrap_or_default().to_owned();
                found.insert(name, path.split(" as ").next().unwrap_or_default().to_owned());
            }
        }
    }
    found
}

/// The module that defines what a path leads to, as seen from a module; names that are re-exported are followed.
fn definer(module: &Module, path: &str, texts: &BTreeMap<Module, String>, hops: usize) -> Module {
    let mut target: Module = if path.starts_with("crate") { Vec::new() } else { module.clone() };
    for name in path.split(" as ").next().unwrap_or_default().split("::").map(str::trim) {
        match name {
            "crate" | "self" => {}
            "super" => drop(target.pop()),
            name => {
                target.push(name.to_owned());
                if texts.contains_key(&target) {
                    continue;
                }
                target.pop();
                let there = texts.get(&target).map(|text| re_exports(text)).unwrap_or_default();
                return match there.get(name) {
                    Some(path) if hops > 0 => definer(&target, path, texts, hops - 1),
                    _ => target,
                };
            }
        }
    }
    target
}

/// What each module imports.
fn imports(root: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut files = Vec::new();
    rust_files(root, &mut files);
    // A program beside its library is a crate of its own.
    files.retain(|file| !(file.ends_with("src/main.rs") && root.join("lib.rs").is_file()));
    let texts: BTreeMap<Module, String> = files
        .iter()
        .map(|file| (module_of(file, root), code(&std::fs::read_to_string(file).unwrap())))
        .collect();
    let mut imports: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, text) in &texts {
        for path in inner_paths(text) {
            let target = definer(module, &path, &texts, 8);
            if target != *module {
                imports.entry(module.clone()).or_default().insert(target);
            }
        }
    }
    imports
}

/// A way from a module back to itself, if there is one.
fn cycle(imports: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<String>> {
    let next = |module: &Module| imports.get(module).into_iter().flatten();
    for first in imports.keys() {
        let (mut ways, mut seen) = (vec![vec![first.clone()]], BTreeSet::new());
        while let Some(way) = ways.pop() {
            for target in next(way.last()?) {
                let longer = [way.clone(), vec![target.clone()]].concat();
                if target == first {
                    return Some(
                        longer.iter().map(|module| format!("crate::{}", module.join("::"))).collect(),
                    );
                }
                if seen.insert(target.clone()) {
                    ways.push(longer);
                }
            }
        }
    }
    None
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    let mut circles = Vec::new();
    for name in CRATES {
        let sources = root().join(name).join("src");
        let imports = imports(&sources);
        circles.extend(cycle(&imports).map(|way| format!("{name}: {}", way.join(" → "))));
    }
    assert!(circles.is_empty(), "move what both need into a file of its own:\n{}", circles.join("\n"));
}

#[test]
fn circles_are_found_through_every_kind_of_path() {
    let check = |files: [(&str, &str); 3], expected: bool| {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = root.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        assert_eq!(cycle(&imports(root.path())).is_some(), expected, "{files:?}");
    };
    check(
        [("lib.rs", "mod a;"), ("a.rs", "use crate::{b::{c, d}, e};"), ("b.rs", "fn f() { super::a::g() }")],
        true,
    );
    check([("lib.rs", "pub use self::a::b;"), ("a.rs", "use super::Shared;"), ("b.rs", "")], false);
    check([("lib.rs", "use self::a::b;"), ("a.rs", "use super::Shared;"), ("b.rs", "")], true);
    check(
        [("lib.rs", "mod a; fn f() { a::b() }"), ("a.rs", "use super::Shared;"), ("b.rs", "use crate::a;")],
        false,
    );
    // What is re-exported is used of the file that defines it.
    check(
        [
            ("lib.rs", "mod b;\npub use a::S;"),
            ("a.rs", "struct S;"),
            ("b.rs", "use crate::S; fn f() { super::g() }"),
        ],
        false,
    );
    let tests = "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}";
    check([("lib.rs", ""), ("a.rs", "use crate::b::f; // crate::a"), ("b.rs", tests)], false);
}

/// What a test starts, the words in its file that tell, and the module that it must be in.
const NEEDS: [(&str, &[&str]); 3] = [
    (
        "servers",
        &[
            "Servers::start",
            "RedisServer::start",
            "RabbitServer::start",
            "S3Server::start",
            "RedisCluster::start",
        ],
    ),
    ("browser", &["Browser::start("]),
    ("python", &["python-env.sh", "warc/run.sh", "ontology/run.sh"]),
];

/// `./test quick` leaves tests out by the names of their modules, so a test in the wrong one would need more than it says.
#[test]
fn tests_that_start_something_are_in_the_module_that_says_so() {
    let mut wrong = Vec::new();
    for folder in
        CRATES.map(|name| root().join(name).join("tests")).into_iter().filter(|folder| folder.is_dir())
    {
        let mut files = Vec::new();
        rust_files(&folder, &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let path = file.strip_prefix(root()).unwrap().display().to_string();
            for (module, words) in NEEDS {
                let starts = words.iter().any(|word| text.contains(word));
                let says_so = NEEDS.iter().any(|(module, _)| {
                    path.contains(&format!("/{module}/")) || text.contains(&format!("\nmod {module} {{"))
                });
                // Helpers without tests are called from where it matters.
                if starts && !says_so && text.contains("test]") {
                    wrong.push(format!("{path} starts something of `{module}`"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
