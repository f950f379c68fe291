"""Analyses at TREC's size: from files of 129 runs x 250 topics, a tenth and a third, and stored.

Scores of files are drawn with a seed; each method of differences is tried. The stored studies have
129 runs x 250 queries x 100 documents, and 100 x 50 x 1,000, all judged.
Run: python3 manage.py test --heavy -s tests/benchmarks/numbers/test_analyses_at_trec_size.py

MiB are those that the computation holds at most beside what its process held before.
"""

from statistics import median

import numpy as np
import pytest

from metrics.core.comparisons.missing_queries import MISSING_ZERO
from metrics.core.comparisons.run_comparison import METHODS
from metrics.core.files.scores import ScoreTable
from metrics.score_files.choices import Choice
from metrics.score_files.register import SCORE_ANALYSES
from metrics.score_files.requests import FileRequest
from tests.benchmarks.numbers.analysis_costs import complete, cost, costs_of_analyses
from tests.benchmarks.numbers.fire_study import StudySize, fill

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(3600)]
SIZES = [(50, 13), (50, 43), (50, 129), (250, 129)]  # topics, runs
STUDIES = {
    "129-x-250": StudySize(250, 500, 100, 129),
    "100-x-50": StudySize(50, 2_000, 1_000, 100),
}
FROM_FILES = list(SCORE_ANALYSES.values())


def drawn_table(n_topics: int, n_runs: int) -> ScoreTable:
    """Skewed scores in which topics make half of the variance, runs some."""
    rng = np.random.default_rng(8)
    level = rng.normal(0, 1.2, (n_topics, 1)) + rng.normal(-1.5, 0.6, n_runs)
    scores = 1 / (1 + np.exp(-level - rng.normal(0, 0.8, (n_topics, n_runs))))
    topics, runs = (
        [f"{noun}{number}" for number in range(n)]
        for noun, n in (("topic", n_topics), ("run", n_runs))
    )
    return ScoreTable(topics, runs, np.round(scores, 4))


@pytest.mark.parametrize(("n_topics", "n_runs"), SIZES)
@pytest.mark.parametrize("analysis", FROM_FILES, ids=lambda analysis: analysis.name)
def test_analyses_of_systems_at_trec_size(analysis, n_topics, n_runs):
    table = drawn_table(n_topics, n_runs)
    for method in METHODS if Choice.METHOD in analysis.choices else METHODS[:1]:
        request = FileRequest(table, method, MISSING_ZERO)
        seconds, mib = cost(lambda request=request: analysis.find(request))
        label = f"{analysis.name} {method if Choice.METHOD in analysis.choices else ''}"
        print(f"  {n_runs} x {n_topics}  {label:40} {seconds:6.2f} s {mib:5.0f} MiB")
        assert seconds < 10 and mib < 500


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", STUDIES)
def test_analyses_of_studies_of_trec_size(client, name):
    study = fill(f"trec-{name}", size=STUDIES[name])
    complete(study, n_training=1_000)
    print(f"\n{name}")
    costs = costs_of_analyses(study, client)
    assert {key: seconds for key, seconds in costs.seconds.items() if seconds >= 10} == {}
    assert median(costs.seconds.values()) < 2 and max(costs.mib.values()) < 500
    assert max(costs.page_ms.values()) < 300
