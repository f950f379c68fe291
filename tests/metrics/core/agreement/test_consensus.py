"""Dawid-Skene against crowd-kit and against known truth."""

import numpy as np
import pandas as pd
import pytest

from metrics.core.agreement.consensus import dawid_skene
from metrics.core.agreement.counts import annotations


def simulated(rng, *, n_units=120, n_people=8, n_values=3, labels_a_unit=4):
    truth = rng.integers(0, n_values, n_units)
    skill = rng.uniform(0.4, 0.97, n_people)
    unit = np.repeat(np.arange(n_units), labels_a_unit)
    annotator = np.concatenate(
        [rng.choice(n_people, labels_a_unit, replace=False) for _ in range(n_units)]
    )
    right = rng.random(len(unit)) < skill[annotator]
    value = np.where(right, truth[unit], rng.integers(0, n_values, len(unit)))
    return truth, unit, annotator, value


@pytest.mark.filterwarnings("ignore")  # pandas warns of what crowd-kit asks it to do
@pytest.mark.parametrize("seed", range(3))
def test_posteriors_equal_crowd_kit_after_as_many_iterations(seed):
    """After as many: crowd-kit stops by a loss that need not fall, often long before the end."""
    # here: a process that does not ask needs 40 MiB less
    from crowdkit.aggregation import DawidSkene

    _, unit, annotator, value = simulated(np.random.default_rng(seed))
    frame = pd.DataFrame({"task": unit, "worker": annotator, "label": value})
    for n_iterations in (1, 5):
        consensus = dawid_skene(
            annotations(unit, annotator, value), max_iterations=n_iterations, tolerance=0
        )
        theirs = (
            DawidSkene(n_iter=n_iterations, tol=1e-14)
            .fit(frame)
            .probas_.sort_index()[[0, 1, 2]]
            .to_numpy()
        )
        assert consensus.n_iterations == n_iterations
        assert np.abs(consensus.posterior - theirs).max() < 1e-9


def test_it_beats_the_majority_where_people_differ_in_skill_and_knows_how_sure_it_is():
    rng = np.random.default_rng(9)
    truth, unit, annotator, value = simulated(rng, n_units=3000, n_people=12, labels_a_unit=5)
    consensus = dawid_skene(annotations(unit, annotator, value))
    votes = np.bincount(unit * 3 + value, minlength=9000).reshape(-1, 3)
    accuracy = np.mean(consensus.value == truth)
    assert accuracy > np.mean(votes.argmax(axis=1) == truth)
    assert consensus.certainty.mean() == pytest.approx(accuracy, abs=0.02)
    assert consensus.confusion.sum(axis=2) == pytest.approx(np.ones((12, 3)))


def test_it_goes_on_until_the_posteriors_settle():
    _, unit, annotator, value = simulated(np.random.default_rng(1))
    consensus = dawid_skene(
        annotations(unit, annotator, value), max_iterations=2000, tolerance=1e-10
    )
    longer = dawid_skene(annotations(unit, annotator, value), max_iterations=4000, tolerance=0)
    assert consensus.converged
    assert np.abs(consensus.posterior - longer.posterior).max() < 1e-6


def test_unanimous_people_settle_at_once_and_nothing_gives_nothing():
    consensus = dawid_skene(annotations([1, 1, 2, 2], [1, 2, 1, 2], [0, 0, 1, 1]))
    assert consensus.value.tolist() == [0, 1]
    assert consensus.certainty == pytest.approx([1, 1])
    assert dawid_skene(annotations([], [], [])).value.tolist() == []
