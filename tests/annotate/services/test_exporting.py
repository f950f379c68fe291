"""Exports of judgments: every one with its status, pseudonyms only, the same bytes twice."""

import csv
import io
import json
from uuid import uuid4

import pyarrow.parquet
import pytest
from django.core.management import call_command

from annotate.core.judgment_files import FORMATS
from annotate.core.judgment_formats import JudgmentColumns
from annotate.models import HandOut, Item, JudgmentComment, Round, Side
from annotate.services import claiming, exporting, judging, seating
from annotate.services.importing import import_judgments
from tests import cast
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
    made = cast.collection(grades=3)
    cast.items(made, Side.QUERY, 2)
    cast.items(made, Side.DOCUMENT, 3)
    return made


def written(made, kind):
    return b"".join(exporting.write(collection=made, kind=kind))


def rows_of(made):
    return [json.loads(line) for line in written(made, "jsonl").splitlines()]


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
    made = cast.collection(grades=3)
    made.levels.filter(grade=1).update(reasons=["blurred", "wrong"])
    round_pairs = cast.pairs(made, 3)
    seating.open_round(
        collection=made,
        kind=Round.Kind.POOL,
        name="pool",
        policy=cast.policy(made),
        pair_ids=[pair.pk for pair in round_pairs],
    )
    annotator = cast.annotator(made)
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


def test_what_the_browser_measured_the_guidelines_and_the_order_of_the_batch_are_in_each_format():
    made = cast.collection(grades=3, grouped=False)
    pair_list = cast.pairs(made, 2)
    seating.open_round(
        collection=made, kind=Round.Kind.POOL, name="pool", policy=cast.policy(made),
        pair_ids=[pair.pk for pair in pair_list],
    )  # fmt: skip
    annotator = cast.annotator(made)
    claiming.current_batch(annotator=annotator)
    first, second = HandOut.objects.order_by("position")
    answer(annotator, first, 1, active_ms=0, played_ms=4100, n_replays=2, n_changes=0)
    version = made.guidelines.create(version=2, markdown="Look twice.", wording=[]).version
    answer(annotator, second, 1, guidelines=version)
    names = ("active_ms", "played_ms", "n_replays", "n_changes", "guidelines", "grouped", "purpose")
    expected = [(0, 4100, 2, 0, 1, False, "label"), (None, None, None, None, 2, False, "label")]
    assert [tuple(row[name] for name in names) for row in rows_of(made)] == expected
    table = pyarrow.parquet.read_table(pyarrow.BufferReader(written(made, "parquet"))).to_pylist()
    assert [tuple(row[name] for name in names) for row in table] == expected
    cells = list(csv.DictReader(io.StringIO(written(made, "csv").decode())))
    assert [tuple(row[name] for name in names) for row in cells] == [
        ("0", "4100", "2", "0", "1", "false", "label"), ("", "", "", "", "2", "false", "label")
    ]  # fmt: skip


def test_nobody_is_named(made):
    imported(made, "worker_951,q0,d0,1")
    person = cast.user("canary-name", email="canary@example.org")
    annotator = cast.annotator(made, person)
    annotator.pseudonym = "canary-pseudonym"  # one as short as "A5" may stand in packed bytes by chance
    annotator.save()
    judgment = made.judgments.first()
    JudgmentComment.objects.create(judgment=judgment, text="canary-comment")
    text = b"".join(written(made, kind) for kind in FORMATS).decode("utf-8", "replace")
    assert "canary" not in text
    assert "worker_951" not in text
    assert judgment.annotator.pseudonym in text
    assert annotator.pseudonym not in text


def test_the_same_judgments_give_the_same_bytes(made):
    imported(made, *(f"{person},q{q},d{d},1" for person in "abc" for q in range(2) for d in range(3)))
    for kind in FORMATS:
        assert written(made, kind) == written(made, kind)


def test_a_table_is_safe_to_open_in_a_spreadsheet(made):
    Item.objects.filter(collection=made, external_id="d0").update(external_id="=cmd|'/c")
    imported(made, "a,q0,=cmd|'/c,1")
    (row,) = csv.DictReader(io.StringIO(written(made, "csv").decode()))
    assert row["document"] == "'=cmd|'/c"
    assert rows_of(made)[0]["document"] == "=cmd|'/c"


def test_only_the_collections_own_judgments_are_written(made):
    imported(made, "a,q0,d0,1")
    assert rows_of(cast.collection()) == []


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


def test_parquet_holds_the_same_rows_with_types_and_says_nothing_of_when_it_was_made(made):
    imported(made, "a,q0,d0,1", "b,q0,d0,2", "b,q1,d2,0")
    table = pyarrow.parquet.read_table(pyarrow.BufferReader(written(made, "parquet")))
    rows = table.to_pylist()
    for row in rows:
        row["at"] = row["at"] and row["at"].strftime("%Y-%m-%dT%H:%M:%S.") + f"{row['at'].microsecond // 1000:03}Z"
    assert rows == rows_of(made) and len(rows) == 3
    assert (str(table.schema.field("at").type), str(table.schema.field("reasons").type)) == (
        "timestamp[ms, tz=UTC]",
        "list<element: string>",
    )
    assert not table.schema.metadata


@pytest.mark.parametrize("start", list("=+-@"))
def test_no_cell_of_a_table_begins_like_a_formula(made, start):
    Item.objects.filter(collection=made, external_id="d0").update(external_id=f"{start}1+1")
    made.levels.filter(grade=1).update(name=f"{start}SUM(1)")
    imported(made, f"a,q0,{start}1+1,1")
    cells = [cell for row in csv.reader(io.StringIO(written(made, "csv").decode())) for cell in row]
    assert not [cell for cell in cells if cell.startswith(start)]
    assert {f"'{start}1+1", f"'{start}SUM(1)"} <= set(cells)
