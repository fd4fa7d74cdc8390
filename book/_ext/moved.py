"""Old addresses lead to the new ones.

``moved_folders`` in the configuration names, for each old folder, the one where its pages are now:
a stub stands at each old address.

``split_pages`` names, for each page that was split, the pages that have what was on it: who comes
to the old page for an anchor that is now on one of these is led there.
"""

from __future__ import annotations

import html
import json
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
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
# What is behind # may be written in two ways: as it is, and in per cents.
_FOLLOW = """(() => {{
  const to = {targets}[decodeURIComponent(location.hash.slice(1))]
  if (to) location.replace(to + location.hash)
}})()"""


def targets(anchors: dict[str, set[str]], old: str, new: list[str]) -> dict[str, str]:
    """Return where the anchors are that an old page has no more, as addresses seen from it.

    Parameters
    ----------
    anchors : dict of str to set of str
        Those of each page.
    old : str
        The page that was split.
    new : list of str
        The other pages, the most likely one first.

    Examples
    --------
    >>> targets({"a/1": {"x"}, "a/2": {"x", "y"}, "b/3": {"y", "z"}}, "a/1", ["a/2", "b/3"])
    {'y': '2.html', 'z': '../b/3.html'}
    """
    found: dict[str, str] = {}
    for page in new:
        address = posixpath.relpath(f"{page}.html", posixpath.dirname(old))
        for anchor in sorted(anchors[page] - anchors[old]):
            found.setdefault(anchor, address)
    return found


def _anchors(env: BuildEnvironment, page: str) -> set[str]:
    return {
        name for element in env.get_doctree(page).findall(nodes.Element) for name in element["ids"]
    }


def _follow(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put into a page that was split what leads on from it."""
    new = app.config.split_pages.get(page)
    if new and doctree is not None:
        anchors = {name: _anchors(app.env, name) for name in (page, *new)}
        found = json.dumps(targets(anchors, page, new))
        app.add_js_file(None, body=_FOLLOW.format(targets=found))


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
    app.add_config_value("split_pages", {}, "html", types=dict)
    app.connect("build-finished", _write)
    app.connect("html-page-context", _follow)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
