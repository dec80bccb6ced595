//! See `newslode_fuzzing::message`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| newslode_fuzzing::message(bytes));
