#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the pages of `report` and `diff --html` look in a browser: `page_layout.py COMMAND MAKE_ARCHIVE GOLDEN`. It is skipped
where there is no Chromium."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "inputs"))

from browse import Browser  # noqa: E402

LONG = "radix::sort_blocks<cub::BlockRadixSort<unsigned long long,128,8,cub::NullType,4,true,cub::BLOCK_SCAN_WARP_SCANS>,ns::Policy<4>>"
UNBROKEN = "k" * 300
SIZES = [(500, False), (500, True), (1280, False), (1280, True), (1920, False)]

# What lies outside of the window or its box. Text that is only for screen readers is not looked at.
OVERFLOW = """
const found = [];
const edge = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > edge) found.push(`the page: ${document.documentElement.scrollWidth} of ${edge}`);
for (const box of document.querySelectorAll(".scroll")) {
  if (box.scrollWidth > box.clientWidth) found.push(`${box.getAttribute("aria-label")}: ${box.scrollWidth} of ${box.clientWidth}`);
}
for (const element of document.querySelectorAll("main *, header *")) {
  if (element.closest("thead") || element.closest("[hidden]") || element.closest("svg.key")) continue;
  const { left, right } = element.getBoundingClientRect();
  if (right > edge + 0.5 || left < -0.5) found.push(`${element.tagName} ${element.className}: ${left} to ${right}`);
}
const chart = document.getElementById("chart")?.getBoundingClientRect();
for (const text of document.querySelectorAll("#chart text")) {
  const { left, right, top, bottom } = text.getBoundingClientRect();
  if (left < chart.left || right > chart.right || top < chart.top || bottom > chart.bottom) found.push(`chart: ${text.textContent}`);
}
return found;
"""

# Text whose contrast with what is behind it is less than WCAG's 4.5.
CONTRAST = """
const channels = (color) => color.match(/[\\d.]+/g).map(Number);
const luminance = (color) => {
  const [r, g, b] = channels(color).slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (; element; element = element.parentElement) {
    const style = getComputedStyle(element);
    if (style.backgroundImage !== "none") return style.backgroundImage.match(/rgb\\([^)]*\\)/)[0];
    if (channels(style.backgroundColor)[3] !== 0) return style.backgroundColor;
  }
  return "rgb(255, 255, 255)";
};
const found = new Set();
let texts = 0;
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  if (!own || element.closest("script, noscript, [hidden]")) continue;
  const style = getComputedStyle(element);
  const [a, b] = [luminance(element.closest("svg") ? style.fill : style.color), luminance(behind(element))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) found.add(`${element.tagName}.${element.className} ${element.textContent.slice(0, 30)} ${(a + 0.05) / (b + 0.05)}`);
  texts++;
}
if (texts < 50) found.add(`only ${texts} texts`);
return [...found];
"""

# Names of the table: pieces between the places where they may be broken, and the lines that they take.
BREAKS = """
const heads = [...document.querySelectorAll("#kernels tbody th")];
const name = heads.find((head) => head.textContent.startsWith("radix::")).querySelector("button, span") ?? heads[0];
const owner = name.querySelector("wbr") ? name : heads.find((head) => head.textContent.startsWith("radix::"));
const range = document.createRange();
const starts = [];
let line = -1;
for (const node of [...owner.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE)) {
  for (let i = 0; i < node.length; i++) {
    range.setStart(node, i);
    range.setEnd(node, i + 1);
    const { top, width } = range.getBoundingClientRect();
    if (width > 0 && top > line + 4) { starts.push(owner.textContent.slice(0, owner.textContent.indexOf(node.data)) + node.data.slice(0, i)); line = top; }
  }
}
return starts.slice(1).map((text) => text.slice(-2));
"""

# The slider's thumb is where the chart's line is, for each block size that End, Home and the arrow keys lead to.
THUMB = """
const [slider, line] = [document.getElementById("block"), document.querySelector("#chart .cursor")];
const style = getComputedStyle(slider);
const thumb = parseFloat(style.getPropertyValue("--thumb"));
const box = slider.getBoundingClientRect();
const at = box.left + thumb / 2 + (box.width - thumb) * (slider.value - slider.min) / (slider.max - slider.min);
const wanted = line.getBoundingClientRect().left;
const shown = document.querySelector("#readout th").textContent;
return [slider.value, Math.abs(at - wanted) < 1.5, shown, slider.getAttribute("aria-valuetext")];
"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="cubinet-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cubin = GOLDEN / "cubin"
        ptx = pathlib.Path(__file__).parent / "inputs" / "saxpy.ptx"
        older = [cubin / "sm_75_cuda13.0.cubin", cubin / "sm_90a_cuda12.9.cubin", ptx]
        newer = [f"{cubin}/sm_60_cuda12.9.cubin=sm_75", cubin / "sm_90a_cuda13.0.cubin", cubin / "sm_120_cuda13.0.cubin"]
        for name, images in (("old", older), ("new", newer)):
            parts = []
            for module in ("m10", "m2", "namespaced::modules<with,a,long,name>::" * 4 + "m" * 100):
                part = cls.folder / f"{name}{len(parts)}.cubinet"
                subprocess.run([MAKE_ARCHIVE, part, module, *images, f"shapes=={LONG}", f"stack=={UNBROKEN}"], check=True)
                parts.append(part)
            subprocess.run([COMMAND, "pack", *parts, "-o", f"{name}.cubinet"], cwd=cls.folder, check=True)
        subprocess.run([COMMAND, "report", "old.cubinet", "-o", "report.html"], cwd=cls.folder, check=True)
        command = [COMMAND, "diff", "new.cubinet", "old.cubinet", "--html", "diff.html"]
        subprocess.run(command, cwd=cls.folder, check=False, stdout=subprocess.DEVNULL)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def test_each_size(self):
        """All checks of a page that is opened once, as a browser is slow."""
        for page in ("report", "diff"):
            for width, dark in SIZES:
                self.browser.open(self.folder / f"{page}.html", width, dark=dark)
                for check in (self.check_overflow, self.check_contrast, self.check_dark, self.check_breaks, self.check_roles, self.check_slider):
                    with self.subTest(page=page, width=width, dark=dark, check=check.__name__):
                        check(page, width, dark)

    def check_overflow(self, _page, width, _dark):
        self.assertEqual(self.browser.run(OVERFLOW), [])
        cards = self.browser.run("return document.querySelectorAll('#kernels.cards').length")
        self.assertEqual(cards, ["1"] if width == 500 else ["0"])

    def check_contrast(self, *_):
        self.assertEqual(self.browser.run(CONTRAST), [])

    def check_dark(self, _page, _width, dark):
        color = self.browser.run("return getComputedStyle(document.body).backgroundColor")
        self.assertEqual(color, ["rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)"])

    def check_breaks(self, *_):
        ends = self.browser.run(BREAKS)
        self.assertTrue(ends)
        for end in ends:
            self.assertTrue(end == "::" or end[-1] in ",< ", ends)

    def check_roles(self, *_):
        roles = self.browser.run("return [...new Set([...document.querySelectorAll('table, thead, tbody, tr, td, th')]"
                                 ".map((element) => element.tagName + ' ' + element.getAttribute('role')))].sort()")  # fmt: skip
        self.assertEqual([role for role in roles if role.endswith("null")], [])

    def check_slider(self, page, *_):
        if page != "report":
            return
        self.browser.run("[...document.querySelectorAll('#kernels tbody button')].find((b) => b.textContent.startsWith('radix::')).click();"
                         "document.getElementById('block').focus(); return []")  # fmt: skip
        sizes = []
        for key in ("Home", "ArrowRight", "End", "ArrowLeft", "ArrowRight"):
            self.browser.press(key)
            size, agrees, shown, spoken = self.browser.run(THUMB)
            self.assertEqual((agrees, shown, spoken), ("true", f"{size} threads", f"{size} threads"))
            sizes.append(size)
        self.assertEqual(sizes, ["32", "64", "200", "192", "200"])  # 200: the kernel's bound

    def test_a_window_that_shrinks_and_grows(self):
        self.browser.open(self.folder / "report.html", 1920)
        for width, cards in ((500, "true"), (1920, "false")):
            self.browser.resize(width)
            self.browser.run("const table = document.getElementById('kernels');"  # the window's new size comes a few frames later
                             f"for (let i = 0; i < 1000 && table.classList.contains('cards') !== {cards}; i++)"
                             " await new Promise(requestAnimationFrame); return []")  # fmt: skip
            self.assertEqual(self.browser.run(OVERFLOW), [])
            self.assertEqual(self.browser.run("return document.getElementById('kernels').classList.contains('cards')"), [cards])


if __name__ == "__main__":
    if not shutil.which("chromium"):
        print("skipped: it needs Chromium (Debian's package chromium)")
        sys.exit(77)
    COMMAND, MAKE_ARCHIVE, GOLDEN = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
