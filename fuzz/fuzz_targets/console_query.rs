//! See `newslode_fuzzing::console_query`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| newslode_fuzzing::console_query(bytes));
