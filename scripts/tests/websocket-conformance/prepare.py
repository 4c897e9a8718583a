"""Makes Python 3 of the Autobahn test suite's Python 2 source: prepare.py SOURCE TARGET.

Payloads in the suite are Python 2's strings: bytes. They stay strings here, one character a byte (ISO 8859-1), and become bytes where
they reach the protocol (server.py). So each file is read as ISO 8859-1, whatever its coding is said to be.
"""

import pathlib
import re
import shutil
import sys
import warnings

warnings.filterwarnings("ignore")
from lib2to3 import refactor  # noqa: E402  Python 3.8 to 3.12 have it.

source, target = map(pathlib.Path, sys.argv[1:3])
shutil.rmtree(target, ignore_errors=True)
shutil.copytree(source, target)
tool = refactor.RefactoringTool(refactor.get_fixers_from_package("lib2to3.fixes"))
for file in sorted(target.rglob("*.py")):
    if "wamp" in str(file) or "wsperf" in str(file):
        file.unlink()
        continue
    text = file.read_text(encoding="latin-1")
    text = re.sub(r"coding[=:]\s*utf-?8", "coding: latin-1", text, count=1)
    if "coding: latin-1" not in text.split("\n", 2)[0] + text.split("\n", 2)[1]:
        text = "# coding: latin-1\n" + text
    # Every class is an object's now.
    text = text.replace("(object, Case", "(Case").replace("(object, ", "(")
    text = text.replace("from zope.interface import implements", "implements = lambda *names: None")
    if file.name == "case10_1_1.py":
        text = text.replace("len(self.payload) / self", "len(self.payload) // self")
    file.write_text(str(tool.refactor_string(text + "\n", str(file))), encoding="latin-1")
(target / "__init__.py").write_text("version = '25.10.1'\n")
