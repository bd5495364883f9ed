#!/bin/sh
# Compiles each public header alone, as C11 and as C++11, and if there is a <cuda.h> with it before and after. No struct
# may have padding: a member that is appended there would not be zero in programs that were compiled before.
#   check_headers.sh CC CXX-or-"" INCLUDE-FOLDER FOLDER-OF-cuda.h-or-""
set -eu
cc=$1 cxx=$2 include=$3 cuda=$4
failed=0

# compile WHAT COMPILER-AND-OPTIONS < source
compile()
{
    what=$1
    shift
    if ! "$@" -I"$include" -Wall -Wextra -Wpadded -Wundef -pedantic -Werror -fsyntax-only -; then
        echo "$what does not compile: $*" >&2
        return 1
    fi
}

each_language()
{
    source=$1
    what=$2
    printf '%b' "$source" | compile "$what" "$cc" -std=c11 ${cuda:+-isystem "$cuda"} -x c || failed=1
    if [ -n "$cxx" ]; then
        printf '%b' "$source" | compile "$what" "$cxx" -std=c++11 ${cuda:+-isystem "$cuda"} -x c++ ||
            failed=1
    fi
}

for path in "$include"/cubinet/*.h; do
    header=cubinet/$(basename "$path")
    each_language "#include <$header>\n#include <$header>\nint main(void) { return 0; }\n" "$header"
    if [ -n "$cuda" ]; then
        each_language "#include <cuda.h>\n#include <$header>\nint main(void) { return 0; }\n" "$header after <cuda.h>"
        each_language "#include <$header>\n#include <cuda.h>\nint main(void) { return 0; }\n" "$header before <cuda.h>"
    fi
done
[ -n "$cuda" ] || echo "no <cuda.h> was found: only without it"
exit $failed
