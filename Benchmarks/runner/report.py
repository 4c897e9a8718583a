"""What comes out: the table on the terminal, results/latest.json, and the table in README.md."""

import json
import statistics

from .scenarios import BASELINES, HOME

FIGURES = ["cpu_us_per_request", "requests_per_second", "gigabytes_per_second", "peak_mib", "kib_per_connection"]
BEGIN = "<!-- results: written by ./run, don't edit -->"
END = "<!-- end of results -->"


def median_row(scenario: str, client: str, samples: list[dict]) -> dict:
    """The median of each figure over the runs; null stays null."""
    row: dict = {"scenario": scenario, "client": client}
    for figure in FIGURES:
        values = [sample[figure] for sample in samples if sample.get(figure) is not None]
        row[figure] = round(statistics.median(values), 3) if values else None
    return row


def write_json(rows: list[dict]) -> None:
    results = HOME / "results"
    results.mkdir(exist_ok=True)
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    (results / "latest.json").write_text(f"[\n{lines}\n]\n" if rows else "[]\n")


def table(rows: list[dict]) -> list[str]:
    """A Markdown table, aligned so that it reads well on a terminal too."""
    head = ["scenario", "client", "CPU", "ratio", "requests/s", "GB/s", "peak MiB", "KiB/socket"]
    baselines = {row["scenario"]: row["cpu_us_per_request"] for row in rows if row["client"] in BASELINES}
    cells = [head] + [cells_of(row, baselines.get(row["scenario"])) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    aligned = [
        "| " + " | ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))) + " |" for line in cells]
    rule = "|" + "|".join("-" * (w + 2) if i < 2 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return [aligned[0], rule] + aligned[1:]


def cells_of(row: dict, baseline: float | None) -> list[str]:
    cpu = row["cpu_us_per_request"]
    is_big = row["gigabytes_per_second"] is not None
    rate, throughput = row["requests_per_second"], row["gigabytes_per_second"]
    return [
        row["scenario"],
        row["client"],
        f"{cpu / 1e6:.2f} s" if is_big else f"{cpu:.1f} us",
        f"{cpu / baseline:.2f}" if baseline else "",
        f"{rate:,.0f}" if rate is not None else "",
        f"{throughput:.2f}" if throughput is not None else "",
        f"{row['peak_mib']:.0f}" if row["peak_mib"] is not None else "",
        f"{row['kib_per_connection']:.1f}" if row.get("kib_per_connection") is not None else "",
    ]


def write_readme(rows: list[dict], notes: list[str], machine: list[str], command: str) -> None:
    """Replaces what stands between the two marks; the rest of the page is written by hand."""
    file = HOME / "README.md"
    text = file.read_text()
    if BEGIN not in text or END not in text:
        print("README.md has no marks for the results; it was left alone")
        return
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    body = [BEGIN, "", f"`{command}` on this machine:", ""] + [f"- {fact}" for fact in machine] + [""] + table(rows)
    if notes:
        body += ["", "Left out:", ""] + [f"- {note}" for note in notes]
    file.write_text(before + "\n".join(body) + "\n\n" + END + after)
