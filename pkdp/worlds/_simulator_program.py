"""Generalized fractional program for the smallest ratio of a simulator, with exact certificates.

Notation as in `pkdp.worlds.simulators`. Every upper bound is the exact ratio of a simulator in
fractions, every lower bound follows from multipliers in fractions (`Program.root`), and whether any
ratio is finite is decided by counting (`Program.is_finite`). Linear programs in floating point only
propose simulators and multipliers; numpy and scipy are imported for them, where counting alone does
not give the answer.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

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

# The most linear programs for one problem, and the most in a row that do not improve the bounds.
_MOST_PROGRAMS, _MOST_FAILURES = 60, 3
# Linear programs bring the bounds this close, whatever width is required: convergence is fast, and
# the simplest fraction between close bounds is more likely to be the smallest ratio.
_CLOSE = Fraction(1, 10**14)
# A fraction is tried as the smallest ratio if an interval as short as that between the bounds has
# one with such a denominator by chance with at most about this probability.
_CHANCE = Fraction(1, 1000)
# Kernels from floating point are rounded to multiples of 1/_UNIT.
_UNIT = 2**80
# A kernel that misses an output is mixed with one that misses none, which gets this weight.
_LITTLE = Fraction(1, 2**40)
# Slack and reduced costs below this are taken as 0.
_ZERO = 1e-9
# The most unknowns of a system of equations that is solved in fractions, and the largest
# denominator of those that it leaves free.
_MOST_UNKNOWNS, _DENOMINATORS = 160, 10**6
# The unknown t of a linear program, and the key of the right side of an equation.
_VIOLATION, _RIGHT = "violation", "right side"
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


def relative_width(lower: Ratio, upper: Ratio) -> Fraction:
    """Return ``upper/lower - 1``; 0 where both are infinite."""
    return Fraction(0) if lower == math.inf else Fraction(upper) / Fraction(lower) - 1


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


class Proposal(NamedTuple):
    """The solution of a linear program, and of its dual.

    Attributes
    ----------
    kernel : dict
        ``{(d, o): s(d, o)}``.
    slack : dict
        ``{(c, o, side): slack}`` of the inequalities ``x ≤ E(1+t)q`` (side 0) and ``x ≥ (1-t)q/E``
        (side 1), relative to q·E and q/E.
    multipliers : dict
        u_co at (c, o, 0) and l_co at (c, o, 1).
    costs : dict
        ``{(d, o): reduced cost}``.
    """

    kernel: dict[tuple[int, int], float]
    slack: dict[tuple[int, int, int], float]
    multipliers: dict[tuple[int, int, int], float]
    costs: dict[tuple[int, int], float]


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
        """Solve the linear program of a given E; return None if that fails."""
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
        sides = [(c, o, side) for side in (0, 1) for c, o in self._rows]
        multipliers = -result.ineqlin.marginals / np.concatenate([self._q * E, self._q])
        return Proposal(
            _by_key(self._pairs, self._scale * result.x[:-1]),
            _by_key(sides, result.slack),
            _by_key(sides, multipliers),
            _by_key(self._pairs, result.lower.marginals[:-1]),
        )


def _by_key(keys: Sequence[_Key], values: npt.NDArray[np.float64]) -> dict[_Key, float]:
    return dict(zip(keys, values.tolist(), strict=True))


# The search


class Bounds:
    """The best bounds on the smallest ratio so far, with the kernel of the upper one."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.kernel: Kernel = []
        self.lower: Ratio = math.inf
        self.upper: Ratio = math.inf
        if program.is_finite():
            self.spare = program.posterior()
            self.lower = Fraction(1)
            self.offer(self.spare)

    @property
    def width(self) -> Fraction:
        """Their relative width."""
        return relative_width(self.lower, self.upper)

    def offer(self, kernel: Kernel) -> None:
        """Keep a kernel if it is better."""
        ratio = self.program.ratio(kernel)
        if ratio == math.inf:
            kernel = [
                {o: (1 - _LITTLE) * row.get(o, 0) + _LITTLE * share for o, share in spare.items()}
                for row, spare in zip(kernel, self.spare, strict=True)
            ]
            ratio = self.program.ratio(kernel)
        if ratio < self.upper:
            self.kernel, self.upper = kernel, ratio

    def press(self, multipliers: Multipliers) -> None:
        """Keep the bound of multipliers if it is better."""
        if any(multipliers.values()):
            self.lower = max(self.lower, self.program.root(multipliers, Fraction(self.upper)))


def search(conditions: Sequence[Condition], width: Fraction, least: Ratio) -> Bounds:
    """Enclose the smallest ratio within a relative width, or bring the upper bound to `least`."""
    bounds = Bounds(Program(conditions))
    if bounds.upper > max(least, bounds.lower):
        import numpy as np

        # If quotients of probabilities are beyond floats, the bounds stay as they are.
        with contextlib.suppress(*_TOO_FAR_APART), np.errstate(over="raise"):
            _improve(bounds, width, least)
    if bounds.width > width and bounds.upper > least:
        hint = ": try a larger width" if width < 1 else ""
        raise RuntimeError(
            f"the smallest ratio was not enclosed to the relative width {float(width):.2g}{hint}"
        )
    return bounds


def _improve(bounds: Bounds, width: Fraction, least: Ratio) -> None:
    """Bring the bounds as close as floating point can, then try to make them equal."""
    linear = LinearProgram(bounds.program)
    failures = 0
    for _ in range(_MOST_PROGRAMS):
        if bounds.width <= _CLOSE or bounds.upper <= least or failures == _MOST_FAILURES:
            break
        before = bounds.width
        lower, upper = float(bounds.lower), float(bounds.upper)
        proposal = linear.solve(math.sqrt(lower) * math.sqrt(upper) if failures else upper)
        if proposal is not None:
            bounds.offer(_rounded(bounds.program, proposal.kernel))
            bounds.press({k: Fraction(m) for k, m in proposal.multipliers.items() if m > 0.0})
        failures = 0 if bounds.width < before / 2 else failures + 1
    for _ in range(_MOST_FAILURES):
        E = _simplest_between(bounds)
        if bounds.upper <= max(least, bounds.lower) or (E is None and bounds.width <= width):
            break
        E = E or Fraction(float(bounds.upper))
        proposal = linear.solve(float(E))
        if proposal is not None:
            _solve_exactly(bounds, proposal, E)


def _rounded(program: Program, values: Mapping[tuple[int, int], float]) -> Kernel:
    """Round a kernel in floating point to one in fractions, whose rows sum to 1."""
    kernel = []
    for d, few in enumerate(program.allowed):
        row = {o: max(values[d, o], 0.0) for o in few}
        total = sum(row.values())
        parts = {o: int(share / total * _UNIT) for o, share in row.items()}
        parts[max(parts, key=parts.__getitem__)] += _UNIT - sum(parts.values())
        kernel.append({o: Fraction(part, _UNIT) for o, part in parts.items() if part})
    return kernel


def _simplest_between(bounds: Bounds) -> Fraction | None:
    """Return the simplest fraction between close bounds, None if there is none.

    If it is the smallest ratio, the exact solutions there make both bounds equal to it.
    """
    lower, upper = Fraction(bounds.lower), Fraction(bounds.upper)
    most = max(1, math.isqrt(int(_CHANCE / (upper - lower)))) if lower < upper else 1
    E = ((lower + upper) / 2).limit_denominator(most)
    return E if lower <= E <= upper else None


# Exact solutions


def _solve_exactly(bounds: Bounds, proposal: Proposal, E: Fraction) -> None:
    """Offer and press with exact solutions of the linear program at E and of its dual.

    They are vertices: the inequalities that are nearly equations at the proposal are equations, and
    shares whose reduced costs are not nearly 0 are 0. The multipliers of the equations solve the
    transposed system.
    """
    program = bounds.program
    shares: dict[Any, float] = {
        pair: proposal.kernel[pair] for pair, cost in proposal.costs.items() if abs(cost) <= _ZERO
    }
    system: dict[Any, _Equation] = {d: {_RIGHT: Fraction(1)} for d in range(len(program.allowed))}
    for d, o in shares:
        system[d][d, o] = Fraction(1)
    for (c, o, side), slack in proposal.slack.items():
        if slack <= _ZERO:  # x - E·q·t = E·q, or -E·x - q·t = -q
            sign, bound = (-E, program.q[c][o]) if side else (Fraction(1), E * program.q[c][o])
            row = {(d, o): sign * mass for d, mass in program.p[c].items() if (d, o) in shares}
            right = -bound if side else bound
            system[c, o, side] = {**row, _VIOLATION: -bound, _RIGHT: right}
    solution = _solved(system.values(), {**shares, _VIOLATION: 0.0})
    if solution is not None and all(solution[pair] >= 0 for pair in shares):
        kernel: Kernel = [{} for _ in program.allowed]
        for d, o in shares:
            if solution[d, o]:
                kernel[d][o] = solution[d, o]
        bounds.offer(kernel)
    transposed: dict[Any, _Equation] = {pair: {} for pair in shares}
    transposed[_VIOLATION] = {_RIGHT: Fraction(-1)}
    for row_key, equation in system.items():
        for key in equation.keys() - {_RIGHT}:
            transposed[key][row_key] = equation[key]
    near = {key: proposal.multipliers.get(key, 1.0) for key in system}
    solution = _solved(transposed.values(), near)
    if solution is not None:
        multipliers = {key: solution[key] for key in system if key in proposal.slack}
        if min(multipliers.values()) >= 0:
            bounds.press(multipliers)


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
        key: Fraction(value).limit_denominator(_DENOMINATORS)
        for key, value in near.items()
        if key not in reduced
    }
    for pivot, equation in reversed(reduced.items()):
        right = equation.pop(_RIGHT, Fraction(0))
        rest = (value * solution[key] for key, value in equation.items() if key != pivot)
        solution[pivot] = right - sum(rest, Fraction(0))
    return solution
