"""Ten million votes, of which the attacker knows 99 %: the ε of one voter."""

from collections.abc import Callable

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers, seen
from pkdp.figures._palette import BLUE, DASHED, GREEN, INK, PURPLE, line
from pkdp.partial_knowledge import counting
from pkdp.profiles.profile import PrivacyProfile

TITLE = "Ten million votes, 99 % of them known"
ALT = (
    "ε against λ, both axes logarithmic, for 99,999 votes that the attacker does not know. "
    "Three solid curves, for δ = 10⁻⁵, 10⁻¹⁰ and 10⁻¹⁵, fall as λ grows, the middle one from 0.74 "
    "at λ = 0.001 to 0.033 at λ = 0.5; a dot marks ε = 0.057 at λ = 0.1. The dashed closed form "
    "for δ = 10⁻¹⁵ runs 1.2 to 1.6 times higher and stops where it would exceed 1.",
    "ε against δ, both axes logarithmic: for λ = 0.1 ε grows from 0.021 at δ = 10⁻⁴ only to 0.080 "
    "at δ = 10⁻¹⁶, past the dot at δ = 10⁻¹⁰. The curve for λ = 0.01 lies above it, the one for "
    "λ = 0.5 below. The dashed closed form for λ = 0.01 runs 1.4 to 2.4 times higher.",
)

VOTES, KNOWN = 10_000_000, 9_900_000
LAM, DELTA = 0.1, 1e-10  # the worked example
LAMS, DELTAS = (0.01, 0.1, 0.5), (1e-5, 1e-10, 1e-15)
LARGEST = 0.5  # λ at its most uncertain
BOUNDS: dict[str, Callable[..., PrivacyProfile]] = {
    "exact": counting.worst_case,
    "closed form": counting.closed_form,
}
_COLOURS = (PURPLE, BLUE, GREEN)


def data() -> Blocks:
    """Yield ε against λ for a few δ, and against δ for a few λ.

    Yields
    ------
    Table
        Columns ``panel`` (``lambda``, ``delta``, ``example``), ``series`` (``exact``, ``closed
        form``), ``lam``, ``delta`` and ``eps``, which is ``inf`` where the closed form says
        nothing.
    """
    # Closer together where the curves bend.
    lam_grid = LARGEST * (1e-3 / LARGEST) ** np.linspace(1, 0, 16) ** 1.2
    delta_grid = 1e-4 * (1e-16 / 1e-4) ** np.linspace(1, 0, 11) ** 1.6
    for series, bound in BOUNDS.items():
        # One profile serves every δ at its λ.
        across = [bound(VOTES, float(lam), known=KNOWN) for lam in lam_grid]
        for delta in DELTAS:
            eps = [profile.epsilon(delta) for profile in across]
            yield block(panel="lambda", series=series, lam=lam_grid, delta=delta, eps=eps)
        for lam in LAMS:
            profile = bound(VOTES, lam, known=KNOWN)
            eps = [profile.epsilon(float(delta)) for delta in delta_grid]
            yield block(panel="delta", series=series, lam=lam, delta=delta_grid, eps=eps)
        eps = [bound(VOTES, LAM, known=KNOWN).epsilon(DELTA)]
        yield block(panel="example", series=series, lam=LAM, delta=DELTA, eps=eps)


def draw(axes: Panels) -> None:
    """Draw ε against λ on the first panel, against δ on the second."""
    example = axes[0].rows("exact", panel="example")
    titles = ("Uncertain votes hide a voter", "A smaller δ costs little")
    against_lam, against_delta = panels(axes, *titles)
    against_lam.log_x("λ", (1e-3, LARGEST), [1e-3, 1e-2, 1e-1, LARGEST])
    against_delta.log_x("δ", (1e-16, 1e-4), powers(-16, -12, -8, -4))
    exponents = [f"δ = {text}" for text in powers(-15, -10, -5).values()]
    for panel, column, fixed, values, texts, lifts in (
        (against_lam, "lam", "delta", DELTAS[::-1], exponents, (4, -3, 0)),
        (against_delta, "delta", "lam", LAMS, [f"λ = {lam:g}" for lam in LAMS], (0, 0, 0)),
    ):
        panel.log_y("ε", (0.01, 2), [0.01, 0.1, 1])
        for value, colour, text, lift in zip(values, _COLOURS, texts, lifts, strict=True):
            exact = panel.rows_of(column, "eps", "exact", **{fixed: value})
            panel.curve(exact, line(colour, width=1.6))
            panel.end(exact, text, colour, lift)
        # The others would hide among the exact curves.
        closed = seen(panel.rows_of(column, "eps", "closed form", **{fixed: values[0]}))
        panel.curve(closed, line(_COLOURS[0], DASHED, 1.4))
        at = float(np.sqrt(closed["x"][0] * closed["x"][-1]))
        panel.label(closed, "closed form", at, (8, 6), _COLOURS[0])
        panel.plot(example[column], example["eps"], "o", color=INK, markersize=4.5)
        point = example[column][0], example["eps"][0]
        panel.note(f"ε = {point[1]:.3f}", point, (-34, -28), lead=True)
    against_lam.text(LARGEST, 1.4, "solid: exact worst case", ha="right")
