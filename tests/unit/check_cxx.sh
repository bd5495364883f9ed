#!/bin/sh
# Compiles the headers for C++, each alone, and with each compiler the test that uses all of them, as C++17 to C++23, with
# exceptions and without: no warnings. Then what must not compile, and what the compiler has to say of it; and the pages'
# examples.
#   check_cxx.sh SOURCE-FOLDER FOLDER-OF-cuda.h-or-"" COMPILER...
# shellcheck disable=SC2086 # lists of words
set -eu
root=$1 cuda=$2
shift 2
include=$root/loader/include
warnings="-Wall -Wextra -Wconversion -Wshadow -pedantic -Werror"
failed=0

complain()
{
    echo "$*" >&2
    failed=1
}

check_each_alone()
{
    for path in "$include"/cubinet/*.hpp; do
        printf '#include <cubinet/%s>\n' "$(basename "$path")" |
            $1 -std=c++17 -I"$include" $warnings -Wsign-conversion -Wold-style-cast -Wundef -fsyntax-only -x c++ - ||
            complain "$1: $(basename "$path") does not compile alone"
    done
}

# A program of one statement, with a kernel in scope.
program()
{
    printf '#include <cubinet/cubinet.hpp>\n#include <string>\nint main() { cubinet::kernel kernel; %s }\n' "$1"
}

# refuse COMPILER-AND-OPTIONS WHAT-IT-SAYS STATEMENT
refuse()
{
    if said=$(program "$3" | $1 -I"$include" -Werror -fsyntax-only -x c++ - 2>&1); then
        complain "$1 accepts: $3"
    elif ! printf "%s\n" "$said" | grep -q -e "$2"; then
        complain "$1 does not say '$2' of: $3" "$said"
    fi
}

# page_program PAGE INFO-STRING: its examples of that kind, each in a block of its own, in a function that has what they use.
page_program()
{
    printf '#include <cubinet/cubinet.hpp>\n#include <cstdio>\n'
    [ -z "$cuda" ] || echo '#include <cuda_runtime.h>'
    cat <<'END'
void page(const cubinet::archive &archive, const cubinet::archive &application, const cubinet::driver &driver,
          const cubinet::module &module, const cubinet::kernel &kernel, CUstream stream, float *values, const int *offsets,
          float *sums, unsigned n, unsigned blocks, unsigned segments)
END
    echo '{'
    awk -v start="\`\`\`$2" '$0 == start { print "{"; inside = 1; next } /^```/ { if (inside) print "}"; inside = 0 } inside' "$1"
    echo '}'
}

check_page()
{
    text=$(page_program "$root/docs/$3" "$2")
    [ "$(printf "%s\n" "$text" | grep -c '^{$')" -gt 1 ] || complain "$3 has no example of '$2'"
    printf "%s\n" "$text" | $1 -I"$include" ${cuda:+-isystem "$cuda"} -Wall -Wno-unused -Werror -fsyntax-only -x c++ - ||
        complain "$1: $3 has an example that does not compile"
}

check_compiler()
{
    compiler=$1
    for dialect in '-std=c++17 -fno-exceptions' '-std=c++2b'; do
        $compiler $dialect -D_GNU_SOURCE -DSIMCUDA_PATH='""' -I"$include" -I"$root/tests/unit" -I"$root/tests/simdriver" \
            $warnings -fsyntax-only "$root/tests/unit/loader/include/test_cxx.cpp" ||
            complain "$compiler $dialect: test_cxx.cpp does not compile"
    done
    if [ -n "$cuda" ]; then
        program 'kernel.launch({dim3(1, 2), 3}, CUstream(), CUdeviceptr());' | sed '1i #include <vector_types.h>\n#include <cuda.h>' |
            $compiler -std=c++17 -I"$include" -isystem "$cuda" -Wall -Werror -fsyntax-only -x c++ - ||
            complain "$compiler: cubinet.hpp does not compile after <cuda.h>"
    fi
    refuse "$compiler -std=c++17" 'a kernel takes no array' 'int a[3] = {}; kernel.launch({1, 1}, nullptr, a);'
    refuse "$compiler -std=c++17" 'trivially copyable' 'kernel.launch({1, 1}, nullptr, std::string());'
    refuse "$compiler -std=c++17" CUstream 'kernel.launch({1, 1}, 2.f);'
    refuse "$compiler -std=c++17" deleted 'cubinet::module one; cubinet::module two = one;'
    refuse "$compiler -std=c++17" 'keep it in a variable' 'for (auto module : cubinet::archive::open("x").modules()) module.info();'
    refuse "$compiler -std=c++17" deleted 'cubinet::module::load({}, {}, "x", 0).find_kernel("x");'
    refuse "$compiler -std=c++17 -fno-exceptions" nodiscard 'kernel.launch({1, 1}, nullptr);'
}

[ $# -gt 0 ] || { echo "skipped: there is no C++ compiler"; exit 77; }
check_each_alone "$1"
if [ -n "$cuda" ]; then # the types of CUDA are in the examples, too
    check_page "$1 -std=c++17" cpp guide/cpp.md
    check_page "$1 -std=c++17" 'cpp memory' guide/first-program.md
fi
check_page "$1 -std=c++17 -fno-exceptions" 'cpp no-exceptions' guide/cpp.md
for compiler; do
    check_compiler "$compiler"
done
exit $failed
