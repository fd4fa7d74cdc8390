"""Digests of files and code, which tell whether a stored result is up to date.

Pages and the tables of figures are computed once and stored. A lock file has a line for each: its
name, the digest of the files that were read, and their names. As long as the digest agrees, the
result need not be computed again. A comment, a docstring or a line break in a module does not
change it.

What is stored is written whole or not at all.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import secrets
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parent

# These find modules, or keep results and their records: no result depends on them.
KEEPERS = (
    "pkdp/__init__.py",
    "pkdp/_sources.py",
    "pkdp/figures/_files.py",
    "pkdp/figures/_registry.py",
    "pkdp/figures/_stored.py",
    "pkdp/figures/*/__init__.py",
)


def code_digest(code: str) -> str:
    r"""Return the digest of Python code: of what it does, not of how it is written down.

    Parameters
    ----------
    code : str
        A module. What is no Python counts as it is written.

    Examples
    --------
    >>> code_digest("x = 1  # one") == code_digest("'''A module.'''\nx = (1)")
    True
    >>> code_digest("x = 1") == code_digest("x = True")
    False
    """
    try:
        return _hexadecimal(repr(_plain(ast.parse(code))).encode())
    except SyntaxError:
        return _hexadecimal(code.encode())


def cell_digest(code: str) -> str:
    """Return the digest of a cell of a page, whose last expression is shown, be it only a text.

    Examples
    --------
    >>> cell_digest("x = 1") == cell_digest("x = 1  # one")
    True
    >>> cell_digest("'one'") == cell_digest("'two'"), cell_digest("x") == cell_digest("x;")
    (False, False)
    """
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return _hexadecimal(code.encode())
    shown = body.pop().value if body and isinstance(body[-1], ast.Expr) else None  # type: ignore[attr-defined]
    hidden = code.rstrip().endswith(";")
    return _hexadecimal(repr((_plain(body), _plain(shown), hidden)).encode())


def digest(path: Path) -> str:
    """Return the digest of a file: of a module's code (see `code_digest`), of others' bytes.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    status = path.stat()
    return _digest(path, status.st_mtime_ns, status.st_size)


def digests(files: Iterable[Path], root: Path = ROOT) -> dict[str, str]:
    """Return the digests of files by their names in the project, in order.

    Parameters
    ----------
    files : iterable of Path
        Below `root`; modules that only keep results are left out.
    root : Path
        The project's folder.
    """
    names = {path.relative_to(root).as_posix() for path in files}
    return {
        name: digest(root / name)
        for name in sorted(names)
        if not any(fnmatchcase(name, keeper) for keeper in KEEPERS)
    }


@dataclass(frozen=True)
class Record:
    """What a stored result was computed from; as a text, one word for each.

    Attributes
    ----------
    digest : str
        Of the result's own code, if it is no file, and of all files.
    files : tuple of str
        Their names in the project.

    Examples
    --------
    >>> str(Record("5b1c", ("a.py", "b.csv"))), Record.read("5b1c a.py b.csv").files
    ('5b1c a.py b.csv', ('a.py', 'b.csv'))
    """

    digest: str
    files: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Record:
        """Return the record that has this text."""
        digest, *files = text.split()
        return cls(digest, tuple(files))

    def __str__(self) -> str:
        return " ".join([self.digest, *self.files])

    def is_current(self, root: Path = ROOT, code: Iterable[str] = ()) -> bool:
        """Return whether code and files are what they were."""
        files = [root / name for name in self.files]
        return all(map(Path.is_file, files)) and record(files, root, code).digest == self.digest


def record(files: Iterable[Path], root: Path = ROOT, code: Iterable[str] = ()) -> Record:
    """Return the record of these files as they are, and of digests of other code."""
    found = digests(files, root)
    return Record(_hexadecimal("\n".join([*code, *found, *found.values()]).encode()), tuple(found))


def locked(file: Path) -> dict[str, Record]:
    """Return the records of a lock file by the names of the results; none if there is no file."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {name: Record.read(text) for name, _, text in (line.partition(" ") for line in lines)}


def lock(file: Path, records: Mapping[str, Record]) -> None:
    """Write a lock file, in the order of the names; `locked` reads it."""
    lines = (f"{name} {one}\n" for name, one in sorted(records.items()))
    write_whole(file, "".join(lines).encode())


def modules_read() -> list[Path]:
    """Return the files of this package's modules that were imported so far."""
    names = [name for name in sys.modules if name.split(".")[0] == PACKAGE.name]
    files = (getattr(sys.modules[name], "__file__", None) for name in sorted(names))
    return [Path(file).resolve() for file in files if file]


def write_whole(target: Path, content: bytes) -> None:
    """Write a file, or leave what was there if that fails."""
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@functools.lru_cache(maxsize=1024)
def _digest(path: Path, changed_at: int, size: int) -> str:
    del changed_at, size  # they tell a changed file from the one that was read before
    content = path.read_bytes()
    return code_digest(content.decode()) if path.suffix == ".py" else _hexadecimal(content)


def _hexadecimal(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _plain(node: object) -> object:
    """Return a syntax tree as tuples, the same for every version of Python that can read it."""
    if isinstance(node, list):
        return tuple(_plain(item) for item in node if not _is_docstring(item))
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.JoinedStr):  # some versions see empty texts between the parts
        parts = [part for part in node.values if getattr(part, "value", None) != ""]
        node = ast.JoinedStr(values=parts)
    # Later versions have more fields, which are empty where an older version can read the code.
    fields = ((name, value) for name, value in ast.iter_fields(node) if value not in (None, []))
    return type(node).__name__, *((name, _plain(value)) for name, value in fields)


def _is_docstring(node: object) -> bool:
    """Tell a text that stands alone as a statement, wherever that is: it does nothing."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
