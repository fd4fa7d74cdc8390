"""The list of references: labelled as the text cites, with its formulas set as formulas.

``author-year`` is the style for ``{bibliography}``. Two works of the same authors and year are told
apart by a letter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from docutils import nodes
from pybtex.backends.plaintext import Backend as PlaintextBackend
from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle
from pybtex_docutils import Backend as DocutilsBackend
from sphinx.transforms.post_transforms import SphinxPostTransform

if TYPE_CHECKING:
    from pybtex.database import Entry, Person
    from sphinx.application import Sphinx

STYLE = "author-year"
# What every citation asks pybtex for, which would look through all that is installed each time.
BACKENDS = {"docutils": DocutilsBackend, "plaintext": PlaintextBackend}


def authors(people: list[Person]) -> str:
    r"""Return who wrote a work, as a citation says it.

    Examples
    --------
    >>> from pybtex.database import Person
    >>> people = [Person(name) for name in ("von Neumann, John", "Morgenstern, Oskar", "A, B")]
    >>> authors(people[:1]), authors(people[:2]), authors(people)
    ('von Neumann', 'von Neumann and Morgenstern', 'von Neumann et al.')
    >>> authors([Person('R{\\"o}llin, Adrian')])
    'Röllin'
    """
    names = [person.rich_prelast_names + person.rich_last_names for person in people]
    last = [" ".join(map(str, parts)) for parts in names]
    return f"{last[0]} et al." if len(last) > 2 else " and ".join(last)


class Labels(BaseLabelStyle):  # type: ignore[misc]
    """Labels such as "Balle et al., 2020"."""

    def format_labels(self, sorted_entries: Iterable[Entry]) -> Iterator[str]:
        """Yield the label of each entry."""
        labels = []
        for entry in sorted_entries:
            people = entry.persons.get("author") or entry.persons.get("editor")
            who = authors(people) if people else entry.fields.get("organization", entry.key)
            labels.append(f"{who}, {entry.fields['year']}")
        often = Counter(labels)
        letters = {label: map(chr, count(ord("a"))) for label in often}
        for label in labels:
            yield label + next(letters[label]) if often[label] > 1 else label


class AuthorYear(PlainStyle):  # type: ignore[misc]
    """The plain style with these labels."""

    default_label_style = Labels


class Formulas(SphinxPostTransform):
    """Sets what stands between dollars in the list."""

    default_priority = 6  # the list is made at 5

    def run(self, **options: object) -> None:
        """Put formulas into the page, and note that it has some."""
        for citation in self.document.findall(nodes.citation):
            for text in list(citation.findall(nodes.Text)):
                parts = re.split(r"\$(.+?)\$", text.astext())
                if len(parts) > 1:
                    kinds = (
                        nodes.math("", p) if n % 2 else nodes.Text(p) for n, p in enumerate(parts)
                    )
                    text.parent.replace(text, list(kinds))
                    math = self.env.get_domain("math")
                    math.data["has_equations"][self.env.docname] = True


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the style, the backends and the transform."""
    register_plugin("pybtex.style.formatting", STYLE, AuthorYear)
    for name, backend in BACKENDS.items():
        register_plugin("pybtex.backends", name, backend, force=True)
    app.add_post_transform(Formulas)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
