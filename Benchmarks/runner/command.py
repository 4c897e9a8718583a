"""The command line: chooses what to run, runs it within a bounded time, and hands the rows to the report."""

import argparse
import shlex
import signal
import sys
import time

from . import machine, report
from .chart import write_chart
from .programs import Programs, Unavailable
from .run import Run
from .scenarios import CLIENTS, SCENARIOS
from .server import Server


def main() -> int:
    options = parse()
    programs = Programs(options.jobs)
    if options.chart:
        return 0 if write_chart(programs) else 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    machine.install_missing()
    for client in options.clients:
        if not any(client.takes_part(scenario) for scenario in options.scenarios):
            continue
        try:
            programs.command(client.program)
        except Unavailable:
            continue
    rows, notes = measure_all(options, programs)
    finish(options, programs, rows, notes)
    return 0 if rows else 1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures URLLoadingSystem and its peers against servers on loopback.")
    parser.add_argument("--scenarios", type=chosen(SCENARIOS), default=SCENARIOS, help="names, separated by commas")
    parser.add_argument("--clients", type=chosen(CLIENTS), default=CLIENTS, help="names, separated by commas")
    parser.add_argument("--runs", type=positive, help="runs of each client and scenario; the median is reported (default 3, quick 1)")
    parser.add_argument("--quick", action="store_true", help="one run, a tenth of the requests")
    parser.add_argument("--chart", action="store_true", help="draw results/speed.svg from results/latest.json; measure nothing")
    parser.add_argument("--jobs", type=positive, help="parallel jobs of the builds")
    parser.add_argument("--time-limit", type=positive, default=3600, metavar="SECONDS", help="of all runs together, builds excluded")
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
                run = Run(client, scenario, server, client_core, programs, options.quick, deadline)
                try:
                    samples = [sample for _ in range(options.runs) for sample in run.samples()]
                    samples[0]["allocations"] = run.allocations()
                except Unavailable as error:
                    notes.setdefault(str(error), []).append(f"{scenario.name} {client.name}")
                    continue
                rows.append(report.median_row(scenario.name, client.name, samples))
                print(" ".join(cell for cell in report.cells_of(rows[-1], None) if cell), flush=True)
    return rows, notes


def finish(options: argparse.Namespace, programs: Programs, rows: list[dict], notes: dict[str, list[str]]) -> None:
    left_out = [f"{', '.join(names)}: {reason}" for reason, names in notes.items()]
    print()
    print("\n".join(report.table(rows)))
    print("CPU is the client's, per request or per GiB; ratio compares it with libcurl-multi (curl, gtlsclient, node-ws where those are measured).")
    if left_out:
        print("\nLeft out:\n" + "\n".join(left_out))
    report.write_json(rows)
    partial = options.quick or len(options.scenarios) < len(SCENARIOS) or len(options.clients) < len(CLIENTS)
    if partial or not rows:
        print("\nREADME.md keeps its table: only a full run rewrites it.")
        return
    write_chart(programs)
    report.write_readme(rows, left_out, machine.description(), shlex.join(["Benchmarks/run"] + sys.argv[1:]))
