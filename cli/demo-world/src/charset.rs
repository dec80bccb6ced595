//! A site's character set, and where the site declares it.
//!
//! Pages are made as text and encoded at the end, here. A character outside the set becomes a numeric character
//! reference, as in browsers' forms, so no text is lost.

use encoding_rs::Encoding;

/// Where a site declares its character set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// In the `Content-Type` header only.
    Header,
    /// In a `meta` element only.
    Meta,
    /// In both, with the same value.
    Both,
    /// Nowhere; readers must guess.
    Nowhere,
}

/// A site's character set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// The label that the site uses.
    pub name: &'static str,
    /// Where the site declares it.
    pub declared: Declared,
}

impl Charset {
    /// The character set with this label; UTF-8 if the label is unknown.
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

    /// The `meta` element for the head, in new style if `modern`; empty if the head declares nothing.
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

    /// Encodes `text`.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u8> {
        self.encoding.encode(text).0.into_owned()
    }

    /// Decodes bytes that [`encode`](Self::encode) made.
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
