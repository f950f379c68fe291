"""Normality of the scores of runs from the database and from files: statsmodels' test of them."""

import numpy as np
import pytest
from statsmodels.stats.diagnostic import normal_ad
from statsmodels.stats.multitest import multipletests

from metrics.core.files.scores import ScoreTable
from metrics.score_files.requests import FileRequest
from metrics.score_files.systems.normality import normality_of_file
from metrics.services.numbers import refresh
from tests.metrics import studies
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.system_study import average_precision, system_study

pytestmark = pytest.mark.django_db


def of_file(values: np.ndarray, groups=None):
    names = [f"t{row}" for row in range(len(values))]
    runs = [f"run{column}" for column in range(values.shape[1])]
    return normality_of_file(FileRequest(ScoreTable(names, runs, values, groups), "tukey", "zero"))


def wide_study():
    """Ten queries of ten documents, of which each has its own as reference positive."""
    collection = studies.study("wide", n_queries=10, n_documents=10)
    refresh.refresh(collection=collection)
    return collection


def test_of_a_study_it_is_that_of_trec_evals_scores():
    collection = wide_study()
    expected = {run: normal_ad(np.array(v)) for run, v in average_precision(collection).items()}
    adjusted = multipletests([p for _, p in expected.values()], 0.05, "fdr_bh")[1]
    rows = {row["run"]: row for row in table_of(collection, "normality")}
    assert set(rows) == set(expected) == {"alpha", "beta"}
    for (run, (a_squared, p)), adjusted_p in zip(expected.items(), adjusted, strict=True):
        row = rows[run]
        assert (row["n"], row["scores_a_squared"]) == (10, pytest.approx(a_squared))
        assert row["scores_p"] == pytest.approx(p)
        assert row["scores_adjusted_p"] == pytest.approx(adjusted_p)
        assert row["scores_normality"] == ("rejected" if adjusted_p < 0.05 else "not rejected")
    result = answer_of(collection, "normality").result
    assert result.headline == "10 queries are too few to tell whether scores are normal"
    assert result.extent == "2 runs and 10 queries"


def test_shares_of_0_or_1_are_never_normal():
    notes = answer_of(wide_study(), "normality", measure="C@5").result.notes
    assert any(
        note.startswith("All scores are 0 or 1, and such scores are never") for note in notes
    )


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({}, "A test of normality takes 8 queries or more; there are 6."),
        ({"team": "Blue"}, "It takes 2 runs of this direction"),
        ({"measure": "MedR"}, "MedR is a median"),
    ],
)
def test_what_is_missing_is_told(choices, words):
    assert answer_of(system_study(), "normality", **choices).reason.startswith(words)


def test_a_headline_of_thirty_topics_counts_what_is_rejected():
    rng = np.random.default_rng(8)
    scores = np.hstack([rng.normal(0.5, 0.1, (60, 3)), rng.beta(0.3, 3, (60, 1))])
    result = of_file(scores)
    assert result.headline.startswith(
        "Normality is rejected for the scores of 1 of 4 runs (25.0 %), and for the residuals of "
    )
    assert (result.rows[0][0], result.rows[0][5]) == ("run3", "rejected")
    a_squared = [row[2] for row in result.rows]
    assert a_squared == sorted(a_squared, reverse=True)


def test_runs_without_spread_are_last_and_blank():
    rng = np.random.default_rng(9)
    scores = np.hstack([np.full((40, 1), 0.25), rng.random((40, 2))])
    result = of_file(scores)
    assert result.rows[-1][:6] == ["run0", 40, None, None, None, None]
    assert "Not tested, as their scores are all equal: 1 run." in result.notes
    constant = of_file(np.full((40, 2), 0.25))
    assert constant.headline.startswith("The scores of each run are all equal")
    assert constant.spec is None


def test_groups_stand_for_their_topics_and_few_groups_are_refused():
    scores = np.random.default_rng(10).random((90, 3))
    result = of_file(scores, groups=[f"g{row // 3}" for row in range(90)])
    means = scores.reshape(30, 3, 3).mean(axis=1)
    a_squared = sorted((normal_ad(means[:, run])[0] for run in range(3)), reverse=True)
    assert [row[2] for row in result.rows] == pytest.approx(a_squared)
    assert result.rows[0][1] == 30
    assert any(note.startswith("For 30 groups of topics: a group's share") for note in result.notes)


def test_many_runs_have_dots_without_names_and_p_at_the_end_of_the_scale():
    rng = np.random.default_rng(11)
    result = of_file(np.where(rng.random((300, 45)) < 0.1, 1.0, 0.0))
    assert result.spec["encoding"]["y"]["axis"] is None
    assert {row["p"] for row in result.spec["data"]["values"]} == {1e-10}
    assert any("stands at its left end" in note for note in result.notes)
