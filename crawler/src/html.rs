//! Whether an answer is an HTML page: by its type, or by how it starts.

/// Whether a `Content-Type` names HTML.
#[must_use]
pub fn is_html_type(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    ["text/html", "application/xhtml+xml"].iter().any(|html| essence.eq_ignore_ascii_case(html))
}

/// Number of bytes to examine if a server does not name the content type.
const SNIFFED: usize = 512;

/// How HTML starts, as browsers see it (MIME Sniffing standard, section 7.1).
const STARTS: [&[u8]; 17] = [
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
    b"<!--",
];

/// Whether a body without a `Content-Type` starts like HTML.
#[must_use]
pub fn looks_like_html(head: &[u8]) -> bool {
    let head = head.get(..SNIFFED).unwrap_or(head).to_ascii_lowercase();
    let text = head.strip_prefix(b"\xef\xbb\xbf".as_slice()).unwrap_or(&head).trim_ascii_start();
    let starts = STARTS.iter().any(|start| {
        let after = text.strip_prefix(*start);
        after.is_some_and(|rest| *start == b"<!--" || matches!(rest, [b' ' | b'>', ..]))
    });
    starts || (text.starts_with(b"<?xml") && text.windows(5).any(|window| window == b"<html"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_known_by_its_start() {
        for (head, html) in [
            ("<!DOCTYPE html><title>a", true),
            ("\u{feff}  \n<HTML lang=en>", true),
            ("<!--x--><p>", true),
            ("<?xml version='1.0'?>\n<html xmlns=''>", true),
            ("<?xml version='1.0'?><rss>", false),
            ("<bold>", false),
            ("%PDF-1.7", false),
            ("plain words with <html> inside", false),
            ("", false),
        ] {
            assert_eq!(looks_like_html(head.as_bytes()), html, "{head}");
        }
        let late = [vec![b' '; SNIFFED], b"<html>".to_vec()].concat();
        assert!(!looks_like_html(&late));
    }

    #[test]
    fn types_are_compared_without_case_and_parameters() {
        assert!(is_html_type("Text/HTML; charset=x") && is_html_type("application/xhtml+xml"));
        assert!(!is_html_type("text/htmlx") && !is_html_type("application/json"));
    }
}
