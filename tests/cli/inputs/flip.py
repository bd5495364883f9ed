"""Inverts a bit of the byte where a text first (or, with --last, last) stands in a file."""

import sys

path, text, *last = sys.argv[1:]
with open(path, "rb") as file:
    data = bytearray(file.read())
place = data.rfind(text.encode()) if last else data.find(text.encode())
if place < 0:
    sys.exit(f"{path} has no {text!r}")
data[place] ^= 1
with open(path, "wb") as file:
    file.write(data)
