#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a build with nothing to do costs: 24 modules for 7 targets each, over CUB, whose 600 headers are the toolkit's or
# those of a checkout of CCCL.
#
#     bench/noop.sh prepare BUILD DIR     configure and build the project in DIR: needs a toolkit, takes minutes
#     bench/noop.sh run BUILD DIR         time `ninja` in it
#
# BUILD is a build tree of Cubinet. CMAKE and NINJA name other versions than those of the PATH.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cmake=${CMAKE:-cmake}
ninja=${NINJA:-ninja}
rounds=41

if [ $# -ne 3 ]; then
    sed -n '3,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
build=$(cd "$2" && pwd)
mkdir -p "$3"
dir=$(cd "$3" && pwd)

write_project() {
    cp "$here/../samples/segmented_sum/segsum.cu" "$dir"
    cat >"$dir/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(noop LANGUAGES C)
find_package(Cubinet REQUIRED)
find_package(CubinetToolkit REQUIRED)
cubinet_add_archive(kernels ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
foreach(items RANGE 1 24)
  cubinet_add_module(kernels segsum_${items} SOURCES segsum.cu KERNELS "segsum<float,int,256,${items}>")
endforeach()
if(CHECKOUT)
  file(COPY "${CubinetToolkit_ROOT}/include/cccl" DESTINATION "${CMAKE_CURRENT_SOURCE_DIR}")
  target_include_directories(kernels PRIVATE cccl)
endif()
END
}

milliseconds() { # of one `ninja` in a folder
    start=$(date +%s%N)
    "$ninja" -C "$1" >/dev/null
    echo $((($(date +%s%N) - start) / 10000)) | sed 's/..$/.&/'
}

report() { # the title, and a folder
    "$ninja" -C "$2" | grep -q 'no work to do' || { echo "$2 is not built" >&2; exit 1; }
    round=0
    while [ $((round += 1)) -le $rounds ]; do
        milliseconds "$2"
    done | sort -n | awk -v title="$1" '{ ms[NR] = $1 }
        END { printf "%-22s median %s ms, worst %s ms of %d\n", title, ms[int((NR + 1) / 2)], ms[NR], NR }'
}

case $1 in
prepare)
    write_project
    for headers in toolkit checkout; do
        "$cmake" -S "$dir" -B "$dir/$headers" -G Ninja -DCMAKE_MAKE_PROGRAM="$(command -v "$ninja")" \
            -DCubinet_DIR="$build" -DCHECKOUT="$([ $headers = checkout ] && echo ON || echo OFF)"
        "$ninja" -C "$dir/$headers"
    done
    ;;
run)
    echo "CMake $("$cmake" --version | sed -n '1s/.* //p'), Ninja $("$ninja" --version)"
    report "the toolkit's CCCL" "$dir/toolkit"
    report "a checkout of CCCL" "$dir/checkout"
    ;;
*)
    exec "$0"
    ;;
esac
