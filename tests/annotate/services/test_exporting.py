"""Exports of judgments: every one with its status, pseudonyms only, the same bytes twice."""

import csv
import io
import json
from uuid import uuid4

import pytest
from django.core.management import call_command

from annotate.core.judgment_formats import JudgmentColumns
from annotate.models import HandOut, Item, JudgmentComment, Round, Side
from annotate.services import claiming, exporting, judging, seating
from annotate.services.importing import import_judgments
from tests import factories
from tests.annotate.core.files import file

pytestmark = pytest.mark.django_db


def imported(made, *rows):
    import_judgments(
        collection=made,
        stream=file("annotator,query,document,grade", *rows),
        file_name="a.csv",
        columns=JudgmentColumns(),
        name="experts",
    )


@pytest.fixture
def made():
    made = factories.collection(grades=3)
    factories.items(made, Side.QUERY, 2)
    factories.items(made, Side.DOCUMENT, 3)
    return made


def rows_of(made):
    return [json.loads(line) for line in exporting.write_jsonl(made)]


def answer(annotator, hand_out, grade, **fields):
    given = judging.Answer(submission_id=uuid4(), grade=grade, **fields)
    return judging.record_judgment(annotator=annotator, token=hand_out.token, answer=given)


def test_every_judgment_is_a_row_with_what_became_of_it(made):
    imported(made, "a,q0,d0,1", "a,q0,d0,2", "b,q0,d0,0")
    rows = rows_of(made)
    assert [(row["grade"], row["level"], row["status"], row["purpose"]) for row in rows] == [
        (1, "Level 1", "superseded", "import"),
        (0, "Level 0", "counts", "import"),
        (2, "Level 2", "counts", "import"),
    ]
    assert {(row["query"], row["document"], row["round"]) for row in rows if row["status"] == "counts"} == {
        ("q0", "d0", "experts")
    }


def test_undone_changed_and_late_answers_say_so():
    made = factories.collection(grades=3)
    made.levels.filter(grade=1).update(reasons=["blurred", "wrong"])
    round_pairs = factories.pairs(made, 3)
    seating.open_round(
        collection=made,
        kind=Round.Kind.POOL,
        name="pool",
        policy=factories.policy(made),
        pair_ids=[pair.pk for pair in round_pairs],
    )
    annotator = factories.annotator(made)
    claiming.current_batch(annotator=annotator)
    first, second, _ = HandOut.objects.order_by("position")
    answer(annotator, first, 1, reasons=["blurred", "wrong"], active_ms=1200)
    answer(annotator, first, 2)
    answer(annotator, second, 0)
    judging.undo_judgment(annotator=annotator, token=second.token)
    rows = rows_of(made)
    assert [(row["grade"], row["status"], row["why"]) for row in rows] == [
        (1, "superseded", "first"),
        (2, "counts", "first"),
        (0, "undone", "first"),
    ]
    assert (rows[0]["reasons"], rows[0]["active_ms"], rows[0]["round"]) == (["blurred", "wrong"], 1200, "pool")


def test_nobody_is_named(made):
    imported(made, "worker_951,q0,d0,1")
    person = factories.user("canary-name", email="canary@example.org")
    annotator = factories.annotator(made, person)
    judgment = made.judgments.first()
    JudgmentComment.objects.create(judgment=judgment, text="canary-comment")
    text = "".join([*exporting.write_csv(made), *exporting.write_jsonl(made)])
    assert "canary" not in text
    assert "worker_951" not in text
    assert judgment.annotator.pseudonym in text
    assert annotator.pseudonym not in text


def test_the_same_judgments_give_the_same_bytes(made):
    imported(made, *(f"{person},q{q},d{d},1" for person in "abc" for q in range(2) for d in range(3)))
    for export in exporting.EXPORTS.values():
        assert list(export.write(made)) == list(export.write(made))


def test_a_table_is_safe_to_open_in_a_spreadsheet(made):
    Item.objects.filter(collection=made, external_id="d0").update(external_id="=cmd|'/c")
    imported(made, "a,q0,=cmd|'/c,1")
    (row,) = csv.DictReader(io.StringIO("".join(exporting.write_csv(made))))
    assert row["document"] == "'=cmd|'/c"
    assert rows_of(made)[0]["document"] == "=cmd|'/c"


def test_only_the_collections_own_judgments_are_written(made):
    imported(made, "a,q0,d0,1")
    assert rows_of(factories.collection()) == []


def test_one_query_whatever_the_number(made, django_assert_num_queries):
    imported(made, *(f"{person},q{q},d{d},1" for person in "abc" for q in range(2) for d in range(3)))
    with django_assert_num_queries(1):
        assert len(list(exporting.judgment_lines(collection=made))) == 18


def test_the_command_writes_a_file_or_the_standard_output(made, tmp_path, capsys):
    imported(made, "a,q0,d0,1")
    call_command("export_judgments", made.slug)
    call_command("export_judgments", made.slug, out=tmp_path / "out.csv")
    assert capsys.readouterr().out == (tmp_path / "out.csv").read_text()
    assert (tmp_path / "out.csv").read_text().startswith("query,document,annotator,origin,grade,")
