"""Annotators judged by one another: by scikit-learn, statsmodels, and a recount label by label."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.pool.people import BinaryLabels, people_as_systems
from metrics.core.statistics.groups import Groups
from tests.sizes import cases

N_PEOPLE, N_PAIRS = 4, 12
# (pair, annotator) -> whether it is positive
LABELS = st.dictionaries(
    st.tuples(st.integers(0, N_PAIRS - 1), st.integers(0, N_PEOPLE - 1)),
    st.booleans(),
    min_size=1,
    max_size=40,
)


def qualities(labels, *, n_pairs=N_PAIRS, queries=None):
    rows = np.array([(*key, value) for key, value in labels.items()], dtype=np.int64).T
    query = np.arange(n_pairs) if queries is None else np.array(queries)
    return people_as_systems(
        BinaryLabels(rows[0], rows[1], rows[2].astype(bool), query),
        n_annotators=N_PEOPLE,
        groups=Groups.single(int(query.max()) + 1),
    )


def recount(labels, people):
    """The sums of some annotators: n, positives, expected ones, and those in common."""
    n = n_positive = 0
    expected = common = Fraction(0)
    for (pair, person), is_positive in labels.items():
        theirs = [
            value
            for (other_pair, other), value in labels.items()
            if other_pair == pair and other != person
        ]
        if person in people and theirs:
            share = Fraction(sum(theirs), len(theirs))
            n, n_positive, expected = n + 1, n_positive + is_positive, expected + share
            common += share * is_positive
    return n, n_positive, expected, common


@cases(300)
@given(LABELS)
def test_shares_are_those_of_a_recount(labels):
    whole, *people = qualities(labels)
    expected_people = [p for p in range(N_PEOPLE) if recount(labels, {p})[0]]
    assert [person.annotator for person in people] == expected_people
    for row in (whole, *people):
        own = set(range(N_PEOPLE)) if row.annotator is None else {row.annotator}
        n, n_positive, expected, common = recount(labels, own)
        assert (row.n, row.n_positive) == (n, n_positive)
        assert row.n_expected == pytest.approx(float(expected))
        for value, part, base in (
            (row.precision, common, n_positive),
            (row.recall, common, expected),
            (row.f1, 2 * common, n_positive + expected),
        ):
            assert value == (pytest.approx(float(part / base)) if base else None)
    assert whole.precision == (None if whole.recall is None else pytest.approx(whole.recall))


@cases(100)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=N_PAIRS))
def test_of_two_people_each_is_scored_by_the_other_as_scikit_learn_does(pairs):
    labels = {(pair, person): row[person] for pair, row in enumerate(pairs) for person in (0, 1)}
    for row in qualities(labels)[1:]:
        own = [pair[row.annotator] for pair in pairs]
        truth = [pair[1 - row.annotator] for pair in pairs]
        for ours, score in (
            (row.precision, precision_score),
            (row.recall, recall_score),
            (row.f1, f1_score),
        ):
            assert (ours or 0) == pytest.approx(score(truth, own, zero_division=0))


def test_shares_of_two_people_have_wilsons_intervals():
    pairs = [(True, True)] * 20 + [(True, False)] * 12 + [(False, True)] * 5
    labels = {(pair, person): row[person] for pair, row in enumerate(pairs) for person in (0, 1)}
    first = qualities(labels, n_pairs=37)[1]
    expected = [proportion_confint(20, n, method="wilson") for n in (32, 25)]
    intervals = [tuple(first.precision_interval), tuple(first.recall_interval)]
    assert intervals == [pytest.approx(ends, abs=1e-9) for ends in expected]
    clustered = qualities(labels, n_pairs=37, queries=[pair // 4 for pair in range(37)])[1]
    assert clustered.precision == first.precision
    assert clustered.precision_interval.low < first.precision_interval.low
