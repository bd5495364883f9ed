#!/bin/sh
# Runs the tests of the command: see run.py, which this hands everything to.
exec python3 "$(dirname "$0")/run.py" "$@"
