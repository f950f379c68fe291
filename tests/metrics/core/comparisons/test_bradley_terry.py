"""Bradley-Terry against ECCV Caption's own counts, choix, and a likelihood written out."""

import choix
import numpy as np
import pytest
from scipy import optimize

from metrics.core.comparisons.bradley_terry import bradley_terry

# ECCV Caption, Table D.1: row preferred to column
ECCV = [
    [0, 231, 66, 111, 316],
    [89, 0, 21, 79, 328],
    [254, 299, 0, 273, 343],
    [185, 217, 23, 0, 287],
    [28, 16, 1, 9, 24],
]


def test_the_strengths_eccv_caption_prints_come_out_under_other_letters():
    """The paper gives 70.85 / 13.15 / 10.66 / 4.89 / .44 to A..E.

    Its own counts give them to C, D, A, B, E.
    """
    strengths = bradley_terry(ECCV)
    assert 100 * strengths.strength == pytest.approx([10.66, 4.89, 70.85, 13.15, 0.44], abs=5e-3)
    assert strengths.n_pseudo_wins == 0


def test_strengths_equal_choix():
    rng = np.random.default_rng(0)
    for _ in range(20):
        wins = rng.integers(1, 30, size=(6, 6))
        np.fill_diagonal(wins, 0)
        games = [(i, j) for i in range(6) for j in range(6) for _ in range(wins[i, j])]
        theirs = np.exp(choix.mm_pairwise(6, games, tol=1e-13))
        assert bradley_terry(wins).strength == pytest.approx(theirs / theirs.sum(), abs=1e-10)


def test_the_interval_covers_the_curvature_of_the_likelihood():
    wins = np.array([[0, 30], [10, 0]])
    strengths = bradley_terry(wins)
    assert strengths.strength == pytest.approx([0.75, 0.25])
    # two things: log odds of 30 in 40 has standard error sqrt(1/30 + 1/10), each log strength half
    # of it
    half = 1.959964 * np.sqrt(1 / 30 + 1 / 10) / 2
    assert strengths.low == pytest.approx(strengths.strength * np.exp(-half), rel=1e-6)
    assert strengths.high == pytest.approx(strengths.strength * np.exp(half), rel=1e-6)


def test_a_circle_of_single_wins_needs_no_pseudo_wins():
    strengths = bradley_terry([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert strengths.n_pseudo_wins == 0
    assert strengths.strength == pytest.approx([1 / 3] * 3)


def test_something_that_never_wins_gets_pseudo_wins_and_that_is_said():
    wins = np.array([[0, 5, 5], [2, 0, 4], [0, 0, 0]], dtype=float)
    strengths = bradley_terry(wins)
    assert strengths.n_pseudo_wins == 0.5

    def loss(theta):
        strength = np.exp(np.append(theta, 0.0))
        chance = strength[:, None] / (strength[:, None] + strength[None, :])
        return -np.sum((wins + 0.5 * (1 - np.eye(3))) * np.log(chance))

    theirs = np.exp(np.append(optimize.minimize(loss, np.zeros(2), tol=1e-12).x, 0.0))
    assert strengths.strength == pytest.approx(theirs / theirs.sum(), abs=1e-5)
    assert strengths.strength[2] < 0.05


@pytest.mark.parametrize("wins", [[[0]], [[0, 1]], [[0, -1], [1, 0]]])
def test_what_is_no_table_of_wins_is_refused(wins):
    with pytest.raises(ValueError, match="square table"):
        bradley_terry(wins)
