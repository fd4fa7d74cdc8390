"""Old addresses of pages that moved to another folder: a stub at each leads to the new one.

``moved_folders`` in the configuration names, for each old folder, the one where its pages are now.
"""

from __future__ import annotations

import html
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

# The part of the address behind # is known to the script only.
_STUB = """<!DOCTYPE html>
<html lang="en" data-moved>
<meta charset="utf-8">
<title>{title}</title>
<link rel="canonical" href="{target}">
<link rel="icon" href="data:,">
<script>location.replace("{target}" + location.search + location.hash)</script>
<noscript><meta http-equiv="refresh" content="0; url={target}"></noscript>
<p>This page is now <a href="{target}">here</a>.</p>
"""


def stub(target: str, title: str) -> str:
    """Return a page that leads to another one, which `target` names as seen from it."""
    return _STUB.format(target=html.escape(target), title=html.escape(title))


def _write(app: Sphinx, exception: Exception | None) -> None:
    """Write a stub at each old address that no page has now."""
    if exception is not None or app.builder.format != "html":
        return
    for old, new in app.config.moved_folders.items():
        for page in app.env.found_docs:
            if page.startswith(f"{new}/"):
                source = f"{old}/{page.removeprefix(f'{new}/')}"
                target = posixpath.relpath(f"{page}.html", posixpath.dirname(source))
                if source not in app.env.found_docs:
                    path = Path(app.outdir, f"{source}.html")
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(stub(target, "Moved"), encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension."""
    app.add_config_value("moved_folders", {}, "html", types=dict)
    app.connect("build-finished", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
