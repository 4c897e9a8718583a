"""The picture of README.md: results/speed.svg, drawn from results/latest.json."""

import json
from html import escape

from .scenarios import HOME

# One panel each: scenario, title, what is measured.
PANELS = [
    ("h1-1k-c64", "HTTP/1.1", "64 requests at once"),
    ("tls-1k-c64", "HTTPS", "TLS 1.3, 64 requests at once"),
    ("h2-1k-c64", "HTTP/2", "64 requests at once, one connection"),
    ("cold-1k", "New connections", "one for each request"),
]
# One bar each: client, label. The first is this project's.
BARS = [
    ("ours-async", "URLLoadingSystem"),
    ("libcurl-multi", "libcurl"),
    ("go", "Go net/http"),
    ("async-http-client", "AsyncHTTPClient"),
    ("foundation-networking", "FoundationNetworking"),
]
WIDTH, PANEL_WIDTH, PANEL_MARGIN = 880, 420, 60
LABEL_WIDTH, BAR_HEIGHT, BAR_STEP = 160, 18, 26
FULL_BAR = PANEL_WIDTH - LABEL_WIDTH - 90
STYLE = """
  text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #424a53; }
  .card { fill: #ffffff; stroke: #d0d7de; }
  .title { font-size: 18px; font-weight: 600; fill: #1f2328; }
  .panel { font-size: 15px; font-weight: 600; fill: #1f2328; }
  .ours { font-weight: 600; fill: #1f2328; }
  .bar { fill: #b3bcc6; } .bar.ours { fill: #e8590c; } .cut { stroke: #ffffff; }
  .absent { font-style: italic; fill: #6e7781; }
  @media (prefers-color-scheme: dark) {
    text { fill: #b6bec7; }
    .card { fill: #161b22; stroke: #3d444d; }
    .title, .panel, .ours { fill: #f0f6fc; }
    .bar { fill: #656d76; } .bar.ours { fill: #ff7a33; } .cut { stroke: #161b22; }
    .absent { fill: #8b949e; }
  }
"""


def write_chart() -> bool:
    """Draws what the last run measured; says so when it has nothing for the picture."""
    file = HOME / "results" / "latest.json"
    rows = json.loads(file.read_text()) if file.exists() else []
    figures = {(row["scenario"], row["client"]): row["cpu_us_per_request"] for row in rows if row["cpu_us_per_request"]}
    if not shown_panels(figures):
        print("results/speed.svg was left alone: results/latest.json has no figures of ours that it shows")
        return False
    (HOME / "results" / "speed.svg").write_text(drawing(figures))
    return True


def shown_panels(figures: dict[tuple[str, str], float]) -> list[tuple[str, str, str]]:
    """Those with a figure of ours."""
    return [each for each in PANELS if (each[0], BARS[0][0]) in figures]


def shown_bars(figures: dict[tuple[str, str], float]) -> list[tuple[str, str]]:
    """Those of clients that were measured in one of the panels: each panel has the same, at the same places."""
    return [bar for bar in BARS if any((scenario, bar[0]) in figures for scenario, _, _ in shown_panels(figures))]


def drawing(figures: dict[tuple[str, str], float]) -> str:
    panels = shown_panels(figures)
    panel_height = PANEL_MARGIN + BAR_STEP * len(shown_bars(figures))
    height = 66 + (len(panels) + 1) // 2 * panel_height + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
        "<title>CPU time of the client per request</title>",
        f"<desc>{escape(description(figures))}</desc>",
        f"<style>{STYLE}</style>",
        f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
        '<text class="title" x="24" y="36">CPU time of the client per request of 1 KiB: shorter is better</text>',
    ]
    for index, each in enumerate(panels):
        x, y = 24 + index % 2 * (PANEL_WIDTH + 4), 66 + index // 2 * panel_height
        parts += [f'<g transform="translate({x} {y})">'] + panel(*each, figures) + ["</g>"]
    parts += [
        f'<text x="24" y="{height - 18}">Each panel has a scale of its own; a bar that is cut is longer than drawn. '
        "One core for the client, nginx on another, loopback.</text>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def panel(scenario: str, title: str, subtitle: str, figures: dict[tuple[str, str], float]) -> list[str]:
    bars = shown_bars(figures)
    values = {client: figures.get((scenario, client)) for client, _ in bars}
    longest = scale([value for value in values.values() if value])
    parts = [f'<text y="12"><tspan class="panel">{escape(title)}</tspan>  {escape(subtitle)}</text>']
    for index, (client, label) in enumerate(bars):
        y, ours = 26 + index * BAR_STEP, " ours" if index == 0 else ""
        value, middle = values[client], y + BAR_HEIGHT / 2 + 4.5
        parts.append(f'<text class="name{ours}" x="{LABEL_WIDTH - 8}" y="{middle}" text-anchor="end">{escape(label)}</text>')
        if not value:
            parts.append(f'<text class="absent" x="{LABEL_WIDTH + 2}" y="{middle}">not measured</text>')
            continue
        width = FULL_BAR * min(1.0, value / longest)
        parts.append(f'<rect class="bar{ours}" x="{LABEL_WIDTH}" y="{y}" width="{width:.1f}" height="{BAR_HEIGHT}" rx="2"/>')
        if value > longest:
            for offset in (26, 34):
                x = LABEL_WIDTH + FULL_BAR - offset
                parts.append(f'<path class="cut" d="M{x} {y + BAR_HEIGHT + 2}l8 -{BAR_HEIGHT + 4}" stroke-width="3"/>')
        parts.append(f'<text class="value{ours}" x="{LABEL_WIDTH + width + 6:.1f}" y="{middle}">{shown(value)}</text>')
    return parts


def scale(values: list[float]) -> float:
    """The value of a whole bar: the largest, or, where that would leave all others stubs, a little more than the second."""
    ordered = sorted(values)
    if len(ordered) > 1 and ordered[-1] > 3 * ordered[-2]:
        return ordered[-2] * 1.25
    return ordered[-1] if ordered else 1.0


def shown(microseconds: float) -> str:
    return f"{microseconds:.0f} µs" if microseconds >= 100 else f"{microseconds:.1f} µs"


def description(figures: dict[tuple[str, str], float]) -> str:
    """The same figures in words, for readers who don't see the picture."""
    sentences = []
    for scenario, title, subtitle in shown_panels(figures):
        clients = [f"{label} {shown(figures[scenario, client])}" for client, label in BARS if figures.get((scenario, client))]
        sentences.append(f"{title}, {subtitle}: {', '.join(clients)}.")
    return " ".join(sentences)
