"""The command line: chooses what to run, runs it within a bounded time, and hands the rows to the report."""

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import time

from . import machine, report
from .programs import Programs, Unavailable
from .scenarios import CLIENTS, SCENARIOS, Client, Scenario
from .server import Server

RUN_LIMIT_SECONDS = 120


def main() -> int:
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    machine.install_missing()
    programs = Programs(options.jobs)
    for client in options.clients:
        try:
            programs.command(client.program)
        except Unavailable:
            continue
    rows, notes = measure_all(options, programs)
    finish(options, rows, notes)
    return 0 if rows else 1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures URLLoadingSystem and its peers against servers on loopback.")
    parser.add_argument("--scenarios", type=chosen(SCENARIOS), default=SCENARIOS, help="names, separated by commas")
    parser.add_argument("--clients", type=chosen(CLIENTS), default=CLIENTS, help="names, separated by commas")
    parser.add_argument("--runs", type=positive, help="runs of each client and scenario; the median is reported (default 3, quick 1)")
    parser.add_argument("--quick", action="store_true", help="one run, a tenth of the requests")
    parser.add_argument("--jobs", type=positive, help="parallel jobs of the builds")
    parser.add_argument("--time-limit", type=positive, default=1800, metavar="SECONDS", help="of all runs together, builds excluded")
    options = parser.parse_args()
    options.runs = options.runs or (1 if options.quick else 3)
    return options


def chosen(all_of_them: list):
    def read(text: str) -> list:
        names = text.split(",")
        unknown = set(names) - {each.name for each in all_of_them}
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(e.name for e in all_of_them)}")
        return [each for each in all_of_them if each.name in names]

    return read


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def measure_all(options: argparse.Namespace, programs: Programs) -> tuple[list[dict], dict[str, list[str]]]:
    """Every scenario with every client. A failure leaves its row out and says why."""
    rows: list[dict] = []
    notes: dict[str, list[str]] = {}
    server_core, client_core = machine.cores()
    with Server(server_core) as server:
        deadline = time.monotonic() + options.time_limit
        for scenario in options.scenarios:
            for client in (each for each in options.clients if each.takes_part(scenario)):
                try:
                    samples = [sample(client, scenario, server, client_core, programs, options, deadline) for _ in range(options.runs)]
                except Unavailable as error:
                    notes.setdefault(str(error), []).append(f"{scenario.name} {client.name}")
                    continue
                rows.append(report.median_row(scenario.name, client.name, samples))
                print(" ".join(cell for cell in report.cells_of(rows[-1], None) if cell), flush=True)
    return rows, notes


def sample(
    client: Client, scenario: Scenario, server: Server, core: int, programs: Programs, options: argparse.Namespace, deadline: float
) -> dict:
    """One run of one client in a process of its own."""
    limit = min(RUN_LIMIT_SECONDS, deadline - time.monotonic())
    if limit <= 0:
        raise Unavailable("the time limit was reached")
    command = ["taskset", "-c", str(core)] + programs.command(client.program)
    command += [scenario.name, server.url(scenario)]
    command += [str(scenario.requests(options.quick)), str(scenario.concurrency)] + client.arguments(scenario)
    environment = dict(os.environ)
    if scenario.moves_file:
        server.clear()
        command += ["--file", str(server.folder / ("source" if scenario.uploads else "target"))]
        environment["TMPDIR"] = str(server.folder)
    if scenario.tls:
        command += ["--cacert", server.certificate]
        environment["SSL_CERT_FILE"] = server.certificate
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"not done after {limit:.0f} s") from None
    if result.returncode != 0:
        reason = result.stderr.strip().splitlines()
        raise Unavailable(reason[-1][:300] if reason else f"ended with {result.returncode}")
    try:
        return json.loads(result.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        raise Unavailable("printed no result") from None


def finish(options: argparse.Namespace, rows: list[dict], notes: dict[str, list[str]]) -> None:
    left_out = [f"{', '.join(names)}: {reason}" for reason, names in notes.items()]
    print()
    print("\n".join(report.table(rows)))
    print("CPU is the client's, per request (us) or per GiB (s); ratio compares it with libcurl-multi (node-ws for WebSockets), below 1 is better.")
    if left_out:
        print("\nLeft out:\n" + "\n".join(left_out))
    report.write_json(rows)
    partial = options.quick or len(options.scenarios) < len(SCENARIOS) or len(options.clients) < len(CLIENTS)
    if partial or not rows:
        print("\nREADME.md keeps its table: only a full run rewrites it.")
        return
    report.write_readme(rows, left_out, machine.description(), shlex.join(["Benchmarks/run"] + sys.argv[1:]))
