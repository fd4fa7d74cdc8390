"""Runs the cells of a page in the browser: what Jupyter does there for a notebook, in small.

`worker.js` loads this in Pyodide and hands the code of each cell to `run`, which returns what the
cell shows. What a page imports may not be here, as numpy is not by default. Its name is then bound
to something that says so when it is used, and the rest of the page can run.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import linecache
import pprint
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

# One thing that a cell shows: what it is, and it. "text", "html", "latex" and "error" are what they
# are called; "drawn" is the name of a figure, "absent" a package that an import did not find,
# "missing" one for lack of which a cell ended, and "lost" a name that such a cell would have
# defined.
Output: TypeAlias = tuple[str, str]

_LACKING: set[str] = set()  # the cells that ended for lack of something

# Where cells run: classes defined in them belong to this module.
_NAMES = vars(sys.modules["__main__"])
_WIDTH = 79


class Absent:
    """Stands for a module, or what was to come from one, that cannot be had here.

    Examples
    --------
    >>> Absent("counting", "numpy").exact
    Traceback (most recent call last):
    ...
    ModuleNotFoundError: counting needs numpy
    """

    def __init__(self, name: str, needs: str) -> None:
        self._name, self._needs = name, needs

    def _refuse(self, *_: object, **__: object) -> Any:  # noqa: ANN401 -- never returns
        raise ModuleNotFoundError(f"{self._name} needs {self._needs}", name=self._needs)

    __getattr__ = __call__ = __getitem__ = __iter__ = __mro_entries__ = _refuse


@dataclass(frozen=True)
class Drawn:
    """A figure that was drawn before: the page has it."""

    name: str


class _Stream(io.TextIOBase):
    """Collects what is printed, between what is displayed."""

    def __init__(self, outputs: list[Output]) -> None:
        self._outputs = outputs

    def write(self, text: str) -> int:
        if self._outputs and self._outputs[-1][0] == "text":
            text = self._outputs.pop()[1] + text
        if text:
            self._outputs.append(("text", text))
        return len(text)


def run(code: str, name: str, names: dict[str, Any] | None = None) -> list[Output]:
    r"""Run a cell and return what it shows, in order; the last is an error if there was one.

    Parameters
    ----------
    code : str
    name : str
        What tracebacks call it: ``cell 3``.
    names : dict, optional
        What is defined so far, to which the cell adds.

    Examples
    --------
    >>> run("x = 2\nprint(x)\nx + 1", "cell 1", {})
    [('text', '2\n'), ('text', '3\n')]
    >>> run("import no_such_module", "cell 2", {})
    [('absent', 'no_such_module')]
    >>> run("1 / 0", "cell 3", {})[-1][1].splitlines()[-1]
    'ZeroDivisionError: division by zero'
    """
    names = _NAMES if names is None else names
    outputs: list[Output] = []
    stream = _Stream(outputs)
    names["display"] = lambda *values: outputs.extend(map(shown, values))
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    try:
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            value = _execute(code, name, names, lambda needs: outputs.append(("absent", needs)))
        if value is not None and not code.rstrip().endswith(";"):
            outputs.append(shown(value))
    except ModuleNotFoundError as error:
        outputs.append(("missing", (error.name or str(error)).partition(".")[0]))
    except NameError as error:
        lost = type(error) is NameError and _LACKING - {name}
        outputs.append(("lost", str(error.name)) if lost else ("error", _told(error)))
    except BaseException as error:
        outputs.append(("error", _told(error)))
    ended = outputs[-1][0] if outputs else ""
    (_LACKING.add if ended in ("missing", "lost") else _LACKING.discard)(name)
    return outputs


def shown(value: object) -> Output:
    r"""Return how a value is shown: as HTML or a formula if it can be, else as text.

    Examples
    --------
    >>> shown({"b": 1, "a": [2]})
    ('text', "{'b': 1, 'a': [2]}\n")
    """
    if isinstance(value, Drawn):
        return "drawn", value.name
    for kind, method in (("html", "_repr_html_"), ("latex", "_repr_latex_")):
        written = getattr(value, method, None)
        if callable(written) and not isinstance(value, type):
            text = written()
            if text:
                return kind, str(text)
    text = repr(value)
    if len(text) > _WIDTH and "\n" not in text:
        text = pprint.pformat(value, width=_WIDTH, sort_dicts=False)
    return "text", f"{text}\n"


def _execute(code: str, name: str, names: dict[str, Any], missing: Callable[[str], None]) -> object:
    """Run the statements of a cell; return the value of the last if it is an expression."""
    body = ast.parse(code, name).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    told: set[str] = set()
    for statement in body:
        # Each statement by itself, so that an import can fail alone.
        for part in _single(statement):
            try:
                exec(compile(ast.Module([part], []), name, "exec"), names)
            except ModuleNotFoundError as error:
                if not isinstance(part, ast.Import | ast.ImportFrom):
                    raise
                needs = (error.name or "a module").partition(".")[0]
                bound = part.names[0].asname or part.names[0].name.partition(".")[0]
                names[bound] = Absent(bound, needs)
                if needs not in told:
                    told.add(needs)
                    missing(needs)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), name, "eval"), names)
    return None


def _single(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Take an import of several names apart."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            yield ast.copy_location(ast.Import([alias]), statement)
    elif isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            one = ast.ImportFrom(statement.module, [alias], statement.level)
            yield ast.copy_location(one, statement)
    else:
        yield statement


def _told(error: BaseException) -> str:
    """Return a traceback as text, without the frames of this module."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return "".join(traceback.format_exception(error.with_traceback(trace)))


def stand_in(found: Callable[[str], object] = importlib.util.find_spec) -> None:
    """Let figures be taken from the page where there is no matplotlib to draw them."""
    if found("matplotlib") is None:
        from pkdp import figures
        from pkdp.figures._registry import as_name

        vars(figures)["show"] = lambda name: Drawn(as_name(name))


def as_plain(outputs: list[Output]) -> list[Mapping[str, str]]:
    """Return outputs as the page reads them.

    Examples
    --------
    >>> as_plain([("text", "2")])
    [{'kind': 'text', 'text': '2'}]
    """
    return [{"kind": kind, "text": text} for kind, text in outputs]
