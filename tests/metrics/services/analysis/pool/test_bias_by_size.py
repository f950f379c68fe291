"""The bias of a pool by the number of its runs, from the database: scored by trec_eval's code."""

import numpy as np
import pytest

from pooling.models import Run
from tests.metrics.core.analyses.pool import trec
from tests.metrics.services.analysis.pool.pooled_study import (
    brought_by,
    people_grades,
    pooled_study,
    rankings_of,
    reference_grades,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "pool-bias-by-size"


@pytest.fixture
def study(media_root):
    return pooled_study()


def score(name, labels):
    return np.mean(list(trec.values(labels, rankings_of(name))["AP"].values()))


def test_scores_move_as_far_as_the_labels_of_one_run_say(study):
    people, reference = people_grades(), reference_grades(study)
    inside, outside = [], []
    for member in "ABC":
        held = brought_by(member)
        some = {pair: grade for pair, grade in people.items() if pair in held}
        for name in "ABC":
            move = abs(score(name, reference | some) - score(name, reference | people))
            (inside if name == member else outside).append(move)
    rows = table_of(study, NAME, measure="AP")
    assert [(row["size"], row["n_subsets"]) for row in rows] == [(1, 3), (2, 3), (3, 1)]
    assert rows[0]["self_bias"] == pytest.approx(np.mean(inside))
    assert rows[0]["non_self_bias"] == pytest.approx(np.mean(outside))
    assert rows[0]["non_self_bias"] > rows[1]["non_self_bias"] > 0
    assert (rows[2]["bias"], rows[2]["non_self_bias"]) == (0, None)
    notes = answer_of(study, NAME, measure="AP").result.notes
    assert "Left out, as no opened pool has them: D." in notes


def test_one_pooled_run_is_too_few(study):
    runs = {run.name: run.pk for run in Run.objects.all()}
    answer = answer_of(study, NAME, run=[runs["A"], runs["D"]])
    assert answer.reason == "It takes two runs that are in opened pools: choose others."
