# SPDX-License-Identifier: Apache-2.0
"""browse.py PAGE SCRIPT: opens a page in headless Chromium, runs the script in it, which is the body of a function, and
prints what it returns. An error of the page itself is printed too. The window is narrow: 500 pixels.

    browse.py PAGE SCRIPT [--width PIXELS] [--dark] [--picture FILE.png]

Other tests import Browser, to try many sizes in one browser."""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile

CATCH = """window.pageErrors = [];
window.addEventListener("error", (event) => pageErrors.push(event.message));
document.addEventListener("securitypolicyviolation", (event) => pageErrors.push(event.blockedURI || event.violatedDirective));"""


class Browser:
    """Chromium, spoken to over two pipes in the DevTools protocol: a page at a time."""

    def __init__(self):
        self.stack = contextlib.ExitStack()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        to_browser, self.out = os.pipe()
        self.replies, from_browser = os.pipe()
        command = ["sh", "-c", f'exec chromium "$@" 3<&{to_browser} 4>&{from_browser}', "sh", "--headless", "--no-sandbox", "--disable-gpu",
                   "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={folder}/profile", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=CATCH)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.session = None
        with contextlib.suppress(EOFError, BrokenPipeError):
            self.call("Browser.close")
        self.process.wait()
        os.close(self.out)
        os.close(self.replies)
        self.stack.close()

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.replies, 1 << 16)
            if not piece:
                raise EOFError("the browser ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.receive()
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']['message']}")
                return reply["result"]
            self.events.append(reply.get("method"))

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path, width=500, height=900, dark=False):
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while "Page.loadEventFired" not in self.events:
            self.events.append(self.receive().get("method"))

    def run(self, script):
        """What the script returns, as lines; errors of the page come first."""
        whole = f"(async () => {{ const lines = await (async () => {{ {script} }})(); return [...pageErrors, ...[lines].flat()].map(String); }})()"
        result = self.call("Runtime.evaluate", expression=whole, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            return ["the script failed: " + result["exceptionDetails"]["exception"].get("description", "")]
        return result["result"]["value"]

    def press(self, key):
        """A key as a person presses it, so that the browser's own reaction counts."""
        code = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Tab": 9, "Enter": 13}[key]
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def picture(self, path):
        data = self.call("Page.captureScreenshot")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))


def main():
    parser = argparse.ArgumentParser(description="Runs a script in a page.")
    parser.add_argument("page")
    parser.add_argument("script")
    parser.add_argument("--width", type=int, default=500)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--picture")
    arguments = parser.parse_args()
    with Browser() as browser:
        browser.open(arguments.page, arguments.width, arguments.height, arguments.dark)
        print("\n".join(browser.run(arguments.script)))
        if arguments.picture:
            browser.picture(arguments.picture)


if __name__ == "__main__":
    main()
