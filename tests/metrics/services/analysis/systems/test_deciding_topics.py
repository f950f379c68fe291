"""The queries that decide between the two best runs, from the database and from files."""

import numpy as np
import pytest

from annotate.models import Item
from metrics.score_files.requests import NotDefined
from tests.metrics.services.analysis.collection.small_study import queries_of
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.score_study import (
    POSITIVES,
    of_scores,
    reciprocal_ranks,
    rows_of,
    score_study,
)

pytestmark = pytest.mark.django_db
NAME = "deciding-topics"


def test_the_two_best_runs_are_compared_query_by_query():
    study = score_study()
    values = reciprocal_ranks(study, POSITIVES)
    best, second = sorted(values, key=lambda name: (-round(sum(values[name]), 12), name))[:2]
    expected = {
        query.external_id: values[best][q] - values[second][q]
        for q, query in enumerate(queries_of(study))
    }
    rows = table_of(study, NAME, measure="RR", missing="zero")
    assert {row["topic"]: row["difference"] for row in rows} == pytest.approx(expected)
    whole = sum(expected.values())
    for row in rows:
        assert row["lead_without"] == pytest.approx((whole - expected[row["topic"]]) / 5)
    result = answer_of(study, NAME, measure="RR", missing="zero").result
    assert result.headline.startswith(f"{best} leads {second} by {whole / 6:.4f} on 6 queries")
    assert result.reading.startswith(f"The difference is {best} less {second}")


def test_excluded_queries_are_left_out():
    study = score_study()
    gone = queries_of(study)[5]
    Item.objects.filter(pk=gone.pk).update(excluded_at="2026-01-01T00:00Z", excluded_reason="bad")
    rows = table_of(study, NAME, measure="RR", missing="zero")
    assert len(rows) == 5 and gone.external_id not in {row["topic"] for row in rows}


@pytest.mark.parametrize("choices", [{"team": "Blue"}, {"direction": "reverse"}])
def test_what_is_missing_is_told(choices):
    reason = answer_of(score_study(), NAME, **choices).reason
    assert reason == "It takes 2 runs of this direction; 1 run is chosen."


def test_a_file_says_how_few_topics_turn_the_order():
    values = np.array([[0.1, 0.9, 0.0], [0.4, 0.2, 0.1], [0.5, 0.5, 0.2], [0.3, 0.6, 0.8]])
    result = of_scores(NAME, values)
    assert result.headline == (
        "run2 leads run1 by 0.2250 on 4 topics; without the 2 that favour it most run1 would be "
        "ahead"
    )
    # of few topics no interval is told
    for n in (7, 8):
        headline = of_scores(NAME, np.tile(values, (n, 1))).headline
        assert headline.startswith("run2 leads run1 by 0.2250 ") and ("interval" in headline) == (
            n == 8
        )
    rows = {row["topic"]: row for row in rows_of(result)}
    assert [rows[name]["left_out_as"] for name in ("t1", "t2", "t3", "t4")] == [1, None, None, 2]
    # the third run is ahead of the first one without t2, and without t3
    assert [rows[name]["n_turned"] for name in ("t1", "t2", "t3", "t4")] == [0, 1, 1, 0]
    assert [point["n"] for point in result.spec["data"]["values"]] == [0, 1, 2, 3]


def test_a_run_that_is_never_worse_is_not_overtaken():
    result = of_scores(NAME, np.array([[0.1, 0.3], [0.2, 0.2], [0.4, 0.6]]))
    assert result.headline.endswith(", and is worse on none of the 3 topics")
    level = of_scores(NAME, np.array([[0.1, 0.3], [0.3, 0.1], [0.4, 0.4]]))
    assert level.headline == "The two best runs, run1 and run2, have the same mean on 3 topics"


def test_groups_are_told_of_and_many_topics_thinned():
    values = np.random.default_rng(2).random((900, 3))
    result = of_scores(NAME, values, groups=[str(t // 3) for t in range(900)])
    assert "The topics are left out one by one, not by group." in result.notes
    assert len(result.spec["data"]["values"]) < 210
    with pytest.raises(NotDefined):
        of_scores(NAME, values[:1])


def test_of_small_scores_the_best_runs_are_compared_and_the_lead_has_digits():
    values = 1e-14 * np.array([[0.1, 0.9, 0.0], [0.4, 0.2, 0.1], [0.5, 0.5, 0.2], [0.3, 0.6, 0.8]])
    assert of_scores(NAME, values).headline == (
        "run2 leads run1 by 2.25e-15 on 4 topics; without the 2 that favour it most run1 would be "
        "ahead"
    )
