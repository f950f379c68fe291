"""The golds that a person missed, on the person's page: for leads alone, the last first."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import Gold, Part, Preview, Role
from annotate.services.golds import quality
from annotate.services.judging import claiming
from metrics.services.numbers import refresh
from tests import campaigns, cast
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    """Batches of three candidates and four golds, of which two are positive."""
    collection = cast.collection(
        "birds",
        grades=3,
        positive_from=1,
        batch_candidates=3,
        gold_positives=2,
        gold_negatives=2,
    )
    pairs = cast.pairs(collection, 14, per_query=14)
    for pair, grade in zip(pairs[10:], (2, 2, 0, 0), strict=True):
        Gold.objects.create(
            collection=collection,
            pair=pair,
            grade=grade,
            is_positive=grade > 0,
            origin="curated",
            explanation="It says so.",
        )
    campaigns.open_pool_round(collection, pairs[:10])
    return collection


@pytest.fixture
def lead(client, collection):
    person = cast.member(collection, Role.LEAD)
    client.force_login(person)
    return person


def judge_all(collection, grade):
    """Answer a batch with one grade; return its annotator."""
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    for hand_out in claiming.open_hand_outs(annotator=annotator).select_related("batch__annotator"):
        campaigns.judge(hand_out, grade)
    return annotator


def page_of(client, annotator):
    return client.get(reverse("metrics:dashboard-person", args=["birds", annotator.pk]))


def test_golds_on_the_wrong_side_are_listed_with_both_levels(client, collection, lead):
    annotator = judge_all(collection, 1)
    answer = page_of(client, annotator)
    rows = answer.context["missed_golds"]
    negatives = set(collection.golds.filter(grade=0).values_list("pair", flat=True))
    assert {row.pair.pk for row in rows} == negatives and len(rows) == 2
    assert {(row.level.grade, row.right_level.grade) for row in rows} == {(1, 0)}
    assert [row.at for row in rows] == sorted((row.at for row in rows), reverse=True)
    page = text_of(answer)
    assert "Golds missed (2)" in page and "It says so." in page
    # as many as the number above the list tells
    refresh.refresh(collection=collection)
    row = page_of(client, annotator).context["person"].row
    assert (row["n_gold"], round(row["gold"])) == (4, 50)


def test_a_missed_gold_is_pictured(client, collection, lead):
    annotator = judge_all(collection, 0)
    document = page_of(client, annotator).context["missed_golds"][0].pair.document
    preview = Preview.objects.create(
        collection=collection, checksum="sha256:a", content=b"x", width=1, height=1
    )
    image = {"kind": "image", "path": "a.png", "checksum": "sha256:a", "preview": preview}
    part = Part.objects.create(item=document, position=1, previewed_at=timezone.now(), **image)
    address = reverse("annotate:part-preview", args=["birds", part.pk, preview.pk])
    assert address in text_of(page_of(client, annotator))


def test_retired_golds_and_those_of_others_are_left_out(client, collection, lead):
    annotator, other = judge_all(collection, 2), judge_all(collection, 0)
    assert len(page_of(client, annotator).context["missed_golds"]) == 2
    collection.golds.filter(grade=0).update(retired_at=timezone.now())
    page = page_of(client, annotator)
    assert page.context["missed_golds"] == [] and "Golds missed" not in text_of(page)
    assert len(page_of(client, other).context["missed_golds"]) == 2


def test_researchers_who_do_not_see_the_golds_see_none_here(client, collection):
    annotator = judge_all(collection, 1)
    client.force_login(cast.member(collection, Role.RESEARCHER))
    page = page_of(client, annotator)
    assert "missed_golds" not in page.context and "Golds missed" not in text_of(page)


def test_the_list_has_a_largest_length_and_a_constant_number_of_queries(
    client, collection, lead, monkeypatch, django_assert_num_queries
):
    annotator = judge_all(collection, 1)
    monkeypatch.setattr(quality, "MOST_MISSED", 1)
    with django_assert_num_queries(5):
        rows, n = quality.missed_golds(annotator=annotator)
    assert (len(rows), n) == (1, 2)
    assert "The last 1." in text_of(page_of(client, annotator))
    monkeypatch.setattr(quality, "MOST_MISSED", 20)
    with django_assert_num_queries(5):
        assert len(quality.missed_golds(annotator=annotator)[0]) == 2
