"""Generalized fractional program for the smallest ratio of a simulator, with exact certificates.

Notation as in `simulators`. Every upper bound is the exact ratio of a simulator in fractions, every
lower bound follows from multipliers in fractions (`Program.root`), and whether any ratio is finite
is decided by counting (`Program.is_finite`). Linear programs in floating point only propose
simulators and multipliers; numpy and scipy are imported for them, where counting alone does not
give the answer.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pkdp.worlds._exact_distributions import normalized, summed
from pkdp.worlds._output_distributions import Ratio, greatest_ratio

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_Key = TypeVar("_Key")

# The distribution of what the simulator reads, and that of what is released: p_c and q_c.
Law: TypeAlias = dict[Any, Fraction]
Condition: TypeAlias = tuple[Law, Law]
# A simulator: the distribution of the output's number for the databases of each number.
Kernel: TypeAlias = list[Law]
# Numbers ≥ 0, not all 0, where q_c(o) > 0: u_co at (c, o, 0), l_co at (c, o, 1); those left out
# are 0.
Multipliers: TypeAlias = Mapping[tuple[int, int, int], Fraction | int]
# What a linear program proposes: ``{(d, o): s(d, o)}``, and multipliers, of which the largest is 1;
# those that are not positive are left out.
Proposal: TypeAlias = tuple[dict[tuple[int, int], float], dict[tuple[int, int, int], float]]

# The relative width that is required of the bounds.
WIDTH = Fraction(1, 10**9)
# Linear programs bring the bounds this close if they can: convergence is fast, and the simplest
# fraction between close bounds is more likely to be the smallest ratio.
_CLOSE = Fraction(1, 10**14)
# A fraction is tried as the smallest ratio if an interval as short as that between the bounds has
# one with such a denominator by chance with at most about this probability.
_CHANCE = Fraction(1, 1000)
# Floats near an exact solution are rounded to fractions with denominators up to this one.
_MOST_DENOMINATOR = 10**6
# A ratio this close to E or 1/E, relatively, is taken as equal.
_NEAR = 1e-9
# The most unknowns of a system of equations that is solved in fractions.
_MOST_UNKNOWNS = 160
# The key of the right side of an equation.
_RIGHT = "right side"
# The most linear programs for one problem, and the most in a row that do not improve the bounds.
_MOST_PROGRAMS, _MOST_FAILURES = 60, 3
# Raised if quotients of probabilities are beyond floats.
_TOO_FAR_APART = (OverflowError, ZeroDivisionError, FloatingPointError)


def simulator_ratio(
    conditions: Iterable[Condition], kernel: Mapping[Any, Law] | Sequence[Law]
) -> Ratio:
    """Compute the exact ratio of a simulator, as the definition reads."""
    return greatest_ratio(
        (x_c.get(o, 0), q_c.get(o, 0))
        for p_c, q_c in conditions
        for x_c in [summed((o, p * s) for d, p in p_c.items() for o, s in kernel[d].items())]
        for o in x_c.keys() | q_c.keys()
    )


class Program:
    """The conditions of one target, with proportional columns merged.

    Databases d and d′ with p_c(d)/p_c(d′) the same for all c are made one: a kernel that mixes the
    two rows in this proportion has the same x_c. Outputs o and o′ with q_c(o)/q_c(o′) the same for
    all c are made one: whatever a simulator does, ``(x_c(o)+x_c(o′))/(q_c(o)+q_c(o′))`` lies
    between the two ratios, and one that splits the merged output in this proportion has the merged
    ratio at both. So the smallest ratio is the same.

    Parameters
    ----------
    conditions : sequence of pairs of mappings
        The distributions p_c and q_c.
    """

    def __init__(self, conditions: Sequence[Condition]) -> None:
        self._databases, self.p = _merged([law for law, _ in conditions])
        self._outputs, self.q = _merged([law for _, law in conditions])
        # What the simulator may output from d: where q_c(o) = 0 and p_c(d) > 0, s(d, o) > 0 would
        # make x_c(o) positive, and the ratio infinite.
        self.allowed = [
            [o for o in range(len(self._outputs)) if all(o in q_c for _, q_c in self.given(d))]
            for d in range(len(self._databases))
        ]

    def given(self, d: int) -> list[tuple[Fraction, Law]]:
        """Return p_c(d) and q_c for the conditions c under which d is possible."""
        return [(p_c[d], q_c) for p_c, q_c in zip(self.p, self.q, strict=True) if d in p_c]

    def is_finite(self) -> bool:
        """Whether some simulator has a finite ratio.

        That is the case iff every d is allowed some output, and every o of every q_c is allowed
        for some d of p_c. *Necessary:* a finite ratio means that x_c and q_c have the same support
        for every c. Then s(d, o) > 0 only for o allowed for d, so that there is one; and
        x_c(o) > 0 needs a d with p_c(d) > 0 and s(d, o) > 0, for which o is allowed.
        *Sufficient:* let s(d, ·) be uniform on what is allowed for d. Then x_c(o) > 0 wherever
        q_c(o) > 0 by the second part, and nowhere else by the definition of "allowed".
        """
        return all(self.allowed) and all(
            any(o in self.allowed[d] for d in p_c)
            for p_c, q_c in zip(self.p, self.q, strict=True)
            for o in q_c
        )

    def ratio(self, kernel: Kernel) -> Ratio:
        """Compute the exact ratio of a simulator: an upper bound."""
        if any(min(row.values()) <= 0 or sum(row.values()) != 1 for row in kernel):
            raise ArithmeticError("a simulator's row is not a law; please report the arguments")
        return simulator_ratio(zip(self.p, self.q, strict=True), kernel)

    def root(self, multipliers: Multipliers, above: Fraction) -> Fraction:
        """Compute the lower bound that multipliers give, exactly.

        For u, l ≥ 0, not all 0, on the pairs (c, o) with q_c(o) > 0, let

            G(E) = Σ_d min_o Σ_c p_c(d)·(u_co - E·l_co) + Σ_co q_c(o)·(l_co - E·u_co),

        with the minimum over the outputs allowed for d. *Every simulator has a ratio of at least
        any E with G(E) ≥ 0.* Proof: let R be the ratio of a simulator s, finite without loss. A
        mean over o is at least the minimum, so, s(d, ·) being a law on what is allowed for d,

            G(E) ≤ Σ_d Σ_o s(d, o) Σ_c p_c(d)·(u_co - E·l_co) + Σ_co q_c(o)·(l_co - E·u_co)
                 = Σ_co u_co·(x_c(o) - E·q_c(o)) + Σ_co l_co·(q_c(o) - E·x_c(o)).

        If E > R, then x ≤ R·q < E·q and q ≤ R·x < E·x for all these (c, o), since neither is 0. So
        the right-hand side is negative, and so is G(E).

        G is a minimum of finitely many affine functions, none of which increases: it is concave and
        piecewise affine, G(0) ≥ 0, and G is not positive at any ratio `above` of a simulator (let E
        fall to R above). So Newton's method from there goes down to the largest root, in finitely
        many steps: each step that is not the last leaves an affine piece for good. Every slope met
        is negative, for a constant piece that is negative somewhere would make G(0) negative.
        """
        numbers = multipliers.values()
        if not numbers or min(numbers) < 0 or max(numbers) == 0:
            raise ArithmeticError("multipliers are not positive; please report the arguments")
        none = Fraction(0)
        lines = [dict.fromkeys(few, (none, none)) for few in self.allowed]
        start, slope = none, none  # the part of G without minimum is start - E·slope
        for (c, o, side), number in multipliers.items():
            u, low = (0, number) if side else (number, 0)
            start, slope = start + self.q[c][o] * low, slope + self.q[c][o] * u
            for d, mass in self.p[c].items():
                if o in lines[d]:
                    value, fall = lines[d][o]
                    lines[d][o] = value + mass * u, fall + mass * low
        E = above
        while True:
            # The least value; of several the steepest, with which the next step is shortest.
            least = [
                min(few.values(), key=lambda line: (line[0] - line[1] * E, -line[1]))
                for few in lines
            ]
            fixed = start + sum(value for value, _ in least)
            falling = slope + sum(fall for _, fall in least)
            if fixed >= falling * E:
                return max(E, Fraction(1))
            E = fixed / falling

    def posterior(self) -> Kernel:
        """Return the simulator that guesses c from d, as if all were as likely, and draws from q_c.

        It draws only what is allowed for d, and leaves none of that out.
        """
        kernel = []
        for d, few in enumerate(self.allowed):
            row = {o: sum(mass * q_c[o] for mass, q_c in self.given(d)) for o in few}
            kernel.append(normalized(row))
        return kernel

    def unmerged(self, kernel: Kernel) -> dict[Any, Law]:
        """Return a kernel for the databases and the outputs as they were before the merger."""
        return {
            database: {
                output: share * part
                for o, share in row.items()
                for output, part in self._outputs[o].items()
            }
            for several, row in zip(self._databases, kernel, strict=True)
            for database in several
        }


def _merged(laws: Sequence[Law]) -> tuple[list[Law], list[Law]]:
    """Merge the items whose probabilities under all distributions are proportional.

    Returns the groups, each with the share of its items, and the distributions of their numbers.
    """
    columns: dict[Any, dict[int, Fraction]] = {}
    for c, law in enumerate(laws):
        for item, mass in law.items():
            columns.setdefault(item, {})[c] = mass
    groups: dict[frozenset[tuple[int, Fraction]], Law] = {}
    for item, column in columns.items():
        direction = frozenset(normalized(column).items())
        groups.setdefault(direction, {})[item] = sum(column.values(), Fraction(0))
    merged: list[Law] = [{} for _ in laws]
    shares = []
    for number, (direction, group) in enumerate(groups.items()):
        shares.append(normalized(group))
        for c, part in direction:
            merged[c][number] = part * sum(group.values())
    return shares, merged


# Linear programs in floating point


class LinearProgram:
    """The linear program of a given E, whose solution violates the inequalities least.

    They are ``x_c(o) ≤ E·q_c(o)·(1 + t)`` and ``x_c(o) ≥ q_c(o)/E·(1 - t)`` with the least t; t ≤ 0
    means a ratio of at most E. To keep the precision of rare outputs, the inequalities are divided
    by E·q_c(o) and q_c(o)/E, and the unknowns are s(d, o)/σ(d, o), with σ(d, o) the geometric mean
    of the smallest and the largest q_c(o) over the conditions of d.
    """

    def __init__(self, program: Program) -> None:
        import numpy as np
        from scipy import sparse

        self._pairs = [(d, o) for d, few in enumerate(program.allowed) for o in few]
        self._rows = [(c, o) for c, q_c in enumerate(program.q) for o in q_c]
        self._q = np.array([float(program.q[c][o]) for c, o in self._rows])
        several = [[float(q_c[o]) for _, q_c in program.given(d)] for d, o in self._pairs]
        self._scale = np.array([math.sqrt(min(q)) * math.sqrt(max(q)) for q in several])
        column_of = {pair: column for column, pair in enumerate(self._pairs)}
        entries = [
            (row, column_of[d, o], float(mass / program.q[c][o]))
            for row, (c, o) in enumerate(self._rows)
            for d, mass in program.p[c].items()
            if (d, o) in column_of
        ]
        rows, columns, values = map(np.array, zip(*entries, strict=True))
        shape = (len(self._rows), len(self._pairs))
        # x_c(o)/q_c(o) for all (c, o), and the sums of the kernel's rows.
        self._ratios: Any = sparse.csc_array(
            (values * self._scale[columns], (rows, columns)), shape
        )
        places = ([d for d, _ in self._pairs], range(len(self._pairs)))
        shape = (len(program.allowed), len(self._pairs) + 1)  # t is in no sum
        self._sums: Any = sparse.csc_array((self._scale, places), shape)
        self._bounds: Any = np.array([[0.0, np.inf]] * len(self._pairs) + [[-np.inf, np.inf]])

    def solve(self, E: float) -> Proposal | None:
        """Solve the linear program of a given E, and its dual; return None if that fails."""
        import numpy as np
        from scipy import sparse
        from scipy.optimize import linprog

        violation = -np.ones((len(self._rows), 1))
        blocks = [[self._ratios * (1.0 / E), violation], [-E * self._ratios, violation]]
        inequalities: Any = sparse.block_array(blocks, format="csc")
        result: Any = linprog(
            np.append(np.zeros(len(self._pairs)), 1.0),
            A_ub=inequalities,
            b_ub=np.repeat([1.0, -1.0], len(self._rows)),
            A_eq=self._sums,
            b_eq=np.ones(self._sums.shape[0]),
            bounds=self._bounds,
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if not result.success:
            return None
        multipliers = -result.ineqlin.marginals / np.concatenate([self._q * E, self._q])
        sides = [(c, o, side) for side in (0, 1) for c, o in self._rows]
        return (
            _positive(self._pairs, self._scale * result.x[:-1]),
            _positive(sides, multipliers / (multipliers.max() or 1.0)),
        )


def _positive(keys: Sequence[_Key], values: npt.NDArray[np.float64]) -> dict[_Key, float]:
    return {key: v for key, v in zip(keys, values.tolist(), strict=True) if v > 0.0}


# The search


class Bounds:
    """The best bounds on the smallest ratio so far, with the kernel of the upper one."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.kernel: Kernel = []
        self.lower: Ratio = math.inf
        self.upper: Ratio = math.inf
        if program.is_finite():
            self.lower = Fraction(1)
            self.offer(program.posterior())

    def are_within(self, width: Fraction) -> bool:
        """Whether the relative width of the bounds is at most this, or both are infinite."""
        return self.upper <= self.lower * (1 + width)

    def offer(self, kernel: Kernel) -> None:
        """Keep a kernel if it is better."""
        ratio = self.program.ratio(kernel)
        if ratio < self.upper:
            self.kernel, self.upper = kernel, ratio

    def press(self, multipliers: Multipliers) -> None:
        """Keep the bound of multipliers if it is better."""
        if any(multipliers.values()):
            self.lower = max(self.lower, self.program.root(multipliers, Fraction(self.upper)))


def search(conditions: Sequence[Condition], least: Ratio) -> Bounds:
    """Enclose the smallest ratio within the width `WIDTH`, or bring the upper bound to `least`."""
    bounds = Bounds(Program(conditions))
    if bounds.upper > max(least, bounds.lower):
        import numpy as np

        # If quotients of probabilities are beyond floats, the bounds stay as they are.
        with contextlib.suppress(*_TOO_FAR_APART), np.errstate(over="raise"):
            _improve(bounds, least)
    if bounds.upper > max(least, bounds.lower * (1 + WIDTH)):
        raise RuntimeError(
            f"the smallest ratio was not enclosed to the relative width {float(WIDTH):.2g}"
        )
    return bounds


def _improve(bounds: Bounds, least: Ratio) -> None:
    """Bring the bounds as close as floating point can, then try to make them equal."""
    linear = LinearProgram(bounds.program)
    failures = 0
    for _ in range(_MOST_PROGRAMS):
        lower, upper = Fraction(bounds.lower), Fraction(bounds.upper)
        E = _simplest_between(lower, upper) if failures == 0 and bounds.are_within(WIDTH) else None
        done = upper <= max(least, lower) or (E is None and bounds.are_within(_CLOSE))
        if done or failures == _MOST_FAILURES:
            break
        middle = math.sqrt(float(lower)) * math.sqrt(float(upper))
        proposal = linear.solve(float(E or (middle if failures else upper)))
        if proposal is not None:
            shares, multipliers = proposal
            if E is not None:
                if vertex := _vertex(bounds.program, shares, E):
                    bounds.offer(vertex)
                bounds.press({key: _simple(number) for key, number in multipliers.items()})
            bounds.offer(
                [
                    normalized({o: Fraction(shares[d, o]) for o in few if (d, o) in shares})
                    for d, few in enumerate(bounds.program.allowed)
                ]
            )
            bounds.press({key: Fraction(number) for key, number in multipliers.items()})
        failures = 0 if bounds.are_within((upper / lower - 1) / 2) else failures + 1


def _simplest_between(lower: Fraction, upper: Fraction) -> Fraction | None:
    """Return the simplest fraction between close bounds, None if there is none.

    If it is the smallest ratio, the vertices of the linear program there are exact solutions.
    """
    most = max(1, math.isqrt(int(_CHANCE / (upper - lower)))) if lower < upper else 1
    E = ((lower + upper) / 2).limit_denominator(most)
    return E if lower <= E <= upper else None


def _simple(value: float) -> Fraction:
    return Fraction(value).limit_denominator(_MOST_DENOMINATOR)


# Exact solutions


def _vertex(
    program: Program, shares: Mapping[tuple[int, int], float], E: Fraction
) -> Kernel | None:
    """Return the kernel of ratio E that is near to one in floating point, None if there is none.

    Where x_c(o) is nearly E·q_c(o) or q_c(o)/E, it is required to be equal, and the shares solve
    these equations.
    """
    system: list[_Equation] = [
        {_RIGHT: Fraction(1), **{(d, o): Fraction(1) for o in few if (d, o) in shares}}
        for d, few in enumerate(program.allowed)
    ]
    for p_c, q_c in zip(program.p, program.q, strict=True):
        for o, q in q_c.items():
            x = {(d, o): p for d, p in p_c.items() if (d, o) in shares}
            ratio = sum(float(p / q) * shares[pair] for pair, p in x.items())
            for bound in {E, 1 / E}:
                if math.isclose(ratio, bound, rel_tol=_NEAR):
                    system.append({_RIGHT: bound * q, **x})
    solution = _solved(system, shares)
    if solution is None or min(solution.values()) < 0:
        return None
    return [
        {o: solution[d, o] for o in few if solution.get((d, o))}
        for d, few in enumerate(program.allowed)
    ]


# From unknowns to coefficients; the right side is that of `_RIGHT`, or 0.
_Equation: TypeAlias = dict[Any, Fraction]


def _solved(system: Iterable[_Equation], near: Mapping[Any, float]) -> dict[Any, Fraction] | None:
    """Solve equations in fractions; return None if there is no solution or the system is large.

    Unknowns that the equations leave free are rounded from `near`.
    """
    if len(near) > _MOST_UNKNOWNS:
        return None
    reduced: dict[Any, _Equation] = {}  # by pivot; an equation has no pivot of one before it
    for equation in system:
        for pivot, by in reduced.items():
            if factor := equation.get(pivot):
                changed = {key: equation.get(key, 0) - factor * value for key, value in by.items()}
                equation = {key: value for key, value in {**equation, **changed}.items() if value}
        unknowns = [key for key in equation if key != _RIGHT]
        if unknowns:
            pivot = max(unknowns, key=lambda key: abs(near[key]))
            reduced[pivot] = {key: value / equation[pivot] for key, value in equation.items()}
        elif equation.get(_RIGHT):
            return None
    solution = {
        key: Fraction(value).limit_denominator(_MOST_DENOMINATOR)
        for key, value in near.items()
        if key not in reduced
    }
    for pivot, equation in reversed(reduced.items()):
        right = equation.pop(_RIGHT, Fraction(0))
        rest = (value * solution[key] for key, value in equation.items() if key != pivot)
        solution[pivot] = right - sum(rest, Fraction(0))
    return solution
