//! The suite finds what breaks.
