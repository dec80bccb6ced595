//! The questions that people ask a run or the services, answered once for commands, console and API.

pub mod articles;
