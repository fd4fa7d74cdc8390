"""What four definitions of privacy compare, on one world and for one mechanism."""

from fractions import Fraction

from pkdp.figures._drawing import Blocks, Panels, block, curves, panels
from pkdp.figures._palette import BLUE, VERMILION
from pkdp.partial_knowledge.simulators import Simulator, best_simulator
from pkdp.worlds.constructors import correlated_pairs
from pkdp.worlds.definitions import cdp_ratio, ibcdp_ratio, np_ratio
from pkdp.worlds.mechanisms import make_randomized_response, output_law, post_process

TITLE = "What four definitions compare"
ALT = (
    "Noiseless privacy compares the law of the number of Yes, 0, 1 or 2, given that the target's "
    "bit is 0, which is 0.47, 0.44, 0.09, with that given that it is 1: 0.09, 0.44, 0.47. The "
    "largest ratio is 5.",
    "Distributional privacy compares the law given 0, again 0.47, 0.44, 0.09, with what a "
    "simulator makes of the other bit: 0.36, 0.52, 0.12. The largest ratio is 1.29.",
    "Causal privacy compares the law given 0 with the law after the target's bit alone is set "
    "to 1: 0.16, 0.56, 0.28. The largest ratio is 3.",
    "The inference-based form compares the probability that the target's bit is 1 after each "
    "number of Yes, which is 0.17, 0.50 and 0.83, with what it would be had the bit been set to "
    "1 before: 0.38, 0.44 and 0.63. The largest ratio is 2.25.",
)
PANEL_SIZE = (3.3, 2.5)

# Two bits that agree three times in four; both are told by randomized response, the Yes counted.
WORLD = correlated_pairs([Fraction(1, 2)], agree=Fraction(3, 4))
MECHANISM = post_process(make_randomized_response(Fraction(1, 2)), sum)
OUTPUTS = (0, 1, 2)

PANELS = {
    "NP": ("Noiseless", "bit 0", "bit 1"),
    "DDP": ("Distributional", "bit 0", "simulated"),
    "CDP": ("Causal", "bit 0", "0 set to 1"),
    "IBCDP": ("Inference", "as it is", "bit set to 1"),
}


def _after(a: int, b: int | None = None) -> dict[int, Fraction]:
    """Return the law of the output given the target's bit, which is then set to `b`."""
    law = dict.fromkeys(OUTPUTS, Fraction(0))
    for (database, _), mass in WORLD.given(lambda database, _: database[0] == a).masses.items():
        answered = database if b is None else (b, *database[1:])
        for output, chance in output_law(MECHANISM, answered).items():
            law[output] += mass * chance
    return law


def _simulated(simulator: Simulator) -> dict[int, Fraction]:
    """Return what the simulator makes of the other bit, given that the target's is 0."""
    same, other, share = simulator.kernel[0,], simulator.kernel[1,], Fraction(1, 4)
    return {k: (3 * same.get(k, 0) + other.get(k, 0)) * share for k in OUTPUTS}


def _belief(*laws: dict[int, Fraction]) -> dict[int, Fraction]:
    """Return the probability that the bit is 1 after each output, from the laws given 0 and 1."""
    zero, one = laws
    return {output: one[output] / (zero[output] + one[output]) for output in OUTPUTS}


def data() -> Blocks:
    """Yield what each definition compares, and the ratio it comes to.

    Yields
    ------
    Table
        Columns ``panel`` (``NP``, ``DDP``, ``CDP``, ``IBCDP``), ``series`` (``first`` and
        ``second``, the two that are compared; ``ratio``, the least e^ε of the definition), ``x``
        the output (0 for the ratio) and ``y`` a probability, or the ratio.
    """
    simulator = best_simulator(WORLD, MECHANISM, target=0)
    is_one, set_to_one = _belief(_after(0), _after(1)), _belief(_after(0, 1), _after(1, 1))
    compared = {
        "NP": (np_ratio(WORLD, MECHANISM), _after(0), _after(1)),
        "DDP": (simulator.ratio, _after(0), _simulated(simulator)),
        "CDP": (cdp_ratio(WORLD, MECHANISM), _after(0), _after(0, 1)),
        "IBCDP": (ibcdp_ratio(WORLD, MECHANISM), is_one, set_to_one),
    }
    for panel, (ratio, *laws) in compared.items():
        first, second = ([float(law[output]) for output in OUTPUTS] for law in laws)
        yield curves(OUTPUTS, {"first": first, "second": second}, panel=panel)
        yield block(panel=panel, series="ratio", x=0, y=float(ratio))


def draw(axes: Panels) -> None:
    """Draw the two things that are compared as pairs of bars, a panel for each definition."""
    panels(axes, *(f"{title} ({name})" for name, (title, *_) in PANELS.items()))
    for panel, (name, (_, first, second)) in zip(axes, PANELS.items(), strict=True):
        for series, shift, color, text, side in (
            ("first", -0.2, BLUE, first, 0.02),
            ("second", 0.2, VERMILION, second, 0.5),
        ):
            bars = panel.rows(series)
            panel.bar(bars["x"] + shift, bars["y"], 0.38, color=color)
            panel.text(side, 0.97, text, color=color, transform=panel.transAxes, va="top")
        (ratio,) = panel.rows("ratio")["y"]
        panel.text(0.98, 0.86, f"$e^ε$ = {ratio:.3g}", transform=panel.transAxes, ha="right")
        panel.x("number of Yes", ticks=OUTPUTS)
        probability = "P[bit is 1]" if name == "IBCDP" else "probability"
        panel.y(probability, (0, 1.2), [0, 0.5, 1], digits=1)
        panel.grid(axis="x", visible=False)
