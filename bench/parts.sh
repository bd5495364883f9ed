#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What parts save when the giant module (bench/corpus/giant.py) is loaded: see parts.c.
#
#     bench/parts.sh prepare BUILD DIR [ARCH]   make whole.cubinet and parts.cubinet in DIR: needs a toolkit, no GPU;
#                                               ARCH is 90 by default
#     bench/parts.sh run BUILD DIR              time them: needs a GPU of that architecture
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 3 ] || [ $# -gt 4 ]; then
    sed -n '3,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
build=$2
dir=$3

case $1 in
prepare)
    mkdir -p "$dir"
    python3 "$here/corpus/giant.py" "$dir/giant.cu"
    for parts in none each; do
        name=$([ $parts = each ] && echo parts || echo whole)
        "$build/packager/cubinet" compile "$dir/giant.cu" -o "$dir/$name.cubinet" --arch "${4:-90}-real" \
            --parts $parts --threads 0
    done
    ;;
run)
    "$build/bench/bench_parts" "$dir/whole.cubinet" "$dir/parts.cubinet" giant shade_20
    ;;
*)
    exec "$0"
    ;;
esac
