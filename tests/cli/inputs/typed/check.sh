#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh FILE COMPILER...: whether each compiles a file; else the first error, without columns and guesses, and the line of
# the file that it is of if it is in a header.
file=$1; shift
for compiler in "$@"; do
    rm -f out.o
    $compiler -Wall -Wextra -Wshadow -pedantic $STRICT -I"$INPUTS/../../../loader/include" -c $file -o out.o > messages 2>&1
    [ -e out.o ] && echo "$compiler: compiled"
    grep error: messages | head -1 > error
    sed -E "s/‘|’/'/g; s/; did you mean.*//; s/static_assert failed/static assertion failed/; s/^([^ ]*\/)?([^:]*):([0-9]+):[0-9]+:/\2:\3:/; s/(typed.h):[0-9]+/\1/" error
    grep -q "^$file" error || grep -oE "^$file:[0-9]+:[0-9]" messages | sed 's/:[0-9]$//' | head -1
done
