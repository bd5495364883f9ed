#!/bin/sh
# Runs the unit tests and the fuzzing harnesses' files with a library that counts its branches, and prints by file which
# share of the branches of loader/ they take. Fails if a branch of what reads and trusts archives, and chooses among their
# images, is not taken: such a branch needs a test, or a comment GCOVR_EXCL_BR_LINE with the reason why none can take it.
# Needs gcc and gcovr.
#
#     scripts/coverage.sh
set -eu
cd "$(dirname "$0")/.."

whole='archive/archive archive/archive_near archive/archive_select archive/block archive/block_find archive/block_origins archive/block_parts archive/block_tunings archive/opened
    archive/page archive/root archive/sodium_table archive/storage archive/tables archive/trust archive/tunings select/remedy select/select
    select/select_text tuning/nearest tuning/tuning_grid'
build=build/coverage

quietly() {
    "$@" >"$build/last-command.log" 2>&1 || {
        cat "$build/last-command.log" >&2
        exit 1
    }
}

branches() { # options of gcovr
    gcovr --root . --object-directory "$build" --branches "$@" "$build/loader"
}

mkdir -p "$build"
quietly cmake --preset coverage
find "$build" -name '*.gcda' -delete # counts of earlier runs
quietly cmake --build "$build" --parallel "$(nproc)" --target tests/unit/all tests/fuzz/all
ninja -C "$build" -t cleandead >"$build/last-command.log" # what sources that went away have left
find "$build" -name '*.gcno' | while read -r notes; do
    [ -e "${notes%gcno}o" ] || rm "$notes"
done
quietly ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" --tests-regex '^(unit|fuzz)\.' \
    --exclude-regex '^unit\.(cxx|headers)$' # which only compile headers
branches --filter 'loader/.*\.c'
filters=
for file in $whole; do
    [ -e "loader/core/$file.c" ] || {
        echo "loader/core/$file.c is not there: $0 has to name what it became" >&2
        exit 1
    }
    filters="$filters --filter loader/core/$file\.c"
done
# shellcheck disable=SC2086 # a list of words
branches $filters --fail-under-branch 100 --output "$build/whole.txt" || {
    echo "branches that no test takes:" >&2
    cat "$build/whole.txt" >&2
    exit 1
}
