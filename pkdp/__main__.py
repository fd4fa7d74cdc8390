"""List or regenerate the figures: ``python -m pkdp figure 3 --out fig3.pdf``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pkdp import figures


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
            figures.save(options.name, options.out)
        elif options.out is not None:
            _save_all(Path(options.out))
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


def _save_all(folder: Path) -> None:
    """Write each figure, in each format, and say what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in figures.names():
        for kind in figures.FORMATS:
            path = folder / f"figure-{name}.{kind}"
            figures.save(name, path)
            print(path)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m pkdp", description="The figures of the book.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="{figures,figure}")
    every = commands.add_parser("figures", help="list all figures, or regenerate them all")
    every.add_argument("--out", metavar="DIR", help="write them here, in every format")
    figure = commands.add_parser("figure", help="regenerate one figure from the book's own code")
    figure.add_argument("name", help="as listed by `figures`, for example 3")
    figure.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help=f"where to write it: the name ends in .{', .'.join(figures.FORMATS)}",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
