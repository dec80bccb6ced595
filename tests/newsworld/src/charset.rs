//! In which character set a site writes, and whether it says so.
//!
//! Pages are made as text and turned into bytes last, here. What a set cannot hold becomes a numeric character
//! reference, as browsers do in forms, so nothing of the text is lost whatever the set.

use encoding_rs::Encoding;

/// Where a site names its character set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// In the `Content-Type` header only.
    Header,
    /// In a `meta` element only.
    Meta,
    /// In both, alike.
    Both,
    /// Nowhere: the reader has to guess.
    Nowhere,
}

/// A site's character set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    /// The set itself.
    pub encoding: &'static Encoding,
    /// The name under which the site speaks of it.
    pub name: &'static str,
    /// Where the site speaks of it.
    pub declared: Declared,
}

impl Charset {
    /// The set of that name; UTF-8 where nobody knows it.
    #[must_use]
    pub fn new(name: &'static str, declared: Declared) -> Self {
        let encoding = Encoding::for_label(name.as_bytes()).unwrap_or(encoding_rs::UTF_8);
        Self { encoding, name, declared }
    }

    /// The value of the `Content-Type` header of an HTML page.
    #[must_use]
    pub fn content_type(&self) -> String {
        match self.declared {
            Declared::Header | Declared::Both => format!("text/html; charset={}", self.name),
            Declared::Meta | Declared::Nowhere => "text/html".to_owned(),
        }
    }

    /// The `meta` element for the head, old or new style, or nothing.
    #[must_use]
    pub fn meta(&self, modern: bool) -> String {
        match self.declared {
            Declared::Header | Declared::Nowhere => String::new(),
            Declared::Meta | Declared::Both if modern => format!("<meta charset=\"{}\">\n", self.name),
            Declared::Meta | Declared::Both => {
                format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={}\">\n", self.name)
            }
        }
    }

    /// The bytes of `text`.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u8> {
        self.encoding.encode(text).0.into_owned()
    }

    /// The text of `bytes` that [`encode`](Self::encode) made.
    #[must_use]
    pub fn decode(&self, bytes: &[u8]) -> String {
        self.encoding.decode_without_bom_handling(bytes).0.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_set_cannot_hold_becomes_a_reference() {
        let latin2 = Charset::new("iso-8859-2", Declared::Meta);
        assert_eq!(latin2.encode("ä…"), b"\xe4&#8230;");
        assert_eq!(latin2.decode(&latin2.encode("größer")), "größer");
        assert_eq!(latin2.content_type(), "text/html");
        assert!(latin2.meta(false).contains("charset=iso-8859-2"));
    }
}
