"""Exports of judgments: every one with its status, pseudonyms only, the same bytes twice."""

import csv
import io
import json
from uuid import uuid4

import pyarrow.parquet
import pytest
from django.core.management import call_command

from annotate.core.files.judgments.judgment_exports import FORMATS
from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.models import HandOut, Item, JudgmentComment, JudgmentEvent
from annotate.services.collection import judgment_export
from annotate.services.judging import claiming, judging, undoing
from tests import campaigns, cast
from tests.annotate.core.files.samples import file
from tests.judgment_imports import import_judgments

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("few_items")]


def imported(collection, *rows):
    import_judgments(
        collection=collection,
        stream=file("annotator,query,document,grade", *rows),
        file_name="a.csv",
        columns=JudgmentColumns(),
        name="experts",
    )


def exported(collection, kind):
    return b"".join(judgment_export.write(collection=collection, kind=kind))


def rows_of(collection):
    return [json.loads(line) for line in exported(collection, "jsonl").splitlines()]


def answer(annotator, hand_out, grade, **fields):
    judgment_answer = JudgmentAnswer(submission_id=uuid4(), grade=grade, **fields)
    return judging.record_judgment(
        annotator=annotator, token=hand_out.token, answer=judgment_answer
    )


def test_every_judgment_is_a_row_with_what_became_of_it(collection):
    imported(collection, "a,q0,d0,1", "a,q0,d0,2", "b,q0,d0,0")
    rows = rows_of(collection)
    assert [(row["grade"], row["level"], row["status"], row["purpose"]) for row in rows] == [
        (1, "Level 1", "superseded", "import"),
        (0, "Level 0", "counts", "import"),
        (2, "Level 2", "counts", "import"),
    ]
    assert {
        (row["query"], row["document"], row["round"]) for row in rows if row["status"] == "counts"
    } == {("q0", "d0", "experts")}


def test_undone_changed_and_late_answers_say_so():
    collection = cast.collection(grades=3)
    collection.levels.filter(grade=1).update(reasons=["blurred", "wrong"])
    round_pairs = cast.pairs(collection, 3)
    campaigns.open_pool_round(collection, round_pairs)
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    first, second, _ = HandOut.objects.order_by("position")
    answer(annotator, first, 1, reasons=["blurred", "wrong"], telemetry=Telemetry(active_ms=1200))
    answer(annotator, first, 2)
    answer(annotator, second, 0)
    undoing.take_back(annotator=annotator, token=second.token)
    rows = rows_of(collection)
    assert [(row["grade"], row["status"], row["why"]) for row in rows] == [
        (1, "superseded", "first"),
        (2, "counts", "first"),
        (0, "undone", "first"),
    ]
    assert (rows[0]["reasons"], rows[0]["active_ms"], rows[0]["round"]) == (
        ["blurred", "wrong"],
        1200,
        "pool",
    )
    JudgmentEvent.objects.create(judgment=second.judgments.get(), kind="withdrawn")
    assert rows_of(collection)[2]["status"] == "withdrawn"  # the last that happened to it


def test_what_the_browser_measured_the_guidelines_and_the_order_of_the_batch_are_in_each_format():
    collection = cast.collection(grades=3, grouped=False)
    pair_list = cast.pairs(collection, 2)
    campaigns.open_pool_round(collection, pair_list)
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    first, second = HandOut.objects.order_by("position")
    answer(annotator, first, 1, telemetry=Telemetry(0, 4100, n_replays=2, n_changes=0))
    version = collection.guidelines.create(version=2, markdown="Look twice.", wording=[]).version
    answer(annotator, second, 1, guidelines=version)
    names = ("active_ms", "played_ms", "n_replays", "n_changes", "guidelines", "grouped", "purpose")
    expected = [(0, 4100, 2, 0, 1, False, "label"), (None, None, None, None, 2, False, "label")]
    assert [tuple(row[name] for name in names) for row in rows_of(collection)] == expected
    table = pyarrow.parquet.read_table(
        pyarrow.BufferReader(exported(collection, "parquet"))
    ).to_pylist()
    assert [tuple(row[name] for name in names) for row in table] == expected
    cells = list(csv.DictReader(io.StringIO(exported(collection, "csv").decode())))
    assert [tuple(row[name] for name in names) for row in cells] == [
        ("0", "4100", "2", "0", "1", "false", "label"),
        ("", "", "", "", "2", "false", "label"),
    ]


def test_nobody_is_named(collection):
    imported(collection, "worker_951,q0,d0,1")
    person = cast.user("canary-name", email="canary@example.org")
    annotator = cast.annotator(collection, person)
    # one as short as "A5" may stand in packed bytes by chance
    annotator.pseudonym = "canary-pseudonym"
    annotator.save()
    judgment = collection.judgments.first()
    JudgmentComment.objects.create(judgment=judgment, text="canary-comment")
    text = b"".join(exported(collection, kind) for kind in FORMATS).decode("utf-8", "replace")
    assert "canary" not in text
    assert "worker_951" not in text
    assert judgment.annotator.pseudonym in text
    assert annotator.pseudonym not in text


def test_the_same_judgments_give_the_same_bytes(collection):
    imported(
        collection,
        *(f"{person},q{q},d{d},1" for person in "abc" for q in range(2) for d in range(3)),
    )
    for kind in FORMATS:
        assert exported(collection, kind) == exported(collection, kind)


def test_a_table_is_safe_to_open_in_a_spreadsheet(collection):
    Item.objects.filter(collection=collection, external_id="d0").update(external_id="=cmd|'/c")
    imported(collection, "a,q0,=cmd|'/c,1")
    (row,) = csv.DictReader(io.StringIO(exported(collection, "csv").decode()))
    assert row["document"] == "'=cmd|'/c"
    assert rows_of(collection)[0]["document"] == "=cmd|'/c"


def test_names_of_any_characters_are_read_back_from_json_and_parquet(collection):
    imported(collection, "a,q0,d0,1")
    name = 'é "quoted" \\ \t\x1f\x7f\u2028 \U0001f600'
    Item.objects.filter(collection=collection, external_id="d0").update(external_id=name)
    table = pyarrow.parquet.read_table(pyarrow.BufferReader(exported(collection, "parquet")))
    assert [row["document"] for row in rows_of(collection)] == [name]
    assert table["document"].to_pylist() == [name]


def test_only_the_collections_own_judgments_are_written(collection):
    imported(collection, "a,q0,d0,1")
    assert rows_of(cast.collection()) == []


def test_one_query_whatever_the_number_between_two_that_let_it_take_its_time(
    collection, django_assert_num_queries
):
    imported(
        collection,
        *(f"{person},q{q},d{d},1" for person in "abc" for q in range(2) for d in range(3)),
    )
    with django_assert_num_queries(3):
        pieces = judgment_export.judgment_pieces(collection=collection)
        assert b"".join(pieces).count(b"\n") == 18


def test_lines_keep_their_order_over_pieces(collection, monkeypatch):
    imported(collection, *(f"{person},q0,d0,{n % 2}" for n, person in enumerate("abcdefgh")))
    whole = exported(collection, "jsonl")
    monkeypatch.setattr(judgment_export, "LINES_A_PIECE", 1)
    monkeypatch.setattr(judgment_export, "KEYS_A_ROW", 3)
    pieces = list(judgment_export.judgment_pieces(collection=collection))
    assert len(pieces) >= 3
    assert b"".join(pieces) == whole


def test_the_command_writes_a_file_or_the_standard_output(collection, tmp_path, capsys):
    imported(collection, "a,q0,d0,1")
    call_command("export_judgments", collection.slug)
    call_command("export_judgments", collection.slug, out=tmp_path / "out.csv")
    assert capsys.readouterr().out == (tmp_path / "out.csv").read_text()
    assert (tmp_path / "out.csv").read_text().startswith("query,document,annotator,origin,grade,")


def test_parquet_holds_the_same_rows_with_types_and_says_nothing_of_when_it_was_made(collection):
    imported(collection, "a,q0,d0,1", "b,q0,d0,2", "b,q1,d2,0")
    table = pyarrow.parquet.read_table(pyarrow.BufferReader(exported(collection, "parquet")))
    rows = table.to_pylist()
    for row in rows:
        row["at"] = (
            row["at"]
            and row["at"].strftime("%Y-%m-%dT%H:%M:%S.") + f"{row['at'].microsecond // 1000:03}Z"
        )
    assert rows == rows_of(collection) and len(rows) == 3
    assert (str(table.schema.field("at").type), str(table.schema.field("reasons").type)) == (
        "timestamp[ms, tz=UTC]",
        "list<element: string>",
    )
    assert not table.schema.metadata


@pytest.mark.parametrize("start", list("=+-@"))
def test_no_cell_of_a_table_begins_like_a_formula(collection, start):
    Item.objects.filter(collection=collection, external_id="d0").update(external_id=f"{start}1+1")
    collection.levels.filter(grade=1).update(name=f"{start}SUM(1)")
    imported(collection, f"a,q0,{start}1+1,1")
    cells = [
        cell
        for row in csv.reader(io.StringIO(exported(collection, "csv").decode()))
        for cell in row
    ]
    assert not [cell for cell in cells if cell.startswith(start)]
    assert {f"'{start}1+1", f"'{start}SUM(1)"} <= set(cells)
