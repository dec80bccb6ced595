//! See `newslode_fuzzing::web_archive`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| newslode_fuzzing::web_archive(bytes));
