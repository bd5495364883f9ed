#!/bin/bash -eu
# Builds the harnesses of tests/fuzz as ClusterFuzzLite and OSS-Fuzz want them: in $OUT, each with its files as a zip file,
# and with the libraries that the machine which runs them may lack. Reads SRC, OUT, WORK, CC, CFLAGS and
# LIB_FUZZING_ENGINE. For a try with clang alone:
#
#     ln -s "$PWD" /tmp/src/cubinet
#     SRC=/tmp/src OUT=/tmp/out WORK=/tmp/work CC=clang CFLAGS='-O1 -g -fsanitize=address,fuzzer-no-link' \
#         LIB_FUZZING_ENGINE=-fsanitize=fuzzer .clusterfuzzlite/build.sh
project=$SRC/cubinet
build=$WORK/cubinet

cmake -S "$project" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" \
    -DCUBINET_FUZZ=ON -DCUBINET_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" \
    -DCUBINET_BUILD_SAMPLES=OFF -DCUBINET_BUILD_BENCHMARKS=OFF \
    -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DCMAKE_INSTALL_RPATH="\$ORIGIN/lib" \
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags # so that it counts for libraries of libraries, too
cmake --build "$build" --target tests/fuzz/all

# The libraries that a program or library needs, without the C library and its compiler's.
needed() {
    LD_LIBRARY_PATH=$build/tests/simdriver ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
        grep -Ev '/lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so' | sort -u
}

mkdir -p "$OUT/lib"
for source in "$project"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    cp "$build/tests/fuzz/$name" "$OUT/"
    (cd "$project/tests/fuzz/corpus/${name#fuzz_}" && cmake -E tar cf "$OUT/${name}_seed_corpus.zip" --format=zip -- *)
    printf '[libfuzzer]\nclose_fd_mask = 2\nmax_len = 32768\n' >"$OUT/$name.options"
done

# libarchive is opened at run time; a link to it tells the linker's place.
archive=$($CC -print-file-name=libarchive.so)
needed "$OUT"/fuzz_* "$archive" 2>/dev/null | xargs cp -Lt "$OUT/lib"
cp -L "$archive" "$OUT/lib/libarchive.so.13"
