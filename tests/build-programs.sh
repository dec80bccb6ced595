#!/bin/sh
# Builds the programs and examples that end-to-end tests start. nextest runs this once before the first of these tests
# (.config/nextest.toml), so that none of them runs a program of an earlier build.
set -eu
profile=dev
[ "${NEXTEST_CARGO_PROFILE:-}" = release ] && profile=release
cargo build --workspace --bins --examples --locked --quiet --profile "$profile"
# `newslode_e2e::process` builds them itself where this is not set.
echo "NEWSLODE_PROGRAMS_ARE_BUILT=1" >> "$NEXTEST_ENV"
