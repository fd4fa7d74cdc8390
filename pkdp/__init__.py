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
    from pkdp import exercises, figures, profiles, worlds
    from pkdp._sweep import sweep
    from pkdp.databases import couplings, experiments, hidden, hypotheses, memberships, sampling
    from pkdp.noiseless import (
        adversaries,
        chains,
        coins,
        gaussian_noise,
        known_values,
        normal_bounds,
        notions,
        parity,
        release,
        smoothing,
        sums,
        synergy,
    )
    from pkdp.partial_knowledge import (
        closed_forms,
        composition,
        counting,
        daily_counts,
        daily_profiles,
        dependent_counts,
        kanonymity,
        noise,
        published,
        thresholding,
    )
    from pkdp.practice import attack, audit
    from pkdp.profiles import (
        accounting,
        exchange,
        laws,
        post_processing,
        privacy_loss,
        trade_off,
    )
    from pkdp.studies import (
        beliefs,
        decisions,
        dependence,
        families,
        hospital_stays,
        microdata,
        peers,
        plebiscite,
        suppressed_tables,
        tables,
        timings,
        wages,
    )
    from pkdp.worlds import (
        background,
        definitions,
        enumeration,
        knowledge,
        mechanisms,
        posteriors,
        simulators,
    )

__version__ = "0.15.0"

__all__ = [
    "accounting",
    "adversaries",
    "attack",
    "audit",
    "background",
    "beliefs",
    "chains",
    "closed_forms",
    "coins",
    "composition",
    "counting",
    "couplings",
    "daily_counts",
    "daily_profiles",
    "decisions",
    "definitions",
    "dependence",
    "dependent_counts",
    "enumeration",
    "exchange",
    "exercises",
    "experiments",
    "families",
    "figures",
    "gaussian_noise",
    "hidden",
    "hospital_stays",
    "hypotheses",
    "kanonymity",
    "knowledge",
    "known_values",
    "laws",
    "mechanisms",
    "memberships",
    "microdata",
    "noise",
    "normal_bounds",
    "notions",
    "parity",
    "peers",
    "plebiscite",
    "post_processing",
    "posteriors",
    "privacy_loss",
    "profiles",
    "published",
    "release",
    "sampling",
    "simulators",
    "smoothing",
    "sums",
    "suppressed_tables",
    "sweep",
    "synergy",
    "tables",
    "thresholding",
    "timings",
    "trade_off",
    "wages",
    "worlds",
]

_ROOMS = (
    "profiles",
    "worlds",
    "partial_knowledge",
    "noiseless",
    "databases",
    "studies",
    "practice",
)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a module, or the one function that has no room, when its name is first used."""
    if name == "sweep":
        globals()[name] = importlib.import_module("pkdp._sweep").sweep
        return globals()[name]
    if name in __all__:
        # Looked for without reading any other room.
        for room in ("", *_ROOMS):
            folder = pathlib.Path(__file__).parent / room
            if any(module.name == name for module in pkgutil.iter_modules([str(folder)])):
                module = importlib.import_module(".".join(filter(None, ("pkdp", room, name))))
                globals()[name] = module
                return module
    raise AttributeError(f"module 'pkdp' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the modules, too, that were not asked for yet."""
    return sorted({*globals(), *__all__})
