"""The sides, guidelines, policies, reference sets and query sets of a release."""

import json
from decimal import Decimal

import pytest
from django.utils import timezone

from annotate.models import Guidelines, Item, Part, Policy, QuerySet, QuerySetItem
from metrics.services.releases.manifest import collection_facts
from metrics.services.scores.labels import gallery_of, scope_of
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.release_study import read_only

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return studies.study()


def test_the_collection_is_described_by_its_own_words(study):
    study.description, study.is_rehearsal = "Texts and *shapes*.", True
    entry = collection_facts.collection_entry(collection=study)
    assert (entry.slug, entry.name) == (study.slug, study.name)
    assert (entry.description, entry.is_rehearsal) == ("Texts and *shapes*.", True)
    assert (entry.measurement, entry.positive_from) == ("ordinal", 1)
    assert entry.query_groups == "reference"


def test_sides_count_items_parts_exclusions_and_duplicates(study):
    query, *_, original = study.items.filter(side="query").order_by("pk")
    Part.objects.create(item=query, position=1, kind="image", path="a.png")
    Item.objects.filter(pk=query.pk).update(excluded_at=timezone.now(), excluded_reason="dark")
    copy = cast.items(study, "query", 1)[0]
    study.duplicates.create(item=copy, original=original, side="query")
    with read_only():
        queries, documents = collection_facts.side_entries(collection=study)
    assert (queries.side, documents.side) == ("query", "document")
    assert (queries.n_items, queries.n_excluded, queries.n_duplicates) == (7, 1, 1)
    assert (documents.n_items, documents.n_excluded, documents.n_duplicates) == (9, 0, 0)
    assert queries.n_parts == {"text": 7, "image": 1}
    assert documents.n_parts == {"text": 9}


def test_a_collection_without_items_has_two_empty_sides():
    for side in collection_facts.side_entries(collection=cast.collection()):
        assert (side.n_items, side.n_excluded, side.n_duplicates, side.n_parts) == (0, 0, 0, {})


def test_guidelines_are_told_version_by_version_without_their_writers(study):
    lead = cast.member(study, "lead")
    Guidelines.objects.create(
        collection=study, version=2, markdown="# New", wording=[{"name": "Yes"}], by=lead
    )
    first, second = collection_facts.guideline_versions(collection=study)
    assert (first["version"], first["markdown"]) == (1, "# How to judge")
    assert list(second) == ["version", "markdown", "wording", "at"]
    assert (second["markdown"], second["wording"]) == ("# New", [{"name": "Yes"}])
    assert json.loads(json.dumps(second)) == second


def test_policies_are_told_with_every_field_that_defines_them_and_without_their_writers(study):
    lead = cast.member(study, "lead")
    Policy.objects.create(collection=study, version=2, double_share=Decimal("0.25"), by=lead)
    first, second = collection_facts.policy_versions(collection=study)
    assert (first["version"], first["labels_per_pair"]) == (1, 2)
    stored = Policy.objects.get(collection=study, version=2)
    assert second["double_share"] == str(stored.double_share) == "0.2500"
    assert json.loads(json.dumps(second)) == second
    fields = {field.name for field in Policy._meta.get_fields() if field.concrete}
    assert set(second) == fields - {"id", "collection", "by"}
    for name in set(second) - {"at"}:
        assert str(second[name]) == str(getattr(stored, name))


def test_reference_sets_count_their_labels_and_positives(study):
    studies.reference(study, {("q0", "d0"): 0, ("q0", "d1"): 1, ("q1", "d1"): 2}, name="more")
    study.positive_from = 2
    entries = collection_facts.reference_set_entries(collection=study)
    assert [(entry.name, entry.n_labels, entry.n_positive) for entry in entries] == [
        ("original", 6, 6),
        ("more", 3, 1),
    ]


def test_query_sets_count_the_members_that_scores_count(study):
    some = QuerySet.objects.create(collection=study, name="some", direction="forward")
    queries = list(study.items.filter(side="query")[:4])
    documents = list(study.items.filter(side="document")[:5])
    for part, items in (("source", queries), ("gallery", documents)):
        QuerySetItem.objects.bulk_create(
            QuerySetItem(query_set=some, item=item, part=part) for item in items
        )
    for item in (queries[0], documents[0]):
        Item.objects.filter(pk=item.pk).update(excluded_at=timezone.now(), excluded_reason="dark")
    with read_only():
        entries = collection_facts.query_set_entries(
            collection=study, files={some.pk: "query_sets/some.tsv"}
        )
    assert [(entry.name, entry.direction) for entry in entries] == [
        ("all", "forward"),
        ("all", "reverse"),
        ("some", "forward"),
    ]
    assert [entry.file for entry in entries] == ["", "", "query_sets/some.tsv"]
    for entry, query_set in zip(entries, study.query_sets.order_by("pk"), strict=True):
        scope = scope_of(query_set=query_set)
        assert entry.n_sources == len(scope.sources)
        gallery = gallery_of(query_set=query_set, scope=scope)
        assert entry.n_gallery == (gallery.n if gallery.is_listed else None)
    assert (entries[2].n_sources, entries[2].n_gallery) == (3, 4)
