//! Hashes of texts that a site's knowledge stores: the same on every machine and in every version.

/// FNV-1a over a text's letters and digits in lower case; the same on every machine.
pub(super) fn text_hash(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut buffer = [0; 4];
    for letter in text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase) {
        for byte in letter.encode_utf8(&mut buffer).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// The letters and digits of a text as a number: few pages are compared, so 32 bits tell texts apart.
pub(super) fn text_hash_32(text: &str) -> u32 {
    fold_to_32_bits(text_hash(text))
}

/// FNV-1a over bytes, likewise.
pub(super) fn bytes_hash_32(bytes: &[u8]) -> u32 {
    fold_to_32_bits(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    }))
}

fn fold_to_32_bits(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_mean_the_same_for_ever() {
        assert_eq!(text_hash("Sign up!"), text_hash("SIGN  UP"));
        assert_eq!(text_hash("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
