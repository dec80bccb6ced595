//! Pages that are broken, contradict themselves, or are not plain text.

use super::*;

const OG: &str = "<meta property=og:type content=article>";

fn json_ld(json: &str) -> String {
    format!("{OG}<script type='application/ld+json'>{json}</script>")
}

#[test]
fn a_megabyte_of_json_ld_is_read() {
    let filler = r#"{"@type":"Thing","name":"x","of":[{"a":1},{"b":[2]}]},"#.repeat(20_000);
    let json = format!(r#"[{filler}{{"@type":"NewsArticle","headline":"Bridge stays open"}}]"#);
    assert!(json.len() > 1 << 20);
    // The article comes after the maximum number of objects.
    assert_eq!(fields(&json_ld(&json), TEXT).title, None);
    let json = format!(r#"[{{"@type":"NewsArticle","headline":"Bridge stays open"}},{}1]"#, filler);
    assert_eq!(fields(&json_ld(&json), TEXT).title.as_deref(), Some("Bridge stays open"));
    let deep = format!("{}{}", "[".repeat(600_000), "]".repeat(600_000));
    assert_eq!(fields(&json_ld(&deep), TEXT).title, None);
}

#[test]
fn cycles_and_wrong_types_give_nothing() {
    let json = r##"{"@graph":[{"@type":"NewsArticle","@id":"#a","author":{"@id":"#b"},"headline":{"@id":"#a"}},
        {"@id":"#b","name":{"@id":"#c"}},{"@id":"#c","name":{"@id":"#b"}}]}"##;
    let found = fields(&json_ld(json), TEXT);
    assert_eq!((found.title, found.authors.len()), (None, 0));
    for json in [
        r#"{"@type":5,"headline":"x"}"#,
        r#"{"@type":"NewsArticle","headline":7,"author":true,"datePublished":{"a":1},"articleSection":null,"image":[[]]}"#,
        r#"{"@type":["NewsArticle",{}],"headline":[],"author":[[],{}],"datePublished":7,"articleBody":["a"]}"#,
        "null",
        "",
    ] {
        let found = fields(&json_ld(json), TEXT);
        assert_eq!((&found.title, &found.published, &found.image), (&None, &None, &None), "{json}");
        assert!(found.authors.is_empty(), "{json}");
        assert!(found.text().contains("keep the old bridge"), "{json}");
    }
}

#[test]
fn of_two_articles_the_pages_own_counts() {
    let article = |name: &str, author: &str, day: u8, place: &str| {
        format!(
            r#"{{"@type":"NewsArticle","headline":"{name}","url":"https://news.example.org/2024/{place}",
                "author":{{"name":"{author}"}},"datePublished":"2024-05-0{day}"}}"#
        )
    };
    let other = article("Mayor resigns", "Alan Turing", 1, "mayor");
    let own = article("Bridge stays open", "Ada Lovelace", 3, "bridge?from=feed");
    let next: String = (0..3)
        .map(|n| {
            format!("<p>The mayor said on Monday that she would resign, for reason number {n} of three.</p>")
        })
        .collect();
    let found = fields(
        &json_ld(&format!("[{other},{own}]")),
        &format!(
            "<article><h1>Bridge stays open</h1>{TEXT}</article><article><h1>Mayor resigns</h1>{next}</article>"
        ),
    );
    assert_eq!(found.title.as_deref(), Some("Bridge stays open"));
    assert_eq!((found.authors[0].as_str(), found.published.as_deref()), ("Ada Lovelace", Some("2024-05-03")));
    assert!(found.text().contains("keep the old bridge"));
}

#[test]
fn no_date_is_after_the_fetch_whoever_says_it() {
    let head = format!(
        "{}<meta property=article:published_time content=2031-01-01><meta name=date content=2031-01-02>",
        json_ld(r#"{"@type":"NewsArticle","datePublished":"2031-01-03","dateModified":"2031-01-04"}"#)
    );
    let late = "<time datetime=2031-01-05>5 January 2031</time><p>Published 6 January 2031</p>\
                <script>x = {\"publishDate\": \"2031-01-07\"}</script>";
    let found = fields(&head, &format!("<h1>Bridge</h1>{late}{TEXT}"));
    assert_eq!((found.published, found.modified), (None, None));
    // A less trusted witness with a possible date is better than none.
    let found = fields(&head, &format!("<h1>Bridge</h1>{late}<p>3 May 2024</p>{TEXT}"));
    assert_eq!(found.published.as_deref(), Some("2024-05-03"));
}

#[test]
fn scripts_of_all_kinds_are_read() {
    let check = |sentence: &str, byline: &str, date: &str, author: &str| {
        let text: String = (1..7).map(|n| format!("<p>{sentence} {n}。{sentence}。</p>")).collect();
        let section: String = sentence.chars().take(4).collect();
        let menu: String = (0..6).map(|n| format!("<li><a href=/{n}>{section}</a></li>")).collect();
        let html = format!(
            "<nav><ul>{menu}</ul></nav><article><h1>{section}{section}</h1><p>{date}</p><p class=byline>{byline}</p>{text}</article>"
        );
        let found = fields(OG, &html);
        assert_eq!(found.published.as_deref(), Some("2024-05-03"), "{date}");
        assert_eq!(found.authors, [author], "{byline}");
        let text = found.text();
        assert!((1..7).all(|n| text.contains(&format!("{sentence} {n}"))), "{text}");
        assert!(!text.contains(&section.repeat(2)), "{text}");
    };
    check(
        "市議会は火曜日、多くの住民の要望を受けて、古い橋をさらに一年間開けておくことを決めた",
        "山田太郎 記者",
        "2024年5月3日",
        "山田太郎",
    );
    check(
        "시의회는 화요일 많은 주민의 요청에 따라 오래된 다리를 일 년 더 열어 두기로 결정했다고 시장이 밝혔다",
        "박준석 기자",
        "2024. 5. 3.",
        "박준석",
    );
    check(
        "Городской совет решил во вторник оставить старый мост открытым ещё на год, как просили сотни жителей",
        "Анна Иванова",
        "3 мая 2024",
        "Анна Иванова",
    );
    check(
        "صوت المجلس يوم الثلاثاء على إبقاء الجسر القديم مفتوحا لعام آخر بعد أن طلب ذلك مئات السكان",
        "أحمد علي",
        "2024-05-03",
        "أحمد علي",
    );
    check(
        "परिषद ने मंगलवार को पुराने पुल को एक और वर्ष के लिए खुला रखने का निर्णय लिया क्योंकि सैकड़ों लोगों ने यह माँग की थी",
        "राम शर्मा",
        "2024-05-03",
        "राम शर्मा",
    );
}

#[test]
fn what_is_no_plain_text_is_said_to_be_so() {
    let check = |json: &str, body: &str, expected: Option<&str>| {
        let found = fields(&json_ld(json), body);
        assert_eq!(found.evidence.get("form").map(|form| form.witness.as_str()), expected, "{json}");
    };
    let long = format!("{TEXT}{}", TEXT.replace("bridge", "ferry").replace(" and", ", and so"));
    let pictures = "<figure><img src=a.jpg></figure>".repeat(8);
    check(r#"{"@type":"LiveBlogPosting","headline":"x"}"#, &long, Some("live-blog"));
    check(r#"{"@type":"NewsArticle","isAccessibleForFree":"False"}"#, TEXT, Some("stub"));
    check(r#"{"@type":"NewsArticle","isAccessibleForFree":false}"#, &long, None);
    check(r#"{"@type":"NewsArticle","isAccessibleForFree":true}"#, TEXT, None);
    check(
        r#"[{"@type":"NewsArticle"},{"@type":"ImageGallery"}]"#,
        &format!("{pictures}{long}"),
        Some("gallery"),
    );
    check(r#"[{"@type":"NewsArticle"},{"@type":"VideoObject"}]"#, TEXT, Some("video"));
    check(r#"[{"@type":"NewsArticle"},{"@type":"VideoObject"}]"#, &long, None);
    check(r#"{"@type":"NewsArticle"}"#, TEXT, None);
}
