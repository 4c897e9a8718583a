"""What is measured: the scenarios, the clients, and which client takes part in which scenario."""

from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Scenario:
    """One workload. `count` is the number of measured requests of a full run.

    Clients that aren't this project's know a scenario by its name alone.
    """

    name: str
    tls: bool
    document: str
    count: int
    concurrency: int
    # What client and server agree on beside HTTP/1.1: "http2", or "http3", which has a server of its own.
    version: str = ""
    # What becomes of a body of 1 GiB: "discard", "lines", "bytes", "file", "memory" or "upload"; "" for small bodies.
    big: str = ""
    # Whether messages go over WebSockets, from the echo server and back.
    websocket: bool = False
    # Whether each request has a connection of its own: the server ends it with its reply, or, over HTTP/3, the client gives it up.
    cold: bool = False
    # Whether each connection after the first resumes a TLS session.
    resumes: bool = False
    # Whether whole processes are measured, from start to exit, that load one document.
    starts: bool = False
    # Whether memory is measured while no load is answered.
    in_flight: bool = False
    # Whether requests go to many hosts and several documents, as an app's do.
    mixed: bool = False
    # Whether the client keeps cookies and a cache, which the C and NIO peers don't have.
    stores: bool = False
    # Whether its requests are many and alike.
    counts_allocations: bool = False

    @property
    def http2(self) -> bool:
        return self.version == "http2"

    @property
    def http3(self) -> bool:
        return self.version == "http3"

    @property
    def is_big(self) -> bool:
        return self.big != ""

    @property
    def port(self) -> str:
        """Which of the server's ports it goes to."""
        if self.cold and not self.http3:
            return "cold_ticket" if self.resumes else "cold_tls" if self.tls else "cold"
        if self.mixed:
            return "mixed"
        return self.version if self.version else "tls" if self.tls else "plain"

    @property
    def discards(self) -> bool:
        return self.big in ("discard", "lines", "bytes")

    @property
    def reads_lines(self) -> bool:
        """Whether the body is text, read line by line where the client does that."""
        return self.big == "lines"

    @property
    def reads_bytes(self) -> bool:
        """Whether the body is read byte by byte where the client does that, also in actors."""
        return self.big == "bytes"

    @property
    def uploads(self) -> bool:
        return self.big == "upload"

    @property
    def moves_file(self) -> bool:
        """Whether the body comes from a file or goes to one."""
        return self.big in ("upload", "file")

    def warm_up(self, requests: int) -> int:
        """How many requests a client makes before so many that are measured."""
        return max(self.concurrency, requests // 20)

    def requests(self, quick: bool) -> int:
        """A quick run makes a tenth of the small requests; a big document can't be divided."""
        if self.in_flight:
            return self.count
        return max(self.concurrency, self.count // 10) if quick else self.count


# Those that are asked for most come first, in case that the time limit ends a run.
SCENARIOS = [
    Scenario("h1-1k-c1", tls=False, document="1k", count=20_000, concurrency=1, counts_allocations=True),
    Scenario("h1-1k-c64", tls=False, document="1k", count=60_000, concurrency=64, counts_allocations=True),
    Scenario("tls-1k-c1", tls=True, document="1k", count=20_000, concurrency=1, counts_allocations=True),
    Scenario("tls-1k-c64", tls=True, document="1k", count=60_000, concurrency=64, counts_allocations=True),
    Scenario("h2-1k-c1", tls=True, document="1k", count=20_000, concurrency=1, version="http2", counts_allocations=True),
    Scenario("h2-1k-c64", tls=True, document="1k", count=60_000, concurrency=64, version="http2", counts_allocations=True),
    Scenario("cold-1k", tls=False, document="1k", count=5_000, concurrency=1, cold=True, counts_allocations=True),
    Scenario("cold-tls-1k", tls=True, document="1k", count=5_000, concurrency=1, cold=True, counts_allocations=True),
    Scenario("cold-tls-1k-ticket", tls=True, document="1k", count=5_000, concurrency=1, cold=True, resumes=True, counts_allocations=True),
    Scenario("start-http", tls=False, document="1k", count=30, concurrency=1, starts=True),
    Scenario("start-https", tls=True, document="1k", count=30, concurrency=1, starts=True),
    Scenario("h1-64k-c64", tls=False, document="64k", count=20_000, concurrency=64),
    Scenario("1g-discard", tls=False, document="1g", count=1, concurrency=1, big="discard"),
    Scenario("tls-1g-discard", tls=True, document="1g", count=1, concurrency=1, big="discard"),
    Scenario("h2-1g-discard", tls=True, document="1g", count=1, concurrency=1, version="http2", big="discard"),
    Scenario("1g-bytes", tls=False, document="1g", count=1, concurrency=1, big="bytes"),
    Scenario("1g-lines", tls=False, document="lines", count=1, concurrency=1, big="lines"),
    Scenario("stores-1k-c64", tls=False, document="unstored", count=60_000, concurrency=64, stores=True, counts_allocations=True),
    Scenario("cache-1k-hit", tls=False, document="fresh", count=60_000, concurrency=64, stores=True, counts_allocations=True),
    Scenario("cache-1k-revalidate", tls=False, document="revalidated", count=30_000, concurrency=64, stores=True, counts_allocations=True),
    Scenario("mixed", tls=False, document="", count=20_000, concurrency=32, mixed=True, stores=True),
    Scenario("inflight-h1", tls=False, document="stall", count=1_000, concurrency=1_000, in_flight=True),
    Scenario("inflight-tls", tls=True, document="stall", count=1_000, concurrency=1_000, in_flight=True),
    Scenario("inflight-h2", tls=True, document="stall", count=1_000, concurrency=1_000, version="http2", in_flight=True),
    Scenario("1g-file", tls=False, document="1g", count=1, concurrency=1, big="file"),
    Scenario("tls-1g-file", tls=True, document="1g", count=1, concurrency=1, big="file"),
    Scenario("1g-upload", tls=False, document="upload/1g", count=1, concurrency=1, big="upload"),
    Scenario("tls-1g-upload", tls=True, document="upload/1g", count=1, concurrency=1, big="upload"),
    Scenario("h2-1g-upload", tls=True, document="upload/1g", count=1, concurrency=1, version="http2", big="upload"),
    Scenario("1g-memory", tls=False, document="1g", count=1, concurrency=1, big="memory"),
    Scenario("h3-1k-c1", tls=True, document="1k", count=20_000, concurrency=1, version="http3", counts_allocations=True),
    Scenario("h3-1k-c64", tls=True, document="1k", count=60_000, concurrency=64, version="http3", counts_allocations=True),
    Scenario("h3-cold-1k", tls=True, document="1k", count=500, concurrency=1, version="http3", cold=True, counts_allocations=True),
    Scenario("h3-1g-discard", tls=True, document="1g", count=1, concurrency=1, version="http3", big="discard"),
    Scenario("h3-1g-upload", tls=True, document="1k", count=1, concurrency=1, version="http3", big="upload"),
    Scenario("ws-125", tls=False, document="echo", count=100_000, concurrency=16, websocket=True),
    Scenario("ws-16k", tls=False, document="echo", count=40_000, concurrency=16, websocket=True),
    Scenario("ws-1m", tls=False, document="echo", count=1_000, concurrency=4, websocket=True),
    Scenario("ws-open", tls=False, document="echo", count=10_000, concurrency=1_000, websocket=True),
    Scenario("wss-open", tls=True, document="echo", count=10_000, concurrency=1_000, websocket=True),
]


@dataclass(frozen=True)
class Client:
    """One row of the table: a program, and the interface of it that is used."""

    name: str
    program: str
    mode: str | None = None
    discards: bool = True
    stores: bool = True
    files: bool = True
    http: bool = True
    websockets: bool = False
    http3: bool = False
    starts: bool = False
    in_flight: bool = False
    streams: bool = False
    # The one scenario that it takes part in; otherwise the others decide.
    only: str | None = None

    @property
    def counts_allocations(self) -> bool:
        """Whether it allocates by libc, in a process of its own: Go has an allocator of its own."""
        return self.http and self.program not in ("go", "gtlsclient")

    def takes_part(self, scenario: Scenario) -> bool:
        if self.only:
            return scenario.name == self.only
        if self.streams:
            # An interface for bodies alone.
            if self.mode == "lines" or scenario.reads_lines:
                return self.mode == "lines" and scenario.reads_lines
            if scenario.reads_bytes or "-" in (self.mode or ""):
                return scenario.reads_bytes and (self.mode or "").startswith("bytes")
            return scenario.discards
        if scenario.reads_lines or scenario.reads_bytes:
            return self.mode == "delegate"
        if scenario.starts or self.starts:
            return scenario.starts and self.starts
        if scenario.websocket:
            return self.websockets
        if scenario.in_flight:
            return self.in_flight
        if scenario.mixed:
            return self.mode in (("async", "delegate") if self.program == "ours" else ("completion",))
        if scenario.http3 and not self.http3:
            return False
        if self.program == "gtlsclient":
            # It opens as many streams as the server allows.
            return scenario.http3 and scenario.concurrency != 1 or scenario.http3 and scenario.is_big
        return self.http and (self.discards or not scenario.discards) and (self.stores or not scenario.stores) and (
            self.files or not scenario.moves_file)

    def arguments(self, scenario: Scenario) -> list[str]:
        """Where bodies aren't streamed, one can be dropped as it arrives by a delegate alone, whatever the mode for other scenarios is."""
        if not self.mode:
            return []
        if self.streams:
            return ["--mode", self.mode]
        return ["--mode", "delegate" if scenario.discards or scenario.mixed and self.mode != "async" else self.mode]


BASELINE = "libcurl-multi"
# What ratios compare with, where it takes part: curl for whole processes, node-ws for WebSockets and gtlsclient for HTTP/3.
BASELINES = (BASELINE, "curl", "node-ws", "gtlsclient")

CLIENTS = [
    Client(BASELINE, program="libcurl", stores=False, in_flight=True),
    Client("go", program="go", stores=False, in_flight=True),
    Client("async-http-client", program="async-http-client", stores=False),
    Client("foundation-networking", program="foundation-networking", mode="completion", websockets=True, in_flight=True),
    Client("ours-async", program="ours", mode="async", discards=False, websockets=True, http3=True),
    Client("ours-loop", program="ours", mode="loop", discards=False, stores=False, files=False, http3=True),
    Client("ours-completion", program="ours", mode="completion", discards=False, websockets=True, http3=True),
    Client("ours-delegate", program="ours", mode="delegate", files=False, http3=True, in_flight=True),
    Client("ours-heads", program="ours", mode="heads", only="h1-1k-c64"),
    Client("ours-inspected", program="ours", mode="inspected", only="h1-1k-c64"),
    Client("ours-chunks", program="ours", mode="chunks", streams=True),
    Client("ours-bytes", program="ours", mode="bytes", streams=True),
    Client("ours-bytes-actor", program="ours", mode="bytes-actor", streams=True),
    Client("ours-bytes-main", program="ours", mode="bytes-main", streams=True),
    Client("ours-lines", program="ours", mode="lines", streams=True),
    Client("curl", program="curl", starts=True),
    Client("urlload", program="urlload", starts=True),
    Client("gtlsclient", program="gtlsclient", http3=True),
    Client("node-ws", program="node-ws", http=False, websockets=True),
    Client("aiohttp", program="aiohttp", http=False, websockets=True),
]
