"""Fails on public top-level names of modules that no list has. Called by scripts/api-surface with the list of names, the list of Apple's
declarations, the folder of the symbol graphs and the modules.

A top-level name that isn't Apple's may be that of another package's type, or of an app's: a file that imports both and says it doesn't
compile. So each has its reason in the list of names."""

import json
import re
import sys


def base(name):
    """A declaration's name without argument labels."""
    return name.partition("(")[0]


def apples(path):
    """The top-level names in the list of Apple's declarations."""
    names = set()
    for line in open(path):
        line = re.sub(r"^\[\w+\] ", "", re.sub(r"^- ", "", line.strip()))
        if line and not line.startswith("#"):
            names.add(re.match(r"[^(.\s]*", line).group(0))
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


def main(list_path, apples_path, folder, *modules):
    known, listed, wrong, count = apples(apples_path), reasons(list_path), 0, 0
    for module in modules:
        found, allowed = top_level(folder, module), listed.get(module, {})
        count += len(found)
        for name in sorted(found - known - set(allowed)):
            wrong += 1
            print(f"{module} declares {name} at the top level, where it collides with other modules' {name}: nest it in an Apple type,")
            print(f"  or give it the prefix URLSession and a line in {list_path}")
        for name in sorted(set(allowed) - found):
            wrong += 1
            print(f"{list_path}:{allowed[name]}: {module} declares no {name}")
    print(f"{count} public top-level names, {wrong} of them wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
