"""Analyses of a pool that is a sample: what its draw leaves unknown is told, or refused."""

import pytest

from annotate.models import Item
from pooling.models import Pool, PoolStratum
from tests.metrics.services.analysis.pool.pooled_study import (
    DEPTH,
    people_grades,
    pooled_study,
    rankings_of,
    reference_grades,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
OF_SHARES = [
    "labels-by-run-and-rank",
    "reference-against-people",
    "saturated-queries",
    "refused-positives",
]
OF_SCORES = ["unique-positives", "scores-by-pools-of-one", "pool-bias-by-size"]
DRAWN = (
    "is a sample: shares are of labelled pairs alone, each counted once, whatever its chance to be "
    "drawn."
)


@pytest.fixture
def study(media_root):
    return pooled_study()


def leave_undrawn(collection, *, rank):
    """Call a pair at this rank of A without a label one that the pool did not draw."""
    labelled_pairs = people_grades().keys() | reference_grades(collection).keys()
    query, target = next(
        (query, targets[rank - 1])
        for query, targets in rankings_of("A").items()
        if (query, targets[rank - 1]) not in labelled_pairs
    )
    PoolStratum.objects.create(
        pool=Pool.objects.get(),
        source=Item.objects.get(pk=query),
        stratum=1,
        n_pooled=1,
        n_drawn=0,
        undrawn=[target],
    )
    return str(Pool.objects.get().name)


@pytest.mark.parametrize("name", OF_SHARES)
def test_shares_of_labelled_pairs_say_that_the_draw_is_not_in_them(study, name):
    assert not any("sample" in note for note in answer_of(study, name).result.notes)
    pool = leave_undrawn(study, rank=DEPTH + 1)
    notes = answer_of(study, name).result.notes
    assert f"Pool “{pool}” {DRAWN}" in notes
    assert not any("irrelevant" in note for note in notes)


@pytest.mark.parametrize("name", OF_SCORES)
def test_scores_that_count_the_undrawn_are_refused_and_exact_ones_stand(study, name):
    before = table_of(study, name, measure="C@1")
    leave_undrawn(study, rank=DEPTH + 1)
    assert table_of(study, name, measure="C@1") == before
    notes = answer_of(study, name, measure="C@1").result.notes
    told = [note for note in notes if "sample" in note]
    assert all("numbers of positives count" in note for note in told)
    assert len(told) == (name != "pool-bias-by-size")
    answer = answer_of(study, name, measure="AP")
    assert answer.result is None
    assert answer.reason == (
        "AP of a single query counts as irrelevant what a sample did not draw: it needs labels of "
        "all the ranks that it looks at."
    )
