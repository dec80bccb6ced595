//! Answers as archives hold them: over the wire, half decoded, broken.

use std::io::Write as _;

use super::*;
use crate::coding::CodingError;

const LIMIT: usize = 10_000;
const PAGE: &[u8] = b"<p>Plain words, plain words, plain words.</p>";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn chunks(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for chunk in bytes.chunks(7) {
        all.extend_from_slice(format!("{:x};note=1\r\n", chunk.len()).as_bytes());
        all.extend_from_slice(chunk);
        all.extend_from_slice(b"\r\n");
    }
    [all, b"0\r\nTrailer: x\r\n\r\n".to_vec()].concat()
}

/// The body of an answer with these fields.
fn body(fields: &str, stored: &[u8]) -> Result<Vec<u8>, BodyFault> {
    let block = [b"HTTP/1.1 200 OK\r\n", fields.as_bytes(), b"\r\n", stored].concat();
    Answer::parse(&block).unwrap().body(&block, LIMIT)
}

#[test]
fn a_head_is_read_with_either_line_end() {
    for block in [
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x",
        "HTTP/1.0 200\nCONTENT-TYPE:text/html\n\n<p>x",
    ] {
        let answer = Answer::parse(block.as_bytes()).unwrap();
        assert_eq!((answer.status, answer.content_type()), (200, Some("text/html")), "{block}");
        assert_eq!(answer.body(block.as_bytes(), LIMIT).unwrap(), b"<p>x");
    }
    let bare = Answer::parse(b"HTTP/1.1 304 Not Modified").unwrap();
    assert_eq!((bare.status, bare.body(b"HTTP/1.1 304 Not Modified", LIMIT)), (304, Ok(Vec::new())));
    for none in ["", "<html>", "HTTP/1.1", "HTTP/1.1 fine", "GET / HTTP/1.1\r\n\r\n", "ICY 200 OK\r\n\r\n"] {
        assert_eq!(Answer::parse(none.as_bytes()), None, "{none}");
    }
}

#[test]
fn every_encoding_in_use_is_undone() {
    let brotli = [&[0x0B, 0x02, 0x80][..], b"<p>x\n", &[0x03]].concat();
    assert_eq!(body("Content-Encoding: br\r\n", &brotli).unwrap(), b"<p>x\n");
    let zstd = zstd::encode_all(PAGE, 3).unwrap();
    let bare = zlib(PAGE);
    let bare = &bare[2..bare.len() - 4];
    for (fields, stored) in [
        ("Transfer-Encoding: chunked\r\n", chunks(PAGE)),
        ("Content-Encoding: gzip\r\n", gzip(PAGE)),
        ("Content-Encoding: GZIP\r\nTransfer-Encoding: Chunked\r\n", chunks(&gzip(PAGE))),
        ("Content-Encoding: x-gzip, gzip\r\n", gzip(&gzip(PAGE))),
        ("Content-Encoding: deflate\r\n", zlib(PAGE)),
        ("Content-Encoding: deflate\r\n", bare.to_vec()),
        ("Content-Encoding: zstd\r\n", zstd),
        ("Content-Encoding: identity\r\n", PAGE.to_vec()),
    ] {
        assert_eq!(body(fields, &stored).as_deref(), Ok(PAGE), "{fields}");
    }
}

#[test]
fn interim_answers_are_passed_over() {
    let early = "HTTP/1.1 103 Early Hints\r\nLink: </x.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n";
    let block = format!("{early}HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x");
    let answer = Answer::parse(block.as_bytes()).unwrap();
    assert_eq!((answer.status, answer.content_type()), (200, Some("text/html")));
    assert_eq!(answer.body(block.as_bytes(), LIMIT).unwrap(), b"<p>x");
    // Alone, an interim answer is what there is; and a page may speak of HTTP.
    assert_eq!(Answer::parse(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap().status, 100);
    let page = b"HTTP/1.1 200 OK\n\nHTTP/1.1 404 is a status line";
    assert_eq!(Answer::parse(page).unwrap().body(page, LIMIT).unwrap(), b"HTTP/1.1 404 is a status line");
    let many = "HTTP/1.1 100 Continue\r\n\r\n".repeat(100_000) + "HTTP/1.1 200 OK\r\n\r\n<p>x";
    assert_eq!(Answer::parse(many.as_bytes()).unwrap().status, 200);
}

#[test]
fn a_million_fields_and_a_line_without_end_are_borne() {
    let block =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{}\r\n<p>x", "X: y\r\n".repeat(1_000_000));
    let answer = Answer::parse(block.as_bytes()).unwrap();
    assert_eq!(
        (answer.content_type(), answer.body(block.as_bytes(), LIMIT).unwrap()),
        (Some("text/html"), b"<p>x".into())
    );
    let block = format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(10_000_000));
    assert_eq!(Answer::parse(block.as_bytes()).unwrap().body(block.as_bytes(), LIMIT).unwrap(), b"");
}

#[test]
fn chunks_are_joined_though_no_field_tells_of_them() {
    assert_eq!(body("", &chunks(PAGE)).as_deref(), Ok(PAGE));
    assert_eq!(body("Content-Length: 3\r\n", PAGE).as_deref(), Ok(PAGE));
    for text in ["cafe\r\n<p>x", "0 words", "3\nabc", "5\r\nab\r\n0\r\n"] {
        assert_eq!(body("", text.as_bytes()).unwrap(), text.as_bytes(), "{text}");
    }
}

#[test]
fn what_was_decoded_before_it_was_stored_is_taken_as_it_is() {
    for encoding in ["gzip", "zstd", "br", "deflate"] {
        let fields = format!("Content-Encoding: {encoding}\r\nTransfer-Encoding: chunked\r\n");
        assert_eq!(body(&fields, PAGE).as_deref(), Ok(PAGE), "{encoding}");
    }
}

#[test]
fn broken_bodies_and_bombs_are_told() {
    let packed = gzip(PAGE);
    let cut = &packed[..packed.len() / 2];
    assert_eq!(body("Content-Encoding: gzip\r\n", cut), Err(BodyFault::Cut));
    let cut = &chunks(PAGE)[..20];
    assert_eq!(body("Transfer-Encoding: chunked\r\n", cut), Err(BodyFault::Cut));
    for endless in [&b"ffffffffffffffff\r\nx"[..], b"3\r\nabc\r\nno size\r\n"] {
        assert_eq!(body("Transfer-Encoding: chunked\r\n", endless), Err(BodyFault::Chunks));
    }
    let bomb = vec![b'x'; LIMIT + 1];
    for (fields, stored) in [("", bomb.clone()), ("Content-Encoding: gzip\r\n", gzip(&bomb))] {
        assert_eq!(body(fields, &stored), Err(BodyFault::TooLarge(LIMIT)));
    }
    let unknown = BodyFault::Coding(CodingError::Unknown("compress".into()));
    assert_eq!(body("Content-Encoding: compress\r\n", &[1, 2, 3]), Err(unknown));
}

#[test]
fn a_rebuilt_head_is_an_answer() {
    let block = [rebuilt_head(Some("text/html; charset=utf-8\r\nX: y"), 4), b"<p>x".to_vec()].concat();
    let answer = Answer::parse(&block).unwrap();
    assert_eq!((answer.status, answer.fields.get("X")), (200, None));
    assert_eq!(answer.body(&block, LIMIT).unwrap(), b"<p>x");
    assert_eq!(Answer::parse(&rebuilt_head(None, 0)).unwrap().content_type(), None);
}
