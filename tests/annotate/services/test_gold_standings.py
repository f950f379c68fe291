"""Golds that most good people fail are named; golds that careless people fail are not."""

import pytest

from annotate.models import Gold
from annotate.services import claiming, gold_standings
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    """Four golds, the last one wrong, and a pool that keeps people busy."""
    made = cast.collection(
        "birds", grades=2, gold_positives=4, gold_negatives=0, batch_candidates=1, grouped=False
    )
    campaigns.open_pool_round(made, cast.pairs(made, 20))
    for pair in cast.pairs(made, 4):
        Gold.objects.create(collection=made, pair=pair, grade=1, is_positive=True, origin="curated")
    return made


def answer(made, grades):
    """One person's first batch: her grade for each gold in turn, 1 for all else."""
    annotator = cast.annotator(made)
    claiming.current_batch(annotator=annotator)
    given = dict(zip(Gold.objects.order_by("pk").values_list("pair_id", flat=True), grades, strict=True))
    for hand_out in claiming.unanswered(annotator=annotator).select_related("batch__annotator", "seat"):
        campaigns.judge(hand_out, given.get(hand_out.seat.pair_id, 1))


def told(made):
    return [(line.gold.pk, line.n_good_wrong, line.n_good, line.n_wrong, line.n)
            for line in gold_standings.doubtful(collection=made)]  # fmt: skip


def test_a_gold_that_most_good_people_fail_is_doubtful(made, django_assert_max_num_queries):
    *_, wrong = Gold.objects.order_by("pk")
    assert told(made) == []
    for grades in [(1, 1, 1, 0), (1, 1, 1, 0)]:
        answer(made, grades)
    assert told(made) == []  # two people are too few
    answer(made, (1, 1, 1, 0))
    answer(made, (0, 0, 0, 1))  # a careless person
    with django_assert_max_num_queries(9):
        assert told(made) == [(wrong.pk, 3, 3, 3, 4)]
    lines = gold_standings.gold_lines(collection=made)
    assert lines[0].gold == wrong
    assert sorted((line.n, line.n_wrong) for line in lines) == [(4, 1), (4, 1), (4, 1), (4, 3)]


def test_a_retired_gold_is_no_longer_named(made):
    for _ in range(3):
        answer(made, (1, 1, 1, 0))
    assert len(told(made)) == 1
    Gold.objects.filter(pk=told(made)[0][0]).update(retired_at="2026-01-01T00:00Z")
    assert told(made) == []


def test_the_inbox_shows_it(client, made):
    for _ in range(3):
        answer(made, (1, 1, 1, 0))
    client.force_login(cast.member(made, "lead"))
    page = client.get("/c/birds/inbox/?tab=golds").content.decode()
    assert "3 of 3" in page and "No gold is in doubt" not in page
