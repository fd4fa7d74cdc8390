"""The rooms of the library: imports run downwards, none in a circle, every name leads somewhere.

A room may use those below it. Engines, whose names start with an underscore, belong to their room,
but for a few.
"""

import ast
import importlib
import pkgutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pkdp

PACKAGE = Path(pkdp.__file__).parent
# From the ground up; what stands at the top of the package is the ground.
ROOMS = (
    "",
    "profiles",
    "worlds",
    "releases",
    "engines",
    "certified",
    "partial_knowledge",
    "noiseless",
    "databases",
    "studies",
    "practice",
    "figures",
)
# The command line, and the names of the package, lead to every room.
DOORS = {"pkdp", "pkdp.__main__"}
# Engines that are used beyond their room, and where.
GUESTS = {
    "pkdp.profiles._equality": {"noiseless", "databases"},
    "pkdp.profiles._fourier": {"engines"},
    "pkdp.profiles._plateaus": {"worlds", "releases", "partial_knowledge", "databases"},
    "pkdp.worlds._masses": {"noiseless"},
    "pkdp.worlds._released": {"partial_knowledge", "noiseless", "databases"},
}


def modules():
    """The modules of the library by name, and their files."""
    found = {"pkdp": PACKAGE / "__init__.py"}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


MODULES = modules()
# Releases ask them, and nobody else does.
ENGINES = {"engines", "certified"}
PUBLIC = sorted(
    name
    for name in MODULES
    if name.split(".")[1:2]
    and name.split(".")[1] in set(ROOMS[1:-1]) - ENGINES
    and "._" not in name
)


def room(name):
    """The number of a module's room."""
    parts = name.split(".")
    return ROOMS.index(parts[1]) if len(parts) > 1 and parts[1] in ROOMS else 0


def imported(name):
    """The modules of the library that a module imports, wherever in its text."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: imports say in full what they import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else node.module)
    return {module for module in found if module.split(".")[0] == "pkdp"}


GRAPH = {name: imported(name) for name in MODULES if name not in DOORS}


@pytest.mark.parametrize("name", sorted(GRAPH))
def test_imports_run_from_a_higher_room_to_a_lower_one(name):
    assert {other for other in GRAPH[name] if room(other) > room(name)} == set()
    # Not through the names of the package either, which lead to every room.
    assert "pkdp" not in GRAPH[name]


def test_no_imports_run_in_a_circle():
    # A package is its room's front door: who enters a room passes it, and it passes nobody on.
    order = list(TopologicalSorter(GRAPH).static_order())
    assert set(order) >= set(GRAPH)


def test_an_engine_is_used_by_its_own_room_and_where_it_is_a_guest():
    for name, others in GRAPH.items():
        for other in others:
            if room(other) and "._" in other:
                allowed = {ROOMS[room(other)]} | GUESTS.get(other, set())
                assert ROOMS[room(name)] in allowed, f"{name} imports {other}"


def test_only_engines_import_engines():
    """Releases, and profiles of them, reach engines by the name of the package alone."""
    for name, others in GRAPH.items():
        inside = name.split(".")[1] in ENGINES
        reached = {other for other in others if other.split(".")[1] in ENGINES}
        assert inside or not reached, f"{name} imports {reached}"


def test_the_ground_is_small():
    ground = {path.stem for path in PACKAGE.glob("*.py")} - set(ROOMS)
    assert len(ground) <= 8
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(ROOMS[1:]) - {"releases"}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_says_what_it_offers(name):
    module = importlib.import_module(name)
    assert module.__doc__
    if MODULES[name].name != "__init__.py":
        assert sorted(module.__all__) == sorted(set(module.__all__))
        for offered in module.__all__:
            assert hasattr(module, offered)
            assert not offered.startswith("_")


def test_every_public_module_can_be_had_under_its_own_name():
    short = {name.split(".")[-1]: name for name in PUBLIC if name.count(".") == 2}
    # Their rooms offer what is in them, or only other modules ask for it.
    inner = {"additive_noise", "logarithms", "pairs", "profile", "thresholds"}
    inner |= {"constructors", "normalization", "world"}
    others = {"exercises", "profiles", "worlds", "figures", "sweep"}
    assert set(pkdp.__all__) == (set(short) - inner) | others
    for name in set(short) - inner:
        assert getattr(pkdp, name) is importlib.import_module(short[name])
    assert set(pkdp.__all__) <= set(dir(pkdp))
    with pytest.raises(AttributeError, match="module 'pkdp' has no attribute 'absent'"):
        pkdp.absent  # noqa: B018


def test_nothing_is_read_before_it_is_asked_for():
    code = "import pkdp, sys; print([m for m in sys.modules if m.startswith(('pkdp.', 'numpy'))])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
    code = (
        "from pkdp import counting, worlds; import sys; slow = 'scipy.signal', 'scipy.stats', "
        "'matplotlib', 'sympy'; print([module for module in slow if module in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_types_are_shipped():
    assert (PACKAGE / "py.typed").exists()
    assert {module.name for module in pkgutil.iter_modules([str(PACKAGE)])} >= set(ROOMS[1:])
