//! Web archives out and in: what a run exports, other tools read; what it exports, another run mines to the
//! same state, without a network.

use std::collections::BTreeSet;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use newslode_common::store::{Frontier, Kind, PageArchive, SiteState};
use newslode_common::version::ContentHash;
use newslode_common::warc::http::Answer;
use newslode_common::warc::{
    Found, Index, Limits, NewRecord, Packing, Reader, Record, RecordType, Writer, surt,
};
use newslode_page::Params;
use newslode_page::time::Timestamp;
use serde_json::Value;

use crate::lab::{Digests, Lab, digests_in, digests_of, open, small_world};
use crate::services::{Installation, Servers};

/// Arguments that mine a web archive into a run of this name.
fn mining(lab: &Lab, run: &str, archive: &Path) -> Vec<String> {
    let (archive, out) = (archive.display().to_string(), lab.path(run).display().to_string());
    ["mine", "--quiet", "--json", "--follow", "all", "--warc", &archive, "--out", &out]
        .map(str::to_owned)
        .into()
}

/// Mines a world and exports its pages under this name. Returns the run's digests.
async fn exported(lab: &Lab, name: &str) -> (Digests, PathBuf) {
    let (digests, _) = lab.undisturbed(&[]).await;
    let (run, file) = (lab.path("undisturbed"), lab.path(name));
    let format = ["--format", "warc", "--to"];
    let arguments = ["export", "pages", run.to_str().unwrap(), format[0], format[1], format[2]];
    lab.ok(&[&arguments[..], &[file.to_str().unwrap()]].concat()).await;
    (digests, file)
}

fn records(file: &Path) -> Vec<Record> {
    let reader = Reader::open(file, Limits::default()).unwrap();
    let record = |found| match found {
        Ok(Found::Record(record)) => record,
        other => panic!("{other:?}"),
    };
    reader.map(record).collect()
}

/// Names under which the archive may hold something of the counted pages.
async fn contents(store: &(impl SiteState + ?Sized)) -> BTreeSet<ContentHash> {
    let mut contents = BTreeSet::new();
    for (site, _) in store.sites().await.unwrap() {
        for (_, version) in store.pages(&site).await.unwrap() {
            contents.extend([version.content, version.content.seen_by(&Params::default().generation())]);
        }
    }
    contents
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_mined_from_its_own_archive_is_the_same_and_can_be_removed() {
    let lab = Lab::of(small_world(9)).await;
    for name in ["pages.warc.gz", "pages.warc"] {
        let (digests, file) = exported(&lab, name).await;
        let pages = records(&file).len() as u64 - 1;
        let run = format!("from-{name}");
        let summary = lab.json(&mining(&lab, &run, &file)).await;
        assert_eq!(digests_of(&summary), digests, "{name}");
        assert_eq!((&summary["fed"]["pages"], &summary["urls"]), (&pages.into(), &0.into()), "{summary}");
        assert_eq!(summary["fed"]["skipped"], serde_json::json!({ "no_response": 1 }), "{summary}");
        let read = |run: &str| std::fs::read_to_string(lab.path(run).join("articles.jsonl")).unwrap();
        assert_eq!(read(&run), read("undisturbed"), "{name}: the articles differ");

        let again = lab.json(&mining(&lab, &run, &file)).await;
        assert_eq!(digests_of(&again), digests, "{name}");
        assert_eq!((&again["fed"]["pages"], &again["fed"]["skipped"]["counted"]), (&0.into(), &pages.into()));
        lab.ok(&["verify", "--quiet", lab.path(&run).to_str().unwrap()]).await;
        std::fs::remove_dir_all(lab.path("undisturbed")).unwrap();
    }
    let run = lab.path("from-pages.warc");
    let names = {
        let store = open(&run);
        let sites = Frontier::status(&store).await.unwrap();
        assert_eq!(sites.len(), lab.seeds().len());
        assert!(sites.iter().all(|site| site.settings.paused && site.urls == 0), "{sites:?}");
        contents(&store).await
    };
    for seed in lab.seeds() {
        lab.ok(&["seed", "remove", seed, "--dir", run.to_str().unwrap()]).await;
    }
    let store = open(&run);
    assert_eq!((store.sites().await.unwrap(), Frontier::status(&store).await.unwrap()), (vec![], vec![]));
    for name in names {
        for kind in Kind::ALL {
            assert_eq!(store.get(*kind, name).await.unwrap(), None, "{kind:?} {name}");
        }
    }
}

/// Asks an independent reader or writer: see `tests/warc/run.sh`.
fn ask(what: &str, file: &Path, further: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../warc/run.sh");
    let run = Command::new(script).arg(what).arg(file).args(further).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{out}{err}");
    out.into_owned()
}

/// The lines of an index: key, time, and what is said of the capture.
fn index_lines(index: &str) -> Vec<(String, String, Value)> {
    let line = |line: &str| {
        let [key, time, json]: [&str; 3] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        (key.to_owned(), time.to_owned(), serde_json::from_str(json).unwrap())
    };
    index.lines().map(line).collect()
}

/// Addresses of the records that an archive's index leads to, each read alone.
fn found_by_index(archive: &Path) -> BTreeSet<String> {
    let index = std::fs::read_to_string(Index::path(archive)).unwrap();
    assert!(index.lines().is_sorted(), "{index}");
    let bytes = std::fs::read(archive).unwrap();
    let mut found = BTreeSet::new();
    for (key, _, capture) in index_lines(&index) {
        let number = |name: &str| capture[name].as_str().unwrap().parse::<usize>().unwrap();
        let (offset, length) = (number("offset"), number("length"));
        let alone = Cursor::new(bytes[offset..offset + length].to_vec());
        let mut reader = Reader::new(Box::new(alone), "alone", Limits::default()).unwrap();
        let Some(Ok(Found::Record(record))) = reader.next() else { panic!("{capture}") };
        assert!(reader.next().is_none(), "{capture}");
        assert_eq!((record.target(), &*surt(record.target().unwrap())), (capture["url"].as_str(), &*key));
        assert_eq!(capture["digest"].as_str(), record.fields.get("WARC-Payload-Digest"));
        assert!(found.insert(key), "{capture}");
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn indexes_lead_to_every_page_and_can_be_written_again() {
    let lab = Lab::of(small_world(9)).await;
    for name in ["pages.warc.gz", "pages.warc"] {
        let (_, file) = exported(&lab, name).await;
        let pages: BTreeSet<String> = records(&file).iter().filter_map(Record::target).map(surt).collect();
        assert!(pages.len() > 100 && found_by_index(&file) == pages, "{name}");
        let index = Index::path(&file);
        let written = std::fs::read_to_string(&index).unwrap();
        std::fs::remove_file(&index).unwrap();
        let report = lab.json(&["warc", "index", "--json", file.to_str().unwrap()]).await;
        assert_eq!((&report[0]["captures"], &report[0]["left_out"]), (&pages.len().into(), &0.into()));
        assert_eq!(std::fs::read_to_string(&index).unwrap(), written, "{name}");
        std::fs::remove_dir_all(lab.path("undisturbed")).unwrap();
    }
    // What can be read is in the index, what cannot be is told.
    let pages = [("http://a.test/x", THEN, "<h1>One</h1>"), ("http://a.test/y", THEN, "<h1>Two</h1>")];
    let packed = warc(Packing::Gzip, &pages);
    let mut shared = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    shared.write_all(&warc(Packing::Plain, &pages)).unwrap();
    let folder = lab.path("folder");
    std::fs::create_dir_all(folder.join("below")).unwrap();
    for (name, bytes) in [
        ("below/whole.warc.gz", packed.clone()),
        ("cut.warc.gz", packed[..packed.len() - 9].to_vec()),
        ("foreign.warc", b"<!doctype html>".to_vec()),
        ("shared.warc.gz", shared.finish().unwrap()),
    ] {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let ended = lab.run(&["warc", "index", folder.to_str().unwrap()]).await;
    assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
    for words in ["2 of 4 files", "cut.warc.gz` is cut off", "foreign.warc` is not a web archive"] {
        assert!(ended.err.contains(words), "{words} is not in {}", ended.err);
    }
    let counts = ["whole.warc.gz.cdxj: 2 captures; left out: 0", "cut.warc.gz.cdxj: 1 captures; left out: 0"];
    for words in counts.into_iter().chain(["shared.warc.gz.cdxj: 0 captures; left out: 2"]) {
        assert!(ended.out.contains(words), "{words} is not in {}", ended.out);
    }
    assert_eq!(found_by_index(&folder.join("cut.warc.gz")), BTreeSet::from(["test,a)/x".to_owned()]));
    assert!(!Index::path(&folder.join("foreign.warc")).exists());
    let shared = lab.run(&["warc", "index", folder.join("shared.warc.gz").to_str().unwrap()]).await;
    assert!(shared.code == Some(1) && shared.err.contains("share a packed member"), "{}", shared.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_feed_resumes_and_ends_in_the_same_state() {
    let lab = Lab::of(small_world(9)).await;
    let (digests, file) = exported(&lab, "pages.warc.gz").await;
    // However fast the machine is, the import must not be over when it is stopped.
    let begin = std::time::Instant::now();
    assert_eq!(digests_of(&lab.json(&mining(&lab, "whole", &file)).await), digests);
    let whole = begin.elapsed();
    let mining = mining(&lab, "killed", &file);
    for part in [10, 5, 3] {
        let mut process = lab.start(&mining);
        tokio::time::sleep(whole / part).await;
        process.kill();
    }
    // A stop is no error, and the next run goes on.
    let mut process = lab.start(&mining);
    tokio::time::sleep(whole / 4).await;
    process.terminate();
    let ended = process.end(Duration::from_secs(30)).await;
    assert_eq!(ended.code, Some(130), "{}{}", ended.out, ended.err);
    let summary = lab.json(&mining).await;
    assert_eq!(digests_of(&summary), digests);
    lab.ok(&["verify", "--quiet", lab.path("killed").to_str().unwrap()]).await;
}

/// A response with this page.
fn write(writer: &mut Writer<Vec<u8>>, url: &str, at: u64, page: &str) {
    let head = "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\n\n";
    let block = [head, page].concat();
    let record = NewRecord {
        kind: RecordType::Response,
        date: Timestamp(at),
        target: Some(url),
        content_type: "application/http; msgtype=response",
        fields: &[],
        block: block.as_bytes(),
        payload_at: Some(head.len()),
    };
    writer.write(&record).unwrap();
}

fn warc(packing: Packing, pages: &[(&str, u64, &str)]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), packing);
    pages.iter().for_each(|(url, at, page)| write(&mut writer, url, *at, page));
    writer.finish().unwrap()
}

/// 2020-09-13.
const THEN: u64 = 1_600_000_000_000;

#[tokio::test(flavor = "multi_thread")]
async fn of_several_captures_the_newest_counts_in_any_order_and_only_of_the_sites_asked_for() {
    let lab = Lab::of(small_world(9)).await;
    let older = [("http://a.test/x", THEN, "<h1>Old</h1>"), ("http://a.test/y", THEN, "<h1>Kept</h1>")];
    let newer =
        [("http://a.test/x", THEN + 1_000, "<h1>New</h1>"), ("http://b.test/", THEN, "<h1>Else</h1>")];
    let (one, other) = (lab.path("one.warc"), lab.path("other.warc.gz"));
    std::fs::write(&one, warc(Packing::Plain, &older)).unwrap();
    std::fs::write(&other, warc(Packing::Gzip, &newer)).unwrap();
    let (one, other) = (one.to_str().unwrap(), other.to_str().unwrap());
    let mut digests = Vec::new();
    for (run, files) in [("1", [one, other]), ("2", [other, one])] {
        let out = lab.path(run);
        let fixed =
            ["mine", "--quiet", "--json", "--out", out.to_str().unwrap(), "--site", "www.a.test", "--warc"];
        // The first of these skips all, and changes nothing.
        let until = [&fixed[..], &files[..], &["--until", "2020-09-12"]].concat();
        let ended = lab.run(&until).await;
        assert!(ended.code == Some(1) && ended.err.contains("3 of other dates"), "{}", ended.err);
        let summary = lab.json(&[&fixed[..], &files[..], &["--since", "2020-09-13"]].concat()).await;
        assert_eq!(summary["fed"]["skipped"], serde_json::json!({ "other_site": 1 }), "{summary}");
        let store = open(&out);
        digests.push(digests_in(&store).await);
        let (site, _) = store.sites().await.unwrap().swap_remove(0);
        let pages = store.pages(&site).await.unwrap();
        let fetches: Vec<u64> = pages.iter().map(|(_, version)| version.fetch).collect();
        assert_eq!((site.as_str(), fetches), ("a.test", vec![THEN + 1_000, THEN]));
    }
    assert_eq!(digests[0], digests[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_archives_are_told_with_name_and_place() {
    let lab = Lab::of(small_world(9)).await;
    let pages = [("http://a.test/x", THEN, "<h1>One</h1>"), ("http://a.test/y", THEN, "<h1>Two</h1>")];
    let (plain, packed) = (warc(Packing::Plain, &pages), warc(Packing::Gzip, &pages));
    let first = warc(Packing::Gzip, &pages[..1]).len();
    let huge = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 10000000000\r\n\r\nshort\r\n\r\n";
    let image = warc(Packing::Plain, &[("http://a.test/x", THEN, " ")]);
    // Name, content, pages that count, exit code.
    let cases = [
        ("empty.warc", Vec::new(), 0, 1),
        ("no.warc", b"<!doctype html>".to_vec(), 0, 1),
        ("cut.warc", plain[..plain.len() - 30].to_vec(), 1, 1),
        ("cut.warc.gz", packed[..first + 90].to_vec(), 1, 1),
        ("bad.warc.gz", [&packed[..], b"garbage"].concat(), 2, 1),
        ("huge.warc", [&huge[..], &plain].concat(), 2, 0),
        ("last.warc", [&plain[..], huge].concat(), 2, 1),
        ("nothing.warc", image, 0, 1),
    ];
    let words = [
        "empty.warc` is empty".to_owned(),
        "no.warc` is not a web archive: it begins with `<!doctype html>`".into(),
        "cut.warc` is cut off".into(),
        format!(
            "cut.warc.gz` is cut off: the record at byte {first} is not whole; 1 records stand before it"
        ),
        format!("bad.warc.gz` is broken at byte {}, after 2 records", packed.len()),
        String::new(),
        format!("last.warc` is cut off: the record at byte {}", plain.len()),
        "the files hold no page: 1 records, 0 pages of 0 sites; skipped: 1 empty".into(),
    ];
    for ((name, bytes, wanted, code), words) in cases.into_iter().zip(words) {
        let (file, out) = (lab.path(name), lab.path(&format!("{name}-run")));
        std::fs::write(&file, bytes).unwrap();
        let arguments = ["mine", "--quiet", "--out", out.to_str().unwrap(), "--warc", file.to_str().unwrap()];
        let ended = lab.run(&arguments).await;
        assert_eq!(ended.code, Some(code), "{name}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(&words), "{name}: {words} is not in {}", ended.err);
        let counted = if out.exists() { contents(&open(&out)).await.len() / 2 } else { 0 };
        assert_eq!(counted, wanted, "{name}: {}", ended.out);
    }
    let missing = lab.run(&["mine", "--warc", "/no/such.warc"]).await;
    assert!(
        missing.code == Some(1) && missing.err.contains("cannot open `/no/such.warc`"),
        "{}",
        missing.err
    );
    // Among others, a damaged file costs only itself.
    let (folder, out) = (lab.path("folder"), lab.path("folder-run"));
    std::fs::create_dir(&folder).unwrap();
    for (name, bytes) in [("a.warc", &[][..]), ("b.warc.gz", &packed), ("c.arc", b"no archive")] {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let arguments = ["mine", "--quiet", "--out", out.to_str().unwrap(), "--warc", folder.to_str().unwrap()];
    let ended = lab.run(&arguments).await;
    assert!(ended.code == Some(1) && ended.err.contains("2 of 3 files"), "{}", ended.err);
    assert!(
        ended.err.contains("a.warc` is empty") && ended.err.contains("c.arc` is not a web archive"),
        "{}",
        ended.err
    );
    assert_eq!(contents(&open(&out)).await.len() / 2, 2);
    let dated = |dates: [&'static str; 2]| [&arguments[..], &dates[..]].concat();
    let ended = lab.run(&dated(["--since", "2020-13-01"])).await;
    assert!(
        ended.code == Some(2) && ended.err.contains("expected a day such as 2024-05-01"),
        "{}",
        ended.err
    );
    let unread = lab.run(&["mine", "--until", "2020-09-12", "http://a.test"]).await;
    assert!(unread.code == Some(1) && unread.err.contains("where the past begins"), "{}", unread.err);
    let both = lab.run(&["mine", "http://a.test", "--warc", "x.warc"]).await;
    assert_eq!(both.code, Some(2), "{}", both.err);
}

/// Tests that ask warcio, cdxj-indexer, wacz and pywb.
mod python {
    use super::*;

    /// Our index of an archive is that of cdxj-indexer, but for answers without a page.
    fn assert_same_index(archive: &Path) {
        let ours = index_lines(&std::fs::read_to_string(Index::path(archive)).unwrap());
        let mut theirs = index_lines(&ask("index", archive, &[]));
        theirs.retain(|(_, _, capture)| capture["status"] != "304");
        assert!(!ours.is_empty());
        let sorted = |mut lines: Vec<(String, String, Value)>| {
            lines.sort_by_key(|(key, time, capture)| {
                (key.clone(), time.clone(), capture["offset"].to_string())
            });
            lines
        };
        for (ours, theirs) in sorted(ours.clone()).iter().zip(&sorted(theirs.clone())) {
            assert_eq!(ours, theirs);
        }
        assert_eq!(ours.len(), theirs.len());
    }

    /// Address and title of a page in UTF-8.
    fn titled_page(archive: &Path) -> (String, String) {
        let page = records(archive).into_iter().find_map(|record| {
            let answer = Answer::parse(&record.block).filter(|answer| answer.status == 200)?;
            let body = String::from_utf8(answer.body(&record.block, 1 << 20).ok()?).ok()?;
            let title = body.split_once("<title>")?.1.split_once("</title>")?.0.to_owned();
            (record.kind == Some(RecordType::Response)).then(|| (record.target().unwrap().to_owned(), title))
        });
        page.unwrap()
    }

    /// pywb shows this page, and none of another address.
    fn assert_replayed(given: &Path, url: &str, words: &str) {
        let lines = ask("replay", given, &[url, "http://nowhere.test/"]);
        let shown: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&shown[0]["status"], &shown[1]["status"]), (&200.into(), &404.into()), "{lines}");
        assert!(shown[0]["body"].as_str().unwrap().contains(words), "{words} is not in {lines}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_package_is_valid_and_is_replayed() {
        let lab = Lab::of(small_world(9)).await;
        let (_, archive) = exported(&lab, "pages.warc.gz").await;
        assert_same_index(&archive);
        let (run, package) = (lab.path("undisturbed"), lab.path("pages.wacz"));
        let (run, to) = (run.to_str().unwrap(), package.to_str().unwrap());
        lab.ok(&["export", "pages", run, "--format", "wacz", "--to", to]).await;
        let said = ask("validate", &package, &[]);
        assert!(said.contains("Validation succeeded, the passed WACZ is valid"), "{said}");
        let (url, title) = titled_page(&archive);
        assert_replayed(&package, &url, &title);
        let refused = lab.run(&["export", "pages", run, "--format", "wacz"]).await;
        assert!(refused.code == Some(1) && refused.err.contains("--to pages.wacz"), "{}", refused.err);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_archive_of_another_writer_gets_the_index_of_another_indexer() {
        let lab = Lab::of(small_world(9)).await;
        for name in ["theirs.warc.gz", "theirs.warc"] {
            let file = lab.path(name);
            ask("write", &file, &[]);
            lab.ok(&["warc", "index", file.to_str().unwrap()]).await;
            assert_same_index(&file);
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_run_mined_from_what_its_crawler_kept_is_the_same() {
        let lab = Lab::of(small_world(9)).await;
        let (folder, config) = (lab.path("kept"), lab.path("warc.toml"));
        std::fs::write(&config, format!("[archive]\nwarc = {:?}\n", folder.to_str().unwrap())).unwrap();
        let (digests, _) = lab.undisturbed(&["--config", config.to_str().unwrap()]).await;
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let [file, index] = &files[..] else { panic!("{files:?}") };
        assert_eq!(file.extension().unwrap(), "gz", "it was ended");
        assert_eq!(*index, Index::path(file));
        assert_same_index(file);
        let (url, title) = titled_page(file);
        assert_replayed(&folder, &url, &title);
        let theirs: Vec<Value> =
            ask("read", file, &[]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of = |kind: &str| theirs.iter().filter(|record| record["type"] == kind).count();
        let answers = of("response") + of("revisit");
        assert!(answers > 100 && of("request") == answers, "{answers} answers, {} requests", of("request"));
        let summary = lab.json(&mining(&lab, "from-kept", file)).await;
        assert_eq!(digests_of(&summary), digests, "{summary}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_an_independent_writer_wrote_is_mined() {
        let lab = Lab::of(small_world(9)).await;
        for name in ["theirs.warc.gz", "theirs.warc"] {
            let file = lab.path(name);
            ask("write", &file, &[]);
            let run = format!("from-{name}");
            let summary = lab.json(&mining(&lab, &run, &file)).await;
            // Two for each answer, and four others.
            assert_eq!(
                (&summary["fed"]["records"], &summary["fed"]["pages"]),
                (&18.into(), &7.into()),
                "{summary}"
            );
            let skipped = serde_json::json!({ "no_response": 9, "revisit": 1, "other_status": 1 });
            assert_eq!(summary["fed"]["skipped"], skipped, "{summary}");
            let out = lab.path("again.warc");
            let run = lab.path(&run);
            lab.ok(&["export", "pages", run.to_str().unwrap(), "--to", out.to_str().unwrap()]).await;
            let mut bodies = BTreeSet::new();
            for record in records(&out) {
                let Some(answer) = Answer::parse(&record.block) else { continue };
                let body = String::from_utf8(answer.body(&record.block, 1_000).unwrap()).unwrap();
                let name = record.target().unwrap().rsplit('/').next().unwrap().to_owned();
                assert!(body.starts_with(&format!("<!doctype html><title>{name}</title>")), "{name}: {body}");
                assert_eq!(record.fields.get("WARC-Date"), Some("2020-09-13T12:26:40Z"));
                bodies.insert(name);
            }
            let wanted = ["plain", "gzip", "deflate", "chunks", "both", "decoded", "resource"];
            assert_eq!(bodies, wanted.map(str::to_owned).into());
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_independent_reader_sees_the_same_records() {
        let lab = Lab::of(small_world(9)).await;
        let (_, file) = exported(&lab, "pages.warc.gz").await;
        let lines = ask("read", &file, &[]);
        let theirs: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let ours = records(&file);
        assert!(ours.len() > 100 && theirs.len() == ours.len(), "{} and {}", ours.len(), theirs.len());
        let ids: BTreeSet<&str> = theirs.iter().map(|record| record["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), ours.len(), "a record's name is its own");
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(theirs["type"], ours.kind.unwrap().name());
            assert_eq!(theirs["date"].as_str(), ours.fields.get("WARC-Date"));
            let length = match Answer::parse(&ours.block) {
                Some(answer) => {
                    assert_eq!(
                        (theirs["status"].as_str(), theirs["url"].as_str()),
                        (Some("200"), ours.target())
                    );
                    assert_eq!(theirs["content_type"].as_str(), answer.content_type());
                    answer.body(&ours.block, usize::MAX >> 1).unwrap().len()
                }
                None => ours.block.len(),
            };
            assert_eq!(theirs["bytes"], length);
        }
    }
}

/// Tests over RabbitMQ and Redis.
mod servers {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn the_services_come_to_the_same_when_they_are_fed() {
        let lab = Lab::of(small_world(9)).await;
        let (digests, file) = exported(&lab, "pages.warc.gz").await;
        let servers = Servers::start().await;
        let mut services = Installation::new(&lab, &servers, "fed", 0);
        services.start_all();
        services.ready().await;
        let fed = lab.json(&services.asking(&["warc", "feed", "--json", file.to_str().unwrap()])).await;
        assert_eq!(fed["pages"], records(&file).len() - 1, "{fed}");
        services.comes_to(&digests).await;
        services.no_dead_letters().await;
        services.proved().await;
        let again = lab.json(&services.asking(&["warc", "feed", "--json", file.to_str().unwrap()])).await;
        assert_eq!((&again["pages"], &again["skipped"]["counted"]), (&0.into(), &fed["pages"]), "{again}");
        assert!(crate::lab::outcomes_in(&services.store().await).await.is_empty(), "something was fetched");
        services.stop().await;
    }
}
