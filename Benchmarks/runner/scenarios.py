"""What is measured: the scenarios, the clients, and which client takes part in which scenario."""

from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Scenario:
    """One workload. `count` is the number of measured requests of a full run."""

    name: str
    tls: bool
    document: str
    count: int
    concurrency: int

    @property
    def websocket(self) -> bool:
        """Whether messages go over WebSockets, from the echo server and back."""
        return self.name.startswith(("ws-", "wss-"))

    @property
    def is_big(self) -> bool:
        return "1g" in self.name

    @property
    def http2(self) -> bool:
        """Whether client and server agree on HTTP/2."""
        return self.name.startswith("h2-") or self.name == "inflight-h2"

    @property
    def http3(self) -> bool:
        """Whether it goes over QUIC, to a server of its own."""
        return self.name.startswith("h3-")

    @property
    def cold(self) -> bool:
        """Whether the server ends each connection with its reply."""
        return self.name.startswith("cold-")

    @property
    def resumes(self) -> bool:
        """Whether each connection after the first resumes a TLS session."""
        return self.name.endswith("-ticket")

    @property
    def starts(self) -> bool:
        """Whether whole processes are measured, from start to exit, that load one document."""
        return self.name.startswith("start-")

    @property
    def in_flight(self) -> bool:
        """Whether memory is measured while no load is answered."""
        return self.name.startswith("inflight-")

    @property
    def mixed(self) -> bool:
        return self.name == "mixed"

    @property
    def port(self) -> str:
        """Which of the server's ports it goes to."""
        if self.cold:
            return "cold_ticket" if self.resumes else "cold_tls" if self.tls else "cold"
        if self.mixed:
            return "mixed"
        return "http3" if self.http3 else "http2" if self.http2 else "tls" if self.tls else "plain"

    @property
    def discards(self) -> bool:
        return self.name.endswith("discard") or self.reads_lines or self.reads_bytes

    @property
    def reads_lines(self) -> bool:
        """Whether the body is text, read line by line where the client does that."""
        return self.name.endswith("lines")

    @property
    def reads_bytes(self) -> bool:
        """Whether the body is read byte by byte where the client does that, also in actors."""
        return self.name.endswith("bytes")

    @property
    def uploads(self) -> bool:
        return self.name.endswith("upload")

    @property
    def moves_file(self) -> bool:
        """Whether the body comes from a file or goes to one."""
        return self.uploads or self.name.endswith("file")

    @property
    def stores(self) -> bool:
        """Whether the client keeps cookies and a cache, which the C and NIO peers don't have."""
        return self.name.startswith(("cache-", "stores-")) or self.mixed

    @property
    def counts_allocations(self) -> bool:
        """Whether its requests are many and alike."""
        return "1k" in self.name

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
    Scenario("h1-1k-c1", tls=False, document="1k", count=20_000, concurrency=1),
    Scenario("h1-1k-c64", tls=False, document="1k", count=60_000, concurrency=64),
    Scenario("tls-1k-c1", tls=True, document="1k", count=20_000, concurrency=1),
    Scenario("tls-1k-c64", tls=True, document="1k", count=60_000, concurrency=64),
    Scenario("h2-1k-c1", tls=True, document="1k", count=20_000, concurrency=1),
    Scenario("h2-1k-c64", tls=True, document="1k", count=60_000, concurrency=64),
    Scenario("cold-1k", tls=False, document="1k", count=5_000, concurrency=1),
    Scenario("cold-tls-1k", tls=True, document="1k", count=5_000, concurrency=1),
    Scenario("cold-tls-1k-ticket", tls=True, document="1k", count=5_000, concurrency=1),
    Scenario("start-http", tls=False, document="1k", count=30, concurrency=1),
    Scenario("start-https", tls=True, document="1k", count=30, concurrency=1),
    Scenario("h1-64k-c64", tls=False, document="64k", count=20_000, concurrency=64),
    Scenario("1g-discard", tls=False, document="1g", count=1, concurrency=1),
    Scenario("tls-1g-discard", tls=True, document="1g", count=1, concurrency=1),
    Scenario("h2-1g-discard", tls=True, document="1g", count=1, concurrency=1),
    Scenario("1g-bytes", tls=False, document="1g", count=1, concurrency=1),
    Scenario("1g-lines", tls=False, document="lines", count=1, concurrency=1),
    Scenario("stores-1k-c64", tls=False, document="unstored", count=60_000, concurrency=64),
    Scenario("cache-1k-hit", tls=False, document="fresh", count=60_000, concurrency=64),
    Scenario("cache-1k-revalidate", tls=False, document="revalidated", count=30_000, concurrency=64),
    Scenario("mixed", tls=False, document="", count=20_000, concurrency=32),
    Scenario("inflight-h1", tls=False, document="stall", count=1_000, concurrency=1_000),
    Scenario("inflight-tls", tls=True, document="stall", count=1_000, concurrency=1_000),
    Scenario("inflight-h2", tls=True, document="stall", count=1_000, concurrency=1_000),
    Scenario("1g-file", tls=False, document="1g", count=1, concurrency=1),
    Scenario("tls-1g-file", tls=True, document="1g", count=1, concurrency=1),
    Scenario("1g-upload", tls=False, document="upload/1g", count=1, concurrency=1),
    Scenario("tls-1g-upload", tls=True, document="upload/1g", count=1, concurrency=1),
    Scenario("h2-1g-upload", tls=True, document="upload/1g", count=1, concurrency=1),
    Scenario("1g-memory", tls=False, document="1g", count=1, concurrency=1),
    Scenario("h3-1k-c1", tls=True, document="1k", count=20_000, concurrency=1),
    Scenario("h3-1k-c64", tls=True, document="1k", count=60_000, concurrency=64),
    Scenario("h3-1g-discard", tls=True, document="1g", count=1, concurrency=1),
    Scenario("h3-1g-upload", tls=True, document="1k", count=1, concurrency=1),
    Scenario("ws-125", tls=False, document="echo", count=100_000, concurrency=16),
    Scenario("ws-16k", tls=False, document="echo", count=40_000, concurrency=16),
    Scenario("ws-1m", tls=False, document="echo", count=1_000, concurrency=4),
    Scenario("ws-open", tls=False, document="echo", count=10_000, concurrency=1_000),
    Scenario("wss-open", tls=True, document="echo", count=10_000, concurrency=1_000),
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
            return self.mode == ("delegate" if self.program == "ours" else "completion")
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
        return ["--mode", "delegate" if scenario.discards or scenario.mixed else self.mode]


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
