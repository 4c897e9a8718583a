"""An HTTP/2 server that breaks the rules on purpose, frame by frame (RFC 9113). Needs nothing but Python's standard library.

    python3 misbehaving-http2.py FOLDER

FOLDER has server.pem and server.key. Each misdeed has a port of its own, of 127.0.0.3 (where no other test's client looks for a server);
FOLDER/ports names them, a line each, and is there before FOLDER/pid is. A port's first request meets with the misdeed. Those after it are
answered well: with the number of the connection that they came over, and the RST_STREAM and GOAWAY frames that the client has sent so far.
"""

import os
import socket
import ssl
import struct
import sys
import threading

DATA, HEADERS, PRIORITY, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED = 1, 4, 8
ACK = 1


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value):
    """A field that enters no table (RFC 7541, 6.2.2)."""
    name = name if isinstance(name, bytes) else name.encode()
    value = value if isinstance(value, bytes) else value.encode()
    return b"\x00" + integer(len(name), 7) + name + integer(len(value), 7) + value


def integer(value, bits, first=0):
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    result = bytes([first | limit])
    value -= limit
    while value >= 128:
        result += bytes([value % 128 | 128])
        value //= 128
    return result + bytes([value])


def block(*fields):
    return b"".join(literal(name, value) for name, value in fields)


def number(value):
    return struct.pack(">I", value)


OK = (":status", "200")


class Connection:
    def __init__(self, port, ordinal, raw):
        self.port, self.ordinal, self.raw = port, ordinal, raw
        self.ended = set()
        self.is_silent = False

    def send(self, *frames):
        self.raw.sendall(b"".join(frames))

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.raw.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def next(self):
        """The next frame, noted if it speaks of an error."""
        head = self.read(9)
        length = int.from_bytes(head[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        payload = self.read(length)
        if kind == RST:
            self.port.note("RST_STREAM", struct.unpack(">I", payload)[0])
        elif kind == GOAWAY and struct.unpack(">I", payload[4:8])[0] != 0:
            self.port.note("GOAWAY", struct.unpack(">I", payload[4:8])[0])
        elif kind == SETTINGS and not flags & ACK and not self.is_silent:
            self.send(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self.send(frame(PING, ACK, 0, payload))
        if kind in (DATA, HEADERS) and flags & END_STREAM:
            self.ended.add(stream)
        return kind, flags, stream, payload

    def request(self):
        """The stream of the next request."""
        while True:
            kind, _, stream, _ = self.next()
            if kind == HEADERS:
                return stream

    def body(self, stream):
        """Reads a request to its end."""
        while stream not in self.ended:
            kind, _, which, payload = self.next()
            if kind == DATA and which == stream and payload:
                self.send(frame(WINDOW, 0, 0, number(len(payload))), frame(WINDOW, 0, stream, number(len(payload))))

    def answer(self, stream, text):
        data = text.encode()
        head = block(OK, ("content-length", str(len(data))))
        self.send(frame(HEADERS, END_HEADERS, stream, head), frame(DATA, END_STREAM, stream, data))


class Port:
    """One misdeed, and what came of it."""

    def __init__(self, name, act, tls):
        self.name, self.act, self.tls = name, act, tls
        self.lock = threading.Condition()
        self.events = []
        self.running = 0
        self.ordinal = 0
        self.done = False
        self.listener = socket.create_server(("127.0.0.3", 0), backlog=64)
        self.number = self.listener.getsockname()[1]

    def note(self, kind, code):
        with self.lock:
            self.events.append(f"{kind} {code}")

    def serve(self):
        while True:
            raw, _ = self.listener.accept()
            with self.lock:
                self.ordinal += 1
                self.running += 1
                ordinal = self.ordinal
            threading.Thread(target=self.run, args=(raw, ordinal), daemon=True).start()

    def run(self, raw, ordinal):
        try:
            raw.settimeout(600)
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.talk(Connection(self, ordinal, self.tls.wrap_socket(raw, server_side=True)))
        except (EOFError, OSError, ValueError):
            pass
        finally:
            raw.close()
            with self.lock:
                self.running -= 1
                self.lock.notify_all()

    def talk(self, connection):
        connection.read(24)
        connection.is_silent = not self.done and getattr(self.act, "is_first", False)
        if not connection.is_silent:
            connection.send(frame(SETTINGS, 0, 0, getattr(self.act, "settings", b"")))
        try:
            while True:
                stream = connection.request()
                if not self.done:
                    self.done = True
                    self.act(connection, stream)
                    continue
                connection.body(stream)
                with self.lock:
                    # What the client said on connections that are over is to be known.
                    self.lock.wait_for(lambda: self.running <= 1, timeout=300)
                    text = " ".join([str(connection.ordinal)] + self.events)
                connection.answer(stream, text)
        finally:
            try:
                connection.raw.unwrap()
            except (OSError, ValueError):
                pass
            connection.raw.close()


MISDEEDS = {}


def misdeed(act):
    MISDEEDS[act.__name__.replace("_", "-")] = act
    return act


def plain(name, *frames):
    """A misdeed that consists of frames alone; a number stands for the stream's."""

    def act(connection, stream):
        connection.send(*[make(stream) if callable(make) else make for make in frames])

    MISDEEDS[name] = act


def head(fields, flags=END_HEADERS | END_STREAM, raw=None):
    return lambda stream: frame(HEADERS, flags, stream, block(*fields) if raw is None else raw)


def data(content, flags=0):
    return lambda stream: frame(DATA, flags, stream, content)


def control(kind, payload=b"", flags=0, stream=0):
    return frame(kind, flags, stream, payload)


OPEN = head([OK], END_HEADERS)

# Malformed responses: 8.1.1, 8.2, 8.3.
plain("no-status", head([("a", "b")]))
plain("two-statuses", head([OK, OK]))
plain("status-of-letters", head([(":status", "abc")]))
plain("status-too-short", head([(":status", "20")]))
plain("request-pseudo-field", head([OK, (":path", "/")]))
plain("unknown-pseudo-field", head([OK, (":fancy", "1")]))
plain("late-pseudo-field", head([("a", "b"), OK]))
plain("uppercase-name", head([OK, ("Content-Type", "text/plain")]))
plain("empty-name", head([OK, ("", "x")]))
plain("space-in-name", head([OK, ("a b", "x")]))
plain("line-break-in-value", head([OK, ("a", "x\r\nset-cookie: a=b")]))
plain("nul-in-value", head([OK, ("a", b"x\x00y")]))
plain("space-before-value", head([OK, ("a", " x")]))
plain("connection-field", head([OK, ("connection", "keep-alive")]))
plain("transfer-encoding", head([OK, ("transfer-encoding", "chunked")], END_HEADERS), data(b"0\r\n\r\n", END_STREAM))
plain("upgrade-field", head([OK, ("upgrade", "h2c")]))
plain("switching-protocols", head([(":status", "101")], END_HEADERS))
plain("informational-end", head([(":status", "103")]))
plain("length-of-letters", head([OK, ("content-length", "many")]))
plain("two-lengths", head([OK, ("content-length", "1"), ("content-length", "2")], END_HEADERS), data(b"x", END_STREAM))
plain("body-too-short", head([OK, ("content-length", "10")], END_HEADERS), data(b"short", END_STREAM))
plain("body-too-long", head([OK, ("content-length", "3")], END_HEADERS), data(b"long", END_STREAM))
plain("no-body-of-length", head([OK, ("content-length", "3")]))
plain("body-before-head", data(b"body", END_STREAM))
plain("second-head", OPEN, head([OK]))
plain("trailers-in-the-middle", OPEN, data(b"x"), head([("a", "b")], END_HEADERS), data(b"y", END_STREAM))
plain("huge-head", lambda stream: huge(stream))
plain("window-of-stream-overflows", lambda stream: frame(WINDOW, 0, stream, number(0x7FFFFFFF)))
plain("window-of-stream-grows-by-nothing", lambda stream: frame(WINDOW, 0, stream, number(0)))


def huge(stream):
    """200 references to a field of 4000 bytes: little to send, much to keep."""
    entry = b"\x40" + integer(1, 7) + b"a" + integer(4000, 7) + b"b" * 4000
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, literal(*OK) + entry + b"\xbe" * 200)


# Resets and farewells: 5.4.2, 6.8, 8.7.
plain("refused", lambda stream: frame(RST, 0, stream, number(7)))
plain("reset", lambda stream: frame(RST, 0, stream, number(2)))
plain("refused-after-its-head", OPEN, lambda stream: frame(RST, 0, stream, number(7)))
plain("reset-without-error-in-the-body", OPEN, data(b"half"), lambda stream: frame(RST, 0, stream, number(0)))
plain("early-answer", head([OK], END_HEADERS), data(b"early", END_STREAM), lambda stream: frame(RST, 0, stream, number(0)))
plain("goes-away-unasked", control(GOAWAY, number(0) + number(0)))
plain("goes-away-angrily", control(GOAWAY, number(0) + number(11) + b"calm down"))


@misdeed
def goes_away_and_answers(connection, stream):
    connection.send(control(GOAWAY, number(stream) + number(0)))
    connection.answer(stream, "processed")


@misdeed
def goes_away_in_two_steps(connection, stream):
    connection.send(control(GOAWAY, number(0x7FFFFFFF) + number(0)), control(GOAWAY, number(0) + number(0)))


@misdeed
def breaks_off(connection, stream):
    connection.send(frame(HEADERS, END_HEADERS, stream, block(OK)), frame(DATA, 0, stream, b"half"), control(GOAWAY, number(stream) + number(2)))
    raise EOFError


@misdeed
def closes_without_a_word(connection, stream):
    raise EOFError


# What ends a connection: 4 to 6.
plain("push", lambda stream: frame(PUSH, END_HEADERS, stream, number(2) + block((":method", "GET"), (":path", "/"))))
plain("wants-to-be-pushed-to", control(SETTINGS, struct.pack(">HI", 2, 1)))
plain("frame-too-large", OPEN, lambda stream: frame(DATA, 0, stream, b"x" * 16385))
plain("corrupt-fields", head([], raw=b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
plain("unknown-index", head([], raw=b"\xbf"))
plain("huffman-without-end", head([], raw=b"\x00\x81\xff\x01x"))
plain("table-larger-than-allowed", head([], raw=integer(1 << 20, 5, 0x20) + b"\x88"))
plain("frame-on-an-idle-stream", frame(DATA, END_STREAM, 99, b"x"))
plain("stream-of-its-own", frame(HEADERS, END_HEADERS, 2, block(OK)))
plain("head-on-no-stream", frame(HEADERS, END_HEADERS, 0, block(OK)))
plain("data-on-no-stream", frame(DATA, 0, 0, b"x"))
plain("data-behind-the-end", head([OK], END_HEADERS), data(b"", END_STREAM), data(b"more"))
plain("settings-on-a-stream", lambda stream: frame(SETTINGS, 0, stream))
plain("settings-of-half-a-setting", control(SETTINGS, b"\x00\x04\x00"))
plain("acknowledgement-with-settings", control(SETTINGS, struct.pack(">HI", 4, 1), ACK))
plain("window-setting-too-large", control(SETTINGS, struct.pack(">HI", 4, 0x80000000)))
plain("frame-size-too-small", control(SETTINGS, struct.pack(">HI", 5, 100)))
plain("short-ping", control(PING, b"1234567"))
plain("ping-on-a-stream", lambda stream: frame(PING, 0, stream, b"12345678"))
plain("short-reset", lambda stream: frame(RST, 0, stream, b"12"))
plain("reset-of-an-idle-stream", frame(RST, 0, 99, number(0)))
plain("short-farewell", control(GOAWAY, b"1234"))
plain("farewell-taken-back", control(GOAWAY, number(1) + number(0)), control(GOAWAY, number(3) + number(0)))
plain("short-window", control(WINDOW, b"12"))
plain("window-overflows", control(WINDOW, number(0x7FFFFFFF)))
plain("window-grows-by-nothing", control(WINDOW, number(0)))
plain("padding-longer-than-frame", OPEN, data(b"\x09abc", PADDED))
plain("ping-amid-a-head", head([OK], 0), control(PING, b"12345678"))
plain("continuation-of-nothing", lambda stream: frame(CONTINUATION, END_HEADERS, stream, block(OK)))
plain("continuation-on-another-stream", head([OK], 0), lambda stream: frame(CONTINUATION, END_HEADERS, stream + 2, b""))


@misdeed
def speaks_first_of_something_else(connection, stream):
    connection.send(control(PING, b"12345678"))


@misdeed
def speaks_http1(connection, stream):
    connection.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


speaks_first_of_something_else.is_first = True
speaks_http1.is_first = True

# Floods: 10.5.
plain("flood-of-pings", control(PING, b"12345678") * 10000)
plain("flood-of-settings", control(SETTINGS) * 10000)
plain("flood-of-priorities", lambda stream: frame(PRIORITY, 0, stream, b"\x00\x00\x00\x00\x10") * 10000)
plain("flood-of-windows", control(WINDOW, number(1)) * 10000)
plain("flood-of-nothing", OPEN, lambda stream: frame(DATA, 0, stream) * 10000)
plain("flood-of-the-unknown", frame(0xEE, 0, 0, b"?") * 10000)
plain("flood-of-continuations", head([OK], 0), lambda stream: frame(CONTINUATION, 0, stream, b"\x88" * 100) * 10000)
plain("flood-of-empty-continuations", head([OK], 0), lambda stream: frame(CONTINUATION, 0, stream) * 10000)


@misdeed
def flood_of_informational_heads(connection, stream):
    # Each is well-formed, but there is no end to them.
    connection.send(frame(HEADERS, END_HEADERS, stream, block((":status", "103"))) * 10000)


# Unusual, and allowed: what a client has to bear.
plain("unknown-frames", frame(0xEE, 0xFF, 0, b"?"), lambda stream: frame(0xEE, 1, stream, b"?"), OPEN, data(b"fine", END_STREAM))
plain("unknown-setting", control(SETTINGS, struct.pack(">HI", 0xEEEE, 7)), OPEN, data(b"fine", END_STREAM))
plain("padding", head([], END_HEADERS | PADDED, b"\x03" + block(OK) + b"\0\0\0"), data(b"\x05fine" + b"\0" * 5, PADDED | END_STREAM))
plain("trailers", OPEN, data(b"fine"), head([("a", "b")]))
plain("many-hints", head([(":status", "103"), ("link", "</a>")], END_HEADERS), head([(":status", "103")], END_HEADERS), OPEN, data(b"fine", END_STREAM))
plain("head-in-many-frames", head([OK], 0), lambda stream: frame(CONTINUATION, 0, stream, block(("a", "b"))) * 20
      + frame(CONTINUATION, END_HEADERS, stream, b""), data(b"fine", END_STREAM))


@misdeed
def one_byte_at_a_time(connection, stream):
    for byte in frame(HEADERS, END_HEADERS, stream, block(OK)) + frame(DATA, END_STREAM, stream, b"fine"):
        connection.send(bytes([byte]))


@misdeed
def window_of_nothing(connection, stream):
    """Takes a body a few bytes at a time. Some may have been sent before the client knew of it (6.9.2)."""
    received, allowed, step = 0, 1, 1
    connection.send(frame(WINDOW, 0, stream, number(allowed)))
    while stream not in connection.ended:
        kind, _, which, payload = connection.next()
        if kind != DATA or not payload or stream in connection.ended:
            continue
        received += len(payload)
        step = min(step * 3, 5000)
        connection.send(frame(WINDOW, 0, 0, number(len(payload))))
        if received + step > allowed:
            connection.send(frame(WINDOW, 0, stream, number(received + step - allowed)))
            allowed = received + step
    connection.send(frame(HEADERS, END_HEADERS, stream, block(OK)), frame(DATA, END_STREAM, stream, b"fine"))


window_of_nothing.settings = struct.pack(">HI", 4, 0)


def main(folder):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    tls.set_alpn_protocols(["h2"])
    ports = [Port(name, act, tls) for name, act in MISDEEDS.items()]
    for port in ports:
        threading.Thread(target=port.serve, daemon=True).start()
    with open(os.path.join(folder, "ports"), "w") as file:
        file.writelines(f"{port.name} {port.number}\n" for port in ports)
    with open(os.path.join(folder, "pid.new"), "w") as file:
        file.write(str(os.getpid()))
    os.rename(os.path.join(folder, "pid.new"), os.path.join(folder, "pid"))
    threading.Event().wait()


main(sys.argv[1])
