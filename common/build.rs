//! Passes on which compiler builds the program, for the metric `newslode_build_info`.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc).arg("--version").output().ok();
    // As in `rustc 1.95.0 (59807616e 2026-04-14)`.
    let told = asked.and_then(|asked| String::from_utf8(asked.stdout).ok()).unwrap_or_default();
    println!("cargo::rustc-env=NEWSLODE_RUSTC={}", told.split_whitespace().nth(1).unwrap_or("unknown"));
}
