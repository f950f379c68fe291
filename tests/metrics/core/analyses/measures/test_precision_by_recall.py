"""The eleven points of precision by recall: trec_eval's, and their intervals."""

import numpy as np
import pytest
import pytrec_eval

from metrics.core.analyses.measures.rank_curves import precision_by_recall
from metrics.core.measures.ranking import positives
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import mean_intervals
from tests.metrics.core.cases import case

POINTS = [f"iprec_at_recall_{r / 10:.2f}" for r in range(11)]


@pytest.mark.parametrize("threshold", [1, 2])
def test_each_point_is_the_mean_of_trec_evals(threshold):
    rng = np.random.default_rng(threshold)
    for _ in range(40):
        generated = case(rng)
        oracle = pytrec_eval.RelevanceEvaluator(
            generated.trec_qrels, {"iprec_at_recall"}, relevance_level=threshold
        )
        by_query = oracle.evaluate(generated.trec_run)
        values = np.array(
            [
                [by_query.get(str(q), {}).get(point, 0.0) for q in range(len(generated.qrels))]
                for point in POINTS
            ]
        )
        groups = Groups.single(len(generated.qrels))
        points = precision_by_recall(positives(generated.ranked, threshold), groups=groups)
        assert [point.x for point in points] == pytest.approx(np.arange(11) / 10)
        assert [point.y for point in points] == pytest.approx(values.mean(axis=1), abs=1e-12)
        expected = mean_intervals(values, are_shares=True, groups=groups)
        assert [point.interval for point in points] == expected


def test_weights_of_queries_count():
    generated = case(np.random.default_rng(7), n_queries=2)
    ranks = positives(generated.ranked, 1)
    ends = [
        precision_by_recall(ranks, groups=Groups.of([0, 1], weight=np.array(weight)))[0].y
        for weight in ([1.0, 0.0], [0.0, 1.0], [1.0, 3.0])
    ]
    assert ends[2] == pytest.approx((ends[0] + 3 * ends[1]) / 4)
