"""Query sets from lists of ids, and how many relevant pairs each reference set holds for them."""

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotate.models import (
    Change,
    Collection,
    Import,
    Item,
    Membership,
    QuerySet,
    QuerySetItem,
    ReferenceLabel,
    ReferenceSet,
)
from annotate.services.collection.positives import positive_counts
from annotate.services.collection.query_sets import BadQuerySetName, QuerySetExists, load_query_set
from annotate.services.collection.references import FileRejected
from tests import cast
from tests.annotate.core.files.samples import file, packed
from tests.pages import text_of
from tests.works import perform_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return cast.collection("birds", grades=3, n_queries=3, n_documents=3)


def load(collection, *lines, name="ECCV", direction="forward", stream=None):
    stream = stream or file(*lines)
    return load_query_set(
        collection=collection, stream=stream, file_name="ids.txt", name=name, direction=direction
    )


def members(name="ECCV"):
    return sorted(
        QuerySetItem.objects.filter(query_set__name=name).values_list(
            "item__external_id", flat=True
        )
    )


@pytest.mark.parametrize(
    "stream", [file("q0", "", "q2 "), packed("q0", "q2"), file('{"q0": [1, 2],', '"q2": []}')]
)
def test_a_query_set_is_a_list_of_ids_or_the_keys_of_an_object(collection, stream):
    report = load(collection, stream=stream)
    assert (str(report), members()) == ('Query set "ECCV": 2 items.', ["q0", "q2"])
    assert Change.objects.filter(collection=collection, pair=None).count() == 1


def test_documents_are_the_items_of_a_reverse_set(collection):
    load(collection, "d1", direction="reverse")
    load(collection, "q1")
    assert members() == ["d1", "q1"]


def test_the_same_items_again_change_nothing_and_others_need_another_name(collection):
    load(collection, "q0", "q2")
    assert "Nothing changed" in str(load(collection, "q2", "q0"))
    with pytest.raises(QuerySetExists, match="choose another name"):
        load(collection, "q0")
    assert QuerySetItem.objects.count() == 2


def test_every_fault_of_a_list_is_named_with_its_line_and_nothing_is_stored(collection):
    Item.objects.filter(collection=collection, external_id="q1").update(split="train")
    with pytest.raises(FileRejected) as raised:
        load(collection, "q0", "q9", "q0", "q1", "a b")
    assert str(raised.value).splitlines() == [
        'Line 3: the id "q0" stands already in line 1; keep one of them.',
        'Line 5: the id "a b" contains white space; write ids without it.',
        'Line 2: the collection has no query "q9".',
        'Line 4: "q1" is of the split train; '
        "only items of the split test are retrieved and judged.",
    ]
    assert not QuerySet.objects.exists()
    with pytest.raises(FileRejected, match="lists no ids"):
        load(collection, "")


@pytest.mark.parametrize("name", ["", "all", "x" * 61, "a\nb"])
def test_a_name_that_cannot_be_one_is_refused(collection, name):
    with pytest.raises(BadQuerySetName):
        load(collection, "q0", name=name)


def test_the_command_loads_a_list(collection, tmp_path, capsys):
    (tmp_path / "ids.txt").write_text("q0\nq1\n")
    call_command("load_query_set", "birds", tmp_path / "ids.txt", name="two")
    assert capsys.readouterr().out == 'Query set "two": 2 items.\n'
    with pytest.raises(CommandError, match="is the set of all test items"):
        call_command("load_query_set", "birds", tmp_path / "ids.txt", name="all")


def counts(collection):
    cache.clear()
    excluded = Item.objects.filter(collection=collection, excluded_at__isnull=False).count()
    rows = positive_counts(
        collection=collection,
        reference_sets=list(ReferenceSet.objects.order_by("name")),
        query_sets=list(QuerySet.objects.order_by("direction", "name")),
        n_excluded=excluded,
    )
    return {str(row.query_set): dict(row.counts) for row in rows}


def test_relevant_pairs_are_counted_for_the_sources_of_each_query_set(collection):
    load(collection, "q0", "q1", name="two")
    load(collection, "d0", name="one", direction="reverse")
    keys = dict(Item.objects.filter(collection=collection).values_list("external_id", "pk"))
    for name, pairs in {
        "a": [("q0", "d0", 1), ("q0", "d1", 2), ("q2", "d0", 1), ("q1", "d2", 0)],
        "b": [],
    }.items():
        reference = ReferenceSet.objects.create(collection=collection, name=name)
        for query, document, grade in pairs:
            ReferenceLabel.objects.create(
                reference_set=reference,
                query_id=keys[query],
                document_id=keys[document],
                grade=grade,
            )
    assert counts(collection) == {
        "two (forward)": {"a": 2, "b": 0},
        "one (reverse)": {"a": 2, "b": 0},
    }
    Item.objects.filter(pk=keys["d0"]).update(excluded_at=timezone.now(), excluded_reason="blurred")
    assert counts(collection) == {
        "two (forward)": {"a": 1, "b": 0},
        "one (reverse)": {"a": 0, "b": 0},
    }


def test_a_gallery_limits_what_counts(collection):
    load(collection, "q0", name="small")
    keys = dict(Item.objects.filter(collection=collection).values_list("external_id", "pk"))
    reference = ReferenceSet.objects.create(collection=collection, name="a")
    for document in ("d0", "d1"):
        ReferenceLabel.objects.create(
            reference_set=reference, query_id=keys["q0"], document_id=keys[document], grade=1
        )
    QuerySetItem.objects.create(
        query_set=QuerySet.objects.get(), item_id=keys["d1"], part="gallery"
    )
    assert counts(collection) == {"small (forward)": {"a": 1}}


@pytest.fixture
def researcher(collection, client):
    """A client of a researcher, whose uploads lead to their imports: the collection is set up."""
    Collection.objects.update(scheme_frozen_at=timezone.now())
    person = cast.user("rosa")
    Membership.objects.create(user=person, collection=collection, role="researcher")
    client.force_login(person)
    return client


def test_a_researcher_uploads_a_list_and_sees_its_counts(collection, researcher):
    upload = SimpleUploadedFile("ids.txt", b"q0\nq1\n")
    answer = researcher.post(
        "/c/birds/imports/query-sets/", {"name": "two", "direction": "forward", "file": upload}
    )
    assert answer.status_code == 302
    perform_work(Import.objects.get())
    page = text_of(researcher.get(answer.url))
    assert "Query set “two”: 2 items." in page.replace("&quot;", '"').replace('"two"', "“two”")
    page = text_of(researcher.get("/c/birds/"))
    assert '>two</th><td role="cell" data-label="Direction">Query to document</td>' in page
    assert 'data-label="Items">2</td>' in page


def test_a_faulty_list_is_answered_with_its_lines(collection, researcher):
    upload = SimpleUploadedFile("ids.txt", b"q0\nq9\n")
    answer = researcher.post(
        "/c/birds/imports/query-sets/", {"name": "two", "direction": "forward", "file": upload}
    )
    perform_work(Import.objects.get())
    page = text_of(researcher.get(answer.url))
    assert '<td class="number">2</td><td>id</td><td>the collection has no query' in page
    assert "1: q9" in page
    assert not QuerySet.objects.filter(name="two").exists()
