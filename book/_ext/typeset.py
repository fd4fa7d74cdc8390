"""Make the PDF: Sphinx writes LaTeX, LaTeX sets it, and nothing that it complains of is let pass.

::

    python book/_ext/typeset.py          # what `make pdf` runs, once the book is built
    python book/_ext/typeset.py --check  # whether what it takes is installed

The pages are not read again: the doctrees of the built book are copied to a folder of their own.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "_build" / "pdf"
BOOK = "pkdp-book"
PACKAGES = (
    "texlive-latex-base texlive-latex-recommended texlive-latex-extra texlive-fonts-recommended "
    "tex-gyre latexmk"
)
# A line that sticks out less than this is not seen.
STICKS_OUT = 20.0  # pt

_OVERFULL = re.compile(r"^Overfull \\hbox \(([\d.]+)pt too wide\).*", re.MULTILINE)
_COMPLAINT = re.compile(
    r"^(?:! .*|Missing character: .*|.*Warning: (?:Reference|Hyper reference|Citation) .*"
    r"|.*multiply[- ]defined.*|.*destination with the same identifier.*|.*File .* not found.*)",
    re.MULTILINE,
)


def missing() -> str:
    """Return what to install, in a sentence; nothing if all is there.

    What is not there is looked for by one file of each package.
    """
    names = ["pdflatex", "latexmk", "kpsewhich"]
    files = ["tcolorbox.sty", "tgpagella.sty", "mathpazo.sty", "t1txtt.fd", "microtype.sty"]
    found = all(map(shutil.which, names)) and not (
        set(files) - set(map(_file_name, _asked("kpsewhich", *files).splitlines()))
    )
    return "" if found else f"No PDF without LaTeX: on Debian, apt-get install {PACKAGES}"


def _file_name(path: str) -> str:
    return Path(path).name


def _asked(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def write_latex(folder: Path = FOLDER) -> int:
    """Write the document and its drawings; return the exit status of Sphinx."""
    from jupyter_book.sphinx import build_sphinx

    doctrees = folder / "doctrees"
    shutil.rmtree(doctrees, ignore_errors=True)
    if (ROOT / "_build" / ".doctrees").exists():
        shutil.copytree(ROOT / "_build" / ".doctrees", doctrees)
    status = build_sphinx(
        ROOT,
        folder / "latex",
        noconfig=True,
        path_config=ROOT / "_config.yml",
        confoverrides={
            "external_toc_path": str(ROOT / "_toc.yml"),
            "latex_individualpages": False,
            "nitpicky": True,
        },
        doctreedir=doctrees,
        builder="printed",
        warningiserror=True,
        keep_going=True,
        quiet=True,
    )
    return status if isinstance(status, int) else 1


def set_pages(folder: Path) -> list[str]:
    """Run LaTeX as often as it takes; return what is wrong with the outcome."""
    command = ["latexmk", "-pdf", "-interaction=nonstopmode", "-halt-on-error", "-silent"]
    ran = subprocess.run(
        [*command, "-norc", f"{BOOK}.tex"], cwd=folder, capture_output=True, text=True, check=False
    )
    log = folder / f"{BOOK}.log"
    if not log.exists():
        return [ran.stdout + ran.stderr]
    wrong = complaints(log.read_text(encoding="utf-8", errors="replace"))
    return wrong or ([ran.stdout + ran.stderr] if ran.returncode else [])


def complaints(log: str) -> list[str]:
    r"""Return what LaTeX complains of: missing characters and labels, and lines that stick out.

    Examples
    --------
    >>> complaints("Overfull \\hbox (3.1pt too wide) in paragraph at lines 1--2\n")
    []
    >>> complaints("Missing character: There is no ∞ in font ptmr!\n")
    ['Missing character: There is no ∞ in font ptmr!']
    """
    found = [line[0] for line in _COMPLAINT.finditer(log)]
    found += [line[0] for line in _OVERFULL.finditer(log) if float(line[1]) > STICKS_OUT]
    return list(dict.fromkeys(found))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 1 if there is no PDF, or something is wrong."""
    parser = argparse.ArgumentParser(description="Make the PDF of the book.")
    parser.add_argument("--check", action="store_true", help="only say whether LaTeX is there")
    given = parser.parse_args(arguments)
    if what := missing():
        print(what, file=sys.stderr)
        return 1
    if given.check:
        return 0
    if status := write_latex():
        return status
    if wrong := set_pages(FOLDER / "latex"):
        print("\n".join(wrong), file=sys.stderr)
        return 1
    shutil.copyfile(FOLDER / "latex" / f"{BOOK}.pdf", ROOT / "_build" / f"{BOOK}.pdf")
    return 0


if __name__ == "__main__":
    sys.exit(main())
