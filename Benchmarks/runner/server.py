"""The nginx that every client loads from, ngtcp2's server for HTTP/3, and the echo server of WebSockets: one core, plain, TLS and HTTP/2 ports on loopback."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from .configuration import PORTS, configuration
from .machine import which
from .programs import compile_c
from .scenarios import HOME, Scenario

class Server:
    """A context manager: everything it makes, the process included, is gone when the block is left."""

    def __init__(self, core: int):
        self.core = core
        self.root = Path(tempfile.mkdtemp(prefix="url-loading-benchmark-"))
        # Files that are sent and received lie in memory, so that no disk is measured.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.memory = Path(tempfile.mkdtemp(prefix="url-loading-benchmark-", dir=memory))
        self.process: subprocess.Popen | None = None
        self.echo: subprocess.Popen | None = None
        self.quic: subprocess.Popen | None = None
        self.echo_port = 1
        self.ports: dict[str, int] = {}
        self.stalling: socket.socket | None = None

    def __enter__(self) -> "Server":
        try:
            self._write_documents()
            self._write_certificate()
            self._start_echo()
            self._start_stalling()
            self._start()
            self._start_quic()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for process in (self.process, self.echo, self.quic):
            if process and process.poll() is None:
                process.terminate()
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        if self.stalling:
            self.stalling.close()
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.rmtree(self.memory, ignore_errors=True)

    @property
    def folder(self) -> Path:
        """Where clients keep the files of a scenario: `source` is there to be sent."""
        return self.memory / "client"

    def clear(self) -> None:
        """Removes what a client has received or sent; a gigabyte of memory each."""
        (self.memory / "upload" / "1g").unlink(missing_ok=True)
        for file in self.folder.iterdir():
            if file.name != "source":
                file.unlink()

    @property
    def certificate(self) -> str:
        return str(self.root / "certificate.pem")

    def url(self, scenario: Scenario) -> str:
        if scenario.websocket:
            # nginx takes TLS off; without it, clients talk to the echo server itself.
            return f"wss://127.0.0.1:{self.ports['tls']}/echo" if scenario.tls else f"ws://127.0.0.1:{self.echo_port}/echo"
        host = "127.0.0.2" if scenario.port == "mixed" else "127.0.0.1"
        return f"{'https' if scenario.tls else 'http'}://{host}:{self.ports[scenario.port]}/{scenario.document}"

    def take_stalled(self) -> int:
        """How many requests have come that aren't to be answered, since the last call. The kernel queues their connections until then."""
        count = 0
        try:
            while self.stalling:
                self.stalling.accept()[0].close()
                count += 1
        except BlockingIOError:
            pass
        return count

    def forget_resumptions(self) -> None:
        """Empties the log of which connections resumed a TLS session."""
        os.truncate(self.root / "resumption.log", 0)

    def resumptions(self) -> tuple[int, int]:
        """How many requests came over resumed TLS sessions since the log was emptied, and how many over others."""
        lines = (self.root / "resumption.log").read_text().split()
        return lines.count("r"), len(lines) - lines.count("r")

    def _write_documents(self) -> None:
        documents = self.root / "documents"
        documents.mkdir()
        for name in ("body", "client", "upload"):
            (self.memory / name).mkdir()
        with open(self.folder / "source", "wb") as file:
            for _ in range(1 << 10):
                file.write(bytes(1 << 20))
        for name in ("1k", "unstored", "fresh", "revalidated"):
            (documents / name).write_bytes(b"x" * 1024)
        (documents / "64k").write_bytes(b"x" * (64 << 10))
        with open(documents / "1g", "w+b") as file:
            file.truncate(1 << 30)
            while file.read(1 << 20):
                pass  # Fills the page cache, so that the first client doesn't wait for the disk.

        with open(documents / "lines", "wb") as file:
            line = b"x" * 79 + b"\n"
            for _ in range((1 << 30) // (len(line) << 10)):
                file.write(line * 1024)
            # As long as the other in all.
            rest = (1 << 30) - file.tell()
            file.write(line * ((rest - 1) // len(line)))
            file.write(b"x" * ((1 << 30) - file.tell() - 1) + b"\n")

    def _write_certificate(self) -> None:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=benchmark", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
             "-keyout", str(self.root / "key.pem"), "-out", self.certificate],
            check=True, capture_output=True, timeout=60)

    def _start_echo(self) -> None:
        program = compile_c(HOME / "websocket-peers" / "echo-server.c", "-lcrypto")
        self.echo = subprocess.Popen(
            ["taskset", "-c", str(self.core), program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.echo_port = int(self.echo.stdout.readline())

    def _start_stalling(self) -> None:
        """A port whose connections nothing accepts while a client is measured."""
        self.stalling = socket.socket()
        self.stalling.bind(("127.0.0.1", 0))
        self.stalling.listen(4096)
        self.stalling.setblocking(False)

    def _start(self) -> None:
        self.ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
        user = "user root root;" if os.geteuid() == 0 else ""
        file = self.root / "nginx.conf"
        file.write_text(configuration(
            self.ports, root=self.root, memory=self.memory, echo=self.echo_port, stalling=self.stalling.getsockname()[1], user=user))
        nginx = [which("nginx") or "nginx", "-p", str(self.root), "-e", str(self.root / "error.log"), "-c", str(file)]
        self.process = subprocess.Popen(
            ["taskset", "-c", str(self.core)] + nginx,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._wait_until_listening()

    def _start_quic(self) -> None:
        """nginx of Debian 12 has no HTTP/3. gtlsserver says nothing when it listens: clients try again."""
        gtlsserver = which("gtlsserver")
        if not gtlsserver:
            return
        command = [gtlsserver, "-q", "-d", str(self.root / "documents"), "--ciphers=NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-128-GCM",
                   "127.0.0.1", str(self.ports["http3"]), str(self.root / "key.pem"), self.certificate]
        self.quic = subprocess.Popen(
            ["taskset", "-c", str(self.core)] + command,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _wait_until_listening(self) -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.ports["plain"]), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)
        log = self.root / "error.log"
        raise RuntimeError("nginx did not start: " + (log.read_text().strip() if log.exists() else "no log"))


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on. All are held until the last is chosen, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
