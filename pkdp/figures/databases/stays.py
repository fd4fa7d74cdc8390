"""Stays in hospital of real people: as a prior, with a cap, and in the worst case."""

import numpy as np

from pkdp.databases import hypotheses
from pkdp.figures._drawing import Panels, panels
from pkdp.figures._palette import BLUE, DASHED, INK, VERMILION, line
from pkdp.figures._tables import Blocks, block, curves
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


def data() -> Blocks:
    """Yield ε against ε, and what a cap drops.

    Yields
    ------
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
    yield curves(EPSILONS, heights, panel="cost")
    yield block(panel="dropped", series="share", x=CAPS.astype(float), y=shares)


def _of_prior(cap: int | None) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return ε of all reports on a patient of the survey, against nobody, over that of one."""
    law = hospital_stays.law(cap=cap, some=True)
    forms = [hypotheses.number_against_none(law, eps) for eps in EPSILONS.tolist()]
    return np.array([max(form.up, form.down) for form in forms]) / EPSILONS


def draw(axes: Panels) -> None:
    """Draw what the reports tell, and what a cap drops."""
    cost, dropped = panels(axes, "All reports together", "What a cap drops")
    cost.log_x("ε of each report", (0.02, 5.0), [0.02, 0.1, 0.5, 1, 5])
    cost.y("ε of all / ε of each", (0, 9), [0, 1, 2, 3, 4, 6, 8])
    worst = line(INK, DASHED, 1.6)
    cost.curve("worst", worst, "worst case", 0.1, (0, 3))
    cost.curve("worst, cap", worst, "worst case, cap 3", 0.1, (0, 3))
    cost.curve("prior", line(BLUE), "prior", 1.6, (-5, 2))
    cost.curve("prior, cap", line(VERMILION), "prior, cap 3", 0.9, (4, -5))
    dropped.x("stays counted of each person", (0.4, 8.6), CAPS.tolist())
    percents = {0: "0", 0.1: "10", 0.2: "20", 0.3: "30", 0.4: "40"}
    dropped.y("stays dropped (%)", (0, 0.4), percents)
    bars = dropped.rows()
    colors = [VERMILION if cap == CAP else BLUE for cap in bars["x"].tolist()]
    dropped.bar(bars["x"], bars["y"], 0.62, color=colors)
    for x, y in zip(bars["x"].tolist(), bars["y"].tolist(), strict=True):
        dropped.note(f"{100 * y:.2g}", (x, y), (0, 2))
