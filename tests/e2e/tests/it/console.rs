//! The console of a run, as browsers and programs meet it: every page and link, search, the API, and what strangers may try.
//!
//! One run serves all of it: a small world and two sites that write markup and script into whatever a page can say.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::attack::{Attacked, escaped};
use crate::client::{Answer, Client, encoded};
use crate::lab::{Lab, small_world};
use crate::process::{LOOK, Process};
use crate::schema;
use crate::services::SOON;

/// What no page may hold unescaped.
const RAW: [&str; 6] =
    ["<script", "<img src=x", "onerror=alert(1)>", "href=\"javascript:", "href='javascript:", "<svg onload"];

/// The policy that every answer carries.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
                      frame-ancestors 'none'; base-uri 'none'";

/// That of the first page, whose script is the only one.
const LIVE_POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; \
                           img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// A run that is served.
pub(crate) struct Served {
    pub(crate) lab: Lab,
    run: String,
    /// What `newslode export articles` says, by address.
    pub(crate) exported: BTreeMap<String, Value>,
    process: Process,
    pub(crate) client: Client,
}

/// Mines and serves a run.
pub(crate) async fn served() -> Served {
    let mut seeds = small_world(3).seeds();
    seeds.extend(["http://www.attack.test/".into(), "http://www.other-attack.test/".into()]);
    let lab = Lab::serving(Attacked(small_world(3)), &seeds).await;
    lab.ok(&lab.mining("run", &[])).await;
    let run = lab.path("run").display().to_string();
    let exported = lab.ok(&["export", "articles", &run]).await;
    let exported = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let exported = exported.map(|article| (article["url"].as_str().unwrap().to_owned(), article)).collect();
    let mut process = lab.start(&["serve", &run, "--addr", "127.0.0.1:0"]);
    process.printed("http://").await;
    let said = process.out();
    let addr = said.split("http://").nth(1).unwrap().split('/').next().unwrap();
    let client = Client::new(addr.parse().unwrap());
    let begun = Instant::now();
    while client.get("/").await.status != 200 {
        assert!(begun.elapsed() < SOON, "the console never reads the run\n{}", process.tail());
        tokio::time::sleep(LOOK).await;
    }
    Served { lab, run, exported, process, client }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_of_a_run_shows_all_of_it_and_runs_nothing() {
    let mut served = served().await;
    every_page_is_there(&served).await;
    the_first_page_says_what_is_new(&served).await;
    search_finds_and_filters(&served).await;
    lists_are_filtered_alike_everywhere(&served).await;
    lists_are_files(&served).await;
    the_api_says_what_the_export_says(&served).await;
    the_api_is_as_it_is_described(&served).await;
    the_calls_of_the_documents_are_answered(&served).await;
    no_question_breaks_it(&served).await;
    strangers_are_refused(&served).await;
    a_crowd_leaves_room_for_others(&served).await;
    only_http_1_is_spoken(&served).await;
    mistakes_of_its_operator_are_explained(&served).await;
    served.process.terminate();
    assert_eq!(served.process.end(SOON).await.code, Some(0));
}

/// Follows all links from the front page: each page is there, whole, and free of what the sites tried.
async fn every_page_is_there(served: &Served) {
    let mut known = BTreeSet::from(["/".to_owned()]);
    let mut waiting = VecDeque::from(["/".to_owned()]);
    let (mut seen, mut kinds) = (String::new(), BTreeMap::<String, usize>::new());
    while let Some(path) = waiting.pop_front().filter(|_| known.len() < 3_000) {
        let answer = served.client.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        let is_first = path == "/" || path.starts_with("/?");
        let policy = if is_first { LIVE_POLICY } else { POLICY };
        assert_eq!(answer.header("content-security-policy"), Some(policy), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        let kind = path.split(['/', '?']).nth(1).unwrap().to_owned();
        *kinds.entry(kind).or_default() += 1;
        // What is no page is text for a browser, which stores it.
        if answer
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("application/json") || kind.starts_with("text/csv"))
        {
            continue;
        }
        let own = answer.body.matches("<script src=\"/assets/console-").count();
        assert_eq!(own, usize::from(is_first), "{path}");
        let body = answer.body.replacen("<script src=\"/assets/console-", "", own);
        for raw in RAW {
            assert!(!body.contains(raw), "{path} holds `{raw}`:\n{}", around(&body, raw));
        }
        assert!(!answer.body.contains(" style="), "{path} has a style that the policy forbids");
        if answer.header("content-type") == Some("text/html; charset=utf-8") {
            is_whole(&path, &answer);
            seen.push_str(&answer.body);
            let new = links(&answer.body).into_iter().filter(|link| known.insert(link.clone()));
            waiting.extend(new.collect::<Vec<_>>());
        }
    }
    for kind in ["", "taxonomy", "articles", "sites", "explain", "assets", "api"] {
        assert!(kinds.contains_key(kind), "no page of `/{kind}` is linked: {kinds:?}");
    }
    eprintln!("{} pages: {kinds:?}", kinds.values().sum::<usize>());
    // What the sites wrote is shown, as text.
    for said in ["&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;img src=x onerror=alert(1)&gt;"] {
        assert!(seen.contains(said), "`{said}` is nowhere");
    }
    assert!(
        seen.contains("Its sections and tags") && seen.contains("<h2>Its place in "),
        "no place is shown"
    );
    let title = served.exported.values().find(|article| article["site"] != "attack.test").unwrap();
    assert!(seen.contains(&escaped(title["title"].as_str().unwrap()).replace('>', "&gt;")), "{title}");
}

/// The first page counts what its links list, remembers the last visit, and refuses what is no time.
async fn the_first_page_says_what_is_new(served: &Served) {
    let mut client = Client::new(served.client.addr);
    let first = client.get("/").await;
    let all = served.exported.len();
    assert!(first.body.contains(&format!("data-new=\"{all}\"")), "{}", first.body);
    assert!(first.body.contains("href=\"/articles?found_since=yesterday\""), "{}", first.body);
    let listed = client.json("/api/v1/articles?found_since=yesterday&limit=1").await;
    assert_eq!(listed["matched"], all);
    let cookie = first.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("newslode_visit=0-") && cookie.contains("HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    // A visit an hour ago, and one before all articles.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    client.cookie = Some(format!("newslode_visit=0-{}", now + 3_600));
    assert!(client.get("/").await.body.contains("found_since=yesterday"), "a time to come is none");
    client.cookie = Some(format!("newslode_visit=0-{}", now - 3_600));
    let second = client.get("/").await;
    assert!(
        second.body.contains("Since your last visit, ")
            && second.body.contains(&format!("data-new=\"{all}\""))
    );
    let later = client.get(&format!("/?since={}", encoded("2999-01-01"))).await;
    assert!(later.body.contains("data-new=\"0\"") && later.body.contains("No article came in since then"));
    let concept = &served.exported.values().find_map(|article| article["concepts"].get(0)).unwrap();
    let concept = encoded(concept.as_str().unwrap());
    let matched =
        client.json(&format!("/api/v1/articles?concept={concept}&limit=1")).await["matched"].clone();
    let scoped = client.get(&format!("/?concept={concept}&since=7d")).await;
    assert!(scoped.body.contains(&format!("data-new=\"{matched}\"")), "{}", scoped.body);
    for wrong in ["/?since=soon", "/?day=2026-11-25", "/?x=1"] {
        assert_eq!(client.get(wrong).await.status, 400, "{wrong}");
    }
}

/// A page has one headline, a way past the navigation, a landmark, labels for what can be filled in.
fn is_whole(path: &str, answer: &Answer) {
    let body = &answer.body;
    for once in
        ["<h1", "<main", " · Newslode</title>", "</html>", "<nav aria-label=\"Main\"", "class=\"skip\""]
    {
        assert_eq!(body.matches(once).count(), 1, "{path}: {once}");
    }
    for field in body.split("<input ").chain(body.split("<select ")).skip(1) {
        let Some(id) = field.split("id=\"").nth(1).and_then(|rest| rest.split('"').next()) else { continue };
        assert!(body.contains(&format!("for=\"{id}\"")), "{path}: `{id}` has no label");
    }
    for head in body.split("<th ").skip(1) {
        let head = head.split('>').next().unwrap();
        assert!(head.contains("scope="), "{path}: a header without scope: {head}");
    }
    assert!(!body.contains("<th>"), "{path}");
    for link in body.split("href=\"http").skip(1) {
        let link = link.split('>').next().unwrap();
        assert!(link.contains("rel=\"noopener noreferrer nofollow\""), "{path}: {link}");
    }
}

/// The links of a page that stay here, and what it loads.
fn links(body: &str) -> Vec<String> {
    let own = body.split(" href=\"/").chain(body.split(" src=\"/")).skip(1);
    let link = |rest: &str| Some(format!("/{}", rest.split(['"', '#']).next()?.replace("&amp;", "&")));
    own.filter(|rest| !rest.starts_with('<'))
        .filter_map(link)
        .filter(|link| !link.contains("<!DOCTYPE"))
        .collect()
}

fn around(body: &str, raw: &str) -> String {
    let at = body.find(raw).unwrap_or_default();
    body.get(at.saturating_sub(200)..(at + 200).min(body.len())).unwrap_or(raw).to_owned()
}

/// An article is found by a word of its body, with and without filters, and not by others.
async fn search_finds_and_filters(served: &Served) {
    let article = served.exported.values().find(|article| {
        article["language"].is_string()
            && article["concepts"].as_array().is_some_and(|concepts| !concepts.is_empty())
    });
    let article = article.unwrap();
    let (url, site) = (article["url"].as_str().unwrap(), article["site"].as_str().unwrap());
    let text = article["body"].as_array().unwrap().iter().map(|block| block["text"].as_str().unwrap());
    let text: Vec<&str> =
        text.flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric())).collect();
    let word = text.iter().max_by_key(|word| word.chars().count()).unwrap();
    let asked = format!(
        "q={}&site={}&language={}&concept={}",
        encoded(word),
        encoded(site),
        encoded(article["language"].as_str().unwrap()),
        encoded(article["concepts"][0].as_str().unwrap())
    );
    for query in [format!("q={}", encoded(word)), asked] {
        let found = pages(served, &query).await;
        assert!(found.contains_key(url), "`{query}` does not find {url}");
        for (url, found) in &found {
            let text = found.to_string().to_lowercase();
            assert!(text.contains(&word.to_lowercase()), "{url} is found by `{word}`");
            assert!(!query.contains("site=") || found["site"] == *site, "{url} is of another site");
        }
    }
    let none = pages(served, &format!("q={}", encoded(&format!("{word} -{word}")))).await;
    assert!(none.is_empty(), "{:?}", none.keys());
    let page = served.client.get(&format!("/articles?q={}", encoded(word))).await;
    assert!(page.body.contains("newest first"), "{}", page.body);
    let page = served.client.get("/articles?q=zzzzunheardof").await;
    assert!(page.status == 200 && page.body.contains("No article is like this"), "{}", page.body);
}

/// All articles of a query, part by part.
async fn pages(served: &Served, query: &str) -> BTreeMap<String, Value> {
    let (mut found, mut cursor) = (BTreeMap::new(), String::new());
    loop {
        let part = served.client.json(&format!("/api/v1/articles?limit=7&{query}{cursor}")).await;
        for article in part["articles"].as_array().unwrap() {
            let known = found.insert(article["url"].as_str().unwrap().to_owned(), article.clone());
            assert!(known.is_none(), "{article} comes twice");
        }
        let Some(next) = part["next"].as_str() else {
            assert_eq!(part["matched"], found.len(), "{query}");
            return found;
        };
        cursor = format!("&cursor={next}");
    }
}

async fn the_api_says_what_the_export_says(served: &Served) {
    assert!(served.exported.len() > 60, "{}", served.exported.len());
    let found = pages(served, "").await;
    assert_eq!(found.keys().collect::<Vec<_>>(), served.exported.keys().collect::<Vec<_>>());
    for (url, article) in &served.exported {
        assert_eq!(without_address(served, found[url].clone()), *article, "{url}");
    }
    let url = served.exported.keys().next().unwrap();
    let one = served.client.json(&format!("/api/v1/article?url={}", encoded(url))).await;
    assert_eq!(without_address(served, one), served.exported[url]);
    // Documents are the same bytes.
    for (format, kind) in [
        ("text", "text/plain; charset=utf-8"),
        ("markdown", "text/markdown; charset=utf-8"),
        ("html", "text/html; charset=utf-8"),
        ("tei", "application/tei+xml; charset=utf-8"),
        ("json-ld", "application/ld+json"),
    ] {
        let exported = served.lab.ok(&["export", "articles", &served.run, "--format", format]).await;
        for url in served.exported.keys().step_by(17) {
            let path = format!("/api/v1/article?format={format}&url={}", encoded(url));
            let answer = served.client.get(&path).await;
            assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)), "{path}");
            assert!(!answer.body.is_empty() && exported.contains(&answer.body), "{path}: {}", answer.body);
        }
    }
    let wrong = served.client.get(&format!("/api/v1/article?format=pdf&url={}", encoded(url))).await;
    assert!(wrong.status == 400 && wrong.body.contains("markdown"), "{}", wrong.body);
}

/// An article of the API as the export has it; its `console` must lead to its page.
fn without_address(served: &Served, mut article: Value) -> Value {
    let address = article.as_object_mut().unwrap().remove("console");
    let own = format!("http://{}/articles/{}", served.client.addr, article["id"].as_str().unwrap());
    assert_eq!(address, Some(own.into()));
    article
}

/// The same filter takes the same articles in the API, in files and in the export; what is unknown is an error.
async fn lists_are_filtered_alike_everywhere(served: &Served) {
    let article =
        served.exported.values().find(|article| !article["concepts"].as_array().unwrap().is_empty());
    let article = article.unwrap();
    let text = |key: &str| article[key].as_str().unwrap();
    let concept = article["concepts"][0].as_str().unwrap();
    let word =
        text("title").split(|letter: char| !letter.is_alphanumeric()).max_by_key(|word| word.len()).unwrap();
    let day = article["published"].as_str().unwrap_or(text("first_seen")).get(..10).unwrap();
    let id = served.client.json(&format!("/api/v1/concepts/{}", encoded(concept))).await["id"].clone();
    let id = id.as_str().unwrap();
    let with =
        |key: &str| served.exported.values().find(|article| !article[key].as_array().unwrap().is_empty());
    let (placed, coded) = (with("places").unwrap(), with("codes").unwrap());
    let place = placed["places"][0]["label"].as_str().unwrap().to_uppercase();
    for filter in [
        vec![format!("concept={id}")],
        vec![format!("place={place}")],
        vec![format!("place={place}"), format!("site={}", placed["site"].as_str().unwrap())],
        vec![format!("code={}", coded["codes"][0].as_str().unwrap())],
        vec![format!("site={}", text("site"))],
        vec![format!("concept={concept}"), "from=7d".to_owned(), "to=today".to_owned()],
        vec![format!("label={concept}")],
        vec![format!("words={word}"), "found_since=1d".to_owned()],
        vec![format!("title={word}"), "found_until=today".to_owned()],
        vec![format!("title=\"{}\"", text("title").replace('"', " "))],
        vec![format!("to={day}")],
        vec![format!("from={day}"), format!("to={day}"), format!("q=-{word}")],
    ] {
        let pairs = filter.iter().map(|pair| pair.split_once('=').unwrap());
        let query: Vec<String> = pairs.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let query = query.join("&");
        let found = pages(served, &query).await;
        // Only the last one asks for what no article has.
        assert!(!found.is_empty() || filter.iter().any(|pair| pair.starts_with("q=-")), "{filter:?}");
        let mut args = vec!["export", "articles", &served.run];
        for pair in &filter {
            args.extend(["--filter", pair.as_str()]);
        }
        let exported = served.lab.ok(&args).await;
        let exported: BTreeSet<String> = exported
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(found.keys().collect::<BTreeSet<_>>(), exported.iter().collect(), "{filter:?}");
        let file = served.client.get(&format!("/articles.jsonl?{query}")).await;
        assert_eq!(file.status, 200, "{}", file.body);
        let mut found = found;
        let has_words = filter.iter().any(|pair| pair.starts_with("words="));
        for line in found.values_mut() {
            let snippet = line.as_object_mut().unwrap().remove("snippet");
            if has_words {
                shows_the_word(&snippet.unwrap(), word);
            }
        }
        let lines: BTreeMap<String, Value> = file
            .body
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|line| (line["url"].as_str().unwrap().to_owned(), line))
            .collect();
        assert_eq!(lines, found, "{filter:?}");
    }
    let page = served.client.get(&format!("/articles?q={}", encoded(word))).await;
    assert!(page.body.contains("<mark>"), "{}", page.body);
    let feed = format!(
        "type=\"application/atom+xml\" title=\"Articles · Newslode\" href=\"/articles.atom?q={}\"",
        encoded(word)
    );
    assert!(page.body.contains(&feed), "{feed}: {}", page.body);
    let titled = served.client.get(&format!("/articles?title={}", encoded(word))).await;
    assert!(titled.body.contains("<mark>"), "{}", titled.body);
    let wrong = "there is no parameter `since`; the nearest is `found_since`";
    for path in [
        "/articles?since=7d",
        "/articles.csv?since=7d",
        "/api/v1/articles?since=7d",
        "/articles.atom?since=7d",
    ] {
        let answer = served.client.get(path).await;
        assert!(answer.status == 400 && answer.body.contains(wrong), "{path}: {}", answer.body);
    }
    for path in [
        "/sites?x=1",
        "/taxonomy?x=1",
        "/api/v1/sites?x=1",
        "/api/v1/articles?from=soon",
        "/articles?from=today&to=yesterday",
    ] {
        assert_eq!(served.client.get(path).await.status, 400, "{path}");
    }
    let refused = served.lab.run(&["export", "articles", &served.run, "--filter", "since=7d"]).await;
    assert!(refused.code != Some(0) && refused.err.contains(wrong), "{}", refused.err);
}

/// A snippet has the word where its ranges say.
fn shows_the_word(snippet: &Value, word: &str) {
    let letters: Vec<char> = snippet["text"].as_str().unwrap().chars().collect();
    let ranges = snippet["ranges"].as_array().unwrap();
    let shown: Vec<String> = ranges
        .iter()
        .map(|range| {
            letters[range[0].as_u64().unwrap() as usize..range[1].as_u64().unwrap() as usize].iter().collect()
        })
        .collect();
    assert!(shown.iter().any(|shown: &String| shown.to_lowercase() == word.to_lowercase()), "{snippet}");
}

/// Lists of articles, sites and concepts are files, too, and a feed is asked for conditionally.
async fn lists_are_files(served: &Served) {
    let get = async |path: &str| {
        let answer = served.client.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer
    };
    let table = get("/articles.csv?limit=7").await;
    assert_eq!(table.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(table.body.starts_with("url,site,title,"), "{}", table.body);
    let next = table.header("link").unwrap().strip_prefix('<').unwrap().split('>').next().unwrap().to_owned();
    let rest = get(&next).await;
    assert!(rest.body.starts_with("url,site,title,") && rest.body != table.body, "{}", rest.body);
    let sites = served.client.json("/api/v1/sites").await;
    let count = sites["sites"].as_array().unwrap().len();
    assert_eq!(get("/sites.csv").await.body.lines().count(), count + 1);
    assert_eq!(get("/sites.jsonl").await.body.lines().count(), count);
    let taxonomy = served.client.json("/api/v1/taxonomy").await;
    let concepts = taxonomy["concepts"].as_array().unwrap();
    assert_eq!(get("/taxonomy.jsonl").await.body.lines().count(), concepts.len());
    let label = concepts[0]["label"].as_str().unwrap();
    assert!(get(&format!("/taxonomy.csv?q={}", encoded(label))).await.body.contains(label));

    let feed = get("/articles.atom?limit=200").await;
    for (url, article) in &served.exported {
        let id = format!("<id>urn:newslode:article:{}</id>", article["id"].as_str().unwrap());
        assert!(feed.body.contains(&id) && feed.body.contains(&escaped(url)), "{url}");
    }
    assert_eq!(feed.body.matches("<entry>").count(), served.exported.len());
    assert_eq!(feed.body.matches("<summary").count(), served.exported.len());
    assert!(!RAW.iter().any(|raw| feed.body.contains(raw)), "{}", feed.body);
    let (host, tag) = (served.client.addr.to_string(), feed.header("etag").unwrap().to_owned());
    let headers = [("Host", host.as_str()), ("If-None-Match", tag.as_str())];
    assert_eq!(served.client.send("GET", "/articles.atom?limit=200", &headers, "").await.status, 304);
    assert_eq!(served.client.send("GET", "/articles.atom?limit=9", &headers, "").await.status, 200);
}

/// Each route of the description answers as it says.
async fn the_api_is_as_it_is_described(served: &Served) {
    let described = served.client.json("/api/v1/openapi.json").await;
    let taxonomy = served.client.json("/api/v1/taxonomy").await;
    let key = taxonomy["concepts"][0]["key"].as_str().unwrap();
    let url = served.exported.keys().next().unwrap();
    // An identifier leads to the concept, in the API and on the pages.
    let id = taxonomy["concepts"][0]["id"].as_str().unwrap();
    assert_eq!(served.client.json(&format!("/api/v1/concepts/{id}")).await["key"], key);
    let led = served.client.get(&format!("/taxonomy/{id}")).await;
    assert_eq!(led.status, 303, "{}", led.body);
    let page = served.client.get(led.header("location").unwrap()).await;
    assert!(page.status == 200 && page.body.contains(id), "{}", page.body);
    let changes = served.client.json("/api/v1/taxonomy/changes").await;
    assert!(changes["changes"].as_array().unwrap().iter().any(|change| change["id"] == id), "{changes}");
    for (path, route) in described["paths"].as_object().unwrap() {
        // What writes, and events that go on for good, have tests of their own.
        let wanted = &route["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        if wanted.is_null() {
            continue;
        }
        let site = served.exported[url]["site"].as_str().unwrap();
        let mut asked = path.replace("{key}", &encoded(key)).replace("{site}", &encoded(site));
        if asked.ends_with("/article") || asked.ends_with("/explain") {
            asked.push_str(&format!("?url={}", encoded(url)));
        }
        assert!(!asked.contains('{'), "{asked}");
        let answer = served.client.json(&asked).await;
        schema::check(&described, wanted, &answer, &asked);
        if route["get"]["responses"].get("404").is_some() {
            let unknown = path.replace("{key}", "none").replace("{site}", "none.test");
            let query = if path.ends_with("/articles") { "site=none.test" } else { "url=http://none.test/" };
            let answer = served.client.get(&format!("{unknown}?{query}")).await;
            assert_eq!(answer.status, 404, "{unknown}: {}", answer.body);
            let wanted = serde_json::json!({ "$ref": "#/components/schemas/Problem" });
            schema::check(&described, &wanted, &serde_json::from_str(&answer.body).unwrap(), &unknown);
        }
    }
}

/// The calls by curl that docs/console.md shows, asked of this console and about what it has.
async fn the_calls_of_the_documents_are_answered(served: &Served) {
    let token = token(served, "documents").await;
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/console.md")).unwrap();
    let text = text.replace("\\\n", " ");
    let calls: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with("curl "))
        .collect();
    assert!(calls.len() >= 5, "{calls:?}");
    let (url, filed) = served
        .exported
        .iter()
        .find(|(_, article)| !article["concepts"].as_array().unwrap().is_empty())
        .unwrap();
    let concept = filed["concepts"][0].as_str().unwrap();
    let origin = url.split('/').take(3).collect::<Vec<_>>().join("/");
    for call in calls {
        let ours = call
            .replace("127.0.0.1:8080", &served.client.addr.to_string())
            .replace("Bearer TOKEN", &format!("Bearer {token}"))
            .replace("https%3A%2F%2Fwww.example.com%2Fstory", &encoded(url))
            .replace("/concepts/sport", &format!("/concepts/{}", encoded(concept)))
            .replace("concept=sport", &format!("concept={}", encoded(concept)))
            .replace("https://www.example.com", &origin);
        let is_endless = call.contains("/events");
        let more = if is_endless { " --max-time 2" } else { " --fail-with-body" };
        let ended = Command::new("bash").args(["-c", &(ours + more)]).output().unwrap();
        let said = String::from_utf8(ended.stdout).unwrap();
        if is_endless {
            assert!(said.contains(": listening") && said.contains("id: "), "{call}: {said}");
        } else {
            let is_json = || said.lines().all(|line| serde_json::from_str::<Value>(line).is_ok());
            let is_right = if call.contains(".atom") { said.contains("<feed ") } else { is_json() };
            assert!(ended.status.success() && is_right, "{call}: {said}");
        }
    }
}

/// A new token that may write, which the running console knows.
pub(crate) async fn token(served: &Served, name: &str) -> String {
    let token = served.lab.ok(&["token", "add", name, "--role", "write", "--dir", &served.run]).await;
    let (host, bearer) = (served.client.addr.to_string(), format!("Bearer {}", token.trim()));
    let headers = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
    let begun = Instant::now();
    while served.client.send("GET", "/api/v1/sites", &headers, "").await.status != 200 {
        assert!(begun.elapsed() < SOON, "the token is never taken\n{}", served.process.tail());
    }
    token.trim().to_owned()
}

/// Whatever is asked has an answer, and none is a failure of the console.
async fn no_question_breaks_it(served: &Served) {
    let hostile = [
        "\"",
        "\"\"",
        "-",
        "(((",
        "[a TO z]",
        "a:b:c",
        "body:/.*/",
        "AND OR NOT",
        "*",
        "a* b* c*",
        "~5",
        "^",
        "\\",
        "{}",
        "%00",
        "\u{202e}x",
        "京",
        "<script>",
        "';--",
        "../../etc/passwd",
        "2026-13-45",
        "99999999999999999999-0",
        "0-",
        "javascript:alert(1)",
        "http://",
        "http://[::1",
        "http://a.test/\u{0}",
        "://",
    ];
    let long = "a\" -*".repeat(1_000);
    let values =
        hostile.iter().map(|text| encoded(text)).chain(["%ff%fe".into(), "%".into(), encoded(&long)]);
    for value in values {
        for path in [
            "/articles?q=",
            "/articles?cursor=",
            "/articles?day=",
            "/articles?site=",
            "/articles?concept=",
            "/articles?language=",
            "/articles?label=",
            "/articles?place=",
            "/articles?code=",
            "/articles?from=",
            "/articles.atom?q=",
            "/articles.csv?label=",
            "/taxonomy.csv?q=",
            "/taxonomy?q=",
            "/taxonomy/",
            "/articles/",
            "/sites/",
            "/assets/",
            "/explain?target=",
            "/api/v1/articles?q=",
            "/api/v1/articles?cursor=",
            "/api/v1/articles?limit=",
            "/api/v1/articles?day=",
            "/api/v1/concepts/",
            "/api/v1/sites/",
            "/api/v1/article?url=",
            "/api/v1/explain?url=",
            "/",
        ] {
            let answer = served.client.get(&format!("{path}{value}")).await;
            assert!(matches!(answer.status, 200 | 303 | 400 | 404), "{path}{value}: {}", answer.status);
            assert_eq!(answer.header("content-security-policy"), Some(POLICY), "{path}{value}");
            assert!(
                !RAW.iter().any(|raw| answer.body.contains(raw)) || path.starts_with("/api"),
                "{path}{value}"
            );
        }
    }
}

async fn strangers_are_refused(served: &Served) {
    for path in ["/", "/api/v1/articles", "/assets/x"] {
        for host in ["evil.test", "evil.test:80", "127.0.0.1.evil.test"] {
            let answer = served.client.ask("GET", path, host).await;
            assert_eq!(answer.status, 421, "{host}{path}");
            assert!(!answer.body.contains("concept"), "{}", answer.body);
            assert_eq!(answer.header("content-security-policy"), Some(POLICY));
        }
        let answer = served.client.ask("POST", path, "localhost").await;
        assert_eq!(answer.status, 405, "{path}");
    }
    assert_eq!(served.client.ask("GET", "/", "localhost:1").await.status, 200);
}

/// Half requests, answers that nobody reads and listeners of one client keep nobody out, not even others at its address.
async fn a_crowd_leaves_room_for_others(served: &Served) {
    let open = async |count: usize, request: &str| {
        let mut streams = Vec::new();
        for _ in 0..count {
            let mut stream = TcpStream::connect(served.client.addr).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            streams.push(stream);
        }
        streams
    };
    let half = open(400, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ").await;
    assert_eq!(served.client.get("/").await.status, 200);
    let mut left = 0;
    for mut stream in half {
        // A connection that was closed says so at once.
        let read = tokio::time::timeout(LOOK, stream.read(&mut [0])).await;
        left += usize::from(read.is_err());
    }
    assert!(left < 257, "{left} of 400 half requests keep their connection");

    let request = "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut statuses = Vec::new();
    let mut listeners = open(10, request).await;
    for stream in &mut listeners {
        let mut begin = [0; 12];
        stream.read_exact(&mut begin).await.unwrap();
        statuses.push(String::from_utf8_lossy(&begin[9..]).into_owned());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [["200"; 8].as_slice(), &["429"; 2]].concat());

    let _unread = open(20, "GET /api/v1/articles?limit=200 HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let known = token(served, "reader-in-a-crowd").await;
    let (host, bearer) = (served.client.addr.to_string(), format!("Bearer {known}"));
    let headers = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
    assert_eq!(served.client.send("GET", "/api/v1/articles", &headers, "").await.status, 200);
}

async fn only_http_1_is_spoken(served: &Served) {
    let mut stream = TcpStream::connect(served.client.addr).await.unwrap();
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let mut answer = Vec::new();
    // A reset is as good as an end.
    stream.read_to_end(&mut answer).await.ok();
    assert!(!answer.starts_with(b"\0\0"), "settings of HTTP/2: {answer:?}");
}

async fn mistakes_of_its_operator_are_explained(served: &Served) {
    let addr = served.client.addr.to_string();
    let ended = served.lab.run(&["serve", &served.run, "--addr", &addr]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.err.contains("cannot serve at") && ended.err.contains("name another port"),
        "{}",
        ended.err
    );
}

/// The folders of search indexes below this one, with who may use them.
fn indexes(temporary: &Path) -> BTreeMap<PathBuf, u32> {
    use std::os::unix::fs::PermissionsExt as _;
    let entries = std::fs::read_dir(temporary).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.path(), entry.metadata().unwrap().permissions().mode() & 0o777)).collect()
}

/// A console's index is its user's alone. The first console of a run has it in the run's folder, others in folders for temporary
/// files. One that was killed leaves its folder behind, and the next one removes it, but not that of another console that
/// still runs. Each tells what was built.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_index_is_private_and_goes_with_its_console() {
    let mut lab = Lab::of(small_world(3)).await;
    lab.ok(&lab.mining("run", &[])).await;
    let kept = lab.path("run").join("newslode.search");
    let temporary = lab.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    lab.set("TMPDIR", temporary.as_os_str());
    let serve = async |are_ready: &dyn Fn(&BTreeMap<PathBuf, u32>) -> bool| {
        let run = lab.path("run").display().to_string();
        let arguments = ["serve", "--dir", &run, "--addr", "127.0.0.1:0", "--admin", "127.0.0.1:0"];
        let mut process = lab.start(&arguments);
        process.printed("/metrics").await;
        let begun = Instant::now();
        while !are_ready(&indexes(&temporary)) {
            assert!(begun.elapsed() < SOON, "{:?}\n{}", indexes(&temporary), process.tail());
            tokio::time::sleep(LOOK).await;
        }
        process
    };
    let holder = serve(&|_| kept.join("meta.json").exists()).await;
    assert!(indexes(&temporary).is_empty(), "{:?}", indexes(&temporary));
    assert_eq!(indexes(&lab.path("run"))[&kept], 0o700);
    let living = serve(&|folders| folders.len() == 1).await;
    let of_living = indexes(&temporary);
    let mut killed = serve(&|folders| folders.len() == 2).await;
    assert!(indexes(&temporary).values().all(|mode| *mode == 0o700), "{:?}", indexes(&temporary));
    killed.kill();
    let left = indexes(&temporary);
    assert_eq!(left.len(), 2, "nobody could remove it");
    // The next console makes its own folder after it has removed the one that was left.
    let next = serve(&|folders| folders.keys().any(|folder| !left.contains_key(folder))).await;
    let now = indexes(&temporary);
    let (gone, kept): (Vec<_>, Vec<_>) = left.keys().partition(|folder| !now.contains_key(*folder));
    assert_eq!((gone.len(), kept), (1, of_living.keys().collect()), "{left:?} {now:?}");

    let said = next.out();
    let addr = said.split("metrics: http://").nth(1).unwrap().split('/').next().unwrap();
    let metrics = Client::new(addr.parse().unwrap()).get("/metrics").await.body;
    let version = concat!("version=\"", env!("CARGO_PKG_VERSION"), "\"");
    let info = metrics.lines().find(|line| line.starts_with("newslode_build_info{")).unwrap();
    assert!(info.contains(version) && info.contains("rustc=\"1.") && info.ends_with("} 1"), "{info}");
    for mut process in [holder, living, next] {
        process.terminate();
        assert_eq!(process.end(SOON).await.code, Some(0));
    }
    assert!(indexes(&temporary).is_empty(), "{:?}", indexes(&temporary));
}
