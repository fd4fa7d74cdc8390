"""Command line: draw figures, and audit counts of a file (``python -m pkdp``)."""

import argparse
import io
import os
import shlex
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from pkdp import figures
from pkdp.figures import _stored
from pkdp.figures._files import save_all
from pkdp.partial_knowledge.noise import Geometric

# The options of an audit that say what to do with the answer; all others are arguments of it.
_OF_COMMAND = ("command", "report", "json", "cells")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows ``python -m pkdp``; by default, taken from the command line.

    Returns
    -------
    int
        The exit status: 0, or 2 after one sentence on stderr. Of an audit also 1 if it does not
        pass, and 3 if it has no answer.

    Examples
    --------
    >>> main(["figures"])  # doctest: +ELLIPSIS
    shifted-laws  Why a count hides anyone
    ...
    0
    """
    options = _parser().parse_args(arguments)
    try:
        if options.command == "audit":
            return _audit(options, sys.argv[1:] if arguments is None else arguments)
        if options.command == "figure":
            figures.save(options.name, options.out, anew=options.anew)
        elif options.update or options.out is not None:
            _regenerate(options.update, options.out)
        else:
            width = max(map(len, figures.names()))
            for name in figures.names():
                _print(f"{name:{width}}  {figures.load(name).TITLE}")
    except (ValueError, ImportError) as error:
        print(f"python -m pkdp {options.command}: {error}.", file=sys.stderr)
        return 2
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        target = (options.report or "the answer") if options.command == "audit" else options.out
        sentence = f"cannot write {target}: {reason}."
        print(f"python -m pkdp {options.command}: {sentence}", file=sys.stderr)
        return 2
    return 0


def _print(text: str) -> None:
    """Print a text; if nobody reads any more, say nothing."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # not every terminal has an ε
        sys.stdout.reconfigure(errors="replace")
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python writes what is left once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _regenerate(update: bool, folder: str | None) -> None:
    """Bring the stored tables and a folder of figures up to date, and say what was made."""
    for name in _stored.update(figures.names()) if update else ():
        _print(f"computed the table of figure {name}")
    for path in save_all(folder) if folder is not None else ():
        _print(str(path))


def _audit(options: argparse.Namespace, line: Sequence[str]) -> int:
    """Answer whether counts may be published, and print that."""
    from pkdp.practice import audit  # which the figures can do without

    if options.report is not None:
        folder = Path(options.report).resolve()
        if any(Path(earlier).resolve().parent == folder for earlier in options.after):
            raise ValueError("--report must be another folder than that of --after, to be kept")
        audit.remove_report(options.report)
    given = {name: value for name, value in vars(options).items() if name not in _OF_COMMAND}
    if no_known := options.eps is not None and options.known is None:
        given["eps"] = None
    found = audit.of_file(**given, cells=options.cells is not None)
    for note in found.notes:
        print(f"note: {note}.", file=sys.stderr)
    if isinstance(found, audit.Audit) and options.report is not None and not no_known:
        command = f"python -m pkdp {shlex.join(line)}"
        audit.write_report(found, options.report, command=command, file=options.file)
    if isinstance(found, audit.Audit) and options.cells is not None:
        audit.write_cells(found, options.cells)
    if not no_known or not options.json:
        _print(audit.as_json(found) if options.json else found.text())
    if no_known:
        raise ValueError(
            "--epsilon must come with --known, as a goal depends on it: how many of the other "
            "records does she know? For none say --known 0"
        )
    if isinstance(found, audit.Refusal):
        return 3
    return 0 if found.passes else 1


# Names of columns; several may have commas between them.
_COLUMNS: dict[str, Any] = {"action": "append", "default": [], "metavar": "COLUMN"}


def _known(text: str) -> int | float:
    """Read a number of records, or a fraction of them."""
    try:
        return int(text)
    except ValueError:
        return _number(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number such as 0.5, got {text!r}") from None


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None


def _noise(text: str) -> Geometric:
    """Read ``geometric:P``."""
    kind, _, ratio = text.partition(":")
    try:
        if kind == "geometric":
            return Geometric(float(ratio))
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"must be geometric:P with P in [1e-200, 1), got {text!r}")


# What each option of an audit is.
_HELP = {
    "file": "CSV or Parquet, a record a line, nobody in two of them",
    "--count": "how many records have this value; COLUMN alone counts 1s in a column of 0 and 1; "
    "several --count are published together",
    "--by": "for each group of records that agree in this column, which is public; with several, "
    "for each combination",
    "--table": "instead of --by, one of several tables of the same people, by these columns",
    "--threshold": "counts up to T are suppressed",
    "--round": "counts are rounded to the nearest multiple of B, with --suppress small ones to 0",
    "--noise": "geometric noise of ratio P is added to each count",
    "--lam": "of a record she does not know, any answer has this probability at least, with "
    "--household given the others of its household; up to 0.5",
    "--probabilities": "a column with her probability that a record is counted; one for each "
    "--count",
    "--model": "she knows these columns of everybody, and what a logistic model makes of them",
    "--assume": "records are independent to her (households, with --household); without this there "
    "is no number",
    "--known": "how many of the other records she knows: a fraction below 1 of each group's, or a "
    "whole number, so that 1 is one record (default: none)",
    "--after": "an earlier report's numbers: what was published then is a part of the release",
    "--household": "records that agree in it are of one person or household: all of them together "
    "are protected",
    "--missing": "what is written where nothing is known (default: NA, n/a, null, - and the like)",
    "--sum": "the sum of whole numbers in LOW…HIGH, such as visits=0..9",
    "--values": "any record has each of these with probability --lam at least: 0,1",
    "--weight": "a --count in which each record counts so often; she knows this",
    "--wave": "a --count for each wave of the same people, of numbers or dates",
    "--person": "who was asked in a wave",
    "--chain": "her probability of a Yes in the first wave, after a No, after a Yes",
    "--total": "a table by these columns, cells up to --suppress T left out, and its total",
    "--delta": "δ (default: 1e-9)",
    "--epsilon": "the ε that is wanted; needs --known (default: 1)",
    "--report": "write a page to hand on, and the numbers for yourself, into a new folder; an "
    "earlier report is removed first",
    "--cells": "write every group into this CSV file, with its ε and a merge of neighbours, for "
    "yourself",
    "--json": "print the numbers as JSON",
}
_EXAMPLES = """
    examples:
      python -m pkdp audit poll.csv --count vote=Y --lam 0.1 --assume independent
      python -m pkdp audit poll.csv --count vote=Y --count vote=N --by region \\
          --known 0.5 --lam 0.1 --assume independent --report answer
      python -m pkdp audit poll.parquet --count ill --model age,sex --assume independent

    exit status: 0 if the answer is at most --epsilon and δ is below one in the number of
    records; 1 if not; 2 if an option or the file is wrong, after one sentence; 3 without an
    answer, as an assumption is missing, or the file contradicts it. In JSON, "passes" is
    true with exit status 0 only.
    """


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m pkdp",
        description="The figures of the book, and its theorems for a file of yours.",
    )
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="{audit,figures,figure}"
    )
    audit = commands.add_parser(
        "audit",
        help="may these exact counts of a file be published?",
        description=(
            "May these exact counts be published? The answer is an ε at your δ, by a theorem of "
            "the book, and rests on what you assume about the attacker."
        ),
        epilog=textwrap.dedent(_EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_options(audit)
    every = commands.add_parser("figures", help="list all figures, or regenerate them all")
    every.add_argument("--out", metavar="DIR", help="write here, in every format, what is missing")
    how = "first compute the tables anew whose code has changed"
    every.add_argument("--update", action="store_true", help=how)
    figure = commands.add_parser("figure", help="regenerate one figure from the book's own code")
    figure.add_argument("name", help="as listed by `figures`, for example 3")
    how = f"where to write it: the name ends in .{', .'.join(figures.FORMATS)}"
    figure.add_argument("--out", required=True, metavar="FILE", help=how)
    how = "compute its table now instead of reading the stored one"
    figure.add_argument("--anew", action="store_true", help=how)
    return parser


def _add_options(audit: argparse.ArgumentParser) -> None:
    """Add the options of an audit."""

    def group(title: str) -> Callable[..., argparse.Action]:
        add = audit.add_argument_group(title).add_argument
        return lambda *names, **how: add(*names, help=_HELP[names[0]], **how)

    audit.add_argument("file", metavar="FILE", help=_HELP["file"])
    counts: dict[str, Any] = {"action": "append", "default": [], "metavar": "COLUMN=VALUE"}
    add = group("what is published")
    add("--count", dest="counts", **counts)
    add("--by", **_COLUMNS)
    add("--table", dest="tables", action="append", default=[], metavar="COLUMN,…")
    add("--threshold", "--suppress", type=_integer, metavar="T")
    add("--round", dest="round_to", type=_integer, metavar="B")
    add("--noise", type=_noise, metavar="geometric:P")
    add = group("instead of counts: a sum, a weighted count, waves, or a table")
    add("--sum", dest="sum_of", metavar="COLUMN=LOW..HIGH")
    add("--values", default=(), metavar="V,V")
    add("--weight", metavar="COLUMN")
    add("--wave", metavar="COLUMN")
    add("--person", metavar="COLUMN")
    add("--chain", metavar="P,P,P")
    add("--total", action="append", default=[], metavar="COLUMN,…")
    add = group("what the attacker does not know: one of these")
    add("--lam", type=_number, metavar="LAMBDA")
    add("--probabilities", **_COLUMNS)
    add("--model", **_COLUMNS | {"metavar": "COLUMN,…"})
    add = group("what else is assumed")
    add("--assume", action="append", default=[], metavar="independent")
    add("--known", type=_known, metavar="FRACTION")
    add("--after", action="append", default=[], metavar="audit.json")
    add("--household", metavar="COLUMN")
    add("--missing", action="append", metavar="TEXT")
    add = group("the answer")
    add("--delta", type=_number, default=1e-9, metavar="DELTA")
    add("--epsilon", dest="eps", type=_number, metavar="EPSILON")
    add("--report", metavar="DIR")
    add("--cells", metavar="FILE")
    add("--json", action="store_true")


if __name__ == "__main__":
    sys.exit(main())
