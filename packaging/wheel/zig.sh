#!/bin/sh
# zig's compiler and linker as one of gcc's options, for libraries and programs that start on glibc 2.17: the environment says
# where zig is (ZIG) and for what it compiles (ZIG_TARGET). Called as cc, ar or ranlib, by links of those names.
set -eu

case ${0##*/} in
    ar) exec "$ZIG" ar "$@" ;;
    ranlib) exec "$ZIG" ranlib "$@" ;;
esac
# CMake hands options to the linker either as -Wl,OPTION or as -Xlinker OPTION.
xlinker=
for argument; do
    shift
    if [ "$argument" = -Xlinker ]; then
        xlinker=-Wl,
        continue
    fi
    argument=$xlinker$argument
    xlinker=
    case $argument in
        # Which zig's linker does not know: build.sh has another way.
        -Wl,--export-dynamic-symbol=*) continue ;;
        # All but what the version script names is hidden in any case, and so is all of a program.
        -Wl,--exclude-libs,*) continue ;;
        -Wl,-Bsymbolic-functions) argument=-Wl,-Bsymbolic ;;
    esac
    set -- "$@" "$argument"
done
# Without -g0 zig adds debugging information to every object.
exec "$ZIG" cc -target "$ZIG_TARGET" -g0 "$@"
