#!/bin/sh
# Unpacks an archive of programs and uses them on this machine: their versions, an article, the hierarchy of a page.
#   release/try-programs.sh ARCHIVE [RUNNER...]
# RUNNER starts programs of another processor, for example: qemu-aarch64 -L /usr/aarch64-linux-gnu
set -eu

archive=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case "$archive" in
    *.zip) python3 -m zipfile -e "$archive" "$folder" || python -m zipfile -e "$archive" "$folder" ;;
    *) tar -xzf "$archive" -C "$folder" ;;
esac
cd "$folder"/newslode-*
version=$(basename "$PWD" | cut -d- -f2)
for program in newslode newslode-crawler newslode-partitioner newslode-miner; do
    said=$("$@" "./$program" --version)
    [ "$said" = "$program $version" ] || { echo "$program --version says: $said" >&2; exit 1; }
done
cat > page.html <<'HTML'
<!doctype html><html lang=en><title>Rain ends the drought - The Herald</title><meta property=og:type content=article>
<meta name=author content="Ada Lane"><nav><a href=/>Home</a> <a href=/sport>Sport</a></nav><h1>Rain ends the drought</h1>
<p>After eleven dry weeks it rained over the valley on Thursday, and the farmers came out of their houses to watch it fall.
<p>The reservoir above the town rose by a hand's breadth before noon, the water board said, and the ban ends today.
HTML
"$@" ./newslode extract page.html | grep -q '"title":"Rain ends the drought"' || { echo "no article was read" >&2; exit 1; }
"$@" ./newslode partition page.html --format xml | grep -q '<page ' || { echo "no hierarchy was made" >&2; exit 1; }
echo "$(basename "$archive") works"
