"""Notes on files that contradict the assumptions of an audit, and none on files that do not."""

import random
import re

import pytest

from pkdp import audit

RANDOM = random.Random(42)
N = 240


def drawn(*values, n=N):
    return [RANDOM.choice(values) for _ in range(n)]


def notes_on(tmp_path, columns, counts="vote=Y", **options):
    """The notes of an audit of a file of these columns, without the number that is counted."""
    file = tmp_path / "a.csv"
    rows = [tuple(columns), *zip(*columns.values(), strict=True)]
    file.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    usual = {"lam": 0.1, "delta": 1e-3, "assume": "independent", "alternatives": False}
    found = audit.of_file(file, counts, **usual | options)
    assert isinstance(found, audit.Audit)
    assert re.fullmatch(rf"\d+ of {len(rows) - 1} records are counted as .*", found.notes[0])
    return found.notes[1:]


SURVEY = {
    "id": [*range(N)],
    "vote": drawn("Y", "N"),
    "age": drawn(*range(18, 90)),
    "region": drawn("north", "south", "west"),
    "sex": drawn("F", "M"),
}
PEOPLE = [k // 3 for k in range(N)]
SHUFFLED = RANDOM.sample(PEOPLE, N)
CELLS = [(region, age, vote) for region in range(4) for age in range(3) for vote in "YNU"]


@pytest.mark.parametrize("options", [{}, {"by": "region"}, {"by": ["region", "sex"]}])
def test_a_file_of_people_has_no_notes(options, tmp_path):
    assert notes_on(tmp_path, SURVEY, **options) == ()


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        # Several rows of one person.
        ({"id": SHUFFLED}, "each of the 80 values of column 'id' is in 3 rows"),
        (
            {"id": RANDOM.sample([*range(N // 2), *range(N // 2)], N)},
            "each of the 120 values of column 'id' is in 2 rows",
        ),
        ({"patient_id": drawn(*range(100))}, "column 'patient_id' has only [0-9]+ values in 240"),
        ({"USUBJID": drawn(*range(100))}, "column 'USUBJID' has only [0-9]+ values in 240"),
        ({"HHID": [k // 3 + k // 4 for k in range(N)]}, "column 'HHID' has only [0-9]+ values in"),
        ({"case_no": [0, *range(N - 1)]}, "column 'case_no' has only 239 values in 240 rows"),
        ({"wave": [1, 2, 3] * 80}, "the rows go through the 3 values of column 'wave' in turns"),
        # Rows that are no persons.
        ({"region": ["Total", *SURVEY["region"][1:]]}, "'region' has 'Total' in 1 record: a row"),
        ({"sex": ["both sexes"] * 2 + SURVEY["sex"][2:]}, "'sex' has 'both sexes' in 2 records"),
        ({"region": [*SURVEY["region"][1:], "Source: ONS"]}, "'region' has 'Source: ONS': a note"),
        (
            {name: [name, *values[1:]] for name, values in SURVEY.items()},
            "each column has its own name among its values",
        ),
        # Values that are spelled in several ways.
        ({"vote": ["Y ", "y", *SURVEY["vote"][2:]]}, "2 more records have '(Y |y)', '(Y |y)' in"),
        ({"region": ["North", *SURVEY["region"][1:]]}, None),
        ({"vote": ["999", *SURVEY["vote"][1:]]}, "column 'vote' has '999' in 1 record: if that"),
    ],
)
def test_each_sign_is_noted(columns, words, tmp_path):
    found = notes_on(tmp_path, SURVEY | columns)
    if words is None:
        assert found == ()
    else:
        (note,) = found
        assert re.search(words, note)


def test_a_group_that_is_spelled_in_two_ways_is_noted(tmp_path):
    columns = SURVEY | {"region": ["North"] * 40 + SURVEY["region"][40:]}
    (note,) = notes_on(tmp_path, columns, by="region", lam=0.01, known=0)
    assert note.startswith("column 'region' has 'north', 'North', which are different values here")


def test_numbers_in_other_forms_are_counted_alike(tmp_path):
    columns = SURVEY | {"age": drawn("4", "04", "4.0", "5")}
    (note,) = notes_on(tmp_path, columns, "age=4")
    assert note.startswith("as age=4 these are counted alike: ")


def test_the_same_people_in_every_group_are_refused_or_noted(tmp_path):
    # Not everybody answered every question.
    rows = [(person, item) for person in range(100) for item in range(6)]
    rows = RANDOM.sample(rows, 500)
    columns = {
        "vote": drawn("Y", "N", n=500),
        "code": [person for person, _ in rows],
        "item": [item for _, item in rows],
    }
    (note,) = notes_on(tmp_path, columns, by="item")
    assert note.startswith("the 100 values of column 'code' are in several groups, and in none tw")
    assert notes_on(tmp_path, columns, household="code", lam=0.3, delta=0.5) == ()
    # What is called like an identifier is one.
    file = tmp_path / "b.csv"
    file.write_text((tmp_path / "a.csv").read_text().replace("code", "pupil", 1))
    options = {"by": "item", "lam": 0.1, "delta": 1e-3, "assume": "independent"}
    refused = audit.of_file(file, "vote=Y", **options)
    assert not refused.passes
    assert refused.missing[0].startswith("Groups must be of different people, but each value of co")
    assert "pupil" in refused.missing[0]
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(refused)


def test_groups_that_look_like_times_are_noted(tmp_path):
    columns = SURVEY | {"week": drawn(46, 47)}
    (note,) = notes_on(tmp_path, columns, by="week")
    assert note.startswith("groups by 'week' look like times")


def test_a_percentage_of_known_records_is_no_number_of_them(tmp_path):
    (note,) = notes_on(tmp_path, SURVEY, known=33)
    assert note.endswith("33 % of them are --known 0.33")


def test_a_table_of_frequencies_is_noted(tmp_path):
    regions, ages, votes = zip(*CELLS, strict=True)
    columns = {"region": regions, "age": ages, "vote": votes, "n": drawn(*range(90), n=36)}
    (note,) = notes_on(tmp_path, columns)
    assert note.startswith("no two rows agree in all columns but 'n', of whole numbers")


@pytest.mark.parametrize("rows", [36, 30])
def test_a_table_of_cases_and_others_is_noted(rows, tmp_path):
    # As in a study of a disease, by age, alcohol and tobacco: rows are numbered, some are left out.
    cells = [(age, drink, smoke) for age in "abc" for drink in "wxyz" for smoke in "123"][:rows]
    ages, drinks, smokes = zip(*cells, strict=True)
    columns = {"": [*range(1, rows + 1)], "vote": ages, "drinks": drinks, "smokes": smokes}
    columns |= {"ncases": drawn(*range(6), n=rows), "ncontrols": drawn(*range(40), n=rows)}
    (note,) = notes_on(tmp_path, columns, "vote=a")
    assert "all columns but 'ncontrols', 'ncases', of whole numbers: this seems a table of" in note
    columns["ncontrols"] = [k + 0.5 for k in columns["ncontrols"]]
    assert not any("frequencies" in note for note in notes_on(tmp_path, columns, "vote=a"))


def test_a_file_that_was_appended_to_itself_is_noted(tmp_path):
    columns = {name: [*values, *values] for name, values in SURVEY.items() if name != "id"}
    (note,) = notes_on(tmp_path, columns)
    assert note.startswith("the last 240 rows are the first 240 once more")


def test_a_doubtful_lambda_is_noted(tmp_path):
    votes = ["Y"] * 48 + ["N"] * 192
    assert notes_on(tmp_path, SURVEY | {"vote": votes}, lam=0.2) == ()
    share, chance = notes_on(tmp_path, SURVEY | {"vote": votes}, lam=0.33)
    assert share.startswith("--lam 0.33 is above the share of the rarest answer, 48 of 240")
    assert chance.endswith("with a probability of at most 1e-05")


def test_unanimous_groups_are_noted(tmp_path):
    columns = SURVEY | {"vote": [vote if k >= 30 else "N" for k, vote in enumerate(SURVEY["vote"])]}
    columns["region"] = ["east"] * 30 + SURVEY["region"][30:]
    (note,) = notes_on(tmp_path, columns, by="region")
    assert note.startswith("all records are unanimous in 1 of 4 groups: 'east'.")


def test_groups_contradict_a_lambda_together(tmp_path):
    # In each of many groups two of ten: hardly rare, but too rare in all of them for λ = 0.45.
    votes = (["Y"] * 2 + ["N"] * 8) * 200
    file = tmp_path / "a.csv"
    groups = [f"g{k // 10}" for k in range(2000)]
    file.write_text("vote,by\n" + "".join(f"{v},{g}\n" for v, g in zip(votes, groups, strict=True)))
    found = audit.of_file(file, "vote=Y", by="by", lam=0.45, assume="independent")
    assert isinstance(found, audit.Refusal)
    assert "one value is too rare in the groups taken together" in found.missing[0]


def test_a_model_that_nobody_would_believe_is_refused(tmp_path):
    # The column tells the answer in each half of the file, and its opposite in the other one.
    upper = [k * 2_654_435_761 % 2**32 >= 2**31 for k in range(N)]
    said = drawn(True, False)
    votes = [
        (a if RANDOM.random() < 0.8 else not a) != half for a, half in zip(said, upper, strict=True)
    ]
    columns = {"vote": [int(vote) for vote in votes], "said": [int(a) for a in said]}
    file = tmp_path / "a.csv"
    file.write_text(
        "vote,said\n" + "".join(f"{v},{s}\n" for v, s in zip(*columns.values(), strict=True))
    )
    found = audit.of_file(file, "vote", model="said", assume="independent")
    assert isinstance(found, audit.Refusal)
    assert "is above that of the share of all" in found.missing[0]


def test_notes_are_for_the_owner_only(tmp_path):
    secret = "Y\N{NO-BREAK SPACE}"
    columns = SURVEY | {"vote": [secret, *SURVEY["vote"][1:]]}
    file = tmp_path / "a.csv"
    rows = [tuple(columns), *zip(*columns.values(), strict=True)]
    file.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    found = audit.of_file(file, "vote=Y", lam=0.1, by="age", assume="independent")
    assert any(repr(secret) in note for note in found.notes)
    assert r"\\xa0" in audit.as_json(found)
    audit.write_report(found, tmp_path / "r")
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert secret not in page
    assert not any(note in page for note in found.notes)
    # All groups are small: none is named.
    assert page.count("one of fewer than 10") == 10
    assert not re.search(r"<td>(1[89]|[2-8]\d)</td>", page)
