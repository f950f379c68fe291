"""Coincidences of values: the package, Krippendorff's example, category agreement by hand."""

import numpy as np
import pytest
from krippendorff.krippendorff import _coincidences
from numpy.testing import assert_allclose

from metrics.core.agreement.agreement import (
    MeasurementLevel,
    alpha_of_coincidences,
    alpha_of_counts,
)
from metrics.core.agreement.confusions import by_value, coincidences, one_against_rest
from metrics.core.agreement.counts import group


@pytest.mark.parametrize("seed", range(5))
def test_coincidences_are_those_of_krippendorff_and_give_his_alpha(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 3, (80, 4))
    unit_counts = group(counts, [0, 1, 2, 3])
    together = coincidences(unit_counts)
    assert_allclose(together, _coincidences(counts[counts.sum(axis=1) > 1]), atol=1e-9)
    alpha = alpha_of_counts(unit_counts, level="ordinal").value
    assert alpha_of_coincidences(
        together, unit_counts.values, MeasurementLevel.ORDINAL
    ) == pytest.approx(alpha, abs=1e-12)


def test_agreement_on_two_values_of_two_people_is_positive_and_negative_agreement():
    # both yes 40, both no 30, they differ on 20: positive agreement 2 * 40 / (2 * 40 + 20),
    # negative 60 / 80
    agreements = by_value(
        coincidences(group(np.repeat([[0, 2], [2, 0], [1, 1]], [40, 30, 20], axis=0), [0, 1]))
    )
    assert [row.agreement for row in agreements] == pytest.approx([60 / 80, 80 / 100])
    assert [row.n_labels for row in agreements] == [80, 100]


def test_a_value_nobody_gave_to_a_shared_unit_has_no_agreement():
    agreements = by_value(coincidences(group(np.array([[2, 0, 0], [0, 0, 1]]), [0, 1, 2])))
    assert [row.agreement for row in agreements] == [1.0, None, None]


def test_a_value_against_the_rest_counts_the_others_together():
    kinds = one_against_rest(group(np.array([[1, 1, 1], [2, 0, 1], [0, 2, 1]]), [0, 1, 2]), 2)
    assert kinds.counts.tolist() == [[2, 1]] and kinds.frequency.tolist() == [3]
