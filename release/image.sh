#!/bin/sh
# Builds the image for this machine's architecture on pinned base images, with labels that say what it was made of, and writes
# its bill of materials.
#   release/image.sh IMAGE PINS FOLDER
# PINS is the output of release/pin-images.sh. ENGINE names the container engine, by default docker.
set -eu

[ $# -eq 3 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
image=$1 pins=$(cat "$2") folder=$(mkdir -p "$3" && cd "$3" && pwd)
cd "$(dirname "$0")/.."
engine=${ENGINE:-docker}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
commit=$(git -c safe.directory="$PWD" rev-parse HEAD)
# Seconds, and the same as labels want it.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c safe.directory="$PWD" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
base=$(sed -n 's/^ARG BASE=//p' deploy/Containerfile)

set --
for pin in $pins; do set -- "$@" --build-arg "$pin"; done
[ $# -eq 4 ] || { echo "PINS must name BUILD_PIN and BASE_PIN: see release/pin-images.sh" >&2; exit 1; }
base_digest=$(printf '%s\n' "$pins" | sed -n 's/^BASE_PIN=@//p')
"$engine" build "$@" --file deploy/Containerfile --tag "$image" \
    --label org.opencontainers.image.version="$version" \
    --label org.opencontainers.image.revision="$commit" \
    --label org.opencontainers.image.created="$created" \
    --label org.opencontainers.image.base.name="$base" \
    --label org.opencontainers.image.base.digest="$base_digest" \
    .

# What is in the image says the image itself.
architecture=$(uname -m)
# shellcheck disable=SC2016 # dpkg-query reads these names, not the shell
"$engine" run --rm "$image" dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\n' > "$folder/packages"
python3 release/bom.py crates "$architecture-unknown-linux-gnu" newslode newslode-crawler newslode-partitioner newslode-miner > "$folder/crates.json"
python3 release/bom.py image "$folder/crates.json" "$folder/packages" > "$folder/newslode-$version-image-$architecture.cdx.json"
rm "$folder/packages" "$folder/crates.json"
