"""Command line: draw figures, and audit counts of a file (``python -m pkdp``)."""

import argparse
import csv
import io
import math
import os
import re
import shlex
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from pkdp import figures
from pkdp.figures import _stored
from pkdp.figures._files import save_all

# The options of an audit that say what to do with the answer; all others are arguments of it.
_OF_COMMAND = ("command", "report", "json", "cells", "order")

# What an argument of Python is called on the command line, where that differs or is no English.
_OPTIONS = {
    "epsilon": "epsilon",
    "round_to": "round",
    "sum_of": "sum",
    "threshold": "suppress",
    "lam": "lam",
    "counts": "count",
    "folder": "report",
}


class _Parser(argparse.ArgumentParser):
    screen = ""  # instead of the help that argparse makes

    def format_help(self) -> str:
        return self.screen or super().format_help()

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
        said = _with_options(str(error)) if options.command == "audit" else error
        print(f"python -m pkdp {options.command}: {said}.", file=sys.stderr)
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
    if no_known := options.epsilon is not None and options.known is None:
        given["epsilon"] = None
    if options.order is not None and options.cells is None:
        raise ValueError("--order must come with --cells, whose merges it is for")
    order = options.cells is not None if options.order is None else _order(options.order)
    found = audit.of_file(**given, cells=order)
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


def _with_options(message: str) -> str:
    """Name the options of the command instead of the arguments of Python.

    Examples
    --------
    >>> _with_options("counts must be given with total, or epsilon and lam")
    '--count must be given with total, or --epsilon and --lam'
    >>> _with_options("folder must be a new folder")
    '--report must be a new folder'
    """
    message = re.sub(
        r"^(?!file\b)[a-z_]+(?=(?:, [a-z_]+)*(?: and [a-z_]+)? must)", _option, message
    )
    names = "|".join(_OPTIONS.keys() - {"counts", "folder"})  # which are words as well
    return re.sub(rf"(?<![-\w])(?:{names})\b(?!=)", _option, message)


def _option(name: re.Match[str]) -> str:
    return f"--{_OPTIONS.get(name[0], name[0])}"


def _order(path: str) -> list[str]:
    """Read the labels of groups, in their order, from a file as --cells writes it."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return [row["group"] for row in csv.DictReader(file)]
    except (OSError, ValueError, KeyError, csv.Error):
        raise ValueError(
            f"--order must be a file as --cells writes it, CSV with a column 'group', got {path}"
        ) from None


def _known(text: str) -> int | float:
    """Read a number of records, or a fraction of them."""
    if re.fullmatch(r"\d+/[1-9]\d*", text):
        share = Fraction(text)
        near = float(share)
        return near if near >= share else math.nextafter(near, math.inf)
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


# The help of an audit: every option, on one screen.
_HELP = """\
usage: python -m pkdp audit FILE --count COLUMN=VALUE [OPTION …]

May these counts be published? The answer is an ε at your δ, by a theorem of the
book, and rests on what you assume about the attacker (she). FILE is CSV,
Parquet, Excel, Stata or SAS: a record a row, nobody in two of them.

what is published:
  --count COLUMN=VALUE    how many have this value; COLUMN alone: a 1, not a 0
  --by COLUMN             for each group, which is public; or each combination
  --table COLUMN,…        instead: one of several tables of the same people
  --tables FILE           several, in YAML: [[region, sex], [age]]
  --suppress T            counts up to T are suppressed (or --threshold T)
  --round B               counts are rounded to the nearest multiple of B
  --noise geometric:P     geometric noise of ratio P is added to each count
instead of counts:
  --sum COLUMN=LOW..HIGH  the sum of whole numbers; any record has each of
                          --values V,V with probability --lam at least
  --weight COLUMN         a --count with records counted so often; she knows it
  --wave COLUMN           a --count in each wave; --person COLUMN: of whom;
                          --chain P,P,P: her P of a Yes; after a No, a Yes
  --total COLUMN,…        a table without cells up to --suppress, and its total
what the attacker does not know, one of:
  --lam LAMBDA            least probability of any answer of an unknown record,
                          given the others of its household; up to 0.5
  --probabilities COLUMN  hers that a record is counted; one for each --count
  --model COLUMN,…        what a logistic model says by these, which she knows
what else is assumed:
  --assume independent    records (or households) are, to her; else no number
  --known FRACTION        of the others, or how many: 1 is one (default: none)
  --after audit.json      what this earlier report was about is published, too
  --household COLUMN      who agrees in it is one person, or household: all of
                          these records together are protected
  --missing TEXT          says that nothing is known (default: NA, null, - …)
the answer:
  --delta DELTA           δ (default: 1e-9)
  --epsilon EPSILON       the ε that is wanted; needs --known (default: 1)
  --report DIR            a page to hand on, and the numbers for yourself; an
                          earlier report there is removed first
  --cells FILE            CSV of all groups, with ε and merges, for yourself
  --order FILE            such a file, its rows in the order in which to merge
  --json                  numbers instead of words; with notes: for yourself

examples:
  python -m pkdp audit poll.csv --count vote=Y --lam 0.1 --assume independent
  python -m pkdp audit poll.csv --count vote=Y --count vote=N --by region \\
      --known 0.5 --lam 0.1 --assume independent --report answer
  python -m pkdp audit poll.csv --count ill --model age,sex --assume independent
exit status: 0 if ε is at most --epsilon, and δ below one in the number of
records ("passes" in JSON); 1 if not; 2 if an option or the file is wrong; 3 if
there is no answer: an assumption is missing, or the file contradicts it.
"""


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m pkdp",
        description="The figures of the book, and its theorems for a file of yours.",
    )
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="{audit,figures,figure}"
    )
    audit = commands.add_parser("audit", help="may these exact counts of a file be published?")
    audit.screen = _HELP
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
    add = audit.add_argument
    add("file", metavar="FILE")
    # Names of columns; several may have commas between them.
    for name in ("--by", "--probabilities", "--model", "--assume", "--after", "--total"):
        add(name, action="append", default=[])
    add("--count", dest="counts", action="append", default=[])
    add("--table", dest="tables", action="append", default=[])
    add("--tables", dest="tables", action="append", type=Path)
    add("--threshold", "--suppress", type=_integer)
    add("--round", dest="round_to", type=_integer)
    add("--sum", dest="sum_of")
    add("--values", default=())
    for name in ("--noise", "--weight", "--wave", "--person", "--chain", "--household"):
        add(name)
    add("--missing", action="append")
    add("--lam", type=_number)
    add("--known", type=_known)
    add("--delta", type=_number, default=1e-9)
    add("--epsilon", type=_number)
    for name in ("--report", "--cells", "--order"):
        add(name)
    add("--json", action="store_true")


if __name__ == "__main__":
    sys.exit(main())
