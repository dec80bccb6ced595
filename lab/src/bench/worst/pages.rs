//! Pages made so that a careless algorithm takes more than linear time for them.
//!
//! Each kind repeats one part of a page `n` times. Pages of one kind differ in their number, as pages of one site do.

/// Words that bodies are made of.
const WORDS: [&str; 10] =
    ["council", "bridge", "river", "winter", "school", "money", "town", "mayor", "debate", "evening"];
/// A paragraph that makes a page an article.
const STORY: &str = "<p>The council met on Tuesday evening and decided after a long debate that the bridge across the river \
    will be repaired before winter begins, several members said.</p>";

/// A kind of worst page.
#[derive(Clone, Copy)]
pub(crate) struct WorstPage {
    /// What is repeated.
    pub(crate) name: &'static str,
    /// Number of parts at the smallest size; pages of twice and four times as many are measured, too.
    pub(crate) parts: usize,
    /// The HTML of the page with this number of parts, by the number of the page.
    make: fn(usize, u64) -> String,
}

impl WorstPage {
    /// The page with this number of parts. Pages with other numbers differ in some words.
    pub(crate) fn html(&self, parts: usize, number: u64) -> String {
        (self.make)(parts, number)
    }
}

/// Pseudorandom words, the same for equal numbers.
struct Words(u64);

impl Words {
    fn new(number: u64) -> Words {
        Words(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn draw(&mut self) -> usize {
        // Xorshift is enough for words.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize
    }

    fn sentence(&mut self, count: usize) -> String {
        (0..count).map(|_| WORDS[self.draw() % WORDS.len()]).collect::<Vec<_>>().join(" ")
    }
}

fn article(number: u64, body: &str) -> String {
    format!(
        "<html lang=en><head><title>Story {number} about it</title><script type=\"application/ld+json\">\
         {{\"@type\":\"NewsArticle\",\"headline\":\"Story {number} about it\",\"datePublished\":\"2026-11-20T10:00:00Z\"}}\
         </script></head><body><article><h1>Story {number} about it</h1>{STORY}{STORY}{body}</article></body></html>"
    )
}

fn repeated(parts: usize, part: &mut dyn FnMut(usize) -> String) -> String {
    (0..parts).map(part).collect()
}

/// An article that consists of these parts.
fn of_parts(number: u64, parts: usize, mut part: impl FnMut(usize, &mut Words) -> String) -> String {
    let mut words = Words::new(number + 1);
    article(number, &repeated(parts, &mut |at| part(at, &mut words)))
}

/// All kinds.
pub(crate) const PAGES: &[WorstPage] = &[
    WorstPage {
        name: "short paragraphs",
        parts: 1_000,
        make: |n, page| of_parts(page, n, |_, words| format!("<p>{}.</p>", words.sentence(6))),
    },
    WorstPage {
        name: "long paragraphs",
        parts: 250,
        make: |n, page| of_parts(page, n, |_, words| format!("<p>{}.</p>", words.sentence(60))),
    },
    WorstPage {
        name: "equal paragraphs",
        parts: 2_000,
        make: |n, page| of_parts(page, n, |_, _| "<p>Sign up for our letter.</p>".into()),
    },
    WorstPage {
        name: "paragraphs with a link",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, words| {
                format!("<p>{} <a href=/{page}/{at}>{}</a>.</p>", words.sentence(3), words.sentence(3))
            })
        },
    },
    WorstPage {
        name: "text without elements",
        parts: 2_000,
        make: |n, page| of_parts(page, n, |_, words| format!("{}<br>", words.sentence(6))),
    },
    WorstPage {
        name: "one word",
        parts: 20_000,
        make: |n, page| of_parts(page, 1, |_, _| format!("<p>{}</p>", "river ".repeat(n))),
    },
    WorstPage {
        name: "a line without spaces",
        parts: 100_000,
        make: |n, page| of_parts(page, 1, |_, _| format!("<p>{}</p>", "x".repeat(n))),
    },
    WorstPage {
        name: "distinct words",
        parts: 10_000,
        make: |n, page| {
            of_parts(page, 1, |_, _| format!("<p>{}</p>", repeated(n, &mut |at| format!("word{page}x{at} "))))
        },
    },
    WorstPage {
        name: "equal headings",
        parts: 1_000,
        make: |n, page| of_parts(page, n, |_, words| format!("<h2>Sport</h2><p>{}.</p>", words.sentence(5))),
    },
    WorstPage {
        name: "distinct headings",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, words| {
                format!("<h2>{} {at}</h2><p>{}.</p>", words.sentence(3), words.sentence(5))
            })
        },
    },
    WorstPage {
        name: "headings only",
        parts: 2_000,
        make: |n, page| of_parts(page, n, |at, _| format!("<h{0}>Part {at}</h{0}>", at % 6 + 1)),
    },
    WorstPage {
        name: "bold lines",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |_, words| {
                format!("<p><b>{}</b></p><p>{}.</p>", words.sentence(2), words.sentence(5))
            })
        },
    },
    WorstPage {
        name: "links",
        parts: 2_000,
        make: |n, page| {
            of_parts(page, n, |at, words| format!("<li><a href=/{page}/{at}>{}</a></li>", words.sentence(4)))
        },
    },
    WorstPage {
        name: "links to one page",
        parts: 2_000,
        make: |n, page| of_parts(page, n, |_, words| format!("<a href=/one>{}</a> ", words.sentence(2))),
    },
    WorstPage {
        name: "nested lists",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n / 10, |at, words| {
                format!(
                    "<ul><li>{}<ul>{}</ul></li></ul>",
                    words.sentence(2),
                    repeated(10, &mut |item| format!(
                        "<li><a href=/{at}/{item}>{}</a></li>",
                        words.sentence(2)
                    ))
                )
            })
        },
    },
    WorstPage {
        name: "a list in a list in a list",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, 1, |_, words| {
                format!(
                    "{}{}",
                    repeated(n.min(450), &mut |at| format!("<ul><li>item {at} {}", words.sentence(2))),
                    repeated(n, &mut |at| format!("<li>more {at}</li>"))
                )
            })
        },
    },
    WorstPage {
        name: "deep nests",
        parts: 40,
        make: |n, page| {
            of_parts(page, n, |at, words| {
                format!("{}{} {at}{}", "<div>".repeat(200), words.sentence(4), "</div>".repeat(200))
            })
        },
    },
    WorstPage {
        name: "unclosed elements",
        parts: 2_000,
        make: |n, page| of_parts(page, n, |at, _| format!("<div><b><i>x{at}")),
    },
    WorstPage {
        name: "wrong nesting",
        parts: 1_000,
        make: |n, page| of_parts(page, n, |at, _| format!("<b><p><i>x{at}</b>y</p></i>")),
    },
    WorstPage {
        name: "a table of long rows",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, 1, |_, words| {
                format!(
                    "<table>{}</table>",
                    repeated(10, &mut |_| format!(
                        "<tr>{}</tr>",
                        repeated(n / 10, &mut |at| format!("<td>{at} {}</td>", words.sentence(1)))
                    ))
                )
            })
        },
    },
    WorstPage {
        name: "a table of many rows",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, 1, |_, words| {
                format!(
                    "<table><tr><th>A<th>B<th>C</tr>{}</table>",
                    repeated(n, &mut |at| format!(
                        "<tr><td>{at}</td><td>{}</td><td>{}</td></tr>",
                        words.sentence(1),
                        words.sentence(2)
                    ))
                )
            })
        },
    },
    WorstPage {
        name: "many tables",
        parts: 400,
        make: |n, page| {
            of_parts(page, n, |at, words| {
                format!(
                    "<table><tr><th>Name<th>Points</tr><tr><td>{}<td>{at}</tr><tr><td>{}<td>{at}</tr></table>",
                    words.sentence(1),
                    words.sentence(1)
                )
            })
        },
    },
    WorstPage {
        name: "tables in tables",
        parts: 100,
        make: |n, page| {
            of_parts(page, n / 20, |at, words| {
                format!("{}{} {at}{}", "<table><tr><td>".repeat(20), words.sentence(1), "</table>".repeat(20))
            })
        },
    },
    WorstPage {
        name: "wide spans",
        parts: 500,
        make: |n, page| {
            of_parts(page, 1, |_, _| {
                format!(
                    "<table>{}</table>",
                    repeated(n, &mut |at| format!("<tr><td rowspan=60000 colspan=900>{at}<td>b</tr>"))
                )
            })
        },
    },
    WorstPage {
        name: "forms",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, _| {
                format!(
                    "<form action=/{at}><label>Name <input name=a{at}></label><select><option>A<option>B</select><button>Send</button></form>"
                )
            })
        },
    },
    WorstPage {
        name: "options",
        parts: 4_000,
        make: |n, page| {
            of_parts(page, 1, |_, _| {
                format!("<select>{}</select>", repeated(n, &mut |at| format!("<option>Option {at}")))
            })
        },
    },
    WorstPage {
        name: "images",
        parts: 2_000,
        make: |n, page| {
            of_parts(page, n, |at, words| {
                format!(
                    "<figure><img src=/{page}/{at}.jpg alt=\"{0}\"><figcaption>{0}</figcaption></figure>",
                    words.sentence(3)
                )
            })
        },
    },
    WorstPage {
        name: "scripts",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, _| {
                format!(
                    "<script>var state{at} = {{\"headline\": \"Story {at}\", \"datePublished\": \"2026-11-20\", \"author\": \"Ann Lee\"}};</script>"
                )
            })
        },
    },
    WorstPage {
        name: "JSON-LD, many",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, _| {
                format!(
                    "<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"headline\":\"Story {at}\",\"author\":{{\"@type\":\"Person\",\"name\":\"Ann Lee{at}\"}},\"datePublished\":\"2026-11-20\"}}</script>"
                )
            })
        },
    },
    WorstPage {
        name: "JSON-LD, one of many",
        parts: 2_000,
        make: |n, page| {
            of_parts(page, 1, |_, _| {
                format!(
                    "<script type=application/ld+json>{{\"@graph\":[{}{{}}]}}</script>",
                    repeated(n, &mut |at| format!(
                        "{{\"@type\":\"NewsArticle\",\"headline\":\"Story {at}\",\"articleBody\":\"The council met\",\"author\":[{{\"@type\":\"Person\",\"name\":\"Ann Lee{at}\"}}]}},"
                    ))
                )
            })
        },
    },
    WorstPage {
        name: "JSON-LD, deep",
        parts: 5_000,
        make: |n, page| {
            of_parts(page, 1, |_, _| {
                format!(
                    "<script type=application/ld+json>{}{}</script>",
                    "{\"@type\":\"WebPage\",\"mainEntity\":".repeat(n),
                    "}".repeat(n)
                )
            })
        },
    },
    WorstPage {
        name: "meta elements",
        parts: 2_000,
        make: |n, page| {
            of_parts(page, n, |at, words| {
                format!(
                    "<meta name=author content=\"Ann Lee{at}\"><meta property=article:tag content=\"{}\">",
                    words.sentence(2)
                )
            })
        },
    },
    WorstPage {
        name: "comments",
        parts: 4_000,
        make: |n, page| of_parts(page, n, |at, _| format!("<!-- comment {at} -->x")),
    },
    WorstPage {
        name: "attributes",
        parts: 200,
        make: |n, page| {
            of_parts(page, n, |_, words| {
                format!("<p{}>{}</p>", repeated(200, &mut |at| format!(" data-a{at}=v")), words.sentence(3))
            })
        },
    },
    WorstPage {
        name: "classes",
        parts: 500,
        make: |n, page| {
            of_parts(page, n, |at, words| {
                format!(
                    "<p class=\"{}\">{}</p>",
                    repeated(40, &mut |class| format!("c{class}x{at} ")),
                    words.sentence(3)
                )
            })
        },
    },
    WorstPage {
        name: "dates",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, _| {
                format!(
                    "<p><time datetime=2026-11-{:02}>{} November 2026, 10:{:02}</time> Updated 3 hours ago</p>",
                    at % 28 + 1,
                    at % 28 + 1,
                    at % 60
                )
            })
        },
    },
    WorstPage {
        name: "bylines",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, _| {
                format!(
                    "<p class=byline>By <a rel=author href=/authors/{at}>Ann{at} Lee</a> and Bob{at} Gray, Reporter</p>"
                )
            })
        },
    },
    WorstPage {
        name: "paths of their own",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, words| format!("<x{at}><y{at}>{}</y{at}></x{at}>", words.sentence(2)))
        },
    },
    WorstPage {
        name: "a heading around everything",
        parts: 2_000,
        make: |n, page| {
            of_parts(page, 1, |_, _| format!("<h1>{}</h1>", repeated(n, &mut |at| format!("<i>a {at}</i>"))))
        },
    },
    WorstPage {
        name: "words and links in one paragraph",
        parts: 2_000,
        make: |n, page| {
            of_parts(page, 1, |_, words| {
                format!(
                    "<p>{}</p>",
                    repeated(n, &mut |at| format!(
                        "word{at} <a href=/{page}/{at}>{}</a> ",
                        words.sentence(2)
                    ))
                )
            })
        },
    },
    WorstPage {
        name: "elements in one line",
        parts: 2_000,
        make: |n, page| {
            of_parts(page, 1, |_, words| {
                format!(
                    "<p>{}</p>",
                    repeated(n, &mut |at| format!(
                        "<span>{} {at}</span> <b>{}</b> ",
                        words.sentence(2),
                        words.sentence(1)
                    ))
                )
            })
        },
    },
    WorstPage {
        name: "links around everything",
        parts: 2_000,
        make: |n, page| {
            of_parts(page, 1, |_, words| {
                format!(
                    "<a href=/{page}>{}</a>",
                    repeated(n, &mut |_| format!("<p>{}</p>", words.sentence(4)))
                )
            })
        },
    },
    WorstPage {
        name: "JSON-LD and paragraphs",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, words| {
                format!(
                    "<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"headline\":\"Story {at} of it\",\"author\":\"Ann Lee{at}\"}}</script><p>Story {at} of {}</p>",
                    words.sentence(4)
                )
            })
        },
    },
    WorstPage {
        name: "authors in metadata and bylines",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, _| {
                format!("<meta name=author content=\"Ann Lee{at}\"><p class=author>By Ann Lee{at}</p>")
            })
        },
    },
    WorstPage {
        name: "days",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, _| {
                format!(
                    "<time datetime={}-{:02}-{:02}>{}</time>",
                    1990 + at % 37,
                    at % 12 + 1,
                    at % 28 + 1,
                    at
                )
            })
        },
    },
    WorstPage {
        name: "lists of labels and values",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, n, |at, words| format!("<dt>Label {at}:</dt><dd>{}</dd>", words.sentence(2)))
        },
    },
    WorstPage {
        name: "sections in sections",
        parts: 1_000,
        make: |n, page| {
            of_parts(page, 1, |_, words| {
                repeated(n, &mut |at| format!("<section><h2>Part {at}</h2><p>{}</p>", words.sentence(3)))
            })
        },
    },
];
