"""Golds that most good people fail are named; golds that careless people fail are not."""

import pytest

from annotate.models import Gold
from annotate.services.golds import quality
from annotate.services.judging import claiming
from tests import campaigns, cast
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    """Four golds, the last one wrong, and a pool that keeps people busy."""
    collection = campaigns.open_collection(
        20, "birds", grades=2, gold_positives=4, gold_negatives=0, batch_candidates=1, grouped=False
    )
    for pair in cast.pairs(collection, 4):
        Gold.objects.create(
            collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
        )
    return collection


def answer(collection, grades):
    """One person's first batch: her grade for each gold in turn, 1 for all else."""
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    grade_by_pair = dict(
        zip(Gold.objects.order_by("pk").values_list("pair_id", flat=True), grades, strict=True)
    )
    for hand_out in claiming.open_hand_outs(annotator=annotator).select_related(
        "batch__annotator", "seat"
    ):
        campaigns.judge(hand_out, grade_by_pair.get(hand_out.seat.pair_id, 1))


def line_figures(collection):
    return [
        (line.gold.pk, line.n_good_wrong, line.n_good, line.n_wrong, line.n)
        for line in quality.doubtful(collection=collection)
    ]


def test_a_gold_that_most_good_people_fail_is_doubtful(collection, django_assert_max_num_queries):
    *_, wrong = Gold.objects.order_by("pk")
    assert line_figures(collection) == []
    for grades in [(1, 1, 1, 0), (1, 1, 1, 0)]:
        answer(collection, grades)
    assert line_figures(collection) == []  # two people are too few
    answer(collection, (1, 1, 1, 0))
    answer(collection, (0, 0, 0, 1))  # a careless person
    with django_assert_max_num_queries(9):
        assert line_figures(collection) == [(wrong.pk, 3, 3, 3, 4)]
    lines = quality.gold_lines(collection=collection)
    assert lines[0].gold == wrong
    assert sorted((line.n, line.n_wrong) for line in lines) == [(4, 1), (4, 1), (4, 1), (4, 3)]


def test_a_retired_gold_is_no_longer_named(collection):
    for _ in range(3):
        answer(collection, (1, 1, 1, 0))
    assert len(line_figures(collection)) == 1
    Gold.objects.filter(pk=line_figures(collection)[0][0]).update(retired_at="2026-01-01T00:00Z")
    assert line_figures(collection) == []


def test_the_inbox_shows_it(client, collection):
    for _ in range(3):
        answer(collection, (1, 1, 1, 0))
    client.force_login(cast.member(collection, "lead"))
    page = text_of(client.get("/c/birds/inbox/?tab=golds"))
    assert "3 of 3" in page and "No gold is in doubt" not in page
