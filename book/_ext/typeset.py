"""Make the PDF: Sphinx writes LaTeX, LaTeX sets it, and nothing that it complains of is let pass.

::

    python book/_ext/typeset.py          # what `make pdf` runs, once the book is built
    python book/_ext/typeset.py --check  # is what it takes installed?
    python book/_ext/typeset.py --latex  # only what Sphinx writes; needs no LaTeX

The pages are not read again: the doctrees of the built book are copied to a folder of their own.
"""

from __future__ import annotations

import argparse
import fcntl
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "_build" / "pdf"
BOOK = "pkdp-book"
WRITTEN = ".written"  # touched when the document was written, even if it came out the same
BUILT = ROOT / "_build" / "html" / ".built"  # touched by `make book`
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
    there = all(map(shutil.which, names))
    if there:
        asked = subprocess.run(["kpsewhich", *files], capture_output=True, text=True, check=False)
        there = len(asked.stdout.splitlines()) == len(files)
    return "" if there else f"No PDF without LaTeX: on Debian, apt-get install {PACKAGES}"


def write_latex(folder: Path = FOLDER) -> bool:
    """Write the document and its drawings from the doctrees of the built book.

    They are copied, so that the book itself stays as it is. Nothing is read anew: `make` has seen
    to it that they are up to date, and to look again would take longer than to write.

    Returns
    -------
    bool
        Whether Sphinx had nothing to complain of.
    """
    from jupyter_book.config import get_final_config
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    doctrees = folder / "doctrees"
    shutil.rmtree(doctrees, ignore_errors=True)
    shutil.copytree(ROOT / "_build" / ".doctrees", doctrees)
    config, _ = get_final_config(
        user_yaml=ROOT / "_config.yml",
        sourcedir=ROOT,
        cli_config={
            "external_toc_path": str(ROOT / "_toc.yml"),
            "latex_individualpages": False,
            "nitpicky": True,
        },
        use_external_toc=True,
    )
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=ROOT,
            confdir=None,
            outdir=folder / "latex",
            doctreedir=doctrees,
            buildername="printed",
            confoverrides=config,
            status=None,
            warning=sys.stderr,
        )
        app.builder.write([], [])
        app.builder.finish()
    if app._warncount:
        return False
    (folder / WRITTEN).touch()
    return True


def is_written(folder: Path = FOLDER) -> bool:
    """Return whether the document was written since the book and the preamble were."""
    done = folder / WRITTEN
    sources = [BUILT, *(ROOT / "book" / "latex").iterdir()]
    return done.exists() and all(
        source.exists() and done.stat().st_mtime >= source.stat().st_mtime for source in sources
    )


def set_pages(folder: Path) -> list[str]:
    """Run LaTeX as often as it takes; return what is wrong with the outcome."""
    command = ["latexmk", "-norc", "-pdf", "-silent"]
    command += ["-interaction=nonstopmode", "-halt-on-error", f"{BOOK}.tex"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    log = folder / f"{BOOK}.log"
    if not log.exists():
        return [ran.stdout + ran.stderr]
    wrong = complaints(log.read_text(encoding="utf-8", errors="replace"))
    if ran.returncode:
        # What is half written would be read by the next run; latexmk reads even the log.
        log.rename(folder / "failed.log")
        for file in folder.glob(f"{BOOK}.*"):
            if file.suffix != ".tex":
                file.unlink()
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
    parser.add_argument("--latex", action="store_true", help="only write what LaTeX reads")
    given = parser.parse_args(arguments)
    if not given.latex and (what := missing()):
        print(what, file=sys.stderr)
        return 1
    if given.check:
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / ".lock").open("w") as lock:
        # Whoever comes while another process is at it waits, and finds done what was to do.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (is_written() or write_latex()):
            return 1
        if given.latex:
            return 0
        if wrong := set_pages(FOLDER / "latex"):
            print("\n".join(wrong), file=sys.stderr)
            return 1
        shutil.copyfile(FOLDER / "latex" / f"{BOOK}.pdf", ROOT / "_build" / f"{BOOK}.pdf")
    return 0


if __name__ == "__main__":
    sys.exit(main())
