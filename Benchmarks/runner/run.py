"""One run of one client in a process of its own."""

import json
import os
import subprocess
import time
from dataclasses import dataclass

from .programs import Programs, Unavailable, compile_c
from .scenarios import HOME, Client, Scenario
from .server import Server

RUN_LIMIT_SECONDS = 120
# The numbers of requests of the two runs whose allocations are compared.
COUNTED_REQUESTS = (1_000, 2_000)


@dataclass(frozen=True)
class Run:
    client: Client
    scenario: Scenario
    server: Server
    core: int
    programs: Programs
    quick: bool
    deadline: float

    def samples(self) -> list[dict]:
        """The figures of one run; of whole processes one run has many."""
        self.server.take_stalled()
        self.server.forget_resumptions()
        result = self._execute(self._command(self.scenario.requests(self.quick)), self._environment())
        if self.scenario.in_flight and (arrived := self.server.take_stalled()) < self.scenario.count:
            raise Unavailable(f"only {arrived} of {self.scenario.count} loads reached the server")
        if self.scenario.cold and self.scenario.tls and not self.scenario.http3:
            self._check_resumption()
        lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
        if not lines:
            raise Unavailable("printed no result")
        return [json.loads(line) for line in (lines if self.scenario.starts else lines[-1:])]

    def allocations(self) -> float | None:
        """Calls that allocate memory per request, the whole process's; None where they aren't counted. No figure of time is taken."""
        if not (self.scenario.counts_allocations and self.client.counts_allocations):
            return None
        counter = compile_c(HOME / "process-costs" / "count-allocations.c", "-shared", "-fPIC")
        counts = []
        for requests in COUNTED_REQUESTS:
            lines = self._execute(self._command(requests), self._environment() | {"LD_PRELOAD": counter}).stderr.splitlines()
            counts += [int(line.split()[1]) for line in lines if line.startswith("allocations ")][-1:]
        if len(counts) < 2:
            raise Unavailable("allocations were not counted")
        fewer, more = (requests + self.scenario.warm_up(requests) for requests in COUNTED_REQUESTS)
        return (counts[1] - counts[0]) / (more - fewer)

    def _command(self, requests: int) -> list[str]:
        command = self.programs.command(self.client.program)
        url, count = self.server.url(self.scenario), str(requests)
        trust = ["--cacert", self.server.certificate] if self.scenario.tls else []
        if self.scenario.starts:
            return [command[0], count] + command[1:] + ["-s", "-o", "/dev/null"] + trust + [url]
        command = command + [self.scenario.name, url, count, str(self.scenario.concurrency)] + self.client.arguments(self.scenario)
        if self.scenario.moves_file:
            self.server.clear()
            command += ["--file", str(self.server.folder / ("source" if self.scenario.uploads else "target"))]
        return command + trust

    def _environment(self) -> dict[str, str]:
        # No files of the user's are read or written.
        environment = dict(os.environ, URL_LOADING_SYSTEM_HOME=str(self.server.root / "home"))
        if self.scenario.moves_file:
            environment["TMPDIR"] = str(self.server.folder)
        if self.scenario.tls:
            environment["SSL_CERT_FILE"] = self.server.certificate
            environment["SSL_CERT_DIR"] = ""
        return environment

    def _execute(self, command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess:
        limit = min(RUN_LIMIT_SECONDS, self.deadline - time.monotonic())
        if limit <= 0:
            raise Unavailable("the time limit was reached")
        command = ["taskset", "-c", str(self.core)] + command
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment, check=False)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"not done after {limit:.0f} s") from None
        if result.returncode != 0:
            reason = result.stderr.strip().splitlines()
            raise Unavailable(reason[-1][:300] if reason else f"ended with {result.returncode}")
        return result

    def _check_resumption(self) -> None:
        """A row isn't what it says when TLS sessions are resumed that shouldn't be, or the other way around."""
        resumed, complete = self.server.resumptions()
        if not self.scenario.resumes and resumed:
            raise Unavailable(f"{resumed} of {resumed + complete} connections resumed a TLS session")
        if self.scenario.resumes and complete > resumed:
            raise Unavailable(f"TLS sessions aren't resumed ({resumed} of {resumed + complete} connections)")
