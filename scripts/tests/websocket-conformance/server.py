"""The Autobahn test suite's fuzzing server on Python 3: server.py SUITE REPORTS [CASES…].

Prints its port on a line of its own when it listens, and ends when a client asks for `/stopServer`.
"""

import binascii
import json
import os
import socket
import sys
import types

suite, reports, cases = sys.argv[1], sys.argv[2], sys.argv[3:] or ["*"]
sys.path.insert(0, suite)


def encoded(data):
    return data.encode("latin-1") if isinstance(data, str) else data


def decoded(data):
    return data.decode("latin-1") if isinstance(data, (bytes, bytearray)) else data


_hex = binascii.b2a_hex
binascii.b2a_hex = lambda data, *rest: _hex(encoded(data), *rest).decode("ascii")

# The suite asks it for the place of its own files only.
resources = types.ModuleType("pkg_resources")
resources.resource_filename = lambda package, name: os.path.join(suite, package, name)
resources.resource_string = lambda package, name: open(os.path.join(suite, package, name), "rb").read()
sys.modules["pkg_resources"] = resources

# Reports are read by a program here; pages aren't needed.
pages = types.ModuleType("autobahntestsuite.report")
pages.CSS_COMMON = pages.CSS_DETAIL_REPORT = pages.CSS_MASTER_REPORT = pages.JS_MASTER_REPORT = ""
sys.modules["autobahntestsuite.report"] = pages

import txaio  # noqa: E402

txaio.use_twisted()

from autobahn.websocket import utf8validator  # noqa: E402


class Validator(utf8validator.Utf8Validator):
    def validate(self, data):
        return super().validate(encoded(data))


utf8validator.Utf8Validator = Validator

from twisted.internet import reactor  # noqa: E402
from autobahn.twisted.websocket import WebSocketServerProtocol  # noqa: E402
from autobahntestsuite import fuzzing  # noqa: E402
from autobahntestsuite.case import Case  # noqa: E402


def text_of(data, maxlen=64, replace=False):
    data = encoded(data)
    try:
        shown = data[:maxlen] + b" ..." if len(data) > maxlen - 4 else data
        return shown.decode("utf8", errors="replace" if replace else "strict")
    except UnicodeDecodeError:
        return "0x" + bytes_of(data, maxlen)


def bytes_of(data, maxlen=64):
    data = encoded(data)
    return _hex(data[:maxlen]).decode("ascii") + (" ..." if len(data) > maxlen - 4 else "")


fuzzing.asciiLogData = text_of
fuzzing.binLogData = bytes_of


class Protocol(fuzzing.FuzzingServerProtocol):
    """Strings above, bytes below."""

    def is_raw(self):
        # The cases on compression read their data from files, as bytes.
        return hasattr(self.runCase, "TESTDATA")

    def sendFrame(self, opcode, payload=b"", fin=True, rsv=0, mask=None, payload_len=None, chopsize=None, sync=False):
        payload = encoded(payload)
        if payload_len is not None:
            payload = (payload * (payload_len // len(payload) + 1))[:payload_len]
        WebSocketServerProtocol.sendFrame(self, opcode, payload, fin, rsv, encoded(mask), None, chopsize, sync)

    def sendMessage(self, payload, isBinary=False, *rest, **named):
        WebSocketServerProtocol.sendMessage(self, encoded(payload), isBinary, *rest, **named)

    def sendMessageFrameData(self, payload, sync=False):
        return WebSocketServerProtocol.sendMessageFrameData(self, encoded(payload), sync)

    def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
        WebSocketServerProtocol.sendCloseFrame(self, code, encoded(reasonUtf8), isReply)

    def onMessage(self, payload, isBinary):
        super().onMessage(payload if self.is_raw() else decoded(payload), isBinary)

    def onPing(self, payload):
        WebSocketServerProtocol.onPing(self, payload)

    def onPong(self, payload):
        super().onPong(decoded(payload))

    def logRxFrame(self, frameHeader, payload):
        super().logRxFrame(frameHeader, [decoded(piece) for piece in payload])


class Factory(fuzzing.FuzzingServerFactory):
    protocol = Protocol

    def createReports(self, produceHtml=True, produceJson=True):
        os.makedirs(self.outdir, exist_ok=True)
        kept = ("behavior", "behaviorClose", "result", "resultClose", "duration", "remoteCloseCode")
        found = {
            agent: {case: {key: result[key] for key in kept} for case, result in results.items()}
            for agent, results in self.agents.items()
        }
        with open(os.path.join(self.outdir, "index.json"), "w") as file:
            json.dump({"cases": self.specCases, "agents": found}, file, indent=1)


# Pickles of equal values may differ in Python 3.
Case.compare = lambda self, left, right: left == right

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(64)
listener.setblocking(False)
port = listener.getsockname()[1]
factory = Factory({"url": "ws://127.0.0.1:%d" % port, "outdir": reports, "cases": cases, "exclude-cases": [], "exclude-agent-cases": {}})
reactor.adoptStreamPort(listener.fileno(), socket.AF_INET, factory)
print("\nport %d" % port, flush=True)
reactor.run()
