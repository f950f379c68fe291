"""Partial labels on aligned runs give the same as the plain definitions of recount.py."""

import numpy as np
import pytest
from scipy.stats import bootstrap, norm

from metrics.core.comparisons import stopping
from metrics.core.measures import measures
from metrics.core.measures.alignment import LabelledPairs, align
from metrics.core.pools import partial_labels
from pooling.core.likeness.rankings import Rankings
from tests.metrics.core.pools import recount

MEASURES = measures.parse("AP nDCG@10 mAP@R")
DEPTH = 4


@pytest.fixture
def study():
    """Four runs over 12 queries, graded labels of their first 4 documents, a few of a reference."""
    rng = np.random.default_rng(3)
    runs = [_run(rng) for _ in range(4)]
    pooled_pairs = {
        (q, doc)
        for run in runs
        for q in range(12)
        for doc in run.docs[run.indptr[q] :][:DEPTH].tolist()
    }
    people = {pair: int(rng.integers(0, 3)) for pair in pooled_pairs if rng.random() < 0.9}
    reference = {(q, int(doc)): 1 for q in range(12) for doc in rng.choice(40, 2, replace=False)}
    pairs = sorted({*people, *reference})
    columns = np.array(pairs)
    labels = partial_labels.LabelsByOrigin(
        columns[:, 0],
        columns[:, 1],
        np.array([people.get(pair, np.nan) for pair in pairs], dtype=float),
        np.array([reference.get(pair, np.nan) for pair in pairs], dtype=float),
    )
    return runs, labels


def _run(rng):
    docs = np.concatenate([rng.permutation(40)[:15] for _ in range(12)])
    return Rankings(np.arange(13) * 15, docs)


def plain(labels):
    """The same without a reference, as recount.py takes labels."""
    return labels._replace(reference=np.full(len(labels.query), np.nan))


def as_labels(labels):
    is_labelled = ~np.isnan(labels.people)
    return LabelledPairs(
        labels.query[is_labelled], labels.doc[is_labelled], labels.people[is_labelled]
    )


def test_leaving_labels_out_equals_aligning_with_fewer_labels(study):
    runs, labels = study
    keep = np.random.default_rng(1).random(len(labels.query)) < 0.5
    left = labels.grades(keep)
    is_labelled = ~np.isnan(left)
    fewer = LabelledPairs(labels.query[is_labelled], labels.doc[is_labelled], left[is_labelled])
    for run in runs:
        values = partial_labels.values_with_labels(
            align(run, labels.as_labels()), labels, keep, MEASURES, 1
        )
        plainly = measures.evaluate(MEASURES, align(run, fewer), 1)
        np.testing.assert_array_equal(values, [plainly[measure.name] for measure in MEASURES])


def test_without_its_own_finds_a_run_scores_as_the_definition_says(study):
    runs, labels_by_origin = study[0], plain(study[1])
    labels = as_labels(labels_by_origin)
    expected = recount.leave_one_out(runs, labels, MEASURES[0], depth=DEPTH)
    unique = partial_labels.unique_contributions(
        recount.pool_contributions(runs, labels_by_origin.as_labels(), depth=DEPTH)
    )
    for s, run in enumerate(runs):
        values = partial_labels.values_with_labels(
            align(run, labels_by_origin.as_labels()), labels_by_origin, ~unique[s], MEASURES[:1], 1
        )
        assert values.mean() == pytest.approx(expected[s].score_without, abs=1e-15)
        assert (
            np.count_nonzero(unique[s] & ~np.isnan(labels_by_origin.people)) == expected[s].n_unique
        )


def test_a_reference_label_stays_known_when_peoples_is_taken_away(study):
    _, labels = study
    nobody = labels.grades(np.zeros(len(labels.query), dtype=bool))
    np.testing.assert_array_equal(nobody, labels.reference)
    everybody = labels.grades(np.ones(len(labels.query), dtype=bool))
    pairs = zip(labels.people.tolist(), labels.reference.tolist(), strict=True)
    assert everybody.tolist() == [
        reference if np.isnan(people) else people for people, reference in pairs
    ]
    assert not np.isnan(everybody).any()


def test_all_subsets_of_few_runs_and_some_of_many():
    rng = np.random.default_rng(0)
    assert [subset.size for subset in partial_labels.subsets(3, n_a_size=1, rng=rng)] == [
        1,
        1,
        1,
        2,
        2,
        2,
        3,
    ]
    many = partial_labels.subsets(40, n_a_size=4, rng=rng)
    assert [subset.members.sum() for subset in many] == [subset.size for subset in many]
    assert sorted({subset.size for subset in many}) == [1, 2, 3, 4, 6, 9, 14, 22, 35, 40]
    assert len({subset.members.tobytes() for subset in many}) == len(many) <= 4 * 10


def test_a_swap_is_an_order_that_changed_and_a_tie_that_came_or_went():
    before, now = np.array([0.3, 0.2, 0.1, 0.1]), np.array([0.3, 0.05, 0.1, 0.2])
    assert stopping.swapped_pairs(before, now) == [(1, 2), (1, 3), (2, 3)]
    assert stopping.swapped_pairs(now, now) == []


def test_how_sure_neighbours_are_is_near_one_where_every_query_agrees_and_half_where_none_differs():
    rng = np.random.default_rng(5)
    noise = rng.random(200)
    values = np.array([noise, noise + 0.1, noise, rng.random(200)])
    neighbours = stopping.neighbours(values, rng=rng)
    assert neighbours[0] == (1, 0, 1.0)
    assert neighbours[1].share == 0.5
    assert (neighbours[1].better, neighbours[1].worse) == (0, 2)


def test_the_bootstrap_of_neighbours_agrees_with_scipys():
    rng = np.random.default_rng(8)
    values = np.array([rng.random(60) + 0.04, rng.random(60)])
    share = stopping.neighbours(values, rng=rng, n_replicates=4000)[0].share
    better, worse = sorted(values, key=lambda row: -row.mean())
    error = bootstrap((better - worse,), np.mean, n_resamples=4000, rng=rng).standard_error
    assert share == pytest.approx(norm.cdf((better - worse).mean() / error), abs=0.02)


def test_without_queries_nothing_is_said():
    assert stopping.neighbours(np.zeros((3, 0)), rng=np.random.default_rng(0)) == []
