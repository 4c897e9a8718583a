"""Drives the inspector's page: drive.py CHROMIUM URLLOAD [--shots FOLDER]"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

from browser import Browser
from servers import echo

HOSTILE = "<img src=x onerror=\"document.title='pwned'\"></script><script>document.title='pwned'</script>\u202e\"'"


def expect(what, condition):
    if not condition:
        raise AssertionError(what)


def archive(count):
    """An HTTP Archive, some of whose entries are from a server that means harm."""
    entries = []
    for number in range(count):
        is_hostile = number % 10 == 3
        status = [200, 200, 200, 304, 404, 500, 200][number % 7]
        start = 1_764_100_000 + number * 0.05
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(start)) + f".{int(start * 1000) % 1000:03}Z"
        text = HOSTILE if is_hostile else json.dumps({"number": number, "list": [1, 2.5, None, True], "name": "väl\"ue"})
        timings = {"blocked": 1, "dns": -1, "connect": -1, "ssl": -1, "send": 0.5, "wait": 20 + number % 300, "receive": number % 40}
        if number % 20 == 0:
            timings.update(dns=4, connect=12, ssl=8)
        entries.append({
            "startedDateTime": stamp, "time": sum(value for name, value in timings.items() if value > 0 and name != "ssl"),
            "request": {
                "method": ["GET", "GET", "POST"][number % 3],
                "url": f"https://{['api', 'images'][number % 2]}.example/{'x?' + HOSTILE if is_hostile else 'items'}/{number}",
                "httpVersion": "HTTP/2", "cookies": [], "headers": [{"name": "X-A", "value": HOSTILE if is_hostile else "a"}],
                "queryString": [], "headersSize": 100, "bodySize": 0},
            "response": {
                "status": status, "statusText": HOSTILE if is_hostile else "", "httpVersion": "HTTP/2", "cookies": [],
                "headers": [{"name": "Content-Type", "value": "application/json"}],
                "content": {"size": len(text), "mimeType": "text/html" if is_hostile else "application/json", "text": text},
                "redirectURL": "", "headersSize": 80, "bodySize": len(text)},
            "cache": {}, "timings": timings, "connection": str(number % 6 + 1), "serverIPAddress": "192.0.2.1"})
    return {"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": entries}}


class Inspector:
    """A process whose page is open."""

    def __init__(self, words, environment=None):
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, bufsize=1,
            env={**os.environ, **(environment or {})})
        self.url = None
        for line in self.process.stderr:
            if found := re.match(r"inspector: (http://127\.0\.0\.1:\d+/\w+/)$", line.strip()):
                self.url = found.group(1)
                break
        expect("the address is written", self.url)

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) // 1024

    def end(self):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait(60)
        self.process.stderr.close()


def live(browser, urlload):
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=echo, args=[listener], daemon=True).start()
    address = f"ws://127.0.0.1:{listener.getsockname()[1]}/"
    inspector = Inspector([urlload, "ws", address], {"URL_LOADING_INSPECT": "0"})
    try:
        browser.open(inspector.url)
        browser.wait("state.all.size === 1")
        inspector.process.stdin.write("first\n")
        browser.wait("[...state.all.values()][0].messages === 2")
        browser.run("select(1)")
        browser.wait("state.details !== null && document.querySelectorAll('#tabs button').length === 5")
        browser.run("showTab('Messages')")
        expect("messages are shown", browser.run("document.querySelectorAll('.message').length") == 2)
        inspector.process.stdin.write("{\"password\":\"hidden\"}\n")
        browser.wait("document.querySelectorAll('.message').length === 4")
        expect("messages are redacted", "hidden" not in browser.run("document.body.textContent"))
        browser.run("$('pause').click()")
        browser.wait("state.paused")
        browser.run("$('clear').click()")
        browser.wait("state.all.size === 0")
        expect("live: " + str(browser.troubles())[:500], not browser.troubles())
    finally:
        inspector.end()
    browser.wait("$('status').className === 'away'")


def recorded(browser, urlload, folder, shots):
    path = os.path.join(folder, "small.har")
    with open(path, "w") as file:
        json.dump(archive(200), file)
    inspector = Inspector([urlload, "inspect", "--no-open", path])
    try:
        browser.open(inspector.url)
        browser.wait("state.shown.length === 200")
        keys(browser)
        for number in [4, 14]:
            for tab in ["Overview", "Request", "Response", "Timing"]:
                browser.run(f"select({number})")
                browser.wait(f"state.details !== null && state.details.row[0] === {number}")
                browser.run(f"showTab('{tab}')")
        browser.run("showView('connections')")
        expect("connections are shown", browser.run("document.querySelectorAll('.connection').length") == 6)
        browser.run("showView('list')")
        exported = browser.run("fetch('export.har').then(answer => answer.json()).then(json => json.log.entries.length)")
        expect("the archive is exported", exported == 200)
        expect("curl is made", browser.run("state.details.curl").startswith("curl "))
        expect("nothing hostile runs", browser.run("document.title").startswith("Transfers of") and not browser.run("document.images.length"))
        expect("recorded: " + str(browser.troubles())[:500], not browser.troubles())
        if shots:
            pictures(browser, shots)
    finally:
        inspector.end()


def imported(browser, urlload, folder):
    """Chromium's own network panel reads what urlload writes."""
    path = os.path.join(folder, "own.har")
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=echo, args=[listener], daemon=True).start()
    subprocess.run([urlload, "ws", f"ws://127.0.0.1:{listener.getsockname()[1]}/"], input="hello\n", text=True, check=False,
                   env={**os.environ, "URL_LOADING_INSPECT": path}, stdout=subprocess.DEVNULL)
    with open(path) as file:
        text = json.dumps(file.read())
    browser.call("Page.navigate", url="devtools://devtools/bundled/devtools_app.html")
    try:
        browser.wait("document.readyState === 'complete' && location.protocol === 'devtools:'")
        found = browser.run(f"""import("./models/har/har.js").then(har =>
          har.Importer.Importer.requestsFromHARLog(new har.HARFormat.HARRoot(JSON.parse({text})).log)
            .map(request => [request.statusCode, request.requestMethod, request.frames().map(frame => frame.text)]))""")
    except (RuntimeError, TimeoutError) as error:
        print("skipped: this Chromium's network panel can't be asked:", str(error)[:100])
        return
    expect(f"Chromium imports it: {found}", found == [[101, "GET", ["hello", "hello"]]])


def keys(browser):
    browser.press("/")
    expect("/ leads to the filter", browser.run("document.activeElement.id") == "filter")
    browser.call("Input.insertText", text="host:api status:404")
    browser.wait("state.shown.length > 0 && state.shown.length < 200 && state.shown.every(row => row.status === 404 && row.host === 'api.example')")
    browser.press("Escape")
    browser.wait("state.shown.length === 200 && document.activeElement.id === 'grid'")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    expect("arrows choose", browser.run("state.selected") == 2)
    browser.press("End")
    expect("End chooses the last", browser.run("state.selected") == 200)
    expect("the choice is seen", browser.run("document.getElementById('row-200') !== null"))
    expect("readers are told", browser.run("$('grid').getAttribute('aria-activedescendant')") == "row-200")
    browser.press("Escape")
    expect("Escape closes", browser.run("state.selected") is None)
    browser.run("sortBy('time'); sortBy('time')")
    expect("order by time", browser.run("state.shown[0].duration >= state.shown[100].duration"))
    browser.run("sortBy('n')")


def pictures(browser, folder):
    os.makedirs(folder, exist_ok=True)
    for (width, height, name) in [(1400, 800, "wide"), (820, 800, "middle"), (390, 800, "narrow")]:
        browser.size(width, height)
        for scheme in ["light", "dark"]:
            browser.scheme(scheme)
            browser.run("select(null)")
            browser.shot(f"{folder}/{name}-{scheme}-list.png")
            browser.run("select(21)")
            browser.wait("state.details !== null")
            browser.run("showTab('Response')")
            browser.shot(f"{folder}/{name}-{scheme}-details.png")
    browser.size(1400, 800)


def many(browser, urlload, folder):
    path = os.path.join(folder, "large.har")
    with open(path, "w") as file:
        json.dump(archive(10_000), file)
    inspector = Inspector([urlload, "inspect", "--no-open", path])
    try:
        browser.size(1400, 800)
        browser.open(inspector.url)
        browser.wait("state.shown.length === 10000")
        paint = browser.run("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        frames = browser.run("""new Promise(done => {
          const times = []; let last = performance.now();
          const step = now => {
            times.push(now - last); last = now; $("scroll").scrollTop += 700;
            if (times.length < 120) requestAnimationFrame(step); else done(times.slice(3).sort((a, b) => a - b));
          };
          requestAnimationFrame(step);
        })""")
        nodes = browser.run("document.querySelectorAll('*').length")
        expect("the list is virtual", nodes < 2000)
        print(f"10,000 transfers: first paint {paint:.0f} ms, frames {frames[len(frames) // 2]:.1f} ms (median), "
              f"{frames[len(frames) * 95 // 100]:.1f} ms (95 %), the process {inspector.resident()} MiB, {nodes} nodes")
        expect("the process is small", inspector.resident() < 100)
    finally:
        inspector.end()


def main():
    (binary, urlload) = sys.argv[1:3]
    shots = sys.argv[4] if len(sys.argv) > 4 and sys.argv[3] == "--shots" else None
    browser = Browser(binary)
    try:
        with tempfile.TemporaryDirectory() as folder:
            live(browser, urlload)
            recorded(browser, urlload, folder, shots)
            many(browser, urlload, folder)
            imported(browser, urlload, folder)
    finally:
        browser.close()
    print("the inspector's page: all as it should be")


main()
