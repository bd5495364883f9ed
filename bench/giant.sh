#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a second processor gives to the giant module (bench/corpus/giant.py) for four real architectures: the time on
# one, over the time on two, in alternation.
#
#     bench/giant.sh BUILD DIR [ROUNDS]     in DIR, with the command of the build tree BUILD; 3 rounds by default
#
# ASSEMBLER=nvjitlink has nvJitLink assemble. Needs a toolkit, taskset, and two processors with nothing else to do.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    sed -n '3,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
cubinet=$(cd "$1" && pwd)/packager/cubinet
rounds=${3:-3}
assembler=${ASSEMBLER:-auto}
mkdir -p "$2"
cd "$2"
python3 "$here/corpus/giant.py" giant.cu

one_source() { # one pass of the front end for all
    "$cubinet" compile giant.cu -o giant.cubinet --gencode "arch=compute_75,code=[sm_80,sm_90,sm_100,sm_120]" \
        --threads 0 --assembler "$assembler" "$@"
}
whole_build() { # a pass for each, side by side
    rm -rf .cubinet-build
    "$cubinet" build giant.cu -o giant.cubinet --arch 80-real,90-real,100-real,120-real \
        --assembler "$assembler" --no-cache --quiet
}
split_source() {
    one_source -split-compile=0
}

seconds() { # processors, a function
    processors=$1
    start=$(date +%s%N)
    (taskset -pc "$processors" "$(exec sh -c 'echo $PPID')" >/dev/null && "$2" >&2)
    echo $((($(date +%s%N) - start) / 1000000))
}

compare() { # a title, a function
    round=0
    rm -f times
    while [ $((round += 1)) -le "$rounds" ]; do
        echo "$(seconds 0 "$2") $(cksum <giant.cubinet) $(seconds 0,1 "$2") $(cksum <giant.cubinet)" >>times
    done
    awk -v title="$1" 'function median(list, n) { return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2 }
        function insert(list, n, value) { while (n > 0 && list[n] > value) { list[n + 1] = list[n]; n-- } list[n + 1] = value }
        { insert(one, NR - 1, $1); insert(two, NR - 1, $4); other += $2 != $5 || $3 != $6 }
        END { a = median(one, NR) / 1000; b = median(two, NR) / 1000
              printf "%-34s one %6.2f s, two %6.2f s: %.2f times as fast, bytes %s\n", title, a, b, a / b,
                     other ? "DIFFER" : "are the same" }' times
}

compare "one compile, --threads 0" one_source
compare "one compile, -split-compile=0 too" split_source
compare "cubinet build, four compiles" whole_build
