"""Every page of the built book in a browser: it works, stands alone, and fits a small screen."""

import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from PIL import Image

from pkdp import figures
from pkdp._sources import lock, locked, record
from tests.book import accessible
from tests.book import browser as chromium
from tests.book.built import HTML, PAGES, ROOT

pytestmark = pytest.mark.browser
# The pages of the contents, and those that Sphinx makes by itself.
NAMES = [*(f"{page}.html" for page in PAGES), "404.html", "genindex.html", "search.html"]

# One page of each kind: of the others `make test` looks at those that changed since it last did.
KINDS = [
    "notebooks/index.html",
    "notebooks/partial-knowledge/3-4-relations.html",
    "book/claims.html",
    "book/api/worlds/definitions.html",
    "search.html",
]

LOOKED_AT = HTML.parent / "looked-at.lock"


def as_they_are(names):
    """Records of the built pages that are there."""
    return {name: record([HTML / name], ROOT) for name in names if (HTML / name).exists()}


def of_each_kind_or_changed():
    """Every page; those that need no second look are marked as slow."""
    now = as_they_are(NAMES)
    before = locked(LOOKED_AT) or now
    for name in NAMES:
        settled = name not in KINDS and name in now and before.get(name) == now[name]
        yield pytest.param(name, marks=[pytest.mark.slow] * settled)


def remember(name):
    before = locked(LOOKED_AT) or as_they_are(NAMES)
    lock(LOOKED_AT, before | as_they_are([name]))


# Fold nothing while measuring: what a click shows must fit too.
UNFOLD = """() => {
  document.querySelectorAll('details').forEach(d => { d.open = true; });
  document.querySelectorAll('.toggle-hidden').forEach(e => e.classList.remove('toggle-hidden'));
}"""

FORMULAS = r"""() => {
  const found = [];
  for (const node of document.querySelectorAll('.math, mjx-merror, [data-mjx-error]'))
    if (!node.matches('.math') || !node.querySelector('mjx-container'))
      found.push(node.textContent.trim().slice(0, 80));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest('pre, code, script, style, textarea')) continue;
    if (/\\[(\[]|\$\$|\\begin\{/.test(text.data)) found.push(text.data.trim().slice(0, 80));
  }
  return found;
}"""

# A file's name says nothing to a listener either.
IMAGES = r"""() => {
  const labelled = e => (e.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
    .map(id => document.getElementById(id)?.textContent || '').join('').trim();
  const hidden = e => e.closest('[aria-hidden="true"]') || e.matches('button svg, a svg')
    || ['presentation', 'none'].includes(e.getAttribute('role'));
  const found = [];
  for (const image of document.querySelectorAll('img')) {
    const alt = image.getAttribute('alt');
    const decorative = alt === '' && hidden(image);
    if (!decorative && (!alt || /\.(png|svg|jpe?g|gif)$/i.test(alt)))
      found.push(image.outerHTML.slice(0, 120));
    if (image.complete && !image.naturalWidth && image.offsetParent)
      found.push('not loaded: ' + image.src.slice(0, 120));
  }
  for (const drawing of document.querySelectorAll('svg')) {
    // A sign of the theme that is not there.
    if (drawing.matches('.svg-inline--fa') && !drawing.querySelector('path[d^=M]'))
      found.push(drawing.outerHTML.slice(0, 120));
    if (hidden(drawing)) continue;
    const title = drawing.querySelector(':scope > title')?.textContent.trim();
    const name = drawing.getAttribute('aria-label') || labelled(drawing) || title;
    if (drawing.getAttribute('role') !== 'img' || !name)
      found.push(drawing.outerHTML.slice(0, 120));
  }
  return found;
}"""

# What sticks out, unless it lies in a box that scrolls by itself.
OVERFLOW = """() => {
  const root = document.documentElement, width = root.clientWidth;
  if (root.scrollWidth <= width) return [];
  const boxed = e => {
    for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
      if (getComputedStyle(p).overflowX !== 'visible') return true;
    return false;
  };
  const out = [...document.querySelectorAll('body *')]
    .filter(e => e.getBoundingClientRect().right > width + 1 && !boxed(e));
  return ['page is ' + root.scrollWidth + ' wide on ' + width]
    .concat(out.slice(0, 5).map(e => e.outerHTML.slice(0, 120)));
}"""

# What is cut off; what scrolls sideways without a sign of it, or without the keyboard; and what has
# the sign, or is a stop of the tab key, for nothing.
HIDDEN = """async () => {
  // What fits.js changes, it changes when the page has its new shape.
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const found = [], tell = (what, e) => found.push(
    `${what}: ${e.localName}.${e.className} ${e.textContent.trim().slice(0, 60)}`);
  for (const e of document.querySelectorAll('.bd-article *')) {
    if (e.scrollWidth <= e.clientWidth + 3 || !e.clientWidth || e.closest('mjx-assistive-mml, svg'))
      continue;
    const style = getComputedStyle(e), way = style.overflowX;
    if (way === 'hidden' && style.clipPath === 'none') tell('cut off', e);
    if (way === 'auto' || way === 'scroll') {
      if (style.maskImage === 'none') tell('no sign', e);
      if (e.tabIndex < 0) tell('no keyboard', e);
    }
  }
  for (const e of document.querySelectorAll('mjx-container[tabindex], .goes-on, .came-from')) {
    // A table has formulas in it, and is as wide as all its columns.
    const formula = e.closest('.math') && e.querySelector('mjx-math');
    const inside = formula ? formula.getBoundingClientRect().width : e.scrollWidth;
    if (inside <= e.clientWidth + 1) tell('fits', e);
  }
  return found;
}"""

# Labels of figures that leave their drawing, in its own font and in another one.
LABELS = """() => [null, 'Liberation Sans', 'serif'].flatMap(font =>
  [...document.querySelectorAll('figure.pkdp-figure svg')].flatMap(drawing => {
    const kept = drawing.style.fontFamily;
    if (font) drawing.style.fontFamily = font;
    const box = drawing.viewBox.baseVal;
    const out = [...drawing.querySelectorAll('text')].filter(label => {
      const {x, y, width, height} = label.getBBox();
      const to = drawing.getScreenCTM().inverse().multiply(label.getScreenCTM());
      return [[x, y], [x + width, y + height]].some(([a, b]) => {
        const {x: across, y: down} = new DOMPoint(a, b).matrixTransform(to);
        return across < -1 || down < -1 || across > box.width + 1 || down > box.height + 1;
      });
    });
    drawing.style.fontFamily = kept;
    return out.map(label => `${font}: ${label.textContent}`);
  }))"""


@pytest.fixture(scope="module")
def address():
    with chromium.served(HTML) as found:
        yield found


@pytest.fixture(scope="module")
def kinds():
    """The kinds of text whose colours were judged on some page."""
    return set()


def elsewhere(urls, address):
    """Return the addresses that are neither part of the book nor part of the page itself."""
    inside = (address, "data:", "blob:", "about:")
    return [url for url in urls if not url.startswith(inside)]


def check(page):
    assert page.evaluate(FORMULAS) == [], "unrendered formulas"
    assert page.evaluate(IMAGES) == [], "images without alternative text"


def shown(page):
    """Return the rows of the claims' overview that are shown, by id."""
    return page.locator("table.claims-table tbody tr:visible").evaluate_all(
        "rows => rows.map(row => row.id)"
    )


def use_the_claims(page):
    """Filter and search the claims; the state is in the address, and is said."""
    address = page.url
    words, status = page.get_by_label("Search the claims"), page.get_by_role("status")
    everything = shown(page)
    words.fill("Theorem 3")
    assert shown(page)[0] == "ledger-thm-3"
    assert page.url == f"{address}#find=Theorem+3"
    page.locator("select[name=status]").select_option("fails as printed")
    page.locator("select[name=source]").select_option("Desfontaines et al.")
    found = shown(page)
    assert {"ledger-thm-3", "ledger-fig-3"} <= set(found) < set(everything)
    assert status.inner_text() == f"{len(found)} claims, 0 results of this book"
    # What only the words of a claim have, in another order.
    page.locator("select[name=source]").select_option("all")
    page.locator("select[name=status]").select_option("all")
    words.fill("binomial sum independent bits")
    assert "ledger-thm-3" in shown(page)
    words.fill("xylophone")
    assert shown(page) == []
    assert status.inner_text() == "0 claims, 0 results of this book"
    # An address with a state has it; one with a row leads to the row, whatever was hidden.
    page.evaluate("location.hash = 'find=simulator&section=partial-knowledge/2-2-causal-privacy'")
    page.wait_for_function("document.querySelector('.claims-filter input').value == 'simulator'")
    assert 0 < len(shown(page)) < 10
    for target in ("ledger-thm-4", "thm-3"):  # a row; and the anchor that a claim has on its page
        page.evaluate("target => { location.hash = target }", target)
        page.wait_for_function("!document.querySelector('.claims-filter input').value")
        assert shown(page) == everything
        assert page.evaluate(INSIDE, f"#{target}")
    page.evaluate("location.hash = 'find=simulator'")
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("!location.hash")
    assert shown(page) == everything


def is_near(page, seen):
    """Whether something is shown on the first screen or the next, on a desk and on a phone."""
    for width, height in chromium.WIDTHS.items():
        chromium.show(page, width, "light")
        bottom = seen.evaluate("e => e.getBoundingClientRect().bottom + scrollY")
        if not seen.is_visible() or bottom > 2 * height:
            return False
    return True


def find_the_short_answers(page):
    """Four doors of the landing page lead to answers, and are on its first screen."""
    doors = {
        "May I publish this?": "practice/counts.html",
        "Is the paper right?": "../book/at-a-glance.html",
        "Teach me": "differential-privacy.html",
        "What is new?": "what-is-new.html",
    }
    for title, address in doors.items():
        door = page.locator(".doors .sd-card", has_text=title)
        assert door.get_by_role("link").get_attribute("href") == address
        assert is_near(page, door)


def ask_whether_theorem_3_is_right(page):
    """The answer is the first thing that is said."""
    finding = page.locator("ol.findings > li").first
    assert finding.inner_text().startswith("Theorem 3")
    assert "fails as printed" in finding.inner_text()
    assert is_near(page, finding)


# Whether what a selector names is on the screen.
INSIDE = """selector => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight;
}"""
USES = {
    "notebooks/index.html": find_the_short_answers,
    "book/at-a-glance.html": ask_whether_theorem_3_is_right,
    "book/claims.html": use_the_claims,
}


@pytest.mark.book
def test_every_page_is_looked_at():
    assert sorted(NAMES) == chromium.pages(HTML)


@pytest.mark.book
@pytest.mark.parametrize("name", list(of_each_kind_or_changed()))
def test_page_from_a_file(page, kinds, name):
    # Each width and each scheme once: a scheme changes colours, which both widths share.
    page.add_init_script(chromium.STILL)
    chromium.show(page, 390, "dark")
    page.goto((HTML / name).as_uri())
    chromium.settle(page)
    check(page)
    if name in USES:
        chromium.show(page, 1280, "light")
        USES[name](page)
    page.evaluate(UNFOLD)
    # The wide one last, since what follows is wide, too, and a new width takes time.
    for width, scheme in zip(reversed(chromium.WIDTHS), reversed(chromium.SCHEMES), strict=True):
        chromium.show(page, width, scheme)
        page.evaluate(chromium.FONTS)
        assert page.evaluate(OVERFLOW) == [], f"too wide at {width} px, {scheme}"
        assert page.evaluate(HIDDEN) == [], f"hidden at {width} px"
        assert page.evaluate(LABELS) == [], f"labels cut off at {width} px"
    assert page.wrong == []
    assert elsewhere(page.asked, HTML.as_uri()) == []
    # Last, since it takes parts of the page away, which scripts that are still waiting would miss.
    assert accessible.problems(page, kinds) == []
    remember(name)


@pytest.mark.book
@pytest.mark.parametrize("name", KINDS)
def test_page_served(page, address, name):
    # What a page asks for is there under the same relative address, as it was when the page came
    # from a file, where more is forbidden; what its scripts do can differ, and a kind shares them.
    # Formulas do not differ, so that MathJax, which takes most of the time, is loaded but finds
    # nothing to do.
    page.add_init_script(chromium.NO_FORMULAS)
    chromium.show(page, 390, "dark")
    page.goto(address + name)
    assert page.wrong == []
    assert elsewhere(page.asked, address) == []


@pytest.mark.book
def test_the_zip_opens_by_itself(page, tmp_path):
    made = tmp_path / "made"
    made.mkdir()
    (made / "Makefile").symlink_to(ROOT / "Makefile")
    (made / "_build").mkdir()
    (made / "_build" / "html").symlink_to(HTML)
    # `-o book`: what is built is taken as it is.
    command = ["make", "-s", "-o", "book", "zip", f"python={sys.executable}"]
    subprocess.run(command, cwd=made, check=True)
    shutil.unpack_archive(made / "_build" / "pkdp-book.zip", tmp_path / "empty")
    page.add_init_script(chromium.NO_FORMULAS)
    page.goto((tmp_path / "empty" / "html" / "index.html").as_uri())
    page.wait_for_url("**/empty/html/notebooks/index.html")
    page.locator(".doors .sd-card", has_text="Is the paper right?").click()
    page.wait_for_url("**/empty/html/book/at-a-glance.html")
    assert page.wrong == []
    assert elsewhere(page.asked, (tmp_path / "empty").as_uri()) == []


@pytest.mark.book
def test_a_link_shows_what_it_leads_to(page):
    page.add_init_script(chromium.NO_FORMULAS)
    chromium.show(page, 1280, "light")
    page.goto((HTML / "notebooks" / "noiseless" / "3-exact-sums.html").as_uri())
    preview = page.locator(".preview")
    for link, shown in [
        ("article a[href*='references.html#']", "Grining"),
        ("article .claim-mark a", "Verdict"),
        ("article a[href$='.html#prop-7']", "Proposition 7"),
    ]:
        page.locator(link).first.hover()
        preview.wait_for()
        assert shown in preview.text_content()
        assert page.locator(link).first.get_attribute("aria-describedby") == "preview"
        page.keyboard.press("Escape")
        preview.wait_for(state="detached")
    # The keyboard sees the same.
    page.locator("article .claim-mark a").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    preview.wait_for()
    assert page.wrong == []


@pytest.mark.book
def test_a_figure_is_saved_as_it_is_in_print(page, tmp_path):
    page.add_init_script(chromium.NO_FORMULAS)
    chromium.show(page, 1280, "dark")
    page.goto((HTML / "notebooks" / "noiseless" / "4-dependent-data.html").as_uri())
    line = page.locator("#figure-source-noiseless-families")
    saved = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            line.get_by_role("button", name=kind).click()
        assert download.value.suggested_filename == f"figure-noiseless-families.{kind.lower()}"
        saved[kind] = tmp_path / kind
        download.value.save_as(saved[kind])
    drawing = ElementTree.parse(saved["SVG"]).getroot()
    # The panels that this figure has, and no other; and colours that need no style sheet.
    panels = drawing.findall("{http://www.w3.org/2000/svg}svg")
    texts = [panel.find("{http://www.w3.org/2000/svg}desc").text for panel in panels]
    assert texts == list(figures.load("noiseless/families").ALT)
    assert "#0072b2" in saved["SVG"].read_text()
    assert "var(" not in saved["SVG"].read_text()
    with Image.open(saved["PNG"]) as image:
        width, height = (float(drawing.get(side)) for side in ("width", "height"))
        assert image.size == pytest.approx((3 * width, 3 * height), abs=3)
        colours = {colour for _, colour in image.convert("RGB").getcolors(10**6)}
    assert {(255, 255, 255), (0, 0x72, 0xB2)} <= colours
    assert page.wrong == []


@pytest.mark.book
def test_paper_is_light_and_has_the_solutions(page):
    page.add_init_script(chromium.NO_FORMULAS)
    chromium.show(page, 1280, "dark")
    page.goto((HTML / "notebooks" / "partial-knowledge" / "3-4-relations.html").as_uri())
    solution = page.locator("details.solution p").first
    shown = "e => [e.checkVisibility({visibilityProperty: true}), getComputedStyle(e).color]"
    assert solution.evaluate(shown)[0] is False
    page.emulate_media(media="print")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    visible, colour = solution.evaluate(shown)
    assert visible
    assert max(map(int, re.findall(r"\d+", colour)[:3])) < 100
    breaks = "e => [getComputedStyle(e).breakInside, getComputedStyle(e).overflowX]"
    assert page.locator("pre").first.evaluate(breaks) == ["auto", "visible"]
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    assert page.wrong == []


@pytest.mark.book
@pytest.mark.parametrize("way", ["served", "from a file"])
def test_first_page_leads_to_the_landing_page(page, address, way):
    start = address if way == "served" else (HTML / "index.html").as_uri()
    page.goto(start)
    page.wait_for_url("**/notebooks/index.html")
    assert page.wrong == []


DRAWING = "<svg role='img' aria-label='Map' viewBox='0 0 100 50' width='300'><text y='20' "
NARROW = "<div class='bd-article'><div style='width: 3em; white-space: nowrap; "


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<script>throw new Error('no')</script>", "wrong"),
        ("<script>console.error('no')</script>", "wrong"),
        ("<img alt='A map' src='missing.png'>", "wrong"),
        ("<img alt='A map' src='http://elsewhere.invalid/map.png'>", "elsewhere"),
        (r"<p>so \(x = 1\) holds</p>", FORMULAS),
        ("<p>so $$x = 1$$ holds</p>", FORMULAS),
        ("<p><span class='math'>x</span></p>", FORMULAS),
        ("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", IMAGES),
        ("<img alt='map.png' src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", IMAGES),
        ("<svg role='img'></svg>", IMAGES),
        ("<svg><title>A map</title></svg>", IMAGES),
        ("<p style='width: 500px'>wide</p>", OVERFLOW),
        (f"{NARROW}overflow: hidden'>A long line</div>", HIDDEN),
        (f"{NARROW}overflow: auto'>A long line</div>", HIDDEN),
        ("<mjx-container tabindex='0'></mjx-container>", HIDDEN),
        (f"<figure class='pkdp-figure'>{DRAWING}x='90'>A label</text></svg></figure>", LABELS),
        ("<p>fine</p>", None),
    ],
)
def test_a_bad_page_is_seen(page, tmp_path, body, problem):
    head = "<meta charset='utf-8'><link rel='icon' href='data:,'>"
    (tmp_path / "bad.html").write_text(f"<!doctype html>{head}<body>{body}</body>")
    with chromium.served(tmp_path) as address:
        chromium.show(page, 390, "light")
        page.goto(address + "bad.html")
        seen = {
            "wrong": page.wrong,
            "elsewhere": elsewhere(page.asked, address),
            **{one: page.evaluate(one) for one in (FORMULAS, IMAGES, OVERFLOW, HIDDEN, LABELS)},
        }
    if problem is None:
        assert not any(seen.values())
    else:
        assert seen[problem]


SYMBOLS = "notebooks/partial-knowledge/5-1-sequential-composition.html"


def test_symbols_explained_by_hover_keyboard_and_tap(browser):
    address = f"{HTML.as_uri()}/{SYMBOLS}"
    with browser.new_page() as page:
        page.goto(address)
        chromium.settle(page)
        link, other = (page.locator("a.symbol").nth(number) for number in (1, 2))
        link.hover()
        page.wait_for_selector("#preview")
        assert page.locator("#preview").inner_text().startswith("is added to")
        page.mouse.move(1, 1)
        assert page.locator("#preview").count() == 0
        other.focus()
        page.keyboard.press("Shift+Tab")
        page.wait_for_selector("#preview")
        page.keyboard.press("Escape")
        assert page.locator("#preview").count() == 0
    with browser.new_page(
        has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844}
    ) as phone:
        phone.goto(address)
        chromium.settle(phone)
        phone.locator("a.symbol").nth(1).tap()
        phone.wait_for_selector("#preview")
        assert phone.url == address
        phone.touchscreen.tap(100, 30)
        assert phone.locator("#preview").count() == 0
