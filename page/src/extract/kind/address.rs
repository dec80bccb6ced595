//! The shape of a page's address: how long its parts are, and which of them are numbers, dates or many words.
//!
//! What the words mean does not matter: sites name their parts in any language. Pages of one kind have addresses of one shape,
//! so a shape, too, tells which pages of a site belong together.

use crate::measures::MeasureSink;
use crate::reading::CanonicalUrl;

/// Words from which a part counts as many.
const MANY_WORDS: usize = 4;
/// The years that dates in addresses begin with.
const YEARS: std::ops::RangeInclusive<u32> = 1990..=2099;

/// A page's address, cut into its parts.
pub(super) struct Address {
    /// The parts of the path, decoded, in lower case.
    parts: Vec<String>,
    query: String,
}

impl Address {
    pub(super) fn new(url: &CanonicalUrl) -> Address {
        let query = url.as_str().split_once('?').map_or("", |(_, query)| query);
        let path = url.path().split('/').filter(|part| !part.is_empty());
        Address { parts: path.map(decoded).collect(), query: decoded(query) }
    }

    /// The words of the last part.
    pub(super) fn slug(&self) -> impl Iterator<Item = &str> {
        words(self.parts.last().map_or("", |last| without_extension(last)))
    }

    /// All parts as classes, for pages whose folders have names of their own: "/2024/05/rain-ends-drought" and
    /// "/2023/11/bridge-stays-open-a-year" are alike.
    pub(super) fn shape(&self) -> String {
        let classes = self.parts.iter().map(|part| class_of(part));
        let query =
            self.query.split('&').filter_map(|pair| pair.split('=').next()).filter(|key| !key.is_empty());
        let query: String = query.map(|key| format!("?{}", masked(key))).collect();
        format!("{}{query}", classes.fold(String::new(), |path, class| path + "/" + &class))
    }

    /// The folders by name, digits masked, and the class of the last part.
    pub(super) fn folders(&self) -> String {
        let Some((last, folders)) = self.parts.split_last() else { return "/".to_owned() };
        let folders = folders.iter().map(|folder| masked(folder));
        let query =
            self.query.split('&').filter_map(|pair| pair.split('=').next()).filter(|key| !key.is_empty());
        let query: String = query.map(|key| format!("?{}", masked(key))).collect();
        format!(
            "{}/{}{query}",
            folders.fold(String::new(), |path, folder| path + "/" + &folder),
            class_of(last)
        )
    }

    /// Measures the address; `is_known` is false for a page that comes without one.
    pub(super) fn measure(&self, is_known: bool, sink: &mut impl MeasureSink) {
        let last = self.parts.last().map_or("", String::as_str);
        let name = without_extension(last);
        let letters = |text: &str| text.chars().count() as f32;
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count() as f32;
        let of_parts = |part: &String| words(without_extension(part)).count();
        let or_unknown = |value: f32| if is_known { value } else { -1.0 };
        let path_length: f32 = self.parts.iter().map(|part| letters(part) + 1.0).sum();
        sink.add("length of the path", or_unknown(path_length));
        sink.add("depth of the address", or_unknown(self.parts.len() as f32));
        sink.add("length of the last part", or_unknown(letters(name)));
        sink.add("words of the last part", or_unknown(words(name).count() as f32));
        sink.add("digits of the last part", or_unknown(digits(name)));
        sink.add(
            "most words of a part",
            or_unknown(self.parts.iter().map(of_parts).max().unwrap_or(0) as f32),
        );
        sink.add("numbers among the parts", or_unknown(self.numbers().count() as f32));
        sink.add("date in the address", or_unknown(self.date_parts()));
        let ends_in_number = name.ends_with(|c: char| c.is_ascii_digit())
            || self.query.ends_with(|c: char| c.is_ascii_digit());
        sink.add("address ends in a number", or_unknown(f32::from(u8::from(ends_in_number))));
        sink.add("address has an extension", or_unknown(f32::from(u8::from(name.len() < last.len()))));
        sink.add("length of the query", or_unknown(letters(&self.query)));
        sink.add("digits of the query", or_unknown(digits(&self.query)));
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().filter_map(|part| without_extension(part).parse().ok())
    }

    /// How much of a date the address has: a year, a month, a day.
    fn date_parts(&self) -> f32 {
        let path = self.parts.join("/");
        let mut numbers = path.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let mut best = 0.0_f32;
        while let Some(digits) = numbers.next() {
            let is_year =
                |text: &str| text.len() == 4 && text.parse().is_ok_and(|year| YEARS.contains(&year));
            if digits.len() == 8 && digits.get(..4).is_some_and(is_year) {
                best = best.max(3.0);
            } else if is_year(digits) {
                let mut following = numbers.clone();
                let mut is_next = |most: u32| {
                    following
                        .next()
                        .and_then(|next| next.parse().ok())
                        .is_some_and(|number: u32| (1..=most).contains(&number))
                };
                let parts = if !is_next(12) {
                    1.0
                } else if !is_next(31) {
                    2.0
                } else {
                    3.0
                };
                best = best.max(parts);
            }
        }
        best
    }
}

/// A part with its `%` escapes decoded, in lower case. What is no UTF-8 stays.
fn decoded(part: &str) -> String {
    percent_encoding::percent_decode_str(part)
        .decode_utf8()
        .map_or_else(|_| part.to_lowercase(), |text| text.to_lowercase())
}

/// A name without ".html" or another short extension.
fn without_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((before, after))
            if !before.is_empty()
                && (1..=5).contains(&after.len())
                && after.bytes().any(|b| b.is_ascii_alphabetic()) =>
        {
            before
        }
        _ => name,
    }
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// A name whose numbers are each one sign.
fn masked(name: &str) -> String {
    let mut masked = String::new();
    for c in name.chars() {
        match c.is_ascii_digit() {
            true if masked.ends_with('9') => {}
            true => masked.push('9'),
            false => masked.push(c),
        }
    }
    masked
}

/// The class of a part: a number, or how many words, with a digit or not, and the extension.
fn class_of(part: &str) -> String {
    let name = without_extension(part);
    let extension = part.get(name.len()..).unwrap_or_default();
    if !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()) {
        return format!("9{extension}");
    }
    let count = match words(name).count() {
        0 | 1 => "a",
        2..MANY_WORDS => "aa",
        _ => "aaaa",
    };
    let digit = if name.bytes().any(|b| b.is_ascii_digit()) { "+9" } else { "" };
    format!("{count}{digit}{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(path: &str) -> Address {
        Address::new(&format!("https://a.example{path}").parse().unwrap())
    }

    #[test]
    fn stories_of_a_site_have_one_shape() {
        let check = |path: &str, shape: &str, folders: &str| {
            let found = address(path);
            assert_eq!((found.shape().as_str(), found.folders().as_str()), (shape, folders), "{path}");
        };
        check("/2024/05/rain-ends-the-long-drought/", "/9/9/aaaa", "/9/9/aaaa");
        check("/world/mayor-resigns-7731.html", "/a/aa+9.html", "/world/aa+9.html");
        check("/spip.php?article123", "/a.php?article9", "/a.php?article9");
        check("/%C3%BCber-uns", "/aa", "/aa");
        check("/", "", "/");
    }

    #[test]
    fn dates_in_addresses_are_found_in_any_form() {
        let check = |path: &str, parts: f32| assert_eq!(address(path).date_parts(), parts, "{path}");
        check("/2024/05/17/rain", 3.0);
        check("/news/2024-05/rain", 2.0);
        check("/a/20240517-rain", 3.0);
        check("/archive/2024/", 1.0);
        check("/story-123456", 0.0);
        check("/1024/13", 0.0);
    }

    #[test]
    fn a_page_without_an_address_says_nothing_by_it() {
        let mut row = Vec::new();
        address("/a/b").measure(false, &mut row);
        assert!(row.iter().all(|value| *value == -1.0), "{row:?}");
    }
}
