"""The explorable figures: right, by keyboard, from a file, and not needed."""

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

    (given,) = re.findall(rf"^```{{explore}} {name}(.*)$", text_of(page_name), re.MULTILINE)
    inputs = page.evaluate(INPUTS, name)
    start = {one["name"]: one["start"] for one in inputs} | explore.settings(given.split())
    assert set(start) == {one["name"] for one in inputs}
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
