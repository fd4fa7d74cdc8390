"""The report of an audit: one page of HTML that needs no other file, and its numbers as JSON.

The page has the question, the answer, what it rests on and sizes; how good a model is stays in the
numbers, since it can tell of single records. The drawing is SVG with text that is text, in the
colours of the book's figures, and follows the reader's light or dark mode. The code that draws the
figures is not used, as it builds on audits and draws text as outlines.
"""

from __future__ import annotations

import html
import math
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pkdp.practice import _answers
from pkdp.practice._answers import Audit

FILES: Final = ("audit.json", "index.html")

# By these theorems each target has a curve of its own, as probabilities are given.
_OF_ONE_TARGET: Final = frozenset({"def-10", "def-15", "noisy-count"})

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 520, 300, 64, 16, 20, 46
_POINTS: Final = 60

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
svg { width: 100%; max-width: 34rem; height: auto; display: block; }
svg text { font: 13px system-ui, sans-serif; fill: var(--ink); }
footer { margin-top: 2rem; font-size: 0.85rem; }
"""


def write(audit: Audit, folder: str | os.PathLike[str]) -> None:
    """Write the report whole or not at all; see `pkdp.practice.audit.write_report`."""
    target = _checked(folder)
    contents = {"audit.json": _answers.as_json(audit) + "\n", "index.html": page(audit)}
    mark = secrets.token_hex(4)
    new, old = (target.with_name(f".{target.name}.{mark}.{kind}") for kind in ("new", "old"))
    try:
        new.mkdir()
        for name, content in contents.items():
            (new / name).write_text(content, encoding="utf-8")
        if target.exists():
            target.rename(old)
        new.rename(target)
    finally:
        if old.exists() and not target.exists():
            old.rename(target)
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)


def remove(folder: str | os.PathLike[str]) -> None:
    """Remove an earlier report, which answers another question; keep anything else."""
    target = _checked(folder)
    if target.is_dir() and any(target.iterdir()):
        shutil.rmtree(target)


def _checked(folder: str | os.PathLike[str]) -> Path:
    """Return the folder of a report, if there is nothing else in it."""
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise ValueError(f"folder must be a folder to be made, got the file {str(target)!r}")
    if target.is_dir() and {path.name for path in target.iterdir()} - set(FILES):
        raise ValueError(
            f"folder must be a new folder, or one with an earlier report only, got {str(target)!r}"
        )
    return target


def page(audit: Audit) -> str:
    """Return the page."""
    question = _answers.asked(audit.file, audit.counts, audit.by, audit.release)
    bets = _answers.sentence(_answers.in_bets(audit.active))
    kind = "verdict" if audit.passes else "verdict fails"
    body = [
        f"<h1>{_text(question)}</h1>",
        f'<p class="{kind}">{_text(_answers.verdict(audit))}</p>',
        f"<p>{_text(_answers.extent(audit))} Protected: {_text(audit.protects)}. {_text(bets)}</p>",
        _table(
            ("Attacker", "ε", "δ", "Status", "Theorem", "Tag"),
            [
                (
                    one.attacker,
                    _answers.number(one.eps),
                    f"{one.delta:g}",
                    one.status,
                    one.theorem.title,
                    one.theorem.tag,
                )
                for one in (audit.active, audit.passive)
            ],
        ),
        "<p>An active attacker chooses which records she knows and what they say; a passive one "
        "only sees some. Theorems are those of the book of pkdp, where the tags lead.</p>",
    ]
    if audit.also:
        used = "; ".join(f"{one.title} [{one.tag}]" for one in audit.also)
        body.append(f"<p>Used with it: {_text(used)}.</p>")
    if audit.active.reached is not None:
        body.append(f"<p>{_text(_answers.reached(audit.active))}</p>")
    body += ["<h2>What it rests on</h2>", _list(audit.assumptions)]
    body += ["<h2>How much is told</h2>", _profile(audit)]
    if audit.groups > 1:
        groups = [
            (one.label, f"{one.records}", f"{one.known}", _answers.number(one.eps))
            for one in audit.weakest
        ]
        body.append("<h2>The weakest group, and others</h2>")
        number = f"{len(groups)} of {audit.groups} groups, the weakest first"
        body.append(f"<p>{number}. One that is left out may be weaker than the second.</p>")
        body.append(_table(("Group", "Records", "Known to her", "ε"), groups))
    if audit.alternatives:
        body.append("<h2>Other ways to publish</h2>")
        others = [
            (other.what, _answers.number(other.eps), _answers.number(other.alone))
            for other in audit.alternatives
        ]
        headings = ("Published", "ε, active attacker", "ε if she knows all other records")
        body.append(_table(headings, others))
    body.append(
        "<footer><p>This page has sizes of groups, but no record and no count. With --lam and "
        "--probabilities the answers in the file decide only whether there is an answer, and "
        "whether some value is not counted. With --model all numbers depend on them: do not "
        "publish these.</p></footer>"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(question)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def _text(text: str) -> str:
    """Escape a text, and keep an ε with its value, and a power of ten, on one line."""
    kept = html.escape(text).replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return re.sub(r"(?<=\de)-(?=\d)", "\N{MINUS SIGN}", kept)


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_text(sentence)}</li>" for sentence in sentences) + "</ul>"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{_text(heading)}</th>' for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    inner = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide"><table>{inner}</table></div>'


# The drawing.


def _line(x1: float, y1: float, x2: float, y2: float, style: str = "") -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'style="stroke:currentColor;{style}"/>'
    )


def _label(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_text(text)}</text>'


def _profile(audit: Audit) -> str:
    """Draw δ(ε) of the weakest group, against both attackers."""
    active = audit.active
    digits = max(3, math.ceil(-math.log10(active.delta)) + 2) if active.delta > 1e-300 else 12
    last = _round_up(1.4 * active.eps) if 0.0 < active.eps < math.inf else 1.0
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def at(eps: float, power: float) -> tuple[float, float]:
        """Return the place of an ε and a δ of 10 to the -power."""
        down = min(power / digits, 1.0)
        return _LEFT + eps / last * (right - _LEFT), _TOP + down * (bottom - _TOP)

    drawn = [_line(_LEFT, _TOP, _LEFT, bottom), _line(_LEFT, bottom, right, bottom)]
    for eps in (tick / 4 * last for tick in range(5)):
        x, _ = at(eps, 0.0)
        drawn += [_line(x, bottom, x, bottom + 4), _label(x, bottom + 18, f"{eps:.3g}")]
    for power in range(0, digits + 1, max(1, round(digits / 4))):
        _, y = at(0.0, power)
        drawn.append(_line(_LEFT, y, right, y, "opacity:0.12"))
        drawn.append(_label(_LEFT - 8, y + 4, _answers.power_of_ten(-power), "end"))
    drawn += [_label((_LEFT + right) / 2, _HEIGHT - 8, "ε"), _label(10, _TOP - 4, "δ", "start")]
    curves = [(active, "stroke:var(--blue)")]
    if audit.passive.profile == active.profile:
        legend = "<p>The curve is that of either attacker. Smaller is better.</p>"
    else:
        curves.insert(0, (audit.passive, "stroke:var(--vermilion);stroke-dasharray:6 3"))
        legend = "<p>Solid: active attacker. Dashed: passive attacker. Smaller is better.</p>"
    of_one_target = active.theorem.name in _OF_ONE_TARGET
    for kind, is_one_of_several in (("group", audit.groups > 1), ("target", of_one_target)):
        if is_one_of_several:
            legend += (
                f"<p>It is of the {kind} that is weakest at this δ. At another ε another {kind} "
                "may be weaker.</p>"
            )
    for one, style in curves:
        points = []
        for eps in (last * number / _POINTS for number in range(_POINTS + 1)):
            fallen = -one.profile.log_delta(eps) / math.log(10.0)
            points.append("{:.1f},{:.1f}".format(*at(eps, fallen)))
            if fallen > digits:
                break
        drawn.append(
            f'<polyline points="{" ".join(points)}" style="fill:none;stroke-width:2;{style}"/>'
        )
    if 0.0 < active.eps < math.inf and active.delta > 1e-300:
        x, y = at(active.eps, -math.log10(active.delta))
        drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" style="fill:var(--blue)"/>')
        drawn.append(_label(x + 8, y - 8, _answers.eps_text(active.eps), "start"))
    says = (
        f"The curve falls from δ = {active.profile.delta(0.0):.3g} at ε = 0. "
        f"At δ = {active.delta:g}: {_answers.eps_text(active.eps)}."
    )
    return (
        f'<svg role="img" viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-labelledby="title desc">'
        f'<title id="title">{_text(f"δ for every ε, of {active.weakest.label}")}</title>'
        f'<desc id="desc">{_text(says)}</desc>{"".join(drawn)}</svg>{legend}'
    )


def _round_up(number: float) -> float:
    """Return a number with one digit, or one and a half, that is not smaller."""
    unit = 10.0 ** math.floor(math.log10(number))
    return next(unit * step for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15) if unit * step >= number)
