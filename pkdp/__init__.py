"""pkdp: what exact counts and other noiseless answers reveal, when the attacker knows only a part.

A count of 10,000 records is published. To the attacker records are independent, and each has either
value with a probability of at least λ = 0.1. What does the count tell her about yours?

>>> import pkdp
>>> profile = pkdp.counting.worst_case(10_000, lam=0.1)
>>> f"at δ = 1e-9, ε is {profile.epsilon(1e-9):.2f}"
'at δ = 1e-9, ε is 0.18'

The library has these subpackages; each imports only from those before it:

- `pkdp.profiles`: privacy profiles in floats and logarithms (`laws`, `privacy_loss`,
  `accounting`, `closed_forms`, `trade_off`, `exchange`);
- `pkdp.worlds`: worlds small enough to write down, and every definition evaluated on them in exact
  fractions (`mechanisms`, `definitions`, `knowledge`, `enumeration`);
- `pkdp.releases`: what is published, and against whom; engines compute its privacy in floats
  (`pkdp.engines`) or prove bounds in ball arithmetic (`pkdp.certified`);
- `pkdp.partial_knowledge`: differential privacy itself (`background`), related definitions
  (`posteriors`, `simulators`, `normalization`), and the paper's mechanisms, exactly and with bounds
  (`counting`, `dependent_counts`, `dependence`, `thresholding`, `kanonymity`, `suppressed_tables`,
  `noise`, `composition`, `daily_counts`, `daily_profiles`, `post_processing`), and its formulas as
  printed (`published`);
- `pkdp.noiseless`: sums of records that may depend on each other, as Grining and Klonowski look at
  them (`sums`, `noiseless_privacy`, `known_values`, `chains`), bounds where only a part of them is
  known (`privacy_blanket`, `adversaries`, `normal_bounds`), and noise in addition to uncertainty
  (`gaussian_noise`, `parity`, `smoothing`, `synergy`, `release`);
- `pkdp.databases`: releases of several databases, each with or without the target's record, after
  Hartmann, Bindschaedler and West (`experiments`, `hypotheses`, `hypothesis_worlds`,
  `sampling`, `couplings`, `memberships`); their formulas as they are printed are in
  `pkdp.databases.published`;
- `pkdp.practice`: audits of counts of your file (`audit`), and simulated attacks on releases
  (`attack`).

`pkdp.figures` draws every figure of the book: ``python -m pkdp figure 3 --out figure-3.pdf``.
``python -m pkdp audit poll.csv --count vote=Y …`` asks whether a count may be published.
`pkdp.sweep` computes a table of a function over a grid of parameters, on all cores.
`pkdp.exercises` checks answers to the book's exercises, and `pkdp.tables` shows results as tables.
What only one page needs is next to its figure, in `pkdp.figures`.

Invalid values raise ``ValueError``, wrong types ``TypeError``; the message names the argument, the
value and the allowed range. Docstrings say what else is raised.

The modules that pages import most have short names, ``from pkdp import counting``; all others are
imported by their full ones, ``from pkdp.noiseless import synergy``. Modules load when first used.
"""

from __future__ import annotations

import importlib
import pathlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pkdp import exercises as exercises
    from pkdp import figures as figures
    from pkdp import profiles as profiles
    from pkdp import tables as tables
    from pkdp import worlds as worlds
    from pkdp._sweep import sweep as sweep
    from pkdp.databases import experiments as experiments
    from pkdp.databases import hypotheses as hypotheses
    from pkdp.noiseless import noiseless_privacy as noiseless_privacy
    from pkdp.noiseless import sums as sums
    from pkdp.partial_knowledge import background as background
    from pkdp.partial_knowledge import composition as composition
    from pkdp.partial_knowledge import counting as counting
    from pkdp.partial_knowledge import daily_counts as daily_counts
    from pkdp.partial_knowledge import daily_profiles as daily_profiles
    from pkdp.partial_knowledge import kanonymity as kanonymity
    from pkdp.partial_knowledge import noise as noise
    from pkdp.partial_knowledge import published as published
    from pkdp.partial_knowledge import thresholding as thresholding
    from pkdp.practice import attack as attack
    from pkdp.practice import audit as audit
    from pkdp.profiles import accounting as accounting
    from pkdp.profiles import privacy_loss as privacy_loss
    from pkdp.worlds import definitions as definitions
    from pkdp.worlds import mechanisms as mechanisms

__version__ = "0.15.0"

# The modules that have short names, by their subpackages.
_SHORT = {
    "profiles": "accounting privacy_loss",
    "worlds": "definitions mechanisms",
    "partial_knowledge": "background composition counting daily_counts daily_profiles kanonymity "
    "noise published thresholding",
    "noiseless": "noiseless_privacy sums",
    "databases": "experiments hypotheses",
    "practice": "attack audit",
}
_MODULES = {name: f"pkdp.{name}" for name in ("exercises", "figures", "profiles", "tables")}
_MODULES |= {"worlds": "pkdp.worlds", "sweep": "pkdp._sweep"}
for _package, _names in _SHORT.items():
    _MODULES |= {name: f"pkdp.{_package}.{name}" for name in _names.split()}
# What only some pages need, by the names that it had here.
_BESIDE_FIGURES = {
    "beliefs": "partial_knowledge.beliefs",
    "decisions": "partial_knowledge.decisions",
    "families": "noiseless.families",
    "hospital_stays": "databases.stays",
    "microdata": "partial_knowledge.microdata",
    "peers": "reference.peers",
    "plebiscite": "partial_knowledge.plebiscite",
    "timings": "reference.timings",
    "wages": "noiseless.weekly_wages",
}

# Modules that were renamed, by the names that they had here.
_RENAMED = {
    "coins": "noiseless.privacy_blanket",
    "hidden": "databases.hypothesis_worlds",
    "notions": "noiseless.noiseless_privacy",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import a module, or the function `sweep`, when its name is first used."""
    if name in _MODULES:
        module = importlib.import_module(_MODULES[name])
        globals()[name] = module.sweep if name == "sweep" else module
        return globals()[name]
    message = f"module 'pkdp' has no attribute {name!r}"
    full = _full_name(name)
    if full is None:
        raise AttributeError(message)
    package, _, module_name = full.rpartition(".")
    message += f"; use: from {package} import {module_name}"
    # Of an AttributeError, ``from pkdp import …`` would not show the message.
    imported = sys._getframe(1).f_code.co_name == "_handle_fromlist"
    raise (ImportError if imported else AttributeError)(message)


def _full_name(name: str) -> str | None:
    """Return the full name of a module of one of the subpackages, or None."""
    if name in _MODULES:
        return _MODULES[name]
    if name in _BESIDE_FIGURES:
        return f"pkdp.figures.{_BESIDE_FIGURES[name]}"
    if name in _RENAMED:
        return f"pkdp.{_RENAMED[name]}"
    folder = pathlib.Path(__file__).parent
    found = [one for one in _SHORT if (folder / one / f"{name}.py").exists()]
    return f"pkdp.{found[0]}.{name}" if found and not name.startswith("_") else None


def __dir__() -> list[str]:
    """List also the modules that are not loaded yet."""
    return sorted({*globals(), *__all__})
