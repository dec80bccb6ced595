//! Hostile pages for tests and measurements: each costs a careless partitioner hours or gigabytes.

/// A hostile page.
pub struct Hostile {
    /// What makes it hostile.
    pub name: &'static str,
    /// Its HTML.
    pub html: String,
    /// Limits that must be reported as met, whatever the parameters; others may be, too.
    pub coarse: &'static [&'static str],
}

/// All hostile pages; some are tens of megabytes.
#[must_use]
pub fn hostile_pages() -> Vec<Hostile> {
    let page = |name, html, coarse| Hostile { name, html, coarse };
    let numbered =
        |count: usize, part: &dyn Fn(usize) -> String| -> String { (0..count).map(part).collect() };
    let table = format!(
        "<table border=1>{}</table>",
        "<tr><td rowspan=65534 colspan=1000>a<td rowspan=65534>b".repeat(20_000)
    );
    let big = "x ".repeat(1 << 19);
    let attributes = numbered(2_000_000, &|n| format!(" a{n}"));
    vec![
        page("200,000 leaves", numbered(100_000, &|n| format!("<p>w{n}<i>x</i>")), &[]),
        page(
            "100,000 deep",
            format!("{}deep down{}", "<div>".repeat(100_000), "</div>".repeat(100_000)),
            &["depth"],
        ),
        page("100,000 deep, a leaf at each level", "<div>x".repeat(100_000), &["depth"]),
        page(
            "combs of 400 levels",
            format!("{}{}", "<div>x".repeat(400), "</div>y".repeat(400)).repeat(20),
            &[],
        ),
        page("one path 100,000 times", "<li>Sport".repeat(100_000), &[]),
        page("100,000 distinct paths", numbered(100_000, &|n| format!("<x{n}>w</x{n}>")), &[]),
        page(
            "distinct paths, each 500 long",
            format!("{}{}", "<div>".repeat(500), numbered(30_000, &|n| format!("<x{n}>w</x{n}>"))),
            &["leaves"],
        ),
        page("rowspans of 65,534", table, &[]),
        page(
            "attributes of a megabyte",
            format!("<a href='/{big}' class='{big}' title='{big}'>{}</a>", "Sport<!-- -->".repeat(50_000)),
            &["bytes"],
        ),
        page("a tag of 2,000,000 attributes", format!("<p>x<p{attributes}>y<p>z"), &["bytes"]),
        page("50,000 headings", "<h2>SPORT</h2>x".repeat(50_000), &[]),
    ]
}
