"""Golds that need nobody: from the reference, and from where no run ever looked."""

import pytest

from annotate.models import Gold, Level, ReviewAction
from annotate.services import claiming
from pooling.models import PoolPair
from pooling.services import golds
from tests import cast
from tests.pooling import making

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return making.collection(n_queries=5, n_documents=40)


def make(collection, reference, n_positive=3, n_negative=20, seed=1):
    return golds.make_golds(
        collection=collection, reference_set=reference, n_positive=n_positive, n_negative=n_negative, seed=seed
    )


def test_positives_come_from_the_reference_and_prefer_pairs_that_no_pool_holds(collection):
    run = making.run(collection, "a", {q: [q] for q in range(5)})
    making.opened(collection, [run], depth=1)
    reference = making.reference(collection, [*((q, q) for q in range(5)), (0, 30), (1, 31)])
    assert make(collection, reference).n_positive == 3
    positives = Gold.objects.filter(is_positive=True)
    assert {("q0", "d30"), ("q1", "d31")} < making.named(positives)
    assert set(positives.values_list("origin", "grade")) == {("reference", 1)}


def test_negatives_are_outside_every_run_s_top_25_every_reference_and_every_pair(collection):
    making.run(collection, "a", {q: list(range(25)) for q in range(5)})
    making.run(collection, "r", {d: [0, 1] for d in range(40)}, "reverse")
    reference = making.reference(collection, [(q, 39) for q in range(5)])
    assert make(collection, reference, n_negative=100).n_negative > 30
    negatives = making.named(Gold.objects.filter(is_positive=False))
    assert negatives <= {(f"q{q}", f"d{d}") for q in (2, 3, 4) for d in range(25, 39)}


def test_a_random_negative_that_a_later_run_ranks_high_is_a_gold_no_more(collection):
    reference = making.reference(collection, [(q, 39) for q in range(5)])
    make(collection, reference, 0, 20)
    before = making.named(Gold.objects.all())
    making.opened(collection, [making.run(collection, "late", {q: list(range(25)) for q in range(5)})], depth=1)
    kept = making.named(Gold.objects.filter(retired_at=None))
    assert before - kept == {(q, d) for q, d in before if int(d[1:]) < 25} != set()
    assert all(int(d[1:]) >= 25 for _, d in kept)
    retired = ReviewAction.objects.filter(collection=collection, kind="gold_retired")
    assert retired.count() == len(before - kept)
    assert retired.first().reason == (
        "Grade 0, random negative outside every run's top: a run ranks it among its first 25"
    )


def test_making_again_tops_up_and_the_seed_decides(collection):
    reference = making.reference(collection, [(q, q) for q in range(5)])
    assert make(collection, reference, 2, 5) == (2, 5)
    assert make(collection, reference, 2, 5) == (0, 0)
    assert make(collection, reference, 4, 6) == (2, 1)
    other = making.collection(n_queries=5, n_documents=40)
    same = making.collection(n_queries=5, n_documents=40)
    chosen = []
    for copy, seed in ((other, 9), (same, 9)):
        make(copy, making.reference(copy, [(0, 0)]), 0, 10, seed)
        chosen.append(making.named(Gold.objects.filter(collection=copy)))
    assert chosen[0] == chosen[1]


def test_one_line_of_the_log_says_how_many_golds_a_pool_made(collection):
    reference = making.reference(collection, [(q, q) for q in range(5)])
    make(collection, reference, 2, 5)
    make(collection, reference, 2, 5)  # nothing is missing: no line
    (line,) = ReviewAction.objects.filter(collection=collection)
    assert (line.kind, line.by, line.pair) == ("golds_made", None, None)
    assert line.reason == "2 from the reference, 5 random negatives, seed 1."
    other = making.collection(n_queries=5, n_documents=40, gold_positives=1, gold_negatives=1)
    making.reference(other, [(q, q) for q in range(5)])
    making.opened(other, [making.run(other, "a", {q: [q] for q in range(5)})], depth=1)
    assert ReviewAction.objects.get(collection=other).reason.startswith('Pool "first" opened: ')


def test_excluded_items_and_other_splits_are_never_golds(collection):
    collection.items.filter(external_id__in=["q0", "d1"]).update(split="train")
    collection.items.filter(external_id__in=["q3", "d4"]).update(excluded_at="2026-01-01T00:00Z", excluded_reason="odd")
    reference = making.reference(collection, [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)])
    make(collection, reference, 10, 300)
    names = {name for pair in making.named(Gold.objects.all()) for name in pair}
    assert names.isdisjoint({"q0", "d1", "q3", "d4"})
    assert Gold.objects.filter(is_positive=True).count() == 1


def test_a_scheme_without_a_negative_level_gets_no_negatives():
    collection = making.collection()
    Level.objects.filter(collection=collection, grade=0).delete()
    assert make(collection, making.reference(collection, [(0, 0)])).n_negative == 0


def test_opening_a_pool_makes_golds_and_batches_carry_them():
    collection = making.collection(n_queries=5, n_documents=40, gold_positives=1, gold_negatives=1, batch_candidates=8)
    making.reference(collection, [(q, 30 + q) for q in range(5)])
    run = making.run(collection, "a", {q: [q, q + 1] for q in range(5)})
    pool = making.opened(collection, [run])
    assert Gold.objects.filter(is_positive=True).count() == 5
    assert making.named(Gold.objects.all()).isdisjoint(making.named(PoolPair.objects.filter(pool=pool)))
    batch = claiming.current_batch(annotator=cast.annotator(collection))
    assert batch.hand_outs.count() == 10
    assert batch.hand_outs.filter(seat__purpose="gold").count() == 2


def test_a_policy_without_golds_makes_none(collection):
    making.reference(collection, [(0, 0)])
    making.opened(collection, [making.run(collection, "a", {0: [1]})])
    assert Gold.objects.count() == 0


def test_golds_of_a_collection_with_pools_are_of_the_queries_that_pools_hold():
    collection = making.collection(n_queries=5, n_documents=40, gold_positives=1, gold_negatives=1)
    making.reference(collection, [(q, 30 + q) for q in range(5)])
    making.opened(collection, [making.run(collection, "a", {q: [q, q + 1] for q in (1, 3)})])
    assert {query for query, _ in making.named(Gold.objects.all())} == {"q1", "q3"}
    assert set(Gold.objects.values_list("is_positive", flat=True)) == {True, False}
