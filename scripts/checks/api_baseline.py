"""Compares the public declarations of modules with a list of them, or writes the list anew. Called by scripts/checks/api-surface with the list, the
folder of the symbol graphs and the modules.

A line is a module, a symbol's place in it and its declaration. Lines that are gone are breaks of source compatibility until a release says
so; new lines are additions."""

import glob
import json
import os
import sys


def declarations(folder, modules):
    """The lines of the modules' symbols, but for those that the compiler synthesizes and those that aren't there to be used."""
    lines = set()
    for module in modules:
        for path in glob.glob(f"{folder}/{module}.symbols.json") + glob.glob(f"{folder}/{module}@*.symbols.json"):
            for symbol in json.load(open(path))["symbols"]:
                if "::SYNTHESIZED::" in symbol["identifier"]["precise"] or "location" not in symbol:
                    continue
                if any(entry.get("isUnconditionallyUnavailable") for entry in symbol.get("availability", [])):
                    continue
                text = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
                lines.add(f"{module} {'.'.join(symbol['pathComponents'])}: {' '.join(text.split())}")
    return lines


def main(arguments):
    update = arguments[0] == "--update"
    path, folder, *modules = arguments[1:] if update else arguments
    found = declarations(folder, modules)
    listed = set(open(path).read().splitlines()) if os.path.exists(path) else set()
    known = {line for line in listed if line.partition(" ")[0] in modules}
    if update:
        with open(path, "w") as file:
            file.writelines(line + "\n" for line in sorted(found | (listed - known)))
        print(f"{path}: {len(found - known)} added, {len(known - found)} removed, {len(found)} in all")
        return 0
    for line in sorted(known - found):
        print(f"{path}: gone or changed: {line}")
    for line in sorted(found - known):
        print(f"{path}: new: {line}")
    if known == found:
        print(f"the {len(found)} public declarations are those of {path}")
        return 0
    print("If that is meant: scripts/checks/api-surface --update, and a line in CHANGELOG.md; what is gone takes a new minor version.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
