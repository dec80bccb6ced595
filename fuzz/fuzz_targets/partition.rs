//! See `newslode_fuzzing::partition`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| newslode_fuzzing::partition(bytes));
