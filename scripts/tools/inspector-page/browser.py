"""Headless Chromium, by the DevTools protocol over a pipe: https://chromedevtools.github.io/devtools-protocol/"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    """One page. Every wait has an end."""

    LIMIT = 120

    def __init__(self, binary, *options):
        self.folder = tempfile.mkdtemp()
        to_read, self.output = os.pipe()
        self.input, to_write = os.pipe()

        def connect():
            # The protocol's descriptors are 3 and 4; the pipes' own may be the same numbers.
            os.dup2(os.dup(to_read), 103)
            os.dup2(os.dup(to_write), 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self.process = subprocess.Popen(
            [binary, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--no-first-run", "--disable-extensions", "--user-data-dir=" + self.folder, *options, "about:blank"],
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        (self.buffer, self.count, self.events, self.session) = (b"", 0, [], None)
        page = next(target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def receive(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                return None
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise EOFError("Chromium has ended")
            self.buffer += piece
        (message, self.buffer) = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        end = time.monotonic() + Browser.LIMIT
        while True:
            answer = self.receive(end - time.monotonic())
            if answer is None:
                raise TimeoutError(method)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def run(self, script):
        """The value of an expression, or what its promise becomes."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise RuntimeError(script + ": " + json.dumps(result["exceptionDetails"])[:400])
        return result["result"].get("value")

    def wait(self, script):
        end = time.monotonic() + Browser.LIMIT
        while not self.run(script):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.02)

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && document.querySelector('#grid') !== null")

    def visit(self, url):
        self.call("Page.navigate", url=url)
        self.wait(f"document.readyState === 'complete' && location.href === {json.dumps(url)}")

    def panel(self):
        """Opens the developer tools of the page in another one, with the modules of their network panel in `panel`; returns that page's
        session. The browser needs the option --remote-debugging-port."""
        (page, target) = (self.session, self.call("Target.getTargetInfo")["targetInfo"]["targetId"])
        with open(self.folder + "/DevToolsActivePort") as file:
            port = file.readline().strip()
        self.session = None
        tools = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=tools, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime"]:
            self.call(domain + ".enable")
        self.call("Page.navigate", url=f"devtools://devtools/bundled/devtools_app.html?ws=127.0.0.1:{port}/devtools/page/{target}")
        self.wait("document.readyState === 'complete' && location.protocol === 'devtools:'")
        self.run("""Promise.all(["sdk/sdk", "../models/logs/logs", "../models/har/har"].map(name => import(`./core/${name}.js`)))
          .then(([sdk, logs, har]) => { globalThis.panel = { sdk, logs, har }; })""")
        self.wait("panel.sdk.TargetManager.TargetManager.instance().primaryPageTarget()?.model(panel.sdk.NetworkManager.NetworkManager)")
        (tools, self.session) = (self.session, page)
        return tools

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def shot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def troubles(self):
        """What the page has done that it shouldn't: exceptions, entries of the log (refusals of its policy), dialogs."""
        self.run("1")
        kinds = ["Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening"]
        return [event for event in self.events if event.get("method") in kinds]

    def close(self):
        try:
            self.call("Browser.close")
        except (EOFError, OSError, TimeoutError, RuntimeError):
            self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)
