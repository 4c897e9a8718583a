"""Builds the client programs, each at most once per run, as release builds."""

import os
import shutil
import subprocess
from pathlib import Path

from .machine import which
from .scenarios import HOME

BUILD_LIMIT_SECONDS = 3600


class Unavailable(Exception):
    """A program could not be built or a tool is missing; the message becomes the note of the rows left out."""


class Programs:
    """Knows how to build each program and where the result is. Built when first asked for; a failure is remembered too."""

    def __init__(self, jobs: int | None):
        self.jobs = ["-j", str(jobs)] if jobs else []
        self.results: dict[str, list[str] | Unavailable] = {}

    def command(self, program: str) -> list[str]:
        """What runs the program, as the beginning of a command line."""
        if program not in self.results:
            print(f"building {program} ...", flush=True)
            try:
                self.results[program] = self._build(program)
            except (Unavailable, subprocess.TimeoutExpired, FileNotFoundError) as error:
                self.results[program] = Unavailable(f"{program} was not built: {error}")
        result = self.results[program]
        if isinstance(result, Unavailable):
            raise result
        return result

    def _build(self, program: str) -> list[str]:
        if program == "libcurl":
            return [compile_c(HOME / "libcurl-peer" / "libcurl-multi.c", "-lcurl")]
        if program == "go":
            return [self._go()]
        if program in ("curl", "urlload"):
            tool = which("curl") or "curl" if program == "curl" else self._swift(
                "urlload", HOME.parent, HOME.parent / ".build-tool", "--static-swift-stdlib")
            return [compile_c(HOME / "process-costs" / "measure-start.c"), tool]
        if program == "gtlsclient":
            if not which("gtlsclient"):
                raise Unavailable("gtlsclient is missing; Debian has it as ngtcp2-client")
            return [str(HOME / "http3-peers" / "gtlsclient")]
        if program == "node-ws":
            return self._script([which("node") or "node"], "node-client.js", "require('ws')")
        if program == "aiohttp":
            # Debian's own Python has Debian's packages.
            python = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else "python3"
            return self._script([python], "aiohttp-client.py", "import aiohttp")
        if program == "foundation-networking":
            return [self._swift("URLSessionClient", HOME / "foundation-networking-peer", HOME / ".build-foundation-networking")]
        product = {"async-http-client": "AsyncHTTPClientPeer", "ours": "URLSessionClient", "chart": "SpeedChart"}[program]
        return [self._swift(product, HOME, HOME / ".build")]

    def _script(self, interpreter: list[str], name: str, check: str) -> list[str]:
        os.environ.setdefault("NODE_PATH", "/usr/share/nodejs")
        option = "-e" if name.endswith(".js") else "-c"
        if subprocess.run(interpreter + [option, check], capture_output=True, timeout=60, check=False).returncode != 0:
            raise Unavailable(f"{check} fails; Debian has it as node-ws and python3-aiohttp")
        return interpreter + [str(HOME / "websocket-peers" / name)]

    def _go(self) -> str:
        """Of one file and the standard library: nothing is fetched."""
        output = HOME / ".build-go" / "go-peer"
        environment = dict(os.environ, GO111MODULE="off", GOPROXY="off", GOFLAGS="")
        run([which("go") or "go", "build", "-o", str(output), str(HOME / "go-peer" / "main.go")], environment)
        return str(output)

    def _swift(self, product: str, package, scratch, *options: str) -> str:
        command = ["swift", "build", "-c", "release", "--package-path", str(package), "--scratch-path", str(scratch), *options]
        run(command + ["--product", product] + self.jobs)
        return f"{scratch}/release/{product}"


def compile_c(source: Path, *options: str) -> str:
    """Compiles a program of one file; returns its path."""
    output = HOME / ".build-c" / source.stem
    output.parent.mkdir(exist_ok=True)
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        raise Unavailable("no C compiler")
    run([compiler, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-o", str(output), str(source), *options])
    return str(output)


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Runs a build; its output is shown only when it fails."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_LIMIT_SECONDS, check=False, env=environment)
    if result.returncode != 0:
        print(result.stdout[-4000:] + result.stderr[-4000:], flush=True)
        errors = [line for line in (result.stdout + result.stderr).splitlines() if "error:" in line]
        raise Unavailable(errors[0].strip() if errors else f"{command[0]} ended with {result.returncode}")
