"""Agreement in parts equals agreement of the parts by themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.agreement import breakdowns
from metrics.core.agreement.agreement import (
    MeasurementLevel,
    alpha,
    alpha_of_counts,
    percent_agreement,
)
from metrics.core.agreement.counts import annotations, count_units
from tests.sizes import cases

LABELS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 4), st.integers(1, 3)),
    min_size=1,
    max_size=40,
    unique_by=lambda r: r[:2],
)


def columns(rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    unit, annotator, value = np.array(rows, dtype=int).reshape(-1, 3).T
    return unit, annotator, value


def same(left: float | None, right: float | None) -> bool:
    return left == (None if right is None else pytest.approx(right, abs=1e-12))


@pytest.mark.parametrize("level", list(MeasurementLevel))
@cases(50)
@given(rows=LABELS)
def test_leaving_a_person_out_equals_alpha_without_their_labels(level, rows):
    labels = annotations(*columns(rows))
    whole = alpha(*columns(rows), level=level).value
    for person in breakdowns.by_annotator(labels, level=level):
        rest = alpha(*columns([row for row in rows if row[1] != person.annotator]), level=level)
        assert same(person.alpha_without.value, rest.value)
        assert person.alpha_without.n_labels == rest.n_labels == len(rows) - person.n_labels
        assert person.drag is None or person.drag == pytest.approx(rest.value - whole, abs=1e-12)


@cases(50)
@given(rows=LABELS)
def test_a_person_s_agreement_is_their_share_of_equal_labels_by_others(rows):
    for person in breakdowns.by_annotator(annotations(*columns(rows)), level="nominal"):
        equal = [
            mine[2] == other[2]
            for mine in rows
            for other in rows
            if mine[1] == person.annotator != other[1] and mine[0] == other[0]
        ]
        assert same(person.agreement, float(np.mean(equal)) if equal else None)


@cases(50)
@given(rows=LABELS)
def test_parts_by_number_of_labels_equal_those_units_alone(rows):
    parts = breakdowns.by_number_of_labels(annotations(*columns(rows)), level="ordinal")
    size = np.bincount(columns(rows)[0])
    assert [part.key for part in parts] == sorted({int(m) for m in size if m > 1})
    for part in parts:
        alone = annotations(*columns([row for row in rows if size[row[0]] == part.key]))
        assert same(part.alpha.value, alpha_of_counts(count_units(alone), level="ordinal").value)
        assert part.percent == percent_agreement(count_units(alone))
