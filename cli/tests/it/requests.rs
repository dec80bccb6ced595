//! Settings of requests to single sites, and failures of TLS, as an operator sees them.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::target::newslode;

/// Settings with a secret in every place.
const SITES: &str = "['a.test']\ncookies = 'sid=hunter2'\nuser_agent = 'Agreed/hunter2'\n\
                     headers = { X-Key = 'hunter2' }\nproxy = 'http://me:hunter2@proxy.test:3128'\n";

fn write_sites(folder: &Path, text: &str) {
    let path = folder.join("sites.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_sites_are_checked_and_shown_by_their_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let config = "[crawler]\ncontact = 'me@example.org'\nsites_file = 'sites.toml'\n";
    std::fs::write(folder.path().join("c.toml"), config).unwrap();
    let run =
        |arguments: &[&str]| newslode(folder.path(), &[], &[&["--config", "c.toml"], arguments].concat());
    write_sites(folder.path(), SITES);
    for arguments in [["config", "check"].as_slice(), &["config", "show"], &["config", "show", "--json"]] {
        let ended = run(arguments);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert!(!ended.out.contains("hunter2") && !ended.err.contains("hunter2"), "{}", ended.out);
    }
    assert!(run(&["config", "show"]).out.contains("sites_file = \"sites.toml\""));
    write_sites(folder.path(), &format!("{SITES}cookie = 'sid=hunter2'\n['co.uk']\n"));
    let refused = run(&["config", "check"]);
    assert_ne!(refused.code, Some(0), "{}", refused.out);
    for part in ["unknown key `cookie`", "known are `headers`, `cookies`", "belongs to many owners"] {
        assert!(refused.err.contains(part), "{}", refused.err);
    }
    assert!(!refused.err.contains("hunter2") && refused.out.is_empty(), "{}{}", refused.err, refused.out);
}

/// A server that knows no version of TLS which the crawler offers; returns its port.
fn ancient_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut hello = [0; 512];
            // A client that left already is no failure of the test.
            drop(stream.read(&mut hello));
            drop(stream.write_all(&[21, 3, 1, 0, 2, 2, 70]));
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_tls_is_named_by_the_summary_by_status_and_by_explain() {
    let folder = tempfile::tempdir().unwrap();
    let resolve = format!("a.test:127.0.0.1:{}", ancient_server());
    let quickly = [("NEWSLODE__CRAWLER__RETRY_MS", "1"), ("NEWSLODE__CRAWLER__MAX_ATTEMPTS", "1")];
    let run = |arguments: &[&str]| newslode(folder.path(), &quickly, arguments);
    let mine =
        ["mine", "https://a.test/", "--follow", "all", "--contact", "me@example.org", "--resolve", &resolve];
    let ended = run(&mine);
    let meaning = "the server and the crawler share no version of TLS or cipher";
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains(&format!("https://a.test/: {meaning}")), "{}", ended.err);
    assert!(ended.err.contains("TLS 1.2 and 1.3"), "a remedy: {}", ended.err);
    let status = run(&["status"]).out;
    assert!(status.contains("tls_no_common_protocol 1"), "{status}");
    let page = run(&["explain", "https://a.test/"]).out;
    assert!(page.contains(&format!("tls_no_common_protocol: {meaning}")), "{page}");
    let site = run(&["explain", "a.test"]).out;
    assert!(site.contains("tls_no_common_protocol 1"), "{site}");
}
