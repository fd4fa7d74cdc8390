"""Architecture of the library: packages import from lower ones only, and none in a circle.

Private modules, whose names start with an underscore, belong to their package, with a few
exceptions.
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
# From the lowest to the highest; modules at the top of the package are the lowest.
PACKAGES = (
    "",
    "profiles",
    "worlds",
    "releases",
    "engines",
    "certified",
    "partial_knowledge",
    "noiseless",
    "databases",
    "practice",
    "figures",
    "exercises",
)
# The command line and the names of the package lead to every package.
ENTRY_POINTS = {"pkdp", "pkdp.__main__"}
# Private modules that other packages import, and which packages.
SHARED_INTERNALS = {
    "pkdp.profiles._equality": {"noiseless", "databases"},
    "pkdp.profiles._fourier": {"engines"},
    "pkdp.profiles._plateaus": {"releases", "partial_knowledge", "databases"},
    "pkdp.worlds._exact_distributions": {"noiseless", "partial_knowledge"},
    "pkdp.worlds._output_distributions": {"partial_knowledge", "noiseless", "databases"},
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
    and name.split(".")[1] in set(PACKAGES[1:-2]) - ENGINES
    and "._" not in name
)
# What only some pages need: modules next to figures that offer more than a drawing, and tables.
BESIDE_FIGURES = sorted(
    name
    for name, path in MODULES.items()
    if name.startswith("pkdp.figures.") and "._" not in name
    if "\n__all__ = " in path.read_text(encoding="utf-8")
)
OFFERING = [*PUBLIC, *BESIDE_FIGURES, "pkdp.tables"]


def level(name):
    """The number of a module's package."""
    parts = name.split(".")
    return PACKAGES.index(parts[1]) if len(parts) > 1 and parts[1] in PACKAGES else 0


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


GRAPH = {name: imported(name) for name in MODULES if name not in ENTRY_POINTS}


@pytest.mark.parametrize("name", sorted(GRAPH))
def test_packages_import_from_lower_ones_only(name):
    assert {other for other in GRAPH[name] if level(other) > level(name)} == set()
    # Not through the names of the package either, which lead to every one.
    assert "pkdp" not in GRAPH[name]


def test_no_import_cycles():
    # Importing a module imports its package first.
    order = list(TopologicalSorter(GRAPH).static_order())
    assert set(order) >= set(GRAPH)


def test_private_modules_are_imported_where_allowed():
    for name, others in GRAPH.items():
        for other in others:
            if level(other) and "._" in other:
                allowed = {PACKAGES[level(other)]} | SHARED_INTERNALS.get(other, set())
                assert PACKAGES[level(name)] in allowed, f"{name} imports {other}"


def test_only_engines_import_engines():
    """Releases, and profiles of them, reach engines by the name of the package alone."""
    for name, others in GRAPH.items():
        inside = name.split(".")[1] in ENGINES
        reached = {other for other in others if other.split(".")[1] in ENGINES}
        assert inside or not reached, f"{name} imports {reached}"


def test_few_modules_at_the_top():
    top = {path.stem for path in PACKAGE.glob("*.py")} - set(PACKAGES)
    assert len(top) <= 8
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(PACKAGES[1:]) - {"releases", "exercises"}


@pytest.mark.parametrize("name", OFFERING)
def test_public_modules_define_all(name):
    module = importlib.import_module(name)
    assert module.__doc__
    if MODULES[name].name != "__init__.py":
        assert sorted(module.__all__) == sorted(set(module.__all__))
        for offered in module.__all__:
            assert hasattr(module, offered)
            assert not offered.startswith("_")


def test_modules_of_pages_have_short_names():
    assert len(pkdp.__all__) == 25
    for name in set(pkdp.__all__) - {"sweep"}:
        assert getattr(pkdp, name) is importlib.import_module(pkdp._full_name(name))
    assert set(pkdp.__all__) <= set(dir(pkdp))


ELSEWHERE = {
    "synergy": "pkdp.noiseless.synergy",
    "closed_forms": "pkdp.profiles.closed_forms",
    **{name: f"pkdp.figures.{path}" for name, path in pkdp._BESIDE_FIGURES.items()},
    **{name: f"pkdp.{path}" for name, path in pkdp._RENAMED.items()},
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_name_that_is_not_short_tells_the_full_one(name):
    where, _, own = ELSEWHERE[name].rpartition(".")
    assert hasattr(importlib.import_module(ELSEWHERE[name]), "__all__")
    told = f"module 'pkdp' has no attribute '{name}'; use: from {where} import {own}"
    with pytest.raises(AttributeError, match=told):
        getattr(pkdp, name)
    with pytest.raises(ImportError, match=told):
        exec(f"from pkdp import {name}")
    assert not hasattr(pkdp, name)


def test_what_is_nowhere_is_no_name():
    with pytest.raises(AttributeError, match=r"^module 'pkdp' has no attribute 'absent'$"):
        pkdp.absent  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'absent'"):
        from pkdp import absent  # noqa: F401


def test_modules_load_lazily():
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
    assert {module.name for module in pkgutil.iter_modules([str(PACKAGE)])} >= set(PACKAGES[1:])
