"""The report of an audit: one page of HTML that needs no other file, and its numbers as JSON.

The page has the question, the answer, what it rests on and sizes; how good a model is stays in the
numbers, since it can tell of single records. Its colours are those of the book's figures, and
follow the reader's light or dark mode.
"""

import datetime
import hashlib
import hmac
import html
import json
import math
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pkdp._checks import as_instance
from pkdp._sources import write_whole
from pkdp.practice import _answers
from pkdp.practice._answers import Audit, Group
from pkdp.practice._question import Released, as_path

FILES: Final = ("audit.json", "index.html")

# By these theorems each target has a profile of its own, as probabilities are given.
_OF_ONE_TARGET: Final = frozenset({"def-10", "def-15", "noisy-count"})
# For other kinds than these the worst is that of one target.
_OF_ALL: Final = frozenset({"count", "table"})

# Groups of fewer records are not named: a name could tell who is in them.
_FEWEST_NAMED: Final = 10

# The ε at which δ is told.
_EPSILONS: Final = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

_STYLE: Final = """
:root { color-scheme: light dark; }
:root { --blue: #0072b2; --vermilion: #b85000; --ink: #1a1a1a; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --blue: #56b4e9; --vermilion: #ff9e4a; --ink: #e6e6e6; --paper: #14181e; }
}
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.verdict { font-size: 1.15rem; border-left: 0.3rem solid var(--blue); padding-left: 0.8rem; }
table { border-collapse: collapse; } .wide { overflow-x: auto; }
.fails { border-color: var(--vermilion); }
th, td { text-align: left; padding: 0.25rem 0.9rem 0.25rem 0; vertical-align: top; }
thead th { border-bottom: 1px solid; }
footer { margin-top: 2rem; font-size: 0.85rem; }
"""
_FOOTER: Final = (
    "<footer><p>This page has names and sizes of groups of ten records or more, but no count. With "
    "--lam, --chain and --probabilities the answers in the file decide only whether there is an "
    "answer, and whether some value is not counted. With --model or --total all numbers depend on "
    "them: do not publish these.</p>"
    "</footer>"
)


def write_report(
    audit: Audit,
    folder: str | os.PathLike[str],
    *,
    command: str | None = None,
    file: str | os.PathLike[str] | None = None,
) -> None:
    """Write a report: one page that needs no other file, and the numbers as JSON.

    The page is to be handed on, except after a model: then all its numbers depend on the answers.
    Keep the numbers: a model's scores, which the page has not, can tell single
    records, and the exact count beneath noise.

    Parameters
    ----------
    audit : Audit
    folder : path-like
        Gets ``index.html`` and ``audit.json``. It must not exist yet, unless it has an earlier
        report, which is replaced. Each file is written whole or not at all.
    command : str, optional
        How the audit was asked for: told at the foot of the page.
    file : path-like, optional
        The file. The page gets a keyed hash of it (HMAC with SHA-256), the numbers the key: with
        it the owner can show later which file was audited. A hash without a key would let an
        attacker who knows all records but one try what the last one says.

    Raises
    ------
    ValueError
        If there is something else of that name.
    OSError
        If the folder cannot be written, or the file cannot be read.
    """
    numbers = as_instance(audit, "audit", Audit).as_dict()
    source = None if file is None else as_path(file, "file")
    target = as_path(folder, "folder")
    made = f"Made by pkdp {_answers.VERSION} on {datetime.date.today():%Y-%m-%d}."
    if command is not None:
        made += f" Command: <code>{html.escape(as_instance(command, 'command', str))}</code>."
    if source is not None:
        key = secrets.token_hex(16)
        numbers |= {"key": key, "hmac_sha256": (code := _code(source, key))}
        made += f" Keyed hash of the file (HMAC-SHA-256): {code}."
    contents = {
        "audit.json": json.dumps(numbers, indent=1) + "\n",
        "index.html": page(audit, made),
    }
    remove_report(target)
    target.mkdir(exist_ok=True)
    for name, text in contents.items():
        write_whole(target / name, text.encode())


def _code(file: str | os.PathLike[str], key: str) -> str:
    """Return the keyed hash of a file."""
    code = hmac.new(bytes.fromhex(key), digestmod=hashlib.sha256)
    with open(file, "rb") as content:
        while block := content.read(2**20):
            code.update(block)
    return code.hexdigest()


def released(path: Path) -> Released:
    """Return what an earlier report is about, from its numbers."""
    try:
        numbers = json.loads(path.read_text(encoding="utf-8"))
        counts, tables = numbers["counts"], numbers["tables"]
        records, notes = numbers["records"], tuple(numbers.get("notes", ()))
        hashed = numbers.get("key", ""), numbers.get("hmac_sha256", "")
        bytes.fromhex(hashed[0])
        texts = [*counts, *notes, *hashed, *(column for table in tables for column in table)]
        if (
            numbers.get("kind", "count") != "count"
            or not (counts and tables and isinstance(records, int))
            or not all(isinstance(text, str) for text in texts)
        ):
            raise ValueError
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ValueError(f"cannot read {path.name}: {reason}") from None
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            "after must be the numbers of an earlier report on counts, audit.json, got "
            f"{str(path)!r}"
        ) from None
    return Released(tuple(counts), tuple(map(tuple, tables)), records, notes, *hashed)


def changed(
    earlier: Iterable[Released], file: object, records: int, notes: Iterable[str], unchanged: bool
) -> tuple[tuple[str, ...], list[str]]:
    """Return why earlier releases are not of a file's records, and what is to be noted.

    Of the same records as many are counted. Of another file it must be said that what is counted
    in it is unchanged.
    """
    told_of: list[str] = []
    seen = set(notes)
    for one in earlier:
        counted = {f"counted as {count}" for count in one.counts}
        told = {note for note in one.notes if note.partition(" records are ")[2] in counted}
        if one.records != records or not told <= seen:
            other = records != one.records
            what = f"{records} records, not {one.records}" if other else "other counts"
            return (
                f"The earlier report does not fit this file, which has {what}. The difference "
                "tells about those who joined, left or changed. Put all of them into one file, a "
                "row each, with a column that says who was counted when, and name it with --table; "
                "answers at another time are a column of their own, with a --count.",
            ), []
        if not one.key or not isinstance(file, Path):
            told_of.append("nothing shows whether this is the file of the earlier report")
        elif _code(file, one.key) == one.code:
            told_of.append("this is the file of the earlier report, byte for byte")
        elif unchanged:
            told_of.append("this is not the file of the earlier report, byte for byte")
        else:
            return (
                "The file has changed since the earlier report. If anybody joined, left, moved to "
                "another group or answered differently, both releases together may tell it, and "
                "no ε is proved. If not, as where only a column was added, say --assume unchanged.",
            ), []
    return (), told_of


def remove_report(folder: str | os.PathLike[str]) -> None:
    """Remove an earlier report, so that it is not taken for the answer to another question.

    Parameters
    ----------
    folder : path-like
        As for `write_report`. If there is none, nothing happens.

    Raises
    ------
    ValueError
        If there is something else of that name.
    OSError
        If a file cannot be removed.
    """
    target = _checked(as_path(folder, "folder"))
    if target.is_dir() and any(target.iterdir()):
        shutil.rmtree(target)


def _checked(target: Path) -> Path:
    """Return the folder of a report, if there is nothing else in it."""
    if target.exists() and not target.is_dir():
        raise ValueError(f"folder must be a folder to be made, got the file {str(target)!r}")
    if target.is_dir() and {path.name for path in target.iterdir()} - set(FILES):
        raise ValueError(
            f"folder must be a new folder, or one with an earlier report only, got {str(target)!r}"
        )
    return target


def page(audit: Audit, made: str = "") -> str:
    """Return the page; its last line, as HTML, says how it was made."""
    question = _text(_answers.question(audit))
    body = [f"<h1>{question}</h1>", *_answer(audit), *_profile(audit), *_others(audit)]
    body += [_FOOTER.replace("</footer>", f"<p>{made}</p></footer>")]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{question}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def _answer(audit: Audit) -> Iterator[str]:
    """Yield the verdict, the guarantees, and what they rest on."""
    active = audit.active
    kind = "verdict" if audit.passes else "verdict fails"
    yield f'<p class="{kind}">{_text(_answers.verdict(audit))}</p>'
    bets = _answers.in_bets(active).capitalize()
    yield _paragraph(f"{_answers.extent(audit)} Protected: {audit.protects}. {bets}.")
    rows = [
        (one.attacker, _answers.number(one.eps), f"{one.delta:g}", one.status, one.theorem.cited)
        for one in (active, audit.passive)
    ]
    yield _table(("Attacker", "ε", "δ", "Status", "Theorem"), rows)
    yield _paragraph(
        "An active attacker chooses which records she knows and what they say; a passive one only "
        "sees some. Theorems are those of the book of pkdp, where the tags lead."
    )
    if audit.also:
        yield _paragraph(f"Used with it: {'; '.join(one.cited for one in audit.also)}.")
    if active.reached is not None:
        yield _paragraph(_answers.reached(active))
    yield "<h2>What it rests on</h2>"
    yield _list(audit.assumptions)


def _profile(audit: Audit) -> Iterator[str]:
    """Yield δ(ε) of the weakest group at some ε, against both attackers."""
    yield "<h2>How much is told</h2>"
    profiles = audit.active.profile, audit.passive.profile
    answers = {one.eps for one in (audit.active, audit.passive) if one.eps < math.inf}
    rows = [
        (
            f"{eps:g}" if eps in _EPSILONS else f"{_answers.number(eps)} (the answer)",
            *(_answers.delta_text(profile.log_delta(eps)) for profile in profiles),
        )
        for eps in sorted({*_EPSILONS, *answers})
    ]
    yield _table(("ε", "δ, active attacker", "δ, passive attacker"), rows)
    of_one_target = audit.active.theorem.name in _OF_ONE_TARGET or audit.kind not in _OF_ALL
    for kind, is_one_of_several in (("group", audit.groups > 1), ("target", of_one_target)):
        if is_one_of_several:
            yield _paragraph(
                f"These are of the {kind} that is weakest at δ = {audit.active.delta:g}. At "
                f"another ε another {kind} may be weaker."
            )


def _others(audit: Audit) -> Iterator[str]:
    """Yield other assumptions, the weakest groups, and other ways to publish."""
    number = _answers.number
    if audit.variations:
        yield "<h2>Under other assumptions</h2>"
        yield _list(_answers.varied(audit))
    if audit.groups > 1:
        yield "<h2>The weakest group, and others</h2>"
        yield _paragraph(
            f"{len(audit.weakest)} of {audit.groups} groups, the weakest first. One that is left "
            "out may be weaker than the second."
        )
        groups = [(*_named(one), number(one.eps)) for one in audit.weakest]
        yield _table(("Group", "Records", "Known to her", "ε"), groups)
    if audit.alternatives:
        yield "<h2>Other ways to publish</h2>"
        yield _paragraph(f"{_answers.OTHER_WAYS}.")
        others = [(one.what, number(one.eps), number(one.alone)) for one in audit.alternatives]
        yield _table(
            ("Published", "ε, active attacker", "ε if she knows all other records"), others
        )


def _named(group: Group) -> tuple[str, str, str]:
    """Return the name of a group, its size, and how many of it are known, unless it is small."""
    if group.records < _FEWEST_NAMED:
        return f"one of fewer than {_FEWEST_NAMED}", "–", "–"
    return group.label, f"{group.records}", f"{group.known}"


def _text(text: str) -> str:
    """Escape a text, and keep an ε with its value, and a power of ten, on one line."""
    kept = html.escape(text).replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return re.sub(r"(?<=\de)-(?=\d)", "\N{MINUS SIGN}", kept)


def _paragraph(text: str) -> str:
    return f"<p>{_text(text)}</p>"


def _list(texts: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_text(one)}</li>" for one in texts) + "</ul>"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{_text(heading)}</th>' for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    inner = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide"><table>{inner}</table></div>'
