"""Serves the built book with cells that run in the browser: what ``make live`` does.

Pyodide, which is Python for browsers, is fetched once by npm, from wherever npm is set up to look,
and is used if its digest is the one written here. The library is packed from this folder, sympy and
mpmath from where they are installed; so that the page needs nothing from elsewhere. What Pyodide
has for numpy, scipy and matplotlib does not come with it. Who has its distribution can say where
(``make live WHEELS=FOLDER``, or an address); without, the exact worlds run, and cells that need
more say so. ::

    python book/live/live.py fetch [--wheels FOLDER]  # into _build/live
    python book/live/live.py serve [--port 8765]      # the book of _build/html, to this machine

The pages of the book are not changed: two lines are added to them while they are served.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "_build" / "live"
HTML = ROOT / "_build" / "html"

# Python 3.14. The digest is what npm calls the integrity of the package.
PYODIDE = "314.0.7"
INTEGRITY = (
    "sha512-"
    "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
)
LOCK = "pyodide-lock.json"
NEEDED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", LOCK)
# Written in Python alone: as they are installed here, they run there.
PLAIN = ("mpmath", "sympy")
COMPILED = ("numpy", "scipy", "matplotlib")

PREFIX = "/_live/"  # where pages find what is added to them
OWN = ("live.js", "live.css", "worker.js", "cells.py")
ADDED = (
    f'<link rel="stylesheet" href="{PREFIX}live.css" />\n'
    f'<script type="module" src="{PREFIX}live.js"></script>\n</head>'
)
# A page asks this machine only, whatever is on it.
POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"


class NotThereError(Exception):
    """What is needed cannot be had; the message is a sentence for whoever asked."""


def check(content: bytes, integrity: str, what: str) -> None:
    """Refuse bytes that have another digest.

    Parameters
    ----------
    content : bytes
    integrity : str
        The name of the hash, a dash, and the digest in base64: as npm writes it.
    what : str
        What they are, for the message.

    Raises
    ------
    NotThereError

    Examples
    --------
    >>> check(b"", "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "nothing")
    >>> check(b"x", "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "nothing")
    ... # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ...
    NotThereError: nothing is not what it should be (its sha256 is another), and was not kept.
    """
    name, _, digest = integrity.partition("-")
    if base64.b64encode(hashlib.new(name, content).digest()).decode() != digest:
        raise NotThereError(
            f"{what} is not what it should be (its {name} is another), and was not kept."
        )


def packed(version: str = PYODIDE, patience: float = 600) -> bytes:
    """Return the package of Pyodide, fetched by npm within some seconds.

    Raises
    ------
    NotThereError
        If npm is not there, or cannot fetch it.
    """
    program = shutil.which("npm")
    if program is None:
        raise NotThereError(
            "Cells that run need Pyodide, which npm fetches, and there is no npm here: install it "
            "(it comes with Node.js), or read the book that `make book` builds."
        )
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "pack", f"pyodide@{version}", "--pack-destination", folder, "--silent"]
        try:
            run = subprocess.run(
                [*command, "--fetch-retries=0", "--fetch-timeout=120000"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=patience,
            )
            found = list(Path(folder).glob("*.tgz"))
            failed = bool(run.returncode) or len(found) != 1
        except subprocess.TimeoutExpired:
            failed = True
        if failed:
            raise NotThereError(
                f"Cells that run need Pyodide {version}, and npm could not fetch it: try again "
                "with a network, or read the book that `make book` builds."
            )
        return found[0].read_bytes()


def unpacked(package: bytes, names: Iterable[str]) -> dict[str, bytes]:
    """Return some files of an npm package by name.

    Raises
    ------
    NotThereError
        If one is not in it.
    """
    found = {}
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        for name in names:
            try:
                member = archive.extractfile(f"package/{name}")
            except KeyError:
                member = None
            if member is None:
                raise NotThereError(f"The package of Pyodide has no {name}.")
            found[name] = member.read()
    return found


def wheels_of(lock: Mapping[str, dict[str, dict[str, object]]], names: Iterable[str]) -> list[str]:
    """Return the names in Pyodide's lock of packages and of all that they depend on, in order.

    Examples
    --------
    >>> wheels_of({"packages": {"b": {"depends": ["a"]}, "a": {"depends": []}, "c": {}}}, ["b"])
    ['a', 'b']
    """
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            depends = lock["packages"][name].get("depends", ())
            waiting += [str(one) for one in depends]  # type: ignore[attr-defined]
    return sorted(found)


def _read(source: str, name: str) -> bytes:
    """Read a file of a folder or of an address."""
    if urllib.parse.urlsplit(source).scheme in ("http", "https"):
        address = f"{source.rstrip('/')}/{urllib.parse.quote(name)}"
        with urllib.request.urlopen(address, timeout=120) as answer:
            content: bytes = answer.read()
        return content
    return Path(source, name).read_bytes()


def add_wheels(folder: Path, source: str) -> None:
    """Take numpy, scipy, matplotlib and what they need from a distribution of Pyodide.

    Raises
    ------
    NotThereError
        If one is not there, or is another than Pyodide's lock says.
    """
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    contents = {}
    for name in wheels_of(lock, COMPILED):
        entry = lock["packages"][name]
        file = entry["file_name"]
        try:
            contents[file] = _read(source, file)
        except OSError:
            raise NotThereError(f"There is no {file} in {source}, where WHEELS says.") from None
        digest = base64.b64encode(bytes.fromhex(entry["sha256"])).decode()
        check(contents[file], f"sha256-{digest}", file)
    for file, content in contents.items():
        (folder / file).write_bytes(content)


def here(folder: Path) -> list[str]:
    """Return which of the compiled packages are there, with all that they need."""
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    return [
        name
        for name in COMPILED
        if name in lock["packages"]
        and all(
            (folder / lock["packages"][one]["file_name"]).exists()
            for one in wheels_of(lock, [name])
        )
    ]


def fetch(folder: Path = FOLDER, wheels: str = "", patience: float = 600) -> None:
    """Put Pyodide below a folder, unless it is there, and then wheels of its distribution.

    Raises
    ------
    NotThereError
        If something cannot be had.
    """
    target = folder / "pyodide"
    stamp = target / "integrity"
    if not (stamp.exists() and stamp.read_text(encoding="utf-8") == INTEGRITY):
        package = packed(patience=patience)
        check(package, INTEGRITY, f"What npm fetched as Pyodide {PYODIDE}")
        files = unpacked(package, NEEDED)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name, content in files.items():
            (target / name).write_bytes(content)
        stamp.write_text(INTEGRITY, encoding="utf-8")
    if wheels:
        add_wheels(target, wheels)


# What the interpreter gets beside Pyodide


def archive(files: Iterable[tuple[str, Path]]) -> bytes:
    """Return a zip of files under the names given, as they are: it goes no farther than here."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packing:
        for name, path in files:
            packing.write(path, name)
    return buffer.getvalue()


def library(root: Path = ROOT) -> Iterator[tuple[str, Path]]:
    """Yield the files of the library, by their names in an archive."""
    for path in sorted((root / "pkdp").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(root).as_posix(), path


def installed(name: str) -> Iterator[tuple[str, Path]]:
    """Yield the modules of an installed package, its tests left out."""
    for file in metadata.files(name) or ():
        if file.parts[0] == name and file.suffix == ".py" and "tests" not in file.parts:
            yield file.as_posix(), Path(str(file.locate()))


def prepare(folder: Path = FOLDER) -> None:
    """Pack the library and what it needs of Python alone, and write down what there is."""
    (folder / "pkdp.zip").write_bytes(archive(library()))
    for name in PLAIN:
        (folder / f"{name}.zip").write_bytes(archive(installed(name)))
    contents = {
        "archives": ["pkdp.zip", *(f"{name}.zip" for name in PLAIN)],
        "packages": here(folder / "pyodide"),
    }
    (folder / "contents.json").write_text(json.dumps(contents), encoding="utf-8")


# The server


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder of pages, with two lines more in each, and what these ask for."""

    extensions_map = {  # noqa: RUF012 -- as in the parent; and not what this machine says of them
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".json": "application/json",
    }

    def __init__(self, *args: object, html: Path, live: Path, **options: object) -> None:
        self._live = live
        super().__init__(*args, directory=str(html), **options)  # type: ignore[arg-type]

    def translate_path(self, path: str) -> str:
        """Return the file of an address."""
        plain = urllib.parse.unquote(urllib.parse.urlsplit(path).path)
        if not plain.startswith(PREFIX):
            return super().translate_path(path)
        name = plain.removeprefix(PREFIX)
        if name in OWN:
            return str(HERE / name)
        # As the parent does: whatever leads out of the folder is left out.
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        return str(self._live.joinpath(*parts))

    def do_GET(self) -> None:
        """Answer with a file; with a page, after two lines are added."""
        path = Path(self.translate_path(self.path))
        if path.suffix != ".html" or not path.is_file():
            super().do_GET()
            return
        page = path.read_text(encoding="utf-8").replace("</head>", ADDED, 1).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def end_headers(self) -> None:
        """End the headers with what holds for every answer."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of what was asked."""


class Server(ThreadingHTTPServer):
    """Serves to this machine only."""

    def __init__(self, html: Path, live: Path, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), partial(Handler, html=html, live=live))

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet about a closed tab, which leaves files half read."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def serve(port: int) -> None:
    """Serve the book until somebody stops it.

    Raises
    ------
    NotThereError
        If the port is taken.
    """
    prepare()
    try:
        server = Server(HTML, FOLDER, port)
    except OSError:
        raise NotThereError(
            f"Port {port} is taken: name another, as in `make live PORT={port + 1}`."
        ) from None
    absent = [name for name in COMPILED if name not in here(FOLDER / "pyodide")]
    print(f"The book, with cells that run: http://127.0.0.1:{server.server_port}/", flush=True)
    if absent:
        print(
            f"Cells that need {' or '.join(absent)} say that it is not here: CONTRIBUTING.md tells "
            "how to add it.",
            flush=True,
        )
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 1 if something is not there."""
    parser = argparse.ArgumentParser(description="The book, with cells that run in the browser.")
    commands = parser.add_subparsers(dest="command", required=True)
    fetching = commands.add_parser("fetch", help="fetch what runs the cells, into _build/live")
    fetching.add_argument("--wheels", default="", help="folder or address of a distribution")
    serving = commands.add_parser("serve", help="serve the built book to this machine")
    serving.add_argument("--port", type=int, default=8765)
    given = parser.parse_args(arguments)
    try:
        if given.command == "fetch":
            fetch(wheels=given.wheels)
        else:
            serve(given.port)
    except NotThereError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
