"""Reasons of labels: counted again, label by label, from what each of them names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.labels.reasons import GivenReasons, reasons_given
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

NAMES = ["quantity", "colour", "action"]


def given_reasons(labels):
    """The arrays of labels: of each its query, grade and set of reasons."""
    rows = [
        (number, NAMES.index(name))
        for number, (_, _, names) in enumerate(labels)
        for name in sorted(names)
    ]
    label, reason = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    query, grade = np.array([row[:2] for row in labels], dtype=np.int64).reshape(-1, 2).T
    return GivenReasons(query, grade, label, reason, NAMES)


def counted(labels, masks=None, *, grades=(0, 1, 2), groups=None):
    masks = [np.array(mask, dtype=bool) for mask in masks or [[True] * len(labels)]]
    groups = groups or Groups.single(1 + max(query for query, _, _ in labels))
    return reasons_given(given_reasons(labels), masks, grades=grades, groups=groups)


LABELS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 2), st.sets(st.sampled_from(NAMES)), st.booleans()),
    min_size=1,
    max_size=40,
)


@cases(300)
@given(LABELS, st.booleans())
def test_reasons_are_counted_by_grade_within_each_selection(rows, has_weights):
    labels = [row[:3] for row in rows]
    masks = [[True] * len(rows), [row[3] for row in rows], [False] * len(rows)]
    weight = [3.0 if has_weights and query % 2 else 1.0 for query in range(6)]
    groups = Groups.of(np.arange(6) // 2, weight=np.array(weight))
    ours = counted(labels, masks, groups=groups)
    for mask, by_grade in zip(masks, ours, strict=True):
        assert [level.grade for level in by_grade] == [0, 1, 2]
        for level in by_grade:
            own = [
                (weight[query], names)
                for is_in, (query, grade, names) in zip(mask, labels, strict=True)
                if is_in and grade == level.grade
            ]
            assert level.n == len(own)
            assert level.n_with_reason == sum(bool(names) for _, names in own)
            if not own:
                assert level.by_reason is None
                continue
            total = sum(w * len(names) for w, names in own)
            for name, reason in zip(NAMES, level.by_reason, strict=True):
                values = [int(name in names) for _, names in own]
                weights = [w for w, _ in own]
                assert (reason.name, reason.n) == (name, sum(values))
                share = recounts.weighted_mean(values, weights)
                assert reason.share == pytest.approx(share, abs=1e-12)
                mass = sum(w for w, names in own if name in names)
                part = mass / total if total else None
                assert reason.part == pytest.approx(part, abs=1e-12)


def test_the_parts_of_the_papers_first_row_add_up_to_one():
    """ECCV Caption, Table B.3 (b), PVSE: 25.7 % quantity, 20.1 % colour, among all details."""
    labels = [(q, 0, {"quantity"}) for q in range(257)]
    labels += [(q, 0, {"colour"}) for q in range(201)]
    labels += [(q, 0, {"action"}) for q in range(542)] + [(q, 0, set()) for q in range(99)]
    ((level,),) = counted(labels, grades=[0])
    parts = [reason.part for reason in level.by_reason]
    assert parts == pytest.approx([0.257, 0.201, 0.542], abs=1e-12)
    assert level.by_reason[0].share == pytest.approx(257 / 1099, abs=1e-12)
    assert (level.n, level.n_with_reason) == (1099, 1000)


def test_labels_of_single_queries_have_statsmodels_wilson():
    labels = [(q, 1, {"colour"} if q < 12 else set()) for q in range(50)]
    ((level,),) = counted(labels, grades=[1])
    theirs = proportion_confint(12, 50, method="wilson")
    assert level.by_reason[1].interval == pytest.approx(theirs, abs=1e-12)
    assert level.by_reason[1].part == 1


def test_several_labels_of_a_query_say_less_than_those_of_as_many_queries():
    labels = [(q % 10, 1, {"colour"} if q % 10 < 3 else set()) for q in range(50)]
    ((level,),) = counted(labels, grades=[1])
    low, high = proportion_confint(15, 50, method="wilson")
    interval = level.by_reason[1].interval
    assert interval.low < low - 0.05 and high + 0.05 < interval.high
    ((alone,),) = counted([(0, 1, {"colour"})] * 5, grades=[1])
    assert alone.by_reason[1].interval == NO_INTERVAL


def test_labels_without_reasons_have_shares_of_0_and_no_parts():
    ((level,),) = counted([(0, 0, set()), (1, 0, set())], grades=[0])
    assert [reason.share for reason in level.by_reason] == [0, 0, 0]
    assert [reason.part for reason in level.by_reason] == [None, None, None]
