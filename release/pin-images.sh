#!/bin/sh
# Asks the registry which digests the base images of deploy/Containerfile have now, and prints one argument for
# release/image.sh a line: BUILD_PIN=@sha256:… and BASE_PIN=@sha256:…
# A digest names an index of all architectures, so every architecture of a release is built on the same two images.
#   release/pin-images.sh > pins
# Needs docker with buildx.
set -eu

cd "$(dirname "$0")/.."
for stage in BUILD BASE; do
    image=$(sed -n "s/^ARG ${stage}=//p" deploy/Containerfile)
    digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
    case "$digest" in
        sha256:????????????????????????????????????????????????????????????????) echo "${stage}_PIN=@$digest" ;;
        *) echo "the registry gave no digest for $image: $digest" >&2; exit 1 ;;
    esac
done
