"""Groups of items: from files, set anew by later ones, and what intervals and tests go by."""

import pytest
from django.utils import timezone

from annotate.core.files.archives.sources import FileSource
from annotate.models import Change, Collection, Item, Part
from annotate.services.collection import collections, item_groups
from annotate.services.collection.references import FileRejected
from annotate.services.imports import items as item_import
from tests import cast
from tests.annotate.core.files.samples import file, line

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
Grouping = Collection.Grouping
FOLLOWED = (
    'Intervals and tests now go by the column "group"; queries without one stand by themselves. '
    "Settings can change that."
)


def load(collection, *lines, name="collection.jsonl"):
    return item_import.load_collection(collection=collection, source=FileSource(file(*lines), name))


def query(id_, **fields):
    return line(id_, "query", text=f"text of {id_}", **fields)


def groups(collection):
    return dict(collection.items.order_by("pk").values_list("external_id", "group"))


def grouping(collection):
    return Collection.objects.get(pk=collection.pk).query_groups


def n_changes(collection):
    return Change.objects.filter(collection=collection, pair=None).count()


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "a.jsonl",
            [query("c1", group="v7"), query("c2", group='a\t"\\N'), query("c3"), line("d1")],
        ),
        (
            "a.csv",
            [
                "side,id,text,group",
                "query,c1,a,v7",
                'query,c2,b,"a\t""\\N"',
                "query,c3,c,",
                "document,d1,d,",
            ],
        ),
    ],
)
def test_groups_are_stored_as_they_stand_and_followed_from_then_on(name, lines):
    collection = cast.collection()
    report = load(collection, *lines, name=name)
    assert groups(collection) == {"c1": "v7", "c2": 'a "\\N', "c3": "", "d1": ""}
    assert (report.n_items, report.n_grouped, report.n_regrouped) == (4, 2, 0)
    assert ("New items with a group", 2) in report.figures()
    assert str(report).endswith(FOLLOWED)
    assert grouping(collection) == Grouping.COLUMN
    assert load(collection, *lines, name=name).n_regrouped == 0
    assert n_changes(collection) == 1


def test_without_groups_intervals_go_by_reference_labels():
    collection = cast.collection()
    report = load(collection, query("c1"), line("d1"))
    assert grouping(collection) == Grouping.REFERENCE
    assert "group" not in str(report)
    assert all("group" not in name for name, _ in report.figures())


def test_groups_of_documents_alone_leave_queries_with_what_their_labels_link_them_to():
    collection = cast.collection()
    load(collection, query("c1"), line("d1", text="a", group="film"))
    assert grouping(collection) == Grouping.REFERENCE
    load(collection, query("c1", group="film"), line("d1", text="a", group="film"))
    assert grouping(collection) == Grouping.COLUMN


def test_a_later_file_sets_other_groups_even_once_the_items_were_judged():
    collection = cast.collection()
    load(
        collection,
        query("c1", group="v1"),
        query("c2", group="v1"),
        query("c3"),
        query("c4", group="v4"),
        line("d1"),
    )
    Collection.objects.filter(pk=collection.pk).update(scheme_frozen_at=timezone.now())
    before = n_changes(collection)
    again = [
        query("c1", group="v2"),
        query("c2", group="v1"),
        query("c3", group="v3"),
        query("c4"),
        line("d1"),
    ]
    report = load(collection, *again)
    assert groups(collection) == {"c1": "v2", "c2": "v1", "c3": "v3", "c4": "v4", "d1": ""}
    assert (report.n_items, report.n_known, report.n_regrouped) == (0, 5, 2)
    assert ("Known before, now with a new group", 2) in report.figures()
    assert str(report).endswith("The group of 2 items changed.")
    assert "Nothing changed" not in str(report)
    assert n_changes(collection) == before + 1
    again = load(collection, *again)
    assert "Nothing changed" in str(again)
    assert n_changes(collection) == before + 1


def test_a_table_of_ids_and_groups_gives_groups_to_items_that_are_there_and_takes_nothing():
    collection = cast.collection()
    other = cast.collection()
    for collection_ in (collection, other):
        load(collection_, query("x"), line("x"))
    report = load(collection, "side,id,group", "query,x,v1", name="groups.csv")
    assert list(collection.items.order_by("side").values_list("side", "group")) == [
        ("document", ""),
        ("query", "v1"),
    ]
    assert str(report).endswith(f"The group of 1 item changed. {FOLLOWED}")
    assert Part.objects.filter(item__collection=collection).count() == 2
    assert set(groups(other).values()) == {""}
    assert grouping(other) == Grouping.REFERENCE


def test_an_item_known_by_its_id_alone_gets_its_content_and_its_group_at_once():
    collection = cast.collection()
    item_import.load_documents(collection=collection, ids=["d1"], file_name="run")
    report = load(collection, line("d1", text="a cat", group="cats"))
    assert (report.n_filled, report.n_regrouped) == (1, 1)
    assert groups(collection) == {"d1": "cats"}


def test_a_file_that_names_an_item_twice_with_different_groups_is_refused():
    collection = cast.collection()
    for second in ({"group": "v2"}, {}):
        with pytest.raises(FileRejected) as caught:
            load(collection, query("c1", group="v1"), query("c1", **second))
        assert caught.value.problems.lines() == [
            'Line 2: query "c1" stands with other content or another group in line 1; '
            "keep one of them."
        ]
    assert not Item.objects.filter(collection=collection).exists()
    assert load(collection, query("c1", group="v1"), query("c1", group="v1")).repeats.n == 1


def test_a_fault_elsewhere_in_the_file_leaves_groups_as_they_are():
    collection = cast.collection()
    load(collection, query("c1", group="v1"), line("d1"))
    with pytest.raises(FileRejected):
        load(collection, query("c1", group="v2"), line("d1", text="another"))
    assert groups(collection) == {"c1": "v1", "d1": ""}


@pytest.mark.parametrize("chosen", [Grouping.REFERENCE, Grouping.NONE])
def test_what_a_lead_chose_stays_whatever_groups_later_files_bring(chosen):
    collection = cast.collection()
    load(collection, query("c1", group="v1"))
    assert collections.change_query_groups(collection=collection, query_groups=chosen)
    report = load(collection, query("c1", group="v2"), query("c2", group="v2"))
    assert (report.n_regrouped, report.n_grouped) == (1, 1)
    assert FOLLOWED not in str(report)
    assert grouping(collection) == chosen


def test_who_wants_each_query_by_itself_before_any_file_brings_groups_keeps_it_so():
    collection = cast.collection()
    collections.change_query_groups(collection=collection, query_groups=Grouping.NONE)
    load(collection, query("c1", group="v1"))
    assert grouping(collection) == Grouping.NONE


def test_how_many_items_carry_a_group_is_said_for_each_side(django_assert_num_queries):
    collection = cast.collection()
    load(cast.collection(), query("c1", group="v1"))
    assert str(item_groups.count_groups(collection=collection)) == (
        "No query and no document carries a group of the upload: "
        "by the column, each query stands by itself."
    )
    load(collection, query("c1", group="v1"), query("c2"))
    assert str(item_groups.count_groups(collection=collection)) == (
        "1 query carries a group of the upload; what has none stands by itself."
    )
    load(collection, query("c2", group="v1"), line("d1", text="a", group="v1"))
    with django_assert_num_queries(1):
        assert str(item_groups.count_groups(collection=collection)) == (
            "2 queries and 1 document carry a group of the upload; what has none stands by itself."
        )
