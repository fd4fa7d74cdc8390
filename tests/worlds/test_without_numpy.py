"""Exact worlds run on Python alone: without numpy, scipy, matplotlib and mpmath.

They then start at once, and run where nothing compiled is to be had, such as in a browser.
"""

import subprocess
import sys

ABSENT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numpy", "scipy", "matplotlib", "mpmath"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
WORLDS = """
from fractions import Fraction

from pkdp import background, definitions, experiments, mechanisms
from pkdp.worlds import enumeration, knowledge
from pkdp import tables, worlds
from pkdp.partial_knowledge import simulators
from pkdp.partial_knowledge import posteriors
from pkdp.worlds.mechanisms import parity, total

half, third = Fraction(1, 2), Fraction(1, 3)
couple, three = worlds.copied({0: half, 1: half}, groups=1), worlds.bits([third] * 3)
print(definitions.np_ratio(couple, parity), definitions.cdp_ratio(couple, parity))
print(definitions.np_ratio(three, parity), definitions.ibcdp_ratio(three, parity))
print(definitions.apk_delta(three, total, 2), definitions.ppk_delta(three, total, 2))
print(simulators.ddp_ratio(three, mechanisms.make_constant("nothing")))
print(definitions.dp_ratio(mechanisms.make_randomized_response(half, (0, 1)), (0, 1), 2))
print(mechanisms.geometric_mean((2, 8)), simulators.__all__[0])
print(knowledge.is_reducible(three, parity), posteriors.posterior_ratio(three, parity))
print(len(list(enumeration.partitions([(0,), (1,), (2,)]))), background.response_ratio(half))
print(experiments.__all__[0], tables.of_rows(["n", "mass"], [(1, third), (2, True)]))
"""
# Each of these has something for a page, beside what it draws.
FIGURES = """
from fractions import Fraction

from pkdp import figures
from pkdp.figures.partial_knowledge import example_7, figure_1, inference, lattice
from pkdp.figures.partial_knowledge.example_6 import agrees
from pkdp.worlds.definitions import cdp_ratio

print(cdp_ratio(*inference.attained(Fraction(4))), figures.names()[0])
"""


def output(code):
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert run.stderr == ""
    return run.stdout


def test_worlds_say_the_same_without_numpy():
    alone = output(ABSENT + WORLDS)
    assert alone.count("\n") > 10
    assert alone == output(WORLDS)


def test_what_figures_have_for_pages_needs_no_numpy():
    assert output(ABSENT + FIGURES) == "16 survey\n"
