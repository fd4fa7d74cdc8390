"""The explorable figures: right, by keyboard, from a file, and not needed."""

import itertools
import math
import random
import re
import subprocess
import sys

import pytest

from book._ext.figures import explore
from pkdp import counting
from tests.book import browser as chromium
from tests.book.built import CODE, HTML, ROOT, parsed, text_of
from tests.book.explorables import REFERENCES

# Where each is: a page, and the name of the model.
PLACES = [
    (page, name)
    for page in CODE
    for name in re.findall(r"^```{explore} (\w+)(?=.*\n(?!:compact:))", text_of(page), re.MULTILINE)
]
FIRST = {name: page for page, name in reversed(PLACES)}


def test_every_model_is_on_a_page_and_has_a_reference():
    assert len(FIRST) >= 8
    assert set(FIRST) == set(explore.models()) == set(REFERENCES)


@pytest.mark.book
@pytest.mark.parametrize(("page_name", "name"), PLACES)
def test_the_page_has_the_place_the_scripts_and_a_figure(page_name, name):
    page = parsed(HTML / f"{page_name}.html")
    (place,) = page.select(f".explore[data-model={name}]")
    assert place.select("li")  # what to predict
    assert len(place.select("details")) == 1
    assert page.select("figure.pkdp-figure")
    loaded = [script.get("src", "").partition("?")[0] for script in page.select("script")]
    found = [source for source in loaded if "/explore/" in source]
    assert [source.partition("_static/")[2] for source in found] == list(explore.SCRIPTS)


def test_scripts_and_styles_are_small():
    files = list((ROOT / "book" / "_static" / "explore").iterdir())
    assert sum(file.stat().st_size for file in files) < 60_000


def test_what_is_no_model_or_no_setting_is_a_warning(tmp_path):
    (tmp_path / "conf.py").write_text(
        f"import sys; sys.path[:0] = [{str(ROOT)!r}]\n"
        "extensions = ['myst_parser', 'book._ext.figures.explore']\n"
    )
    (tmp_path / "index.md").write_text(
        "# Top\n\n```{explore} guess\n```\n\n```{explore} count n\n```\n"
        "\n```{explore} count n=20\nWhat if?\n```\n"
    )
    command = [sys.executable, "-m", "sphinx", "-q", str(tmp_path)]
    run = subprocess.run(
        [*command, str(tmp_path / "out")], capture_output=True, text=True, check=True
    )
    first, second = run.stderr.splitlines()
    assert re.search(
        r"index\.md:3: WARNING: explore: the model must be one of .*, got 'guess'", first
    )
    assert "index.md:6: WARNING: explore: a setting must be name=number, got 'n'" in second
    assert "What if?" in (tmp_path / "out" / "index.html").read_text()
    run = subprocess.run(
        [*command, "-b", "text", str(tmp_path / "text")], capture_output=True, text=True, check=True
    )
    assert "What if?" not in (tmp_path / "text" / "index.txt").read_text()


# In the browser.

INPUTS = "name => pkdpModels[name].inputs"
WORDS = "([name, settings]) => pkdpModels[name].answer(settings).words"
ANSWERS = """([name, all]) => all.map(settings =>
  Object.entries(pkdpModels[name].answer(settings).numbers)
    .map(([key, value]) => [key, String(value)]))"""
FRAME = "() => new Promise(requestAnimationFrame)"


@pytest.fixture
def opened(page):
    """Open a page, without its formulas."""

    def go(name):
        page.add_init_script(chromium.NO_FORMULAS)
        page.goto((HTML / f"{name}.html").as_uri())
        return page

    return go


def drawn(inputs, source):
    """Settings at random, as the sliders give them or nearly so."""
    settings = {}
    for one in inputs:
        least, most = one["least"], one["most"]
        if one.get("scale") == "log":
            value = float(f"{least * (most / least) ** source.random():.2g}")
            value = round(value) if one.get("whole") else value
        else:
            step = one.get("step", 1)
            value = round(least + step * source.randint(0, round((most - least) / step)), 9)
            value = int(value) if isinstance(step, int) and isinstance(least, int) else value
        settings[one["name"]] = value
    return settings


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FIRST)
def test_numbers_are_those_of_the_library_at_random_settings(opened, name, count):
    page = opened(FIRST[name])
    inputs = page.evaluate(INPUTS, name)
    source = random.Random(f"{name} {count}")
    settings = [drawn(inputs, source) for _ in range(count)]
    answers = page.evaluate(ANSWERS, [name, settings])
    assert page.wrong == []
    for one, answer in zip(settings, answers, strict=True):
        found = {key: float(value.replace("Infinity", "inf")) for key, value in answer}
        # A tiny δ is compared as its logarithm.
        assert found == pytest.approx(REFERENCES[name](**one), rel=1e-9, abs=1e-11), one


# N, λ and ε: two that refute that the worst vertex lies on the lattice's first turn; others that a
# search among the vertices is likely to miss.
VERTICES = [
    (4, 0.2850154548, 0.1074213421),
    (9, 9 / 31, math.log(290 / 289)),
    (16, 0.25, 0.0),
    (24, 0.12384062984289725, 0.06950101028331702),
    (35, 0.40434786, 1.45677368696),
    (57, 0.03513880549892457, 0.010796724105313705),
    (112, 0.04536792600579993, 0.016642418124332134),
    (155, 0.012219299018752952, 0.27489974260695565),
    (175, 0.24587915723816248, 1e-9),
    (1837, 0.0015920173, 0.0452228),
    (41_435, 0.4998490068, 0.0230883),
    (1_826_706, 0.2506600478, 0.0018755352),
    (3_284_960, 4.4e-5, 0.01405),
]


@pytest.mark.book
@pytest.mark.browser
def test_no_worse_vertex_of_a_count_is_missed(opened):
    page = opened(FIRST["count"])
    source = random.Random(40)
    cases = [*VERTICES]
    for _ in range(40):
        unknown, lam = round(10 ** source.uniform(0.3, 6.5)), 10 ** source.uniform(-2.0, -0.302)
        deviations = source.choice([0.0, 10 ** source.uniform(-2.0, 0.7)])
        eps = deviations / math.sqrt(unknown * lam * (1.0 - lam))
        cases.append((unknown, lam, min(eps, 0.9 * math.log(unknown * (1.0 - lam) / lam))))
    found = page.evaluate("all => all.map(one => pkdpLaws.logWorstCount(...one))", cases)
    for (unknown, lam, eps), log_delta in zip(cases, found, strict=True):
        worst = counting.worst_vertex(unknown + 1, lam, eps=eps, tol=1e-9)
        # What twenty turns miss, and the bound's own gap.
        assert worst.log_lower - 3e-7 < log_delta < worst.log_upper + 1e-11, (unknown, lam, eps)


STARTS = """([name, settings]) => {
  const {axes, inputs, answer} = pkdpModels[name], {mark} = answer(settings);
  return [axes.x === "ε" ? mark[0] : axes.y === "ε" ? mark[1] : settings.eps,
    axes.logarithmic ? mark[1] + settings.d * Math.LN10 : 0];
}"""


def started(page, page_name, name):
    """The settings that a model has on a page to begin with."""
    (given,) = re.findall(rf"^```{{explore}} {name}(.*)$", text_of(page_name), re.MULTILINE)
    inputs = page.evaluate(INPUTS, name)
    start = {one["name"]: one["start"] for one in inputs} | explore.settings(given.split())
    assert set(start) == {one["name"] for one in inputs}
    return start


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(("page_name", "name"), [*PLACES, ("notebooks/index", "count")])
def test_it_starts_at_a_case_that_needs_an_eps(opened, page_name, name):
    page = opened(page_name)
    eps, off = page.evaluate(STARTS, [name, started(page, page_name, name)])
    assert 0.01 < eps < 10.0
    assert off == pytest.approx(0.0, abs=1e-9)  # the dot is at the δ that was asked for


# Sets all sliders to parts of their ways; counts the points of each curve within the axes, and
# says of each dot whether it is.
CHARTED = """async ([name, all]) => {
  const place = document.querySelector(`.explore[data-model=${name}]`), found = [];
  const sliders = [...place.querySelectorAll("input")];
  for (const parts of all) {
    sliders.forEach((slider, k) => {
      slider.value = Math.round(parts[k] * slider.max);
      slider.dispatchEvent(new Event("input"));
    });
    await new Promise(requestAnimationFrame);
    const frame = place.querySelector("clipPath rect");
    const [x, y, width, height] = ["x", "y", "width", "height"]
      .map(one => +frame.getAttribute(one));
    const inside = ([a, b]) => x <= a && a <= x + width && y <= b && b <= y + height;
    found.push({
      curves: [...place.querySelectorAll(".explore-chart path")].map(path => path.getAttribute("d")
        .slice(1).split("L").map(point => point.split(" ").map(Number)).filter(inside).length),
      dots: [...place.querySelectorAll("circle")]
        .map(dot => inside(["cx", "cy"].map(one => +dot.getAttribute(one)))),
      words: place.querySelector("[role=status]").textContent,
      settings: sliders.map(slider => slider.getAttribute("aria-valuetext")),
    });
  }
  return found;
}"""


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("count", [30, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FIRST)
def test_no_setting_empties_the_chart(opened, name, count):
    page = opened(FIRST[name])
    width = len(page.evaluate(INPUTS, name))
    source = random.Random(f"{name} {count}")
    parts = [*itertools.product((0, 1), repeat=width)]
    parts += [[source.random() for _ in range(width)] for _ in range(count)]
    for found in page.evaluate(CHARTED, [name, parts]):
        assert max(found["curves"]) >= 2, found
        assert all(found["dots"]), found
        assert found["dots"] or re.search("[Nn]o ε has this δ", found["words"]), found
    assert page.wrong == []


SENTENCES = """([name, all]) => all.map(settings => {
  const {numbers, words, plain} = pkdpModels[name].answer(settings);
  const {eps, np, lower, upper} = numbers;
  return [eps ?? np ?? -1, lower ?? -1, upper ?? -1, words + (plain || "")];
})"""


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("name", FIRST)
def test_sentences_have_plurals_separators_and_safe_roundings(opened, name):
    page = opened(FIRST[name])
    inputs = page.evaluate(INPUTS, name)
    source = random.Random(name)
    settings = [{one["name"]: one[end] for one in inputs} for end in ("least", "most", "start")]
    settings += [drawn(inputs, source) for _ in range(40)]
    found = page.evaluate(SENTENCES, [name, settings])
    for one, (eps, lower, upper, words) in zip(settings, found, strict=True):
        assert not re.search(r"NaN|undefined|null|Infinity|\de[-+]?\d", words), (one, words)
        assert not re.search(r"(?<![\d.,])1 (\w+ )?(records|households)\b", words), (one, words)
        assert not re.search(r"(?<![\d.,])\d{4,}", words), (one, words)
        assert not re.search(r"\bε = \S+ δ|\bsomebody|\bwhoever", words), (one, words)
        said = re.search(r"ε (?:=|is) ([\d.,]*\d)", words)
        if said and 0.0 <= eps < math.inf:
            rounded = float(said[1].replace(",", ""))
            assert eps * (1.0 - 1e-9) <= rounded <= eps * 1.011, (one, words)
        if lower >= 0.0:
            least, most = map(float, re.findall(r"at (?:least|most) ([\d.]+) %", words))
            assert 98.9 * lower <= least <= 100.0 * lower * (1.0 + 1e-9), (one, words)
            assert 100.0 * upper * (1.0 - 1e-9) <= most <= 101.1 * upper, (one, words)


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(("page_name", "name"), PLACES)
def test_on_a_phone_the_chart_stays_in_view(opened, page_name, name):
    page = opened(page_name)
    page.set_viewport_size({"width": 390, "height": 700})
    place = page.locator(f".explore[data-model={name}]")
    chart = place.locator(".explore-chart")
    header = page.locator(".bd-header-article").bounding_box()
    for slider in place.get_by_role("slider").all():
        slider.focus()
        slider.press("ArrowRight")
        page.evaluate(FRAME)
        above, below = chart.bounding_box(), slider.bounding_box()
        assert header["y"] + header["height"] <= above["y"] + 1
        assert above["y"] + above["height"] <= below["y"]
        assert below["y"] + below["height"] <= 700
    answers = place.locator("summary")
    arrow = "one => getComputedStyle(one.querySelector('svg path')).fill"
    assert answers.inner_text().strip() == "Answers"
    assert answers.evaluate(arrow) != "none"


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(("page_name", "name"), PLACES)
def test_it_begins_as_the_page_says_and_is_moved_by_keyboard(opened, page_name, name):
    page = opened(page_name)
    place = page.locator(f".explore[data-model={name}]")
    words, chart = place.get_by_role("status"), place.locator(".explore-chart svg")
    sliders = place.get_by_role("slider").all()

    def press(slider, key):
        slider.press(key)
        page.evaluate(FRAME)

    def texts():
        assert not re.search(r"NaN|undefined", place.inner_html())
        return [slider.get_attribute("aria-valuetext") for slider in sliders]

    start = started(page, page_name, name)
    first, heard = texts(), chart.get_attribute("aria-label")
    shown = words.inner_text()
    assert shown.replace("\u00a0", " ") == page.evaluate(WORDS, [name, start])

    # Every slider moves by a step and back to where it was, and jumps to both ends.
    for k, slider in enumerate(sliders):
        ways = ("ArrowLeft", "ArrowRight")
        ways = ways if slider.input_value() != "0" else ways[::-1]
        press(slider, ways[0])
        moved = texts()
        assert moved[k] != first[k]
        assert moved[:k] + moved[k + 1 :] == first[:k] + first[k + 1 :]
        assert place.locator(".explore-value").nth(k).inner_text() == moved[k]
        press(slider, ways[1])
        assert texts() == first
    for key in ("Home", "End"):
        for slider in sliders:
            press(slider, key)
            texts()
    assert words.inner_text() != shown
    assert chart.get_attribute("aria-label") != heard
    press(place.get_by_role("button", name="Reset"), "Enter")
    assert texts() == first
    assert words.inner_text() == shown
    assert page.wrong == []


@pytest.mark.book
@pytest.mark.browser
def test_without_script_there_is_the_figure_alone(browser):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((HTML / f"{FIRST['posterior']}.html").as_uri())
        assert page.locator("figure.pkdp-figure").first.is_visible()
        assert not any(place.is_visible() for place in page.locator(".explore").all())
