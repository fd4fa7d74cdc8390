"""Old addresses: of pages that moved to another folder, and of what moved to another page.

``moved_folders`` in the configuration names, for each old folder, the one where its pages are now:
a stub at each old address leads to the new one. ``moved_parts`` names, for a page that was split,
the pages that have parts of it: who comes to it for a heading or a statement that is there now is
sent on.
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
<title>Moved</title>
<link rel="canonical" href="{target}">
<link rel="icon" href="data:,">
<script>location.replace("{target}" + location.search + location.hash)</script>
<noscript><meta http-equiv="refresh" content="0; url={target}"></noscript>
<p>This page is now <a href="{target}">here</a>.</p>
"""

# Only what is not on the page itself is looked for elsewhere.
_SEND_ON = """<script>
(function () {{
  var moved = {moved};
  function send() {{
    var name = decodeURIComponent(location.hash.slice(1));
    if (moved.hasOwnProperty(name) && !document.getElementById(name)) {{
      location.replace(moved[name] + "#" + encodeURIComponent(name));
    }}
  }}
  document.addEventListener("DOMContentLoaded", send);
  addEventListener("hashchange", send);
}})();
</script>
"""


def _ids(env: BuildEnvironment, page: str) -> set[str]:
    """Return the addresses within a page."""
    tree = env.get_doctree(page)
    return {name for node in tree.findall(nodes.Element) for name in node["ids"]}


def _send_on(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Send who comes to a page for what is on another now to that."""
    parts = app.config.moved_parts.get(page, ())
    if doctree is None or not parts:
        return
    here = _ids(app.env, page)
    moved = {
        name: app.builder.get_relative_uri(page, part)
        for part in parts
        for name in sorted(_ids(app.env, part) - here)
        if not name.startswith(("body-", "id"))
    }
    script = _SEND_ON.format(moved=json.dumps(moved).replace("<", "\\u003c"))
    context["body"] += script


def _write(app: Sphinx, exception: Exception | None) -> None:
    """Write a stub at each old address that no page has now."""
    if exception is not None or app.builder.format != "html":
        return
    for old, new in app.config.moved_folders.items():
        for page in app.env.found_docs:
            if page.startswith(f"{new}/"):
                source = f"{old}/{page.removeprefix(f'{new}/')}"
                target = posixpath.relpath(f"{page}.html", posixpath.dirname(source))
                stub = Path(app.outdir, f"{source}.html")
                if source not in app.env.found_docs:
                    stub.parent.mkdir(parents=True, exist_ok=True)
                    stub.write_text(_STUB.format(target=html.escape(target)), encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension."""
    app.add_config_value("moved_folders", {}, "html", types=dict)
    app.add_config_value("moved_parts", {}, "html", types=dict)
    app.connect("html-page-context", _send_on)
    app.connect("build-finished", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
