"""Topics that stable scores need, from the database and from files; of TREC-3 as gt4ireval."""

import numpy as np
import pytest

from annotate.models import Item
from metrics.score_files.requests import NotDefined
from tests.metrics.services.analysis.collection.small_study import queries_of
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.score_study import (
    POSITIVES,
    matrix,
    of_scores,
    reciprocal_ranks,
    rows_of,
    score_study,
)
from tests.real_data import FOLDER, needs_real_data

pytestmark = pytest.mark.django_db
NAME = "topics-needed"


def by_quantity(rows: list[dict[str, object]]) -> dict[str, dict[str, object]]:
    return {row["quantity"]: row for row in rows}


def test_the_variance_of_the_runs_of_a_collection():
    study = score_study()
    scores = np.array(list(reciprocal_ranks(study, POSITIVES).values())).T
    n, s = scores.shape
    centred = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    error = (centred**2).sum() / (n - 1) / (s - 1)
    rows = by_quantity(table_of(study, NAME, measure="RR", missing="zero"))
    assert rows["Variance of the two together and error"]["value"] == pytest.approx(error)
    expected = max(0, scores.mean(axis=0).var(ddof=1) - error / n)
    assert rows["Variance of runs"]["value"] == pytest.approx(expected, abs=1e-12)
    expected = max(0, scores.mean(axis=1).var(ddof=1) - error / s)
    assert rows["Variance of queries"]["value"] == pytest.approx(expected, abs=1e-12)


def test_excluded_queries_are_left_out():
    study = score_study()
    Item.objects.filter(pk=queries_of(study)[5].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="bad"
    )
    rows = by_quantity(table_of(study, NAME, measure="RR", missing="zero"))
    assert rows["Phi at hand"]["n"] == 5


@pytest.mark.parametrize("choices", [{"team": "Blue"}, {"direction": "reverse"}])
def test_what_is_missing_is_told(choices):
    reason = answer_of(score_study(), NAME, **choices).reason
    assert reason == "It takes 2 runs of this direction; 1 run is chosen."


def test_groups_of_topics_are_what_is_counted():
    values = np.random.default_rng(3).random((30, 4)) + np.arange(4)
    keys = [f"video {t // 3}" for t in range(30)]
    grouped = by_quantity(rows_of(of_scores(NAME, values, groups=keys)))
    means = values.reshape(10, 3, 4).mean(axis=1)  # of groups of one size
    alone = by_quantity(rows_of(of_scores(NAME, means)))
    for name in ("E rho squared at hand", "Phi at hand"):
        assert grouped[name]["n"] == 10
        assert grouped[name]["value"] == pytest.approx(alone[name]["value"])
    with pytest.raises(NotDefined, match="All topics are of one group"):
        of_scores(NAME, values, groups=["one"] * 30)


def test_runs_without_differences_are_said_to_be_so():
    equal = of_scores(NAME, np.full((4, 3), 0.5))
    assert equal.headline == "All runs have the same score on each of the 4 topics"
    assert not equal.spec
    noise = np.array([[0.1, 0.9], [0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.8, 0.2]])
    by_chance = of_scores(NAME, noise)
    assert by_chance.headline.endswith("on 5 topics: their variance is estimated as 0")
    assert "The variance of runs was estimated below 0 and is taken for 0." in by_chance.notes
    rows = by_quantity(rows_of(by_chance))
    assert rows["E rho squared of 0.9"]["n"] is None


def test_runs_that_differ_on_one_topic_differ_no_more_than_chance_lets_them():
    """The mean square of runs is then that of the error, but for rounding."""
    lone = np.zeros((60, 4))
    lone[0, 3] = 1
    result = of_scores(NAME, lone)
    assert result.headline.endswith("on 60 topics: their variance is estimated as 0")
    rows = by_quantity(rows_of(result))
    assert rows["E rho squared of 0.9"]["n"] is rows["Phi of 0.9"]["n"] is None
    assert not any("below 0" in note for note in result.notes)


def test_groups_that_differ_on_one_topic_do_not_either():
    values = np.repeat(np.random.default_rng(4).integers(1, 900, (90, 1)) / 1_000, 2, axis=1)
    values[0, 1] += 0.1
    result = of_scores(NAME, values, groups=[f"video {t // 3}" for t in range(90)])
    assert result.headline.endswith("on 30 groups of topics: their variance is estimated as 0")
    assert not any("below 0" in note for note in result.notes)


@needs_real_data
def test_the_best_runs_of_trec_3_as_gt4ireval_has_them():
    scores = matrix(FOLDER / "trec_topic_run_matrices" / "adhoc3.csv")
    best = np.sort(np.argsort(-scores.mean(axis=0))[:30])
    result = of_scores(NAME, scores[:, best])
    rows = by_quantity(rows_of(result))
    row = rows["E rho squared of 0.95"]
    assert (row["n"], row["n_low"], row["n_high"]) == (69, 37, 114)
    row = rows["Phi of 0.95"]
    assert (row["n"], row["n_low"], row["n_high"]) == (259, 130, 487)
    assert result.headline.startswith(
        "With 50 topics E rho squared is 0.93 (95 % interval 0.89 to 0.96); a value of 0.9 "
        "takes 33 ("
    )
