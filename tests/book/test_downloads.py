"""The notebooks that the book offers: plain text, the same code, and a first cell that helps."""

import json
import re

import nbformat
import pytest

import pkdp
from book._ext.pages import downloads
from tests.book.built import CODE, HTML, ROOT, parsed

DIRECTIVE = re.compile(r"^ *(?:`{3,}|:{3,})\{[\w:-]+\}|^\([\w-]+\)=|^ *:[\w-]+:", re.MULTILINE)
ROLE = re.compile(r"\{[\w:-]+\}`")


def cells(file, kind):
    notebook = json.loads(file.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def texts(file):
    return ["".join(cell["source"]) for cell in cells(file, "markdown")]


def answers(file):
    """The ids of the cells of code that belong to solutions."""
    found, inside = set(), False
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            found |= {cell["id"]} if inside else set()
        else:
            text = "".join(cell["source"])
            starts, ends = text.rfind("{solution-start}"), text.rfind("{solution-end}")
            inside = starts > ends if max(starts, ends) >= 0 else inside
    return found


@pytest.fixture(params=CODE)
def pair(request):
    """A notebook as it is stored, and as it is offered."""
    return ROOT / f"{request.param}.ipynb", HTML / "_sources" / f"{request.param}.ipynb"


@pytest.mark.book
def test_text_is_plain_and_code_is_the_same(pair):
    stored, offered = pair
    notebook = nbformat.read(offered, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.keys() == {"kernelspec", "language_info"}
    given = cells(stored, "code")
    for cell in given:
        for output in cell["outputs"]:
            if output.get("data", {}).pop("text/html", None):
                assert "text/plain" in output["data"]
        if cell["id"] in answers(stored):  # closed, so that nobody reads it by accident
            cell["metadata"]["jupyter"] = {"source_hidden": True, "outputs_hidden": True}
    assert cells(offered, "code") == given
    first, *rest = texts(offered)
    title = "Differential privacy with partial knowledge: an executable companion"
    assert first == downloads.FIRST.format(title=title, version=pkdp.__version__)
    for text in rest:
        prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        assert not DIRECTIVE.search(prose)
        assert not ROLE.search(prose)
        assert prose.count("<details>") == prose.count("</details>")
        assert len(re.findall(r"^ *\$\$", prose, re.MULTILINE)) % 2 == 0


@pytest.mark.book
def test_nothing_but_marks_is_lost(pair):
    stored, offered = (re.sub(r"\s+", " ", " ".join(texts(file))) for file in pair)
    headings = [
        line for text in texts(pair[0]) for line in re.findall(r"^#+ .*$", text, re.MULTILINE)
    ]
    for heading in headings:
        assert ROLE.sub("", heading).split("`")[0].strip() in offered
    # Formulas are what a page can least do without.
    formulas = re.findall(r"\$\$ (.+?) \$\$", stored)
    assert all(formula in offered for formula in formulas)
    statements = re.findall(
        r"\{prf:(?:theorem|proposition|lemma|corollary|definition)\} ([^\n:`]+?) :label", stored
    )
    for title in statements:
        assert f"({ROLE.sub('', title)}" in offered or "{" in title or "<" in title
    # What is folded stays folded; only what stands beside the sliders of a page is left out.
    folds = "{solution}", "{solution-start}", "{hint}", "{dropdown}"
    beside = stored.count("{explore}") - stored.count(":compact:")
    folded = sum(map(stored.count, folds)) - beside
    continued = offered.count("<summary>Solution, continued</summary>")
    assert offered.count("<summary>") == folded + continued
    assert continued <= stored.count("{solution-start}")


@pytest.mark.book
def test_references_have_the_labels_of_the_list():
    # Two papers of a year are told apart by a letter, which must be the one in the list.
    (calibrating,) = (
        entry.get_text()
        for entry in parsed(HTML / "book" / "references.html").select(".citation")
        if "Calibrating noise to sensitivity" in entry.get_text()
    )
    label = re.search(r"Dwork et al\., 2006[ab]", calibrating)[0]
    page = "notebooks/differential-privacy"
    assert "{cite:p}`dwork2006`" in " ".join(texts(ROOT / f"{page}.ipynb"))
    assert f"({label})" in " ".join(texts(HTML / "_sources" / f"{page}.ipynb"))


def test_nested_marks():
    plain = downloads.Plain({"a": "holds"}, {"x2020": "X and Y, 2020", "z2021": "Z, 2021"})
    source = """(here)=
## A heading

`````{exercise} Why {claim}`it is so <a>`
:label: exercise-why

See {cite:t}`x2020`, {cite:p}`x2020,z2021`, {term}`noise
<Gaussian noise>`, {eq}`one`.

```python
{code} = 1
```
`````

````{solution} exercise-why
:class: dropdown

:::{dropdown} Inside
$$
a = b
$$ (one)
:::
````
"""
    assert (
        plain.text(source, {"one": 1})
        == """## A heading

**Exercise: Why it is so *[holds]***

See X and Y (2020), (X and Y, 2020; Z, 2021), noise, (1).

```python
{code} = 1
```

<details><summary>Solution</summary>

<details><summary>Inside</summary>

$$
a = b
\\tag{1}
$$

</details>

</details>"""
    )
