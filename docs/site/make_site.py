# SPDX-License-Identifier: Apache-2.0
"""Makes a site of the pages and the headers with Doxygen, in one step: `cmake --build … --target site`.

Usage: make_site.py SOURCE FOLDER VERSION [DOXYGEN]

Doxygen names headings in its own way and takes some of Markdown for commands, so it reads copies of the pages, with an id
for each heading and links by these ids. Fails if Doxygen warns, or if a link of the site is dead.
"""

import html.parser
import pathlib
import re
import shutil
import subprocess
import sys

OTHER_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LANGUAGES = {"c": "c", "cpp": "cpp", "c++": "cpp", "cuda": "cpp"}


def slug(heading):
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def page_id(source, page):
    return re.sub(r"\W+", "_", str(page.relative_to(source).with_suffix(""))).lower()


class Copier:
    """Copies one page."""

    def __init__(self, source, page, pages):
        self.source = source
        self.page = page
        self.pages = pages
        self.id = page_id(source, page)
        self.anchors = {}

    def link(self, match):
        image, text, target = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        name, _, anchor = target.partition("#")
        path = (self.page.parent / name).resolve() if name else self.page
        if image:
            return f'\n@htmlonly<img src="{path.name}" alt="{text}" style="max-width:100%">@endhtmlonly\n'
        if path.suffix == ".md" and path in self.pages:
            page = page_id(self.source, path)
            anchor = f"#{page}_{anchor.replace('-', '_')}" if anchor else ""
            return f'<a href="{"index" if page == "readme" else page}.html{anchor}">{text}</a>'
        if path.suffix in (".h", ".hpp"):
            return f"[{text}](@ref {path.name})"
        return text  # a file of the source, which the site does not have

    def heading(self, match):
        level, text = match.groups()
        if level == "#":
            return f"# {text} {{#{self.id}}}"
        name = slug(text).replace("-", "_")
        count = self.anchors.get(name, 0)
        self.anchors[name] = count + 1
        # Doxygen shows code in a heading as it is written.
        return f"{level} {text.replace('`', '')} {{#{self.id}_{name}{'_' + str(count) if count else ''}}}"

    def prose(self, text):
        """Everything but blocks of code."""
        pieces = re.split(r"(`[^`\n]+`)", text)
        pieces[::2] = [re.sub(r"([@\\])(?=[A-Za-z])", r"\\\1", piece) for piece in pieces[::2]]
        # Doxygen does not take code with a quote in it for code, but between double backticks.
        pieces[1::2] = [f"`{piece}`" for piece in pieces[1::2]]
        text = "".join(pieces)
        text = re.sub(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*([^)\s]+)\)", self.link, text)
        return re.sub(r"^(#+) +(.*?)\s*$", self.heading, text, flags=re.MULTILINE)

    def copy(self):
        parts = re.split(r"(^```.*?^```[^\S\n]*$)", self.page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for i, part in enumerate(parts):
            if i % 2 == 0:
                parts[i] = self.prose(part)
            else:
                first, _, rest = part.partition("\n")
                language = LANGUAGES.get(first[3:].split(" ")[0], "unparsed")
                text = rest.rpartition("```")[0]
                parts[i] = f"\n@code{{.{language}}}\n{text}@endcode"
        return "".join(parts)


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids = set()
        self.links = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif name in ("href", "src") and value and not re.match(r"[a-z]+:", value):
                self.links.add(value)


def dead_links(folder):
    pages = {page.name: Links(page.read_text()) for page in folder.glob("*.html")}
    for name, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            target = target or name
            if not (folder / target).exists():
                yield f"{name}: {link}: there is no {target}"
            elif anchor.startswith("docs_") and anchor not in pages[target].ids:
                yield f"{name}: {link}: {target} has no {anchor}"


def main(source, folder, version, doxygen="doxygen"):
    source, folder = pathlib.Path(source).resolve(), pathlib.Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    copies = folder / "pages"
    copies.mkdir(parents=True)
    pages = [*(source / name for name in OTHER_PAGES), *sorted((source / "docs").rglob("*.md"))]
    for page in pages:
        copier = Copier(source, page, pages)
        (copies / f"{copier.id}.md").write_text(copier.copy())
    settings = (source / "docs/site/Doxyfile").read_text()
    for name, value in {"SOURCE": source, "FOLDER": folder, "VERSION": version}.items():
        settings = settings.replace(f"@{name}@", str(value))
    (folder / "Doxyfile").write_text(settings)
    subprocess.run([doxygen, "-q", folder / "Doxyfile"], check=True)
    problems = [line.replace(f"{folder}/", "") for line in (folder / "warnings").read_text().splitlines()]
    problems += dead_links(folder / "html")
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(f"{len(problems)} problems")
    print(f"The site is in {folder}/html: open index.html")


if __name__ == "__main__":
    main(*sys.argv[1:])
