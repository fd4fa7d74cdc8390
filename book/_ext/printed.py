r"""The book on paper: its pages as the chapters of one LaTeX document.

The builder ``printed`` is Sphinx's builder for LaTeX but for two things: it puts the pages together
as ``_toc.yml`` has them, each a chapter, and its doctrees are made fit for paper first.

- Statements are boxes with their number, their title, the word of their verdict, and their tag.
- What is folded is opened: proofs, derivations, symbols. What stands *beside* the text stays on the
  screen, as it does where a page is printed by a browser: the lists of checks, the code of figures;
  so do figures that move, and code that only prepares or formats.
- Figures are vector drawings with their captions, with the alternative text behind them.
- Hints and solutions go to the end of the book. Exercises and solutions name each other's pages.
- Cards of claims, the reference of the library and the drawings of what rests on what are left out.

A document like this needs hardly any node of its own: an `environment` is what it says in LaTeX,
with `argument` nodes in front of what it holds; ``book/latex/preamble.tex`` defines them all.
"""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils import new_document
from explore import explorable
from ledger import WORDS
from reading import without_word
from sphinx import addnodes
from sphinx.builders.latex import LaTeXBuilder
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.template import LaTeXRenderer
from sphinx.writers.latex import LaTeXTranslator
from sphinx_exercise.nodes import exercise_enumerable_node, solution_node
from sphinx_proof.nodes import proof_node, unenumerable_node

import pkdp
from pkdp import figures
from pkdp.figures._files import Folder
from pkdp.studies.tables import plain

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.util.typing import ExtensionMetadata

NAME = "pkdp-book"
PREAMBLE = Path(__file__).parents[1] / "latex" / "preamble.tex"
PREFACE = PREAMBLE.with_name("preface.tex")
LEFT_OUT = re.compile(r"book/(?:claims/|api/|graph$)")
KEPT = ("pkdpstatement", "pkdpexercise")  # do not begin on the last lines of a page
CITE = "Cite this "  # a section at the end of a page, for those who copy from it
_RAGGED = r">{\raggedright\arraybackslash}p{%s\linewidth}"
CLAIMS_COLUMNS = "".join(_RAGGED % width for width in ("0.43", "0.25", "0.24"))

# A table with longer lines than this, in characters, breaks the lines of its texts.
WIDE = 84

_DETAILS = re.compile(r'<details(?: class="(?P<kind>[^"]*)")?>(?:<summary>.*?</summary>)?$')
_FIGURE = re.compile(r"InlineFigure\(name='([^']+)'")
_ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[hd])([^>]*)>(.*?)</t[hd]>", re.DOTALL)
_CAPTION = re.compile(r"<caption>(.*?)</caption>", re.DOTALL)
_FRACTION = re.compile(r"<sup>([\d,]+)</sup>&frasl;<sub>([\d,]+)</sub>")
_TAG = re.compile(r"\\tag\{\w+\}")
_INLINE = re.compile(r'<span class="math[^"]*">\\\((.*?)\\\)</span>|<sup>(.*?)</sup>', re.DOTALL)


class environment(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """An environment of LaTeX, called ``kind``; its ids are labels."""


class argument(nodes.General, nodes.TextElement):  # type: ignore[misc]  # noqa: N801
    """An argument of the environment around it."""


class from_page(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """What was moved away from the page ``docname``, to which its labels still belong."""


def latex(code: str) -> nodes.raw:
    """Return code of LaTeX as a node."""
    return nodes.raw("", code, format="latex")


def boxed(
    kind: str,
    arguments: Iterable[Sequence[nodes.Node]],
    inside: Iterable[nodes.Node],
    ids: Iterable[str] = (),
) -> environment:
    """Return nodes in an environment."""
    heads = (argument("", "", *one) for one in arguments)
    return environment("", *heads, *inside, kind=kind, ids=list(ids))


def unwrap(node: nodes.Element) -> None:
    """Put the children of a node in its place."""
    replace(node, node.children)


def replace(node: nodes.Element, others: Iterable[nodes.Node]) -> None:
    """Put other nodes in the place of one, without its classes."""
    place = node.parent.index(node)
    node.parent[place : place + 1] = list(others)


def verdict(status: str) -> nodes.inline:
    """Return the word of a verdict."""
    return nodes.inline("", WORDS[status], classes=["claim-badge", f"claim-{status}"])


# --------------------------------------------------------------------------------------------
# One page
# --------------------------------------------------------------------------------------------


class Page:
    """A page on its way to paper.

    Parameters
    ----------
    app : Sphinx
        The application, which knows the ledger.
    docname : str
        The page.
    document : nodes.document
        Its doctree, a copy, which is changed.

    Attributes
    ----------
    figures : list of str
        The names of its figures.
    solutions : list of environment
        What goes to the end of the book.
    """

    def __init__(self, app: Sphinx, docname: str, document: nodes.document) -> None:
        self.app = app
        self.docname = docname
        self.document = document
        self.figures: list[str] = []
        self.solutions: list[environment] = []
        open_folds(document)
        for kind in (addnodes.toctree, explorable):
            for node in list(document.findall(kind)):
                node.parent.remove(node)
        for section in list(document.findall(nodes.section)):
            if section[0].astext().startswith(CITE):
                section.parent.remove(section)
        self._exercises()
        self._outputs()
        self._statements()
        self._proofs()
        self._containers()
        self._captions()
        self._lists()

    def _all(self, kind: type[nodes.Element]) -> Iterator[nodes.Element]:
        yield from list(self.document.findall(kind))
        for solution in self.solutions:
            yield from list(solution.findall(kind))

    def _exercises(self) -> None:
        """Take hints and solutions out of the page, and number its exercises."""
        numbers = self.app.env.toc_fignumbers.get(self.docname, {}).get("exercise", {})
        parents = {id(one.parent): one.parent for one in self._all(exercise_enumerable_node)}
        for parent in parents.values():
            hints: list[nodes.Node] = []
            titles: dict[str, list[nodes.Node]] = {}
            kept: list[nodes.Node] = []
            for child in parent.children:
                if isinstance(child, exercise_enumerable_node):
                    number = ".".join(map(str, numbers[child["label"]]))
                    title = [nodes.Text(f"Exercise {number}"), *_subtitle(child)]
                    titles[child["label"]] = title
                    hints = []
                    kept.append(exercise(child, title))
                elif isinstance(child, nodes.hint):
                    hints.append(boxed("pkdphint", [], child.children))
                elif isinstance(child, solution_node):
                    label = child["target_label"]
                    inside = [*hints, *_content(child)]
                    self.solutions.append(solution(label, titles[label], inside))
                else:
                    kept.append(child)
            parent.children = []
            parent += kept

    def _outputs(self) -> None:
        """Show tables and figures as such, and drop the code that is hidden."""
        for bundle in self._all(nodes.container):
            if bundle.get("nb_element") != "mime_bundle":
                continue
            shown = {one["mime_type"]: one for one in bundle.children}
            if "text/html" in shown:
                text = shown["text/plain"].astext()
                if name := _FIGURE.match(text):
                    self.figures.append(name[1])
                    replace(bundle, [drawing(name[1])])
                else:
                    replace(bundle, table(shown["text/html"].astext()))
            else:
                kind = "text/latex" if "text/latex" in shown else "text/plain"
                replace(bundle, shown[kind].children)
        for cell in self._all(nodes.container):
            if cell.get("hide_mode") == "input":
                cell.children = [
                    part for part in cell.children if part.get("nb_element") != "cell_code_source"
                ]
        for block in self._all(nodes.literal_block):
            if "output" in block["classes"]:
                replace(block, [boxed("pkdpoutput", [], [block.deepcopy()])])

    def _statements(self) -> None:
        """Make a box of each statement, with its verdict and its tag."""
        claims, results = self.app.config.ledger_claims, self.app.config.ledger_results
        for node in self._all(unenumerable_node):
            title, tag = _without_tag(node[0].children)
            judged = [(claims.get(name) or results.get(name)) for name in node["ids"]]
            words = [verdict(one.status) for one in judged if one is not None]
            body = [part for child in node[1:] for part in _bare(child)]
            replace(node, [boxed("pkdpstatement", [title, words, tag], body, node["ids"])])

    def _proofs(self) -> None:
        """Set proofs as proofs."""
        for node in self._all(proof_node):
            unwrap(node)
        for box in self._all(nodes.admonition):
            if "proof" in box["classes"]:
                without_word(box)
                replace(box, [boxed("pkdpproof", [], box.children)])

    def _containers(self) -> None:
        """Open what is folded, and make boxes of what has a frame on the page."""
        for node in reversed(list(self._all(nodes.container))):
            classes = node["classes"]
            if node.get("design_component") == "dropdown":
                title, *inside = node.children
                if title.astext() == "Proof":
                    replace(node, [boxed("pkdpproof", [], inside)])
                else:
                    replace(node, [boxed("pkdpaside", [title.children], inside)])
            elif node.get("design_component") == "card":
                replace(node, [boxed("pkdpcard", [], node.children)])
            elif node.get("design_component") == "card-title":
                replace(node, [nodes.paragraph("", "", nodes.strong("", "", *node.children))])
            elif "at-the-start" in classes:
                replace(node, [boxed("pkdpstart", [], node.children)])
            elif "symbols" in classes:
                replace(node, [boxed("pkdpsymbols", [], node.children)])
            elif "erratum" in classes:
                replace(node, [boxed("pkdperratum", [], node.children, node["ids"])])
            elif "claim-place" in classes:
                replace(node, [boxed("pkdpplace", [], node.children)])
            else:
                unwrap(node)

    def _captions(self) -> None:
        """Put captions and sources into the figures that they are of."""
        for box in self._all(environment):
            if box["kind"] != "pkdpfigure":
                continue
            siblings = box.parent.children
            place = siblings.index(box) + 1
            while place < len(siblings) and _belongs_to_figure(siblings[place]):
                line = siblings.pop(place)
                if "figure" in line.attributes:
                    box += boxed("pkdpsource", [], [_source(line)], line["ids"])
                    break
                box += line

    def _lists(self) -> None:
        """Give the lists of claims their columns, and drop terms of which nothing is left."""
        for listed in self._all(nodes.table):
            if "claims-table" in listed["classes"]:
                columns = addnodes.tabular_col_spec(spec=CLAIMS_COLUMNS)
                replace(listed, [boxed("pkdpsmall", [], [columns, listed.deepcopy()])])
        for item in self._all(nodes.definition_list_item):
            if not item[-1].astext():
                item.parent.remove(item)


def open_folds(document: nodes.Element) -> None:
    """Leave of what a page folds away only what is no mere aside.

    Examples
    --------
    >>> from folding import folded
    >>> page = nodes.section("", *folded("More", [nodes.paragraph("", "text")]))
    >>> page += folded("Checks", [nodes.paragraph("", "tests")], "claim-check beside")
    >>> open_folds(page)
    >>> [child.astext() for child in page]
    ['text']
    """
    parents = {id(raw.parent): raw.parent for raw in document.findall(nodes.raw)}
    for parent in parents.values():
        kept = []
        depth = 0  # within what stays folded
        for child in parent.children:
            mark = isinstance(child, nodes.raw) and child["format"] == "html"
            text = child.astext() if mark else ""
            if start := _DETAILS.match(text):
                if depth or "beside" in (start["kind"] or ""):
                    depth += 1
            elif text == "</details>":
                depth = max(0, depth - 1)
            elif not depth:
                kept.append(child)
        parent.children = kept


def exercise(node: nodes.Element, title: Sequence[nodes.Node]) -> environment:
    """Return an exercise in its box."""
    _, *body = node.children
    tag = [line for line in body if "tag-line" in line.get("classes", ())]
    inside = [part for child in body if child not in tag for part in _bare(child)]
    label = node["label"]
    tags = [nodes.Text(tag[0].astext())] if tag else []
    place = latex(rf"\pkdpsolutionon{{{label}}}")
    heads = [_copied(title), [latex(label)], tags]
    return boxed("pkdpexercise", heads, [*inside, place], node["ids"])


def solution(label: str, title: Sequence[nodes.Node], inside: Iterable[nodes.Node]) -> environment:
    """Return hints and a solution under the title of their exercise."""
    return boxed("pkdpsolution", [_copied(title), [latex(label)]], inside)


def drawing(name: str) -> environment:
    """Return a figure, so far without its caption."""
    module = figures.load(name)
    said = " ".join([module.TITLE + ".", *module.ALT])
    file = latex(figures.file_name(name, "pdf"))
    # In the digits of UTF-16, as PDF has it: no character can then mean something to LaTeX.
    digits = f"\ufeff{said}".encode("utf-16-be").hex().upper()
    return boxed("pkdpfigure", [[file], [nodes.Text(digits)]], [])


def table(source: str) -> Iterator[nodes.Node]:
    r"""Yield a table of results, as `pkdp.studies.tables` writes it, and its caption before it.

    Examples
    --------
    >>> one = "<tr><th>n</th></tr><tr><td class='number'>1 · 10<sup>−6</sup></td></tr>"
    >>> columns, found = table(one)
    >>> columns["spec"], found.astext()
    ('r', '\n\nn\n\n1 · 10−6')
    """
    if caption := _CAPTION.search(source):
        yield boxed("pkdpcaption", [], [nodes.paragraph("", "", *inline(caption[1]))])
    rows = [_CELL.findall(row) for row in _ROW.findall(source)]
    texts = [[inline(text) for _, _, text in row] for row in rows]
    lengths = [[_width(cell) for cell in row] for row in texts]
    longest = [max(column) for column in zip(*lengths, strict=True)]
    wide = sum(longest) + 2 * len(longest) > WIDE
    spec = ""
    for (_, kind, _), length, below in zip(rows[-1], longest, _below(lengths), strict=True):
        if "number" in kind:
            spec += "R" if wide and length > max(8, below) else "r"
        else:
            spec += "L" if wide and length > 14 else "l"
    yield addnodes.tabular_col_spec(spec=spec)
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in spec), cols=len(spec))
    made = [
        nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *cell)) for cell in row))
        for row in texts
    ]
    group += [nodes.thead("", made[0]), nodes.tbody("", *made[1:])]
    yield nodes.table("", group, classes=["pkdp-table"])


def inline(text: str) -> list[nodes.Node]:
    r"""Return the text of a cell: its formulas, its powers and its fractions.

    Examples
    --------
    >>> [node.astext() for node in inline("<sup>1</sup>&frasl;<sub>2</sub> &lt; ε")]
    ['1/2 < ε']
    """
    text = _FRACTION.sub(r"\1/\2", text)
    found: list[nodes.Node] = []
    end = 0
    for part in _INLINE.finditer(text):
        found.append(nodes.Text(html.unescape(text[end : part.start()])))
        if part[1] is not None:
            found.append(nodes.math("", html.unescape(part[1])))
        else:
            found.append(nodes.superscript("", html.unescape(part[2])))
        end = part.end()
    found.append(nodes.Text(html.unescape(text[end:])))
    return [part for part in found if part.astext()]


def _width(cell: Iterable[nodes.Node]) -> int:
    """Return how many characters wide a cell is."""
    return sum(
        len(plain(f"${part.astext()}$") if isinstance(part, nodes.math) else part.astext())
        for part in cell
    )


def _below(lengths: Sequence[Sequence[int]]) -> list[int]:
    """Return the most that a column has below its heading."""
    return [max(column[1:], default=0) for column in zip(*lengths, strict=True)]


def _copied(parts: Iterable[nodes.Node]) -> list[nodes.Node]:
    return [part.deepcopy() for part in parts]


def _bare(node: nodes.Node) -> list[nodes.Node]:
    """Return the content of what is a section only for lack of a better name."""
    if isinstance(node, nodes.section) and not isinstance(node[0], nodes.title):
        return list(node.children)
    return [node]


def _content(node: nodes.Element) -> list[nodes.Node]:
    return [part for child in node.children[1:] for part in _bare(child)]


def _subtitle(node: nodes.Element) -> list[nodes.Node]:
    """Return what an exercise is called, in parentheses unless it has some itself."""
    if len(node[0].children) < 2:
        return []
    return [nodes.Text(". "), *_copied(node[0][1].children)]


def _without_tag(parts: Sequence[nodes.Node]) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """Return a title without the tag at its end, and the tag."""
    tags = [part for part in parts if "tag" in getattr(part, "attributes", {}).get("classes", ())]
    rest = [part for part in parts if part not in tags]
    return rest, [nodes.Text(tag.astext()) for tag in tags]


def _belongs_to_figure(node: nodes.Node) -> bool:
    if not isinstance(node, nodes.paragraph):
        return False
    if "figure" in node.attributes:
        return True
    # A caption begins in boldface; MyST may put an empty text before that.
    first = next((child for child in node.children if child.astext()), None)
    return isinstance(first, nodes.strong)


def _source(line: nodes.Element) -> nodes.paragraph:
    """Return the command that draws a figure, and its tag."""
    tags = [part.astext() for part in line.children if isinstance(part, nodes.reference)]
    command = nodes.literal("", f"python -m pkdp figure {line['figure']}")
    return nodes.paragraph("", "", command, *(nodes.Text(f" · {tag}") for tag in tags))


# --------------------------------------------------------------------------------------------
# The whole book
# --------------------------------------------------------------------------------------------


@cache
def _renderer(engine: str) -> LaTeXRenderer:
    return LaTeXRenderer(latex_engine=engine)


class PrintedTranslator(LaTeXTranslator):
    """Writes LaTeX, with the nodes above, and no marks for what looks no different."""

    def render(self, template_name: str, variables: dict[str, object]) -> str:
        """Fill in a template of Sphinx's; it is compiled once, and not for every table."""
        return _renderer(self.config.latex_engine).render(template_name, variables)

    def visit_environment(self, node: environment) -> None:
        """Begin an environment."""
        labels = "".join(self.hypertarget(name) for name in node["ids"])
        keep = r"\pkdpkeep" if node["kind"] in KEPT else ""
        self.body.append(f"\n\n{keep}{labels}\\begin{{{node['kind']}}}")

    def depart_environment(self, node: environment) -> None:
        """End it."""
        self.body.append(f"\n\\end{{{node['kind']}}}\n\n")

    def visit_argument(self, node: argument) -> None:
        """Begin an argument."""
        self.body.append("{")

    def depart_argument(self, node: argument) -> None:
        """End it."""
        self.body.append("}")

    def visit_from_page(self, node: from_page) -> None:
        """Label what follows as that page does."""
        self.curfilestack.append(node["docname"])

    def depart_from_page(self, node: from_page) -> None:
        """Label as before."""
        self.curfilestack.pop()

    def visit_math_block(self, node: nodes.math_block) -> None:
        """Write a formula on a line of its own; Sphinx has no place for a tag in it."""
        formula = node.astext().strip()
        tags = "".join(tag[0] for tag in _TAG.finditer(formula))
        formula = _TAG.sub("", formula)
        if "&" in formula or r"\\" in formula:
            inner = "split" if "&" in formula else "gathered"
            formula = f"\\begin{{{inner}}}\n{formula}\n\\end{{{inner}}}"
        name = "equation" if node.get("label") else "equation*"
        label = node.get("label") and f"\\label{{equation:{node['docname']}:{node['label']}}}"
        self.body.append(f"\n\\begin{{{name}}}{label or tags}\n{formula}\n\\end{{{name}}}\n")
        raise nodes.SkipNode

    def visit_inline(self, node: nodes.inline) -> None:
        """Write a verdict as such; other texts as they are, in boldface where they are labels."""
        classes = node["classes"]
        if "claim-unseen" in classes:
            raise nodes.SkipNode
        labels = "".join(self.hypertarget(name) for name in node["ids"])
        status = [name.removeprefix("claim-") for name in classes if name.startswith("claim-")]
        if "claim-badge" in classes:
            self.body.append(f"{labels}\\pkdpverdict{{{status[-1]}}}{{")
        elif "at-the-start-label" in classes:
            self.body.append(r"\textbf{")
        elif "claim-source" in classes:
            self.body.append(r"\pkdpsourcename{")
        else:
            self.body.append(labels)
            self.context.append("")
            return
        self.context.append("}")


class References(SphinxPostTransform):
    """Keeps the list of references where the page has it; Sphinx would put it at the end."""

    default_priority = 7  # after the formulas in it
    builders = ("printed",)

    def run(self, **options: object) -> None:
        """Make a paragraph of each entry."""
        for entry in list(self.document.findall(nodes.citation)):
            label, *text = entry.children
            head = nodes.strong("", "", *label.children)
            replace(entry, [boxed("pkdpreference", [[head]], text, entry["ids"])])


class PrintedBuilder(LaTeXBuilder):
    """The book as one LaTeX document, with the drawings that it needs."""

    name = "printed"
    epilog = ""
    default_translator_class = PrintedTranslator

    def init(self) -> None:
        """Configure what this builder alone looks at, before it does."""
        configure(self.config)
        super().init()

    def init_document_data(self) -> None:
        """Write one document, from the first page on."""
        title = self.config.latex_elements["booktitle"]
        root = self.config.root_doc
        self.document_data = [(root, f"{NAME}.tex", title, self.config.author, "manual", False)]
        self.titles: list[tuple[str, str]] = []

    def assemble_doctree(
        self, indexfile: str, toctree_only: bool, appendices: list[str]
    ) -> nodes.document:
        """Return the whole book, with its references resolved."""
        parts = list(self.parts())
        self.docnames = {page for _, pages in parts for page in pages}
        book = new_document("printed")
        book["docname"] = NAME
        top = nodes.section("", nodes.title("", self.config.latex_elements["booktitle"]))
        book += top
        solved = nodes.section("", nodes.title("", "Hints and solutions"), ids=["solutions"])
        drawn: list[str] = []
        for caption, pages in parts:
            if caption:
                top += latex(rf"\part{{{caption}}}")
            for docname in pages:
                page = Page(self.app, docname, self.env.get_doctree(docname))
                top += addnodes.start_of_file("", *page.document.children, docname=docname)
                drawn += page.figures
                if page.solutions:
                    title = nodes.title("", self.env.titles[docname].astext())
                    moved = from_page("", *page.solutions, docname=docname)
                    solved += nodes.section("", title, moved, ids=[f"solutions-{len(solved)}"])
        top += latex(r"\part{Appendix}")
        top += addnodes.start_of_file("", solved, docname="solutions")
        self.env.resolve_references(book, indexfile, self)
        self.draw(dict.fromkeys(drawn))
        return book

    def get_contentsname(self, indexfile: str) -> str:
        """Return what stands above the contents."""
        return "Contents"

    def parts(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the parts of the contents: their captions, and their pages in order."""
        contents = self.env.external_site_map  # type: ignore[attr-defined]

        def below(page: str) -> Iterator[str]:
            if not LEFT_OUT.match(page):
                yield page
            for tree in contents[page].subtrees:
                for one in tree.items:
                    yield from below(str(one))

        yield "", [contents.root.docname]
        for tree in contents.root.subtrees:
            yield tree.caption, [page for one in tree.items for page in below(str(one))]

    def draw(self, names: Iterable[str]) -> None:
        """Draw figures, those that have changed since, and put them beside the document."""
        folder = Path(self.app.confdir, "_build", "figures")
        drawings = Folder(folder)
        files = [figures.file_name(name, "pdf") for name in names]
        for name in names:
            drawings.draw(name, ["pdf"])
        drawings.finish()
        for file in files:
            shutil.copyfile(folder / file, Path(self.outdir, file))


def configure(config: Config) -> None:
    """Say how LaTeX is to set the book."""
    config.latex_engine = "pdflatex"
    config.latex_domain_indices = False
    config.latex_elements = {
        "booktitle": config.project,
        "papersize": "a4paper",
        "pointsize": "10pt",
        "extraclassoptions": "openany,oneside",
        "fontpkg": "",  # what follows is in the preamble
        "fontsubstitution": "",
        "textgreek": "",
        "fncychap": "",
        "geometry": r"\usepackage[hmargin=30mm,top=28mm,bottom=32mm]{geometry}",
        "fvset": r"\fvset{fontsize=\footnotesize}",
        "sphinxsetup": (
            "verbatimwithframe=false, VerbatimColor={RGB}{245,246,248}, "
            "InnerLinkColor={RGB}{20,60,120}, OuterLinkColor={RGB}{20,60,120}, "
            "TitleColor={RGB}{25,35,55}, verbatimhintsturnover=false"
        ),
        "makeindex": "",
        "printindex": "",
        "preamble": PREAMBLE.read_text(encoding="utf-8"),
        "maketitle": rf"\pkdptitlepage{{{pkdp.__version__}}}",
        "tableofcontents": r"\pkdpcontents" + PREFACE.read_text(encoding="utf-8"),
    }


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the builder."""
    app.add_builder(PrintedBuilder)
    app.add_post_transform(References)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
