"""Phrases that read like a translation: how often each file has one.

``python -m tests.style`` stores lower numbers in ``tests/data/style.txt``, and never a higher one.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "tests" / "data" / "style.txt"
FILES = ("*.md", "book/**/*.md", "claims/**/*.yml", "pkdp/**/*.py", "book/**/*.py", "tests/**/*.py")
PHRASES = (
    r"can be had",
    r"(?:is|are|was|were) at hand",
    r"hangs? on",
    r"asks? for (?:a|an|the|more|no)",
    r"(?:is|are) asked of",
    r"stands? (?:in|beside|here|there|next to|behind)",
    r"goes? without saying",
    r"lets? \w+ pass",
    r"draws? up",
    r"as good as",
    r"to the letter",
    r"speaks? of",
    r"but for (?:a|the|those|what|one)",
    r"(?:nine|one|seven|eight) (?:times )?(?:in|out of) (?:ten|twenty|a hundred)",
    r"\d+ at (?:most|least)",
    r"the (?:former|latter)",
    r"whoever \w+",
    r"of (?:whom|which) (?:none|neither|nobody|one|each|all|some)",
    r"owes? nothing",
    r"is no (?:accident|merit)",
    r"in earnest",
    r"by what (?:is|are|was|it|they|she|he)",
    r"this page (?:shows|first|explains|has|says|draws)",
    r"(?:lest|save) (?:it|they|one|the|a)",
    r"takes? no notice",
)
_PHRASE = re.compile(rf"\b(?:{'|'.join(PHRASES)})\b", re.IGNORECASE)


def hits() -> dict[str, int]:
    """Return how many phrases each file has, those left out that have none."""
    found = {}
    for path in sorted({path for pattern in FILES for path in ROOT.glob(pattern)}):
        if path != Path(__file__).resolve():
            # A phrase may go on in the next line, behind the sign of a comment.
            text = re.sub(r"\n\s*(?:#\s*)?", " ", path.read_text(encoding="utf-8"))
            if number := len(_PHRASE.findall(text)):
                found[path.relative_to(ROOT).as_posix()] = number
    return found


def stored() -> dict[str, int]:
    """Return the stored numbers."""
    lines = STORED.read_text(encoding="utf-8").splitlines()
    return {name: int(number) for number, name in (line.split(maxsplit=1) for line in lines)}


def main() -> int:
    """Store lower numbers; the exit status is 1 if one has risen."""
    now, before = hits(), stored()
    risen = {name: number for name, number in now.items() if number > before.get(name, 0)}
    for name, number in risen.items():
        print(f"{name}: {number} phrases, {before.get(name, 0)} before", file=sys.stderr)
    if not risen:
        lines = (f"{number} {name}\n" for name, number in now.items())
        STORED.write_text("".join(lines), encoding="utf-8")
    return bool(risen)


if __name__ == "__main__":
    sys.exit(main())
