"""Kappas and intervals against scikit-learn and statsmodels, and by published example."""

import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater
from statsmodels.stats.proportion import proportion_confint

from metrics.core.agreement import kappas

# Fleiss 1971, Table 1 as reprinted everywhere: 10 subjects, 14 raters, 5 categories; kappa .210
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def test_the_usual_fleiss_example_comes_out():
    assert kappas.fleiss_kappa(FLEISS) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_equals_statsmodels():
    rng = np.random.default_rng(0)
    for _ in range(50):
        counts = rng.multinomial(5, rng.dirichlet(np.ones(4)), size=20)
        assert kappas.fleiss_kappa(counts) == pytest.approx(
            inter_rater.fleiss_kappa(counts), abs=1e-12
        )


def test_fleiss_kappa_refuses_units_of_different_sizes_and_knows_no_answer_for_one_value():
    with pytest.raises(ValueError, match="use alpha"):
        kappas.fleiss_kappa([[1, 1], [2, 1]])
    with pytest.raises(ValueError, match="use alpha"):
        kappas.fleiss_kappa([[1, 0], [0, 1]])
    assert math.isnan(kappas.fleiss_kappa([[2, 0], [2, 0]]))


@pytest.mark.parametrize(
    ("weights", "theirs"), [("nominal", None), ("linear", "linear"), ("quadratic", "quadratic")]
)
def test_cohen_s_kappa_equals_scikit_learn(weights, theirs):
    rng = np.random.default_rng(1)
    for _ in range(100):
        first, second = rng.integers(0, 4, (2, 30))
        expected = cohen_kappa_score(first, second, weights=theirs, labels=[0, 1, 2, 3])
        table = np.zeros((4, 4))
        np.add.at(table, (first, second), 1)
        assert kappas.cohen_kappas([table], weights=weights) == pytest.approx(expected)


def test_cohen_s_kappa_of_one_value_is_undefined_and_unknown_weights_are_listed():
    one_value, no_unit = [[2, 0], [0, 0]], [[0, 0], [0, 0]]
    assert np.isnan(kappas.cohen_kappas([one_value, no_unit])).all()
    with pytest.raises(ValueError, match="nominal, linear, quadratic"):
        kappas.cohen_kappas([one_value], weights="cubic")


@pytest.mark.parametrize("n", [1, 7, 60, 395])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_wilson_s_interval_equals_statsmodels(n, confidence):
    for successes in range(n + 1):
        share = kappas.share_of(successes, n, confidence=confidence)
        expected = proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
        assert (share.low, share.high) == pytest.approx(expected, abs=1e-12)
        assert 0 <= share.low <= share.value <= share.high <= 1


def test_nobody_is_judged_on_no_gold():
    assert kappas.share_of(0, 0) == (None, 0.0, 1.0, 0)


def test_gold_accuracy_is_counted_by_person():
    accuracies = kappas.gold_accuracy(["b", "a", "b", "b"], [True, False, True, False])
    assert [
        (person.annotator, person.accuracy.value, person.accuracy.n) for person in accuracies
    ] == [("a", 0, 1), ("b", 2 / 3, 3)]
