//! See `newslode_fuzzing::feed_or_sitemap`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| newslode_fuzzing::feed_or_sitemap(bytes));
