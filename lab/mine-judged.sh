#!/bin/sh
# Mines the 24 recorded sites whose taxonomy a reader judged, and scores the run.
#
# usage: lab/mine-judged.sh DATA WORK NAME [OPTION…]
#   DATA      folder of the labelled sets: sites.tar.xz, realsites.tar.xz, taxonomy/real.json; ../eval/make_warc.py is beside it
#   WORK      folder for the unpacked sites and their web archives, which later runs use again
#   NAME      name of this run, such as `before`. Writes WORK/NAME-run, WORK/NAME.txt (the taxonomy as users see it),
#             WORK/NAME-figures.txt and WORK/NAME-unjudged.jsonl (what a person has to judge)
#   OPTION…   more options of `newslode-lab eval concepts`, such as `--also FILE` and `--labels`
#
# NEWSLODE_BIN and NEWSLODE_LAB_BIN name other programs than those of target/debug.
set -eu
if [ $# -lt 3 ]; then
    sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
    exit 2
fi
data=$1 work=$2 name=$3
shift 3
programs=$(cd "$(dirname "$0")/.." && pwd)/target/debug
newslode=${NEWSLODE_BIN:-$programs/newslode}
lab=${NEWSLODE_LAB_BIN:-$programs/newslode-lab}
run=$work/$name-run
# `newslode mine` would continue that run, and keep what an older program read.
if [ -e "$run" ]; then
    echo "error: $run is there already; choose another name" >&2
    exit 1
fi
if [ ! -d "$work/warc" ]; then
    rm -rf "$work/sites" "$work/warc.part"
    mkdir -p "$work/sites"
    tar xJf "$data/sites.tar.xz" -C "$work"
    tar xJf "$data/realsites.tar.xz" -C "$work/sites"
    python3 "$data/../eval/make_warc.py" "$work/sites" "$work/warc.part"
    mv "$work/warc.part" "$work/warc"
fi
sites=$(find "$work/warc" -name '*.warc.gz' | wc -l)
if [ "$sites" -ne 24 ]; then
    echo "error: $work/warc holds $sites sites, and 24 were judged" >&2
    exit 1
fi
"$newslode" mine --warc "$work/warc" --out "$run"
"$newslode" taxonomy --dir "$run" > "$work/$name.txt"
"$lab" eval concepts --dir "$run" --judged "$data/taxonomy/real.json" --unjudged "$work/$name-unjudged.jsonl" "$@" \
    > "$work/$name-figures.txt"
cat "$work/$name-figures.txt"
