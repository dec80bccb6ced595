//! The API keeps what its description promises, whatever is asked: schemathesis, an independent tester, makes up questions from it.

use std::path::Path;
use std::process::{Command, Output};

use crate::console::{Served, served, token};

/// Questions of each kind for each path.
const QUESTIONS: &str = "40";

/// What cannot be promised: that whatever is spelled rightly names something. An address, a day or a cursor may name nothing.
const NOT_PROMISED: &str = "positive_data_acceptance";

/// An endless answer; `console.rs` listens to it.
const ENDLESS: &str = "/api/v1/events";

#[tokio::test(flavor = "multi_thread")]
async fn the_api_keeps_what_its_description_promises() {
    let served = served().await;
    let description = format!("http://{}/api/v1/openapi.json", served.client.addr);
    let bearer = format!("Authorization: Bearer {}", token(&served, "contract").await);
    let found = asked(&served, &[&description, "--header", &bearer]);
    let said = said(&found);
    assert!(found.status.success(), "{said}");
    // All of them were asked, many times.
    let made = said.split("Test cases:").nth(1).and_then(|rest| rest.split_whitespace().next());
    let made: u64 = made.and_then(|made| made.parse().ok()).unwrap();
    assert!(made > 300 && said.contains("Tested: 11"), "{said}");
    a_broken_promise_is_found(&served).await;
}

/// A description that promises another type than the API gives is refuted.
async fn a_broken_promise_is_found(served: &Served) {
    let mut description = served.client.json("/api/v1/openapi.json").await;
    description["components"]["schemas"]["Articles"]["properties"]["matched"]["type"] = "string".into();
    let file = served.lab.path("promises-too-much.json");
    std::fs::write(&file, description.to_string()).unwrap();
    let server = format!("http://{}", served.client.addr);
    let file = file.display().to_string();
    let found = asked(served, &[&file, "--url", &server, "--include-path", "/api/v1/articles"]);
    assert_eq!(found.status.code(), Some(1), "{}", said(&found));
    assert!(
        said(&found).contains("response_schema_conformance") || said(&found).contains("schema"),
        "{}",
        said(&found)
    );
}

/// Runs schemathesis from the environment that `tests/python-env.sh` makes.
fn asked(served: &Served, what: &[&str]) -> Output {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let made = Command::new(tests.join("python-env.sh"))
        .args(["schemathesis".as_ref(), tests.join("e2e/schemathesis.txt").as_os_str()])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let environment = String::from_utf8(made.stdout).unwrap();
    let mut command = Command::new(Path::new(environment.trim()).join("bin/st"));
    command.arg("run").args(what).args(["--checks", "all", "--exclude-checks", NOT_PROMISED]);
    command.args(["--exclude-path", ENDLESS, "--max-examples", QUESTIONS, "--seed", "1", "--no-color"]);
    // It keeps what it learnt in the folder in which it runs.
    command.current_dir(served.lab.path("")).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
