"""Makes a DocC catalogue of the pages under Documentation/ and the symbol graphs. Called by scripts/documentation/docs.

The pages stay what they are on a forge: Markdown that links to Markdown. Here a link to a page becomes one to an article, one to a file of
the repository its text, and a paragraph that is nothing but a link to a file of Examples/ that file's text. `Documentation/site/landing.md`
names the pages in the order of reading; a page that it doesn't name is listed under "More". `Documentation/site/topics.txt` has the groups
of symbols.

usage: docs_catalogue.py REPOSITORY GRAPHS CATALOGUE [URL]     (URL: where the repository's files can be read, ending in /blob/BRANCH)
"""

import collections
import glob
import json
import os
import re
import shutil
import sys

ROOT = "swift-url-loading-system"
FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"(!?)\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)")
EXAMPLE = re.compile(r"^\[[^\]]*\]\((\.\./)*(Examples/[^)]+\.swift)\)$")


def anchor(heading):
    """The anchor that a forge gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def fragment(heading):
    """The fragment by which DocC links to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip()
    text = re.sub(r"['\"`’]", "", text)
    return "-".join(part for part in re.split(r"[^\w.]+|(?<=\W)\.|\.(?=\W|$)", text) if part)


def code_or_text(text):
    """The lines of a page, and whether each is code: in a fence, or indented and no part of a list."""
    inside, in_list = False, False
    for line in text.split("\n"):
        if FENCE.match(line):
            inside = not inside
            yield line, True
            continue
        if re.match(r"\s*([-*]|\d+\.) ", line):
            in_list = True
        elif re.match(r"\S", line):
            in_list = False
        yield line, inside or (line.startswith("    ") and not in_list)


def headings(text):
    """The headings of a page: outside of fenced blocks."""
    inside = False
    for line in text.split("\n"):
        if FENCE.match(line):
            inside = not inside
        elif not inside and (match := re.match(r"#{1,6}\s+(.*)", line)):
            yield match.group(1)


class Pages:
    """The articles, by the path of their files."""

    def __init__(self, repository):
        self.repository = repository
        paths = glob.glob(repository + "/Documentation/*.md") + glob.glob(repository + "/Documentation/decisions/*.md")
        self.texts = {os.path.relpath(path, repository): open(path).read() for path in sorted(paths)}
        self.names = {}
        for path in self.texts:
            name = os.path.basename(path)[:-3]
            self.names[path] = os.path.basename(os.path.dirname(path)) if name == "README" else name

    def is_decision(self, path):
        return path.startswith("Documentation/decisions/") and self.names[path] != "decisions"


class Writer:
    """Turns a page into an article."""

    def __init__(self, pages, types, url):
        self.pages, self.types, self.url = pages, types, url
        self.included, self.images = set(), set()

    def link(self, path, match):
        kind, text, target = match.groups()
        text = text.replace("\n", " ")
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        file, _, mark = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if kind:
            self.images.add(file)
            return f"![{text}]({os.path.basename(file)})"
        if file not in self.pages.names:
            return f"[{text}]({self.url}/{file}{'#' + mark if mark else ''})" if self.url else text
        found = next((h for h in headings(self.pages.texts[file]) if anchor(h) == mark), None) if mark else None
        return f"[{text}](doc:{self.pages.names[file]}{'#' + fragment(found) if found else ''})"

    def example(self, name):
        self.included.add(name)
        return ["```swift", *open(f"{self.pages.repository}/{name}").read().rstrip().split("\n"), "```"]

    def article(self, path, abstract):
        lines, seen = [], set()
        for line, is_code in code_or_text(self.linked(path)):
            if is_code:
                # The words after the language are for scripts/tests/test-documentation.
                lines.append(re.sub(r"^(\s*```\w+).*", r"\1", line))
            elif match := EXAMPLE.match(line):
                lines += self.example(match.group(2))
            elif not line.startswith("<!--"):
                lines.append(line if line.startswith("#") else self.symbols(line, seen))
        if abstract:
            lines[1:1] = ["", abstract]
        return "\n".join(lines)

    def linked(self, path):
        """The page with its links made the site's: of a paragraph as a whole, for a link's text may go on in the next line."""
        parts, text = [], []
        for line, is_code in [*code_or_text(self.pages.texts[path]), ("", True)]:
            if not is_code and not EXAMPLE.match(line):
                text.append(line)
                continue
            if text:
                parts.append(LINK.sub(lambda match: self.link(path, match), "\n".join(text)))
                text = []
            parts.append(line)
        return "\n".join(parts[:-1] if parts[-1] == "" else parts)

    def symbols(self, line, seen):
        """Links the first mention of each public type on a page."""

        def replace(match):
            name = match.group(1)
            if name not in self.types or name in seen:
                return match.group(0)
            seen.add(name)
            return f"``/{self.types[name]}/{name}``"

        parts = re.split(r"(\[(?:[^\]\\]|\\.)*\]\([^)]*\))", line)
        return "".join(part if part.startswith("[") else re.sub(r"(?<!`)`(\w+)`(?!`)", replace, part) for part in parts)


class Symbols:
    """What the symbol graphs declare, by the page it is listed on."""

    def __init__(self, folder):
        self.members = collections.defaultdict(list)
        self.paths = collections.Counter()
        self.types, self.modules = {}, []
        for path in sorted(glob.glob(folder + "/*.symbols.json")):
            graph = json.load(open(path))
            module = graph["module"]["name"]
            if module not in self.modules:
                self.modules.append(module)
            # Extensions of other modules' types have pages of their own.
            if "@" in os.path.basename(path):
                continue
            # What a protocol's extension gives for a requirement is listed with the requirement.
            defaults = {r["source"] for r in graph["relationships"] if r["kind"] == "defaultImplementationOf"}
            for symbol in graph["symbols"]:
                parts = symbol["pathComponents"]
                self.paths["/".join([module, *parts]).lower()] += 1
                if symbol["identifier"]["precise"] in defaults:
                    continue
                self.members["/".join([module, *parts[:-1]])].append((parts[-1], symbol["identifier"]["precise"]))
                if len(parts) == 1 and re.search(r"class|struct|enum|protocol", symbol["kind"]["identifier"]):
                    self.types.setdefault(parts[0], module)
        if "URLLoadingSystem" in self.modules:
            self.types.update({name: "URLLoadingSystem" for name, _ in self.members["URLLoadingSystem"] if name in self.types})

    def matching(self, page, pattern):
        """Links to the members that a pattern of topics.txt names, overloads told apart by the hash that DocC gives them."""
        for name, identifier in self.members[page]:
            base = name.partition("(")[0]
            fits = name == pattern if "(" in pattern else base.startswith(pattern[:-1]) if pattern.endswith("*") else base == pattern
            if fits:
                yield name + ("-" + short_hash(identifier) if self.paths[f"{page}/{name}".lower()] > 1 else "")


def short_hash(text):
    """DocC's: FNV-1, folded to 24 bits, in base 36."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value * 0x01000193) & 0xFFFFFFFF) ^ byte
    value = (value >> 24) ^ (value & 0xFFFFFF)
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def symbol_pages(path, symbols):
    """The extension files of topics.txt, by the name of the page."""
    pages, page, place, used = {}, None, None, set()
    for number, line in enumerate(open(path), 1):
        line = line.rstrip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("= "):
            page, _, abstract = (part.strip() for part in line[2:].partition(":"))
            # A module has no comment of its own, and no way back to the articles.
            text = [abstract, "", f"Guides, and the other modules: <doc:{ROOT}>.", ""] if abstract else []
            place = re.sub(r"-swift\.\w+", "", page)
            pages[page] = [f"# ``{page}``", "", *text, "## Topics"]
            used = set()
        elif line.startswith("+ "):
            pages[page] += ["", f"### {line[2:]}", ""]
        else:
            for pattern in line.split():
                found = [name for name in symbols.matching(place, pattern) if name not in used]
                # A module may have been built without the trait that a symbol comes with.
                if not found and symbols.members[place]:
                    print(f"{path}:{number}: {page} has no {pattern} that isn't listed yet", file=sys.stderr)
                used.update(found)
                pages[page] += [f"- ``{name}``" for name in found]
    return {page: lines for page, lines in pages.items() if symbols.members[re.sub(r"-swift\.\w+", "", page)]}


def landing(path, pages, symbols, writer):
    """The landing page with the topics that there are, and the abstracts that it gives to articles. It ends with a link to the repository."""
    lines, abstracts = [], {}
    names = set(pages.names.values())
    for line in open(f"{pages.repository}/{path}").read().split("\n"):
        # The words after the language are for scripts/tests/test-documentation.
        line = re.sub(r"^(```\w+) .*", r"\1", LINK.sub(lambda match: writer.link(path, match), line))
        if line == "## Topics" and writer.url:
            lines += [f"Sources, issues and README: [the repository]({re.sub(r'/blob/.*', '', writer.url)}).", ""]
        if match := re.match(r"- <doc:([\w-]+)>:? *(.*)", line):
            if match.group(1) not in names:
                continue
            abstracts[match.group(1)] = match.group(2)
            line = f"- <doc:{match.group(1)}>"
        elif (match := re.match(r"- ``(\w+)``$", line)) and match.group(1) not in symbols.modules:
            continue
        lines.append(line)
    more = [name for path, name in pages.names.items() if name not in abstracts and not pages.is_decision(path)]
    modules = [name for name in symbols.modules if f"- ``{name}``" not in lines]
    if more or modules:
        lines += ["", "### More", ""] + [f"- <doc:{name}>" for name in more] + [f"- ``{name}``" for name in modules]
    # A group whose pages are all absent has no title either.
    text = re.sub(r"### [^\n]*\n\n(?=### |\Z)", "", re.sub(r"\n{3,}", "\n\n", "\n".join(lines)))
    head, rest = text.split("\n", 1)
    return "\n".join([head, "", "@Metadata {", "  @TechnologyRoot", "}", rest.rstrip(), ""]), abstracts


def main(repository, graphs, catalogue, url=""):
    pages, symbols = Pages(repository), Symbols(graphs)
    writer = Writer(pages, symbols.types, url)
    front, abstracts = landing("Documentation/site/landing.md", pages, symbols, writer)
    articles = {ROOT: front}
    for path, name in pages.names.items():
        articles[name] = writer.article(path, abstracts.get(name, ""))
    decisions = [name for path, name in pages.names.items() if pages.is_decision(path)]
    articles["decisions"] += "\n## Topics\n\n### Decisions\n\n" + "\n".join(f"- <doc:{name}>" for name in decisions) + "\n"
    for page, lines in symbol_pages(repository + "/Documentation/site/topics.txt", symbols).items():
        articles[page.replace("/", "-")] = "\n".join(lines) + "\n"
    os.makedirs(catalogue, exist_ok=True)
    for name, text in articles.items():
        with open(f"{catalogue}/{name}.md", "w") as file:
            file.write(text)
    for image in sorted(writer.images):
        shutil.copy(f"{repository}/{image}", catalogue)
    snippets = {os.path.relpath(path, repository) for path in glob.glob(repository + "/Examples/Snippets/*.swift")}
    for name in sorted(snippets - writer.included):
        print(f"{name}: on no page of the documentation", file=sys.stderr)
    sys.exit(1 if snippets - writer.included else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
