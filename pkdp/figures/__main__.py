"""Regenerate every figure: ``python -m pkdp.figures``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from pkdp import figures


def main(arguments: Sequence[str] | None = None) -> None:
    """Write each figure, in each format, into the folder given by ``--out``."""
    parser = argparse.ArgumentParser(prog="python -m pkdp.figures", description=__doc__)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("_build", "figures"),
        metavar="DIR",
        help="made if missing; %(default)s if not given",
    )
    folder: Path = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)
    for name in figures.names():
        for kind in figures.FORMATS:
            path = folder / f"figure-{name}.{kind}"
            figures.save(name, path)
            print(path)


if __name__ == "__main__":
    main()
