"""The area under a ROC curve: scikit-learn's, over whole rankings."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from metrics.core.analyses.measures.rank_curves import area_under_roc
from metrics.core.measures.ranking import positives
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import mean_intervals
from tests.metrics.core.cases import Case

N_DOCS = 30


def whole_case(seed: int, n_queries: int = 12) -> Case:
    """Rankings of all targets; a query in four has no positive, one nothing but positives."""
    rng = np.random.default_rng(seed)
    rankings = [rng.permutation(N_DOCS).tolist() for _ in range(n_queries)]
    grades = rng.integers(0, 3, (n_queries, 9)) * (np.arange(n_queries) % 4 > 0)[:, None]
    qrels = [
        dict(zip(rng.permutation(N_DOCS).tolist(), row, strict=False)) for row in grades.tolist()
    ]
    qrels[1] = dict.fromkeys(range(N_DOCS), 1)
    return Case(rankings, qrels)


@pytest.mark.parametrize("seed", range(20))
def test_the_area_is_the_mean_of_scikit_learns_over_queries_with_both(seed):
    generated = whole_case(seed)
    areas = []
    for ranking, labels in zip(generated.rankings, generated.qrels, strict=True):
        truth = [labels.get(doc, 0) >= 1 for doc in range(N_DOCS)]
        if 0 < sum(truth) < N_DOCS:
            areas.append(roc_auc_score(truth, [-ranking.index(doc) for doc in range(N_DOCS)]))
    area = area_under_roc(
        positives(generated.ranked, 1), n_targets=N_DOCS, groups=Groups.single(len(areas) + 4)
    )
    assert (area.value, area.n) == (pytest.approx(np.mean(areas), abs=1e-12), len(areas))
    expected = mean_intervals(np.array([areas]), are_shares=True, groups=Groups.single(len(areas)))
    assert [area.interval] == expected


def test_weights_are_those_of_the_queries_that_count():
    generated = whole_case(5)
    weight = np.arange(1.0, 13.0)
    groups = Groups.of(np.arange(12), weight=weight)
    ranks = positives(generated.ranked, 1)
    whole = area_under_roc(ranks, n_targets=N_DOCS, groups=groups)
    counting = [q for q in range(12) if 0 < ranks.total[q] < N_DOCS]
    single = []
    for q in counting:
        alone = Groups.of(np.arange(12), weight=np.where(np.arange(12) == q, 1.0, 0.0))
        single.append(area_under_roc(ranks, n_targets=N_DOCS, groups=alone).value)
    assert whole.value == pytest.approx(np.average(single, weights=weight[counting]), abs=1e-12)


def test_there_is_no_area_where_a_ranking_ends_before_all_targets_or_nothing_is_positive():
    generated = whole_case(3)
    ranks, groups = positives(generated.ranked, 1), Groups.single(12)
    assert area_under_roc(ranks, n_targets=N_DOCS + 1, groups=groups) is None
    # unknown targets among the ranks
    assert area_under_roc(ranks, n_targets=N_DOCS - 1, groups=groups) is None
    none = positives(generated.ranked, 9)
    assert area_under_roc(none, n_targets=N_DOCS, groups=groups) is None
