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
_TRANSLATE = re.compile(r"translate\([^)]*\)")
_REFERENCE = re.compile(r"(?<=url\(#)[^)]+|(?<=^#).+")
_LEADING_ZERO = re.compile(r"(?<![0-9])0(?=\.)")
_COMMAND = re.compile(r"([MLQCz])([^MLQCz]*)")
_LENGTHS = ("x", "y", "width", "height")


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
        The first drawing that needs a glyph or a marker defines it for the others as well.

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
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    root = ElementTree.fromstring(drawn.getvalue())
    # The width comes from the page and the shape from the viewBox. matplotlib's one style
    # rule would apply to the whole page, so the root carries it instead.
    for name in ("width", "height", "version"):
        del root.attrib[name]
    root.set("style", "display:block;width:100%;height:auto;stroke-linejoin:round")
    for element in root.iter():
        element.text = element.tail = None
    return root


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
        element.set("transform", _TRANSLATE.sub(moved, element.attrib["transform"]))
        along = re.fullmatch(r"translate\((\S+) 0\)", element.attrib["transform"])
        if along and element.tag == f"{_SVG}use":  # a shorter way to say the same
            element.set("x", along[1])
            del element.attrib["transform"]


def _in_steps(path: str) -> str:
    # Each point but the first as a step from the one before, which has fewer digits; in whole
    # hundredths, so that roundings do not add up.
    x, y = start = 0, 0
    said = []
    for letter, numbers in _COMMAND.findall(path):
        if letter == "z":
            said.append("z")
            x, y = start
            continue
        ahead = [round(100 * float(number)) for number in numbers.split()]
        points = list(zip(ahead[::2], ahead[1::2], strict=True))
        if letter == "M":
            said.append(_command("M", ahead))
            start = points[0]
        elif letter == "L" and points[0][1] == y:
            said.append(_command("h", [points[0][0] - x]))
        elif letter == "L" and points[0][0] == x:
            said.append(_command("v", [points[0][1] - y]))
        else:
            steps = [step for to_x, to_y in points for step in (to_x - x, to_y - y)]
            said.append(_command(letter.lower(), steps))
        x, y = points[-1]
    return "".join(said)


def _command(letter: str, hundredths: Sequence[int]) -> str:
    said = letter
    for number in hundredths:
        digits = _LEADING_ZERO.sub("", f"{number / 100:.2f}".rstrip("0").rstrip("."))
        said += digits if said == letter or digits[0] == "-" else f" {digits}"
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
