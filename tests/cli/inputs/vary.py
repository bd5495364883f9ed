#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vary.py FILE PATH VALUE: prints a description with another value, both JSON: vary.py tune.json '["sets", 0, "name"]' 5.
Without VALUE the member is left out."""
import json
import sys

document = json.load(open(sys.argv[1], encoding="utf-8"))
path = json.loads(sys.argv[2])
place = document
for step in path[:-1]:
    place = place[step]
if len(sys.argv) > 3:
    place[path[-1]] = json.loads(sys.argv[3])
else:
    del place[path[-1]]
print(json.dumps(document))
