"""Pool bias: ECCV Caption's table, and small pools counted by hand."""

import numpy as np
import pytest

from metrics.core.measures.alignment import LabelledPairs, Rankings
from metrics.core.measures.measures import parse_one
from tests.metrics.core.pools import recount

# ECCV Caption (arXiv 2204.03359v5), Table E.1, R@1: five models (rows) under labels pooled by each
# of them, and by all
TABLE = np.array(
    [
        [76.5, 63.6, 67.6, 45.3, 42.0, 76.6],
        [68.0, 80.1, 69.0, 51.1, 47.2, 80.1],
        [67.7, 64.3, 77.3, 46.0, 44.1, 77.4],
        [59.5, 59.8, 58.8, 62.0, 49.3, 72.4],
        [51.7, 51.5, 52.6, 42.8, 49.3, 64.3],
    ]
)


def run_of(*rankings: list[int]) -> Rankings:
    return Rankings(np.cumsum([0, *map(len, rankings)]), np.concatenate(rankings))


def labels_of(*grades: dict[int, int]) -> LabelledPairs:
    rows = [(q, doc, grade) for q, of_query in enumerate(grades) for doc, grade in of_query.items()]
    return LabelledPairs(*np.array(rows).T)


RUNS = [run_of([1, 2, 3], [11, 12]), run_of([2, 1, 4], [12, 13]), run_of([1, 5, 6], [14, 11])]
LABELS = labels_of({1: 1, 2: 1, 3: 0, 4: 1, 5: 1, 9: 1}, {11: 1, 12: 0, 13: 1, 14: 1})


def test_the_printed_biases_of_pooling_pvse_alone_come_out():
    pvse_bias = recount.table_bias(TABLE)[0]
    assert (pvse_bias.bias, pvse_bias.self_bias, pvse_bias.non_self_bias) == pytest.approx(
        (9.5, 0.1, 11.8), abs=0.05
    )


def test_a_run_brings_what_stands_in_its_first_ranks():
    brought = recount.pool_contributions(RUNS, LABELS, depth=2)
    assert brought[0].tolist() == [True, True, False, False, False, False, True, True, False, False]
    assert not brought[:, 5].any()


def test_a_run_left_out_loses_its_own_finds_only():
    scores = recount.leave_one_out(RUNS, LABELS, parse_one("P@3"), depth=3)
    assert [score.n_unique for score in scores] == [1, 2, 2]  # 3; 4 and 13; 5 and 14
    assert [score.n_unique_positive for score in scores] == [0, 2, 2]
    assert scores[0].score == scores[0].score_without == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert scores[1].score == pytest.approx((1 + 1 / 3) / 2)
    assert scores[1].score_without == pytest.approx((2 / 3 + 0) / 2)
    assert (scores[1].rank, scores[1].rank_without) == (1, 3)


def test_runs_of_one_team_do_not_save_each_other_s_finds():
    alone = recount.leave_one_out(RUNS, LABELS, parse_one("P@3"), depth=3)
    teams = recount.leave_one_out(RUNS, LABELS, parse_one("P@3"), depth=3, teams=[0, 0, 1])
    assert teams[0].n_unique == 5  # what 0 and 1 bring without 2: 2, 3, 4, 12, 13
    assert teams[2].n_unique == alone[2].n_unique


def test_pooling_every_run_has_no_bias_and_fewer_have_more():
    biases = recount.subset_bias(RUNS, LABELS, parse_one("R@3"), depth=3)
    assert [subset.size for subset in biases] == [1, 2, 3]
    assert biases[2].bias == 0
    assert np.isnan(biases[2].non_self_bias)
    assert biases[0].bias > biases[1].bias > 0


def test_labels_nobody_brought_count_in_every_subset():
    reference_only = labels_of({9: 1}, {19: 1})
    biases = recount.subset_bias(RUNS, reference_only, parse_one("R@3"), depth=3)
    assert all(subset.bias == 0 for subset in biases)
