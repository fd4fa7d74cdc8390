"""The record of mutants: how many of each module were tried and killed, and why the others live."""

from typing import Any

import yaml

from pkdp._sources import code_digest
from tests.mutation.mutants import ROOT, mutants_of
from tests.mutation.trial import SURVIVED

PATH = ROOT / "tests" / "mutation" / "record.yml"
HEADING = """\
# Mutants of each numeric module: how many there are, how many were drawn and tried, how many of
# those the tests killed when each was first tried and now, and why the others live. `make mutants`
# writes this, but for the reasons ("why") and for whether a mutant is equivalent, so that whatever
# is promised still holds; people write these, and it keeps them. Modules that are not here have not
# been tried, and a survivor without a reason has not been looked at. What was tried is the text of
# the module with the digest that stands there ("text"); most modules must be what they were.
"""


def read() -> dict[str, dict[str, Any]]:
    """Return the record, by module."""
    return yaml.safe_load(PATH.read_text()) if PATH.exists() else {}


def text_of(module: str) -> str:
    """Return a digest of a module's text, without comments and docstrings."""
    return code_digest((ROOT / module).read_text())


def is_current(module: str) -> bool:
    """Whether a module was tried as it is."""
    return module in (known := read()) and known[module]["text"] == text_of(module)


def write(module: str, outcomes: dict[str, str]) -> None:
    """Put the outcomes of a module's mutants, by name, in the record."""
    record, mutants = read(), len(mutants_of(module))
    old = record.get(module, {})
    looked_at = {survivor["mutant"]: survivor for survivor in old.get("survivors", [])}
    names = [name for name, outcome in outcomes.items() if outcome == SURVIVED]
    short = [name.partition("::")[2] for name in names]
    # A larger sample begins with the smaller one.
    known, at_first = 0, 0
    if old.get("mutants") == mutants and old["tried"] <= len(outcomes):
        known, at_first = old["tried"], old["killed at first"]
    at_first += sum(outcome != SURVIVED for outcome in list(outcomes.values())[known:])
    record[module] = {
        "text": text_of(module),
        "mutants": mutants,
        "tried": len(outcomes),
        "killed at first": at_first,
        "killed": len(outcomes) - len(short),
        "survivors": [
            looked_at.get(name, {"mutant": name, "equivalent": False, "why": ""})
            for name in sorted(short)
        ],
    }
    text = yaml.safe_dump(
        dict(sorted(record.items())), sort_keys=False, width=100, allow_unicode=True
    )
    PATH.write_text(HEADING + text)
