"""Inline SVG for a page: drawings that take on the colours of the page around them."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from pkdp.figures import _palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"

# The page's stylesheet may set the variables (it does in dark mode); without one, the
# colours are those of the printed figure. Text and frame are those of the text around.
PAINT = {
    _palette.INK: "currentColor",
    _palette.BLUE: f"var(--pkdp-blue,{_palette.BLUE})",
    _palette.VERMILION: f"var(--pkdp-vermilion,{_palette.VERMILION})",
    _palette.GREEN: f"var(--pkdp-green,{_palette.GREEN})",
    _palette.PURPLE: f"var(--pkdp-purple,{_palette.PURPLE})",
}

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_MOVED = re.compile(r"(translate|rotate)\([^)]*\)")
_REFERENCE = re.compile(r"(?<=url\(#)[^)]+|(?<=^#).+")
_LEADING_ZERO = re.compile(r"(?<![0-9])0(?=\.)")
_COMMAND = re.compile(r"([MLQCz])([^MLQCz]*)")
_LENGTHS = ("x", "y", "width", "height")
# Labels are laid out in matplotlib's font. Most others are narrower, and none of these is wider.
_FONTS = "'DejaVu Sans',Verdana,sans-serif"


def short(name: str) -> str:
    """Return a figure's name for ids: every letter of every label points to its shape by it."""
    return f"f{zlib.crc32(name.encode()):08x}"[:5]


def inline(figures: Sequence[Figure], prefix: str, texts: Sequence[tuple[str, str]]) -> list[str]:
    """Return figures as ``<svg>`` elements that stand together on one HTML page.

    Parameters
    ----------
    figures : sequence of Figure
        Drawn in the colours of `pkdp.figures._palette`.
    prefix : str
        Begins every id, so that other drawings may share the page.
    texts : sequence of (str, str)
        The accessible name and description of each figure.

    Returns
    -------
    list of str
        The first drawing that needs a marker defines it for the others as well.

    Raises
    ------
    ValueError
        If a colour is not one of the palette, and so would not follow the page.
    """
    names: dict[str, str] = {}
    roots = []
    for number, (figure, (title, description)) in enumerate(
        zip(figures, texts, strict=True), start=1
    ):
        root = _parse(figure)
        _simplify_text(root)
        _join_grid(root)
        _drop_overridden(root)
        for element in root.iter():
            _repaint(element)
            _round(element)
        _rename(root, prefix, names)
        _flatten(root)
        _describe(root, f"{prefix}-panel-{number}", title, description)
        roots.append(root)
    ElementTree.register_namespace("", _SVG.strip("{}"))
    return [ElementTree.tostring(root, encoding="unicode") for root in roots]


def _parse(figure: Figure) -> Element:
    from matplotlib import rc_context

    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
        for line in (*axes.get_xgridlines(), *axes.get_ygridlines()):
            line.set_gid("grid")
    drawn = io.BytesIO()
    with rc_context({"svg.fonttype": "none"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(drawn.getvalue())
    # The width comes from the page and the shape from the viewBox. matplotlib's one style
    # rule would apply to the whole page, so the root carries it instead.
    for name in ("width", "height", "version"):
        del root.attrib[name]
    looks = f"font-family:{_FONTS};stroke-linejoin:round"
    root.set("style", f"display:block;width:100%;height:auto;{looks}")
    for element in root.iter():
        element.tail = None
        if not (element.text or "").strip() and element.tag != f"{_SVG}tspan":
            element.text = None
    return root


def _simplify_text(root: Element) -> None:
    for text in root.iter(f"{_SVG}text"):
        _join_letters(text)
        for element in (text, *text):
            style = _style(element)
            style.pop("font-family", None)  # that of the drawing
            if element is not text:
                style.pop("fill", None)  # that of the group around the formula
            _set_style(element, style)
        if text.get("transform", "").startswith("rotate(-0 "):
            del text.attrib["transform"]


def _join_letters(text: Element) -> None:
    # A formula has an element for each letter. Those of one height and style become one that has
    # the place of each letter, so that another font moves none of them.
    joined: list[Element] = []
    for letter in text:
        look = [letter.get(name) for name in ("y", "style")]
        if joined and [joined[-1].get(name) for name in ("y", "style")] == look:
            joined[-1].text = f"{joined[-1].text}{letter.text}"
            joined[-1].set("x", f"{joined[-1].attrib['x']} {letter.attrib['x']}")
        else:
            joined.append(letter)
    text[:] = joined


def _join_grid(root: Element) -> None:
    # The lines of a panel's grid, which are under all else, become one path.
    first: dict[tuple[str, str], Element] = {}
    for group in root.iter(f"{_SVG}g"):
        if group.get("id") == "grid" and len(group):
            line = group[0]
            joined = first.setdefault((line.attrib["clip-path"], line.attrib["style"]), line)
            if joined is not line:
                joined.set("d", joined.attrib["d"] + line.attrib["d"])
                group.remove(line)


def _drop_overridden(root: Element) -> None:
    # A shape that is used has its own style, and takes from the use only what that leaves open.
    own = {f"#{element.get('id')}": _style(element) for element in root.iter(f"{_SVG}path")}
    for use in root.iter(f"{_SVG}use"):
        taken = own.get(use.attrib[_LINK], {})
        _set_style(use, {k: value for k, value in _style(use).items() if k not in taken})


def _style(element: Element) -> dict[str, str]:
    said = element.get("style", "")
    return dict(part.strip().split(": ", 1) for part in said.split(";") if part.strip())


def _set_style(element: Element, style: dict[str, str]) -> None:
    element.attrib.pop("style", None)
    if style:
        element.set("style", "; ".join(f"{name}: {value}" for name, value in style.items()))


def _repaint(element: Element) -> None:
    def paint(match: re.Match[str]) -> str:
        colour = match[0].lower()
        if colour not in PAINT:
            raise ValueError(f"colour must be one of {', '.join(PAINT)}, got {colour}")
        return PAINT[colour]

    style = element.get("style", "")
    if style:
        element.set("style", _COLOUR.sub(paint, style).replace("; ", ";").replace(": ", ":"))


def _round(element: Element) -> None:
    def two_places(match: re.Match[str]) -> str:
        return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")

    def moved(match: re.Match[str]) -> str:
        return _DECIMAL.sub(two_places, match[0])

    for name in _LENGTHS:
        if name in element.attrib:
            element.set(name, _DECIMAL.sub(two_places, element.attrib[name]))
    if "d" in element.attrib:
        element.set("d", _in_steps(element.attrib["d"]))
    if "transform" in element.attrib:  # a scale keeps its digits
        element.set("transform", _MOVED.sub(moved, element.attrib["transform"]))


def _in_steps(path: str) -> str:
    # Each point but the first as a step from the one before, which has fewer digits; in whole
    # hundredths, so that roundings do not add up.
    x, y = start = 0, 0
    said = ""
    before = ""
    for letter, numbers in _COMMAND.findall(path):
        if letter == "z":
            said += "z"
            (x, y), before = start, "z"
            continue
        ahead = [round(100 * float(number)) for number in numbers.split()]
        points = list(zip(ahead[::2], ahead[1::2], strict=True))
        if letter == "M":
            command, steps = "M", ahead
            start = points[0]
        elif letter == "L" and points[0][1] == y:
            command, steps = "h", [points[0][0] - x]
        elif letter == "L" and points[0][0] == x:
            command, steps = "v", [points[0][1] - y]
        else:
            command = letter.lower()
            steps = [step for to_x, to_y in points for step in (to_x - x, to_y - y)]
        if command != before or command == "M":  # another letter is understood, but for M
            said += command
        for step in steps:
            digits = _LEADING_ZERO.sub("", f"{step / 100:.2f}".rstrip("0").rstrip("."))
            said += digits if said[-1] == command or digits[0] == "-" else f" {digits}"
        (x, y), before = points[-1], command
    return said


def _rename(root: Element, prefix: str, names: dict[str, str]) -> None:
    # matplotlib names glyphs, markers and clips after what they are: the same name on two
    # drawings is the same thing. All other ids go.
    drawn_before = set(names)

    def rename(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f"{prefix}-{len(names)}")

    for element in root.iter():
        if _LINK in element.attrib:
            element.set("href", _REFERENCE.sub(rename, element.attrib.pop(_LINK)))
        for key in ("clip-path", "style"):
            if key in element.attrib:
                element.set(key, _REFERENCE.sub(rename, element.attrib[key]))
    for parent in root.iter():
        for child in list(parent):
            name = child.attrib.pop("id", None)
            if name in drawn_before:
                parent.remove(child)
            elif name in names:
                child.set("id", names[name])


def _flatten(root: Element) -> None:
    def flat(parent: Element) -> Iterator[Element]:
        for child in parent:
            child[:] = list(flat(child))
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):
                continue
            if child.tag == f"{_SVG}defs" and not len(child):
                continue
            if child.tag == f"{_SVG}g" and not child.attrib:
                yield from child
            else:
                yield child

    root[:] = list(flat(root))


def _describe(root: Element, prefix: str, title: str, description: str) -> None:
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}-title {prefix}-desc")
    for place, (kind, text) in enumerate((("title", title), ("desc", description))):
        element = Element(f"{_SVG}{kind}", {"id": f"{prefix}-{kind}"})
        element.text = text
        root.insert(place, element)
