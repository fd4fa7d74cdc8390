"""Parallel builds: pages are read and written on all cores, a setting Jupyter Book lacks."""

from __future__ import annotations

import gc
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from sphinx.search.en import SearchEnglish
from sphinx_proof.domain import ProofDomain

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# What keeps nothing of a page that would have to be merged, and does not say so.
SAFE = ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex")


def _allow(app: Sphinx) -> None:
    """Have pages read by several processes."""
    app.parallel = os.cpu_count() or 1
    for name in SAFE:
        app.extensions[name].parallel_read_safe = True


def setup(app: Sphinx) -> dict[str, Any]:
    """Register it, once all else is loaded."""
    # Pages are trees that are kept: looking for garbage among them took most of reading them again.
    gc.set_threshold(100_000, 20, 50)
    ProofDomain.merge_domaindata = lambda domain, pages, found: None  # it keeps nothing, either
    # The stem of a word is worked out once, not once for each page that has it.
    SearchEnglish.stem = cache(SearchEnglish.stem)  # type: ignore[method-assign]
    app.connect("builder-inited", _allow)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
