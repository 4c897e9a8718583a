"""Checks and finishes a site that DocC has made. Called by scripts/documentation/docs with the file of diagnostics, the site's folder and the path that
it is served below. Fails on links that lead nowhere."""

import glob
import json
import os
import re
import sys
import urllib.parse

ROOT = "documentation/swift-url-loading-system/"
# DocC's columns are made for lines of 80 characters; the code here has up to 140. What is too long for the window continues below.
STYLE = """
.code-listing pre>code{font-size:.765rem!important;white-space:pre-wrap!important}
.code-listing .code-line{display:inline-block;width:100%;box-sizing:border-box;padding-left:4em;text-indent:-4em}
@media only screen and (min-width:1500px){
.full-width-container .container:not(.minimized-container),
.full-width-container .documentation-hero__content:not(.minimized-hero){max-width:1240px!important}}
"""


def complaints(path):
    """DocC's warnings but for parameters without a line of their own, which the summary or the type explains."""
    if not os.path.exists(path):
        yield "docc has written no diagnostics: it failed"
        return
    for entry in json.load(open(path))["diagnostics"]:
        if entry["summary"].endswith("is missing documentation"):
            continue
        line = entry.get("range", {}).get("start", {}).get("line", 0)
        yield f"{os.path.basename(entry.get('source', ''))}:{line}: {entry['summary']}"


def dead_links(site):
    """Links of rendered pages to pages of the site that aren't there."""
    for path in glob.glob(site + "/data/documentation/**/*.json", recursive=True):
        page = json.load(open(path))
        for reference in page.get("references", {}).values():
            target = reference.get("url", "")
            # A link to a page that wasn't made one to an article stays as it was written.
            if reference.get("type") == "link" and not re.match(r"https?:|mailto:", target):
                yield f"{os.path.relpath(path, site)}: leads to {target}, which isn't a page of the site"
            if not target.startswith("/documentation/"):
                continue
            file = site + "/data" + urllib.parse.unquote(target.partition("#")[0]).rstrip("/").lower() + ".json"
            if not os.path.exists(file):
                yield f"{os.path.relpath(path, site)}: leads to {target}, which isn't there"


def redirect(site, base):
    """The site's own address, and /documentation, lead to the landing page."""
    place = base.rstrip("/") + "/" + ROOT
    page = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={place}"><a href="{place}">Documentation</a>\n'
    for file in ("index.html", "documentation/index.html"):
        with open(f"{site}/{file}", "w") as output:
            output.write(page)


def widen(site):
    for path in glob.glob(site + "/css/index.*.css"):
        with open(path, "a") as file:
            file.write(STYLE)


def main(diagnostics, site, base):
    found = sorted(set(complaints(diagnostics)))
    if os.path.isdir(site + "/data"):
        found += sorted(set(dead_links(site)))
        redirect(site, base)
        widen(site)
    for line in found:
        print(line, file=sys.stderr)
    pages = glob.glob(site + "/data/documentation/**/*.json", recursive=True)
    print(f"{len(pages)} pages; {len(found)} complaints")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
