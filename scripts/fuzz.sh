#!/bin/sh
# Lets libFuzzer look for bytes that a harness of tests/fuzz does not survive, under the address and
# undefined-behaviour sanitizers. Needs clang.
#
#     scripts/fuzz.sh SECONDS [HARNESS...]    every harness, or these, for so long each, as many at a time as there are
#                                             processors; what it finds is in build/fuzz/found
#     scripts/fuzz.sh --keep [HARNESS...]     adds to tests/fuzz/corpus what reaches code that its files don't
set -eu
cd "$(dirname "$0")/.."

all='action_result archive cache_entry commands compile_cache cubin elf_inside fatbin host_skip import load names ptx record slim source tileir verify'
largest=8192 # bytes of an input that is kept

if [ $# -eq 0 ]; then
    sed -n '5,7s/^# \{0,5\}//p' "$0" >&2
    exit 2
fi
how=$1
shift
harnesses=${*:-$all}
build=$PWD/build/fuzz # in full: a harness may work in another folder
mkdir -p "$build/found"
cmake --preset fuzz >"$build/configure.log"
# shellcheck disable=SC2046,SC2086 # lists of words
cmake --build "$build" --target $(printf 'fuzz_%s ' $harnesses) >"$build/build.log" || {
    cat "$build/build.log" >&2
    exit 1
}

fuzz() { # harness, seconds
    mkdir -p "$build/corpus/$1"
    "$build/tests/fuzz/fuzz_$1" -max_total_time="$2" -timeout=20 -rss_limit_mb=4096 -max_len=32768 -print_final_stats=1 \
        -close_fd_mask=2 \
        -artifact_prefix="$build/found/$1-" "$build/corpus/$1" "tests/fuzz/corpus/$1" >"$build/$1.log" 2>&1 || {
        echo "$1: see $build/$1.log and $build/found"
        return 1
    }
    echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$1.log") runs in $2 s, nothing found"
}

keep() { # harness
    "$build/tests/fuzz/fuzz_$1" -merge=1 -max_len=$largest "tests/fuzz/corpus/$1" "$build/corpus/$1" 2>&1 | tail -n 1
}

failed=0
running=0
for harness in $harnesses; do
    if [ "$how" = --keep ]; then
        keep "$harness"
        continue
    fi
    [ "$running" -lt "$(nproc)" ] || {
        wait # sh can wait for all of them or for one that it names
        running=0
    }
    fuzz "$harness" "$how" &
    running=$((running + 1))
done
wait
for found in "$build"/found/*; do
    [ ! -e "$found" ] || failed=1
done
exit $failed
