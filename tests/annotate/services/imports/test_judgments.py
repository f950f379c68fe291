"""Importing judgments: idempotent, a later line supersedes, resolutions and metrics follow."""

from datetime import UTC, datetime

import pytest

from annotate.checks.check import run
from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Annotator, Change, Collection, Judgment, Pair, Resolution, Round, Seat
from annotate.services.collection.references import FileRejected
from config.management.commands.fsck import CHECKS
from tests import cast
from tests.annotate.core.files.samples import file, packed
from tests.judgment_imports import import_judgments

pytestmark = pytest.mark.django_db
LONG = JudgmentColumns()


@pytest.fixture
def collection():
    return cast.collection(grades=4, n_queries=3, n_documents=3)


def load(
    collection,
    *rows,
    columns=LONG,
    name="experts",
    header="annotator,query,document,grade",
    stream=None,
    **options,
):
    stream = stream or file(header, *rows)
    return import_judgments(
        collection=collection,
        stream=stream,
        file_name="a.csv",
        columns=columns,
        name=name,
        **options,
    )


def counting(collection):
    seats = Seat.objects.filter(collection=collection, state="done", purpose="import").order_by(
        "pair", "number"
    )
    return list(
        seats.values_list(
            "annotator__external_id", "pair__query__external_id", "judgment__level__grade"
        )
    )


def test_labels_become_judgments_seats_and_resolutions_in_a_closed_round(collection):
    report = load(collection, "a,q0,d0,1", "b,q0,d0,1", "c,q0,d0,2", "a,q1,d0,3")
    assert (report.n_labels, report.n_new, report.n_pairs, report.n_annotators) == (4, 4, 2, 3)
    assert counting(collection) == [("a", "q0", 1), ("b", "q0", 1), ("c", "q0", 2), ("a", "q1", 3)]
    assert list(Seat.objects.order_by("pair", "number").values_list("number", flat=True)) == [
        1,
        2,
        3,
        1,
    ]
    resolved = Resolution.objects.order_by("pair").values_list("status", "grade", "n_labels")
    assert list(resolved) == [("majority", 1, 3), ("single", 3, 1)]
    round_ = Round.objects.get()
    assert (round_.kind, round_.state, round_.name) == ("import", "closed", "experts")
    assert Change.objects.filter(collection=collection).count() == 2
    collection.refresh_from_db()
    assert collection.scheme_frozen_at is not None


def test_nothing_of_it_is_offered_to_annotators(collection):
    load(collection, "a,q0,d0,1", "b,q0,d0,2")
    assert not Seat.objects.exclude(state="done").exists()


def test_imported_annotators_have_pseudonyms_and_keep_their_ids(collection):
    load(collection, "worker_951,q0,d0,1")
    annotator = Annotator.objects.get()
    assert (annotator.origin, annotator.external_id, annotator.user) == (
        "import",
        "worker_951",
        None,
    )
    assert "951" not in annotator.pseudonym


def test_the_same_file_again_changes_nothing_whatever_its_name_or_packing(collection):
    rows = ["annotator,query,document,grade", "a,q0,d0,1", "a,q0,d0,2", "b,q0,d0,2", "b,q0,d0,2"]
    load(collection, stream=file(*rows))
    before = [
        list(model.objects.order_by("pk").values())
        for model in (Judgment, Seat, Change, Round, Resolution)
    ]
    again = load(collection, stream=packed(*rows), name="another name")
    assert (again.n_new, "Nothing changed" in str(again)) == (0, True)
    after = [
        list(model.objects.order_by("pk").values())
        for model in (Judgment, Seat, Change, Round, Resolution)
    ]
    assert before == after


def test_a_repeated_line_supersedes_the_one_before(collection):
    report = load(collection, "a,q0,d0,1", "b,q0,d0,3", "a,q0,d0,2")
    assert (report.n_labels, report.repeats.n) == (3, 1)
    first, last = Judgment.objects.filter(annotator__external_id="a").order_by("pk")
    assert (first.level.grade, last.level.grade, last.supersedes) == (1, 2, first)
    assert last.seat.number == 1
    assert not Seat.objects.filter(judgment=first).exists()


def test_a_changed_grade_in_a_later_file_supersedes_and_a_change_back_does_too(collection):
    for grade, n_new in ((1, 1), (2, 1), (2, 0), (1, 1)):
        assert load(collection, f"a,q0,d0,{grade}").n_new == n_new
        assert counting(collection) == [("a", "q0", grade)]
        assert Resolution.objects.get().grade == grade
    assert Judgment.objects.count() == 3


def test_a_file_that_grew_adds_only_its_new_lines(collection):
    load(collection, "a,q0,d0,1")
    report = load(collection, "a,q0,d0,1", "a,q0,d0,2", "b,q0,d0,2")
    assert report.n_new == 2
    assert counting(collection) == [("a", "q0", 2), ("b", "q0", 2)]


def test_times_are_kept_and_without_one_the_database_says_when(collection):
    columns = JudgmentColumns(time="at")
    load(
        collection,
        "a,q0,d0,1,2011-07-01T12:00:00Z",
        "b,q0,d0,1,",
        columns=columns,
        header="annotator,query,document,grade,at",
    )
    early, late = Judgment.objects.order_by("annotator__external_id")
    assert early.at == datetime(2011, 7, 1, 12, tzinfo=UTC)
    assert late.at.year > 2020


def test_one_column_an_annotator_is_the_same_as_one_line_a_label(collection):
    wide = JudgmentColumns(annotators=("a", "b"))
    load(collection, "q0,d0,1,2", "q1,d0,,3", columns=wide, header="query,document,a,b")
    assert counting(collection) == [("a", "q0", 1), ("b", "q0", 2), ("b", "q1", 3)]
    assert load(collection, "a,q0,d0,1", "b,q0,d0,2", "b,q1,d0,3").n_new == 0


def test_rows_without_a_grade_are_left_out_when_told_to_and_counted(collection):
    rows = ("a,q0,d0,1", "b,q0,d0,", "b,q1,d0,NA", "a,q1,d0,3")
    with pytest.raises(
        FileRejected, match="Line 3: grade is blank; write one, or leave out rows without a grade"
    ):
        load(collection, *rows)
    report = load(collection, *rows, skip_blank=True)
    assert (report.n_labels, report.n_new, report.n_blank) == (2, 2, 2)
    assert (
        "Without a grade, left out",
        2,
    ) in report.figures() and "2 without a grade left out" in str(report)
    assert counting(collection) == [("a", "q0", 1), ("a", "q1", 3)]
    wide = load(
        collection,
        "q0,d1,1,",
        "q1,d1,,3",
        columns=JudgmentColumns(annotators=("a", "b")),
        header="query,document,a,b",
    )
    assert (wide.n_labels, wide.n_blank) == (2, 2)


def test_a_pair_that_people_judge_too_keeps_one_resolution(collection):
    load(collection, "a,q0,d0,1")
    assert Pair.objects.count() == 1
    load(collection, "b,q0,d0,1", name="second")
    assert Pair.objects.count() == 1
    assert Resolution.objects.get().n_labels == 2


def test_the_rule_of_an_import_is_a_version_of_the_policy(collection):
    rows = "a,q0,d0,0", "b,q0,d0,1", "c,q0,d0,3", "a,q1,d0,1", "b,q1,d0,2"
    load(collection, *rows, rule="median", tie="up")
    resolved = list(Resolution.objects.order_by("pair").values_list("status", "grade"))
    assert resolved == [("median", 1), ("median", 2)]
    newest = collection.policies.latest("version")
    assert (newest.rule, newest.tie, collection.rounds.get().policy) == ("median", "up", newest)
    load(collection, "d,q0,d0,0", rule="median", tie="up", name="second")
    assert (
        collection.policies.latest("version")
        == newest
        == collection.rounds.get(name="second").policy
    )


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("a,q9,d0,1", 'Line 3: the collection has no query "q9"'),
        ("a,q0,d9,1", 'Line 3: the collection has no document "d9"'),
        ("a,q0,d0,9", r"Line 3: grade 9 is not in the scheme \(0, 1, 2, 3\)"),
        ("a,q0,d0,NaN", "Line 3: grade"),
        (",q0,d0,1", "Line 3: annotator is blank"),
        ("a,q0,d0", "Line 3: expected 4 fields, found 3"),
    ],
)
def test_a_faulty_line_is_named_and_nothing_is_stored(collection, row, why):
    with pytest.raises(FileRejected, match=why):
        load(collection, "a,q1,d1,1", row)
    for model in (Judgment, Pair, Annotator, Round):
        assert not model.objects.exists()
    assert Collection.objects.get(pk=collection.pk).scheme_frozen_at is None


@pytest.mark.parametrize(
    "stream", [file(), packed(), file("annotator,query,document,grade"), file("a,b", "1,2")]
)
def test_a_file_without_labels_or_columns_is_refused(collection, stream):
    with pytest.raises(FileRejected):
        load(collection, stream=stream)


def test_queries_do_not_grow_with_judgments(collection, django_assert_max_num_queries):
    rows = [
        f"{person},q{q},d{d},{person % 4}"
        for person in range(60)
        for q in range(3)
        for d in range(3)
    ]
    with django_assert_max_num_queries(48):
        load(collection, *rows)


def test_every_invariant_holds_after_imports_that_supersede(collection):
    load(collection, "a,q0,d0,1", "b,q0,d0,2", "a,q0,d0,2", "c,q1,d0,3")
    load(collection, "a,q0,d0,3", "d,q0,d0,0", name="second")
    assert [finding for finding in run(CHECKS) if not finding.check.notice] == []
