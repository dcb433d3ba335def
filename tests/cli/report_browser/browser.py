"""A headless Chromium without a network, driven through the DevTools protocol over a pipe."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def program():
    """Returns the path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page. `complaints` has what the page wrote to the console, threw, or tried to load."""

    def __init__(self, path):
        self.complaints = []
        self.loaded = False
        self._count = 0
        self._unread = b""
        self._profile = tempfile.TemporaryDirectory(prefix="attune-browser-")
        self._process = self._start(path)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._profile.cleanup()

    def _start(self, path):
        commands, answers = os.pipe(), os.pipe()
        child_reads, child_writes = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (commands[0], answers[1]))

        def place():  # the protocol's descriptors are 3 and 4
            os.dup2(child_reads, 3)
            os.dup2(child_writes, 4)

        arguments = [path, "--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
                     "--disable-background-networking", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
                     f"--user-data-dir={self._profile.name}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        process = subprocess.Popen(arguments, preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (commands[0], answers[1], child_reads, child_writes):
            os.close(end)
        self._commands, self._answers = commands[1], answers[0]
        return process

    def _message(self, seconds):
        """Returns the next message, or None after this time."""
        until = time.monotonic() + seconds
        while b"\0" not in self._unread:
            ready = select.select([self._answers], [], [], max(0, until - time.monotonic()))[0]
            if not ready:
                return None
            piece = os.read(self._answers, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self._unread += piece
        line, self._unread = self._unread.split(b"\0", 1)
        return json.loads(line)

    def _take_event(self, message):
        what, of = message.get("method"), message.get("params", {})
        if what == "Page.loadEventFired":
            self.loaded = True
        elif what == "Runtime.consoleAPICalled":
            self.complaints.append(f"console: {[a.get('value', a.get('description')) for a in of['args']]}")
        elif what == "Runtime.exceptionThrown":
            details = of["exceptionDetails"]
            self.complaints.append(f"exception: {details.get('exception', {}).get('description', details['text'])}")
        elif what == "Log.entryAdded":
            self.complaints.append(f"log: {of['entry']['text']}")
        elif what == "Network.requestWillBeSent" and of["request"]["url"] != self.url:
            self.complaints.append(f"request: {of['request']['url'][:200]}")

    def call(self, method, **parameters):
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if hasattr(self, "_session"):
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message(60)
            if answer is None:
                raise RuntimeError(f"{method}: no answer of the browser within a minute")
            if answer.get("id") == self._count:
                break
            self._take_event(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, url):
        self.url, self.loaded = url, False
        self.call("Page.navigate", url=url)
        while not self.loaded:
            message = self._message(60)
            if message is None:
                raise RuntimeError(f"{url} does not load within a minute")
            self._take_event(message)

    def evaluate(self, expression):
        """Returns the value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression[:200]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def await_true(self, expression, seconds=60):
        until = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > until:
                raise RuntimeError(f"not true within {seconds} s: {expression}\n{self.complaints}")
            time.sleep(0.02)

    def look(self, width, scheme):
        """Shows the page in a window of this width, in `light` or `dark` colours."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def screenshot(self, file):
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        with open(file, "wb") as out:
            out.write(base64.b64decode(picture["data"]))
