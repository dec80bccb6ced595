//! Content codings: gzip, zstd, deflate and Brotli, as servers use them.
//!
//! Some servers announce a coding and do not apply it, apply one without announcing it, apply one twice, or send only part of
//! a body. So the bytes decide: a body that begins like gzip or zstd is unpacked whatever the header says, and text is left
//! unchanged. If a body is cut or damaged, the part that can be read is kept. Invariant: never more than the limit is kept in
//! memory at one time, and once more what it was unpacked from. Start at [`decode`].

use std::io::Read;

/// Most codings that are undone, one after another.
const MOST: usize = 4;
const GZIP: &[u8] = &[0x1F, 0x8B, 0x08];
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
/// Size of the Brotli decoder's buffer, in bytes.
const BROTLI_BUFFER: usize = 16 << 10;
/// Number of bytes that tell text from packed bytes.
const JUDGED: usize = 512;

/// How a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All of it is there.
    Whole,
    /// It was cut, or is damaged from here on.
    Cut,
    /// The rest is over the limit.
    OverLimit,
}

/// A body with its codings undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The bytes, at most as many as the limit.
    pub bytes: Vec<u8>,
    /// How they end.
    pub end: End,
}

/// Why nothing of a body can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodingError {
    /// It is not what its header says, and no text.
    #[error("its {0} encoding is broken")]
    Broken(&'static str),
    /// Nobody here knows how to decode it.
    #[error("its encoding `{0}` is not known")]
    Unknown(String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Zstd,
    Deflate,
    Brotli,
}

/// Undoes the codings of a body. `announced`: the names of all `Content-Encoding` headers, in their order.
///
/// ```
/// use newslode_common::coding::{End, decode};
///
/// let found = decode(["gzip"], b"<p>not packed at all".to_vec(), 1_000)?;
/// assert_eq!((found.bytes.as_slice(), found.end), (&b"<p>not packed at all"[..], End::Whole));
/// # Ok::<(), newslode_common::coding::CodingError>(())
/// ```
///
/// # Errors
/// When nothing can be read.
pub fn decode<'n>(
    announced: impl IntoIterator<Item = &'n str>,
    bytes: Vec<u8>,
    limit: usize,
) -> Result<Decoded, CodingError> {
    let mut names: Vec<String> = announced
        .into_iter()
        .flat_map(|list| list.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty())
        .collect();
    let mut body = Decoded { bytes, end: End::Whole };
    for undone_count in 0..MOST {
        // 1. What shows itself.
        let shown = if body.bytes.starts_with(GZIP) {
            Some(Coding::Gzip)
        } else {
            body.bytes.starts_with(ZSTD).then_some(Coding::Zstd)
        };
        // 2. What is only announced, the last one first. Gzip and zstd would have shown themselves.
        let coding = match shown {
            Some(coding) => {
                if names.last().is_some_and(|name| coding_of(name) == Some(coding)) {
                    names.pop();
                }
                coding
            }
            None => match next_announced(&mut names, &body.bytes, undone_count > 0)? {
                Some(coding) => coding,
                None => break,
            },
        };
        body = match (undone(coding, &body.bytes, limit), body.end) {
            (Some(inner), End::Whole) => inner,
            // What is inside a cut body is cut, however it ends.
            (Some(inner), end) => {
                Decoded { end: if inner.end == End::OverLimit { inner.end } else { end }, ..inner }
            }
            (None, _) if shown.is_none() && is_text(&body.bytes) => continue,
            (None, _) => return Err(CodingError::Broken(name(coding))),
        };
    }
    if body.bytes.len() > limit {
        body.bytes.truncate(limit);
        body.end = End::OverLimit;
    }
    Ok(body)
}

/// The last announced coding that has no magic number, taken from the names. Bytes that are no text and do not have what is
/// announced are an error, unless a coding `is_undone`.
fn next_announced(
    names: &mut Vec<String>,
    bytes: &[u8],
    is_undone: bool,
) -> Result<Option<Coding>, CodingError> {
    while let Some(name) = names.pop() {
        match coding_of(&name) {
            Some(coding @ (Coding::Deflate | Coding::Brotli)) => return Ok(Some(coding)),
            Some(Coding::Gzip | Coding::Zstd) if is_undone || is_text(bytes) => {}
            Some(coding @ (Coding::Gzip | Coding::Zstd)) => {
                return Err(CodingError::Broken(self::name(coding)));
            }
            None if is_text(bytes) || matches!(name.as_str(), "identity" | "none") => {}
            None => return Err(CodingError::Unknown(name.chars().take(100).collect())),
        }
    }
    Ok(None)
}

fn coding_of(name: &str) -> Option<Coding> {
    match name {
        "gzip" | "x-gzip" => Some(Coding::Gzip),
        "zstd" => Some(Coding::Zstd),
        "deflate" => Some(Coding::Deflate),
        "br" => Some(Coding::Brotli),
        _ => None,
    }
}

fn name(coding: Coding) -> &'static str {
    match coding {
        Coding::Gzip => "gzip",
        Coding::Zstd => "zstd",
        Coding::Deflate => "deflate",
        Coding::Brotli => "br",
    }
}

/// The bytes with one coding undone; `None` if nothing of them can be read.
fn undone(coding: Coding, bytes: &[u8], limit: usize) -> Option<Decoded> {
    match coding {
        Coding::Gzip => gunzip(bytes, limit),
        Coding::Zstd => read(zstd::stream::read::Decoder::new(bytes).ok()?, limit),
        Coding::Deflate if is_zlib(bytes) => read(flate2::read::ZlibDecoder::new(bytes), limit),
        Coding::Deflate => read(flate2::read::DeflateDecoder::new(bytes), limit),
        Coding::Brotli => read(brotli_decompressor::Decompressor::new(bytes, BROTLI_BUFFER), limit),
    }
    // A text that begins by chance like deflate or Brotli is one for a few bytes only.
    .filter(|inner| {
        inner.end != End::Cut || !matches!(coding, Coding::Deflate | Coding::Brotli) || !is_text(bytes)
    })
}

/// Unpacks all members of gzip. What follows the last one and is none is ignored, as browsers do.
fn gunzip(bytes: &[u8], limit: usize) -> Option<Decoded> {
    let mut all = Decoded { bytes: Vec::new(), end: End::Whole };
    let mut rest = bytes;
    while rest.starts_with(GZIP) && all.end == End::Whole {
        let mut member = flate2::bufread::GzDecoder::new(rest);
        match read(&mut member, limit - all.bytes.len()) {
            Some(unpacked) => {
                all.bytes.extend_from_slice(&unpacked.bytes);
                all.end = unpacked.end;
            }
            None if all.bytes.is_empty() => return None,
            None => all.end = End::Cut,
        }
        rest = member.into_inner();
    }
    Some(all)
}

fn read(from: impl Read, limit: usize) -> Option<Decoded> {
    let mut bytes = Vec::new();
    // One byte more tells whether the limit cuts something.
    let read = from.take(limit as u64 + 1).read_to_end(&mut bytes);
    let end = match read {
        _ if bytes.len() > limit => End::OverLimit,
        Ok(_) => End::Whole,
        Err(_) if bytes.is_empty() => return None,
        Err(_) => End::Cut,
    };
    bytes.truncate(limit);
    Some(Decoded { bytes, end })
}

/// Whether bytes begin with zlib's header. Some servers send deflate without it.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..]
        if first & 0x0F == 8 && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31))
}

/// Whether bytes begin like text in an encoding that contains ASCII.
fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..JUDGED).unwrap_or(bytes);
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B);
    !head.iter().any(is_control) && head.iter().filter(|byte| byte.is_ascii()).count() * 4 >= head.len()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    const LIMIT: usize = 100_000;
    const PAGE: &str = "<html><p>Some words of a page, again and again: words, words and words.</html>";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn deflate(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn whole(announced: &[&str], bytes: Vec<u8>) -> String {
        let found = decode(announced.iter().copied(), bytes, LIMIT)
            .unwrap_or_else(|error| panic!("{announced:?}: {error}"));
        assert_eq!(found.end, End::Whole, "{announced:?}");
        String::from_utf8(found.bytes).unwrap()
    }

    #[test]
    fn codings_are_undone_however_they_are_announced() {
        let page = PAGE.as_bytes();
        let zstd = zstd::encode_all(page, 3).unwrap();
        for (announced, bytes) in [
            (&["gzip"][..], gzip(page)),
            (&["GZIP"], gzip(page)),
            (&["x-gzip"], gzip(page)),
            (&[], gzip(page)),
            (&["identity, gzip"], gzip(page)),
            (&["gzip", "identity"], gzip(page)),
            (&["gzip"], gzip(&gzip(page))),
            (&["gzip, gzip"], gzip(page)),
            (&["br"], gzip(page)),
            (&["deflate"], deflate(page)),
            (&["deflate"], zlib(page)),
            (&["deflate, gzip"], gzip(&zlib(page))),
            (&["zstd"], zstd.clone()),
            (&[], zstd),
            (&["br"], [&[0x0B, 0x02, 0x80][..], b"<p>x\n", &[0x03]].concat()),
        ] {
            let found = whole(announced, bytes);
            assert!(found == PAGE || found == "<p>x\n", "{announced:?}: {found}");
        }
    }

    #[test]
    fn what_is_not_packed_is_taken_as_it_is() {
        for announced in ["gzip", "zstd", "br", "deflate", "identity", "utf-8", "gzip, br", "compress", ""] {
            for text in [PAGE, "{\"a\": 1}", "\u{feff}<p>Hörður", "plain words", ""] {
                assert_eq!(whole(&[announced], text.into()), text, "{announced}");
            }
        }
    }

    #[test]
    fn what_could_be_read_of_a_cut_body_is_kept() {
        let text: String = (0..2_000).map(|n| format!("<p>Line {n} of many: {}", n * 7919 % 1_003)).collect();
        let zstd = zstd::encode_all(text.as_bytes(), 3).unwrap();
        for (announced, bytes) in [("gzip", gzip(text.as_bytes())), ("deflate", zlib(text.as_bytes()))] {
            let found = decode([announced], bytes[..bytes.len() / 2].to_vec(), LIMIT).unwrap();
            assert_eq!(found.end, End::Cut, "{announced}");
            assert!(found.bytes.len() > 1_000 && text.as_bytes().starts_with(&found.bytes), "{announced}");
        }
        let found = decode(["zstd"], zstd[..zstd.len() - 3].to_vec(), LIMIT);
        assert!(found.is_err() || found.unwrap().end == End::Cut);
        let garbage = [gzip(PAGE.as_bytes()), b"and more".to_vec()].concat();
        assert_eq!(whole(&["gzip"], garbage), PAGE);
    }

    #[test]
    fn packed_bytes_are_never_taken_for_a_page() {
        let broken = [GZIP, &[0, 1, 2, 3, 250, 251]].concat();
        assert_eq!(decode(["gzip"], broken, LIMIT), Err(CodingError::Broken("gzip")));
        assert_eq!(decode(["gzip"], b"\x1F\x8Bx".to_vec(), LIMIT), Err(CodingError::Broken("gzip")));
        let noise: Vec<u8> = (0..255).collect();
        assert_eq!(decode(["compress"], noise.clone(), LIMIT), Err(CodingError::Unknown("compress".into())));
        assert!(decode(["br"], noise, LIMIT).is_err());
    }

    #[test]
    fn no_more_than_the_limit_is_kept() {
        let mut bomb = vec![b'x'; 50 * LIMIT];
        for _ in 0..3 {
            bomb = gzip(&bomb);
            let found = decode(["gzip"], bomb.clone(), LIMIT).unwrap();
            assert!(found.bytes.len() <= LIMIT);
        }
        let found = decode(["gzip"], gzip(&vec![b'x'; LIMIT + 1]), LIMIT).unwrap();
        assert_eq!((found.bytes.len(), found.end), (LIMIT, End::OverLimit));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(name in "gzip|br|deflate|zstd|x", bytes: Vec<u8>, at in 0_usize..200) {
            let _ignored = decode([name.as_str()], bytes.clone(), LIMIT);
            let packed = gzip(&bytes);
            let found = decode([name.as_str()], packed.get(..at).unwrap_or(&packed).to_vec(), LIMIT);
            if at >= packed.len() && !is_text(&bytes) && !bytes.starts_with(GZIP) && name == "gzip" {
                prop_assert_eq!(found.unwrap().bytes, bytes);
            }
        }
    }
}
