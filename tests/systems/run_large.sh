#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Launches a kernel of each system; one line a row. Exits with 1 unless all are right.
cd "$(dirname "$0")" || exit 2
export LD_LIBRARY_PATH="$PWD:$LD_LIBRARY_PATH"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
failed=0
for row in $(./launch); do
    timeout 60 ./launch "$row" || { echo "$row: exit $?"; failed=1; }
done
[ $failed -eq 0 ] && echo "all right"
exit $failed
