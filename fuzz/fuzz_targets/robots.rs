//! See `newslode_fuzzing::robots`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| newslode_fuzzing::robots(bytes));
