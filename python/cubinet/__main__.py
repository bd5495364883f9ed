# SPDX-License-Identifier: Apache-2.0
"""``python -m cubinet`` is the cubinet command."""

import os
import sys

from ._command import find_command
from ._errors import ToolkitError

if __name__ == "__main__":
    try:
        command = find_command()
    except ToolkitError as error:
        sys.exit(f"cubinet: {error}")
    os.execv(command, ["cubinet", *sys.argv[1:]])
