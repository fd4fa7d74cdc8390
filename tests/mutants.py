"""Print the changes of modules that no test of theirs notices: `make mutants`.

mutmut makes them, in a copy below _build/mutants. tests/survivors.md has those that are known.
If it fails "to collect stats", pytest in _build/mutants/mutants says which test fails there, and
TESTS names others.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "_build" / "mutants"
MUTMUT = Path(sys.executable).with_name("mutmut")
# Each mutant has a process forked from one that has run nothing, so that no cache hides it.
SETTINGS = """\
[mutmut]
source_paths = pkdp
also_copy =
  {others}
only_mutate = {module}
do_not_mutate_patterns = raise \\w
process_isolation = forkserver
timeout_multiplier = 5
pytest_add_cli_args =
  -m
  not slow
  -k
  not __mutmut_
pytest_add_cli_args_test_selection =
  {tests}
"""


ENGINES_ARE_TESTED_IN = ("partial_knowledge", "profiles")


def tests_of(module: Path) -> list[Path]:
    """Return the tests of a module's package that name it; if none does, all of them."""
    package = module.parent.relative_to("pkdp")
    # Engines have no tests of their own: those of the papers' functions and of profiles are theirs.
    tested = ENGINES_ARE_TESTED_IN if package.name in ("engines", "certified") else (package,)
    folders = (Path("tests", folder) for folder in (*tested, "studies"))
    files = sorted(file for folder in folders for file in folder.glob("test_*.py"))
    word = re.compile(rf"\b{module.stem}\b")
    same = f"test_{module.stem.strip('_')}"
    named = [file for file in files if file.stem == same or word.search(file.read_text())]
    return named or (files if package.name else [])


def try_mutants(module: Path, only: str, tests: list[str]) -> None:
    """Have mutmut try those mutants of a module whose names match, and print what survives."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    top = {path.name for path in ROOT.glob("[!.]*")} - {"_build"}
    for name in top:
        (FOLDER / name).symlink_to(ROOT / name)
    # A module's examples are tests, too.
    asked = "\n  ".join(map(str, [module, *(tests or tests_of(module))]))
    others = "\n  ".join(top - {"pkdp"})
    settings = SETTINGS.format(module=module, tests=asked, others=others)
    (FOLDER / "setup.cfg").write_text(settings)
    names = ".".join((*module.with_suffix("").parts, only))
    subprocess.run([MUTMUT, "run", names], cwd=FOLDER, check=True)
    outcomes = subprocess.check_output([MUTMUT, "results"], cwd=FOLDER, text=True)
    for name in re.findall(r"(\S+): (?:survived|timeout|no tests)", outcomes):
        subprocess.run([MUTMUT, "show", name], cwd=FOLDER, check=True)


if __name__ == "__main__":
    os.chdir(ROOT)
    for module in sys.argv[1:]:
        try_mutants(Path(module), os.environ["ONLY"], os.environ["TESTS"].split())
