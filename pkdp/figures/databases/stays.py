"""Stays in hospital of real people: as a prior, with a cap, and in the worst case."""

import math

import numpy as np
from matplotlib.axes import Axes

from pkdp.databases import hypotheses
from pkdp.figures._drawing import Panels, draw_curve, log_axes, note
from pkdp.figures._palette import BLUE, INK, VERMILION, Style
from pkdp.figures._tables import Table, block, curves, select, stack
from pkdp.studies import hospital_stays

TITLE = "What is told of a patient of some hospitals"
ALT = (
    "The ε of all reports together, divided by the ε of one, against the ε of one from 0.02 to 5, "
    "logarithmic. In the worst case it is 8, the largest number of stays; with a cap 3, and the "
    "cap. For an attacker who believes in the law of the survey it starts near the mean number of "
    "stays of a patient, 1.51, and rises to 1.98 at ε = 0.5, 3.23 at 1 and 6.93 at 5. With the cap "
    "it starts at 1.41 and rises to 1.54 at 0.5, 1.70 at 1 and 2.55 at 5.",
    "The share of 1,304 stays that a cap on the stays of each person drops: 33.7 % for a cap of 1, "
    "13.3 % for 2, 6.4 % for 3, 3.1 % for 4, 1.5 % for 5, 0.7 % for 6, 0.3 % for 7, none for 8.",
)

CAP = 3
EPSILONS = np.geomspace(0.02, 5.0, 41)
CAPS = np.arange(1, 9)

_WORST: Style = {"color": INK, "linestyle": (0, (5, 1.6)), "linewidth": 1.6}
_PRIOR: Style = {"color": BLUE, "linestyle": "-", "linewidth": 1.9}
_CAPPED: Style = {"color": VERMILION, "linestyle": "-", "linewidth": 1.9}


def data() -> Table:
    """Return ε against ε, and what a cap drops.

    Returns
    -------
    Table
        Columns ``panel`` (``cost``, ``dropped``), ``series`` (``worst``, ``worst, cap``,
        ``prior``, ``prior, cap``; ``share``), ``x`` (ε of a report, or the cap) and ``y`` (ε of all
        reports, at δ = 0, divided by that of one; or the share of stays).
    """
    most = len(hospital_stays.table()) - 1
    heights = {
        "worst": np.full(EPSILONS.size, float(most)),
        "worst, cap": np.full(EPSILONS.size, float(CAP)),
        "prior": _of_prior(None),
        "prior, cap": _of_prior(CAP),
    }
    all_stays = int(hospital_stays.numbers().sum())
    shares = [hospital_stays.dropped(cap) / all_stays for cap in CAPS.tolist()]
    return stack(
        curves(EPSILONS, heights, panel="cost"),
        block(panel="dropped", series="share", x=CAPS.astype(float), y=np.array(shares)),
    )


def _of_prior(cap: int | None) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return ε of all reports on a patient of the survey, against nobody, over that of one."""
    law = hospital_stays.law(cap=cap, some=True)
    forms = [hypotheses.number_against_none(law, eps) for eps in EPSILONS.tolist()]
    return np.array([max(form.up, form.down) for form in forms]) / EPSILONS


def draw(axes: Panels, data: Table) -> None:
    """Draw what the reports tell, and what a cap drops."""
    cost, dropped = axes
    _draw_cost(cost, select(data, panel="cost"))
    _draw_dropped(dropped, select(data, panel="dropped"))


def _draw_cost(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(0.02, 5.0))
    panel.set(
        title="All reports together", xlabel="ε of each report", ylabel="ε of all / ε of each",
        ylim=(0, 9),
    )  # fmt: skip
    panel.set_xticks([0.02, 0.1, 0.5, 1, 5], ["0.02", "0.1", "0.5", "1", "5"])
    panel.set_yticks([0, 1, 2, 3, 4, 6, 8])
    draw_curve(panel, select(data, series="worst"), _WORST, "worst case", 0.1, (0, 3))
    draw_curve(panel, select(data, series="worst, cap"), _WORST, "worst case, cap 3", 0.1, (0, 3))
    draw_curve(panel, select(data, series="prior"), _PRIOR, "prior", 1.6, (-5, 2))
    capped = select(data, series="prior, cap")
    draw_curve(panel, capped, _CAPPED, "prior, cap 3", 0.9, (4, -5))


def _draw_dropped(panel: Axes, data: Table) -> None:
    panel.set(
        title="What a cap drops", xlabel="stays counted of each person",
        ylabel="stays dropped (%)", xlim=(0.4, 8.6), ylim=(0, 0.4),
    )  # fmt: skip
    panel.set_xticks(CAPS.tolist())
    panel.set_yticks([0, 0.1, 0.2, 0.3, 0.4], ["0", "10", "20", "30", "40"])
    colors = [VERMILION if math.isclose(cap, CAP) else BLUE for cap in data["x"].tolist()]
    panel.bar(data["x"], data["y"], 0.62, color=colors)
    for x, y in zip(data["x"].tolist(), data["y"].tolist(), strict=True):
        note(panel, f"{100 * y:.2g}", (x, y), (0, 2))
