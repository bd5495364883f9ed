"""Makes of an archive one that asks for a reader of format 2.0. (Its digests are wrong then, but what it needs
is looked at first: a future version may compute them in another way.)"""

import sys

NAME_SIZE, EXTRA_SIZE, NAME = 26, 28, 30  # in a zip entry's header
FORMAT_MAJOR, READER_MAJOR = 8, 12        # in the index's

source, target = sys.argv[1:]
with open(source, "rb") as file:
    data = bytearray(file.read())
index = NAME + sum(int.from_bytes(data[at:at + 2], "little") for at in (NAME_SIZE, EXTRA_SIZE))
data[index + FORMAT_MAJOR] = data[index + READER_MAJOR] = 2
with open(target, "wb") as file:
    file.write(data)
