# SPDX-License-Identifier: Apache-2.0
"""Diagrams: well-formed SVG with a title and a description, colours for dark and for light pages, and nothing from elsewhere."""

import pathlib
import re
import unittest
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


class Images(unittest.TestCase):
    def test_each(self):
        images = list((SOURCE / "docs/images").glob("*.svg"))
        self.assertGreater(len(images), 2)
        for image in images:
            with self.subTest(image.name):
                text = image.read_text()
                root = xml.etree.ElementTree.fromstring(text)
                self.assertTrue(root.find(f"{SVG}title").text and root.find(f"{SVG}desc").text)
                light, _, dark = root.find(f"{SVG}style").text.partition("@media (prefers-color-scheme:dark)")
                for name in re.findall(r"^\.(\w+)\{[^}]*(?:fill|stroke):#", light, re.MULTILINE):
                    self.assertIn(f".{name}{{", dark.replace(" ", ""))
                self.assertNotRegex(text.replace('"http://www.w3.org/2000/svg"', ""), r"https?:|@import|<script|<image")

    def test_text_is_inside(self):
        """No text starts or ends outside, by a wide estimate of how wide letters are."""
        for image in (SOURCE / "docs/images").glob("*.svg"):
            root = xml.etree.ElementTree.fromstring(image.read_text())
            for text in root.iter(f"{SVG}text"):
                size = 6.6 if "small" in text.get("class", "") else 8.2
                width = len(text.text) * size
                left = float(text.get("x")) - {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor", "start")]
                with self.subTest(f"{image.name}: {text.text}"):
                    self.assertGreaterEqual(left, 0)
                    self.assertLessEqual(left + width, float(root.get("width")))


if __name__ == "__main__":
    unittest.main()
