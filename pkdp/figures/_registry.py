"""Names of figures, which ``names.txt`` lists in the order of the book, and their modules.

A figure is called by its paper and its name there, ``noiseless/known-values``, which is drawn by
``noiseless/known_values.py``. The figures of the paper that the book began with are also, and
mostly, called without it: ``3``, drawn by ``partial_knowledge/figure_3.py``.
"""

import functools
import importlib
from pathlib import Path
from types import ModuleType

HOME = "partial-knowledge"

FOLDER = Path(__file__).parent


@functools.cache
def names() -> tuple[str, ...]:
    """Return the names of all figures, in the order of the book.

    Examples
    --------
    >>> names()[:3]
    ('survey', 'posterior-bounds', 'laplace')
    """
    return tuple((FOLDER / "names.txt").read_text(encoding="utf-8").split())


def as_name(name: str) -> str:
    """Return the name of a figure as `names` has it.

    Parameters
    ----------
    name : str
        One of `names`, or with its paper's name before it.

    Raises
    ------
    ValueError
        If there is no such figure.

    Examples
    --------
    >>> as_name("partial-knowledge/3"), as_name("3")
    ('3', '3')
    """
    short = name.removeprefix(f"{HOME}/")
    if short not in names():
        raise ValueError(f"figure must be one of {', '.join(names())}, got {name!r}")
    return short


def load(name: str) -> ModuleType:
    """Return the module of a figure.

    Parameters
    ----------
    name : str
        One of `names`, or with its paper's name before it.

    Returns
    -------
    module
        Its parts are listed in `pkdp.figures`.

    Raises
    ------
    ValueError
        If there is no such figure.

    Examples
    --------
    >>> load("3") is load("partial-knowledge/3")
    True
    """
    paper, _, own = as_name(name).rpartition("/")
    own = f"figure_{own}" if own.isdigit() else own
    module = f"{__package__}.{paper or HOME}.{own}".replace("-", "_")
    return importlib.import_module(module)


def layout(module: ModuleType) -> tuple[int, tuple[float, float]]:
    """Return how many panels are in a row, and their width and height in inches."""
    columns = getattr(module, "COLUMNS", min(2, len(module.ALT)))
    return columns, getattr(module, "PANEL_SIZE", (3.3, 2.75))


def table_file(name: str, folder: Path) -> Path:
    """Return where the table of a figure is stored; `folder` is that of all figures."""
    paper, _, own = name.rpartition("/")
    return folder / (paper or HOME).replace("-", "_") / "tables" / f"{own}.csv"


def file_name(name: str, kind: str) -> str:
    """Return what the file of a drawn figure is called.

    Examples
    --------
    >>> file_name("3", "pdf")
    'figure-3.pdf'
    """
    return f"figure-{as_name(name).replace('/', '-')}.{kind}"
