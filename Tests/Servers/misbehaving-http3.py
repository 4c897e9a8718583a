"""An HTTP/3 server that breaks the rules on purpose, frame by frame (RFC 9000, 9114, 9204). Needs aioquic 1.x.

    python3 misbehaving-http3.py FOLDER

FOLDER has server.pem and server.key. Each misdeed has a UDP port of its own, of 127.0.0.3 (where no other test's client looks for a server);
FOLDER/ports names them, a line each, and is there before FOLDER/pid is. A port's first request meets with the misdeed. Those after it are
answered well: with the number of the connection that they came over, and what the client has said of errors so far: RESET_STREAM,
STOP_SENDING, CONNECTION_CLOSE (of QUIC) and APPLICATION_CLOSE (of HTTP/3), with their codes in hexadecimal.
"""

import asyncio
import os
import sys

import aioquic.asyncio.server
from aioquic import tls
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic import events
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.packet import QuicFrameType, QuicPacketType
from aioquic.quic.packet_builder import QuicPacketBuilderStop

DATA, HEADERS, CANCEL_PUSH, SETTINGS, PUSH_PROMISE, GOAWAY, MAX_PUSH_ID = 0, 1, 3, 4, 5, 7, 13
CONTROL, PUSH, ENCODER, DECODER = 0, 1, 2, 3
NO_ERROR, INTERNAL_ERROR, REJECTED = 0x100, 0x102, 0x10B


def number(value):
    """RFC 9000, 16."""
    for bits, first in ((6, 0), (14, 1), (30, 2), (62, 3)):
        if value < 1 << bits:
            return (first << bits | value).to_bytes((bits + 2) // 8, "big")
    raise ValueError(value)


def prefixed(value, bits, first=0):
    """RFC 7541, 5.1."""
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    result = bytes([first | limit])
    value -= limit
    while value >= 128:
        result += bytes([value % 128 | 128])
        value //= 128
    return result + bytes([value])


def frame(kind, payload=b""):
    return number(kind) + number(len(payload)) + payload


def literal(name, value):
    """A field that enters no table (RFC 9204, 4.5.6)."""
    name = name if isinstance(name, bytes) else name.encode()
    value = value if isinstance(value, bytes) else value.encode()
    return prefixed(len(name), 3, 0x20) + name + prefixed(len(value), 7) + value


def section(*fields):
    return b"\0\0" + b"".join(literal(name, value) for name, value in fields)


def head(*fields):
    return frame(HEADERS, section(*fields))


def data(content):
    return frame(DATA, content)


OK = (":status", "200")
OPEN = head(OK)


class RawConnection(QuicConnection):
    """Sends frames as they are, each in a packet of its own."""

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.raw = []
        self.told = lambda kind, code: None

    def _write_application(self, builder, network_path, now):
        crypto = self._cryptos[tls.Epoch.ONE_RTT]
        try:
            while self.raw and crypto.send.is_valid():
                kind, payload = self.raw[0]
                builder.start_packet(QuicPacketType.ONE_RTT, crypto)
                builder.start_frame(kind, capacity=len(payload) + 8).push_bytes(payload)
                self.raw.pop(0)
        except QuicPacketBuilderStop:
            pass
        super()._write_application(builder, network_path, now)

    def _handle_connection_close_frame(self, context, frame_type, buf):
        super()._handle_connection_close_frame(context, frame_type, buf)
        kind = "APPLICATION_CLOSE" if frame_type == QuicFrameType.APPLICATION_CLOSE else "CONNECTION_CLOSE"
        self.told(kind, self._close_event.error_code)


aioquic.asyncio.server.QuicConnection = RawConnection


class Connection(QuicConnectionProtocol):
    """One connection of a port. Misdeeds call its functions; what they write goes out together."""

    def __init__(self, port, *arguments, **more):
        super().__init__(*arguments, **more)
        self.port = port
        port.ordinal += 1
        self.ordinal = port.ordinal
        # A client may break off before its request has come.
        port.is_done = port.is_done or self.ordinal > 1 and hasattr(port.act, "begin")
        self.is_over = False
        self.control = self.encoder = self.decoder = None
        self.begun = set()
        port.connections.append(self)
        self._quic.told = self.told

    # What misdeeds are made of.

    def write(self, stream, content, end=False):
        self._quic.send_stream_data(stream, content, end)

    def raw(self, kind, payload=b""):
        self._quic.raw.append((kind, payload))

    def raw_stream(self, stream, offset, content=b"", end=False):
        """A STREAM frame, whatever went before it on the stream."""
        self.raw(0x0E | end, number(stream) + number(offset) + number(len(content)) + content)

    def open(self, kind=None, content=b""):
        """A stream of one direction, which begins with its type."""
        stream = self._quic.get_next_available_stream_id(is_unidirectional=True)
        self.write(stream, (b"" if kind is None else number(kind)) + content)
        return stream

    def reset(self, stream, code):
        self._quic.reset_stream(stream, code)

    def stop(self, stream, code):
        self._quic.stop_stream(stream, code)

    def answer(self, stream, text):
        content = text.encode()
        self.write(stream, head(OK, ("content-length", str(len(content)))) + data(content), True)

    # The rest.

    def told(self, kind, code):
        self.is_over = True
        if (kind, code) not in (("APPLICATION_CLOSE", NO_ERROR), ("CONNECTION_CLOSE", 0)):
            self.port.note(kind, code)
        self.port.changed.set()

    def quic_event_received(self, event):
        if isinstance(event, events.HandshakeCompleted):
            is_first = self.ordinal == 1
            begin = getattr(self.port.act, "begin", None) if is_first else None
            (begin or Connection.begin)(self)
            self.transmit()
        elif isinstance(event, events.StreamDataReceived) and event.stream_id % 4 == 0 and event.stream_id not in self.begun:
            # The misdeed meets with a request's head, whatever follows it.
            if event.end_stream or not self.port.is_done:
                self.begun.add(event.stream_id)
                self.serve(event.stream_id)
        elif isinstance(event, events.StreamReset):
            self.port.note("RESET_STREAM", event.error_code)
        elif isinstance(event, events.StopSendingReceived):
            self.port.note("STOP_SENDING", event.error_code)
        elif isinstance(event, events.ConnectionTerminated):
            self.is_over = True
            self.port.changed.set()

    def begin(self, settings=b""):
        self.control = self.open(CONTROL, frame(SETTINGS, settings))
        self.encoder = self.open(ENCODER)
        self.decoder = self.open(DECODER)

    def serve(self, stream):
        if not self.port.is_done:
            self.port.is_done = True
            self.port.act(self, stream)
            self.transmit()
        else:
            task = asyncio.ensure_future(self.answer_well(stream))
            self.port.tasks.add(task)
            task.add_done_callback(self.port.tasks.discard)

    async def answer_well(self, stream):
        # What the client said on connections that are over is to be known.
        for _ in range(200):
            if all(other.is_over or other is self for other in self.port.connections):
                break
            self.port.changed.clear()
            try:
                await asyncio.wait_for(self.port.changed.wait(), 0.05)
            except asyncio.TimeoutError:
                pass
        self.answer(stream, " ".join([str(self.ordinal)] + self.port.events))
        self.transmit()


class Port:
    """One misdeed, and what came of it."""

    def __init__(self, name, act):
        self.name, self.act = name, act
        self.connections, self.events, self.tasks = [], [], set()
        self.ordinal = 0
        self.is_done = False
        self.changed = asyncio.Event()

    def note(self, kind, code):
        self.events.append(f"{kind} {code:x}")

    async def serve(self, configuration):
        server = await aioquic.asyncio.server.serve(
            "127.0.0.3", 0, configuration=configuration, create_protocol=lambda *arguments, **more: Connection(self, *arguments, **more))
        self.number = server._transport.get_extra_info("sockname")[1]


MISDEEDS = {}


def misdeed(act):
    MISDEEDS[act.__name__.replace("_", "-")] = act
    return act


def beginning(begin):
    """A misdeed that is done before the first request, which is answered well."""

    def act(connection, stream):
        connection.answer(stream, "fine")

    act.begin = begin
    MISDEEDS[begin.__name__.replace("_", "-")] = act
    return begin


def reply(name, *frames, end=True):
    """A misdeed that consists of frames on the request's stream."""
    MISDEEDS[name] = lambda connection, stream: connection.write(stream, b"".join(frames), end)


def control(name, *frames, answers=False):
    """Frames on the control stream; a good answer follows where a client may bear them."""

    def act(connection, stream):
        connection.write(connection.control, b"".join(frames))
        if answers:
            connection.answer(stream, "fine")

    MISDEEDS[name] = act


def encoder(name, content):
    MISDEEDS[name] = lambda connection, stream: connection.write(connection.encoder, content)


def decoder(name, content):
    MISDEEDS[name] = lambda connection, stream: connection.write(connection.decoder, content)


def packets(name, *frames):
    """Frames of QUIC; what a number stands for may depend on connection and stream."""

    def act(connection, stream):
        for kind, payload in frames:
            connection.raw(kind, payload(connection, stream) if callable(payload) else payload)

    MISDEEDS[name] = act


# Malformed responses: RFC 9114, 4.1.2, 4.2, 4.3.
reply("no-status", head(("a", "b")))
reply("two-statuses", head(OK, OK))
reply("status-of-letters", head((":status", "abc")))
reply("status-too-short", head((":status", "20")))
reply("request-pseudo-field", head(OK, (":path", "/")))
reply("unknown-pseudo-field", head(OK, (":fancy", "1")))
reply("late-pseudo-field", head(("a", "b"), OK))
reply("uppercase-name", head(OK, ("Content-Type", "text/plain")))
reply("empty-name", head(OK, ("", "x")))
reply("space-in-name", head(OK, ("a b", "x")))
reply("line-break-in-value", head(OK, ("a", "x\r\nset-cookie: a=b")))
reply("nul-in-value", head(OK, ("a", b"x\x00y")))
reply("connection-field", head(OK, ("connection", "keep-alive")))
reply("transfer-encoding", head(OK, ("transfer-encoding", "chunked")), data(b"0\r\n\r\n"))
reply("upgrade-field", head(OK, ("upgrade", "h2c")))
reply("switching-protocols", head((":status", "101")))
reply("informational-end", head((":status", "103")))
reply("length-of-letters", head(OK, ("content-length", "many")))
reply("two-lengths", head(OK, ("content-length", "1"), ("content-length", "2")), data(b"x"))
reply("body-too-short", head(OK, ("content-length", "10")), data(b"short"))
reply("body-too-long", head(OK, ("content-length", "3")), data(b"long"))
reply("no-body-of-length", head(OK, ("content-length", "3")))
reply("status-in-trailers", OPEN, data(b"x"), head(OK))
reply("huge-head", head(OK, *[(f"a{n}", "b" * 4000) for n in range(200)]))
reply("nothing-at-all")

# Sections without end: the frame's length promises more than will ever come. 10.5.1.
ENDLESS = number(HEADERS) + number(1 << 40)
FLOOD = literal("a", "b" * 1000) * 4000
reply("head-without-end", ENDLESS + b"\0\0" + literal(*OK) + FLOOD, end=False)
reply("trailers-without-end", OPEN, data(b"x"), ENDLESS + b"\0\0" + FLOOD, end=False)
reply("hint-without-end", ENDLESS + b"\0\0" + literal(":status", "103") + FLOOD, end=False)
reply("malformed-head-without-end", ENDLESS + b"\0\0" + literal(":fancy", "1") + FLOOD, end=False)
# Fields that are none, and that nghttp3 leaves out.
reply("head-of-nothing-without-end", ENDLESS + b"\0\0" + literal(*OK) + literal("", "b" * 1000) * 4000, end=False)
reply("trailers-of-nothing-without-end", OPEN, data(b"x"), ENDLESS + b"\0\0" + literal("", "b" * 1000) * 4000, end=False)
# More than nghttp3 takes for one value.
reply("value-without-end", frame(HEADERS, b"\0\0" + literal(*OK) + literal("a", "b" * 100_000)), end=False)

# Frames where they don't belong: 4.1, 7.2.
reply("body-before-head", data(b"body"))
reply("body-behind-trailers", OPEN, data(b"x"), head(("a", "b")), data(b"y"))
reply("head-behind-trailers", OPEN, data(b"x"), head(("a", "b")), head(("a", "b")))
reply("settings-on-a-request", frame(SETTINGS), OPEN)
reply("farewell-on-a-request", frame(GOAWAY, number(0)), OPEN)
reply("largest-push-on-a-request", frame(MAX_PUSH_ID, number(0)), OPEN)
reply("cancelled-push-on-a-request", frame(CANCEL_PUSH, number(0)), OPEN)
reply("priority-of-http2", frame(2, b"\0\0\0\0\x10"), OPEN)
reply("ping-of-http2", frame(6, b"12345678"), OPEN)
reply("window-of-http2", frame(8, b"\0\0\0\1"), OPEN)
reply("continuation-of-http2", frame(9, section(OK)), OPEN)
reply("promise", frame(PUSH_PROMISE, number(0) + section((":method", "GET"), (":path", "/"))), OPEN)
reply("frame-without-its-end", OPEN, number(DATA) + number(100) + b"half")
reply("head-without-its-end", number(HEADERS) + number(100) + b"\0\0")
control("body-on-control", data(b"x"))
control("head-on-control", OPEN)
control("second-settings", frame(SETTINGS))
control("largest-push-of-a-server", frame(MAX_PUSH_ID, number(1)))
control("cancels-a-push-that-was-never-promised", frame(CANCEL_PUSH, number(7)))
control("farewell-to-its-own-stream", frame(GOAWAY, number(1)))
control("farewell-taken-back", frame(GOAWAY, number(4)), frame(GOAWAY, number(8)))
control("farewell-of-nothing", frame(GOAWAY))
control("farewell-longer-than-its-number", frame(GOAWAY, number(4) + b"more"), answers=True)

# Settings: 7.2.4.


def settings(name, content):
    def begin(connection):
        connection.begin(content)

    begin.__name__ = name
    beginning(begin)


settings("setting-twice", number(6) + number(1000) + number(6) + number(1000))
settings("setting-of-http2", number(2) + number(0))
settings("window-setting-of-http2", number(4) + number(65535))
settings("half-a-setting", number(6) + b"\x40")


@beginning
def speaks_before_its_settings(connection):
    connection.open(CONTROL, frame(GOAWAY, number(0)))


# Critical streams and the others of one direction: 6.2.
@misdeed
def control_ends(connection, stream):
    connection.write(connection.control, b"", True)


@misdeed
def control_is_reset(connection, stream):
    connection.reset(connection.control, INTERNAL_ERROR)


@beginning
def control_ends_with_its_type(connection):
    connection.write(connection.open(CONTROL), b"", True)


@misdeed
def encoder_ends(connection, stream):
    connection.write(connection.encoder, b"", True)


@misdeed
def encoder_is_reset(connection, stream):
    connection.reset(connection.encoder, INTERNAL_ERROR)


@misdeed
def decoder_is_reset(connection, stream):
    connection.reset(connection.decoder, INTERNAL_ERROR)


@misdeed
def decoder_ends(connection, stream):
    connection.write(connection.decoder, b"", True)


@misdeed
def stops_clients_control(connection, stream):
    connection.stop(2, INTERNAL_ERROR)


@misdeed
def second_control(connection, stream):
    connection.open(CONTROL, frame(SETTINGS))


@misdeed
def second_encoder(connection, stream):
    connection.open(ENCODER)


@misdeed
def second_decoder(connection, stream):
    connection.open(DECODER)


@misdeed
def push_stream(connection, stream):
    connection.open(PUSH, number(0) + OPEN)


# QPACK: RFC 9204, 2.2, 4.
reply("unknown-index", frame(HEADERS, b"\0\0" + prefixed(99, 6, 0xC0)))
reply("index-into-an-empty-table", frame(HEADERS, b"\0\0\x80"))
reply("needs-more-than-can-be", frame(HEADERS, b"\xff\xff\xff\xff\x7f\0\x80"))
reply("huffman-without-end", frame(HEADERS, b"\0\0\x21a\x81\xff"))
reply("section-without-its-end", frame(HEADERS, b"\0\0\x27\xff"))
encoder("table-larger-than-allowed", prefixed(1 << 24, 5, 0x20))
encoder("copies-what-is-not-there", b"\x05")
encoder("names-what-is-not-there", prefixed(5, 6, 0x80) + b"\1x")
encoder("entry-larger-than-its-table", prefixed(32, 5, 0x20) + prefixed(20, 5, 0x40) + b"n" * 20 + b"\x05value")
encoder("entry-without-end", prefixed(100, 5, 0x20) + prefixed(1 << 40, 5, 0x40))
decoder("acknowledges-no-section", prefixed(0, 7, 0x80))
decoder("knows-of-entries-never-sent", prefixed(60, 6))
decoder("knows-of-nothing-more", prefixed(0, 6))

@misdeed
def base_below_nothing(connection, stream):
    connection.write(connection.encoder, prefixed(220, 5, 0x20) + prefixed(4, 5, 0x40) + b"name" + prefixed(5, 7) + b"value")
    connection.write(stream, frame(HEADERS, b"\2\x81" + literal(*OK) + b"\x80"), True)


@misdeed
def waits_for_an_entry_in_vain(connection, stream):
    connection.write(stream, frame(HEADERS, b"\2\0" + literal(*OK) + b"\x80") + data(b"fine"))
    connection.reset(stream, INTERNAL_ERROR)


# QUIC: RFC 9000, 19.
packets("unknown-frame", (0x3A, b""))
packets("ping-of-two-bytes-and-nonsense", (0x01, b"\x7f\xff"))
packets("stream-without-its-end", (0x0A, lambda connection, stream: number(stream) + number(1000) + b"x"))
packets("empty-token", (0x07, number(0)))
packets("acknowledges-the-future", (0x02, number(1 << 20) + number(0) + number(0) + number(0)))
packets("acknowledges-below-zero", (0x02, number(1) + number(0) + number(0) + number(100)))
packets("too-many-streams-allowed", (0x12, number((1 << 60) + 1)))
packets("window-of-a-stream-of-its-own-unopened", (0x11, number(999) + number(1)))
packets("stops-what-it-never-saw", (0x05, number(40000) + number(0)))
packets("resets-the-clients-own-direction", (0x04, number(2) + number(0) + number(0)))
packets("data-on-the-clients-control", (0x0A, number(2) + number(1) + b"x"))
packets("stream-of-its-own", (0x0A, number(1) + number(1) + b"x"))
packets("more-streams-than-allowed", (0x0A, number((1 << 20) * 4 + 3) + number(1) + b"x"))
packets("data-beyond-the-window", (0x0E, lambda connection, stream: number(stream) + number(1 << 40) + number(1) + b"x"))
packets("reset-beyond-the-window", (0x04, lambda connection, stream: number(stream) + number(0) + number(1 << 40)))
packets("offset-beyond-all-numbers", (0x0E, lambda connection, stream: number(stream) + number((1 << 62) - 1) + number(1) + b"x"))
packets("retires-what-was-never-given", (0x19, number(1000)))
packets("id-of-no-bytes", (0x18, number(50) + number(0) + b"\0" + b"t" * 16))
packets("id-too-long", (0x18, number(50) + number(0) + b"\x15" + b"i" * 21 + b"t" * 16))
packets("id-that-retires-itself", (0x18, number(9) + number(10) + b"\x08" + b"i" * 8 + b"t" * 16))
packets("one-number-for-two-ids", (0x18, number(1) + number(0) + b"\x08" + b"j" * 8 + b"t" * 16))
packets("handshake-of-nonsense", (0x06, number(0) + number(5) + b"\x63\0\0\1x"))
packets("key-update-of-tls", (0x06, number(0) + number(5) + b"\x18\0\0\1\0"))


@misdeed
def changes_its_keys(connection, stream):
    # RFC 9001, 6.
    connection._quic.request_key_update()
    connection.answer(stream, "fine")


@misdeed
def answers_no_challenge(connection, stream):
    connection.raw(0x1B, b"12345678")
    connection.answer(stream, "fine")


@misdeed
def more_ids_than_allowed(connection, stream):
    for n in range(60, 80):
        connection.raw(0x18, number(n) + number(0) + b"\x08" + b"%08d" % n + b"%016d" % n)


@misdeed
def data_behind_the_end(connection, stream):
    # With a gap before it, so that the load doesn't end.
    connection.raw_stream(stream, 100, b"", True)
    connection.raw_stream(stream, 100, b"more")


@misdeed
def end_that_moves(connection, stream):
    connection.raw_stream(stream, 0, OPEN)
    connection.raw_stream(stream, 1000, b"", True)
    connection.raw_stream(stream, 2000, b"", True)


@misdeed
def reset_before_what_was_sent(connection, stream):
    connection.raw_stream(stream, 0, OPEN + data(b"x"))
    connection.raw(0x04, number(stream) + number(INTERNAL_ERROR) + number(1))


@misdeed
def data_beyond_the_window_of_all(connection, stream):
    for _ in range(40):
        other = connection._quic.get_next_available_stream_id(is_unidirectional=True)
        connection._quic._local_next_stream_id_uni += 4
        connection.raw_stream(other, 60000, b"x")
    connection.answer(stream, "fine")


@misdeed
def datagram_of_nonsense(connection, stream):
    connection._transport.sendto(b"\x40" + b"nonsense" * 20, connection._quic._network_paths[0].addr)
    connection.answer(stream, "fine")


@misdeed
def packet_of_another_connection(connection, stream):
    connection._transport.sendto(b"\xc0\0\0\0\1\x08otherone\x08someone!" + b"x" * 1200, connection._quic._network_paths[0].addr)
    connection.answer(stream, "fine")


# Resets and farewells: RFC 9114, 4.1.1, 5.
MISDEEDS["refused"] = lambda connection, stream: connection.reset(stream, REJECTED)
MISDEEDS["reset"] = lambda connection, stream: connection.reset(stream, INTERNAL_ERROR)


@misdeed
def refused_after_its_head(connection, stream):
    connection.raw_stream(stream, 0, OPEN)
    connection.raw(0x04, number(stream) + number(REJECTED) + number(len(OPEN)))


@misdeed
def reset_in_the_body(connection, stream):
    sent = OPEN + data(b"half")
    connection.raw_stream(stream, 0, sent)
    connection.raw(0x04, number(stream) + number(NO_ERROR) + number(len(sent)))


@misdeed
def reset_and_then_its_body(connection, stream):
    sent = head(OK, ("content-length", "4")) + data(b"late")
    connection.raw(0x04, number(stream) + number(INTERNAL_ERROR) + number(len(sent)))
    connection.raw_stream(stream, 0, sent, True)


@misdeed
def early_answer(connection, stream):
    connection.write(stream, OPEN + data(b"early"), True)
    connection.stop(stream, NO_ERROR)


control("goes-away-unasked", frame(GOAWAY, number(0)))
control("goes-away-in-two-steps", frame(GOAWAY, number((1 << 62) - 4)), frame(GOAWAY, number(0)))


@misdeed
def goes_away_and_answers(connection, stream):
    connection.write(connection.control, frame(GOAWAY, number(stream + 4)))
    connection.answer(stream, "processed")


@misdeed
def closes_in_order(connection, stream):
    connection.close(NO_ERROR)


@misdeed
def closes_with_an_error(connection, stream):
    connection.close(INTERNAL_ERROR)


@misdeed
def closes_in_the_body(connection, stream):
    connection.raw_stream(stream, 0, OPEN + data(b"half"))
    connection.raw(0x1D, number(INTERNAL_ERROR) + number(0))
    connection.is_over = True


@misdeed
def forgets_its_state(connection, stream):
    """A stateless reset (RFC 9000, 10.3)."""
    token = connection._quic._host_cids[0].stateless_reset_token
    connection._transport.sendto(b"\x40" + os.urandom(40) + token, connection._quic._network_paths[0].addr)
    connection._quic.close(NO_ERROR)
    connection._quic._close_pending = False
    connection.is_over = True


# Floods: RFC 9114, 10.5.
control("flood-of-unknown-frames", frame(0x21) * 200000, answers=True)
control("flood-of-cancelled-pushes", frame(CANCEL_PUSH, number(0)) * 20000)
control("flood-of-farewells", frame(GOAWAY, number(400)) * 50000, answers=True)
reply("flood-of-informational-heads", head((":status", "103")) * 20000, OPEN, data(b"fine"))
reply("flood-of-nothing", OPEN, data(b"") * 200000, data(b"fine"))
reply("flood-of-unknown-frames-in-a-response", OPEN, frame(0x21) * 200000, data(b"fine"))


@misdeed
def flood_of_table_sizes(connection, stream):
    connection.write(connection.encoder, (prefixed(0, 5, 0x20) + prefixed(64, 5, 0x20)) * 50000)
    connection.answer(stream, "fine")


@misdeed
def flood_of_streams(connection, stream):
    for _ in range(90):
        connection.reset(connection.open(0x21, b"x"), NO_ERROR)
    connection.answer(stream, "fine")


@misdeed
def flood_of_pings(connection, stream):
    for _ in range(2000):
        connection.raw(0x01)
    connection.answer(stream, "fine")


@misdeed
def flood_of_challenges(connection, stream):
    for n in range(500):
        connection.raw(0x1A, b"%08d" % n)
    connection.answer(stream, "fine")


@misdeed
def flood_of_retired_ids(connection, stream):
    # The client answers to ids that the server has made up.
    connection.is_over = True
    for n in range(100, 600):
        connection.raw(0x18, number(n) + number(n) + b"\x08" + b"%08d" % n + b"%016d" % n)


# Unusual, and allowed: what a client has to bear.
reply("unknown-frames", frame(0x21, b"?"), OPEN, frame(0x40, b"??"), data(b"fi"), frame(0x21), data(b"ne"))
reply("trailers", OPEN, data(b"fine"), head(("a", "b")))
reply("many-hints", head((":status", "103"), ("link", "</a>")), head((":status", "103")), OPEN, data(b"fine"))
reply("body-in-many-frames", OPEN, b"".join(data(bytes([byte])) for byte in b"fine"))


@misdeed
def one_byte_at_a_time(connection, stream):
    content = OPEN + data(b"fine")
    for offset in range(len(content)):
        connection.raw_stream(stream, offset, content[offset:offset + 1], offset == len(content) - 1)


@misdeed
def last_byte_first(connection, stream):
    content = OPEN + data(b"fine")
    for offset in reversed(range(len(content))):
        connection.raw_stream(stream, offset, content[offset:offset + 1], offset == len(content) - 1)


@misdeed
def everything_twice(connection, stream):
    content = OPEN + data(b"fine")
    for _ in range(2):
        connection.raw_stream(stream, 0, content, True)


@misdeed
def end_in_a_frame_of_its_own(connection, stream):
    content = OPEN + data(b"fine")
    connection.raw_stream(stream, 0, content)
    connection.raw_stream(stream, len(content), b"", True)


@misdeed
def dynamic_table(connection, stream):
    connection.write(connection.encoder, prefixed(220, 5, 0x20) + prefixed(4, 5, 0x40) + b"name" + prefixed(5, 7) + b"value")
    connection.write(stream, frame(HEADERS, b"\2\0" + literal(*OK) + b"\x80") + data(b"fine"), True)


@misdeed
def head_of_entries_without_end(connection, stream):
    # One byte of the wire is a field of some 4000.
    connection.write(connection.encoder, prefixed(4096, 5, 0x20) + prefixed(1, 5, 0x40) + b"a" + prefixed(4000, 7) + b"b" * 4000)
    connection.write(stream, ENDLESS + b"\2\0" + literal(*OK) + b"\x80" * 1_000_000)


@misdeed
def table_behind_the_head(connection, stream):
    connection.write(stream, frame(HEADERS, b"\2\0" + literal(*OK) + b"\x80") + data(b"fine"), True)
    connection.transmit()
    connection.write(connection.encoder, prefixed(220, 5, 0x20) + prefixed(4, 5, 0x40) + b"name" + prefixed(5, 7) + b"value")


@beginning
def unknown_settings_and_streams(connection):
    connection.begin(number(0x21) + number(7) + number(0xEEEE) + number(1))
    connection.open(0x21, b"?" * 100)
    connection.write(connection.open(0x40, b"?"), b"", True)


@beginning
def streams_that_end_within_their_types(connection):
    connection.begin()
    connection.write(connection.open(), b"", True)
    connection.write(connection.open(), b"\x40", True)
    connection.write(connection.open(), b"\xc0\0\0", True)


@beginning
def types_longer_than_they_need_be(connection):
    # RFC 9000, 16: any length will do. The first byte comes by itself.
    for kind, content in ((CONTROL, frame(SETTINGS)), (ENCODER, b""), (DECODER, b"")):
        stream = connection._quic.get_next_available_stream_id(is_unidirectional=True)
        connection._quic._local_next_stream_id_uni += 4
        connection.raw_stream(stream, 0, b"\x40")
        connection.raw_stream(stream, 1, bytes([kind]) + content)


async def main(folder):
    configuration = QuicConfiguration(alpn_protocols=["h3"], is_client=False, idle_timeout=600)
    configuration.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    ports = [Port(name, act) for name, act in MISDEEDS.items()]
    for port in ports:
        await port.serve(configuration)
    with open(os.path.join(folder, "ports"), "w") as file:
        file.writelines(f"{port.name} {port.number}\n" for port in ports)
    with open(os.path.join(folder, "pid.new"), "w") as file:
        file.write(str(os.getpid()))
    os.rename(os.path.join(folder, "pid.new"), os.path.join(folder, "pid"))
    await asyncio.Event().wait()


asyncio.run(main(sys.argv[1]))
