"""The inventory of pages and ledger: that it notices what a rewritten page lost, and no more."""

import pytest

from tests.book.inventory import blocks, counted, difference

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

{claim}`The bound loses half <claim-half>`. Of 3 records nothing is told, unless $x > y$.

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


def test_what_moves_with_its_anchor_to_another_page_is_no_difference():
    start, theorem, end = PAGE.partition("```{prf:theorem}")
    moved = blocks("partial-knowledge/4-1-more", theorem + end)
    assert difference(inventory(PAGE), counted([*blocks(NAME, start), *moved])) == []
