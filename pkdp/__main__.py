"""List or regenerate the figures: ``python -m pkdp figure 3 --out fig3.pdf``."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from pkdp import figures
from pkdp.figures import _stored
from pkdp.figures._files import save_all


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
        The exit status: 0, or 2 after one sentence on stderr.

    Examples
    --------
    >>> main(["figures"])  # doctest: +ELLIPSIS
    shifted-laws  Why a count hides anyone
    ...
    0
    """
    options = _parser().parse_args(arguments)
    try:
        if options.command == "figure":
            figures.save(options.name, options.out, anew=options.anew)
        elif options.update or options.out is not None:
            _regenerate(options.update, options.out)
        else:
            width = max(map(len, figures.names()))
            for name in figures.names():
                print(f"{name:{width}}  {figures.load(name).TITLE}")
    except ValueError as error:
        print(f"python -m pkdp {options.command}: {error}.", file=sys.stderr)
        return 2
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        sentence = f"cannot write {options.out}: {reason}."
        print(f"python -m pkdp {options.command}: {sentence}", file=sys.stderr)
        return 2
    return 0


def _regenerate(update: bool, folder: str | None) -> None:
    """Bring the stored tables and a folder of figures up to date, and say what was made."""
    for name in _stored.update(figures.names()) if update else ():
        print(f"computed the table of figure {name}")
    for path in save_all(folder) if folder is not None else ():
        print(path)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m pkdp", description="The figures of the book.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="{figures,figure}")
    every = commands.add_parser("figures", help="list all figures, or regenerate them all")
    every.add_argument(
        "--out", metavar="DIR", help="write here, in every format, what is not there"
    )
    every.add_argument(
        "--update", action="store_true", help="first compute the tables anew whose code has changed"
    )
    figure = commands.add_parser("figure", help="regenerate one figure from the book's own code")
    figure.add_argument("name", help="as listed by `figures`, for example 3")
    figure.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help=f"where to write it: the name ends in .{', .'.join(figures.FORMATS)}",
    )
    figure.add_argument(
        "--anew",
        action="store_true",
        help="compute its table now instead of reading the stored one",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
