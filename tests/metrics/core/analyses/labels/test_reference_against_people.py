"""Reference sets against people: a recount query by query from the paper's definition."""

from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.labels.reference_against_people import (
    JudgedPairs,
    QueryShare,
    reference_against_people,
)
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

N_QUERIES = 6
PAIRS = st.lists(
    st.tuples(st.integers(0, N_QUERIES - 1), st.booleans(), st.booleans(), st.booleans()),
    max_size=50,
)


def against_people(pairs, groups: Groups | None = None):
    """The quality of each set; pairs : query, whether it is people's positive, and each set's."""
    query, is_positive, *is_in_set = zip(*pairs, strict=True) if pairs else [(), (), (), ()]
    judged = JudgedPairs(np.array(query, dtype=np.int64), np.array(is_positive, dtype=bool))
    members = np.array(is_in_set, dtype=bool).reshape(len(is_in_set), len(query))
    return reference_against_people(judged, members, groups=groups or Groups.single(N_QUERIES))


def recounted(pairs, number: int, weight):
    """Counts, and per share the queries with their values, by sets of pairs of each query."""
    shares = {"precision": {}, "recall": {}, "recall_in_both": {}}
    n_agreed = n_refused = n_missing = 0
    for query in range(N_QUERIES):
        of_query = [(at, row) for at, row in enumerate(pairs) if row[0] == query]
        theirs = {at for at, row in of_query if row[1]}
        judged_of_set = {at for at, row in of_query if row[2 + number]}
        n_agreed += len(theirs & judged_of_set)
        n_refused += len(judged_of_set - theirs)
        n_missing += len(theirs - judged_of_set)
        if judged_of_set:
            shares["precision"][query] = len(theirs & judged_of_set) / len(judged_of_set)
        if theirs:
            shares["recall"][query] = 1 - len(theirs - judged_of_set) / len(theirs)
        if theirs and judged_of_set:
            shares["recall_in_both"][query] = shares["recall"][query]
    means = {
        name: (
            recounts.weighted_mean(list(values.values()), [weight[query] for query in values])
            if values
            else None,
            len(values),
        )
        for name, values in shares.items()
    }
    return (n_agreed, n_refused, n_missing), means


@cases(400)
@given(PAIRS, st.lists(st.integers(1, 3), min_size=N_QUERIES, max_size=N_QUERIES))
def test_counts_and_means_are_those_of_a_recount(pairs, weight):
    groups = Groups.of(np.arange(N_QUERIES), weight=np.array(weight, dtype=float))
    for number, ours in enumerate(against_people(pairs, groups)):
        counts, means = recounted(pairs, number, weight)
        assert (ours.n_agreed, ours.n_refused, ours.n_missing) == counts
        for name, (mean, n) in means.items():
            share = getattr(ours, name)
            assert share.n == n
            assert share.share == (None if mean is None else pytest.approx(mean, abs=1e-12))
            if share.interval != NO_INTERVAL:
                assert 0 <= share.interval.low <= share.share <= share.interval.high <= 1


def test_queries_without_a_judged_positive_of_the_set_have_a_recall_of_0_but_no_precision():
    ours = against_people([(0, True, True, False), (1, True, False, False), (2, False, True, True)])
    first, second = ours
    assert (first.precision.share, first.precision.n) == (0.5, 2)
    assert (first.recall.share, first.recall.n) == (0.5, 2)
    assert (first.recall_in_both.share, first.recall_in_both.n) == (1.0, 1)
    assert (second.recall.share, second.recall.n) == (0.0, 2)
    assert second.recall_in_both == QueryShare(None, NO_INTERVAL, 0)
    assert (second.precision.share, second.precision.n) == (0.0, 1)


def test_without_judged_pairs_no_share_is_defined():
    for ours in against_people([]):
        assert (ours.n_agreed, ours.n_refused, ours.n_missing) == (0, 0, 0)
        nothing = QueryShare(None, NO_INTERVAL, 0)
        assert (ours.precision, ours.recall, ours.recall_in_both) == (nothing,) * 3


def test_the_interval_of_single_pairs_is_statsmodels_wilson_interval():
    """A query with one judged positive of the set has a precision of 0 or 1."""
    pairs = [(query, query % 4 > 0, True) for query in range(60)]
    (ours,) = against_people(pairs, Groups.single(60))
    theirs = proportion_confint(45, 60, method="wilson")
    assert ours.precision.interval == pytest.approx(theirs, abs=1e-9)
    assert ours.precision.share == fmean([query % 4 > 0 for query in range(60)])


def test_queries_of_one_group_make_the_interval_wider():
    pairs = [(query, query // 5 % 4 > 0, True) for query in range(60)]
    (single,) = against_people(pairs, Groups.single(60))
    (grouped,) = against_people(pairs, Groups.of(np.arange(60) // 5))
    assert grouped.precision.share == single.precision.share
    assert grouped.precision.interval.low < single.precision.interval.low
    (alone,) = against_people(pairs, Groups.of(np.zeros(60)))
    assert alone.precision.interval == NO_INTERVAL
