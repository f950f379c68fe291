"""Scores under many label sets, held to trec_eval and to labels aligned anew."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.analyses.pool import label_sets as module
from metrics.core.analyses.pool.label_sets import (
    GradeMoves,
    LabelSet,
    differing_labels,
    extreme_scores,
    grade_moves,
    grades_of_pairs,
    grades_without,
    moved_scores,
)
from metrics.core.measures.alignment import LabelledPairs, align
from metrics.core.measures.bounds import bounds
from metrics.core.measures.measures import parse_one
from pooling.core.likeness.rankings import Rankings
from tests.metrics.core.analyses.pool import trec
from tests.sizes import cases

N_QUERIES, N_TARGETS = 3, 6
TABLES = st.lists(
    st.lists(
        st.sampled_from([None, 0, 1, 2]),
        min_size=N_QUERIES * N_TARGETS,
        max_size=N_QUERIES * N_TARGETS,
    ),
    min_size=2,
    max_size=4,
)
LISTS = st.lists(st.permutations(range(N_TARGETS)), min_size=N_QUERIES, max_size=N_QUERIES)
QUERY = np.repeat(np.arange(N_QUERIES), N_TARGETS)
TARGET = np.tile(np.arange(N_TARGETS), N_QUERIES)


def label_set(table, threshold=1):
    grades = [np.nan if grade is None else grade for grade in table]
    return LabelSet(np.array(grades, dtype=np.float32), threshold)


def rankings_of(lists):
    docs = np.array([target for targets in lists for target in targets])
    return Rankings(np.append(0, np.cumsum([len(targets) for targets in lists])), docs)


def aligned(lists):
    return align(rankings_of(lists), LabelledPairs(QUERY, TARGET, np.zeros(len(QUERY))))


def scored(lists, base, others, name):
    """All scores under each label set: those that moved in place of the base's."""
    first, *moves = moved_scores(aligned(lists), QUERY, base, others, parse_one(name))
    rows = [first.values]
    for moved in moves:
        values = first.values.copy()
        values[moved.queries] = moved.values
        rows.append(values)
    return rows


@pytest.mark.parametrize("name", ["C@1", "AP"])
@cases(100)
@given(tables=TABLES, lists=LISTS, threshold=st.sampled_from([1, 2]))
def test_scores_are_those_of_trec_eval(name, tables, lists, threshold):
    lists = [targets[:4] for targets in lists]
    base = label_set(tables[0])
    others = [label_set(table, threshold) for table in tables[1:]]
    rows = scored(lists, base, others, name)
    for row, table, least in zip(rows, tables, [1, *[threshold] * len(others)], strict=True):
        labels = {
            (query, target): grade
            for query, target, grade in zip(QUERY.tolist(), TARGET.tolist(), table, strict=True)
            if grade is not None
        }
        values = trec.values(labels, dict(enumerate(lists)), threshold=least)[name]
        assert row.tolist() == pytest.approx([values[query] for query in range(N_QUERIES)])


@pytest.mark.parametrize("name", ["nDCG@3", "ERR@3", "Judged@2"])
@cases(60)
@given(tables=TABLES, lists=LISTS)
def test_scores_are_those_of_labels_aligned_anew(name, tables, lists):
    """Of the whole grades too, whose largest one is the end of ERR's scale."""
    base, *others = map(label_set, tables)
    measure = parse_one(name)
    for row, labels in zip(scored(lists, base, others, name), [base, *others], strict=True):
        is_labelled = ~np.isnan(labels.grades)
        pairs = LabelledPairs(
            QUERY[is_labelled], TARGET[is_labelled], labels.grades[is_labelled].astype(float)
        )
        (scaled,) = module.with_scale([measure], pairs.grade)
        expected = scaled.compute(align(rankings_of(lists), pairs))
        assert row.tolist() == pytest.approx(expected.tolist(), nan_ok=True)


def test_only_queries_whose_labels_differ_are_scored_again():
    base = label_set([1, None, 0, None, None, None] * N_QUERIES)
    table = [1, None, 0, None, None, None] * N_QUERIES
    table[N_TARGETS + 1] = 2
    other = label_set(table)
    lists = [list(range(N_TARGETS))] * N_QUERIES
    _, moved, by_threshold = moved_scores(
        aligned(lists), QUERY, base, [other, base._replace(threshold=2)], parse_one("AP")
    )
    assert moved.queries.tolist() == [1]
    assert by_threshold.queries.tolist() == list(range(N_QUERIES))
    assert np.flatnonzero(differing_labels(base, other)).tolist() == [N_TARGETS + 1]
    # from 2 up no grade of the base is positive
    differs = differing_labels(base, base._replace(threshold=2))
    assert np.flatnonzero(differs).tolist() == [0, 6, 12]


def test_pairs_have_another_grade_or_none_or_one_here_alone():
    base = label_set([1, 2, 2, 0, None, None, 1])
    other = label_set([1, 1, None, None, 0, None, 0])
    assert grade_moves(base, other) == GradeMoves(n_moved=2, n_ungraded=2, n_gained=1)
    # what stands in the place of a lost grade is no grade that moved, and may be the same
    is_lost = np.array([1, 1, 1, 0, 0, 0, 0], dtype=bool)
    moves = grade_moves(base, other, is_lost)
    assert moves == GradeMoves(n_moved=1, n_ungraded=2, n_gained=1, n_lost=3, n_replaced=1)
    assert not moves.are_none
    moves = grade_moves(base, base, is_lost)
    assert moves == GradeMoves(0, 0, 0, n_lost=3) and moves.are_none
    replaced = label_set([1, 1, 2, 0, None, None, 1])
    assert not grade_moves(base, replaced, is_lost).are_none
    assert grade_moves(base, base._replace(threshold=2)) == GradeMoves(2, None, None)


@pytest.mark.parametrize("cells_a_part", [1, 2_000_000])
@cases(60)
@given(table=TABLES, lists=LISTS)
def test_the_ends_are_those_of_the_leaderboard(cells_a_part, table, lists):
    lists = [targets[:4] for targets in lists]
    base, pool = label_set(table[0]), label_set(table[1])
    is_open = np.isnan(base.grades) & ~np.isnan(pool.grades)
    measure = parse_one("AP")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CELLS_A_PART", cells_a_part)
        least, most = extreme_scores(aligned(lists), QUERY, base, is_open, measure, best_grade=2)
    is_labelled = ~np.isnan(base.grades)
    pairs = LabelledPairs(
        QUERY[is_labelled], TARGET[is_labelled], base.grades[is_labelled].astype(float)
    )
    elsewhere = [
        sum(
            is_open[query * N_TARGETS + target] and target not in lists[query]
            for target in range(N_TARGETS)
        )
        for query in range(N_QUERIES)
    ]
    expected = bounds(
        measure, align(rankings_of(lists), pairs), best_grade=2, elsewhere=np.array(elsewhere)
    )
    assert least.tolist() == pytest.approx(expected.least.tolist())
    assert most.tolist() == pytest.approx(expected.most.tolist())


def majority(policy, grades):
    """More than half, or the smaller of two under the policy 7; none else."""
    ((grade, n),) = Counter(grades).most_common(1) or [(None, 0)]
    if 2 * n > len(grades):
        return grade
    return min(grades) if policy == 7 and grades else None


@cases(100)
@given(
    tables=st.lists(
        st.tuples(st.sampled_from([5, 7]), st.lists(st.integers(0, 3), min_size=1, max_size=4)),
        min_size=1,
        max_size=6,
    ),
    most_keys=st.sampled_from([1, 2**40]),
)
def test_each_label_is_left_out_of_its_pair(tables, most_keys):
    pair = np.repeat(np.arange(len(tables)), [len(grades) for _, grades in tables])
    grade = np.array([grade for _, grades in tables for grade in grades])
    policy = np.array([policy for policy, _ in tables])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_KEYS", most_keys)
        values = grades_without(pair, grade, policy, majority).tolist()
    expected = [
        majority(policy, [*grades[:number], *grades[number + 1 :]])
        for policy, grades in tables
        for number in range(len(grades))
    ]
    assert values == pytest.approx(
        [np.nan if grade is None else grade for grade in expected], nan_ok=True
    )


@cases(60)
@given(
    tables=st.lists(
        st.tuples(st.sampled_from([5, 7]), st.lists(st.integers(0, 3), max_size=4)), max_size=6
    ),
    order=st.randoms(use_true_random=False),
)
def test_pairs_take_the_grade_of_the_labels_that_they_have(tables, order):
    labels = [(pair, grade) for pair, (_, grades) in enumerate(tables) for grade in grades]
    order.shuffle(labels)
    pair, grade = np.array(labels, dtype=np.int64).reshape(-1, 2).T
    policy = np.array([policy for policy, _ in tables], dtype=np.int64)
    expected = [majority(policy, grades) for policy, grades in tables]
    assert grades_of_pairs(pair, grade, policy, majority).tolist() == pytest.approx(
        [np.nan if grade is None else grade for grade in expected], nan_ok=True
    )
