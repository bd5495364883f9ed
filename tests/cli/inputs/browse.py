# SPDX-License-Identifier: Apache-2.0
"""browse.py PAGE SCRIPT: opens a copy of the page in headless Chromium, runs the script in it, which is the body of a
function, and prints what it returns. An error of the page itself is printed too. The window is as narrow as Chromium's get."""

import html
import pathlib
import re
import subprocess
import sys
import tempfile

CATCH = """<script>
window.pageErrors = [];
window.addEventListener("error", (event) => pageErrors.push(event.message));
document.addEventListener("securitypolicyviolation", (event) => pageErrors.push(event.blockedURI));
</script>"""
RUN = """<script>
{
  const lines = (() => { %s })();
  const result = document.createElement("pre");
  result.id = "result-of-test";
  result.textContent = [...pageErrors, ...[lines].flat()].join("\\n");
  document.body.append(result);
}
</script>
</body>"""

page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
page = page.replace("<title>", CATCH + "<title>", 1)
head, tail = page.rsplit("</body>", 1)
with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder) / "page.html"
    copy.write_text(head + RUN % sys.argv[2] + tail, encoding="utf-8")
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=500,900",
               f"--user-data-dir={folder}/profile", "--dump-dom", copy.as_uri()]
    dom = subprocess.run(command, capture_output=True, check=True).stdout.decode()
found = re.search(r'<pre id="result-of-test">(.*?)</pre>', dom, re.DOTALL)
print(html.unescape(found.group(1)) if found else "the script failed")
