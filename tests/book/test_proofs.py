"""What a machine proved: that it is read rightly, that Coq is asked, and that pages show it."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from book._ext.claims import load
from book._ext.coq import check as coq_check
from book._ext.coq import statements as coq
from book._ext.ledger import entries, evidence
from book._ext.ledger.proofs import negated
from tests.book.built import HTML, IN_CI, ROOT, built
from tests.book.stored import LEDGER

# --------------------------------------------------------------------------------------------
# Reading the files, without Coq
# --------------------------------------------------------------------------------------------

BASE = """(** * A heading *)
Require Import Arith. (* a full stop. *)

Section Axioms.
Variables (few : nat) (many : nat).
Hypothesis enough : few <= many.
Implicit Types (k m : nat) (b : bool).

(** Twice [n]. *)
Definition twice n := n + n.
Notation "x '<=>' y" := (x <= y /\\ y <= x) (at level 70).
Notation alias := twice.

(** An even number, by its half. *)
Record even := Even { half : nat; whole : nat }.

(** What a tactic makes. *)
Definition made : nat.
Proof. exact 3. Defined.

(** Twice [k] is {k + k}; (* even *) "so. there". *)
Lemma twice_is k : twice k = k + k.
Proof. reflexivity. Qed.

Theorem bounded : few <= many + 0.
Proof.
  rewrite Nat.add_0_r. { exact enough. }
Qed.

Corollary same k : k <=> k. Proof. split; apply le_n. Qed.
Lemma by_record (e : even) : half e = half e. Proof. reflexivity. Qed.
Lemma by_tactic : made = 3. Proof. reflexivity. Qed.
Lemma by_alias k : alias k = k + k. Proof. reflexivity. Qed.
Fact a_fact : 1 = 1. Proof. reflexivity. Qed.
End Axioms.
"""
USER = """From pkdp Require Import base.
Lemma four : twice 2 = 4. Proof. reflexivity. Qed.
Module Inner.
Lemma five : twice 2 + 1 = 5. Proof. reflexivity. Qed.
End Inner.
"""
FOUR = "proofs/user.v::four"
NAMES = ("twice_is", "bounded", "same", "by_record", "by_tactic", "by_alias")
ALL = [*(f"proofs/base.v::{name}" for name in NAMES), FOUR, "proofs/user.v::Inner.five"]


@pytest.fixture
def project(tmp_path):
    """A project with two files of proofs, and a ledger that can cite them."""
    for folder in ("proofs", "claims"):
        (tmp_path / folder).mkdir()
    (tmp_path / "proofs" / "_CoqProject").write_text("-Q . pkdp\nbase.v\n")
    (tmp_path / "proofs" / "base.v").write_text(BASE)
    (tmp_path / "proofs" / "user.v").write_text(USER)
    return tmp_path


def cite(root, *theorems):
    told = dict.fromkeys(("title", "source", "where", "version_read", "says"), "a word")
    claims = [
        told | {"id": f"claim-{n}", "status": "holds", "by": "machine", "evidence": [one]}
        for n, one in enumerate(theorems)
    ]
    (root / "claims" / "page.yml").write_text(yaml.safe_dump({"claims": claims}))
    return load(root / "claims")


def digests(root):
    return {name: evidence.digest(name, root) for name in ALL}


def edit(root, old, new, name="base.v"):
    file = root / "proofs" / name
    assert file.read_text().count(old) == 1
    file.write_text(file.read_text().replace(old, new))


def test_a_theorem_has_its_words_its_comment_and_all_hypotheses_of_its_section(project):
    proofs = coq.read(project)
    found = proofs.theorem("proofs/base.v::twice_is")
    assert found.sentence.code == "Lemma twice_is k : twice k = k + k."
    assert found.sentence.doc == 'Twice [k] is {k + k}; (* even *) "so. there".'
    assert found.sentence.line == BASE[: BASE.index("Lemma twice_is")].count("\n") + 1
    variables, hypothesis, letters = found.bound
    assert variables.code == "Variables (few : nat) (many : nat)."
    assert hypothesis.code == "Hypothesis enough : few <= many."
    assert letters.head == ("Implicit", "Types")
    assert [one.name for one in proofs.definitions(found)] == ["twice"]
    # A comment above a section is not about what comes first in it.
    assert proofs.theorem(FOUR).sentence.doc == ""
    assert [one.name for one in proofs.definitions(proofs.theorem(FOUR))] == ["twice"]
    assert proofs.theorem(FOUR).bound == ()


def rests_on(root, name):
    proofs = coq.read(root)
    found = proofs.definitions(proofs.theorem(f"proofs/base.v::{name}"))
    return [one.sentence.plain.partition(":=")[0].strip() for one in found]


def test_what_a_theorem_rests_on_is_found_by_names_signs_fields_and_through_others(project):
    assert rests_on(project, "same") == ["Notation \"x '<=>' y\""]
    assert rests_on(project, "by_record") == ["Record even"]
    assert rests_on(project, "by_alias") == ["Definition twice n", "Notation alias"]
    # What a tactic makes is what its script makes.
    assert rests_on(project, "by_tactic") == ["Definition made : nat. Proof. exact 3. Defined."]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("twice k = k + k.", "twice k = k + k + 0.", {"twice_is"}),
        ("few <= many + 0", "few <= many + 1", {"bounded"}),
        ("Hypothesis enough : few <= many", "Hypothesis enough : few <= S many", set(NAMES)),
        ("Definition twice n := n + n", "Definition twice n := 2 * n", {"twice_is", "by_alias"}),
        ("(x <= y /\\ y <= x)", "(x <= y)", {"same"}),
        ("half : nat;", "half : bool;", {"by_record"}),
        ("exact 3.", "exact 4.", {"by_tactic"}),
        ("alias := twice", "alias := (twice )", {"by_alias"}),
        ("(k m : nat)", "(k m : bool)", {"twice_is", "same", "by_alias"}),
    ],
)
def test_another_statement_or_definition_has_another_digest(project, old, new, changed):
    before = digests(project)
    edit(project, old, new)
    after = digests(project)
    differing = {name for name in ALL if before[name] != after[name]}
    expected = {f"proofs/base.v::{name}" for name in changed}
    if "twice n" in old:
        expected |= {FOUR, "proofs/user.v::Inner.five"}
    assert differing == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(* a full stop. *)", "(* two. (* stops. *) *)"),
        ("Twice [n].", "The double of [n]."),
        ("Theorem bounded : few", "Theorem bounded :\n    few"),
        ("  rewrite Nat.add_0_r. { exact enough. }\n", "  now rewrite Nat.add_0_r.\n"),
        ("Lemma by_tactic", "Lemma another : 1 = 1. Proof. reflexivity. Qed.\nLemma by_tactic"),
    ],
    ids=["comment", "its own comment", "lines", "proof", "another lemma"],
)
def test_what_is_not_said_does_not_count(project, old, new):
    before = digests(project)
    edit(project, old, new)
    assert digests(project) == before


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("proofs/base.v::thrice_is", "is not there"),
        ("proofs/more.v::twice_is", "is not there"),
        ("proofs/base.v::twice", "is no theorem, lemma or corollary, but called Definition"),
        ("proofs/base.v::a_fact", "is no theorem, lemma or corollary, but called Fact"),
    ],
)
def test_what_is_no_theorem_is_no_evidence(project, name, complaint):
    with pytest.raises(evidence.EvidenceError, match=f"^{name} {complaint}$"):
        evidence.digest(name, project)


# --------------------------------------------------------------------------------------------
# What Coq said
# --------------------------------------------------------------------------------------------


def record(root, unsatisfied=(), **axioms):
    said = {name: axioms.get(name.rpartition("::")[2], []) for name in ALL}
    return coq_check.Record(coq.texts(root), said, dict(unsatisfied))


def test_what_was_compiled_as_it_is_and_assumes_nothing_is_proved(project):
    cited = coq_check.cited(cite(project, *ALL))
    assert cited[FOUR] == ["claim-6"]
    assert coq_check.problems(cited, record(project), project) == []


def test_an_axiom_another_text_and_what_was_not_asked_are_problems(project):
    cited = coq_check.cited(cite(project, *ALL))
    (problem,) = coq_check.problems(cited, record(project, four=["lem : False"]), project)
    assert problem == f"{FOUR} assumes lem : False: claim-6 cannot rest on it"
    old = record(project)
    edit(project, "twice 2 = 4", "twice 2 = 5", "user.v")
    (problem,) = coq_check.problems(cited, old, project)
    assert problem == "proofs/user.v is not what Coq was asked about: make proofs"
    (project / "proofs" / "_CoqProject").write_text("-Q . pkdp\n-type-in-type\n")
    assert len(coq_check.problems(cited, old, project)) == 2
    unasked = coq_check.Record(coq.texts(project), {}, {})
    assert f"{FOUR} was not asked about: claim-6 cannot rest on it" in coq_check.problems(
        cited, unasked, project
    )
    gone = coq_check.problems({"proofs/user.v::six": ["claim-6"]}, record(project), project)
    assert gone == ["proofs/user.v::six is not there: claim-6 cannot rest on it"]


def test_hypotheses_that_nothing_satisfies_are_a_problem(project):
    cited = coq_check.cited(cite(project, *ALL))
    (problem,) = coq_check.problems(cited, record(project, {FOUR: "has hypotheses"}), project)
    assert problem == f"{FOUR} has hypotheses: claim-6 cannot rest on it"
    said = record(project)
    axioms = {**said.axioms, "proofs/inhabited.v::four_inhabited": ["lem : False"]}
    assuming = coq_check.Record(said.texts, axioms, {})
    (problem,) = coq_check.problems(cited, assuming, project)
    assert problem == f"{FOUR} assumes lem : False: claim-6 cannot rest on it"


def test_a_record_of_an_earlier_version_is_not_read(project):
    (project / "_build").mkdir()
    (project / coq_check.RECORD).write_text(json.dumps({"texts": {}, "axioms": {}}))
    assert coq_check.stored(project) is None
    said = {"texts": {}, "axioms": {}, "unsatisfied": {}}
    (project / coq_check.RECORD).write_text(json.dumps(said))
    assert coq_check.stored(project) == coq_check.Record({}, {}, {})


def test_the_check_of_the_claims_reads_it_and_without_coq_names_what_is_not_checked(
    project, monkeypatch, capsys
):
    cite(project, FOUR)
    report = project / "junit.xml"
    report.write_text("<testsuite/>")
    command = ["--ledger", str(project / "claims"), "check", str(report)]
    monkeypatch.setattr(coq_check.shutil, "which", lambda name: None)
    assert evidence.main(command) == 0
    assert capsys.readouterr() == (f"Not checked, without Coq: {FOUR}\n", "")
    monkeypatch.setattr(coq_check.shutil, "which", lambda name: "coqc")
    assert evidence.main(command) == 1
    assert capsys.readouterr().err == f"Coq was not asked about {FOUR}: make proofs\n"
    (project / "_build").mkdir()
    for assumed, status in (([], 0), (["lem"], 1)):
        said = {"texts": coq.texts(project), "axioms": {FOUR: assumed}, "unsatisfied": {}}
        (project / coq_check.RECORD).write_text(json.dumps(said))
        assert evidence.main(command) == status
    assert f"{FOUR} assumes lem" in capsys.readouterr().err
    # Another statement has to be read again, beside being proved.
    (project / coq_check.RECORD).write_text(
        json.dumps({"texts": coq.texts(project), "axioms": {FOUR: []}, "unsatisfied": {}})
    )
    evidence.confirm(load(project / "claims"), project / "claims", ["claim-0"], project)
    assert evidence.main(command) == 0
    edit(project, "twice 2 = 4", "twice 2 = 2 + 2", "user.v")
    assert evidence.main(command) == 1
    assert f"{FOUR} is new or changed: read it" in capsys.readouterr().err


# --------------------------------------------------------------------------------------------
# Coq itself, on files that need nothing but what comes with it
# --------------------------------------------------------------------------------------------

HYPOTHESES = """Definition tame (n : nat) := n <= 2.
Ltac demanding := lazymatch goal with
  | |- forall x : ?A, _ => first [lazymatch A with context [tame] => idtac end | intro; demanding]
  end.
Ltac turned T := lazymatch T with
  | forall x : ?A, @?S x => let y := fresh "x" in constr:(exists y : A,
      ltac:(let T' := eval cbv beta in (S y) in let r := turned T' in exact r))
  | _ => constr:(True)
  end.
Notation satisfiable t := ltac:(let T := type of t in let P := turned T in exact P) (only parsing).
"""
TAME = """From Coq Require Import Lia.
From pkdp Require Import hypotheses.
Lemma small n : tame n -> n <= 3. Proof. unfold tame; lia. Qed.
Lemma none n : tame n -> 3 <= n -> n = 7. Proof. unfold tame; lia. Qed.
"""
INSTANCE = "exists 1. unshelve eexists; [repeat constructor | exact I]."
ASSUMED = """Require Import Classical.
Lemma lem P : P \\/ ~ P. Proof. apply classic. Qed.
Lemma gap : 1 = 2. Proof. Admitted.
Lemma by_gap : 2 = 1. Proof. symmetry. exact gap. Qed.
Hypothesis outside : 1 = 2.
Lemma by_outside : 1 = 2. Proof. exact outside. Qed.
"""


@pytest.fixture
def with_coq(project):
    if shutil.which("coqc") is None:
        message = "no Coq here: `make proofs` says what to install"
        handed_on = (ROOT / coq_check.RECORD).is_file()  # from a machine that has it
        pytest.fail(message) if IN_CI and not handed_on else pytest.skip(message)
    (project / "proofs" / "hypotheses.v").write_text(HYPOTHESES)
    return project


@pytest.mark.slow
def test_coq_is_asked_what_theorems_assume(with_coq):
    (with_coq / "proofs" / "assumed.v").write_text(ASSUMED)
    assuming = [f"proofs/assumed.v::{name}" for name in ("by_gap", "by_outside", "gap", "lem")]
    book = cite(with_coq, *ALL, *assuming)
    found = coq_check.prove(book, with_coq)
    assert coq_check.stored(with_coq) == found
    assert coq_check.is_current(book, found, with_coq)
    assert [one for one, axioms in found.axioms.items() if axioms] == assuming
    problems = coq_check.problems(coq_check.cited(book), found, with_coq)
    classic = "Classical_Prop.classic : forall P : Prop, P \\/ ~ P"
    gap, outside = "assumed.gap : 1 = 2", "assumed.outside : 1 = 2"
    for lemma, axiom, problem in zip(assuming, (gap, outside, gap, classic), problems, strict=True):
        assert problem.startswith(f"{lemma} assumes {axiom}")
    # Nothing was written beside the sources.
    names = {path.name for path in (with_coq / "proofs").iterdir()}
    assert names == {"_CoqProject", "base.v", "user.v", "assumed.v", "hypotheses.v"}
    # What is another text is asked again; what was not accepted leaves nothing to rely on.
    edit(with_coq, "twice 2 = 4", "twice 2 = 5", "user.v")
    assert not coq_check.is_current(book, found, with_coq)
    with pytest.raises(subprocess.CalledProcessError) as refused:
        coq_check.prove(book, with_coq)
    assert 'File "./user.v", line 2' in coq_check.error_in(refused.value.stderr)
    assert coq_check.stored(with_coq) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lemma", "complaint"),
    [
        (f"satisfiable (@small). Proof. {INSTANCE} Qed.", ""),
        ("exists n, exists _ : tame n, True. Proof. INSTANCE Qed.", ""),
        ("exists n, tame n. Proof. exists 1. repeat constructor. Qed.", "_inhabited does not say"),
        ("satisfiable (@none). Proof. Admitted.", "_inhabited does not say"),
    ],
    ids=["made by Coq", "in the same words", "less", "another"],
)
def test_a_theorem_with_hypotheses_needs_an_instance(with_coq, lemma, complaint):
    (with_coq / "proofs" / "tame.v").write_text(TAME)
    stated = f"From pkdp Require Import hypotheses tame.\nLemma small_inhabited : {lemma}\n"
    (with_coq / "proofs" / "inhabited.v").write_text(stated.replace("INSTANCE", INSTANCE))
    small, none = "proofs/tame.v::small", "proofs/tame.v::none"
    found = coq_check.prove(cite(with_coq, small, none, FOUR), with_coq)
    reason = found.unsatisfied.pop(none)
    assert reason == (
        "has hypotheses, and there is no proofs/inhabited.v::none_inhabited "
        "that says that something satisfies them"
    )
    assert found.unsatisfied.keys() == ({small} if complaint else set())
    assert complaint in found.unsatisfied.get(small, "")


# --------------------------------------------------------------------------------------------
# This book's proofs
# --------------------------------------------------------------------------------------------


def by_machine(entry):
    correction = getattr(entry, "correction", None)
    return "machine" in (entry.by, correction and correction.by)


PROVED = [entry for entry in LEDGER.entries if entries.machine_proofs(entry)]
_BOX = re.compile(r"^`{3,}\{machine-proof\} (.+)$", re.MULTILINE)


def boxes(page):
    text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
    return [name for names in _BOX.findall(text) for name in names.split()]


def test_instances_are_of_cited_theorems():
    cited = {coq_check.instance(theorem) for theorem in coq_check.cited(LEDGER)}
    proofs = coq.read(ROOT).files["inhabited.v"].declarations
    names = {one.name for one in proofs if one.name.endswith("_inhabited")}
    assert names <= {one.rpartition("::")[2] for one in cited}


def test_what_a_machine_proved_is_shown_on_its_page():
    for entry in LEDGER.entries:
        if by_machine(entry):
            assert boxes(entry.page).count(entry.id) == 1, entry.id


def test_what_is_shown_is_there_and_says_in_english_what_it_is():
    proved = {entry.id: entry for entry in PROVED}
    pages = (path.relative_to(ROOT / "book") for path in (ROOT / "book").rglob("*.md"))
    for page in sorted(path.with_suffix("").as_posix() for path in pages):
        for name in boxes(page):
            assert proved[name].page == page
    for theorem in coq_check.cited(LEDGER):
        assert coq.read(ROOT).theorem(theorem).sentence.doc, theorem


@pytest.mark.book
@pytest.mark.parametrize("page", sorted({entry.page for entry in PROVED}))
def test_a_box_has_the_statement_its_hypotheses_and_the_way_to_the_file(page):
    wanted = [entry for entry in PROVED if entry.page == page and entry.id in boxes(page)]
    article = built(page).find("article")
    shown = [article.find(id=entries.coq_box_of(entry)) for entry in wanted]
    assert all(box.find_parent("details", class_="machine-proof") for box in shown)
    words = {" ".join(box.get_text().split()) for box in shown}
    way = 'a[href*="coq-definitions"]'
    linked = [{link.get_text() for link in box.select(way)} for box in shown]
    for entry in wanted:
        for theorems in entries.machine_proofs(entry).values():
            for theorem in theorems:
                found = coq.read(ROOT).theorem(theorem)
                said = [found.sentence, *(one for one in found.bound if one.head[0] != "Implicit")]
                assert any(all(one.plain in text for one in said) for text in words), theorem
                used = [one for one in coq.read(ROOT).definitions(found) if one.names]
                left = {one.name for one in used} - negated(found)
                assert any(left <= names for names in linked), theorem
    for box in shown:
        files = [link["href"] for link in box.select("a") if link.get_text() == "the file"]
        assert files
        assert all((HTML / "_proofs" / file.rpartition("/")[2]).is_file() for file in files)


@pytest.mark.book
def test_the_ways_of_checking_are_counted():
    for page in ("claims", "checks"):
        rows = [
            [cell.get_text().strip() for cell in row.find_all(["th", "td"])]
            for row in built(page).select("table.claims-methods tr")
        ]
        found = {row[0]: [int(number) for number in row[1:]] for row in rows[1:]}
        assert found.pop("all") == [sum(column) for column in zip(*found.values(), strict=True)]
        machine = found["By a machine-checked proof"]
        assert machine[0] == sum(claim.by == "machine" for claim in LEDGER.claims)
        assert sum(machine) == sum(
            (entry.by == "machine")
            + (getattr(entry, "correction", None) is not None and entry.correction.by == "machine")
            for entry in LEDGER.entries
        )
