"""What axe-core finds wrong with a page for those who listen to it, or who see colours badly.

Most of its time goes by the number of elements. So what is alike is looked at once: formulas become
a letter, figures their names; of inline code one piece of each look stays, of long tables and lists
the beginning; and colours are judged on one text of each kind, in the whole book if the caller
keeps the kinds. A page is of no other use after that.
"""

from importlib.resources import files

from playwright.sync_api import Page

from tests.book.browser import SCHEMES, WIDTHS, show

WIDEST = max(WIDTHS)

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")

_SPARE = r"""() => {
  document.querySelectorAll('mjx-container').forEach(e => e.replaceChildren('x'));
  document.querySelectorAll('svg[role=img] > :not(title, desc)').forEach(e => e.remove());
  const codes = [...document.querySelectorAll('code.literal')];
  const looks = codes.map(e => {
    const {color, backgroundColor, fontSize} = getComputedStyle(e);
    return [color, backgroundColor, fontSize, e.parentElement.tagName].join();
  });
  codes.forEach((e, i) => looks.indexOf(looks[i]) === i || e.replaceWith(e.textContent));
  document.querySelectorAll('table').forEach(table => {
    [...table.rows].slice(40).forEach(row => row.remove());
  });
  document.querySelectorAll(':is(ul, ol) > li:nth-child(n + 40)').forEach(item => item.remove());
}"""

# One text of each new kind: those of the same ink, size and weight on the same ground. Of a link
# the text around it counts, too.
_KINDS = r"""seen => {
  const grounds = new Map([[null, '']]);
  const ground = e => {
    if (!grounds.has(e)) {
      const {backgroundColor, backgroundImage, opacity} = getComputedStyle(e);
      const clear = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none';
      const own = clear && opacity === '1' ? [] : [backgroundColor, backgroundImage, opacity];
      grounds.set(e, [ground(e.parentElement), ...own].join(' '));
    }
    return grounds.get(e);
  };
  const kinds = new Map(seen.map(kind => [kind, null]));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim()) continue;
    const {color, fontSize, fontWeight} = getComputedStyle(element);
    const link = element.closest('a');
    const around = link && link.parentElement ? getComputedStyle(link.parentElement).color : '';
    const kind = [around, color, fontSize, fontWeight, ground(element)].join(' ');
    if (!kinds.has(kind) && element.checkVisibility({visibilityProperty: true}))
      kinds.set(kind, element);
  }
  const found = [...kinds].filter(([kind, element]) => element);
  const elements = found.map(([kind, element]) => element);
  window.oneOfEachKind = [...window.oneOfEachKind || [], ...elements];
  return found.map(([kind]) => kind);
}"""

# The colours of code are in its parts, and nothing else is.
_PLAIN = r"""() => document.querySelectorAll('pre').forEach(pre => {
  if (!window.oneOfEachKind.some(one => pre.contains(one))) pre.replaceChildren(pre.textContent);
})"""

# All others are then in the way.
_ALONE = r"""() => {
  const kept = new Set();
  for (const one of window.oneOfEachKind)
    for (let e = one; e; e = e.parentElement) kept.add(e);
  document.body.querySelectorAll('*').forEach(e => kept.has(e) || e.remove());
}"""

_RUN = """async ([what, options]) => {
  const context = what === 'colours' ? {include: window.oneOfEachKind} : document;
  const found = await axe.run(context, {resultTypes: ['violations'], preload: false, ...options});
  return found.violations.flatMap(violation => violation.nodes.map(
    node => `${violation.id}: ${node.html.slice(0, 150)} ${node.failureSummary}`));
}"""

_COLOURS = ["color-contrast", "link-in-text-block"]
# Not in the usual set: what is heard of a button must contain what is seen on it.
_RULES = {
    "label-content-name-mismatch": {"enabled": True},
    **{rule: {"enabled": False} for rule in _COLOURS},
}


def problems(page: Page, seen: set[str] | None = None) -> list[str]:
    """Return what is wrong with a page, in the light and in the dark.

    Texts of kinds that were `seen` on other pages have been judged there; the new ones are added.
    """
    seen = set() if seen is None else seen
    page.evaluate(_AXE)
    page.evaluate(_SPARE)
    new: list[str] = []
    for scheme in SCHEMES:
        show(page, WIDEST, scheme)
        new += page.evaluate(_KINDS, sorted(seen))
    page.evaluate(_PLAIN)
    found: list[str] = page.evaluate(_RUN, ["page", {"rules": _RULES}])
    if new:
        page.evaluate(_ALONE)
        for scheme in reversed(SCHEMES):
            show(page, WIDEST, scheme)
            colours = page.evaluate(_RUN, ["colours", {"runOnly": _COLOURS}])
            found += [f"{scheme}: {problem}" for problem in colours]
        seen.update(new)
    return found
