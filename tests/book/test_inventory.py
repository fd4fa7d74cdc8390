"""The inventory of pages and ledger: that it notices what a rewritten page lost, and no more."""

from collections import Counter

import pytest

from tests.book.inventory import blocks, counted, difference, items, now, read, written

PAGE = r"""---
kernelspec: 7
---

# 4.1 A count of 12 records

(the-worst)=
## The worst case

If $n \ge 2$, it is safe, see [Theorem 3](4-1-page.ipynb#thm-3) and $\mathrm{E}[X](1-p)$.

```{prf:theorem} Theorem 3
:label: thm-3
:nonumber:

For all independent records $\delta \ge \tfrac12$ if at most 5 % are known, and if

$$
- x &< \frac{1}{20} \\
y &> 0.
$$
```

The bound loses half. {claim}`claim-half` Of 3 records nothing is told, unless $x > y$.

```{code-cell} ipython3
print(17)
```

```python
18  # if
```

## Another section

There are 8.
"""


NAME = "partial-knowledge/4-1-page"


def inventory(text):
    return counted(blocks(NAME, text))


def test_what_a_page_says_is_found_under_its_anchors():
    found = inventory(PAGE)
    assert {place: {i: found[p, i] for p, i in found if p == place} for place, _ in found} == {
        "partial-knowledge/4-1 text": {"4.1": 1, "12": 1, "8": 1, "there are": 1},
        "the-worst text": {"if": 1, r"$n\ge2$": 1, r"$\mathrm{E}[X](1-p)$": 1},
        "thm-3 statement": {
            "all": 1,
            "independent": 1,
            r"$\delta\ge\frac{1}{2}$": 1,
            "if": 2,
            "at most": 1,
            "5": 1,
            r"$-x<\frac{1}{20}y>0$": 1,
        },
        "claim-half text": {"half": 1, "3": 1, "unless": 1, "$x>y$": 1},
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (r"$\mathrm{E}[X](1-p)$", "that", ["the-worst text", r"  - $\mathrm{E}[X](1-p)$"]),
        ("at most 5", "at most 6", ["thm-3 statement", "  - 5", "  + 6"]),
        (", and if", "", ["thm-3 statement", "  - if"]),
        ("independent records", "records", ["thm-3 statement", "  - independent"]),
        (", unless $x > y$", "", ["claim-half text", "  - $x>y$", "  - unless"]),
        (
            r"{20}",
            r"{10}",
            ["thm-3 statement", r"  - $-x<\frac{1}{20}y>0$", r"  + $-x<\frac{1}{10}y>0$"],
        ),
    ],
)
def test_what_is_lost_is_named(old, new, said):
    assert PAGE.count(old) == 1
    assert difference(inventory(PAGE), inventory(PAGE.replace(old, new))) == said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"\tfrac12", r"\frac{1}{2}"),
        (r"n \ge 2", r"n\geq 2"),
        ("The bound loses half.", "Half of it is lost by the bound."),
        ("print(17)", "print(18)"),
        ("it is safe, see", "see"),
    ],
)
def test_other_words_and_spaces_are_no_difference(old, new):
    assert PAGE.count(old) == 1
    changed = PAGE.replace(old, new).replace("Half of", "half of")
    assert difference(inventory(PAGE), inventory(changed)) == []


def test_what_moves_with_its_anchor_to_another_page_is_no_difference():
    start, theorem, end = PAGE.partition("```{prf:theorem}")
    moved = blocks("partial-knowledge/4-1-more", theorem + end)
    assert difference(inventory(PAGE), counted([*blocks(NAME, start), *moved])) == []


def test_what_moves_to_another_anchor_says_where_it_is():
    moved = PAGE.replace("## Another section\n", "") + "\n(last)=\n## Last\n\nOf $n \\ge 2$.\n"
    said = difference(inventory(PAGE), inventory(moved.replace(r"If $n \ge 2$", "If so", 1)))
    assert r"  - $n\ge2$    now in last text" in said
    assert r"  + $n\ge2$    was in the-worst text" in said


def test_the_ledger_is_listed_too():
    assert now()["thm-3 ledger", r"$\lambda<p_i<1-\lambda$"] == 1
    assert now()["blanket-bound ledger", "independent"] > 1


def test_what_is_written_is_read():
    found = inventory(PAGE)
    assert difference(found, read(written(found))) == []
    assert read(written(found))["thm-3 statement", "if"] == 2


def test_code_citations_and_addresses_say_nothing():
    assert items("`3` {cite}`a-4` <https://x.org/5> [a page](6.md)") == Counter()
