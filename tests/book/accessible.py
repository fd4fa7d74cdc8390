"""What axe-core finds wrong with a page for those who listen to it, or who see colours badly.

Most of its time goes by the number of elements. So what is alike is looked at once: formulas become
a letter, figures their names, of the coloured words of code one of each colour stays, of long
tables the first rows, and contrast is measured on one text of each kind. A page is of no other use
after that.
"""

from importlib.resources import files

from playwright.sync_api import Page

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")

# One text of each kind: elements whose names and classes are the same up to the root have the same
# colours.
_SPARE = r"""() => {
  document.querySelectorAll('mjx-container').forEach(e => e.replaceChildren('x'));
  document.querySelectorAll('svg[role=img] > :not(title, desc)').forEach(e => e.remove());
  document.querySelectorAll('table').forEach(table => {
    [...table.rows].slice(40).forEach(row => row.remove());
  });
  const path = e => e && e !== document.documentElement
    ? `${path(e.parentElement)} ${e.localName}.${e.getAttribute('class') || ''}` : '';
  const words = new Set();
  for (const word of document.querySelectorAll('pre span')) {
    const kind = path(word);
    if (words.has(kind)) word.replaceWith(...word.childNodes);
    words.add(kind);
  }
  const kinds = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement, kind = path(element);
    if (texts.currentNode.data.trim() && !kinds.has(kind) && element.checkVisibility())
      kinds.set(kind, element);
  }
  window.oneOfEachKind = [...kinds.values()];
}"""

_RUN = """async ([what, options]) => {
  const context = what === 'contrast' ? {include: window.oneOfEachKind} : document;
  const found = await axe.run(context, {resultTypes: ['violations'], preload: false, ...options});
  return found.violations.flatMap(violation => violation.nodes.map(
    node => `${violation.id}: ${node.html.slice(0, 150)} ${node.failureSummary}`));
}"""

# Not in the usual set: what is heard of a button must contain what is seen on it.
_RULES = {"label-content-name-mismatch": {"enabled": True}, "color-contrast": {"enabled": False}}


def prepare(page: Page) -> None:
    """Load axe-core into a page, and take away what would only be looked at again."""
    page.evaluate(_AXE)
    page.evaluate(_SPARE)


def violations(page: Page) -> list[str]:
    """Return what is wrong with a page, whatever its colours are."""
    return page.evaluate(_RUN, ["page", {"rules": _RULES}])


def low_contrast(page: Page) -> list[str]:
    """Return the texts that stand out too little, in the page's present colours."""
    return page.evaluate(_RUN, ["contrast", {"runOnly": ["color-contrast"]}])
