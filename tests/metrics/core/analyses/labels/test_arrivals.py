"""Alpha as labels came: against the package krippendorff, and label by label."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.agreement.agreement import alpha
from metrics.core.agreement.counts import annotations
from metrics.core.analyses.labels.arrivals import (
    ArrivalPoint,
    alpha_as_labels_came,
    settled_at,
)
from tests.metrics.core.agreement.running_alpha import RunningAlpha
from tests.sizes import cases

DOMAIN = [0, 1, 2]


def curve_of(rows, group_of_pair=None, *, level="ordinal", has_intervals=True):
    pair, annotator, grade = zip(*rows, strict=True)
    labels = annotations(pair, annotator, grade, domain=DOMAIN)
    groups = labels.units if group_of_pair is None else group_of_pair[labels.units]
    return alpha_as_labels_came(labels, groups, level=level, has_intervals=has_intervals)


@cases(150)
@given(
    st.lists(
        st.tuples(st.integers(0, 8), st.integers(0, 3), st.sampled_from(DOMAIN)),
        min_size=1,
        max_size=36,
        unique_by=lambda row: row[:2],
    ),
    st.sampled_from(["nominal", "ordinal", "interval"]),
)
def test_each_point_is_krippendorffs_alpha_of_the_first_labels(rows, level):
    points = curve_of(rows, level=level)
    assert [point.n_labels for point in points] == list(range(1, len(rows) + 1))
    for point in points:
        table = np.full((4, 9), np.nan)
        for pair, annotator, grade in rows[: point.n_labels]:
            table[annotator, pair] = grade
        pairable = table[:, np.count_nonzero(~np.isnan(table), axis=0) > 1]
        assert point.n_pairs == pairable.shape[1]
        if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
            assert point.alpha is None and point.low is None
        else:
            theirs = krippendorff.alpha(table, level_of_measurement=level, value_domain=DOMAIN)
            assert point.alpha == pytest.approx(theirs, abs=1e-9)


def made_rows(n_pairs=400):
    """Two labels of each pair, by two people who agree better in the second half."""
    rng = np.random.default_rng(4)
    rows = []
    for pair in range(n_pairs):
        first = int(rng.choice(3, p=[0.5, 0.3, 0.2]))
        agrees = rng.random() < (0.5 if pair < n_pairs / 2 else 0.95)
        rows += [(pair, 0, first), (pair, 1, first if agrees else int(rng.integers(3)))]
    return rows


def test_many_labels_have_sixty_points_and_every_tenth_an_interval():
    rows = made_rows()
    group_of_pair = np.arange(400) // 8
    points = curve_of(rows, group_of_pair)
    assert len(points) == 60 and points[-1].n_labels == 800
    steps = np.diff([0, *(point.n_labels for point in points)])
    assert set(steps.tolist()) <= {13, 14}
    banded = [number for number, point in enumerate(points) if point.low is not None]
    assert banded == list(range(9, 60, 10))
    assert all(points[n].low < points[n].alpha < points[n].high for n in banded)
    assert {point.low for point in curve_of(rows, has_intervals=False)} == {None}
    whole = alpha(*np.array(rows).T, level="ordinal", n_replicates=0)
    assert points[-1].alpha == pytest.approx(whole.value, abs=1e-12)
    running, numbers = RunningAlpha(DOMAIN), {point.n_labels: point for point in points}
    for number, (pair, _, grade) in enumerate(rows, start=1):
        running.add(pair, grade)
        if number in numbers:
            assert numbers[number].alpha == pytest.approx(running.value("ordinal"), abs=1e-9)
    wide, narrow = points[banded[0]], points[-1]
    assert narrow.high - narrow.low < wide.high - wide.low


def test_settled_is_the_first_number_from_which_on_alpha_stayed_near_its_last_value():
    def points(*alphas):
        return [ArrivalPoint(n, n, alpha, None, None) for n, alpha in enumerate(alphas, start=1)]

    assert settled_at(points(0.2, 0.71, 0.66, 0.7)) == 2
    assert settled_at(points(0.7, 0.6, 0.66, 0.7)) == 3
    assert settled_at(points(None, 0.7, 0.7)) == 2
    assert settled_at(points(0.7, 0.2)) is None
    assert settled_at(points(0.7, None)) is None
    assert settled_at(points(0.7)) is None
    assert settled_at([]) is None
    assert settled_at(curve_of(made_rows())) > 400
