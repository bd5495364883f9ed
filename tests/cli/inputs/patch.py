"""Replaces bytes of a file: patch.py FILE OFFSET=HEX... An OFFSET may be a text in the file, for its first place."""

import sys

path, *changes = sys.argv[1:]
with open(path, "rb") as file:
    data = bytearray(file.read())
for change in changes:
    place, _, value = change.rpartition("=")
    start = int(place) if place.isdigit() else data.find(place.encode())
    if start < 0:
        sys.exit(f"{path} has no {place!r}")
    new = bytes.fromhex(value)
    data[start:start + len(new)] = new
with open(path, "wb") as file:
    file.write(data)
