"""pkdp: what exact counts and other noiseless answers reveal, when the attacker knows only a part.

A count of 10,000 records is published. To the attacker records are independent, and each has either
value with a probability of at least λ = 0.1. What does the count tell her about yours?

>>> import pkdp
>>> profile = pkdp.counting.worst_case(10_000, lam=0.1)
>>> f"at δ = 1e-9, ε is {profile.epsilon(1e-9):.2f}"
'at δ = 1e-9, ε is 0.18'

The library has seven rooms, and each builds on those before it only:

- `pkdp.profiles`: privacy profiles in floats and logarithms (`laws`, `privacy_loss`,
  `accounting`, `post_processing`, `trade_off`, `exchange`);
- `pkdp.worlds`: worlds small enough to write down, and every definition evaluated on them in exact
  fractions (`mechanisms`, `definitions`, `knowledge`, `posteriors`, `background`, `simulators`,
  `enumeration`);
- `pkdp.partial_knowledge`: the paper's mechanisms, exactly and with bounds (`counting`,
  `closed_forms`, `dependent_counts`, `thresholding`, `kanonymity`, `noise`, `composition`,
  `daily_counts`, `daily_profiles`), and its formulas as they are printed (`published`);
- `pkdp.noiseless`: sums of records that may depend on each other, as Grining and Klonowski look at
  them (`sums`, `notions`, `known_values`, `chains`), bounds for what is known of them only in part
  (`coins`, `adversaries`, `normal_bounds`), and noise beside uncertainty (`gaussian_noise`,
  `parity`, `smoothing`, `synergy`, `release`);
- `pkdp.databases`: releases of several databases, each of which somebody may be in or not, after
  Hartmann, Bindschaedler and West (`experiments`, `hypotheses`, `hidden`, `sampling`,
  `couplings`, `memberships`); their formulas as they are printed are in `pkdp.databases.published`;
- `pkdp.studies`: what single pages ask of it (`beliefs`, `decisions`, `dependence`, `families`,
  `hospital_stays`, `microdata`, `peers`, `plebiscite`, `suppressed_tables`, `timings`,
  `wages`), and the `tables` in which they show results;
- `pkdp.practice`: may counts of your file be published (`audit`), and attackers who are played
  against releases (`attack`).

`pkdp.figures` draws every figure of the book: ``python -m pkdp figure 3 --out figure-3.pdf``.
``python -m pkdp audit poll.csv --count vote=Y …`` asks whether a count may be published.
`pkdp.sweep` computes a table of a function over a grid of parameters, on all cores.
`pkdp.exercises` checks answers to the book's exercises.

An argument out of range is refused by a ``ValueError``, one of the wrong kind by a ``TypeError``,
which name the argument, what it got and what is allowed; a docstring says what else is raised.

Every module can be had under its own name, ``from pkdp import counting``, and is read when it is
first asked for.
"""

from __future__ import annotations

import importlib
import pathlib
import pkgutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pkdp import exercises as exercises
    from pkdp import figures as figures
    from pkdp import profiles as profiles
    from pkdp import worlds as worlds
    from pkdp._sweep import sweep as sweep
    from pkdp.databases import couplings as couplings
    from pkdp.databases import experiments as experiments
    from pkdp.databases import hidden as hidden
    from pkdp.databases import hypotheses as hypotheses
    from pkdp.databases import memberships as memberships
    from pkdp.databases import sampling as sampling
    from pkdp.noiseless import adversaries as adversaries
    from pkdp.noiseless import chains as chains
    from pkdp.noiseless import coins as coins
    from pkdp.noiseless import gaussian_noise as gaussian_noise
    from pkdp.noiseless import known_values as known_values
    from pkdp.noiseless import normal_bounds as normal_bounds
    from pkdp.noiseless import notions as notions
    from pkdp.noiseless import parity as parity
    from pkdp.noiseless import release as release
    from pkdp.noiseless import smoothing as smoothing
    from pkdp.noiseless import sums as sums
    from pkdp.noiseless import synergy as synergy
    from pkdp.partial_knowledge import composition as composition
    from pkdp.partial_knowledge import counting as counting
    from pkdp.partial_knowledge import daily_counts as daily_counts
    from pkdp.partial_knowledge import daily_profiles as daily_profiles
    from pkdp.partial_knowledge import dependent_counts as dependent_counts
    from pkdp.partial_knowledge import kanonymity as kanonymity
    from pkdp.partial_knowledge import noise as noise
    from pkdp.partial_knowledge import published as published
    from pkdp.partial_knowledge import thresholding as thresholding
    from pkdp.practice import attack as attack
    from pkdp.practice import audit as audit
    from pkdp.profiles import accounting as accounting
    from pkdp.profiles import closed_forms as closed_forms
    from pkdp.profiles import exchange as exchange
    from pkdp.profiles import laws as laws
    from pkdp.profiles import post_processing as post_processing
    from pkdp.profiles import privacy_loss as privacy_loss
    from pkdp.profiles import trade_off as trade_off
    from pkdp.studies import beliefs as beliefs
    from pkdp.studies import decisions as decisions
    from pkdp.studies import dependence as dependence
    from pkdp.studies import families as families
    from pkdp.studies import hospital_stays as hospital_stays
    from pkdp.studies import microdata as microdata
    from pkdp.studies import peers as peers
    from pkdp.studies import plebiscite as plebiscite
    from pkdp.studies import suppressed_tables as suppressed_tables
    from pkdp.studies import tables as tables
    from pkdp.studies import timings as timings
    from pkdp.studies import wages as wages
    from pkdp.worlds import background as background
    from pkdp.worlds import definitions as definitions
    from pkdp.worlds import enumeration as enumeration
    from pkdp.worlds import knowledge as knowledge
    from pkdp.worlds import mechanisms as mechanisms
    from pkdp.worlds import posteriors as posteriors
    from pkdp.worlds import simulators as simulators

__version__ = "0.15.0"

_ROOMS = (
    "profiles",
    "worlds",
    "partial_knowledge",
    "noiseless",
    "databases",
    "studies",
    "practice",
)
# Their rooms offer what is in them, or only other modules ask for it.
_INNER = {
    "additive_noise",
    "constructors",
    "logarithms",
    "normalization",
    "pairs",
    "profile",
    "thresholds",
    "world",
}
_MODULES = {name: f"pkdp.{name}" for name in ("exercises", "figures", "profiles", "worlds")}
for _room in _ROOMS:
    for _module in pkgutil.iter_modules([f"{pathlib.Path(__file__).parent / _room}"]):
        if _module.name not in _INNER and not _module.name.startswith("_"):
            _MODULES.setdefault(_module.name, f"pkdp.{_room}.{_module.name}")

__all__ = ["sweep", *_MODULES]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a module, or the one function that has no room, when its name is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'pkdp' has no attribute {name!r}")
    module = importlib.import_module(_MODULES.get(name, "pkdp._sweep"))
    globals()[name] = module.sweep if name == "sweep" else module
    return globals()[name]


def __dir__() -> list[str]:
    """List the modules, too, that were not asked for yet."""
    return sorted({*globals(), *__all__})
