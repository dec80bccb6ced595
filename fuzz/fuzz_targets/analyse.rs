//! See `newslode_fuzzing::analysis`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| newslode_fuzzing::analysis(bytes));
