#!/bin/sh
# Builds the four programs as they are shipped (profile `dist`, docs/decisions/0055-what-is-shipped-is-small.md) and
# copies them into a folder. The Containerfile and the release workflow call this.
#   deploy/build.sh FOLDER
set -eu

mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
# What `newslode_build_info` says. It follows from the commit, so two builds of one commit are still equal.
NEWSLODE_REVISION=${NEWSLODE_REVISION:-$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown)}
export NEWSLODE_REVISION
# Packs relative relocations and folds equal functions. Both need LLD and the C library of Debian 12 or later.
export RUSTFLAGS="-C link-arg=-Wl,-z,pack-relative-relocs -C link-arg=-Wl,--icf=all"
cargo build --profile dist --locked -p newslode -p newslode-crawler -p newslode-partitioner -p newslode-miner --bins
for program in newslode newslode-crawler newslode-partitioner newslode-miner; do
    install -D "${CARGO_TARGET_DIR:-target}/dist/$program" "$out/$program"
done
