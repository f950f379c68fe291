"""Reference labels are mapped to the scheme and checked; loading them twice changes nothing."""

import pytest

from annotate.core.files.archives.sources import FileSource
from annotate.models import Change, Item, ReferenceLabel, ReferenceSet, Side
from annotate.services.collection.references import FileRejected, ReferenceExists, load_reference
from annotate.services.imports.imports import import_now
from annotate.services.imports.kinds import ReferenceImport
from tests import cast
from tests.annotate.core.files.samples import file, packed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("few_items")]


def load(collection, *lines, name="original", stream=None, **options):
    stream = stream or file(*lines)
    return load_reference(
        collection=collection, stream=stream, file_name="a.qrels", name=name, **options
    )


def stored(collection):
    labels = ReferenceLabel.objects.filter(reference_set__collection=collection)
    return sorted(labels.values_list("query__external_id", "document__external_id", "grade"))


def test_labels_are_stored_and_metrics_hear_of_it(collection):
    report = load(collection, "q0 0 d0 1", "q0 0 d1 0", "q1 0 d2 2")
    assert (report.n_rows, report.n_labels) == (3, 3)
    assert stored(collection) == [("q0", "d0", 1), ("q0", "d1", 0), ("q1", "d2", 2)]
    assert Change.objects.filter(collection=collection, pair=None).count() == 1


def test_negative_grades_are_left_out_with_their_count(collection):
    report = load(collection, "q0 0 d0 1", "q0 0 d1 -1", "q0 0 d2 -2")
    assert (report.n_labels, report.n_unjudged) == (1, 2)


def test_rows_of_a_table_without_a_grade_are_left_out_when_told_to_and_counted(collection):
    lines = ("query-id,corpus-id,score", "q0,d0,1", "q0,d1,", "q1,d2,NaN")
    with pytest.raises(FileRejected, match="Line 3: grade is blank"):
        load(collection, *lines)
    report = load(collection, *lines, skip_blank=True)
    assert (report.n_labels, report.n_blank) == (1, 2) and "2 without a grade" in str(report)
    assert stored(collection) == [("q0", "d0", 1)]


def test_grades_are_mapped_and_small_ones_left_out(collection):
    report = load(
        collection, "q0 0 d0 1", "q0 0 d1 0", "q1 0 d2 3", grade_map={1: 2, 3: 2}, min_grade=1
    )
    assert (report.n_labels, report.n_below) == (2, 1)
    assert stored(collection) == [("q0", "d0", 2), ("q1", "d2", 2)]


def test_the_same_labels_again_change_nothing_in_whatever_order_or_format(collection):
    load(collection, "q0 0 d0 1", "q1 0 d2 2")
    again = load(collection, stream=packed("query-id\tcorpus-id\tscore", "q1\td2\t2", "q0\td0\t1"))
    assert not again.is_new
    assert "Nothing changed" in str(again)
    assert ReferenceLabel.objects.count() == 2
    assert Change.objects.filter(collection=collection).count() == 1


def test_other_labels_under_the_same_name_are_refused(collection):
    load(collection, "q0 0 d0 1")
    with pytest.raises(ReferenceExists, match="choose another name"):
        load(collection, "q0 0 d0 2")
    assert load(collection, "q0 0 d0 2", name="CxC").is_new
    assert ReferenceSet.objects.filter(collection=collection).count() == 2


@pytest.mark.parametrize("name", ["", "  ", "a\tb", "a\nb", "x" * 61])
def test_a_name_that_cannot_stand_in_a_key_or_a_file_is_refused(collection, name):
    with pytest.raises(
        FileRejected, match="a reference set's name has 1 to 60 printable characters"
    ):
        load(collection, "q0 0 d0 1", name=name)
    assert not ReferenceSet.objects.exists()


def test_a_repeated_line_counts_once_and_a_contradicting_one_is_named(collection):
    repeats = load(collection, "q0 0 d0 1", "q0 0 d0 1").repeats
    assert repeats.as_report() == {"n": 1, "first": [{"line": 2, "earlier": 1, "what": "q0 d0"}]}
    with pytest.raises(FileRejected, match="Line 2: line 1 gives this pair grade 1"):
        load(collection, "q0 0 d0 1", "q0 0 d0 2", name="two")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("q9 0 d0 1", 'Line 2: the collection has no query "q9"'),
        ("q0 0 d9 1", 'Line 2: the collection has no document "d9"'),
        ("d0 0 q0 1", "Line 2: the collection has no query"),
        ("q0 0 d1 7", "Line 2: grade 7 is not in the scheme"),
        ("q0 0 d1 NaN", "Line 2: grade"),
        ("q0 0 d1", "Line 2: expected 4 fields"),
    ],
)
def test_a_faulty_line_is_named_and_nothing_is_stored(collection, line, why):
    with pytest.raises(FileRejected, match=why):
        load(collection, "q0 0 d0 1", line)
    assert not ReferenceSet.objects.exists()


@pytest.mark.parametrize("stream", [file(), packed(), file("q0 0 d0 -1")])
def test_a_file_without_labels_is_refused(collection, stream):
    with pytest.raises(FileRejected, match=r"a.qrels (is empty|holds no labels)"):
        load(collection, stream=stream)


def test_ids_of_another_collection_are_unknown_here(collection):
    other = cast.collection()
    with pytest.raises(FileRejected, match="has no queries and no documents yet"):
        load(other, "q0 0 d0 1")


def test_labels_of_unknown_items_are_left_out_and_counted_where_that_is_asked_for(collection):
    strangers = [f"q0 0 x{number} 1" for number in range(30)]
    report = load(collection, "q0 0 d0 1", "q9 0 d1 1", "q9 0 d2 1", *strangers, skip_unknown=True)
    assert (report.n_labels, report.n_unknown) == (1, 32)
    assert report.unknown_queries.as_report() == {"n": 1, "first": ["q9"]}
    assert report.unknown_documents.as_report() == {
        "n": 30,
        "first": [f"x{number}" for number in range(20)],
    }
    assert "32 of unknown items" in str(report)


def test_a_file_that_names_no_item_of_the_collection_is_refused_all_the_same(collection):
    with pytest.raises(FileRejected, match="no labels of items that the collection has") as caught:
        load(collection, "q9 0 d9 1", skip_unknown=True)
    assert len(caught.value.report.unknown_queries) == 1


def test_reading_and_storing_say_how_far_they_are(collection):
    steps = []
    load(collection, "q0 0 d0 1", "q0 0 d1 0", on_progress=lambda *progress: steps.append(progress))
    assert steps == [(2, 2, "labels stored")]


@pytest.mark.parametrize("side", ["query", "document"])
def test_labels_before_their_items_are_told_so_once(side):
    collection = cast.collection("early")
    cast.items(collection, side, 2)
    other = {"query": "documents", "document": "queries"}[side]
    with pytest.raises(FileRejected) as refusal:
        load(collection, "q0 0 d0 1", "q1 0 d1 1", skip_unknown=True)
    or_make = ", or let these labels make them" if side == "query" else ""
    assert str(refusal.value).splitlines() == [
        f"the collection has no {other} yet; load items first{or_make}."
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ("q0 0 a 1", "q1 0 d0 2", "q1 0 a 1"),
        ('{"q0": ["a"], "q1": ["d0", "a"]}',),
        ('{"a": ["q0", "q1"], "d0": "q1"}',),
    ],
)
@pytest.mark.parametrize("are_documents_known", [True, False])
def test_documents_that_only_labels_name_are_made_where_that_is_asked_for(
    collection, lines, are_documents_known
):
    if not are_documents_known:
        Item.objects.filter(collection=collection, side=Side.DOCUMENT).delete()
    with pytest.raises(FileRejected):
        load(collection, *lines)
    source = FileSource(file(*lines), "a.txt")
    import_ = import_now(
        collection=collection,
        import_request=ReferenceImport("original", make_documents=True),
        source=source,
    ).import_
    assert import_.report["sentences"][0].startswith(
        "1 row: 1 new item with 0 parts"
        if are_documents_known
        else "2 rows: 2 new items with 0 parts"
    )
    assert [pair[:2] for pair in stored(collection)] == [("q0", "a"), ("q1", "a"), ("q1", "d0")]


def test_labels_of_unknown_queries_make_no_documents(collection):
    import_request = ReferenceImport("original", make_documents=True, skip_unknown=True)
    source = FileSource(file("q0 0 a 1", "nobody 0 b 1"), "a.qrels")
    import_now(collection=collection, import_request=import_request, source=source)
    assert not Item.objects.filter(external_id="b").exists()
    assert stored(collection) == [("q0", "a", 1)]


def test_a_table_without_a_header_is_read_by_the_numbers_of_its_columns(collection):
    lines = ("x,d0,q0,1", "y,d1,q1,2")
    with pytest.raises(FileRejected, match="give the numbers of its columns"):
        load(collection, *lines)
    load(collection, *lines, columns={"query": 3, "document": 2, "grade": 4})
    assert stored(collection) == [("q0", "d0", 1), ("q1", "d1", 2)]
    with pytest.raises(FileRejected, match="there is no column 5: this line has 4"):
        load(collection, *lines, name="b", columns={"query": 3, "document": 2, "grade": 5})


def test_a_file_of_which_nothing_is_known_is_told_so_once(collection):
    with pytest.raises(FileRejected) as refusal:
        load(collection, *(f"q0 0 x{number} 1" for number in range(200)))
    assert str(refusal.value).startswith(
        "none of its 200 labels is of a query and a document that this collection has"
    )
    with pytest.raises(
        FileRejected,
        match='Line 2: the collection has no document "x"; load it, or have such labels left',
    ):
        load(collection, "q0 0 d0 1", "q0 0 x 1")


def test_rows_that_become_no_label_make_no_documents(collection):
    import_request = ReferenceImport("original", make_documents=True, min_grade=1)
    lines = ("q0 0 a 0", "q0 0 b 1", "q0 0 c -1", "q0 0 d -2")
    import_now(
        collection=collection,
        import_request=import_request,
        source=FileSource(file(*lines), "a.qrels"),
    )
    external_ids = Item.objects.filter(external_id__in=["a", "b", "c", "d"]).values_list(
        "external_id", flat=True
    )
    assert list(external_ids) == ["b"]
