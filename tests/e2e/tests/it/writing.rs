//! What people change from the console: corrected articles, seeds, dead letters, and who may.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::attack::escaped;
use crate::bad_input::{dead, publish};
use crate::client::{Answer, Client, encoded};
use crate::lab::{Lab, small_world};
use crate::letters::{FRONT, Lettered, MARK, SITE, STORIES};
use crate::process::{LOOK, Process};
use crate::services::{Installation, SOON, Servers};

const TOKEN: &str = "a token that nobody guesses";

/// A console that runs.
pub(crate) struct Served {
    process: Process,
    pub(crate) client: Client,
}

impl Served {
    /// Without a session.
    pub(crate) async fn start(lab: &Lab, arguments: &[&str]) -> Served {
        let file = lab.path("sign-in").display().to_string();
        let mut process = lab.start(&[arguments, &["--renew", "1", "--sign-in-file", &file]].concat());
        process.printed("http://").await;
        let addr = process.out().split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        let port = addr.rsplit(':').next().unwrap();
        let client = Client::new(format!("127.0.0.1:{port}").parse().unwrap());
        let served = Served { process, client };
        served.until("the first look", async || served.client.get("/").await.status == 200).await;
        served
    }

    /// With a session that the one-time address of the start began.
    async fn signed_in(lab: &Lab, arguments: &[&str]) -> Served {
        let mut served = Served::start(lab, arguments).await;
        let secret = served.one_time_path(lab).rsplit('/').next().unwrap().to_owned();
        let signed = served.client.post("/session/once", &[], &[("secret", &secret)]).await;
        assert_eq!(signed.status, 303, "{}", signed.body);
        served.client.cookie = Some(cookie_of(&signed));
        served
    }

    /// The path of the one-time address, which only its file tells.
    pub(crate) fn one_time_path(&self, lab: &Lab) -> String {
        let file = lab.path("sign-in");
        let address = std::fs::read_to_string(&file).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let path = address.trim().split_once("/session/").unwrap().1;
        assert!(!self.process.out().contains(path) && !self.process.tail().contains(path));
        format!("/session/{path}")
    }

    async fn until(&self, what: &str, is_so: impl AsyncFn() -> bool) {
        let begun = Instant::now();
        while !is_so().await {
            assert!(begun.elapsed() < SOON, "{what} never comes\n{}", self.process.tail());
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The articles of the site with letters.
    async fn articles(&self) -> Vec<Value> {
        let answer = self.client.json(&format!("/api/v1/articles?site={SITE}&limit=200")).await;
        answer["articles"].as_array().unwrap().clone()
    }

    pub(crate) async fn end(mut self) {
        self.process.terminate();
        assert_eq!(self.process.end(SOON).await.code, Some(0), "{}", self.process.tail());
    }
}

/// The cookie that an answer sets.
fn cookie_of(answer: &Answer) -> String {
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    cookie.split(';').next().unwrap().to_owned()
}

/// The value of a form's field on a page.
fn field(answer: &Answer, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let value = answer.body.split(&start).nth(1).and_then(|rest| rest.split('"').next());
    value.unwrap_or_else(|| panic!("no field `{name}`: {}", answer.body)).to_owned()
}

/// The page to which a form leads.
async fn followed(client: &Client, answer: &Answer) -> Answer {
    assert_eq!(answer.status, 303, "{}", answer.body);
    client.get(answer.header("location").unwrap()).await
}

fn text(article: &Value) -> String {
    let blocks = article["body"].as_array().unwrap();
    blocks.iter().map(|block| block["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n\n")
}

fn has_letters(article: &Value) -> bool {
    text(article).contains(MARK)
}

#[tokio::test(flavor = "multi_thread")]
async fn people_change_a_run_from_the_console() {
    let mut seeds = small_world(3).seeds();
    seeds.push(FRONT.into());
    let lab = Lab::serving(Lettered(small_world(3)), &seeds).await;
    lab.ok(&lab.mining("run", &[])).await;
    let run = lab.path("run").display().to_string();
    let served = Served::signed_in(&lab, &["serve", &run, "--addr", "127.0.0.1:0"]).await;
    the_one_time_address_is_used_up(&lab, &served).await;
    a_corrected_article_teaches_its_site(&served).await;
    a_concept_is_corrected_from_its_page(&served).await;
    forms_of_strangers_are_refused(&served).await;
    sites_are_added_changed_and_removed(&served).await;
    what_is_followed_is_new_on_the_first_page(&lab, &served).await;
    tokens_come_and_go_while_the_console_runs(&lab, &run, &served).await;
    the_log_says_who_did_what(&served).await;
    served.end().await;

    let file = lab.path("token").display().to_string();
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let ended = lab.run(&["serve", &run, "--token-file", &file]).await;
    assert!(ended.code == Some(1) && ended.err.contains("chmod 600"), "{:?} {}", ended.code, ended.err);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let guarded = Served::start(&lab, &["serve", &run, "--addr", "127.0.0.1:0", "--token-file", &file]).await;
    assert!(!lab.path("sign-in").exists(), "there is a token already");
    the_token_opens_a_session(&guarded).await;
    programs_send_seeds(&guarded, TOKEN).await;
    programs_correct_the_taxonomy(&guarded, TOKEN).await;
    guarded.end().await;

    let open = Served::start(&lab, &["serve", &run, "--addr", "0.0.0.0:0"]).await;
    nobody_may_write(&open).await;
    open.end().await;
    assert!(!lab.path("sign-in").exists(), "the unused address is left behind");
    std::fs::write(&file, "short").unwrap();
    let ended = lab.run(&["serve", &run, "--token-file", &file]).await;
    assert!(ended.code == Some(1) && ended.err.contains("openssl rand"), "{:?} {}", ended.code, ended.err);

    readers_are_asked_for_a_token(&lab, &run).await;
    a_socket_is_trusted_and_alone_if_it_is_named_alone(&lab, &run).await;
}

async fn the_one_time_address_is_used_up(lab: &Lab, served: &Served) {
    assert!(!lab.path("sign-in").exists());
    let again = served.client.post("/session/once", &[], &[("secret", "guess")]).await;
    assert!(again.status == 401 && again.body.contains("newslode token add"), "{}", again.body);
}

/// Words and a concept are followed by forms, are in a file of the folder, and alone count on the first page.
async fn what_is_followed_is_new_on_the_first_page(lab: &Lab, served: &Served) {
    let client = &served.client;
    let file = lab.path("run/console-follows.toml");
    let form = client.get("/following").await;
    let mark = field(&form, "mark");
    let matched = async |query: &str| {
        client.json(&format!("/api/v1/articles?limit=1&{query}")).await["matched"].as_u64().unwrap()
    };
    let all = matched("").await;
    let words = format!("\"{MARK}\" -zzz");
    let of_words = matched(&format!("q={}", encoded(&words))).await;
    let of_site = matched(&format!("q={}", encoded("zzzunheardof"))).await;
    assert!(of_words < all && of_site == 0);
    let saved =
        [("mark", mark.as_str()), ("act", "save"), ("words", words.as_str()), ("labels", "zzz\r\n\r\n")];
    let told = followed(client, &client.post("/following", &[], &saved).await).await;
    assert!(told.body.contains("What is followed was changed"), "{}", told.body);
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("labels = [\"zzz\"]") && kept.contains(MARK), "{kept}");
    let page = client.get("/").await.body;
    assert!(page.contains(&format!("data-new=\"{of_words}\"")) && page.contains("What you follow"), "{page}");
    assert!(page.contains("/articles.atom?label=zzz"), "{page}");
    // The button of a page on one thing.
    let scope = format!("/?q={}", encoded(&words));
    assert!(client.get(&scope).await.body.contains("No longer follow this"));
    let left = [("mark", mark.as_str()), ("act", "leave"), ("q", words.as_str())];
    followed(client, &client.post("/following", &[], &left).await).await;
    assert!(client.get(&scope).await.body.contains(">Follow this<"));
    assert!(client.get("/").await.body.contains("data-new=\"0\""));
    // A file of the hand counts at once; a wrong one leaves everything.
    std::fs::write(&file, "words = 3").unwrap();
    let page = client.get("/").await.body;
    assert!(
        page.contains("what you follow cannot be read") && page.contains(&format!("data-new=\"{all}\"")),
        "{page}"
    );
    std::fs::remove_file(&file).unwrap();
    // Strangers.
    for (fields, status) in [(&saved[1..], 403), (&[("mark", "guess"), ("act", "save")][..], 403)] {
        assert_eq!(client.post("/following", &[], fields).await.status, status);
    }
    let stranger = Client::new(client.addr);
    assert_eq!(stranger.post("/following", &[], &saved).await.status, 401);
    assert!(!stranger.get("/following").await.body.contains("name=\"mark\"") && !file.exists());
}

/// A token that is added counts within seconds, for what its role allows; when it is revoked, its sessions end.
async fn tokens_come_and_go_while_the_console_runs(lab: &Lab, run: &str, served: &Served) {
    let mut client = Client::new(served.client.addr);
    let host = client.addr.to_string();
    let asked = async |bearer: &str| {
        let bearer = format!("Bearer {bearer}");
        let headers = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
        Client::new(served.client.addr).send("GET", "/api/v1/sites", &headers, "").await.status
    };
    let add = async |name: &str, role: &str| {
        let token = lab.ok(&["token", "add", name, "--role", role, "--expires", "9", "--dir", run]).await;
        let token = token.trim().to_owned();
        served.until("the token", async || asked(&token).await == 200).await;
        token
    };
    let writer = add("writer", "write").await;
    programs_send_seeds(served, &writer).await;
    let reader = add("reader", "read").await;
    let headers = [("Host", host.as_str()), ("Content-Type", "application/json")];
    let bearer = format!("Bearer {reader}");
    let headers = [&headers[..], &[("Authorization", bearer.as_str())]].concat();
    let seed = "{\"version\":1,\"url\":\"http://www.read.test/\"}";
    assert_eq!(client.send("POST", "/api/v1/seeds", &headers, seed).await.status, 403);
    client.cookie = Some(cookie_of(&client.post("/session", &[], &[("token", &reader)]).await));
    assert!(!client.get("/operations").await.body.contains("name=\"mark\""));
    client.cookie = Some(cookie_of(&client.post("/session", &[], &[("token", &writer)]).await));
    assert!(client.get("/operations").await.body.contains("name=\"mark\""));
    let listed = lab.ok(&["token", "list", "--dir", run]).await;
    assert!(listed.contains("writer  write") && !listed.contains(&writer), "{listed}");
    lab.ok(&["token", "revoke", "writer", "--dir", run]).await;
    served.until("the revocation", async || asked(&writer).await == 401).await;
    assert!(!client.get("/operations").await.body.contains("name=\"mark\""));
    lab.ok(&["token", "revoke", "reader", "--dir", run]).await;
}

/// Every change, sign-in and refusal so far is in the audit log, and nothing secret is.
async fn the_log_says_who_did_what(served: &Served) {
    let client = &served.client;
    let text = client.get("/operations/audit.jsonl").await.body;
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (who, did, about) in [
        ("one-time", "signed_in", ""),
        ("nobody", "refused", "wrong token, number 1 from there"),
        ("one-time", "corrected_article", SITE),
        ("one-time", "forgot_lesson", SITE),
        ("one-time", "changed_following", "leave q="),
        ("one-time", "added_sites", "http://www.added.test/ https://other.test/"),
        ("one-time", "paused_sites", "added.test"),
        ("one-time", "limited_site", "added.test: 77 pages a day, 3 links away, 2500 ms apart"),
        ("one-time", "resumed_site", "added.test"),
        ("one-time", "removed_sites", "added.test"),
        ("command line", "added_token", "writer (write, until 20"),
        ("writer", "added_sites", "http://www.programmed.test/"),
        ("writer", "removed_sites", "http://www.programmed.test/"),
        ("reader", "signed_in", ""),
        ("command line", "revoked_token", "writer"),
    ] {
        let is_so = |record: &Value| {
            record["who"] == who && record["did"] == did && record["about"].as_str().unwrap().contains(about)
        };
        assert!(records.iter().any(is_so), "{who} {did} {about}: {text}");
    }
    let page = client.get("/operations").await.body;
    assert!(page.contains("Who did what") && page.contains("made the token"), "{page}");
    let stranger = Client::new(client.addr);
    assert_eq!(stranger.get("/operations/audit.jsonl").await.status, 401);
    assert!(!stranger.get("/operations").await.body.contains("Who did what"));
}

async fn readers_are_asked_for_a_token(lab: &Lab, run: &str) {
    let file = lab.path("token").display().to_string();
    std::fs::write(&file, TOKEN).unwrap();
    let started = ["serve", run, "--addr", "127.0.0.1:0", "--token-file", &file, "--require-token"];
    let mut process = lab.start(&started);
    process.printed("http://").await;
    let addr = process.out().split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let mut client = Client::new(addr.parse().unwrap());
    for path in ["/", "/articles", "/operations"] {
        let answer = client.get(path).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some("/session")), "{path}");
    }
    for path in ["/api/v1/sites", "/api/v1/events", "/api/v1/openapi.json"] {
        assert_eq!(client.get(path).await.status, 401, "{path}");
    }
    feed_readers_send_it_as_a_password(&client).await;
    client.cookie = Some(cookie_of(&client.post("/session", &[], &[("token", TOKEN)]).await));
    assert!(matches!(client.get("/").await.status, 200 | 503));
    process.terminate();
    assert_eq!(process.end(SOON).await.code, Some(0), "{}", process.tail());
}

/// The token is the password of HTTP Basic, for what programs read.
async fn feed_readers_send_it_as_a_password(client: &Client) {
    let host = client.addr.to_string();
    let send = async |method: &str, path: &str, headers: &[(&str, &str)]| {
        client.send(method, path, &[&[("Host", host.as_str())], headers].concat(), "").await
    };
    let basic = |pair: &str| format!("Basic {}", STANDARD.encode(pair));
    let (right, wrong) = (basic(&format!("reader:{TOKEN}")), basic("reader:another"));
    for path in ["/articles.atom", "/articles.csv", "/articles.jsonl", "/sites.csv", "/api/v1/sites"] {
        let asked = send("GET", path, &[]).await;
        let challenge = asked.header("www-authenticate");
        assert_eq!(
            (asked.status, challenge),
            (401, Some("Basic realm=\"Newslode\", charset=\"UTF-8\"")),
            "{path}"
        );
        let browser = send("GET", path, &[("Sec-Fetch-Site", "none")]).await;
        assert_eq!((browser.status, browser.header("www-authenticate")), (401, None), "{path}");
        let read = send("GET", path, &[("Authorization", &right)]).await;
        assert!(matches!(read.status, 200 | 503), "{path}: {} {}", read.status, read.body);
    }
    let begun = Instant::now();
    assert_eq!(send("GET", "/articles.atom", &[("Authorization", &wrong)]).await.status, 401);
    assert!(begun.elapsed() >= Duration::from_millis(300), "wrong passwords are answered slowly");
    // It reads files and the API, and changes nothing.
    assert_eq!(send("GET", "/articles", &[("Authorization", &right)]).await.status, 303);
    let seed = send("POST", "/api/v1/seeds", &[("Authorization", &right)]).await;
    assert_eq!((seed.status, seed.header("www-authenticate")), (401, None), "{}", seed.body);
}

async fn a_socket_is_trusted_and_alone_if_it_is_named_alone(lab: &Lab, run: &str) {
    let file = lab.path("console.socket");
    let mut process = lab.start(&["serve", run, "--socket", file.to_str().unwrap()]);
    process.printed("the socket ").await;
    assert!(!process.out().contains("http://"), "{}", process.out());
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let seed = "{\"version\":1,\"url\":\"http://www.socket.test/\"}";
    let head = "POST /api/v1/seeds HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n";
    let send = async |more: &str| {
        let mut stream = tokio::net::UnixStream::connect(&file).await.unwrap();
        let request = format!("{head}{more}Content-Length: {}\r\n\r\n{seed}", seed.len());
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(send("").await, "202");
    assert_eq!(send("X-Forwarded-For: 203.0.113.7\r\n").await, "401");
    let second = lab.run(&["serve", run, "--socket", file.to_str().unwrap()]).await;
    assert!(second.code == Some(1) && second.err.contains("another program serves there"), "{second:?}");
    process.terminate();
    assert_eq!(process.end(SOON).await.code, Some(0), "{}", process.tail());
    assert!(!file.exists());
}

/// Corrects one article: the others of its site lose what they should not have, listeners hear of it, and it can be taken back.
async fn a_corrected_article_teaches_its_site(served: &Served) {
    let client = &served.client;
    let articles = served.articles().await;
    let wrong: Vec<&Value> = articles.iter().filter(|article| has_letters(article)).collect();
    assert_eq!(
        (articles.len(), wrong.len()),
        (STORIES, STORIES),
        "the site must be read wrongly to begin with"
    );
    let article = wrong[0];
    let (path, form) = correcting(client, article).await;
    let right: Vec<String> =
        text(article).split("\n\n").filter(|passage| !passage.contains(MARK)).map(str::to_owned).collect();
    let send = async |act: &str, title: &str| {
        let body = right.join("\r\n\r\n");
        let authors = article["authors"][0].as_str().unwrap();
        let values = [
            ("mark", field(&form, "mark")),
            ("title", title.to_owned()),
            ("authors", authors.to_owned()),
            ("published", article["published"].as_str().unwrap().to_owned()),
            ("body", body),
            ("drop", String::new()),
            ("act", act.to_owned()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        client.post(&path, &[], &values).await
    };
    let title = article["title"].as_str().unwrap();
    let refused = send("preview", "Nothing of this page").await;
    assert!(refused.status == 200 && refused.body.contains("does not show the title"), "{}", refused.body);
    let preview = send("preview", title).await;
    let others = STORIES - 1;
    let said = format!("Of {others} other articles of {SITE} that were looked at, {others} change");
    assert!(preview.body.contains(&said), "{}", preview.body);
    assert_eq!(preview.body.matches("<article class=\"changed\">").count(), others, "{}", preview.body);
    assert!(served.articles().await.iter().all(has_letters), "a preview changed something");

    let mut events = Events::listen(client).await;
    let kept = followed(client, &send("keep", title).await).await;
    assert!(kept.body.contains("1 corrected pages known"), "{}", kept.body);
    served.until("the lesson", async || !served.articles().await.iter().any(has_letters)).await;
    let told = events.next().await;
    assert_eq!(told.0, "changed");
    assert!(told.1["site"] == SITE && !has_letters(&told.1), "{told:?}");

    let site = client.get(&format!("/sites/{SITE}")).await;
    let (mark, url) = (field(&site, "mark"), article["url"].as_str().unwrap());
    let forgotten =
        client.post(&format!("/sites/{SITE}/lessons"), &[], &[("mark", &mark), ("url", url)]).await;
    assert!(followed(client, &forgotten).await.body.contains("is forgotten"));
    served.until("the end of the lesson", async || served.articles().await.iter().all(has_letters)).await;
}

/// Renames a concept from its page: first as a preview, which keeps nothing; then the whole console shows it, until it is undone.
async fn a_concept_is_corrected_from_its_page(served: &Served) {
    let client = &served.client;
    let mined = client.json("/api/v1/taxonomy").await;
    let concept = &mined["concepts"][0];
    let (key, label) = (concept["key"].as_str().unwrap(), concept["label"].as_str().unwrap());
    let path = format!("/taxonomy/{}", encoded(key));
    let mark = field(&client.get(&path).await, "mark");
    let send = async |act: &str, kind: &str, value: &str| {
        let values = [("concept", key), ("act", act), ("kind", kind), ("value", value), ("mark", &mark)];
        client.post("/corrections", &[], &values).await
    };
    let preview = send("preview", "rename", "A name <of> ours").await;
    let said = format!("{} is called A name &lt;of&gt; ours", escaped(label));
    assert!(preview.status == 200 && preview.body.contains(&said), "{}", preview.body);
    // A new name moves no article, and all of them were counted.
    let moves = preview.body.split("Articles that move").nth(1).unwrap();
    assert!(moves.contains("<p>0 of "), "{moves}");
    let values = [
        ("kind", "split"),
        ("concept", key),
        ("forms", "no form of it"),
        ("act", "preview"),
        ("mark", &mark),
    ];
    let split = client.post("/corrections", &[], &values).await;
    assert!(split.status == 400 && split.body.contains("none of these written forms"), "{}", split.body);
    let map = |act| {
        [
            ("kind", "map"),
            ("site", SITE),
            ("place", "Desk <7>"),
            ("value", key),
            ("act", act),
            ("mark", &mark),
        ]
    };
    let mapped = client.post("/corrections", &[], &map("preview")).await;
    assert!(mapped.status == 200 && mapped.body.contains("value=\"Desk &lt;7&gt;\""), "{}", mapped.body);
    let circle = send("preview", "under", key).await;
    assert!(circle.status == 400 && circle.body.contains("are one concept"), "{}", circle.body);
    assert_eq!(client.json("/api/v1/corrections").await["corrections"], serde_json::json!([]));
    let kept = followed(client, &send("keep", "rename", "A name <of> ours").await).await;
    assert!(kept.body.contains("Done: correction 1: rename"), "{}", kept.body);
    let listed = client.json("/api/v1/corrections").await;
    let correction = &listed["corrections"][0];
    assert_eq!((&correction["author"], &correction["kind"]), (&"one-time".into(), &"rename".into()));
    let labels = async || client.json(&format!("/api/v1/concepts/{}", encoded(key))).await["label"].clone();
    served.until("the new label", async || labels().await == "A name <of> ours").await;
    let page = client.get(&path).await.body;
    assert!(page.contains("Set by an editor") && page.contains("A name &lt;of&gt; ours"), "{page}");
    let undo = [("act", "undo"), ("number", "1"), ("mark", mark.as_str())];
    assert!(followed(client, &client.post("/corrections", &[], &undo).await).await.body.contains("1 undone"));
    served.until("the old label", async || labels().await == label).await;
}

/// The path and the form of a correction.
async fn correcting(client: &Client, article: &Value) -> (String, Answer) {
    let title = article["title"].as_str().unwrap();
    let found = client.get(&format!("/articles?q={}", encoded(&format!("\"{title}\"")))).await;
    let path = found.body.split("<h3").nth(1).and_then(|rest| rest.split("href=\"").nth(1)).unwrap();
    let path = format!("{}/correct", path.split('"').next().unwrap());
    let form = client.get(&path).await;
    assert!(form.status == 200 && form.body.contains(MARK), "{}", form.body);
    (path, form)
}

/// New and changed articles as a listener hears them.
struct Events(BufReader<TcpStream>);

impl Events {
    async fn listen(client: &Client) -> Events {
        let mut stream = TcpStream::connect(client.addr).await.unwrap();
        let request = format!("GET /api/v1/events HTTP/1.1\r\nHost: {}\r\n\r\n", client.addr);
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut events = Events(BufReader::new(stream));
        while !events.line().await.starts_with(": listening") {}
        events
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        let read = tokio::time::timeout(SOON, self.0.read_line(&mut line)).await;
        assert!(read.unwrap().unwrap() > 0, "the events end");
        line
    }

    /// The next event.
    async fn next(&mut self) -> (String, Value) {
        let mut name = String::new();
        loop {
            let line = self.line().await;
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return (name, serde_json::from_str(data).unwrap());
            }
        }
    }
}

/// Without the mark of a session, or sent from another site's page, nothing is done.
async fn forms_of_strangers_are_refused(served: &Served) {
    let client = &served.client;
    let mark = field(&client.get("/operations").await, "mark");
    let urls = ("urls", "http://www.evil.test/");
    for (headers, mark) in [
        (vec![], "x"),
        (vec![("Origin", "http://evil.test")], mark.as_str()),
        (vec![("Origin", "null"), ("Sec-Fetch-Site", "cross-site")], mark.as_str()),
    ] {
        let answer = client.post("/operations/seeds", &headers, &[("mark", mark), urls]).await;
        assert_eq!(answer.status, 403, "{headers:?}: {}", answer.body);
    }
    assert_eq!(client.post("/operations/seeds", &[], &[urls]).await.status, 403);
    let host = [("Host", "evil.test"), ("Content-Type", "application/x-www-form-urlencoded")];
    let body = format!("mark={mark}&urls=http%3A%2F%2Fwww.evil.test%2F");
    assert_eq!(client.send("POST", "/operations/seeds", &host, &body).await.status, 421);
    assert_eq!(client.get("/sites/evil.test").await.status, 404);
}

/// The settings of a site; nothing if it is not known.
async fn settings(client: &Client, site: &str) -> Option<Value> {
    let sites = client.json("/api/v1/sites").await;
    let known = sites["sites"].as_array().unwrap().iter().find(|known| known["site"] == site)?;
    Some(known["settings"].clone())
}

async fn sites_are_added_changed_and_removed(served: &Served) {
    let client = &served.client;
    let mark = field(&client.get("/operations").await, "mark");
    let added = [
        ("mark", mark.as_str()),
        ("urls", "http://www.added.test/\n\nother.test"),
        ("max_pages", "77"),
        ("delay", "2.5"),
    ];
    let answer = followed(client, &client.post("/operations/seeds", &[], &added).await).await;
    assert!(answer.body.contains("2 sites were added"), "{}", answer.body);
    served.until("the site", async || settings(client, "added.test").await.is_some()).await;
    let held = settings(client, "added.test").await.unwrap();
    assert_eq!((&held["max_pages"], &held["delay_ms"]), (&77.into(), &2_500.into()), "{held}");

    let change = async |values: &[(&str, &str)]| {
        let values = [&[("mark", mark.as_str())], values].concat();
        client.post("/sites/added.test/limits", &[], &values).await
    };
    followed(client, &change(&[("act", "pause")]).await).await;
    served.until("the pause", async || settings(client, "added.test").await.unwrap()["paused"] == true).await;
    let saved = followed(client, &change(&[("act", "save"), ("max_depth", "3")]).await).await;
    assert!(saved.body.contains("value=\"3\""), "{}", saved.body);
    followed(client, &change(&[("act", "resume")]).await).await;
    served
        .until("the end of the pause", async || {
            settings(client, "added.test").await.unwrap()["paused"] == false
        })
        .await;
    assert_eq!(settings(client, "added.test").await.unwrap()["max_pages"], 77);

    let asked = change(&[("act", "remove")]).await;
    assert!(asked.status == 200 && asked.body.contains("cannot be undone"), "{}", asked.body);
    assert!(settings(client, "added.test").await.is_some());
    followed(client, &change(&[("act", "remove"), ("sure", "yes")]).await).await;
    served.until("the removal", async || settings(client, "added.test").await.is_none()).await;
    for wrong in
        [vec![("urls", "ftp://a.test")], vec![("urls", "")], vec![("urls", "a.test"), ("delay", "soon")]]
    {
        let values = [vec![("mark", mark.as_str())], wrong].concat();
        assert_eq!(client.post("/operations/seeds", &[], &values).await.status, 400, "{values:?}");
    }
}

async fn programs_send_seeds(served: &Served, token: &str) {
    let client = &served.client;
    let (host, bearer) = (client.addr.to_string(), format!("Bearer {token}"));
    let send = async |kind: &str, bearer: &str, body: &str| {
        let headers = [("Host", host.as_str()), ("Content-Type", kind), ("Authorization", bearer)];
        client.send("POST", "/api/v1/seeds", &headers, body).await.status
    };
    let seed = "{\"version\":1,\"url\":\"http://www.programmed.test/\"}";
    assert_eq!(send("text/plain", &bearer, seed).await, 415);
    assert_eq!(send("application/json", &bearer, "{\"version\":1}").await, 400);
    assert_eq!(send("application/json", &bearer, "{\"version\":1,\"uri\":3}").await, 400);
    assert_eq!(send("application/json", "Bearer wrong", seed).await, 401);
    assert_eq!(send("application/json", "", seed).await, 401);
    assert_eq!(send("application/json", &bearer, seed).await, 202);
    served.until("the seed", async || settings(client, "programmed.test").await.is_some()).await;
    let removed = "{\"version\":1,\"remove\":\"http://www.programmed.test/\"}";
    assert_eq!(send("application/json; charset=utf-8", &bearer, removed).await, 202);
    served.until("its end", async || settings(client, "programmed.test").await.is_none()).await;
}

/// A program looks at what a correction would change, makes it, and undoes it.
async fn programs_correct_the_taxonomy(served: &Served, token: &str) {
    let client = &served.client;
    let concept = client.json("/api/v1/taxonomy").await["concepts"][0].clone();
    let key = concept["key"].as_str().unwrap();
    let (host, bearer) = (client.addr.to_string(), format!("Bearer {token}"));
    let send = async |bearer: &str, body: Value| {
        let headers =
            [("Host", host.as_str()), ("Content-Type", "application/json"), ("Authorization", bearer)];
        client.send("POST", "/api/v1/corrections", &headers, &body.to_string()).await
    };
    let hide = |preview: bool| serde_json::json!({ "kind": "hide", "concept": key, "preview": preview });
    assert_eq!(send("", hide(true)).await.status, 401);
    for wrong in [
        serde_json::json!({ "kind": "hide", "concept": "no such concept" }),
        serde_json::json!({ "kind": "rename", "concept": key, "label": "" }),
        serde_json::json!({ "kind": "paint", "concept": key }),
        serde_json::json!({ "concept": key, "kind": "hide", "preview": "yes" }),
        serde_json::json!({ "undo": 77 }),
        serde_json::json!([]),
    ] {
        assert_eq!(send(&bearer, wrong.clone()).await.status, 400, "{wrong}");
    }
    let looked = send(&bearer, hide(true)).await;
    let answer: Value = serde_json::from_str(&looked.body).unwrap();
    assert_eq!((looked.status, &answer["kept"]), (200, &false.into()), "{answer}");
    let moves = &answer["moves"];
    assert!(
        moves["articles"].as_u64() >= moves["moved"].as_u64() && moves["articles"].as_u64() > Some(0),
        "{answer}"
    );
    let hidden =
        |list: &Value| list.as_array().unwrap().iter().any(|own| own["key"] == key && own["after"].is_null());
    assert!(hidden(&moves["concepts"]), "{answer}");
    assert_eq!(client.json("/api/v1/corrections").await["corrections"], serde_json::json!([]));
    let made = send(&bearer, hide(false)).await;
    assert!(made.status == 200 && made.body.contains("\"kept\":true"), "{}", made.body);
    let listed = client.json("/api/v1/corrections").await["corrections"].clone();
    assert_eq!((&listed[0]["kind"], listed[0]["unmatched"].is_null()), (&"hide".into(), true), "{listed}");
    let number = listed[0]["number"].as_u64().unwrap();
    assert_eq!(send(&bearer, serde_json::json!({ "undo": number })).await.status, 200);
    assert_eq!(client.json("/api/v1/corrections").await["corrections"], serde_json::json!([]));
}

async fn the_token_opens_a_session(served: &Served) {
    let client = &served.client;
    let page = client.get("/operations").await;
    assert!(page.body.contains("href=\"/session\"") && !page.body.contains("name=\"mark\""), "{}", page.body);
    let seed = |mark: &str| {
        vec![("mark".to_owned(), mark.to_owned()), ("urls".into(), "http://www.signed.test/".into())]
    };
    let post = async |cookie: &str, mark: &str| {
        let values = seed(mark);
        let values: Vec<(&str, &str)> =
            values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        client.post("/operations/seeds", &[("Cookie", cookie)], &values).await.status
    };
    assert_eq!(post("", "x").await, 401);
    assert_eq!(client.post("/session", &[], &[("token", "wrong")]).await.status, 401);
    let foreign = client.post("/session", &[("Sec-Fetch-Site", "cross-site")], &[("token", TOKEN)]).await;
    assert_eq!(foreign.status, 403);
    let signed = client.post("/session", &[], &[("token", TOKEN)]).await;
    let cookie = signed.header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let page = client
        .send("GET", "/operations", &[("Host", &client.addr.to_string()), ("Cookie", cookie)], "")
        .await;
    let mark = field(&page, "mark");
    assert_eq!(post(cookie, "x").await, 403);
    assert_eq!(post("", &mark).await, 401);
    assert_eq!(post(cookie, &mark).await, 303);
    let left = client.post("/session/end", &[("Cookie", cookie)], &[("mark", &mark)]).await;
    assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(post(cookie, &mark).await, 401);
}

/// Without a session or token, a console shows no forms and accepts none, even from this machine.
async fn nobody_may_write(served: &Served) {
    let client = &served.client;
    for page in ["/operations", &format!("/sites/{SITE}")] {
        let page = client.get(page).await;
        assert!(page.status == 200 && !page.body.contains("method=\"post\""), "{}", page.body);
    }
    assert_eq!(client.post("/operations/seeds", &[], &[("urls", "a.test")]).await.status, 401);
    assert_eq!(client.post("/session", &[], &[("token", "")]).await.status, 401);
    let seed = "{\"version\":1,\"url\":\"http://www.a.test/\"}";
    for (host, status) in [("localhost", 401), ("10.1.2.3", 401), ("a.test", 421)] {
        let headers = [("Host", host), ("Content-Type", "application/json")];
        assert_eq!(client.send("POST", "/api/v1/seeds", &headers, seed).await.status, status, "{host}");
    }
}

/// Tests over RabbitMQ and Redis.
mod servers {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn people_change_services_from_the_console() {
        let lab = Lab::of(small_world(5)).await;
        let servers = Servers::start().await;
        let mut services = Installation::new(&lab, &servers, "written", 0);
        services.start_all();
        services.ready().await;
        let broken = ["{\"version\":1,", "{\"version\":1,\"url\":\"http://a.test/\",\"max_page\":3}"];
        publish(&servers.rabbit.url(), "written.seeds", &broken).await;
        dead(&lab, &services, "seeds", 2).await;
        let served = Served::signed_in(&lab, &services.asking(&["serve", "--addr", "127.0.0.1:0"])).await;
        replicas_agree_on_tokens(&lab, &services, &served).await;
        let client = &served.client;
        let page = client.get("/operations").await;
        assert!(page.body.contains("`max_page`") && page.body.contains("newslode-miner@"), "{}", page.body);
        let (mark, id) = (field(&page, "mark"), field(&page, "id"));
        let settle = async |values: &[(&str, &str)]| {
            let values = [&[("mark", mark.as_str()), ("queue", "seeds")], values].concat();
            client.post("/operations/dead", &[], &values).await
        };
        assert_eq!(settle(&[("act", "replay")]).await.status, 400);
        let done = followed(client, &settle(&[("act", "replay"), ("id", &id)]).await).await;
        assert!(done.body.contains("1 dead letter was put back"), "{}", done.body);
        let again = dead(&lab, &services, "seeds", 2).await;
        let (one, asked) =
            (again[0]["id"].as_str().unwrap(), [("act", "drop"), ("id", again[0]["id"].as_str().unwrap())]);
        let sure = settle(&asked).await;
        assert!(sure.status == 200 && sure.body.contains("What they hold is lost"), "{}", sure.body);
        assert_eq!(dead(&lab, &services, "seeds", 2).await.len(), 2);
        followed(client, &settle(&[("act", "drop"), ("id", one), ("sure", "yes")]).await).await;
        dead(&lab, &services, "seeds", 1).await;
        followed(client, &settle(&[("act", "drop_all"), ("sure", "yes")]).await).await;
        dead(&lab, &services, "seeds", 0).await;

        let seed = lab.seeds()[0].as_str();
        let added = client.post("/operations/seeds", &[], &[("mark", &mark), ("urls", seed)]).await;
        assert!(followed(client, &added).await.body.contains("1 site was added"));
        served
            .until("the site", async || {
                !client.json("/api/v1/sites").await["sites"].as_array().unwrap().is_empty()
            })
            .await;
        served.end().await;
        services.stop().await;
    }

    /// Two consoles take a token that is made while they run, refuse it once it is revoked, and write one log.
    async fn replicas_agree_on_tokens(lab: &Lab, services: &Installation<'_>, served: &Served) {
        let other = Served::start(lab, &services.asking(&["serve", "--addr", "127.0.0.1:0"])).await;
        let token = lab.ok(&services.asking(&["token", "add", "replica", "--role", "write"])).await;
        let bearer = format!("Bearer {}", token.trim());
        let asked = async |console: &Served, path: &str| {
            let headers = [("Host", "localhost"), ("Authorization", bearer.as_str())];
            Client::new(console.client.addr).send("GET", path, &headers, "").await
        };
        for console in [served, &other] {
            console
                .until("the token", async || asked(console, "/operations/audit.jsonl").await.status == 200)
                .await;
            let log = asked(console, "/operations/audit.jsonl").await.body;
            assert!(log.contains("\"did\":\"signed_in\"") && log.contains("replica (write"), "{log}");
            assert!(!log.contains(token.trim()), "{log}");
        }
        lab.ok(&services.asking(&["token", "revoke", "replica"])).await;
        for console in [served, &other] {
            console
                .until("the revocation", async || asked(console, "/api/v1/sites").await.status == 401)
                .await;
        }
        other.end().await;
    }
}
