"""Golds made without people: from the reference, and from pairs that no run ranks high."""

import pytest

from annotate.models import Gold, Level, ReviewAction
from annotate.services.judging import claiming
from pooling.models import PoolPair
from pooling.services.pools import automatic_golds
from tests import cast
from tests.pooling import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return factories.collection(n_queries=5, n_documents=40)


def make(collection, reference, n_positive=3, n_negative=20, seed=1):
    return automatic_golds.make_golds(
        collection=collection,
        reference_set=reference,
        n_positive=n_positive,
        n_negative=n_negative,
        seed=seed,
    )


def test_positives_come_from_the_reference_and_prefer_pairs_that_no_pool_holds(collection):
    run = factories.run(collection, "a", {q: [q] for q in range(5)})
    factories.opened(collection, [run], depth=1)
    reference = factories.reference(collection, [*((q, q) for q in range(5)), (0, 30), (1, 31)])
    assert make(collection, reference).n_positive == 3
    positives = Gold.objects.filter(is_positive=True)
    assert {("q0", "d30"), ("q1", "d31")} < factories.external_ids(positives)
    assert set(positives.values_list("origin", "grade")) == {("reference", 1)}


def test_negatives_are_outside_every_run_s_top_25_every_reference_and_every_pair(collection):
    factories.run(collection, "a", {q: list(range(25)) for q in range(5)})
    factories.run(collection, "r", {d: [0, 1] for d in range(40)}, "reverse")
    reference = factories.reference(collection, [(q, 39) for q in range(5)])
    assert make(collection, reference, n_negative=100).n_negative > 30
    negatives = factories.external_ids(Gold.objects.filter(is_positive=False))
    assert negatives <= {(f"q{q}", f"d{d}") for q in (2, 3, 4) for d in range(25, 39)}


def test_a_random_negative_that_a_later_run_ranks_high_is_a_gold_no_more(collection):
    reference = factories.reference(collection, [(q, 39) for q in range(5)])
    make(collection, reference, 0, 20)
    before = factories.external_ids(Gold.objects.all())
    factories.opened(
        collection,
        [factories.run(collection, "late", {q: list(range(25)) for q in range(5)})],
        depth=1,
    )
    golds_in_use = factories.external_ids(Gold.objects.filter(retired_at=None))
    assert before - golds_in_use == {(q, d) for q, d in before if int(d[1:]) < 25} != set()
    assert all(int(d[1:]) >= 25 for _, d in golds_in_use)
    retired = ReviewAction.objects.filter(collection=collection, kind="gold_retired")
    assert retired.count() == len(before - golds_in_use)
    assert retired.first().reason == (
        "Grade 0, random negative outside every run's top: a run ranks it among its first 25"
    )


def test_making_again_tops_up_and_the_seed_decides(collection):
    reference = factories.reference(collection, [(q, q) for q in range(5)])
    assert make(collection, reference, 2, 5) == (2, 5)
    assert make(collection, reference, 2, 5) == (0, 0)
    assert make(collection, reference, 4, 6) == (2, 1)
    other = factories.collection(n_queries=5, n_documents=40)
    same = factories.collection(n_queries=5, n_documents=40)
    chosen = []
    for copy, seed in ((other, 9), (same, 9)):
        make(copy, factories.reference(copy, [(0, 0)]), 0, 10, seed)
        chosen.append(factories.external_ids(Gold.objects.filter(collection=copy)))
    assert chosen[0] == chosen[1]


def test_one_line_of_the_log_says_how_many_golds_a_pool_made(collection):
    reference = factories.reference(collection, [(q, q) for q in range(5)])
    make(collection, reference, 2, 5)
    make(collection, reference, 2, 5)  # nothing is missing: no line
    (line,) = ReviewAction.objects.filter(collection=collection)
    assert (line.kind, line.by, line.pair) == ("golds_made", None, None)
    assert line.reason == "2 from the reference, 5 random negatives, seed 1."
    other = factories.collection(n_queries=5, n_documents=40, gold_positives=1, gold_negatives=1)
    factories.reference(other, [(q, q) for q in range(5)])
    factories.opened(other, [factories.run(other, "a", {q: [q] for q in range(5)})], depth=1)
    assert ReviewAction.objects.get(collection=other).reason.startswith('Pool "first" opened: ')


def test_excluded_items_and_other_splits_are_never_golds(collection):
    collection.items.filter(external_id__in=["q0", "d1"]).update(split="train")
    collection.items.filter(external_id__in=["q3", "d4"]).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="odd"
    )
    reference = factories.reference(collection, [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)])
    make(collection, reference, 10, 300)
    names = {name for pair in factories.external_ids(Gold.objects.all()) for name in pair}
    assert names.isdisjoint({"q0", "d1", "q3", "d4"})
    assert Gold.objects.filter(is_positive=True).count() == 1


def test_a_scheme_without_a_negative_level_gets_no_negatives():
    collection = factories.collection()
    Level.objects.filter(collection=collection, grade=0).delete()
    assert make(collection, factories.reference(collection, [(0, 0)])).n_negative == 0


def test_opening_a_pool_makes_golds_and_batches_carry_them():
    collection = factories.collection(
        n_queries=5, n_documents=40, gold_positives=1, gold_negatives=1, batch_candidates=8
    )
    factories.reference(collection, [(q, 30 + q) for q in range(5)])
    run = factories.run(collection, "a", {q: [q, q + 1] for q in range(5)})
    pool = factories.opened(collection, [run])
    assert Gold.objects.filter(is_positive=True).count() == 5
    assert factories.external_ids(Gold.objects.all()).isdisjoint(
        factories.external_ids(PoolPair.objects.filter(pool=pool))
    )
    batch = claiming.current_batch(annotator=cast.annotator(collection))
    assert batch.hand_outs.count() == 10
    assert batch.hand_outs.filter(seat__purpose="gold").count() == 2


def test_a_policy_without_golds_makes_none(collection):
    factories.reference(collection, [(0, 0)])
    factories.opened(collection, [factories.run(collection, "a", {0: [1]})])
    assert Gold.objects.count() == 0


def test_golds_of_a_collection_with_pools_are_of_the_queries_that_pools_hold():
    collection = factories.collection(
        n_queries=5, n_documents=40, gold_positives=1, gold_negatives=1
    )
    factories.reference(collection, [(q, 30 + q) for q in range(5)])
    factories.opened(collection, [factories.run(collection, "a", {q: [q, q + 1] for q in (1, 3)})])
    assert {query for query, _ in factories.external_ids(Gold.objects.all())} == {"q1", "q3"}
    assert set(Gold.objects.values_list("is_positive", flat=True)) == {True, False}
