"""Prints a report's results by group, and each case that failed: summary.py REPORT. Fails if a case did."""

import collections
import json
import sys

GROUPS = {
    "1": "framing", "2": "pings and pongs", "3": "reserved bits", "4": "opcodes", "5": "fragmentation", "6": "UTF-8", "7": "closing",
    "9": "limits and performance", "10": "miscellaneous", "12": "compression, data sets", "13": "compression, parameters",
}
PASSED = ("OK", "NON-STRICT", "INFORMATIONAL")

with open(sys.argv[1]) as file:
    report = json.load(file)
failures = len(report["agents"]) != 1
for results in report["agents"].values():
    table = collections.defaultdict(collections.Counter)
    for case, result in results.items():
        behavior, close = result["behavior"], result["behaviorClose"]
        kind = behavior if close in ("OK", "INFORMATIONAL") or behavior not in PASSED else "close: " + close
        table[case.split(".")[0]][kind] += 1
        if kind not in PASSED:
            failures = True
            print("%s: %s (%s), closing %s (%s)" % (case, behavior, result["result"], close, result["resultClose"]))
    print("| group | cases | " + " | ".join(PASSED) + " | other |\n|---|---|---|---|---|---|")
    total = collections.Counter()
    for group in sorted(table, key=int):
        count = table[group]
        total += count
        other = sum(count.values()) - sum(count[kind] for kind in PASSED)
        print("| %s %s | %d | %s | %d |" % (group, GROUPS[group], sum(count.values()), " | ".join(str(count[k]) for k in PASSED), other))
    other = sum(total.values()) - sum(total[kind] for kind in PASSED)
    print("| all | %d | %s | %d |" % (sum(total.values()), " | ".join(str(total[k]) for k in PASSED), other))
sys.exit(1 if failures else 0)
