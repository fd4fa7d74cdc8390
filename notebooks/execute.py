"""Execute the pages of code: ``book/<page>.md`` becomes ``notebooks/<page>.ipynb``.

A page is named as in its paper's folder: ``partial-knowledge/4-1-counting-queries``.

A page is executed when its code changed, or a file of the project that its last execution read: a
module of `pkdp`, the table of a figure, the ledger. ``notebooks/pages.lock`` holds a digest of
these for each page, so that a fresh clone knows what is up to date; comments, docstrings and prose
do not change it, and a page of which nothing else changed keeps its outputs. What is executed is
executed twice, and must come out the same both times, without a word on stderr.

``python notebooks/execute.py [--all | --prose] [PAGE ...]``
"""

import argparse
import asyncio
import functools
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from pkdp import _sources

ROOT = Path(__file__).resolve().parent.parent
CELL_TIMEOUT = 600  # seconds

# Written instead of what a kernel reports, which changes with its version.
KERNEL: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}
PAIRING = {
    "formats": "notebooks///ipynb,book///md:myst",
    "text_representation": {"extension": ".md", "format_name": "myst"},
}

# Run before the page: remembers every file that is opened.
_WATCH = (
    "import sys as _sys; _opened = set(); "
    # A hook outlives the names of a kernel that is ending, so that it holds what it needs.
    "_sys.addaudithook(lambda event, args, opened=_opened.add, text=str: "
    "event == 'open' and opened(text(args[0])))"
)
# Run after it: the modules of the package, other modules, and those files, on a line each: nbclient
# takes time that is quadratic in the length of a line.
_ASK = """
import json as _json
_files = {n: getattr(m, "__file__", None) for n, m in list(_sys.modules.items())}
_ours = {n for n in _files if n.split(".")[0] == "pkdp"}
print(_json.dumps([
    [f for n, f in _files.items() if f and n in _ours],
    [f for n, f in _files.items() if f and n not in _ours],
    list(_opened),
], indent=0))
"""


class PageError(Exception):
    """A page that cannot be executed as it stands; the message is for its author."""


def pages(root: Path = ROOT) -> list[str]:
    """Return the names of the pages of code: the sources in ``book`` with a jupytext header."""
    folder = root / "book"
    sources = (path for path in folder.rglob("*.md") if _is_code(path))
    return sorted(path.relative_to(folder).with_suffix("").as_posix() for path in sources)


def read_source(page: str, root: Path = ROOT) -> NotebookNode:
    """Return a page as a notebook without outputs, its metadata and cell ids made stable."""
    notebook: NotebookNode = jupytext.read(_source(page, root), fmt="md:myst")
    notebook.metadata.update(KERNEL)
    notebook.metadata["jupytext"] = PAIRING
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        # The same for an unchanged cell wherever it moves, so that diffs stay small.
        name = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[name] = seen.get(name, 0) + 1
        cell.id = name if seen[name] == 1 else f"{name}-{seen[name]}"
    return notebook


def read_stored(page: str, root: Path = ROOT) -> NotebookNode | None:
    """Return the executed notebook of a page, or None if there is none."""
    path = _notebook(page, root)
    if not path.exists():
        return None
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def code_of(notebook: NotebookNode) -> list[str]:
    """Return the digests of a notebook's cells of code."""
    cells = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    return [_sources.cell_digest(source) for source in cells]


def is_current(page: str, root: Path = ROOT) -> bool:
    """Return whether the stored outputs of a page belong to its code and to what it reads."""
    known, stored = _sources.locked(_lock(root)).get(page), _notebook(page, root)
    if known is None or not stored.exists():
        return False
    # A merge can leave the record of one execution with the notebook of another.
    code = _code_in(_source(page, root))
    return code == _code_in(stored) and known.is_current(root, code)


def _code_in(path: Path) -> list[str]:
    """Return the digests of the cells of code in a page's source, or in its notebook."""
    status = path.stat()
    return _code_digests(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=1024)
def _code_digests(path: Path, changed_at: int, size: int) -> list[str]:
    del changed_at, size  # they tell a changed file from the one that was read before
    if path.suffix == ".md":
        return code_of(jupytext.read(path, fmt="md:myst"))
    # Of a notebook only the code is looked at, which takes no validation.
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [
        _sources.cell_digest("".join(cell["source"]))
        for cell in cells
        if cell["cell_type"] == "code"
    ]


def refreshed(page: str, root: Path = ROOT) -> NotebookNode:
    """Return the source of a page with the outputs stored for the same code."""
    notebook, stored = read_source(page, root), read_stored(page, root)
    assert stored is not None
    old = [cell for cell in stored.cells if cell.cell_type == "code"]
    new = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for ours, theirs in zip(new, old, strict=True):
        ours.outputs, ours.execution_count = theirs.outputs, theirs.execution_count
    return notebook


def execute(page: str, root: Path = ROOT) -> tuple[str, _sources.Record]:
    """Execute a page in a kernel of its own; return the text of its notebook, and its record.

    Raises
    ------
    PageError
        If a cell fails or writes to stderr, or the page imports another `pkdp` than this project's.
    """
    notebook = read_source(page, root)
    notebook.cells.append(nbformat.v4.new_code_cell(_ASK))
    place = _notebook(page, root).parent
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # Unix sockets, because ports can be taken by others; and no profile of the user's.
        manager = AsyncKernelManager(
            kernel_name="python3",
            transport="ipc",
            ip=f"{folder}/kernel",
            connection_file=f"{folder}/kernel.json",
        )
        client = NotebookClient(
            notebook,
            km=manager,
            timeout=CELL_TIMEOUT,
            record_timing=False,
            coalesce_streams=True,
            store_widget_state=False,
            extra_arguments=[f"--IPKernelApp.exec_lines={_WATCH}"],
            resources={"metadata": {"path": str(place)}},
        )
        try:
            environment = {**os.environ, "IPYTHONDIR": folder}
            asyncio.run(client.async_execute(cleanup_kc=True, env=environment))
        except CellExecutionError as error:
            raise PageError(f"book/{page}.md: {error}") from None
    asked = notebook.cells.pop()
    for number, cell in enumerate(c for c in notebook.cells if c.cell_type == "code"):
        for output in cell.outputs:
            if output.get("name") == "stderr":
                raise PageError(
                    f"book/{page}.md: code cell {number} writes to stderr:\n{output.text}"
                )
    modules, others, opened = json.loads(asked.outputs[0].text)
    data = [name for name in opened if not name.endswith((".py", ".pyc"))]
    files = _files(page, modules, [*others, *data], root)
    notebook.metadata.update(KERNEL)
    return dumps(notebook), _sources.record(files, root, code_of(notebook))


def dumps(notebook: NotebookNode) -> str:
    """Return the text of a notebook, one way of writing it."""
    text: str = nbformat.writes(notebook, version=nbformat.NO_CONVERT)
    return text.rstrip("\n") + "\n"


def update(names: Sequence[str], everything: bool = False, root: Path = ROOT) -> list[str]:
    """Bring the notebooks of pages up to date and return one line for each page.

    Raises
    ------
    PageError
        If a page fails, writes to stderr, or comes out differently the second time.
    """
    said = {name: f"{name}: up to date" for name in names}
    records = _sources.locked(_lock(root))
    due = [name for name in names if everything or not is_current(name, root)]
    # The work is done by the kernels, which are processes.
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs: dict[str, list[Future[tuple[str, _sources.Record]]]] = {
            name: [pool.submit(execute, name, root), pool.submit(execute, name, root)]
            for name in due
        }
        for name in names:
            if name in runs:
                first, second = (run.result() for run in runs[name])
                if first != second:
                    raise PageError(f"book/{name}.md: {_difference(first[0], second[0])}")
                changed, done = _write(_notebook(name, root), first[0]), "executed"
                records[name] = first[1]
                _sources.lock(_lock(root), records)
            else:
                text = dumps(refreshed(name, root))
                changed, done = _write(_notebook(name, root), text), "prose updated"
            if changed:
                said[name] = f"{name}: {done}"
            elif name in runs:
                said[name] = f"{name}: executed, nothing changed"
    return list(said.values())


def update_prose(names: Sequence[str], root: Path = ROOT) -> list[str]:
    """Bring the prose of pages up to date that need not be executed; one line for each change."""
    said = []
    for name in names:
        if not is_current(name, root):
            said.append(f"{name}: not up to date, `make notebooks` executes it")
        elif _write(_notebook(name, root), dumps(refreshed(name, root))):
            said.append(f"{name}: prose updated")
    return said


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Execute the pages of code that changed.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="execute every page, changed or not")
    which.add_argument(
        "--prose", action="store_true", help="execute nothing, update the prose only"
    )
    parser.add_argument("page", nargs="*", help="a page's name, such as 4-1-counting-queries")
    options = parser.parse_args(arguments)
    known = pages()
    for page in options.page:
        if page not in known:
            parser.error(f"page must be one of {', '.join(known)}, got {page!r}")
    names = options.page or known
    try:
        for line in update_prose(names) if options.prose else update(names, options.all):
            print(line)
    except PageError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _is_code(path: Path) -> bool:
    header = path.read_text(encoding="utf-8").split("\n---", 1)[0]
    return header.startswith("---") and "\njupytext:" in header


def _source(page: str, root: Path) -> Path:
    return root / "book" / f"{page}.md"


def _notebook(page: str, root: Path) -> Path:
    return root / "notebooks" / f"{page}.ipynb"


def _lock(root: Path) -> Path:
    return root / "notebooks" / "pages.lock"


def _files(page: str, modules: Iterable[str], others: Iterable[str], root: Path) -> set[Path]:
    """Return what a page depends on: modules of the package, and other files of the project."""
    found = {Path(module).resolve() for module in modules}
    strange = sorted(str(path) for path in found if not path.is_relative_to(root / "pkdp"))
    if strange:
        raise PageError(f"book/{page}.md: pkdp must be this project's, but {strange[0]} was read")
    for name in others:
        path = Path(_notebook(page, root).parent, name).resolve()
        # What is installed or built is no part of the project.
        if (
            path.is_relative_to(root)
            and path.is_file()
            and not path.relative_to(root).parts[0].startswith((".", "_build"))
        ):
            found.add(path)
    return found


def _difference(first: str, second: str) -> str:
    cells = [
        [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
        for text in (first, second)
    ]
    for number, (one, other) in enumerate(zip(*cells, strict=True)):
        if one != other:
            return (
                f"code cell {number} gives another output the second time:\n{one['source']}\n"
                f"first: {one['outputs']!s:.400}\nthen: {other['outputs']!s:.400}"
            )
    return "two executions read different files of the package"


def _write(path: Path, text: str) -> bool:
    """Write a text unless it is there already; return whether it was written."""
    if path.exists() and path.read_bytes() == text.encode():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return True


if __name__ == "__main__":
    sys.exit(main())
