"""Files and questions of people who publish counts, with the right answers: ``cases/*/case.json``.

Each has a command, or Python, and what must hold of its exit status, of what it prints, of what it
says on stderr, or of a number in its JSON. Those with a source restate a question that somebody
asked in public; their files are made up, and their numbers come from all outcomes at all vertices.
"""

import json
import operator
import shlex
from functools import reduce
from pathlib import Path

import pytest

from pkdp.__main__ import main

CASES = sorted(Path(__file__).with_name("cases").glob("*/case.json"))
COMPARISONS = {
    "==": operator.eq,
    ">=": operator.ge,
    "<=": operator.le,
    "has": operator.contains,
    "lacks": lambda text, part: part not in text,
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_case(path, capsys, monkeypatch):
    case = json.loads(path.read_text(encoding="utf-8"))
    monkeypatch.chdir(path.parent)
    found = {}
    if "python" in case:
        exec(case["python"], {})
    else:
        found["exit"] = main(shlex.split(case["command"]))
    said = capsys.readouterr()
    found |= {"printed": said.out, "err": said.err}
    if "--json" in case.get("command", ""):
        found |= json.loads(found["printed"])
    for name, wanted in case["check"].items():
        value = reduce(operator.getitem, name.split("."), found)
        for sign, right in wanted.items():
            assert COMPARISONS[sign](value, right), (name, value, sign, right)


def test_there_are_cases():
    assert len(CASES) >= 31
