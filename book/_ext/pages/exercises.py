"""Exercises: the level in a label after the title, and a box in which an answer is checked.

A title ends with its level in parentheses. The line *Check*, which names
``pkdp.exercises.check``, gets the sealed answer of `pkdp.exercises`: a script checks against it, so
that no server is needed. Without scripts the line says how to check in Python.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx_exercise.nodes import is_exercise_node

from pkdp import exercises

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

SCRIPT = "check.js"
_LEVEL = re.compile(r" \(([^()]*)\)$")
_CHECK = re.compile(r'pkdp\.exercises\.check\("([^"]+)", …\)')


class checkable(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """What is asked for, with the sealed answer."""


def name_of(exercise: nodes.Element) -> tuple[list[nodes.Node], str]:
    """Return copies of the nodes of an exercise's title, and its level.

    Examples
    --------
    >>> title = nodes.title("", "A village ", nodes.inline("", "standard", classes=["level"]))
    >>> words, level = name_of(nodes.admonition("", title))
    >>> [word.astext() for word in words], level
    (['A village '], 'standard')
    """
    title = exercise[0]
    level = next(part for part in title.findall(nodes.inline) if "level" in part["classes"])
    return [part.deepcopy() for part in title[: title.index(level)]], level.astext()


def _entitle(exercise: nodes.Element) -> None:
    """Write "A village", and the level in a label of its own, for "(A village (standard))"."""
    *words, last = exercise[0][-1].children
    found = _LEVEL.search(last.astext())
    if found is None:
        raise ValueError(f"an exercise must end its title with its level, got {last.astext()!r}")
    level = nodes.inline("", found[1], classes=["level"])
    rest = nodes.Text(f"{last.astext()[: found.start()]} ")
    exercise[0].replace_self(nodes.title("", "", *words, rest, level))


def _offer_check(exercise: nodes.Element) -> None:
    """Put the line that says how to check an answer into a box."""
    for line in list(exercise.findall(nodes.paragraph)):
        code = next(line.findall(nodes.literal), None)
        if code is None or not (found := _CHECK.fullmatch(code.astext())):
            continue
        # "Check", " with ", the code, ": what is asked for".
        asked = line.children[line.index(code) + 1 :]
        asked[0] = nodes.Text(asked[0].astext().removeprefix(": "))
        box = checkable(exercise=found[1])
        box += nodes.paragraph("", "", nodes.emphasis("", "Check"), nodes.Text(": "), *asked)
        line.replace_self(box)


def _dress(app: Sphinx, document: nodes.document) -> None:
    for exercise in list(document.findall(is_exercise_node)):
        _entitle(exercise)
        _offer_check(exercise)


def _visit(translator: HTML5Translator, node: checkable) -> None:
    name = node["exercise"]
    entry = exercises._sealed()[name]
    sealed = entry | {"nearly": exercises._NEARLY[entry["exact"]]}
    data = {"data-exercise": name, "data-sealed": json.dumps(sealed, ensure_ascii=False)}
    translator.body.append(translator.starttag(node, "div", CLASS="check", **data))


def _depart(translator: HTML5Translator, node: checkable) -> None:
    call = f'import pkdp; print(pkdp.exercises.check("{node["exercise"]}", "YOUR ANSWER"))'
    command = html.escape(f".venv/bin/python -c '{call}'", quote=False)
    translator.body.append(
        f'<p class="check-python">In the project\'s folder, run <code>{command}</code>.</p></div>\n'
    )


def _add_script(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Let a page load the script if it has something to check."""
    if doctree is not None and next(doctree.findall(checkable), None) is not None:
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is done to exercises, and how a box is written."""
    app.add_node(checkable, html=(_visit, _depart))
    app.connect("doctree-read", _dress, priority=550)  # before tags go to the end of the titles
    app.connect("html-page-context", _add_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
