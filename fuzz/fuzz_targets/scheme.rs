//! See `newslode_fuzzing::scheme`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| newslode_fuzzing::scheme(bytes));
