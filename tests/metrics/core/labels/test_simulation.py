"""Simulated annotators and systems have the requested quality."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.labels.simulation import (
    SimulatedAnnotator,
    confusion,
    judging_seconds,
    label,
    rank_targets,
    similarity,
)

LEVELS = (0, 1, 2, 3)
shares = st.floats(0, 1)
annotators = st.builds(SimulatedAnnotator, sensitivity=shares, specificity=shares, spread=shares)
scales = st.lists(st.integers(0, 100), min_size=2, max_size=7, unique=True)


def draws(
    true_grade: int, annotator: SimulatedAnnotator, n: int, levels=LEVELS, positive_from: int = 2
) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.array(
        [
            label(
                true_grade, annotator=annotator, levels=levels, positive_from=positive_from, rng=rng
            )
            for _ in range(n)
        ]
    )


@given(annotators, scales, st.data())
def test_each_row_of_the_confusion_is_a_distribution_with_the_asked_sensitivity_and_specificity(
    annotator, levels, data
):
    ordered = sorted(levels)
    positive_from = data.draw(st.integers(ordered[0] + 1, ordered[-1]))
    table = confusion(annotator, levels=levels, positive_from=positive_from)
    relevant = np.array(ordered) >= positive_from
    assert (table >= 0).all()
    assert table.sum(axis=1) == pytest.approx(1)
    assert table[relevant][:, relevant].sum(axis=1) == pytest.approx(annotator.sensitivity)
    assert table[~relevant][:, ~relevant].sum(axis=1) == pytest.approx(annotator.specificity)


def test_a_confusion_worked_by_hand():
    """spread .5: one step away is half as likely.

    On the wrong side steps count from the nearest level.
    """
    table = confusion(SimulatedAnnotator(0.9, 0.6, spread=0.5), levels=LEVELS, positive_from=2)
    expected = [
        [0.4, 0.2, 0.8 / 3, 0.4 / 3],
        [0.2, 0.4, 0.8 / 3, 0.4 / 3],
        [0.1 / 3, 0.2 / 3, 0.6, 0.3],
        [0.1 / 3, 0.2 / 3, 0.3, 0.6],
    ]
    assert table == pytest.approx(np.array(expected))


def test_without_spread_a_label_is_the_nearest_level_of_its_side():
    table = confusion(SimulatedAnnotator(0.9, 0.8, spread=0), levels=LEVELS, positive_from=2)
    assert table == pytest.approx(
        np.array([[0.8, 0, 0.2, 0], [0, 0.8, 0.2, 0], [0, 0.1, 0.9, 0], [0, 0.1, 0, 0.9]])
    )


def test_a_perfect_annotator_without_spread_tells_the_truth():
    perfect = SimulatedAnnotator(1.0, 1.0, spread=0.0)
    assert [draws(grade, perfect, 50).tolist() for grade in LEVELS] == [
        [grade] * 50 for grade in LEVELS
    ]


def test_an_annotator_who_is_always_wrong_never_names_a_level_of_the_right_side():
    wrong = SimulatedAnnotator(0.0, 0.0)
    assert set(draws(3, wrong, 500)) == {0, 1}
    assert set(draws(0, wrong, 500)) == {2, 3}


@pytest.mark.parametrize("true_grade", LEVELS)
def test_labels_follow_the_row_of_the_confusion(true_grade):
    annotator = SimulatedAnnotator(0.9, 0.95, spread=0.3)
    expected = confusion(annotator, levels=LEVELS, positive_from=2)[true_grade]
    counts = np.bincount(draws(true_grade, annotator, 20_000), minlength=4)
    assert stats.chisquare(counts, expected * counts.sum()).pvalue > 0.001


def test_levels_may_come_in_any_order_and_with_gaps():
    annotator = SimulatedAnnotator(1.0, 1.0, spread=0.5)
    assert set(draws(40, annotator, 200, levels=(40, 7, 0, 90), positive_from=40)) == {40, 90}


def test_the_same_seed_gives_the_same_labels_and_each_label_takes_one_draw():
    annotator = SimulatedAnnotator()
    assert draws(2, annotator, 100).tolist() == draws(2, annotator, 100).tolist()
    used, reference = np.random.default_rng(3), np.random.default_rng(3)
    label(0, annotator=annotator, levels=LEVELS, positive_from=2, rng=used)
    reference.random()
    assert used.random() == reference.random()


@pytest.mark.parametrize("positive_from", [0, 4])
def test_a_threshold_with_levels_on_one_side_only_is_refused(positive_from):
    with pytest.raises(ValueError, match="No level on one side of the threshold"):
        confusion(SimulatedAnnotator(), levels=LEVELS, positive_from=positive_from)


def test_a_true_grade_that_is_no_level_is_refused():
    with pytest.raises(KeyError):
        draws(5, SimulatedAnnotator(), 1)


def test_the_median_of_simulated_labels_has_the_quality_of_a_majority():
    annotator = SimulatedAnnotator(0.8, 0.9, spread=0.6)
    medians = np.median(draws(3, annotator, 30_000).reshape(-1, 3), axis=1)
    expected = stats.binom.sf(1, 3, 0.8)
    assert (medians >= 2).mean() == pytest.approx(
        expected, abs=4 * np.sqrt(expected * (1 - expected) / 10_000)
    )


def test_judging_times_lie_around_the_median_and_are_never_negative():
    rng = np.random.default_rng(1)
    times = np.array(
        [judging_seconds(SimulatedAnnotator(seconds=8.0), rng=rng) for _ in range(5000)]
    )
    assert np.median(times) == pytest.approx(8.0, rel=0.05)
    assert times.min() > 0
    assert times.mean() > np.median(times)


def test_a_system_without_noise_ranks_by_its_signal():
    signal = np.array([[0.1, 0.9, 0.5], [0.3, 0.2, 0.7]])
    scores = similarity(
        signal, noise=0.0, hardness=np.ones((2, 3)), shared_part=0.5, rng=np.random.default_rng(1)
    )
    assert rank_targets(scores, depth=2).targets.tolist() == [[1, 2], [2, 0]]
    assert rank_targets(scores, depth=2).scores.tolist() == [[0.9, 0.5], [0.7, 0.3]]
    assert rank_targets(scores.T, depth=9).targets.tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize("shared", [0.0, 0.3, 1.0])
def test_noise_has_the_asked_deviation_and_systems_share_the_asked_part_of_it(shared):
    rng = np.random.default_rng(1)
    hardness = rng.standard_normal((300, 300))
    left, right = (
        similarity(np.zeros((300, 300)), noise=0.4, hardness=hardness, shared_part=shared, rng=rng)
        for _ in range(2)
    )
    assert left.std() == pytest.approx(0.4, rel=0.02)
    assert np.corrcoef(left.ravel(), right.ravel())[0, 1] == pytest.approx(shared, abs=0.02)


def test_equal_scores_keep_the_order_of_the_columns():
    assert rank_targets(np.array([[1.0, 2.0, 1.0, 2.0]]), depth=4).targets.tolist() == [
        [1, 3, 0, 2]
    ]


def test_more_noise_makes_a_worse_system():
    rng = np.random.default_rng(1)
    truth = (rng.random((200, 50)) < 0.1).astype(float)
    quality = [
        np.take_along_axis(
            truth,
            rank_targets(
                similarity(
                    truth, noise=noise, hardness=np.zeros_like(truth), shared_part=0.0, rng=rng
                ),
                depth=5,
            ).targets,
            axis=1,
        ).mean()
        for noise in (0.2, 0.5, 1.0)
    ]
    assert quality == sorted(quality, reverse=True)
    assert quality[0] > quality[2] + 0.2
