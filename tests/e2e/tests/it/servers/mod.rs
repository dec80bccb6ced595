//! Tests that start RabbitMQ, Redis or an S3 server. Their names begin with `servers::`, by which `./test quick` leaves
//! them out and `./test servers` runs them, a few at a time.

mod copies;
mod dashboard;
mod documented;
mod examples;
mod faults;
mod filing;
mod news;
mod outputs;
mod removal;
mod restore;
mod rights;
mod s3;
mod seeds;
mod served;
mod tls;
mod traces;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python in which examples that talk to RabbitMQ run.
fn python() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let made = Command::new(root.join("tests/python-env.sh"))
        .args(["examples".as_ref(), root.join("python/examples/requirements.txt").as_os_str()])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Path::new(String::from_utf8(made.stdout).unwrap().trim()).join("bin/python")
}
