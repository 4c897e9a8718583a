"""Compares a list of declarations with symbol graphs. Called by scripts/checks/api-surface with the list, the folder of the graphs and the file
to which the list's statements are written, so that they can be type-checked."""

import collections
import glob
import json
import os
import sys

PREAMBLE = "import Foundation\nimport URLLoadingSystem\n"


def read_list(path, modules):
    """The declarations to count with their line numbers, the statements of those that are to be type-checked, and how many belong to Apple's
    platforms alone, or to modules that haven't been built."""
    wanted, probes, left_out, unbuilt = [], [], 0, 0
    for number, line in enumerate(open(path), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("- "):
            left_out += 1
            continue
        if line.startswith("["):
            module, _, line = line[1:].partition("] ")
            if module not in modules:
                unbuilt += 1
                continue
        name, _, statement = (part.strip() for part in line.partition(" = "))
        if statement:
            probes.append((number, name, statement))
        else:
            wanted.append((number, name))
    return wanted, probes, left_out, unbuilt


class Symbols:
    """How often a name is declared, members of superclasses and protocols included."""

    def __init__(self, folder):
        self.counts = collections.Counter()
        self.parents = collections.defaultdict(set)
        paths, defaults, inheritances = {}, set(), []
        graphs = [json.load(open(path)) for path in glob.glob(folder + "/*.symbols.json")]
        for graph in graphs:
            for relation in graph["relationships"]:
                # A default implementation isn't a declaration besides its requirement.
                if relation["kind"] == "defaultImplementationOf":
                    defaults.add(relation["source"])
                elif relation["kind"] in ("inheritsFrom", "conformsTo"):
                    inheritances.append((relation["source"], relation["target"], relation.get("targetFallback", "")))
        seen = set()
        for graph in graphs:
            for symbol in graph["symbols"]:
                identifier = symbol["identifier"]["precise"]
                if any(entry.get("isUnconditionallyUnavailable") for entry in symbol.get("availability", [])):
                    continue
                paths[identifier] = ".".join(symbol["pathComponents"])
                if identifier in defaults or identifier in seen:
                    continue
                seen.add(identifier)
                self.counts[paths[identifier]] += 1
        for source, target, fallback in inheritances:
            parent = paths.get(target, fallback.rpartition(".")[2] if "." in fallback else fallback)
            if source in paths:
                self.parents[paths[source]].add(parent)

    def count(self, name, depth=8):
        found = self.counts[name]
        owner, _, member = name.rpartition(".")
        if found or not owner or depth == 0:
            return found
        return max((self.count(f"{parent}.{member}", depth - 1) for parent in self.parents[owner]), default=0)


def main(list_path, folder, probes_path):
    modules = {os.path.basename(path).split(".")[0].split("@")[0] for path in glob.glob(folder + "/*.symbols.json")}
    wanted, probes, left_out, unbuilt = read_list(list_path, modules)
    symbols = Symbols(folder)
    needed, missing = collections.Counter(), []
    for number, name in wanted:
        needed[name] += 1
        if symbols.count(name) < needed[name]:
            missing.append((number, name))
    with open(probes_path, "w") as file:
        if probes:
            file.write(PREAMBLE)
        for number, _, statement in probes:
            file.write(f'#sourceLocation(file: "{list_path}", line: {number})\nfunc probe{number}() async throws {{ {statement} }}\n')
    for number, name in missing:
        print(f"{list_path}:{number}: missing: {name}")
    total = len(wanted) + len(probes)
    print(
        f"{total - len(missing)} of {total} declarations exist ({len(probes)} by type-checking); "
        f"{left_out} belong to Apple's platforms alone, {unbuilt} to modules that haven't been built"
    )
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
