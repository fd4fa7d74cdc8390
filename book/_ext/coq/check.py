"""Have Coq check ``proofs/*.v`` and say what the cited theorems assume: ``make proofs``.

All files are compiled in ``_build/proofs``, a copy. For each theorem that the ledger cites, Coq
then lists the axioms that its proof uses; there must be none. The answer is stored in
``_build/proofs.json`` with digests of the texts, and the check of the claims reads it. Coq is not
asked again until the texts or the ledger change.

A theorem whose hypotheses cannot be satisfied says nothing. A cited theorem ``t`` with a hypothesis
on the family, the knowledge or the mechanism therefore needs a lemma ``t_inhabited`` in
``proofs/inhabited.v``. Coq reads from the theorem whether it needs one and what the lemma must say:
see ``demanding`` and ``satisfiable`` in ``proofs/hypotheses.v``.

Without Coq, a sentence says so, and the check of the claims names the theorems that were not
checked. This is a failure only if ``CI`` is set.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from book._ext.claims import Ledger, load, resting
from book._ext.coq import statements as coq
from pkdp._sources import write_whole

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = (
    "coq libcoq-mathcomp-ssreflect libcoq-mathcomp-algebra libcoq-mathcomp-algebra-tactics "
    "libcoq-mathcomp-zify"
)
MISSING = f"No proof is checked without Coq: on Debian 12, apt-get install {PACKAGES}"
RECORD = Path("_build", "proofs.json")
CLOSED = "Closed under the global context"
_ASKING = "ask_what_they_rest_on"  # the file that does, beside the others
_MARK = "theorem: "


@dataclass(frozen=True)
class Record:
    """What Coq said."""

    texts: Mapping[str, str]  # digests of the files that it compiled, by their names
    # What each cited theorem rests on, by what the ledger calls it; nothing, if all is well.
    # The same for the lemmas that their hypotheses can be satisfied.
    axioms: Mapping[str, Sequence[str]]
    # The cited theorems without such a lemma that need one, and what is wrong.
    unsatisfied: Mapping[str, str]


def cited(ledger: Ledger) -> dict[str, list[str]]:
    """Return the theorems that a ledger cites, and the ids of the entries that do."""
    rests = resting(ledger.entries)
    return {one: names for one, names in rests.items() if coq.is_proof(one)}


def stored(root: Path = ROOT) -> Record | None:
    """Return what Coq said the last time, or None if it was not asked."""
    path = root / RECORD
    said = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    # An earlier version of this file asked for less.
    return Record(**said) if said.keys() == Record.__annotations__.keys() else None


def problems(theorems: Mapping[str, Sequence[str]], record: Record, root: Path = ROOT) -> list[str]:
    """Say which `cited` theorems the compiled files do not prove, and why: a line for each.

    Nothing is said if all are proved, without axioms, from the texts that are there now.
    """
    proofs, now = coq.read(root), coq.texts(root)
    said = [
        f"{coq.FOLDER}/{name} is not what Coq was asked about: make proofs"
        for name in sorted(now.keys() | record.texts.keys())
        if now.get(name) != record.texts.get(name)
    ]
    for theorem, names in theorems.items():
        problem = ""
        try:
            proofs.theorem(theorem)
        except coq.CoqError as error:
            problem = str(error)
        else:
            axioms = [*record.axioms.get(theorem, ()), *record.axioms.get(instance(theorem), ())]
            if theorem not in record.axioms:
                problem = "was not asked about"
            elif axioms:
                problem = f"assumes {', '.join(axioms)}"
            else:
                problem = record.unsatisfied.get(theorem, "")
        if problem:
            said.append(f"{theorem} {problem}: {', '.join(names)} cannot rest on it")
    return said


def check(ledger: Ledger, root: Path = ROOT) -> tuple[str, ...]:
    """Say which theorems that a ledger cites are not proved, as the check of the claims has it.

    Where there is no Coq, nobody could ask it: then they are only named, on stdout.
    """
    theorems, record = cited(ledger), stored(root)
    if not theorems:
        return ()
    if record is not None:
        return tuple(problems(theorems, record, root))
    if shutil.which("coqc"):
        return (f"Coq was not asked about {', '.join(theorems)}: make proofs",)
    print(f"Not checked, without Coq: {', '.join(theorems)}")
    return ()


def compiled(root: Path = ROOT) -> Path:
    """Compile the proofs, those that changed and those that use them, and return the copy's folder.

    Raises subprocess.CalledProcessError if one of them is not accepted.
    """
    folder = root / "_build" / coq.FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted((root / coq.FOLDER).glob("*.v"))
    for path in set(folder.glob("*.v*")) | set(folder.glob("*.glob")):
        if path.with_suffix(".v").name not in {source.name for source in sources}:
            path.unlink()
    for source in sources:
        # An unchanged file keeps its time: it is not compiled again.
        copy = folder / source.name
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            shutil.copyfile(source, copy)
    options = [
        line
        for line in (root / coq.FOLDER / coq.PROJECT).read_text(encoding="utf-8").splitlines()
        if not line.endswith(".v")
    ]
    files = [source.name for source in sources]
    (folder / coq.PROJECT).write_text("\n".join([*options, *files, ""]), encoding="utf-8")
    _run(["coq_makefile", "-f", coq.PROJECT, "-o", "Makefile.coq"], folder)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    _run(["make", "--no-print-directory", "-f", "Makefile.coq", f"-j{cores}"], folder)
    return folder


def asked(theorems: Sequence[str], folder: Path) -> dict[str, list[str]]:
    """Return the axioms that each theorem rests on, as Coq prints them.

    All are asked about at once, which takes Coq a tenth of the time; one by one only if they do not
    all rest on nothing.
    """
    if not theorems:
        return {}
    names = [f"@{_full_name(one)}" for one in theorems]
    together = [f"Definition together := ({', '.join(names)}).", "Print Assumptions together."]
    if _said(theorems, together, folder).strip() == CLOSED:
        return {one: [] for one in theorems}
    lines = []
    for one in theorems:
        lines += [f'Goal True. idtac "{_MARK}{one}". Abort.']
        lines += [f"Print Assumptions {_full_name(one)}."]
    return axioms_in(_said(theorems, lines, folder))


def instance(theorem: str) -> str:
    """Return the lemma that the hypotheses of a theorem can be satisfied.

    Examples
    --------
    >>> instance("proofs/attackers.v::thm_2")
    'proofs/inhabited.v::thm_2_inhabited'
    """
    name = theorem.rpartition("::")[2].rpartition(".")[2]
    return f"{coq.FOLDER}/inhabited.v::{name}_inhabited"


def unsatisfied(theorems: Sequence[str], lemmas: Sequence[str], folder: Path) -> dict[str, str]:
    """Say what is wrong with each theorem whose hypotheses no lemma says that something satisfies.

    `lemmas` are those that are proved, of those that the theorems may need: see `instance`.
    """
    if not theorems:
        return {}
    lines = [f"From {coq.LIBRARY} Require Import hypotheses."]
    for one in theorems:
        name, lemma = f"(@{_full_name(one)})", instance(one)
        lines += [f"Goal ltac:(let T := type of {name} in exact T)."]
        lines += [f'tryif demanding then idtac "demanding {one}" else idtac. Abort.']
        if lemma in lemmas:
            lines += [f"Goal satisfiable {name}. tryif exact (@{_full_name(lemma)})"]
            lines += [f'then idtac "satisfied {one}" else idtac. Abort.']
    said = set(_said([*theorems, *lemmas], lines, folder).splitlines())
    found = {}
    for one in theorems:
        if f"demanding {one}" in said and f"satisfied {one}" not in said:
            lemma = instance(one)
            wrong = f"{lemma} does not say" if lemma in lemmas else f"there is no {lemma} that says"
            found[one] = f"has hypotheses, and {wrong} that something satisfies them"
    return found


def _said(theorems: Sequence[str], lines: Sequence[str], folder: Path) -> str:
    """Return what Coq says to a file that reads those of the theorems."""
    files = sorted({_full_name(one).split(".")[1] for one in theorems})
    required = [f"From {coq.LIBRARY} Require {name}." for name in files]
    (folder / f"{_ASKING}.v").write_text("\n".join([*required, *lines, ""]), encoding="utf-8")
    said = _run(["coqc", "-Q", ".", coq.LIBRARY, f"{_ASKING}.v"], folder)
    for path in folder.glob(f"*{_ASKING}.*"):
        path.unlink()
    return said


def axioms_in(said: str) -> dict[str, list[str]]:
    r"""Return the axioms of each theorem from what Coq printed.

    Examples
    --------
    >>> said = "theorem: a\nClosed under the global context\ntheorem: b\nAxioms:\nlem : forall P,\n"
    >>> axioms_in(said + "  P \\/ ~ P\n")
    {'a': [], 'b': ['lem : forall P, P \\/ ~ P']}
    """
    found = {}
    for part in said.split(_MARK)[1:]:
        theorem, _, rest = part.partition("\n")
        rest = rest.strip()
        lines = re.split(r"\n(?! )", rest)
        found[theorem] = [] if rest == CLOSED else [" ".join(one.split()) for one in lines[1:]]
        if rest != CLOSED and not found[theorem]:
            raise ValueError(f"Coq must say what {theorem} rests on, got {rest!r}")
    return found


def error_in(said: str) -> str:
    r"""Return what Coq complains of, without the warnings before it.

    Examples
    --------
    >>> error_in('File "./a.v", line 1\nWarning: x\nFile "./a.v", line 7\nError: y\nmake: …\n')
    'File "./a.v", line 7\nError: y\nmake: …'
    """
    place = said.rfind('File "', 0, max(said.find("Error"), 0))
    return said[max(place, 0) :].strip()


def _full_name(theorem: str) -> str:
    """Return what Coq calls a theorem.

    Examples
    --------
    >>> _full_name("proofs/divergence.v::hs_convex")
    'pkdp.divergence.hs_convex'
    """
    file, _, name = theorem.partition("::")
    return f"{coq.LIBRARY}.{Path(file).stem}.{name}"


def _run(command: Sequence[str], folder: Path) -> str:
    # A make that called this one has no say here.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    alone.pop("MFLAGS", None)
    ran = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=True)
    return ran.stdout


def prove(ledger: Ledger, root: Path = ROOT) -> Record:
    """Have Coq check all proofs and say what the cited theorems rest on; store what it says."""
    path = root / RECORD
    path.unlink(missing_ok=True)
    texts = coq.texts(root)
    folder = compiled(root)
    known = _proved(cited(ledger), root)  # `problems` names the others
    lemmas = _proved(map(instance, known), root)
    record = Record(texts, asked([*known, *lemmas], folder), unsatisfied(known, lemmas, folder))
    text = json.dumps(asdict(record), indent=1, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())
    return record


def _proved(theorems: Iterable[str], root: Path) -> list[str]:
    """Return those theorems that are there and have a proof."""
    proofs, found = coq.read(root), []
    for theorem in theorems:
        try:
            proofs.theorem(theorem)
        except coq.CoqError:
            continue
        found.append(theorem)
    return found


def is_current(ledger: Ledger, record: Record | None, root: Path = ROOT) -> bool:
    """Return whether there is nothing new to ask."""
    return (
        record is not None
        and record.texts == coq.texts(root)
        and set(cited(ledger)) <= record.axioms.keys()
    )


def main() -> int:
    """Run the command line; the exit status is 1 if a theorem is not proved."""
    try:
        ledger = load(ROOT / "claims")
        record = stored()
        if not is_current(ledger, record):
            if shutil.which("coqc") is None:
                (ROOT / RECORD).unlink(missing_ok=True)
                print(MISSING, file=sys.stderr)
                return int(os.environ.get("CI", "").lower() in ("true", "1"))
            record = prove(ledger)
        assert record is not None
        found = problems(cited(ledger), record)
    except ValueError as error:
        found = [str(error)]
    except subprocess.CalledProcessError as error:
        found = [error_in(error.stderr), f"{coq.FOLDER}/: not everything is proved"]
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
