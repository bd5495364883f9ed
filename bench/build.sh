#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds of the corpus on two cores, by nvcc and by Cubinet, both run by Ninja (docs/internals/benchmarks.md):
#
#     bench/build.sh BUILD DIR [PART...] [--rounds N]
#
# BUILD is a build tree of Cubinet, DIR is made. Parts, by default all of them:
#     headers, plain   cold builds of the half over CCCL and of the half without headers
#     overhead         `cubinet compile` over a program that calls NVRTC and does nothing else
#     cache, remote    builds after `ninja -t clean`, from a local cache, from ccache, and from nginx on loopback
#     again            builds after nothing changed, and after a header was touched and edited
#     giant            one module with megabytes of PTX, on one core and on two
#     table            nothing more: prints what is known
# DIR/results.json keeps every sample, so that parts can be run one after another, and again for more rounds.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '3,15s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
PYTHONDONTWRITEBYTECODE=1 exec taskset -c "${CORES:-0,1}" python3 "$here/builds/parts.py" "$@"
