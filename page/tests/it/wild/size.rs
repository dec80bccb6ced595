//! Pages that are made to be slow to read: each property of these pages again and again.

use std::time::{Duration, Instant};

use super::{DUTCH, read};

/// Far more than such a page takes, and far less than one would if each of its parts looked at all others.
const LIMIT: Duration = Duration::from_secs(20);

#[track_caller]
fn check(name: &str, html: &str) {
    let start = Instant::now();
    read(html);
    assert!(start.elapsed() < LIMIT, "{name}: {:?}", start.elapsed());
}

#[test]
fn data_of_any_shape_take_no_long_time() {
    let article = "{\"@type\":\"NewsArticle\",\"headline\":\"Sluis van Terherne opent weer\",\"author\":{\"@id\":\"#a\"},\"image\":{\"@id\":\"#i\"},\"articleBody\":\"a\"},";
    let h1 = "<h1>Sluis van Oudega krijgt geen opvolger meer</h1>".repeat(2_000);
    let json = format!("<script type=application/ld+json>[{}]</script>{h1}", article.repeat(20_000));
    check("articles", &DUTCH.around("", &json));
    let state = "{\"title\":\"Sluis van Terherne opent weer\",\"a\":[".repeat(50);
    let states =
        format!("<script>x = [{}</script>", "{\"title\":\"Sluis van Terherne opent weer\"},".repeat(100_000));
    check("states", &DUTCH.around("", &states));
    check(
        "nested states",
        &DUTCH.around("", &format!("<script>x = {state}{}</script>", "]}".repeat(50)).repeat(2_000)),
    );
}

#[test]
fn markup_of_any_shape_takes_no_long_time() {
    for (name, part) in [
        ("links", "<p><a href=/x>een regel die helemaal uit een koppeling bestaat.</a></p>"),
        ("rows", "<div class=s><img src=/1.jpg><a href=/y>nog een bericht</a><p>1/4 en wat tekst</p></div>"),
        ("comments", "<div class=comment><b>piet</b><p>wat een onzin</p></div>"),
        (
            "hidden",
            "<div style=display:none><p>een verborgen alinea van meer dan zestig letters, en dat steeds weer.</p></div>",
        ),
        (
            "elements",
            "<x-a><x-b>een</x-b> <x-b>twee</x-b> <x-b>drie</x-b> <x-b>vier</x-b> <x-b>vijf.</x-b></x-a>",
        ),
        ("deep", "<div class=a><x-a>woord "),
        ("tags", "<span title='<"),
        ("lines", "<br>regel\n"),
        ("typed", "<pre>regel\n\n"),
        ("styles", "<style>.a .b .c .d{display:none}</style><p class=d>x"),
        ("ruby", "<ruby>a<rt>b"),
        ("templates", "<x-y><template shadowrootmode=open><p>tekst"),
    ] {
        check(name, &DUTCH.around("", &part.repeat(10_000)));
    }
}
