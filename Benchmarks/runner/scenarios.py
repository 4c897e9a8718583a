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
        return self.name.startswith("h2-")

    @property
    def http3(self) -> bool:
        """Whether it goes over QUIC, to a server of its own."""
        return self.name.startswith("h3-")

    @property
    def discards(self) -> bool:
        return self.name.endswith("discard")

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
        return self.name.startswith(("cache-", "stores-"))

    def requests(self, quick: bool) -> int:
        """A quick run makes a tenth of the small requests; a big document can't be divided."""
        return max(self.concurrency, self.count // 10) if quick else self.count


SCENARIOS = [
    Scenario("h1-1k-c1", tls=False, document="1k", count=20_000, concurrency=1),
    Scenario("h1-1k-c64", tls=False, document="1k", count=60_000, concurrency=64),
    Scenario("tls-1k-c1", tls=True, document="1k", count=20_000, concurrency=1),
    Scenario("tls-1k-c64", tls=True, document="1k", count=60_000, concurrency=64),
    Scenario("h2-1k-c1", tls=True, document="1k", count=20_000, concurrency=1),
    Scenario("h2-1k-c64", tls=True, document="1k", count=60_000, concurrency=64),
    Scenario("stores-1k-c64", tls=False, document="unstored", count=60_000, concurrency=64),
    Scenario("cache-1k-hit", tls=False, document="fresh", count=60_000, concurrency=64),
    Scenario("cache-1k-revalidate", tls=False, document="revalidated", count=30_000, concurrency=64),
    Scenario("1g-discard", tls=False, document="1g", count=1, concurrency=1),
    Scenario("1g-memory", tls=False, document="1g", count=1, concurrency=1),
    Scenario("tls-1g-discard", tls=True, document="1g", count=1, concurrency=1),
    Scenario("1g-file", tls=False, document="1g", count=1, concurrency=1),
    Scenario("tls-1g-file", tls=True, document="1g", count=1, concurrency=1),
    Scenario("1g-upload", tls=False, document="upload/1g", count=1, concurrency=1),
    Scenario("tls-1g-upload", tls=True, document="upload/1g", count=1, concurrency=1),
    Scenario("h2-1g-discard", tls=True, document="1g", count=1, concurrency=1),
    Scenario("h2-1g-upload", tls=True, document="upload/1g", count=1, concurrency=1),
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

    def takes_part(self, scenario: Scenario) -> bool:
        if scenario.websocket:
            return self.websockets
        if scenario.http3 and not self.http3:
            return False
        if self.program == "gtlsclient":
            # It opens as many streams as the server allows.
            return scenario.http3 and scenario.concurrency != 1 or scenario.http3 and scenario.is_big
        return self.http and (self.discards or not scenario.discards) and (self.stores or not scenario.stores) and (
            self.files or not scenario.moves_file)

    def arguments(self, scenario: Scenario) -> list[str]:
        """A body can be dropped as it arrives only by a delegate, whatever the mode for the other scenarios is."""
        if not self.mode:
            return []
        return ["--mode", "delegate" if scenario.discards else self.mode]


BASELINE = "libcurl-multi"
# What ratios compare with, where it takes part: node-ws for WebSockets and gtlsclient for HTTP/3, which libcurl-multi leaves to others.
BASELINES = (BASELINE, "node-ws", "gtlsclient")

CLIENTS = [
    Client(BASELINE, program="libcurl", stores=False),
    Client("async-http-client", program="async-http-client", stores=False),
    Client("foundation-networking", program="foundation-networking", mode="completion", websockets=True),
    Client("ours-async", program="ours", mode="async", discards=False, websockets=True, http3=True),
    Client("ours-completion", program="ours", mode="completion", discards=False, websockets=True, http3=True),
    Client("ours-delegate", program="ours", mode="delegate", files=False, http3=True),
    Client("gtlsclient", program="gtlsclient", http3=True),
    Client("node-ws", program="node-ws", http=False, websockets=True),
    Client("aiohttp", program="aiohttp", http=False, websockets=True),
]
