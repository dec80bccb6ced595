//! `mining` has no effects: its results depend on its arguments alone, so that it may run anywhere, and
//! twice.
//!
//! The compiler cannot check that inside one crate, so this test reads the files. Tests in them are exempt.

use std::path::{Path, PathBuf};

/// Crates that have no effects, or none that `mining` can reach by a path that is not forbidden.
const CRATES: [&str; 12] = [
    "crate",
    "newslode_page",
    "oxjsonld",
    "oxrdf",
    "oxrdfxml",
    "oxttl",
    "rustc_hash",
    "self",
    "serde",
    "std",
    "super",
    "unicode_normalization",
];

/// Names that may not occur in code: files, network, processes, the time, tasks, logs, and `work` above it.
const FORBIDDEN: [&str; 16] = [
    ".await",
    "Instant::",
    "SystemTime",
    "anyhow::",
    "async ",
    "crate::work",
    "newslode_common",
    "println!",
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "super::work",
    "tokio",
    "tracing",
];

/// The one thing of `newslode_common` that has no effects.
const UNPACKING: &str = "use newslode_common::compression::decompress;";

/// The forbidden names in a file.
fn offences(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let is_code = |line: &&str| !line.starts_with("//") && !line.starts_with(UNPACKING);
    let code: Vec<&str> = code.lines().map(str::trim).filter(is_code).collect();
    let is_module = |name: &str| code.iter().any(|line| line.ends_with(&format!("mod {name};")));
    let mut found = Vec::new();
    for line in &code {
        found.extend(FORBIDDEN.iter().filter(|word| line.contains(**word)).map(|word| (*word).to_owned()));
        let Some((_, path)) = line.split_once("use ").filter(|(before, _)| {
            before.is_empty() || before.starts_with("pub") && before.ends_with([' ', ')'])
        }) else {
            continue;
        };
        let name: String =
            path.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        if !CRATES.contains(&name.as_str()) && !is_module(&name) {
            found.push(name);
        }
    }
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.file_name().unwrap() != "tests.rs" {
            found.push(path);
        }
    }
    found
}

#[test]
fn mining_code_is_pure() {
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mining"));
    assert!(files.len() > 20, "the tree has moved: {files:?}");
    for file in files {
        let found = offences(&std::fs::read_to_string(&file).unwrap());
        let file = file.display();
        assert!(found.is_empty(), "{file} names {found:?}: pass the value in, or let `work` do it");
    }
}

#[test]
fn the_purity_check_finds_every_effect() {
    let check = |text: &str, wanted: &[&str]| assert_eq!(offences(text), wanted, "{text}");
    check("use newslode_common::store::SiteState;\n", &["newslode_common", "newslode_common"]);
    check("pub use redb::Database;\n", &["redb"]);
    check("use crate::work::parts::Parts;\n", &["crate::work"]);
    check("fn now() -> u64 {\n    std::time::SystemTime::now()\n}\n", &["SystemTime"]);
    check("pub async fn read() {}\n", &["async "]);
    check("// Instant\nmod forms;\npub(crate) use forms::Written;\nuse std::sync::Arc;\n", &[]);
    check("fn pure() {}\n\n#[cfg(test)]\nmod tests {\n    use proptest::prelude::*;\n}\n", &[]);
}
