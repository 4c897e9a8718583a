"""Fails on public top-level names of modules that no list has. Called by scripts/checks/api-surface with the list of names, the list of Apple's
declarations, the folder of the symbol graphs and the modules.

A top-level name that isn't Apple's may be that of another package's type, or of an app's: a file that imports both and says it doesn't
compile. A type that is nested in an Apple type hides one of its name inside that type's extensions, where apps have code of their own. So each
has its reason in the list of names."""

import glob
import json
import re
import sys

# What sequences must have, by their protocol.
REQUIRED = ("AsyncIterator", "Element", "Failure")
TYPES = ("swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias")


def base(name):
    """A declaration's name without argument labels."""
    return name.partition("(")[0]


def apples(path):
    """The top-level names in the list of Apple's declarations, and those of nested types as `Outer.Inner`."""
    names = set()
    for line in open(path):
        line = re.sub(r"^\[\w+\] ", "", re.sub(r"^- ", "", line.strip()))
        if line and not line.startswith("#"):
            names.add(re.match(r"[^(.\s]*", line).group(0))
            names.update(re.findall(r"^[A-Z]\w*\.[A-Z]\w*", line))
    return names


def reasons(path):
    """The listed names of each module. A name without a module or a reason is none."""
    listed, module = {}, None
    for number, line in enumerate(open(path), 1):
        if line.startswith("="):
            head = re.fullmatch(r"= (\w+): (\S.*)", line.strip())
            if not head:
                raise SystemExit(f"{path}:{number}: neither a module nor a reason")
            module = head.group(1)
        elif line.startswith("  ") and module:
            listed.setdefault(module, {}).update({name: number for name in line.split()})
    return listed


def top_level(folder, module):
    """The public top-level names that the module declares."""
    symbols = json.load(open(f"{folder}/{module}.symbols.json"))["symbols"]
    return {
        base(symbol["pathComponents"][0])
        for symbol in symbols
        if len(symbol["pathComponents"]) == 1 and "location" in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
    }


def nested(folder, module, known):
    """The public types that the module nests in Apple's, as `Outer.Inner`."""
    names = set()
    for path in glob.glob(f"{folder}/{module}.symbols.json") + glob.glob(f"{folder}/{module}@*.symbols.json"):
        for symbol in json.load(open(path))["symbols"]:
            kind, parts = symbol["kind"]["identifier"], symbol["pathComponents"]
            if kind in TYPES and len(parts) == 2 and parts[0] in known and parts[1] not in REQUIRED and "location" in symbol:
                names.add(".".join(parts))
    return names


def main(list_path, apples_path, folder, *modules):
    known, listed, wrong, count = apples(apples_path), reasons(list_path), 0, 0
    for module in modules:
        found = top_level(folder, module) | nested(folder, module, known)
        allowed = listed.get(module, {})
        count += len(found)
        for name in sorted(found - known - set(allowed)):
            wrong += 1
            if "." in name:
                print(f"{module} nests {name} in an Apple type, in whose extensions it hides others of that name: give it the prefix URLSession")
                print(f"  at the top level, or, if no code has to say its name, a line in {list_path}")
                continue
            print(f"{module} declares {name} at the top level, where it collides with other modules' {name}: nest it in an Apple type,")
            print(f"  or give it the prefix URLSession and a line in {list_path}")
        for name in sorted(set(allowed) - found):
            wrong += 1
            print(f"{list_path}:{allowed[name]}: {module} declares no {name}")
    print(f"{count} public names of types and at the top level, {wrong} of them wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
