#!/bin/sh
# Makes examples/talk.mp4 again. The file is in the repository, so nobody needs to run this.
# Needs Debian's espeak-ng, ffmpeg and fonts-dejavu-core:  apt-get install espeak-ng ffmpeg fonts-dejavu-core
set -eu
cd "$(dirname "$0")/.."
for tool in espeak-ng ffmpeg node; do
  command -v "$tool" >/dev/null || { echo "make-sample: $tool is not installed" >&2; exit 1; }
done
exec node scripts/make-sample.mjs "${1:-examples/talk.mp4}"
