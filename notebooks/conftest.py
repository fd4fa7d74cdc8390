"""How pytest compares a notebook's stored outputs with fresh ones (nbval, with a tolerance).

Printed decimals may differ by one part in a million: that is what another processor does to
them. Integers, words and the order of everything must be the same. Nothing may go to stderr.
"""

import os
import re
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import nbval.kernel
import pytest
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning import local_provisioner
from nbval.plugin import IPyNbCell, IPyNbFile

from tests.book import kernels

RELATIVE_TOLERANCE = 1e-6

# A number with a point or an exponent. Anything else, integers included, is text.
_DECIMAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?(?!\w)")
# The drawing in a figure of pkdp.figures. Its data are compared where they are printed; here
# its title and description remain.
_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_WORDS = re.compile(r"<(title|desc)\b[^>]*>.*?</\1>", re.DOTALL)


class Printed(str):
    """Text that equals another when only its decimals differ, each by a little."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return NotImplemented
        if _DECIMAL.split(self) != _DECIMAL.split(other):
            return False
        pairs = zip(_DECIMAL.findall(self), _DECIMAL.findall(other), strict=True)
        return all(_close(float(one), float(two)) for one, two in pairs)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


def _close(one: float, two: float) -> bool:
    # No absolute term: a tiny number is a number too. Residuals are printed as yes or no.
    return abs(one - two) <= RELATIVE_TOLERANCE * max(abs(one), abs(two))


def _undrawn(match: re.Match[str]) -> str:
    return "<svg>" + "".join(found[0] for found in _WORDS.finditer(match[0])) + "</svg>"


class Cell(IPyNbCell):  # type: ignore[misc]
    """A code cell whose outputs are compared as the module says."""

    def sanitize(self, s: object) -> object:
        """Return an output in the form in which it is compared."""
        if not isinstance(s, str):
            return s
        if 'class="pkdp-figure"' in s:
            s = _DRAWING.sub(_undrawn, s)
        return Printed(s)

    def compare_outputs(
        self, test: Sequence[Any], ref: Sequence[Any], skip_compare: Sequence[str] | None = None
    ) -> bool:
        """Return whether the outputs agree, and say what differs in the traceback."""
        for name, outputs in (("stored", ref), ("fresh", test)):
            for output in outputs:
                if output.get("name") == "stderr":
                    self.comparison_traceback = [f"{name} output on stderr: {output['text']}"]
                    return False
        return bool(super().compare_outputs(test, ref, skip_compare))


class Notebook(IPyNbFile):  # type: ignore[misc]
    """A notebook with cells of the class above."""

    def collect(self) -> Iterator[Cell]:
        """Yield the code cells."""
        for cell in super().collect():
            yield Cell.from_parent(
                self,
                name=cell.name,
                cell_num=cell.cell_num,
                cell=cell.cell,
                options=cell.options,
            )

    def setup(self) -> None:
        """Start a kernel on Unix sockets: unlike ports, nobody else can take them."""
        self.folder = tempfile.TemporaryDirectory()
        folder = self.folder.name

        def manager(**options: object) -> KernelManager:
            return KernelManager(
                transport="ipc",
                ip=f"{folder}/kernel",
                connection_file=f"{folder}/kernel.json",
                **options,
            )

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(nbval.kernel, "KernelManager", manager)
            if not os.environ.get("FRESH_KERNELS"):  # `make test-all` forks nothing
                patch.setattr(local_provisioner, "launch_kernel", kernels.launch)
            patch.setenv("IPYTHONDIR", folder)  # no profile of the user's
            super().setup()

    def teardown(self) -> None:
        """Stop the kernel."""
        super().teardown()
        self.folder.cleanup()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Put the class above in the place of nbval's own."""
    collected = yield
    return [
        Notebook.from_parent(parent, path=file_path) if type(node) is IPyNbFile else node
        for node in collected
    ]
