//! HTTPS of the console: the certificate is renewed on disk while it serves.

use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::lab::{Lab, small_world};
use crate::process::{LOOK, Process};
use crate::services::SOON;

/// A certificate that vouches for itself, and its key.
struct Pair {
    cert: PathBuf,
    key: PathBuf,
}

impl Pair {
    fn new(lab: &Lab, name: &str) -> Pair {
        let pair = Pair { cert: lab.path(&format!("{name}.crt")), key: lab.path(&format!("{name}.key")) };
        let made = Command::new("openssl")
            .args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(' '))
            .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-subj", &format!("/CN={name}")])
            .arg("-keyout")
            .arg(&pair.key)
            .arg("-out")
            .arg(&pair.cert)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        pair
    }
}

/// A console that serves HTTPS from the files `tls.crt` and `tls.key`.
struct Served<'a> {
    lab: &'a Lab,
    process: Process,
    addr: SocketAddr,
}

impl Served<'_> {
    async fn start<'a>(lab: &'a Lab, first: &Pair) -> Served<'a> {
        let (cert, key) = (lab.path("tls.crt"), lab.path("tls.key"));
        put(&first.cert, &cert, 0o644);
        put(&first.key, &key, 0o600);
        let run = lab.path("run").display().to_string();
        let (cert, key) = (cert.display().to_string(), key.display().to_string());
        let arguments = ["serve", &run, "--addr", "127.0.0.1:0", "--tls-cert", &cert, "--tls-key", &key];
        let mut process = lab.start(&arguments);
        process.printed("https://").await;
        let said = process.out();
        let addr = said.split("https://").nth(1).unwrap().split('/').next().unwrap();
        let addr = SocketAddr::from(([127, 0, 0, 1], addr.rsplit(':').next().unwrap().parse().unwrap()));
        let served = Served { lab, process, addr };
        served.until_it_answers(first).await;
        served
    }

    /// Asks for a page as a client that trusts this certificate alone. `None`: the console showed another one.
    fn ask(&self, trusted: &Pair) -> Option<String> {
        let mut client = Command::new("openssl")
            .args(["s_client", "-quiet", "-verify_return_error", "-verify_ip", "127.0.0.1"])
            .args(["-connect", &self.addr.to_string(), "-CAfile"])
            .arg(&trusted.cert)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.addr);
        // It ends before it reads this if it does not trust the console.
        client.stdin.as_mut().unwrap().write_all(request.as_bytes()).ok();
        let ended = client.wait_with_output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        match ended.status.success() {
            true => Some(out.lines().next().unwrap_or_default().to_owned()),
            false => {
                assert!(err.contains("verif"), "{err}");
                None
            }
        }
    }

    /// Waits until the console shows this certificate and its page.
    async fn until_it_answers(&self, trusted: &Pair) {
        let begun = Instant::now();
        while self.ask(trusted).as_deref() != Some(OK) {
            assert!(begun.elapsed() < SOON, "the console never answers\n{}", self.process.tail());
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn until_it_says(&self, words: &str, times: usize) {
        let begun = Instant::now();
        while self.process.tail().matches(words).count() < times {
            assert!(begun.elapsed() < SOON, "it never says `{words}`\n{}", self.process.tail());
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Puts a file in the place of another, as programs that renew certificates do.
fn put(from: &Path, to: &Path, mode: u32) {
    let beside = to.with_extension("new");
    std::fs::copy(from, &beside).unwrap();
    std::fs::set_permissions(&beside, std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::rename(beside, to).unwrap();
}

const OK: &str = "HTTP/1.1 200 OK";
const BROKEN: &str = "the certificate changed, but cannot be read";

#[tokio::test]
async fn a_console_takes_a_renewed_certificate_and_keeps_the_last_one_that_fits() {
    let lab = Lab::of(small_world(3)).await;
    lab.ok(&lab.mining("run", &[])).await;
    let [first, second, third] = ["first", "second", "third"].map(|name| Pair::new(&lab, name));
    let mut served = Served::start(&lab, &first).await;
    let (cert, key) = (served.lab.path("tls.crt"), served.lab.path("tls.key"));
    let answers = Some(OK.to_owned());
    assert_eq!((served.ask(&first), served.ask(&second)), (answers.clone(), None));

    // A certificate without its key is half of a renewal.
    put(&second.cert, &cert, 0o644);
    served.until_it_says(BROKEN, 1).await;
    assert_eq!(
        (served.ask(&first), served.ask(&second)),
        (answers.clone(), None),
        "{}",
        served.process.tail()
    );
    put(&second.key, &key, 0o600);
    served.until_it_answers(&second).await;
    assert_eq!(served.ask(&first), None);

    // Nor does it take a file that is none, or a key that others may read.
    std::fs::write(&cert, "-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n").unwrap();
    served.until_it_says(BROKEN, 2).await;
    assert_eq!(served.ask(&second), answers);
    put(&third.cert, &cert, 0o644);
    put(&third.key, &key, 0o644);
    served.until_it_says(BROKEN, 3).await;
    assert_eq!((served.ask(&second), served.ask(&third)), (answers.clone(), None));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    served.until_it_answers(&third).await;
    assert_eq!(served.ask(&second), None);

    served.process.terminate();
    assert_eq!(served.process.end(SOON).await.code, Some(0), "{}", served.process.tail());
}
