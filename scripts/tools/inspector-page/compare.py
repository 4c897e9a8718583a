"""The same loads in urlload's archive and in that of Chromium's network panel: compare.py CHROMIUM URLLOAD [--all]

Fails if a field differs that Documentation/inspector.md doesn't name; --all prints every difference."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from browser import Browser
from servers import Servers

# The loads, by the path of their URLs. The last are made at once, over HTTP/2.
PARALLEL = [f"part{number}" for number in range(6)]
PATHS = ["redirected", "text", "fresh", "checked", "packed", "posted", "uploaded", "refused", "echo", "held"] + PARALLEL

# Fields that may differ, by the loads where they do: Documentation/inspector.md says why.
EXPLAINED = {
    "request.headers": PATHS, "request.headersSize": PATHS, "connection": PATHS, "response.content.compression": PATHS,
    "_priority": PATHS, "pageref": PATHS, "response._fetchedViaServiceWorker": PATHS,
    "serverIPAddress": ["fresh", "refused", "echo", "held"],
    "request.httpVersion": ["fresh", "refused", "held"] + PARALLEL,
    "response.httpVersion": ["fresh", "refused", "held"] + PARALLEL,
    "response.headers": ["fresh"],
    "response.headersSize": PARALLEL,
    "response.bodySize": ["redirected", "packed", "echo"] + PARALLEL,
    "response._transferSize": ["redirected", "packed", "echo"] + PARALLEL,
    "response.content.size": ["checked"], "response.content.mimeType": ["checked"],
    "response._error": ["refused", "held"],
    "timings": ["refused", "echo", "held"],
}


def expect(what, condition):
    if not condition:
        raise AssertionError(what)


def archive_of_urlload(urlload, servers):
    """Several commands, as their options differ."""
    folder = servers.folder
    environment = {**os.environ, "URL_LOADING_SYSTEM_HOME": f"{folder}/home", "URL_LOADING_INSPECT": ""}
    entries = []

    def read(path):
        with open(path) as file:
            entries.extend(json.load(file)["log"]["entries"])

    def load(*words):
        path = f"{folder}/{len(entries)}.har"
        subprocess.run([urlload, "-q", "-s", "--har", path, *words], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=120, check=False)
        read(path)

    load("-L", servers.url("redirected"))
    load("--cache", servers.url("fresh"), servers.url("fresh"))
    load("--cache", servers.url("checked"), servers.url("checked"))
    load("--compressed", servers.url("packed"))
    load("--data-raw", "a=1", servers.url("posted"))
    load("-T", f"{folder}/documents/text", servers.url("uploaded"))
    load(servers.url("refused", "untrusted"))
    path = f"{folder}/echo.har"
    subprocess.run([urlload, "ws", servers.url("echo").replace("http", "ws")], input="hello\n", text=True, timeout=120, check=False,
                   env={**environment, "URL_LOADING_INSPECT": path}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    read(path)
    path = f"{folder}/held.har"
    # A shell without job control has what it runs beside itself ignore the signal.
    process = subprocess.Popen(["env", "--default-signal=INT", urlload, "-q", "-s", "--har", path, servers.url("held")], env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    servers.held.acquire(timeout=60)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    read(path)
    load("--cacert", f"{folder}/trusted.pem", "-Z", "--output-dir", f"{folder}/parts", "--create-dirs", "-O",
         *[servers.url(path, "http2") for path in PARALLEL])
    return entries


def archive_of_chromium(binary, servers):
    browser = Browser(binary, "--remote-debugging-port=0", "--remote-allow-origins=*",
                      "--ignore-certificate-errors-spki-list=" + servers.key_hash)
    try:
        page = browser.session
        try:
            panel = browser.panel()
        except (RuntimeError, TimeoutError, OSError) as error:
            print("skipped: this Chromium's network panel can't be asked:", str(error)[:100])
            return None
        entries = []
        for server, script in [("plain", PLAIN_LOADS), ("http2", PARALLEL_LOADS)]:
            browser.session = page
            browser.visit(servers.url("page", server))
            # The panel empties its log when it hears of another page.
            browser.session = panel
            browser.wait(f"{SHOWN} === {json.dumps(servers.url('page', server))}")
            browser.session = page
            browser.run(script % {"untrusted": servers.url("refused", "untrusted")})
            browser.session = panel
            browser.wait(COMPLETE[server])
            entries += json.loads(browser.run(BUILD))["entries"]
        # Its request that isn't answered.
        servers.held.acquire(timeout=60)
        return entries
    finally:
        browser.close()


PLAIN_LOADS = """(async () => {
  const get = async (path, options) => (await fetch(path, options)).text();
  await get("/redirected");
  await get("/fresh"); await get("/fresh");
  await get("/checked"); await get("/checked");
  await get("/packed");
  await get("/posted", { method: "POST", body: "a=1", headers: { "Content-Type": "application/x-www-form-urlencoded" } });
  await get("/uploaded", { method: "PUT", body: new Blob([await get("/text", { cache: "no-store" })]) });
  await fetch("%(untrusted)s", { mode: "no-cors" }).catch(() => null);
  const socket = new WebSocket("/echo");
  socket.onopen = () => socket.send("hello");
  await new Promise(done => { socket.onmessage = done; });
  socket.close();
  await new Promise(done => { socket.onclose = done; });
  await fetch("/held", { signal: AbortSignal.timeout(1000) }).catch(() => null);
})()"""
PARALLEL_LOADS = "Promise.all([0, 1, 2, 3, 4, 5].map(number => fetch('/part' + number).then(answer => answer.text())))"
SHOWN = "panel.sdk.TargetManager.TargetManager.instance().primaryPageTarget().model(panel.sdk.ResourceTreeModel.ResourceTreeModel).mainFrame?.url"
REQUESTS = "panel.logs.NetworkLog.NetworkLog.instance().requests()"
# The panel hears of what the page has done a little later.
COMPLETE = {
    "plain": REQUESTS + ".some(request => request.url().endsWith('/held') && request.failed)",
    "http2": REQUESTS + ".filter(request => request.url().includes('/part') && request.finished).length === 6",
}
BUILD = f"panel.har.Log.Log.build({REQUESTS}, {{ sanitize: false }}).then(log => JSON.stringify(log))"


def chosen(entries):
    """Lists of entries by load; a path that was loaded for another's sake, such as a redirect's target, is told by its place."""
    loads = {path: [] for path in PATHS}
    for entry in entries:
        path = entry["request"]["url"].split("?")[0].rsplit("/", 1)[1]
        if path in loads:
            loads[path].append(entry)
    return loads


def facts(entry):
    """What is compared, by field."""
    def names(fields):
        return sorted(field["name"].lower() for field in fields)

    result = {}
    for part in ["request", "response"]:
        for name, value in entry[part].items():
            if name == "headers":
                value = names(value)
            elif name == "content":
                result.update({f"response.content.{key}": each for key, each in value.items() if key not in ("text", "encoding")})
                continue
            elif name == "cookies":
                value = names(value)
            elif name == "url":
                value = value.rsplit("/", 1)[1]
            elif name == "postData":
                result.update({f"request.postData.{key}": value.get(key) for key in ("mimeType", "text")})
                continue
            result[f"{part}.{name}"] = value
    for name in ["serverIPAddress", "_resourceType", "_fromCache", "connection", "pageref", "_priority"]:
        result[name] = entry.get(name)
    result["timings"] = sorted(name for name, value in entry["timings"].items()
                               if value >= 0 and not name.startswith("_") and name not in ("dns", "connect", "ssl"))
    result["messages"] = [(message["type"], message["opcode"], message["data"]) for message in entry.get("_webSocketMessages", [])]
    return result


def main():
    (binary, urlload) = sys.argv[1:3]
    if not shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin"):
        print("skipped: nginx isn't installed, so archives aren't compared with Chromium's")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Servers(folder) as servers:
        theirs = archive_of_chromium(binary, servers)
        if theirs is None:
            return
        own, other = chosen(archive_of_urlload(urlload, servers)), chosen(theirs)
    surprises = []
    for path in PATHS:
        expect(f"{path} is in both", own[path] and other[path])
        for ours, theirs in zip(own[path], other[path], strict=False):
            (ours, theirs) = (facts(ours), facts(theirs))
            for field in sorted(ours.keys() | theirs.keys()):
                if ours.get(field) == theirs.get(field):
                    continue
                line = f"{path}: {field}: {ours.get(field)} here, {theirs.get(field)} in Chromium"
                if path not in EXPLAINED.get(field, []):
                    surprises.append(line)
                if "--all" in sys.argv:
                    print(line)
    expect("differences that aren't explained:\n" + "\n".join(surprises), not surprises)
    for entries in [own, other]:
        expect("streams share a connection", len({entries[path][0]["connection"] for path in PARALLEL}) == 1)
        names = [field["name"] for field in entries["part0"][0]["request"]["headers"]]
        expect(f"fields of HTTP/2 are those that are sent: {names}", {":method", ":scheme", ":authority", ":path"} <= set(names))
        expect(f"no field of connections is among them: {names}", "connection" not in names and "host" not in names)
    print(f"archives: {len(PATHS)} loads as Chromium's own has them, but for what is explained")


main()
