"""Swap rates from the database and from files."""

import numpy as np
import pytest

from annotate.models import Item
from metrics.core.analyses.systems.swap_rates import swap_rates
from metrics.core.statistics.groups import Groups
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
NAME = "swap-rates"


def test_the_runs_of_a_collection_are_compared_on_halves():
    study = score_study()
    values = np.array(list(dict(sorted(reciprocal_ranks(study, POSITIVES).items())).values())).T
    rows = table_of(study, NAME, measure="RR", missing="zero")
    assert sorted({row["size"] for row in rows}) == [2, 3]
    expected = swap_rates(values, size=3)
    whole = next(row for row in rows if row["size"] == 3 and row["bin"] == "all")
    assert whole["rate"] == pytest.approx(expected.overall)
    assert whole["n_comparisons"] == expected.n_trials * 6
    headline = answer_of(study, NAME, measure="RR", missing="zero").result.headline
    assert headline == (
        "6 queries are too few to measure how often two sets of them order runs in opposite ways"
    )


def test_excluded_queries_are_left_out():
    study = score_study()
    for gone in queries_of(study)[3:]:
        Item.objects.filter(pk=gone.pk).update(
            excluded_at="2026-01-01T00:00Z", excluded_reason="bad"
        )
    reason = answer_of(study, NAME, measure="RR", missing="zero").reason
    assert reason == "It takes four queries, for two sets of two; there are 3."


@pytest.mark.parametrize("choices", [{"team": "Blue"}, {"direction": "reverse"}])
def test_what_is_missing_is_told(choices):
    reason = answer_of(score_study(), NAME, **choices).reason
    assert reason == "It takes 2 runs of this direction; 1 run is chosen."


def test_groups_of_topics_are_drawn_as_a_whole():
    values = np.random.default_rng(3).random((30, 2))
    keys = [f"video {t // 3}" for t in range(30)]
    result = of_scores(NAME, values, groups=keys)
    whole = {row["size"]: row["rate"] for row in rows_of(result) if row["bin"] == "all"}
    shares = Groups.of(keys).shares(values)
    assert whole == {size: swap_rates(shares, size=size).overall for size in (2, 5)}
    assert result.headline.startswith("10 groups of topics are too few to measure how often two ")
    with pytest.raises(NotDefined, match="All topics are of one group"):
        of_scores(NAME, values, groups=["one"] * 30)


def test_many_topics_say_from_which_difference_on_runs_keep_their_order():
    rng = np.random.default_rng(4)
    values = 0.2 * rng.random((80, 5)) + np.linspace(0, 0.08, 5)
    result = of_scores(NAME, values)
    assert result.headline.startswith("Two sets of 40 topics order ")
    assert "opposite ways, a tie counting half; of those" in result.headline
    assert " or more apart at most 5 % in each bin of 30 comparisons or more" in result.headline
    assert "Larger sets swap runs that truly differ less often." in result.reading
    for row in rows_of(result):
        assert 0 <= row["rate"] <= 1
        if row["low"] is not None:
            assert row["low"] <= row["rate"] <= row["high"]
    assert {point["size"] for point in result.spec["data"]["values"]} == {
        *("10 a set", "20 a set", "40 a set"),
    }
