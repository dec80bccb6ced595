//! The library stays pure: it depends on nothing that runs tasks, talks to servers, keeps files or logs.
//!
//! `page/clippy.toml` lists what its own code may not call; this test checks the dependencies.

use std::process::Command;

/// Crates that this library may not depend on.
const BANNED: [&str; 4] = [
    // Tasks and threads.
    "async-trait futures futures-util mio rayon tokio tokio-util",
    // Servers and the network.
    "axum h2 hyper lapin object_store redis reqwest rustls socket2",
    // Files, configuration and the terminal.
    "clap config indicatif redb tempfile",
    // For services and binaries only.
    "anyhow newslode-common prometheus tracing tracing-subscriber",
];

/// The names of all crates in the library's dependency tree, its own included.
fn dependencies() -> Vec<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = "tree --package newslode-page --edges normal --prefix none --locked --offline";
    let run = Command::new(cargo)
        .args(arguments.split(' '))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let tree = String::from_utf8_lossy(&run.stdout);
    tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn nothing_below_runs_tasks_or_talks_to_servers() {
    let found = dependencies();
    assert!(found.iter().any(|name| name == "html5ever"), "this is not the library's tree: {found:?}");
    let banned: Vec<_> = found
        .iter()
        .filter(|name| BANNED.iter().any(|line| line.split(' ').any(|banned| banned == *name)))
        .collect();
    assert!(
        banned.is_empty(),
        "newslode-page is pure, and may not depend on {banned:?}: see `cargo tree --invert`"
    );
}
