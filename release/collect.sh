#!/bin/sh
# Looks through what a release consists of, and writes SHA256SUMS beside it.
#   release/collect.sh FOLDER
# With a tag (TAG=v1.2.3) it also refuses versions that differ.
set -eu

cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
if [ -n "${TAG:-}" ] && [ "$TAG" != "v$version" ]; then
    echo "the tag is $TAG, the version in Cargo.toml is $version" >&2
    exit 1
fi
cd "$1"
rm -f SHA256SUMS
for file in *; do
    case "$file" in
        newslode*"$version"*) [ -s "$file" ] || { echo "$file is empty" >&2; exit 1; } ;;
        *) echo "$file is of no version $version: is it left from another release?" >&2; exit 1 ;;
    esac
done
for archive in *.tar.gz *.zip; do
    case "$archive" in
        \** | "newslode-$version.tar.gz") continue ;;
    esac
    bill=${archive%.zip}
    [ -s "${bill%.tar.gz}.cdx.json" ] || { echo "$archive has no bill of materials" >&2; exit 1; }
done
sha256sum -- * > SHA256SUMS
