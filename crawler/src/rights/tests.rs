use newslode_page::reading::CanonicalUrl;
use proptest::prelude::*;

use super::*;

const READER: Reader<'static> = Reader { token: "Newslode", at: Timestamp(1_714_694_400_000) };

fn known(rights: &Rights) -> Vec<String> {
    let standings = Use::ALL.map(|of| (of, rights.standing(of)));
    let known = standings.into_iter().filter(|(_, standing)| *standing != Standing::Unknown);
    known.map(|(of, standing)| format!("{}={}", of.name(), standing.name())).collect()
}

#[track_caller]
fn header(headers: &[(&str, &str)], expected: &[&str]) {
    let url = Url::parse("https://a.test/news/1").unwrap();
    assert_eq!(known(&of_headers(headers.iter().copied(), &url, READER)), expected, "{headers:?}");
}

#[test]
fn the_list_of_agents_can_be_read() {
    let rows = include_str!("agents.txt").lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(AGENTS.len(), rows);
    for agent in AGENTS.iter() {
        assert!(!agent.uses.is_empty() && agent_uses(agent.name) == Some(&agent.uses), "{}", agent.name);
    }
    let names: std::collections::BTreeSet<_> = AGENTS.iter().map(|agent| agent.name.to_lowercase()).collect();
    assert_eq!(names.len(), AGENTS.len());
    assert_eq!(agent_uses("Google-Extended-Other"), None);
    assert_eq!(agent_uses("Googlé"), None);
}

#[test]
fn headers_state_rights() {
    header(&[("content-type", "text/html"), ("x-robots-tag", "index, nofollow")], &[]);
    header(&[("X-Robots-Tag", "noai, noimageai")], &["ai_input=reserved", "ai_train=reserved"]);
    header(&[("x-robots-tag", "noimageai")], &[]);
    header(&[("x-robots-tag", "otherbot: noai"), ("x-robots-tag", "noarchive")], &["archive=reserved"]);
    header(&[("x-robots-tag", "none")], &["search=reserved"]);
    header(
        &[("Content-Signal", "ai-train=yes, search=yes, ai-input=no")],
        &["search=allowed", "ai_input=reserved", "ai_train=allowed"],
    );
    header(&[("content-usage", "train-ai=n;x=1, search=?1")], &["search=allowed", "ai_train=reserved"]);
    header(&[("content-usage", "train-ai=n"), ("content-signal", "ai-train=yes")], &["ai_train=reserved"]);
    header(
        &[("tdm-reservation", "1"), ("tdm-policy", "https://a.test/policy.json")],
        &["ai_train=reserved", "text_mining=reserved"],
    );
    header(&[("tdm-reservation", " 0 ")], &["text_mining=allowed"]);
    header(&[("tdm-reservation", "yes"), ("content-usage", "train-ai, =n, train-ai=maybe")], &[]);
}

#[test]
fn licences_are_recorded_and_decide_nothing() {
    let url = Url::parse("https://a.test/news/1").unwrap();
    let link =
        "</license.html>; rel=\"license\", <https://x.test/>; rel=next, <javascript:alert(1)>; rel=license";
    let rights = of_headers([("link", link)], &url, READER);
    let written: Vec<&str> = rights.statements().iter().map(|statement| statement.written.as_str()).collect();
    assert_eq!((written, known(&rights)), (vec!["https://a.test/license.html"], vec![]));
}

fn markup(html: &str) -> Rights {
    let url: CanonicalUrl = "https://a.test/news/1".parse().unwrap();
    of_markup(&Page::parse(&url, None, html.as_bytes()), READER)
}

#[test]
fn elements_state_rights() {
    let rights = markup(
        "<meta name=Robots content='noai, noarchive'><meta name=newslode content=noindex><meta name=otherbot content=noai>\
         <meta name='TDM-Reservation' content=1><meta name=tdm-policy content=https://a.test/p>\
         <link rel='license nofollow' href='https://creativecommons.org/licenses/by/4.0/'><a rel=license href='javascript:alert(1)'>",
    );
    let all = ["search", "ai_input", "ai_train", "text_mining", "archive"].map(|of| format!("{of}=reserved"));
    assert_eq!(known(&rights), all);
    let written: Vec<&str> = rights.statements().iter().map(|statement| statement.written.as_str()).collect();
    assert_eq!(
        written,
        [
            "noai, noarchive",
            "noindex",
            "tdm-reservation: 1",
            "tdm-policy: https://a.test/p",
            "https://creativecommons.org/licenses/by/4.0/"
        ]
    );
    assert!(markup("<p>noai <meta name=description content=noai><meta name=robots content=all>").is_empty());
}

#[test]
fn json_ld_names_the_licence_of_the_text() {
    let licences = |json: &str| {
        let rights = markup(&format!("<script type='application/ld+json; charset=utf-8'>{json}</script>"));
        rights.statements().iter().map(|statement| statement.written.clone()).collect::<Vec<_>>()
    };
    assert_eq!(licences(r#"{"@type":"NewsArticle","license":"https://x.test/l"}"#), ["https://x.test/l"]);
    assert_eq!(
        licences(
            r#"{"@graph":[{"@type":["WebPage"],"license":{"@id":"/l"}},{"@type":"ImageObject","license":"https://x.test/i"}]}"#
        ),
        ["https://a.test/l"]
    );
    assert!(licences(r#"{"@type":"Article","license":"javascript:alert(1)","image":{"@type":"ImageObject","license":"https://x.test/i"}}"#).is_empty());
    assert!(licences(r#"{"@type":"Article","license":[[["#).is_empty());
    assert!(
        licences(&format!(r#"{{"@type":"Article","license":{}1{}}}"#, "[".repeat(90), "]".repeat(90)))
            .is_empty()
    );
}

#[track_caller]
fn file(which: OriginFile, text: &str, path: &str, expected: &[&str]) {
    let url = Url::parse("https://a.test/").unwrap().join(path).unwrap();
    let rights = which.read(text.as_bytes(), "Newslode").about(&url, READER.at);
    assert_eq!(known(&rights), expected, "{path}: {text}");
}

#[test]
fn tdmrep_reserves_by_location() {
    let text = r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://a.test/policy"},
                   {"location": "/free/*", "tdm-reservation": 0}, {"location": ["/a$", 7], "tdm-reservation": "0"}, 7, {}]"#;
    let reserved = ["ai_train=reserved", "text_mining=reserved"];
    file(OriginFile::Tdmrep, text, "/news/1", &reserved);
    file(OriginFile::Tdmrep, text, "/free/1", &["text_mining=allowed"]);
    file(OriginFile::Tdmrep, text, "/a", &["text_mining=allowed"]);
    file(OriginFile::Tdmrep, text, "/ab", &reserved);
    file(OriginFile::Tdmrep, "\u{FEFF}{\"location\":\"/\",\"tdm-reservation\":true}", "/", &reserved);
    for wrong in ["", "[", "null", "[[[[", "{\"location\":{}}", "<html>", &"[".repeat(100_000)] {
        file(OriginFile::Tdmrep, wrong, "/", &[]);
    }
    let long = format!(r#"[{{"location":"/","tdm-reservation":1,"x":"{}"}}]"#, "x".repeat(MAX_FILE_BYTES));
    file(OriginFile::Tdmrep, &long, "/", &[]);
}

#[test]
fn ai_txt_speaks_of_kinds_of_files() {
    let spawning = "# Spawning AI\nUser-Agent: *\nDisallow: *.txt\nDisallow: *.html # text\nAllow: *.jpg\n";
    file(OriginFile::AiTxt, spawning, "/news/1", &["ai_train=reserved"]);
    file(OriginFile::AiTxt, spawning, "/news/1.php?a=b", &["ai_train=reserved"]);
    file(OriginFile::AiTxt, "User-Agent: *\nDisallow: *.jpg\nAllow: *.html", "/a", &["ai_train=allowed"]);
    file(OriginFile::AiTxt, "User-Agent: *\nDisallow: /\nAllow: /free", "/free/1", &["ai_train=allowed"]);
    file(OriginFile::AiTxt, "User-Agent: *\nAllow: /\nDisallow: /", "/", &["ai_train=reserved"]);
    file(OriginFile::AiTxt, "User-Agent: OtherBot\nDisallow: /\n", "/", &[]);
    file(OriginFile::AiTxt, "Disallow: /\nUser-Agent: OtherBot\nAllow: /\n", "/", &["ai_train=reserved"]);
    file(
        OriginFile::AiTxt,
        "User-Agent: OtherBot\nUser-Agent: newslode\nDisallow: /",
        "/",
        &["ai_train=reserved"],
    );
    file(OriginFile::AiTxt, "User-Agent: *\nUser-Agent: OtherBot\nDisallow: /", "/", &["ai_train=reserved"]);
    file(OriginFile::AiTxt, "# AI policy\n\nWe like robots. Allow everything: yes.\n", "/", &[]);
}

proptest! {
    #[test]
    fn any_text_is_read_and_says_only_what_is_named(text in "[ -~\n\"{}\\[\\]:,=/*é]{0,200}") {
        let url = Url::parse("https://a.test/a").unwrap();
        for which in OriginFile::ALL {
            let rights = which.read(text.as_bytes(), "Newslode").about(&url, READER.at);
            prop_assert!(rights.is_empty() || text.to_lowercase().contains("allow") || text.contains("location"));
        }
        for name in ["x-robots-tag", "content-signal", "content-usage", "tdm-reservation", "tdm-policy", "link"] {
            let rights = of_headers([(name, text.as_str())], &url, READER);
            prop_assert!(serde_json::to_string(&rights).is_ok());
        }
        markup(&text);
    }
}
