"""What comes out: the table on the terminal, results/latest.json, and the table in README.md."""

import json
import statistics

from .scenarios import BASELINES, HOME

FIGURES = ["cpu_us_per_request", "requests_per_second", "gigabytes_per_second", "peak_mib", "kib_per_connection", "threads", "allocations"]
BEGIN = "<!-- results: written by ./run, don't edit -->"
END = "<!-- end of results -->"


def median_row(scenario: str, client: str, samples: list[dict]) -> dict:
    """The median of each figure over the runs, and under `least` and `most` its smallest and largest value; null stays null."""
    row: dict = {"scenario": scenario, "client": client}
    ranges: dict[str, dict] = {"least": {}, "most": {}}
    for figure in FIGURES:
        values = [sample[figure] for sample in samples if sample.get(figure) is not None]
        row[figure] = round(statistics.median(values), 3) if values else None
        if len(values) > 1:
            ranges["least"][figure], ranges["most"][figure] = min(values), max(values)
    return row | ranges


def write_json(rows: list[dict]) -> None:
    results = HOME / "results"
    results.mkdir(exist_ok=True)
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    (results / "latest.json").write_text(f"[\n{lines}\n]\n" if rows else "[]\n")


def table(rows: list[dict]) -> list[str]:
    """A Markdown table, aligned so that it reads well on a terminal too."""
    head = ["scenario", "client", "CPU", "least–most", "ratio", "requests/s", "GB/s", "peak MiB", "KiB each", "threads", "allocations"]
    baselines = {row["scenario"]: compared(row) for row in rows if row["client"] in BASELINES}
    cells = [head] + [cells_of(row, baselines.get(row["scenario"])) for row in rows]
    # Columns that no row has anything in are left out.
    used = [column for column in range(len(head)) if any(line[column] for line in cells[1:])]
    cells = [[line[column] for column in used] for line in cells]
    widths = [max(len(line[column]) for line in cells) for column in range(len(used))]
    aligned = [
        "| " + " | ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))) + " |" for line in cells]
    rule = "|" + "|".join("-" * (w + 2) if i < 2 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return [aligned[0], rule] + aligned[1:]


def compared(row: dict) -> float | None:
    """What ratios compare: CPU, or memory where that is all that is measured."""
    return row["cpu_us_per_request"] or row["kib_per_connection"]


def cells_of(row: dict, baseline: float | None) -> list[str]:
    cpu = row["cpu_us_per_request"]
    return [
        row["scenario"],
        row["client"],
        duration(cpu),
        spread(row["least"].get("cpu_us_per_request"), row["most"].get("cpu_us_per_request")),
        f"{compared(row) / baseline:.2f}" if baseline else "",
        number(row["requests_per_second"], 0),
        number(row["gigabytes_per_second"], 2),
        number(row["peak_mib"], 0),
        number(row["kib_per_connection"], 1),
        number(row["threads"], 0),
        number(row["allocations"], 1),
    ]


def number(value: float | None, places: int) -> str:
    return f"{value:,.{places}f}" if value is not None else ""


def duration(microseconds: float | None) -> str:
    """In the unit that suits it."""
    if microseconds is None:
        return ""
    if microseconds >= 100_000:
        return f"{microseconds / 1e6:.2f} s"
    return f"{microseconds / 1e3:.1f} ms" if microseconds >= 5_000 else f"{microseconds:.1f} us"


def spread(least: float | None, most: float | None) -> str:
    """Both ends of a range, the unit once where it is the same."""
    first, last = duration(least), duration(most)
    if first == last:
        return ""
    return f"{first.split()[0]}–{last}" if first.split()[1] == last.split()[1] else f"{first}–{last}"


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
