import functools
import inspect
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from pkdp import counting, figures, published
from pkdp.figures import _files, _palette, _stored, _svg
from pkdp.figures._panel import add_panel
from pkdp.figures._registry import layout
from pkdp.figures._tables import block, from_csv, select, stack, to_csv
from pkdp.worlds.mechanisms import make_randomized_response, output_law

pytestmark = pytest.mark.figures

# A stored table is kept as long as what is computed differs from it by no more than that.
ROUNDING = 2 * _stored.ROUNDING

ROOT = Path(__file__).resolve().parents[2]
MAGIC = {"pdf": b"%PDF-", "svg": b"<?xml", "png": b"\x89PNG", "csv": b""}
TAGS = ("svg", "title", "desc", "g", "defs", "path", "use", "clipPath", "rect", "text", "tspan")
SVG = "{http://www.w3.org/2000/svg}"

every_figure = pytest.mark.parametrize("name", figures.names())
FEW = ("shifted-laws", "3", "growth")
a_few_or_every_figure = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name not in FEW)) for name in figures.names()],
)


@functools.cache
def drawn(name):
    """What `show` gives and the sheets that it draws, made once for all tests that only read."""
    sheets = []
    convert = _svg.inline

    def keep(panels, *rest):
        sheets.extend(panels)
        return convert(panels, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_svg, "inline", keep)
        patch.setattr(figures.load(name), "data", None)  # nothing is computed
        return figures.show(name), sheets


def inline(name):
    """What `show` gives."""
    return drawn(name)[0]


# Every figure.


@every_figure
def test_a_module_says_what_it_is(name):
    module = figures.load(name)
    assert module.TITLE
    assert not module.TITLE.endswith(".")
    assert all(text.endswith(".") and len(text) > 80 for text in module.ALT)
    assert len(set(module.ALT)) == len(module.ALT)
    columns, (width, _) = layout(module)
    assert 1 <= columns <= len(module.ALT)
    # A page leaves 42 rem to panels and the gaps between them. A single panel is as narrow, or its
    # text would be smaller on a phone.
    assert 6 * width * columns + (columns - 1) <= (42 if columns > 1 else 24)


@every_figure
def test_a_table_is_one_that_nobody_can_change(name):
    table = figures.table(name)
    assert len({column.shape for column in table.values()}) == 1
    for column in table.values():
        assert column.ndim == 1
        assert column.dtype.kind in "Uif"
        assert len(column) > 0
        with pytest.raises(ValueError, match="read-only"):
            column[0] = column[0]
    assert figures.table(name) is table


@every_figure
def test_numbers_are_finite_but_where_the_module_says_otherwise(name):
    table = figures.table(name)
    numbers = {key: column for key, column in table.items() if column.dtype.kind == "f"}
    assert not any(np.isnan(column).any() for column in numbers.values())
    infinite = {key for key, column in numbers.items() if np.isinf(column).any()}
    assert infinite == {"shifted-laws": {"y"}}.get(name, set())


@a_few_or_every_figure
def test_nothing_is_cut_off_and_nothing_computed(name, monkeypatch):
    monkeypatch.setattr(figures.load(name), "data", None)
    whole = figures.render(name)
    whole.draw_without_rendering()  # what is laid out is not painted
    _, panels = drawn(name)
    assert len(panels) == len(figures.load(name).ALT)
    for sheet in [whole, *panels]:
        (left, bottom), (right, top) = sheet.get_tightbbox().get_points()
        width, height = sheet.get_size_inches()
        assert min(left, bottom) >= 0
        assert right <= width
        assert top <= height


def test_a_figure_can_be_drawn_from_a_table_computed_now(tmp_path, monkeypatch):
    module = figures.load("vertices")
    table = _stored.computed("vertices")
    other = {**table, "y": table["y"] * 0.9}
    figures.save("vertices", tmp_path / "stored.svg")
    figures.save("vertices", tmp_path / "same.svg", anew=True)
    monkeypatch.setattr(module, "data", lambda: [other])
    figures.save("vertices", tmp_path / "other.svg", anew=True)
    figures.save("vertices", tmp_path / "other.csv", anew=True)
    stored, same, moved = (
        (tmp_path / f"{x}.svg").read_bytes() for x in ("stored", "same", "other")
    )
    assert stored == same != moved
    assert (tmp_path / "other.csv").read_text() == to_csv(other)


# Files.


@pytest.mark.slow
def test_save_depends_on_neither_the_process_nor_the_reader_s_settings(tmp_path):
    code = (
        "import sys, matplotlib; matplotlib.rcParams['font.size'] = 30\n"
        "from pkdp import figures\n"
        "for kind in figures.FORMATS: figures.save('vertices', f'{sys.argv[1]}/theirs.{kind}')"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=environment, check=True)
    for kind in figures.FORMATS:
        figures.save("vertices", tmp_path / f"ours.{kind}")
        ours, theirs = (tmp_path / f"{whose}.{kind}" for whose in ("ours", "theirs"))
        assert ours.read_bytes() == theirs.read_bytes(), kind
        assert ours.read_bytes().startswith(MAGIC[kind])


@pytest.mark.slow
def test_save_all_draws_what_is_missing_or_older_than_its_sources(tmp_path, monkeypatch):
    both = ("shifted-laws", "vertices")
    folder = tmp_path / "new" / "figures"
    for name in both:
        (tmp_path / name).touch()
    monkeypatch.setattr(_stored, "drawn_from", lambda name: [tmp_path / name])
    monkeypatch.setattr(figures, "names", lambda: both)
    monkeypatch.setattr(figures, "FORMATS", ("csv", "pdf"))

    def made():
        return [path.name for path in _files.save_all(folder)]

    files = [f"figure-{name}.{kind}" for name in both for kind in ("csv", "pdf")]
    assert made() == files
    for file, name in ((files[1], "shifted-laws"), (files[2], "vertices")):
        figures.save(name, tmp_path / file)
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes()
    assert made() == []
    (folder / files[1]).unlink()
    (tmp_path / "vertices").touch()
    assert made() == files[1:]


def test_a_drawing_depends_on_the_table_the_style_and_the_code():
    sources = [path.relative_to(ROOT).as_posix() for path in _stored.drawn_from("vertices")]
    assert {
        "pkdp/partial_knowledge/counting.py",
        "pkdp/figures/__init__.py",
        "pkdp/figures/_drawing.py",
        "pkdp/figures/_palette.py",
        "pkdp/figures/_panel.py",
        "pkdp/figures/style.mplstyle",
        "pkdp/figures/partial_knowledge/tables/vertices.csv",
        "pkdp/figures/partial_knowledge/vertices.py",
    } <= set(sources)


def test_a_drawing_that_fails_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "names", lambda: ("vertices",))
    monkeypatch.setattr(figures, "FORMATS", ("csv", "docx"))
    with pytest.raises(ValueError, match="path must end in"):
        _files.save_all(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["figure-vertices.csv"]


def test_save_takes_a_suffix_in_capitals(tmp_path):
    figures.save("vertices", tmp_path / "A.CSV")
    assert (tmp_path / "A.CSV").read_text() == to_csv(figures.table("vertices"))


@pytest.mark.parametrize("function", [figures.load, figures.render, figures.show])
def test_an_unknown_figure_is_named(function):
    with pytest.raises(ValueError, match=r"figure must be one of survey, .*, got 'x'"):
        function("x")


def test_save_keeps_the_old_file_if_the_new_one_cannot_be_drawn(tmp_path, monkeypatch):
    target = tmp_path / "a.svg"
    target.write_text("old")

    def fails(axes):
        raise RuntimeError("no ink")

    monkeypatch.setattr(figures.load("vertices"), "draw", fails)
    with pytest.raises(RuntimeError, match="no ink"):
        figures.save("vertices", target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


# On the page.


@pytest.fixture(scope="module", params=[FEW, pytest.param(figures.names(), marks=pytest.mark.slow)])
def shown(request):
    """Figures on one page, as HTML would hold them."""
    markup = "".join(inline(name)._repr_html_() for name in request.param)
    return ElementTree.fromstring(f"<page>{markup}</page>")


@pytest.mark.parametrize("name", FEW)
def test_show_is_the_same_every_time(name):
    # Of all figures `make notebooks` asks it, of the pages that show them.
    assert inline(name) == figures.show(name)


# Tests of the notebooks draw every figure that a page shows, and compare what describes it.
@a_few_or_every_figure
def test_what_is_shown_is_small(name):
    figure = inline(name)
    assert repr(figure) == f"InlineFigure(name={name!r}, title={figure.title!r})"
    # A page holds several; two panels with their labels are about 50 kB.
    assert len(figure.markup) < max(60_000, 16_000 * len(figures.load(name).ALT))


@a_few_or_every_figure
def test_show_describes_each_panel(name):
    root = ElementTree.fromstring(inline(name).markup)
    assert (root.tag, root.get("class")) == ("figure", "pkdp-figure")
    assert root.get("aria-label") == figures.load(name).TITLE
    texts = []
    for svg in root:
        assert svg.get("role") == "img"
        assert re.fullmatch(r"0 0 [\d.]+ [\d.]+", svg.get("viewBox"))
        assert "width" not in svg.attrib
        title, description = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
        assert svg.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        assert title.text
        texts.append(description.text)
    assert tuple(texts) == figures.load(name).ALT


def test_ids_on_a_page_are_unique_and_every_reference_is_met(shown):
    ids = [element.get("id") for element in shown.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert all(re.match(r"f[0-9a-f]{4}-", name) for name in ids)
    text = ElementTree.tostring(shown, encoding="unicode")
    references = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', text))
    assert {one or other for one, other in references} <= set(ids)


def test_a_path_in_steps_goes_where_the_path_went():
    path = "M 1 1 L 2.5 1 L 3 1 L 3 2 Q 4 3 5 2 Q 6 1.25 7 2 z M 9 9 M 0 0 L 0.04 1 L 1 2 z"
    steps = "M1 1h1.5 .5v1q1 1 2 0 1-.75 2 0zM9 9M0 0l.04 1 .96 1z"
    assert _svg._in_steps(path) == steps


def test_a_page_holds_nothing_that_reaches_beyond_the_figure(shown):
    assert {element.tag for element in shown.iter()} <= {
        "page",
        "figure",
        *(f"{SVG}{tag}" for tag in TAGS),
    }
    for element in shown.iter():
        assert not any(
            value.startswith(("http", "//", "data:")) for value in element.attrib.values()
        )


def test_every_colour_follows_the_page(shown):
    allowed = re.compile(r"none|currentColor|var\(--pkdp-[a-z]+,#[0-9a-f]{6}\)")
    styles = [element.get("style") for element in shown.iter(f"{SVG}path")]
    styles += [element.get("style") for element in shown.iter(f"{SVG}g")]
    styles += [element.get("style") for element in shown.iter(f"{SVG}use")]
    styles += [element.get("style") for element in shown.iter(f"{SVG}text")]
    paints = re.findall(r"(?:fill|stroke|color):([^;]+)", ";".join(filter(None, styles)))
    assert {paint for paint in paints if not allowed.fullmatch(paint)} == set()
    assert "currentColor" in paints
    assert any(paint.startswith("var") for paint in paints)


def test_a_colour_that_cannot_follow_the_page_is_refused():
    with matplotlib.rc_context(fname=figures.STYLE):
        figure = Figure()
        figure.add_subplot().plot([0, 1], color="#123456")
    with (
        matplotlib.rc_context(fname=figures.STYLE),
        pytest.raises(ValueError, match=r"colour must be one of .*, got #123456"),
    ):
        _svg.inline([figure], "a", [("title", "description")])


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_in_every_colour_can_be_read_on_white_and_in_the_dark():
    # 4.5 is what WCAG asks of text.
    for colour in (
        _palette.INK,
        _palette.BLUE,
        _palette.VERMILION,
        _palette.GREEN,
        _palette.PURPLE,
    ):
        assert contrast(colour, "#ffffff") >= 4.5
    styles = (ROOT / "book/_static/figures.css").read_text()
    pattern = r"(--pkdp-[a-z]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);"
    found = re.findall(pattern, styles)
    paints = {f"var({name},{light})" for name, light, _ in found}
    assert paints == {paint for paint in _svg.PAINT.values() if "var" in paint}
    for _, _, colour in found:
        assert contrast(colour, "#14181e") >= 4.5


def test_labels_are_put_on_the_curve_as_it_looks():
    panel = add_panel(Figure())
    panel.set_yscale("log")
    label = panel.label(block(x=[0, 1, 2], y=[1.0, 1e-4, 0.0]), "text", at=0.5)
    assert label.xy[0] == 0.5
    assert label.xy[1] == pytest.approx(1e-2, rel=1e-12)


@pytest.mark.parametrize(
    ("offset", "sides"),
    [((-1, 1), ("right", "bottom")), ((0, 0), ("center", "bottom")), ((1, -1), ("left", "top"))],
)
def test_a_note_goes_on_to_the_side_it_is_moved_to(offset, sides):
    panel = add_panel(Figure())
    label = panel.note("text", (0, 0), offset)
    assert (label.get_ha(), label.get_va()) == sides
    told = panel.note("text", (0, 0), offset, ha="center", va="center")
    assert (told.get_ha(), told.get_va()) == ("center", "center")


def test_a_curve_is_drawn_down_to_what_is_asked_for():
    panel = add_panel(Figure())
    panel.curve(block(x=[0, 1, 2], y=[1.0, 0.1, 0.0]), {}, least=0.01)
    panel.curve(block(x=[0, 1, 2], y=[1.0, 0.1, 0.0]), {})
    assert [line.get_xdata().tolist() for line in panel.lines] == [[0, 1], [0, 1, 2]]


# Tables.


def test_stack_takes_the_order_of_columns_from_the_first_block():
    table = stack(block(a=1, b=2), block(b=4, a=3))
    assert {name: column.tolist() for name, column in table.items()} == {"a": [1, 3], "b": [2, 4]}
    assert list(table) == ["a", "b"]


def test_stack_refuses_blocks_with_other_columns():
    with pytest.raises(ValueError, match="columns"):
        stack(block(a=[1]), block(b=[1]))


def test_csv_keeps_types_and_every_digit():
    table = block(text="a", whole=[1, 2], real=[0.1 + 0.2, -np.inf])
    again = from_csv(to_csv(table))
    assert [column.dtype.kind for column in again.values()] == ["U", "i", "f"]
    assert_array_equal(again["real"], table["real"])


# What the figures show, as their texts say.


def test_two_coins_are_randomized_response():
    asked = make_randomized_response(Fraction(1, 2))
    table = figures.table("two-coins")
    for truth, answer, drawn in zip(table["truth"], table["x"], table["y"], strict=True):
        assert drawn == output_law(asked, (truth,))[answer,]


def test_shifted_laws_shade_exactly_delta():
    table = figures.table("shifted-laws")
    one, scaled = (select(table, series=name)["y"] for name in ("one", "scaled zero"))
    (delta,) = select(table, series="delta")["y"]
    assert np.maximum(0, one - scaled).sum() == pytest.approx(delta, rel=1e-12)
    assert f"{delta:.3f}" == "0.046"


def test_shifted_laws_are_one_apart_and_their_ratio_rises():
    table = figures.table("shifted-laws")
    one, zero, ratio = (select(table, series=name) for name in ("one", "zero", "log ratio"))
    assert_array_equal(one["y"][1:], zero["y"][:-1])
    assert (np.diff(ratio["y"]) > 0).all()
    assert_array_equal(np.flatnonzero(np.isinf(ratio["y"])), [0, 41])
    (eps,) = select(table, series="eps")["y"]
    assert ratio["x"][ratio["y"] > eps].min() == 32


@pytest.mark.parametrize(("eps", "worst"), [(0.0, [5, 6]), (0.25, [4]), (0.5, [2]), (1.0, [0])])
def test_vertices_mark_the_worst(eps, worst):
    curve = select(figures.table("vertices"), panel="vertices", eps=eps)
    assert curve["x"][curve["y"] > 1 - 1e-9].tolist() == worst
    assert len(curve["x"]) == 12


def test_slip_ladder_promises_too_much_on_its_second_rung_only():
    table = figures.table("slip-ladder")
    curves, summary = select(table, panel="curve"), select(table, panel="summary")
    exact = select(curves, series="exact")
    below = {}
    for rung in summary["series"].tolist():
        curve = select(curves, series=rung)
        below[rung] = curve["x"][curve["y"] < exact["y"]].tolist()
    too_much = below.pop("exponential")
    assert not any(below.values())
    assert min(too_much) == pytest.approx(0.55)
    assert max(too_much) == 1.5
    (best,) = select(summary, series="exact")["x"]
    assert summary["series"][summary["x"] < best].tolist() == ["exponential"]


def test_slip_ladder_gives_the_numbers_of_its_texts():
    table = figures.table("slip-ladder")
    summary, curves = select(table, panel="summary"), select(table, panel="curve")
    assert [f"{eps:.2f}" for eps in summary["x"]] == [
        "1.81",
        "0.59",
        "0.90",
        "0.92",
        "0.94",
        "0.77",
        "0.63",
    ]
    at_one = curves["y"][curves["x"] == 1]
    assert [f"{delta:.1e}" for delta in at_one] == (
        ["5.1e-01", "6.6e-12", "1.6e-06", "2.4e-06", "3.2e-06", "1.6e-07", "8.7e-09"]
    )
    at_zero = curves["y"][curves["x"] == 0]
    assert [f"{delta:.3f}" for delta in at_zero] == (
        ["1.000", "0.515", "0.520", "0.520", "0.560", "0.080", "0.058"]
    )
    tail, blanket = (select(curves, series=name)["y"] for name in ("tail", "blanket"))
    assert 6.9 < (tail / blanket).min() < (tail / blanket).max() < 21.5


FIGURE_3 = {  # n: λ_min; published at 5e-5 and at λ_min; exact at λ_min; all three at 0.2
    100: ("0.089", "6.0", "1.1", "2.4", ("0.85", "1.13", "1.01")),
    1000: ("0.011", "4.4", "0.96", "2.5", ("0.32", "0.34", "0.28")),
    10_000: ("0.0014", "2.6", "0.95", "2.7", ("0.117", "0.116", "0.092")),
    100_000: ("0.00016", "1.4", "0.95", "2.8", ("0.041", "0.039", "0.031")),
}


def like(number, text):
    """Whether a number reads as the text does, at the text's number of decimals."""
    return f"{number:.{len(text.partition('.')[2])}f}" == text


@pytest.mark.parametrize("n", FIGURE_3)
def test_figure_3_gives_the_numbers_of_its_texts(n):
    rows = select(figures.table("3"), n=n)
    published, corrected, exact = (
        select(rows, series=name) for name in ("published", "corrected", "exact")
    )
    edge, left, middle, start, right = FIGURE_3[n]
    assert like(rows["lambda_min"][0], edge)
    assert like(published["y"][0], left)
    at_edge = np.interp(np.log(rows["lambda_min"][0]), np.log(published["x"]), published["y"])
    assert like(at_edge, middle)
    assert like(exact["y"][0], start)
    assert all(map(like, (c["y"][-1] for c in (published, corrected, exact)), right))


@pytest.mark.parametrize("n", FIGURE_3)
def test_figure_3_needs_a_feasible_lambda(n):
    edge = select(figures.table("3"), n=n)["lambda_min"][0]
    for bound in (counting.worst_case, counting.blanket):
        assert bound(n, edge * (1 - 1e-6)).epsilon(0.01 / n) == np.inf
        assert bound(n, edge * (1 + 1e-6)).epsilon(0.01 / n) < np.inf


@pytest.mark.parametrize(
    ("n", "crossing"), [(100, None), (1000, 0.1), (10_000, 0.02), (100_000, 0.003)]
)
def test_figure_3_published_is_below_exact_until_they_cross(n, crossing):
    rows = select(figures.table("3"), n=n)
    published, exact = (select(rows, series=name) for name in ("published", "exact"))
    promised = np.interp(np.log(exact["x"]), np.log(published["x"]), published["y"])
    below = promised < exact["y"]
    if crossing is None:
        assert below.all()
    else:
        assert below[exact["x"] < 0.8 * crossing].all()
        assert not below[exact["x"] > 1.2 * crossing].any()


@pytest.mark.parametrize(("n", "last"), [(100, 2.0), (10_000, 1.0)])
def test_figure_2_draws_what_its_series_are_called(n, last):
    rows = select(figures.table("2"), n=n)
    assert rows["x"].max() == last
    for series in published.FIGURE_2_SERIES:
        curve = select(rows, panel="published", series=series)
        assert_allclose(curve["y"], published.figure_2(n, series).delta(curve["x"]), rtol=ROUNDING)
    worst = select(rows, panel="corrected", series="worst case")
    assert_allclose(worst["y"], counting.worst_case(n, 0.05).delta(worst["x"]), rtol=ROUNDING)
    blanket = select(rows, panel="corrected", series="blanket")
    assert (worst["y"] <= blanket["y"]).all()
    for case in ("case 1", "case 2"):
        exact = select(rows, panel="corrected", series=case)
        assert (exact["y"] <= worst["y"]).all()
        assert (
            exact["y"] <= select(rows, panel="corrected", series=f"corrected {case}")["y"]
        ).all()
        assert (exact["y"] <= select(rows, panel="published", series=case)["y"]).all()


def test_figure_2_gives_the_numbers_of_its_texts():
    table = figures.table("2")

    def ends(n, panel, series):
        y = select(table, panel=panel, n=n, series=series)["y"]
        return [f"{y[0]:.2g}", f"{y[-1]:.2g}"]

    drawn, true = published.figure_2, counting.worst_case
    few = functools.partial(ends, 100)
    assert few("published", "case 1") == ["1", "0.011"]
    assert few("published", "case 2") == ["1", "1"]
    assert few("published", "closed form") == ["1", "0.7"]
    assert few("published", "numeric")[0] == "0.67"
    assert f"{drawn(100, 'numeric').epsilon(2e-15):.2f}" == "1.83"
    assert few("corrected", "worst case") == ["0.19", "0.0062"]
    assert few("corrected", "blanket") == ["0.25", "0.0077"]
    assert few("corrected", "corrected case 1")[1] == "0.33"
    at_one = [counting.exact([0.05, 0.5], multiplicities=[1, 98])]
    at_one += [counting.exact(np.delete(np.linspace(0.05, 0.95, 100), 50))]
    assert [f"{profile.delta(1.0):.1e}" for profile in at_one] == ["1.0e-07", "1.7e-06"]

    many = functools.partial(ends, 10_000)
    assert [many("published", case)[1] for case in ("case 1", "case 2")] == ["6.6e-06", "0.26"]
    assert like(drawn(10_000, "closed form").epsilon(1e-15), "0.98")
    assert like(drawn(10_000, "numeric").epsilon(1e-15), "0.25")
    assert many("corrected", "worst case")[0] == "0.018"
    assert like(true(10_000, 0.05).epsilon(1e-15), "0.38")
    assert like(counting.blanket(10_000, 0.05).epsilon(1e-15), "0.47")
    floor = select(table, panel="corrected", n=10_000, series="corrected case 1")["y"].min()
    assert 0.0235 < floor < 0.0236
    second = np.delete(np.linspace(0.05, 0.95, 10_000), 5000)
    cases = counting.exact([0.05, 0.5], multiplicities=[1, 9998]), counting.exact(second)
    assert [f"{case.epsilon(1e-15):.2f}" for case in cases] == ["0.14", "0.17"]


@pytest.mark.parametrize(("n", "crossing"), [(100, 0.56), (10_000, 0.12)])
def test_figure_2_numeric_is_below_the_worst_case_from_a_crossing_on(n, crossing):
    rows = select(figures.table("2"), n=n)
    drawn = select(rows, panel="published", series="numeric")
    below = drawn["y"] < select(rows, panel="corrected", series="worst case")["y"]
    assert below[drawn["x"] > crossing + 0.01].all()
    assert not below[drawn["x"] < crossing].any()


def test_proposition_7_gives_the_numbers_of_its_texts():
    table = figures.table("proposition-7")
    rows = select(table, panel="profile")
    printed, corrected, mass, exact = (
        select(rows, series=name) for name in ("printed", "corrected", "largest mass", "exact")
    )
    below = printed["x"][printed["y"] < exact["y"]]
    assert below == pytest.approx(np.arange(0.88, 1.03, 0.02))
    fine = np.array([0.87, 0.88, 1.02, 1.03])
    sides = counting.exact([0.5], multiplicities=[999]).log_delta(fine) > published.proposition_7(
        [0.5], multiplicities=[1000]
    ).log_delta(fine)
    assert sides.tolist() == [False, True, True, False]
    at_one = printed["x"] == 1
    assert [f"{curve['y'][at_one][0]:.1e}" for curve in (printed, exact)] == ["6.5e-55", "1.3e-52"]
    assert like(corrected["y"][-1], "0.081")
    assert like(mass["y"][-1], "0.025")
    assert (corrected["y"] > mass["y"]).all()
    assert exact["y"][0] == mass["y"][0]

    ratio = select(table, panel="ratio")
    assert like(ratio["y"][0], "0.018")
    assert (np.diff(ratio["y"][ratio["x"] > 300]) > 0).all()
    assert np.interp(1, ratio["y"], ratio["x"]) == pytest.approx(555, abs=5)
    assert like(ratio["y"][ratio["x"] == 1000][0], "200")
    assert f"{ratio['y'][-1]:.0e}" == "7e+13"


def test_histograms_gives_the_numbers_of_its_texts():
    table = figures.table("histograms")
    lam = select(table, panel="lambda")
    two, more, closed = (select(lam, series=name) for name in ("two", "more", "closed form"))
    assert like(two["x"][0], "0.0014")
    assert two["x"][0] == more["x"][0]
    assert [f"{curve['y'][0]:.1f}" for curve in (two, more)] == ["2.7", "3.7"]
    assert [f"{curve['y'][-1]:.3f}" for curve in (two, more)] == ["0.071", "0.088"]
    assert (two["x"][-1], more["x"][-1]) == (1 / 2, 1 / 3)
    assert like(closed["x"][0], "0.0066")
    assert closed["y"][0] == pytest.approx(1, abs=1e-8)
    assert like(closed["y"][-1] / more["y"][-1], "1.6")
    factors = [
        counting.histogram(10_000, at, categories=3).epsilon(1e-6)
        / counting.histogram(10_000, at, categories=2).epsilon(1e-6)
        for at in (0.03, 1 / 3)
    ]
    assert [f"{factor:.2f}" for factor in factors] == ["1.33", "1.16"]

    ends = {1: ("0.0082", "0.039"), 2: ("0.0095", "0.057"), 10: ("0.020", "0.132")}
    for part, (first, last) in ends.items():
        curve = select(table, panel="candidates", part=part)
        assert like(curve["y"][0], first)
        assert like(curve["y"][-1], last)
        # Steepness on logarithmic axes: 1/2 is the root.
        slopes = np.diff(np.log(curve["y"])) / np.diff(np.log(curve["x"]))
        assert slopes[1:] == pytest.approx(0.525, abs=0.0025)
        assert slopes[0] == pytest.approx({1: 0.527, 2: 1.05, 10: 1.34}[part], abs=0.005)


def test_crowds_gives_the_numbers_of_its_texts():
    table = figures.table("crowds")
    alone, own = select(table, panel="alone"), select(table, panel="own household")
    lowest = {"pairs": (40, "0.361", "1.6"), "threes": (52, "0.311", "3.6")}
    for name, (at, least, first) in lowest.items():
        curve = select(alone, series=name)
        assert curve["x"][0] == 4
        assert curve["x"][curve["y"].argmin()] == at
        assert like(curve["y"].min(), least)
        assert like(curve["y"][0], first)
        assert like(curve["y"][-1], "0.483")
    assert set(select(alone, series="independent")["y"]) == set(
        select(own, series="independent")["y"]
    )
    bound = select(alone, series="singles only")
    assert bound["x"][0] == 132
    assert 0.9**132 < 1e-6 < 0.9**131
    assert like(bound["y"][0], "2.7")
    assert like(bound["y"][-1], "0.483")
    for name, (first, last) in {"pairs": ("1.02", "0.76"), "threes": ("1.60", "1.02")}.items():
        curve = select(own, series=name)
        assert like(curve["y"][0], first)
        assert like(curve["y"][-1], last)
        assert (np.diff(curve["y"]) < 0).all()


def test_plebiscite_gives_the_numbers_of_its_texts():
    table = figures.table("plebiscite")
    plain, loaded = (select(table, attacker=name) for name in ("demographics", "status quo"))
    for rows, least, largest in ((plain, 0.12, 0.77), (loaded, 0.008, 0.96)):
        counts = select(rows, panel="beliefs")
        assert counts["y"].sum() == 1207
        (lam,) = select(rows, panel="statement", series="lambda")["x"]
        assert lam == pytest.approx(least, rel=0.04)
        bins = counts["x"][counts["y"] > 0]
        assert bins[0] <= least < bins[0] + 0.05
        assert bins[-1] <= largest < bins[-1] + 0.05
    counts = select(plain, panel="beliefs")
    assert counts["x"][counts["y"].argmax()] == pytest.approx(0.3)
    counts = select(loaded, panel="beliefs")
    assert counts["y"][0] == 381
    middle = counts["y"][4:15]
    assert 20 < middle.min() < middle.max() < 41
    assert counts["x"][4 + counts["y"][4:].argmax()] == pytest.approx(0.85)
    assert counts["y"][4:].max() < counts["y"][0] / 4
    for rows, series, text in (
        (plain, "exact", "0.25"),
        (plain, "lambda", "0.40"),
        (loaded, "exact", "0.34"),
        (loaded, "best", "0.58"),
    ):
        (eps,) = select(rows, panel="at delta", series=series)["x"]
        assert like(eps, text)
    assert len(select(loaded, panel="at delta", series="lambda")["x"]) == 0
    assert select(loaded, panel="profile", series="lambda")["y"].min() > 0.008
    best = select(loaded, panel="statement", series="best")
    assert best["y"] == [780]
    assert like(best["x"][0], "0.18")


def test_growth_gives_the_numbers_of_its_texts():
    table = figures.table("growth")
    eps, constant = (
        {
            series: select(table, panel=panel, series=series)
            for series in ("printed", "closed form", "KL form", "blanket", "exact", "limit")
        }
        for panel in ("eps", "constant")
    )
    for series, first, last in (("exact", "2.2", "0.0023"), ("limit", "1.1", "0.0023")):
        assert like(eps[series]["y"][0], first)
        assert like(eps[series]["y"][-1], last)
    assert eps["KL form"]["y"][-1] / eps["exact"]["y"][-1] == pytest.approx(1.08, abs=0.005)
    assert eps["blanket"]["y"][-1] / eps["exact"]["y"][-1] == pytest.approx(1.35, abs=0.005)
    for series, first, least, most in (
        ("printed", 2154, 2.95, 3.2),
        ("closed form", 562, 1.5, 1.74),
    ):
        assert eps[series]["x"][0] == first
        ratio = eps[series]["y"] / eps["exact"]["y"][eps["exact"]["x"] >= first]
        assert least < ratio.min() < ratio.max() < most
    near = eps["exact"]["x"] >= 10_000
    assert eps["limit"]["y"][near] == pytest.approx(eps["exact"]["y"][near], rel=0.05)
    assert constant["printed"]["y"] == pytest.approx(14.0, rel=1e-3)
    assert constant["closed form"]["y"] == pytest.approx(4.205, rel=1e-3)
    for series, first, least, last in (
        ("blanket", "5.3", "2.5", "2.6"),
        ("exact", "5.0", "1.4", "1.4"),
        ("KL form", "14.1", "1.69", "1.69"),
    ):
        values = constant[series]["y"]
        assert like(values[0], first)
        assert like(values.min(), least)
        assert like(values[-1], last)
    lowest = constant["exact"]
    assert 5e4 < lowest["x"][lowest["y"].argmin()] < 3e5
    limits = figures.load("growth").LIMITS
    assert limits == pytest.approx((1.67, 3.0), abs=0.005)


# The line under a figure.


CONF = (
    f"import sys; sys.path[:0] = [{str(ROOT)!r}]\n"
    "extensions = ['myst_parser', 'book._ext.figures.source']\n"
)


def build(folder, builder="html", *options):
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "-j", "2", "-b", builder, *options]
    run = subprocess.run(
        [*command, str(folder), str(folder / "out" / builder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stderr


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A small book with the directive, built; do not change it."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "sub").mkdir()
    (folder / "conf.py").write_text(CONF)
    (folder / "index.md").write_text(
        "# Top\n\n```{figure-source} shifted-laws\n```\n\n```{toctree}\nsub/page\n```\n"
    )
    (folder / "sub" / "page.md").write_text("# Sub\n\n```{figure-source} vertices\n```\n")
    assert build(folder, "html", "-W") == (0, "")
    return folder


@pytest.fixture
def copied(book, tmp_path):
    """A copy of the small book."""
    return shutil.copytree(book, tmp_path / "book")


@pytest.mark.slow
def test_the_line_under_a_figure_links_to_files_that_are_there(book):
    out = book / "out" / "html"
    for page, name in (("index.html", "shifted-laws"), ("sub/page.html", "vertices")):
        text = (out / page).read_text()
        line = re.search(r'<p class="figure-source"[^>]*>(.*?)</p>', text, re.DOTALL)[1]
        links = [(out / page).parent / link for link in re.findall(r'href="([^"]+)"', line)]
        assert [link.suffix for link in links] == [".csv"]
        assert links[0].read_text() == to_csv(figures.table(name))
        plain = re.sub(r"<[^>]+>", "", line)
        assert plain == (f"data (CSV) · python -m pkdp figure {name} --out figure-{name}.pdf")
        code = BeautifulSoup(text, "html.parser").select_one(".figure-source + .figure-code").pre
        module = figures.load(name)
        for function in (module.data, module.draw):
            assert inspect.getsource(function).strip() in code.text


@pytest.mark.slow
def test_the_line_under_a_figure_survives_a_second_build(copied):
    csv = copied / "out/html/_figures/figure-shifted-laws.csv"
    csv.unlink()
    # One page is read again, the other comes from the cache: both publish.
    (copied / "sub" / "page.md").write_text("# Sub\n")
    (copied / "out/html/_figures/figure-vertices.csv").unlink()
    assert build(copied) == (0, "")
    assert csv.exists()
    assert not (copied / "out/html/_figures/figure-vertices.csv").exists()


def test_an_unknown_figure_is_a_warning_with_its_place(tmp_path):
    (tmp_path / "conf.py").write_text(CONF)
    (tmp_path / "index.md").write_text("# Top\n\n```{figure-source} 2000\n```\n")
    status, said = build(tmp_path, "html", "-W", "--keep-going")
    assert status != 0
    assert re.search(r"index\.md:3: WARNING: figure-source: figure must be .*, got '2000'", said)
