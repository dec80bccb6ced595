//! See `newslode_fuzzing::hierarchy_xml`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| newslode_fuzzing::hierarchy_xml(bytes));
