# SPDX-License-Identifier: Apache-2.0
"""The code blocks of the pages, and lines of shell in them."""

import dataclasses
import pathlib
import re
import shlex

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs" / "guide").glob("*.md")),
         *sorted((SOURCE / "docs" / "reference").glob("*.md"))]  # fmt: skip

FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^    (\$ )?((?:[A-Z_]+=\S+ )*cubinet (?!and|or)[^\n]*)$", re.MULTILINE)


@dataclasses.dataclass
class Block:
    key: str  # "page.md#heading", with the number of the block if the heading has several
    language: str
    text: str

    def commands(self):
        """What a reader types: the lines after `$`, or all of a block of shell, with continued lines joined."""
        text = re.sub(r"\\\n\s*", "", self.text)
        lines = text.splitlines()
        if any(line.startswith("$ ") for line in lines):
            return [line[2:] for line in lines if line.startswith("$ ")]
        return lines if self.language in ("sh", "") else []


def blocks(page):
    """The blocks of a page in their order."""
    text = page.read_text()
    found, counts = [], {}
    for match in FENCE.finditer(text):
        before = FENCE.sub("", text[: match.start()])
        heading = re.findall(r"^#+ (.*)$", before, re.MULTILINE)[-1]
        heading = f"{page.name}#{heading}"
        counts[heading] = counts.get(heading, 0) + 1
        indent, language, body = match.groups()
        body = re.sub(f"^{indent}", "", body, flags=re.MULTILINE)
        found.append(Block(f"{heading} {counts[heading]}", language, body))
    return found


def all_blocks():
    return {block.key: block for page in PAGES for block in blocks(page)}


def command_lines(page):
    """Every command line of `cubinet` on a page, in blocks and in indented lines."""
    lines = [line for block in blocks(page) for line in block.commands()]
    lines += [command for _, command in INDENTED.findall(FENCE.sub("", page.read_text()))]
    for line in lines:
        for part in re.split(r" && | \| |; ", line):
            words = part.split()
            while words and re.match(r"[A-Z_]+=", words[0]):
                words.pop(0)
            if words and words[0] == "cubinet":
                yield shlex.split(re.sub(r"\s#.*", "", " ".join(words)))
