//! What a text begins with, and where a listing in it begins.
//!
//! Programs that write feeds often print something before them: blank lines and byte order marks of included files,
//! warnings of PHP with their markup, notes of a proxy. So a listing begins at its root, or at the XML declaration
//! before it, wherever in the first block of the text that is. A page is told from this by its own elements: what is
//! inside an open element, a comment or a script is part of a page that shows or mentions a feed.
//!
//! Both [`sniff`](super::sniff) and [`read`](super::read) ask here, so what can be read is never taken for a page.

use super::input::{Input, TextEnd};
use super::names::ElementName;

/// The beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// A feed or sitemap in XML begins at this byte of the decoded text.
    Xml(usize),
    /// JSON begins there.
    Json(usize),
    /// Addresses, one a line.
    Lines,
    /// The first bytes have neither an element nor anything else that tells.
    Unknown,
    /// Something else. What it is, for people.
    Other(String),
}

/// Elements that only pages have around or before a text.
const OF_PAGES: [&str; 14] = [
    "html", "head", "body", "title", "meta", "base", "main", "article", "header", "nav", "form", "frameset",
    "h1", "svg",
];
/// Elements whose content is no markup, or is shown as it is written.
const RAW: [&str; 9] =
    ["script", "style", "textarea", "xmp", "pre", "code", "template", "noscript", "iframe"];
/// Elements that are often left open.
const OFTEN_OPEN: [&str; 10] = ["br", "hr", "p", "img", "link", "input", "li", "wbr", "tr", "td"];
/// A text with more elements before its root is a page.
const MAX_OPEN: usize = 32;

impl Beginning {
    /// Finds the beginning in the first block of a text.
    pub(super) fn of(input: &Input<'_>) -> Beginning {
        Beginning::of_text(&String::from_utf8_lossy(input.first_block()), input.end() != TextEnd::Open)
    }

    /// `is_whole`: nothing follows this text.
    fn of_text(text: &str, is_whole: bool) -> Beginning {
        let start = text.trim_start_matches(is_blank);
        let at = text.len() - start.len();
        if start.is_empty() {
            return Beginning::Unknown;
        }
        if start.starts_with('{') {
            return Beginning::Json(at);
        }
        if is_lines_of_addresses(start, is_whole) {
            return Beginning::Lines;
        }
        let mut prologue = Prologue { text, at, first: None, declaration: None, open: Vec::new() };
        prologue.read()
    }
}

/// White space, byte order marks, and what else shows nothing.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{FEFF}' | '\u{FFFE}' | '\u{200B}' | '\u{0}')
}

/// Whether each line is a web address.
fn is_lines_of_addresses(text: &str, is_whole: bool) -> bool {
    let mut lines = text.lines().map(|line| line.trim_matches(is_blank)).filter(|line| !line.is_empty());
    let is_address = |line: &str| {
        let line = line.as_bytes();
        let has_scheme = [b"http://".as_slice(), b"https://"]
            .iter()
            .any(|scheme| line.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        has_scheme
            && !line.iter().any(|byte| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'>' | b'"'))
    };
    if is_whole {
        return lines.all(is_address);
    }
    // The last line may be cut off.
    let lines: Vec<&str> = lines.collect();
    lines
        .split_last()
        .is_some_and(|(_, lines)| !lines.is_empty() && lines.iter().all(|line| is_address(line)))
}

/// What comes before the root.
struct Prologue<'t> {
    text: &'t str,
    at: usize,
    /// The first element.
    first: Option<&'t str>,
    /// Where the last XML declaration begins, if only what may follow one followed.
    declaration: Option<usize>,
    /// The open elements.
    open: Vec<&'t str>,
}

impl<'t> Prologue<'t> {
    fn read(&mut self) -> Beginning {
        while let Some(next) = self.rest().find('<') {
            self.at += next;
            let step = match self.rest().as_bytes() {
                [b'<', b'!', b'-', b'-', ..] => self.skip_behind("-->"),
                [b'<', b'!', b'[', ..] => self.skip_behind("]]>"),
                [b'<', b'!', ..] => self.document_type(),
                [b'<', b'?', ..] => self.instruction(),
                [b'<', b'/', ..] => self.end_tag(),
                [b'<', letter, ..] if letter.is_ascii_alphabetic() || *letter == b'_' => self.start_tag(),
                _ => {
                    self.at += 1;
                    Step::On
                }
            };
            match step {
                Step::On => {}
                Step::Root(at) => return Beginning::Xml(at),
                Step::Page => return self.other(),
                // A page may begin with a long comment or script.
                Step::Cut if self.first.is_none() => return Beginning::Unknown,
                Step::Cut => return self.other(),
            }
        }
        self.other()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn other(&self) -> Beginning {
        Beginning::Other(match self.first {
            Some(name) => format!("`<{}>`", super::walk::first_bytes(name, super::walk::MAX_SHOWN)),
            None => "other data".to_owned(),
        })
    }

    /// Passes over everything up to this mark and the mark.
    fn skip_behind(&mut self, mark: &str) -> Step {
        match self.rest().find(mark) {
            Some(found) => {
                self.at += found + mark.len();
                Step::On
            }
            None => Step::Cut,
        }
    }

    /// `<!DOCTYPE rss [<!ENTITY a 'b'>]>`.
    fn document_type(&mut self) -> Step {
        let declared = self.rest().get(2..).unwrap_or_default();
        let mut words = declared.split(|letter: char| letter.is_whitespace() || letter == '>');
        let is_doctype = words.next().is_some_and(|word| word.eq_ignore_ascii_case("doctype"));
        let name = words.find(|word| !word.is_empty()).unwrap_or_default();
        if is_doctype && name.eq_ignore_ascii_case("html") {
            self.first.get_or_insert("html");
            return Step::Page;
        }
        let end = self.rest().find('>').unwrap_or(usize::MAX);
        match self.rest().find('[').filter(|subset| *subset < end) {
            Some(_) => match self.skip_behind("]") {
                Step::On => self.skip_behind(">"),
                other => other,
            },
            None => self.skip_behind(">"),
        }
    }

    /// An XML declaration begins a document, so elements that are open before it are none of it.
    fn instruction(&mut self) -> Step {
        let is_declaration = self.rest().get(2..6).is_some_and(|name| {
            name.get(..3).is_some_and(|xml| xml.eq_ignore_ascii_case("xml")) && name.ends_with(is_blank)
        });
        if is_declaration {
            self.declaration = Some(self.at);
            self.open.clear();
        }
        self.skip_behind(">")
    }

    fn start_tag(&mut self) -> Step {
        let tag = self.rest().get(1..).unwrap_or_default();
        let end = tag.find(|letter: char| letter.is_whitespace() || matches!(letter, '>' | '/' | '<'));
        let name = tag.get(..end.unwrap_or(tag.len())).unwrap_or_default();
        let is_first = self.first.is_none();
        self.first.get_or_insert(name);
        if ElementName::of_root(name).is_some() {
            // A listing inside an element of a page is shown by it.
            return match self.open.is_empty() {
                true => Step::Root(self.declaration.unwrap_or(self.at)),
                false => Step::Page,
            };
        }
        let is_one_of = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        // An unknown root is that of another kind of document.
        self.declaration = None;
        if (is_first && !is_markup_of_messages(name)) || is_one_of(&OF_PAGES) || self.open.len() >= MAX_OPEN {
            return Step::Page;
        }
        let Some(close) = self.rest().find('>') else { return Step::Cut };
        let is_empty = self.rest().get(..close).is_some_and(|tag| tag.ends_with('/'));
        self.at += close + 1;
        if is_empty || is_one_of(&OFTEN_OPEN) {
            return Step::On;
        }
        if is_one_of(&RAW) {
            return self.skip_raw(name);
        }
        self.open.push(name);
        Step::On
    }

    /// Passes over the content of an element that holds no markup.
    fn skip_raw(&mut self, name: &str) -> Step {
        let ends = self.rest().match_indices("</");
        let end = ends.map(|(at, _)| at).find(|at| {
            let written = self.rest().get(at + 2..at + 2 + name.len());
            written.is_some_and(|written| written.eq_ignore_ascii_case(name))
        });
        match end {
            Some(end) => {
                self.at += end;
                self.skip_behind(">")
            }
            None => Step::Cut,
        }
    }

    fn end_tag(&mut self) -> Step {
        let name = self.rest().get(2..).unwrap_or_default();
        let name =
            name.split(|letter: char| letter.is_whitespace() || letter == '>').next().unwrap_or_default();
        if let Some(at) = self.open.iter().rposition(|open| open.eq_ignore_ascii_case(name)) {
            self.open.truncate(at);
        }
        self.skip_behind(">")
    }
}

/// Whether programs mark up what they print with this element, or put it before all else.
fn is_markup_of_messages(name: &str) -> bool {
    let names = [
        "b", "i", "u", "a", "font", "table", "tbody", "th", "span", "strong", "em", "small", "center", "div",
    ];
    names.iter().chain(&RAW).chain(&OFTEN_OPEN).any(|known| known.eq_ignore_ascii_case(name))
}

enum Step {
    On,
    /// The listing begins at this byte.
    Root(usize),
    /// A page or another kind of document.
    Page,
    /// The first bytes end inside something.
    Cut,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let begins = match Beginning::of_text(text, true) {
            Beginning::Xml(at) => text.get(at..),
            _ => None,
        };
        let start = |text: &str| text.chars().take(12).collect::<String>();
        assert_eq!(begins.map(start), expected.map(start), "{text}");
    }

    #[test]
    fn a_listing_begins_behind_what_a_program_printed() {
        for junk in [
            "",
            "\n\n \t",
            "\u{FEFF}",
            " \r\n\u{FEFF}\u{FEFF}",
            "\u{A0}",
            "\u{200B}",
            "Warning: Undefined array key 3 in /srv/www/feed.php on line 12\n",
            "<br />\n<b>Warning</b>:  Cannot modify header information - headers already sent by (output started at \
             /srv/www/a.php:3) in <b>/srv/www/b.php</b> on line <b>7</b><br />\n",
            "<br>\n<font size='1'><table class='xdebug-error' dir='ltr'><tr><th colspan='5'>( ! ) Notice: a < b \
             </th></tr></table></font>\n",
            "<!-- generated in 0.02 s; <html> -->",
            "<script>if (a < b) document.write('<html>')</script>\n",
            "<pre>Array\n(\n)\n</pre>",
            "1",
            "?>",
            "<?xml version='1.0'?><br /><b>Notice</b>: Undefined variable<br />",
        ] {
            for root in
                ["rss version='2.0'", "feed", "rdf:RDF", "urlset", "sitemapindex", "s:urlset", "CHANNEL"]
            {
                check(&format!("{junk}<{root}>"), Some(&format!("<{root}>")));
                let declared = format!("<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]><!--c--><{root}>");
                check(&format!("{junk}{declared}"), Some(&declared));
                // What was open before a declaration is no part of its document.
                check(&format!("<div>{junk}{declared}"), Some(&declared));
            }
        }
    }

    #[test]
    fn a_page_that_shows_a_feed_is_a_page() {
        let feed = "<?xml version='1.0'?><rss version='2.0'><channel/></rss>";
        for before in [
            "<!DOCTYPE html>",
            "<html>",
            "\u{FEFF}<?xml version='1.0'?><html>",
            "<head><title>Feeds</title>",
            "<title>Feeds</title>",
            "<h1>Feeds</h1>",
            "<meta charset=utf-8>",
            "<pre>",
            "<div><pre>",
            "<!--",
            "<script>feed = \"",
            "<textarea>",
            "<svg>",
            "<bold>",
            "<?xml version='1.0'?><opml>",
        ] {
            check(&format!("{before}{feed}"), None);
        }
        for page in [
            "<div><rss></rss></div>",
            "<div><feed>",
            "<p>no element of a feed</p>",
            "plain",
            "<",
            "<rs",
            "<rssx>",
        ] {
            check(page, None);
        }
        let other = Beginning::of_text(" <HTML>", true);
        assert_eq!(other, Beginning::Other("`<HTML>`".into()));
    }

    #[test]
    fn lines_of_addresses_are_a_map() {
        for text in [
            "https://a.test/1",
            "\u{FEFF}http://a.test/1\r\n\r\nHTTPS://a.test/2?x=1\n",
            "\nhttps://a.test/1\n",
        ] {
            assert_eq!(Beginning::of_text(text, true), Beginning::Lines, "{text}");
        }
        let cut = "https://a.test/1\nhttps://a.test/2\nhtt";
        assert_eq!(Beginning::of_text(cut, false), Beginning::Lines);
        assert_ne!(Beginning::of_text(cut, true), Beginning::Lines);
        for text in [
            "https://a.test/1 is moved",
            "https://a.test/1\nSee there.",
            "See\nhttps://a.test/1",
            "ftp://a.test/1",
        ] {
            assert_ne!(Beginning::of_text(text, true), Beginning::Lines, "{text}");
        }
    }

    #[test]
    fn what_is_cut_says_nothing() {
        for text in ["", " \n", "\u{FEFF}", "<!-- long", "<!DOCTYPE rss [<!ENTITY"] {
            assert_eq!(Beginning::of_text(text, true), Beginning::Unknown, "{text}");
        }
        assert_eq!(Beginning::of_text("\u{A0}{\"a\"", true), Beginning::Json(2));
    }
}
