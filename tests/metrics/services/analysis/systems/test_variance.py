"""Analysis of variance from the database and from files: trec_eval's scores, statsmodels' table."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from annotate.models import Item
from metrics.core.files.scores import ScoreTable
from metrics.score_files.requests import FileRequest
from metrics.score_files.systems.variance import variance_of_file
from tests.metrics.services.analysis.collection.small_study import queries_of
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.system_study import average_precision, system_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return system_study()


def package_table(scores: np.ndarray) -> pd.DataFrame:
    t, s = scores.shape
    frame = pd.DataFrame(
        {"y": scores.ravel(), "topic": np.repeat(range(t), s), "run": np.tile(range(s), t)}
    )
    return anova_lm(ols("y ~ C(topic) + C(run)", frame).fit())


def check(rows, scores: np.ndarray) -> None:
    expected = package_table(scores)
    for row, name in zip(rows, ("C(run)", "C(topic)", "Residual"), strict=False):
        assert row["sum_of_squares"] == pytest.approx(expected.sum_sq[name])
        assert row["df"] == expected.df[name]
        assert row["share"] == pytest.approx(100 * expected.sum_sq[name] / expected.sum_sq.sum())
        if name != "Residual":
            assert row["f"] == pytest.approx(expected.F[name])
            assert row["p"] == pytest.approx(expected["PR(>F)"][name])


def test_of_a_study_it_is_that_of_trec_evals_scores(study):
    rows = table_of(study, "anova", measure="AP")
    assert [row["source"] for row in rows] == ["Runs", "Queries", "Error", "Total"]
    check(rows, np.array(list(average_precision(study).values())).T)
    result = answer_of(study, "anova").result
    assert result.extent == "5 runs and 6 queries"
    assert result.headline == "6 queries are too few to tell what makes the variance of the scores"


def test_queries_that_a_run_misses_are_left_out_where_chosen(study):
    scores = np.array(list(average_precision(study).values())).T
    check(table_of(study, "anova", missing="queries"), scores[2:])
    check(table_of(study, "anova", missing="runs"), scores[:, :4])
    assert answer_of(study, "anova", missing="queries").result.extent == "5 runs and 4 of 6 queries"
    assert answer_of(study, "anova", missing="runs").result.extent == "4 runs and 6 queries"


def test_excluded_queries_are_left_out(study):
    scores = np.array(list(average_precision(study).values())).T
    Item.objects.filter(pk=queries_of(study)[5].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    check(table_of(study, "anova"), scores[:5])


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"team": "Blue"}, "It takes 2 runs of this direction; 1 run is chosen."),
        ({"direction": "reverse"}, "It takes 2 runs of this direction; 1 run is chosen."),
        ({"measure": "MedR"}, "MedR is a median"),
    ],
)
def test_what_is_missing_is_told(study, choices, words):
    assert answer_of(study, "anova", **choices).reason.startswith(words)


def of_file(values: np.ndarray, groups=None, **choices):
    names = [f"t{row}" for row in range(len(values))]
    runs = [f"run{column}" for column in range(values.shape[1])]
    table = ScoreTable(names, runs, values, groups)
    return variance_of_file(FileRequest(table, "tukey", choices.get("missing", "zero")))


def test_a_headline_of_thirty_topics_tells_parts_and_the_test():
    rng = np.random.default_rng(5)
    scores = rng.random((40, 1)) + rng.normal(0, 0.1, (40, 4)) + np.linspace(0, 0.3, 4)
    result = of_file(scores)
    expected = package_table(scores)
    shares = 100 * expected.sum_sq / expected.sum_sq.sum()
    f = expected.F["C(run)"]
    assert result.headline == (
        f"Topics make {shares['C(topic)']:.0f} % of the sum of squares (eta squared), runs "
        f"{shares['C(run)']:.0f} %, and {shares['Residual']:.0f} % is left; "
        f"runs differ (F {f:.2f}, p < 0.001)"
    )
    assert result.extent == "4 runs and 40 topics"
    equal = of_file(rng.random((40, 1)) + rng.normal(0, 0.1, (40, 4)))
    assert "; that runs differ is not shown (F " in equal.headline


def test_groups_stand_for_their_topics():
    rng = np.random.default_rng(6)
    scores = rng.random((90, 3))
    result = of_file(scores, groups=[f"g{row // 3}" for row in range(90)])
    assert result.rows[1][:1] == ["Groups of topics"] and result.rows[1][2] == 29
    means = scores.reshape(30, 3, 3).mean(axis=1)
    assert result.rows[0][4] == pytest.approx(package_table(means).F["C(run)"])
    assert any(note.startswith("For 30 groups of topics: a group's share") for note in result.notes)


def test_equal_scores_and_no_error_are_sentences_and_no_numbers():
    constant = of_file(np.full((40, 3), 0.25))
    assert constant.headline == "All scores are equal: there is no variance"
    assert constant.spec is None and constant.rows[0][3:] == [0.0, None, None, None, None]
    exact = of_file(np.linspace(0, 1, 40)[:, None] + np.array([0.0, 0.25]))
    assert exact.rows[0][4:6] == [None, None]
    assert any(note.startswith("Nothing is left to the error") for note in exact.notes)
