# SPDX-License-Identifier: Apache-2.0
"""Follows the links of every page: the files and the headings that they name exist. Links to other sites are not followed."""

import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CODE = re.compile(r"^(```|~~~).*?^\1[^\S\n]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^(```|~~~).*?^\1[^\S\n]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(\s*([^)\s]+)[^)]*\)|<(?:img|a|source)\s[^>]*?(?:src|href|srcset)=\"([^\"]+)\"")
FOLDERS = ("docs", "loader", "packager", "samples", "bench", "cmake_modules")


def pages():
    return [*SOURCE.glob("*.md"), *(page for folder in FOLDERS for page in (SOURCE / folder).rglob("*.md"))]


def anchors(text):
    """The anchors that GitHub gives to a page's headings."""
    seen = {}
    for heading in re.findall(r"^#+\s+(.*?)\s*#*$", FENCE.sub("", text), re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        yield slug if count == 0 else f"{slug}-{count}"
    yield from re.findall(r'<a (?:id|name)="([^"]+)"', text)


def dead_links(page, text):
    for match in LINK.finditer(CODE.sub("", text)):
        link = match[1] or match[2]
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            yield f"{link}: {target} does not exist"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
            yield f"{link}: {target.name} has no heading for #{anchor}"


class Links(unittest.TestCase):
    def test_the_checker_sees_dead_links(self):
        page = SOURCE / "docs/README.md"
        for text in ("[x](nowhere.md)", "[x](#nowhere)", "[x](../README.md#nowhere)", '<img src="nowhere.svg">', "![x](no.svg)"):
            self.assertEqual(len(list(dead_links(page, text))), 1, text)
        for text in ("[x](../README.md)", "`[x](nowhere)`", "```\n[x](nowhere)\n```", "[x](https://example.com/#nowhere)"):
            self.assertEqual(list(dead_links(page, text)), [], text)

    def test_no_link_is_dead(self):
        self.assertGreater(len(pages()), 30)
        dead = [f"{page.relative_to(SOURCE)}: {link}" for page in pages() for link in dead_links(page, page.read_text())]
        self.assertEqual(dead, [], "\n".join(dead))

    def test_every_page_is_in_the_index(self):
        index = SOURCE / "docs/README.md"
        linked = {(index.parent / (link[1] or link[2]).partition("#")[0]).resolve() for link in LINK.finditer(index.read_text())}
        missing = [str(page.relative_to(SOURCE)) for page in (SOURCE / "docs").rglob("*.md") if page != index and page not in linked]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
