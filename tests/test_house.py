"""The repository: its folders, its papers, its two commands."""

import doctest
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml
from packaging.requirements import Requirement

import pkdp

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
OLDEST = (ROOT / "tests" / "oldest.txt").read_text()
REUSE = tomllib.loads((ROOT / "REUSE.toml").read_text())

TOP_LEVEL = {
    ".ci",
    ".editorconfig",
    ".gitattributes",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "LICENSES",
    "Makefile",
    "README.md",
    "REUSE.toml",
    "_config.yml",
    "_toc.yml",
    "binder",
    "book",
    "claims",
    "environment.yml",
    "notebooks",
    "pkdp",
    "proofs",
    "pyproject.toml",
    "references.bib",
    "requirements.lock",
    "tests",
}


def project_files():
    """Return what is or would be tracked, as paths relative to the root."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git repository: which files belong to the project is unknown")
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).exists())


def targets():
    return set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))


# Rooms


def test_top_level_is_what_is_documented():
    assert {name.split("/")[0] for name in project_files()} == TOP_LEVEL


def test_no_line_names_a_machine_or_a_registry():
    # Put together here, so that this file does not name them.
    folders = "|".join(["home", "root", "work", "opt", "tmp", "Users"])
    registries = "|".join(
        rf"{name}\.{ending}"
        for name, ending in [
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("anaconda", "(?:org|com)"),
            ("npmjs", "(?:org|com)"),
            ("crates", "io"),
            ("debian", "(?:org|net)"),
            ("ubuntu", "com"),
        ]
    )
    pattern = re.compile(rf"(?<![\w.~+/-])/(?:{folders})/|\b(?:{registries})\b")
    found = []
    for name in project_files():
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        lines = enumerate(text.splitlines(), start=1)
        found += [f"{name}:{number}" for number, line in lines if pattern.search(line)]
    assert found == []


# Papers


def test_versions_agree():
    newest = re.search(r"^## (\S+) – (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert PROJECT["version"] == pkdp.__version__ == CITATION["version"] == newest[1]
    assert CITATION["date-released"].isoformat() == newest[2]


def test_citation_is_valid():
    schema = json.loads((ROOT / "tests" / "data" / "cff-1.2.0-schema.json").read_text())
    # YAML reads dates as dates, the schema wants text.
    citation = json.loads(json.dumps(CITATION, default=str))
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(citation)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(schema).validate({**citation, "authors": []})


def patterns(annotation):
    """What an annotation of REUSE.toml names: * stops at a folder, ** does not."""
    named = annotation["path"]
    for path in [named] if isinstance(named, str) else named:
        parts = (re.escape(part).replace(r"\*", "[^/]*") for part in path.split("**"))
        yield re.compile(".*".join(parts))


def licence_of(name):
    for annotation in reversed(REUSE["annotations"]):
        if any(pattern.fullmatch(name) for pattern in patterns(annotation)):
            return annotation["SPDX-License-Identifier"]
    raise AssertionError(f"REUSE.toml must say under what licence {name} is")


def test_licence_files_cover_code_and_prose():
    text = (ROOT / "LICENSE").read_text()
    assert PROJECT["license"] in CITATION["license"]
    assert "BSD 3-Clause License" in text
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in text


@pytest.mark.parametrize(
    ("name", "licence"),
    [
        ("pkdp/profiles/laws.py", "BSD-3-Clause"),
        ("tests/data/cff-1.2.0-schema.json", "Apache-2.0"),
        ("tests/data/published_points.csv", "CC-BY-4.0"),
        ("book/partial-knowledge/4-1-counting-queries.md", "CC-BY-4.0 AND BSD-3-Clause"),
        ("notebooks/index.ipynb", "CC-BY-4.0 AND BSD-3-Clause"),
        ("pkdp/figures/partial_knowledge/tables/3.csv", "CC-BY-4.0"),
        ("claims/partial-knowledge/4-2.yml", "CC-BY-4.0"),
        ("proofs/divergence.v", "BSD-3-Clause"),
        ("README.md", "CC-BY-4.0"),
    ],
)
def test_every_file_has_the_licence_that_is_said_of_it(name, licence):
    assert name in project_files()
    assert licence_of(name) == licence


def test_the_text_of_every_licence_is_there_and_no_other():
    named = {part for name in project_files() for part in licence_of(name).split(" AND ")}
    assert named == {path.stem for path in (ROOT / "LICENSES").iterdir()}
    for annotation in REUSE["annotations"]:
        for pattern in patterns(annotation):
            assert any(map(pattern.fullmatch, project_files())), pattern


# Dependencies


def plain(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower()


def locked(lock=LOCK):
    return dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, re.MULTILINE))


@pytest.mark.parametrize("lock", [LOCK, OLDEST], ids=["newest", "oldest"])
def test_locks_have_hashes_and_no_address(lock):
    assert "://" not in lock
    entries = re.split(r"^(?=[\w.-]+==)", lock, flags=re.MULTILINE)
    assert [entry.split()[0] for entry in entries if entry and "--hash=sha256:" not in entry] == []


def test_lock_holds_every_dependency_in_a_version_it_allows():
    extras = PROJECT["optional-dependencies"].values()
    for entry in [*PROJECT["dependencies"], *(name for extra in extras for name in extra)]:
        assert Requirement(entry).specifier.contains(locked()[plain(entry)]), entry


def test_oldest_versions_are_the_lower_bounds():
    extras = PROJECT["optional-dependencies"]
    bounded = PROJECT["dependencies"] + [
        entry for name in ("accounting", "certified", "data") for entry in extras[name]
    ]
    bounds = dict(entry.split(">=") for entry in bounded)
    assert {name: locked(OLDEST)[name] for name in bounds} == bounds


def test_build_backend_is_locked():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert {plain(r) for r in pyproject["build-system"]["requires"]} <= set(locked())


def test_environment_agrees_with_project_and_lock():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    (pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    conda = dict(
        entry.partition("=")[::2] for entry in environment["dependencies"] if isinstance(entry, str)
    )
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert conda.pop("python") == oldest
    assert conda.pop("pip") == ""
    assert set(conda) == {plain(requirement) for requirement in PROJECT["dependencies"]}
    for name, version in conda.items():
        assert version
        assert f"{locked()[name]}.".startswith(f"{version}.")
    extras = PROJECT["optional-dependencies"]
    needed = extras["book"] + extras["accounting"] + extras["data"] + extras["build"]
    needed += [name for name in extras["audit"] if name not in extras["data"] + extras["book"]]
    # And what runs the notebooks once more: pytest, with nbval.
    needed += [name for name in extras["test"] if name in ("nbval", "pytest")]
    assert sorted(map(plain, pip)) == sorted(map(plain, needed))
    for entry in pip:
        assert entry == f"{plain(entry)}=={locked()[plain(entry)]}"


def test_binder_reads_the_same_environment():
    # Where there is a folder named binder, Binder looks for its files there only.
    binder = ROOT / "binder"
    assert (binder / "environment.yml").read_bytes() == (ROOT / "environment.yml").read_bytes()
    assert os.access(binder / "postBuild", os.X_OK)
    assert subprocess.run(["bash", "-n", binder / "postBuild"], check=False).returncode == 0


# Commands


def test_readme_names_commands_that_exist():
    assert {"book", "test"} <= set(re.findall(r"\bmake ([a-z]+)", README)) <= targets()
    assert set(re.findall(r"\bmake ([a-z]+)", CONTRIBUTING)) <= targets()


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "proofs/README.md"])
def test_links_to_files_of_the_project_lead_somewhere(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    local = [link for link in links if "://" not in link]
    assert local
    assert [link for link in local if not ((ROOT / name).parent / link).exists()] == []


def test_readme_shows_what_python_answers():
    (shown,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    examples = doctest.DocTestParser().get_doctest(shown, {}, "README", None, 0)
    assert doctest.DocTestRunner().run(examples) == (0, 4)


def test_contributing_draws_the_folders_as_they_are():
    (drawn,) = re.findall(r"```\n(book/.*?)```", CONTRIBUTING, re.DOTALL)
    found, above = set(), ""
    for indent, name in re.findall(r"^( {0,2})([\w./<>]+) +\S", drawn, re.MULTILINE):
        above = above if indent else name
        in_python = above.startswith(("pkdp", "tests"))
        paper = "partial_knowledge" if in_python else "partial-knowledge"
        path = (above + name if indent else name).replace("<paper>", paper)
        assert (ROOT / path).exists(), path
        found.add(path.strip("/"))
    folders = {"book", "notebooks", "claims"}
    assert found >= {f"{folder}/partial-knowledge" for folder in folders} | {"pkdp", "tests"}
    modules = (ROOT / "pkdp").glob("*/__init__.py")
    assert {f"pkdp/{path.parent.name}" for path in modules} <= {
        "/".join(path.split("/")[:2]) for path in found
    }


def test_help_names_every_command():
    run = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(re.findall(r"^make ([a-z]+)", run.stdout, re.MULTILINE)) == targets() - {"help"}


def test_ci_script_is_executable_and_parses():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0


OLD = 'case "$*" in *version_info*) exit 1;; -V) echo Python 3.9.2;; esac'
NO_VENV = 'case "$*" in *ensurepip*) echo "No module named ensurepip" >&2; exit 1;; esac'


@pytest.mark.parametrize(
    ("stub", "sentence"),
    [
        (None, "There is no 'python3' here: install Python 3.11 or newer"),
        (OLD, "'python3' is Python 3.9.2, and Python 3.11 or newer is needed"),
        (NO_VENV, "'python3' lacks its venv module: install it"),
    ],
)
@pytest.mark.parametrize("command", ["book", "test"])
def test_an_unfit_python_gets_one_sentence(tmp_path, stub, sentence, command):
    make = shutil.which("make")
    programs = tmp_path / "bin"
    programs.mkdir()
    for needed in ("find", "sh"):
        (programs / needed).symlink_to(shutil.which(needed))
    if stub is not None:
        (programs / "python3").write_text(f"#!/bin/sh\n{stub}\n")
        (programs / "python3").chmod(0o755)
    house = tmp_path / "house"
    house.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml", "_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, house)
    (house / "references.bib").touch()
    (house / "pkdp").mkdir()
    run = subprocess.run(
        [make, command],
        cwd=house,
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert sentence in line
    assert not (house / ".venv").exists()
