"""Execute the pages of code: ``book/<page>.md`` becomes ``notebooks/<page>.ipynb``.

A page is executed when its code changed, or a file of `pkdp` that its last execution read, or the
ledger if it reads that: each notebook keeps a digest, so a fresh clone knows what is up to date. A
page whose prose alone changed keeps its outputs. What is executed is executed twice, and must come
out the same both times, without a word on stderr.

``python notebooks/execute.py [--all] [PAGE ...]``
"""

import argparse
import asyncio
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

# Appended to the page while it runs: the files of the package that it made Python read.
_ASK = """
import json as _json, sys as _sys
print(_json.dumps([m.__file__ for n, m in list(_sys.modules.items())
                   if n.split(".")[0] == "pkdp" and getattr(m, "__file__", None)]))
"""


class PageError(Exception):
    """A page that cannot be executed as it stands; the message is for its author."""


def pages(root: Path = ROOT) -> list[str]:
    """Return the names of the pages of code: the sources in ``book`` with a jupytext header."""
    return sorted(p.stem for p in (root / "book").glob("*.md") if _is_code(p))


def read_source(page: str, root: Path = ROOT) -> NotebookNode:
    """Return a page as a notebook without outputs, its metadata and cell ids made stable."""
    notebook: NotebookNode = jupytext.read(root / "book" / f"{page}.md", fmt="md:myst")
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
    path = root / "notebooks" / f"{page}.ipynb"
    if not path.exists():
        return None
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook


def digest(notebook: NotebookNode, files: Iterable[str], root: Path = ROOT) -> str:
    """Return the digest of what the outputs of a notebook depend on: its code, and files."""
    total = hashlib.sha256()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            total.update(cell.source.encode() + b"\0")
    for name in files:
        path = root / name
        total.update(name.encode() + b"\0" + (path.read_bytes() if path.exists() else b"\0"))
    return total.hexdigest()


def is_current(page: str, root: Path = ROOT) -> bool:
    """Return whether the stored outputs of a page belong to its code and to the package."""
    stored = read_stored(page, root)
    if stored is None or "pkdp" not in stored.metadata:
        return False
    record = stored.metadata["pkdp"]
    return bool(record["digest"] == digest(read_source(page, root), record["files"], root))


def refreshed(page: str, root: Path = ROOT) -> NotebookNode:
    """Return the source of a page with the outputs stored for the same code."""
    notebook, stored = read_source(page, root), read_stored(page, root)
    assert stored is not None
    notebook.metadata["pkdp"] = stored.metadata["pkdp"]
    old = [cell for cell in stored.cells if cell.cell_type == "code"]
    new = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for ours, theirs in zip(new, old, strict=True):
        ours.outputs, ours.execution_count = theirs.outputs, theirs.execution_count
    return notebook


def execute(page: str, root: Path = ROOT) -> str:
    """Execute a page in a kernel of its own and return the text of its notebook.

    Raises
    ------
    PageError
        If a cell fails or writes to stderr.
    """
    notebook = read_source(page, root)
    notebook.cells.append(nbformat.v4.new_code_cell(_ASK))
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
            resources={"metadata": {"path": str(root / "notebooks")}},
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
    files = _files(json.loads(asked.outputs[0].text), root)
    notebook.metadata.update(KERNEL)
    notebook.metadata["pkdp"] = {"digest": digest(notebook, files, root), "files": files}
    return dumps(notebook)


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
    due = [name for name in names if everything or not is_current(name, root)]
    # The work is done by the kernels, which are processes.
    with ThreadPoolExecutor(max_workers=2) as pool:
        runs: dict[str, tuple[Future[str], Future[str]]] = {
            name: (pool.submit(execute, name, root), pool.submit(execute, name, root))
            for name in due
        }
        for name in names:
            if name in runs:
                first, second = (run.result() for run in runs[name])
                if first != second:
                    raise PageError(f"book/{name}.md: {_difference(first, second)}")
                changed, done = _write(name, first, root), "executed"
            else:
                changed, done = _write(name, dumps(refreshed(name, root)), root), "prose updated"
            if changed:
                said[name] = f"{name}: {done}"
            elif name in runs:
                said[name] = f"{name}: executed, nothing changed"
    return list(said.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Execute the pages of code that changed.")
    parser.add_argument("--all", action="store_true", help="execute every page, changed or not")
    parser.add_argument("page", nargs="*", help="a page's name, such as 4-1-counting-queries")
    options = parser.parse_args(arguments)
    known = pages()
    for page in options.page:
        if page not in known:
            parser.error(f"page must be one of {', '.join(known)}, got {page!r}")
    try:
        print("\n".join(update(options.page or known, options.all)))
    except PageError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _is_code(path: Path) -> bool:
    header = path.read_text(encoding="utf-8").split("\n---", 1)[0]
    return header.startswith("---") and "\njupytext:" in header


def _files(modules: Iterable[str], root: Path) -> list[str]:
    """Return what a page depends on: modules, the data files beside them, and the ledger."""
    found = {Path(module).resolve() for module in modules}
    for folder in {path.parent for path in found}:
        found |= {p for p in folder.iterdir() if p.is_file() and p.suffix != ".py"}
    if root / "pkdp" / "claims.py" in found:  # whoever can read the ledger is taken to do so
        found |= set((root / "claims").glob("*.yml"))
    return sorted(p.relative_to(root).as_posix() for p in found if p.is_relative_to(root))


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


def _write(page: str, text: str, root: Path) -> bool:
    """Write a notebook unless it is there already; return whether it was written."""
    path = root / "notebooks" / f"{page}.ipynb"
    if path.exists() and path.read_bytes() == text.encode():
        return False
    path.write_bytes(text.encode())
    return True


if __name__ == "__main__":
    sys.exit(main())
