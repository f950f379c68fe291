"""The number of batches of the open pools that can have golds."""

import pytest

from annotate.core.labels.batches import max_batches
from annotate.models import Gold
from annotate.services.golds import reach
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def study(*, grouped):
    """An open pool of five queries of four pairs each, in batches of three."""
    collection = cast.collection(grades=2, batch_candidates=3, grouped=grouped)
    pairs = cast.pairs(collection, 20, per_query=4)
    campaigns.open_pool_round(collection, pairs)
    return collection, pairs


def add_gold(collection, pair):
    return Gold.objects.create(
        collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
    )


def test_where_one_querys_pairs_come_together_only_batches_of_queries_with_golds_can_hold_one():
    collection, pairs = study(grouped=True)
    assert reach.gold_reach(collection=collection)[:3] == (7, 0, 0)
    add_gold(collection, pairs[0])
    retired = add_gold(collection, pairs[4])
    assert reach.gold_reach(collection=collection)[:3] == (7, 4, 2)
    Gold.objects.filter(pk=retired.pk).update(retired_at="2026-01-01T00:00Z")
    assert reach.gold_reach(collection=collection)[:3] == (7, 2, 1)


def test_where_queries_come_mixed_every_batch_can():
    collection, pairs = study(grouped=False)
    assert reach.gold_reach(collection=collection)[:3] == (7, 0, None)
    add_gold(collection, pairs[0])
    assert reach.gold_reach(collection=collection)[:3] == (7, 7, None)


def test_each_label_of_a_pair_stands_in_a_run_of_its_own():
    collection = cast.collection(grades=2, batch_candidates=3, labels_per_pair=2)
    pairs = cast.pairs(collection, 8, per_query=2)
    campaigns.open_pool_round(collection, pairs)
    add_gold(collection, pairs[0])
    assert reach.gold_reach(collection=collection)[:3] == (6, 4, 1)


def test_golds_of_a_kind_that_the_policy_puts_into_no_batch_reach_none():
    collection = cast.collection(grades=2, batch_candidates=3, gold_positives=0)
    pairs = cast.pairs(collection, 4, per_query=4)
    campaigns.open_pool_round(collection, pairs)
    add_gold(collection, pairs[0])
    assert reach.gold_reach(collection=collection).n_holding == 0


def test_without_an_open_pool_there_is_nothing_to_say():
    assert reach.gold_reach(collection=cast.collection()) is None


@pytest.mark.parametrize(
    ("runs", "size", "n"), [([], 3, 0), ([1], 3, 1), ([2], 3, 2), ([4], 3, 2), ([5, 1], 3, 4)]
)
def test_a_run_of_seats_lies_in_so_many_batches_at_most(runs, size, n):
    assert max_batches(runs, size) == n
