"""What the pages and the ledger say, by anchor: formulas, numbers, quantifiers and conditions.

::

    python -m tests.book.inventory          # what is missing, and what is new, since it was stored
    python -m tests.book.inventory --store  # in tests/data/inventory.txt

A statement is what is inside a directive with a label, and counts how often it has an item; so does
an entry of the ledger. What follows belongs to the statement, or to the claim whose verdict it
shows, up to the next heading; else to the label of its section, or to the pages of its number. So
nothing is missing that moved between these pages with its anchor.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from book._ext.ledger import evidence
from tests.book.stored import LEDGER
from tests.book.test_uses import LINK

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "tests" / "data" / "inventory.txt"

# How often "thm-3 statement", "thm-3 text" and "thm-3 ledger" have an item; of a text, if at all.
Inventory = Counter[tuple[str, str]]

FENCE = re.compile(r" *([`:]{3,})(?:\{([^}]+)\})? *(.*)")
LABEL = re.compile(r" *(?:\((\S+)\)=|:(?:label|name): *(\S+)) *")
OPTION = re.compile(r" *:[\w-]+:(?: .*)?")
ITEM = re.compile(r" *(?:[-*+]|\d+\.|:) ")
VERDICT = re.compile(r"\{claim\}`([^`]*) <([\w-]+)>`")
NOT_SAID = re.compile(r"(?:\{[\w:]+\})?`[^`]*`|<https?:[^>]*>")  # roles, code, addresses
MATH = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)
SPACING = re.compile(r"\\(?:[,;:! ]|(?:left|right|[bB]igg?[lr]?|q?quad)(?![a-zA-Z]))|[&~]|\\\\")
SYMBOL = re.compile(r"\\?[a-zA-Z]+(?:_\w)?")
SAME = {
    r"\\[td]frac": r"\\frac",
    r"\\frac *(\w)": r"\\frac{\1}",
    r"(\\frac\{\w\}) *(\w)": r"\1{\2}",
    r"\\([lg])eq(?![a-z])": r"\\\1e",
    r"([_^])\{(\w)\}": r"\1\2",
    r" +(?![a-zA-Z])": "",
    r"(\\[a-zA-Z]+ )|\s": r"\1",
}
PLACE = "Theorem|Proposition|Lemma|Corollary|Definition|Example|Algorithm|Figure|Result|[Ss]ection"
REFERENCE = re.compile(rf"\b(?:{PLACE}|[Pp]age|[Pp]art)s? [A-Z]?\d[\d.]*(?:(?:, | and | to )\d+)*")
NUMBER = re.compile(
    r"(?<![\w.])\d[\d,.]*(?<![,.])(?:/\d+)?%?|\b(?:half|twice|third|quarter|two|three|four|five|six"
    r"|seven|eight|nine|ten|hundred|thousand|million|billion)\b"
)
WORD = re.compile(
    r"\b(?:if and only if|only if|if|unless|provided|whenever|as long as|such that|without|except"
    r"|assum\w+|suppose|given|independent\w*|identical\w*|each|every|all|any|some|none|no|not|never"
    r"|always|only|exactly|both|neither|either|at most|at least|more than|less than|fewer than"
    r"|up to|above|below|between|must|may|need not|there (?:is|are))\b",
    re.IGNORECASE,
)


def formula(tex: str) -> str:
    r"""Normalize a formula: how it is spaced and ends does not count.

    Examples
    --------
    >>> print(formula(r"x_{i} \leq \left( \tfrac12 \right)\,."), formula(r"\ln  n - 1"))
    x_i\le(\frac{1}{2}) \ln n-1
    """
    tex = " ".join(SPACING.sub(" ", tex).split())
    for pattern, same in SAME.items():
        tex = re.sub(pattern, same, tex)
    return tex.rstrip(".,;")


def items(text: str) -> Counter[str]:
    """Return the formulas of a text, single symbols left out, its numbers and its words."""
    text = NOT_SAID.sub("", VERDICT.sub(r"\1", text))
    formulas = (formula(display or inline) for display, inline in MATH.findall(text))
    found = Counter(f"${one}$" for one in formulas if one and not SYMBOL.fullmatch(one))
    words = REFERENCE.sub("", " ".join(LINK.sub(r"\1", MATH.sub(" ", text)).split()))
    found.update(NUMBER.findall(words))
    found.update(word.lower() for word in WORD.findall(words))
    return found


def blocks(page: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield what has each paragraph of a page, and the paragraph."""
    pages = re.sub(r"((?:^|/)(?:\d+-)*\d+)-[^/]*$", r"\1", page)
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    opened: list[list[str]] = []  # of each directive its fence, its kind and its label
    anchor, labelled, said = pages, False, ""
    for line in [*text.splitlines(), ""]:
        fence, label, heading = FENCE.fullmatch(line), LABEL.fullmatch(line), line.startswith("#")
        skipped = bool(opened) and opened[-1][1] in ("", "code-cell", "eval-rst")
        item = ITEM.match(line) and said.count("$$") % 2 == 0
        if said and (fence or label or heading or item or not line.strip()):
            statements = [one for *_, one in opened if one]
            told = [*(name for _, name in VERDICT.findall(said)), anchor]
            yield f"{statements[-1]} statement" if statements else f"{told[0]} text", said
            said = ""
        if fence and opened and fence.groups() == (opened[-1][0], None, ""):
            opened.pop()
        elif fence and not skipped:
            opened.append([fence[1], fence[2] or "", ""])
        elif label and not skipped:
            anchor, labelled = label[1] or label[2], bool(label[1])
            opened[-1:] = [[*one[:2], anchor] for one in opened[-1:]]
        elif heading and not skipped:
            anchor, labelled, said = anchor if labelled else pages, False, line
        elif not (skipped or (OPTION.fullmatch(line) and not said)):
            said += f"\n{line}" if line else ""


def counted(said: Iterable[tuple[str, str]]) -> Inventory:
    """Return the inventory of texts; each follows what has it."""
    found = Counter((place, item) for place, text in said for item in items(text).elements())
    return Counter({key: 1 if key[0].endswith(" text") else found[key] for key in found})


def now() -> Inventory:
    """Return what the book says."""
    book = ROOT / "book"
    names = {str(path.relative_to(book).with_suffix("")): path for path in book.rglob("*.md")}
    pages = (one for name in names for one in blocks(name, names[name].read_text(encoding="utf-8")))
    entries = ((f"{e.id} ledger", text) for e in LEDGER.entries for text in evidence.texts(e))
    return counted([*pages, *entries])


def written(inventory: Inventory) -> str:
    """Return an inventory as a text: a line for what has items, and below it one for each item."""
    lines = [""]
    for place, of_place in groupby(sorted(inventory.items()), key=lambda one: one[0][0]):
        lines.append(place)
        lines += (f" {item}" + f"\t{number}" * (number > 1) for (_, item), number in of_place)
    return "\n".join(lines[1:]) + "\n"


def read(text: str) -> Inventory:
    """Return the inventory that is written in a text."""
    found: Inventory = Counter()
    place = ""
    for line in text.splitlines():
        item, _, number = line.partition("\t")
        place = place if item.startswith(" ") else item
        if item != place:
            found[place, item[1:]] = int(number or 1)
    return found


def difference(before: Inventory, after: Inventory) -> list[str]:
    """Say what is missing, marked by -, and what is new, by +, and where else it is now or was."""
    gone, new = before - after, after - before
    said = []
    changed = sorted([*gone, *new], key=lambda key: (key[0], key in new, key))
    for place, of_place in groupby(changed, key=itemgetter(0)):
        said.append(place)
        for key in of_place:
            sign, others, when = ("-", new, "now") if key in gone else ("+", gone, "was")
            elsewhere = [other for other, item in others if item == key[1]][:2]
            more = f"    {when} in {', '.join(elsewhere)}" if elsewhere else ""
            said.append(f"  {sign} {key[1]}{more}")
    return said


def main(arguments: Sequence[str]) -> int:
    """Store the inventory, or print the difference; the exit status is 1 if there is one."""
    if arguments == ["--store"]:
        STORED.write_text(written(now()), encoding="utf-8")
        return 0
    said = difference(read(STORED.read_text(encoding="utf-8")), now())
    print(*said, sep="\n", end="\n" if said else "")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
