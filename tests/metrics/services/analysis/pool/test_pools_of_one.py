"""Runs by the labels of another run's pool, from the database: recounted pair by pair."""

import numpy as np
import pytest

from metrics.services.analysis.pool import pools_of_one
from pooling.models import Pool, Ranking, Run
from tests.metrics.core.analyses.pool import trec
from tests.metrics.services.analysis.collection.small_study import small_study
from tests.metrics.services.analysis.pool.pooled_study import (
    brought_by,
    people_grades,
    pooled_study,
    rankings_of,
    reference_grades,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "scores-by-pools-of-one"


@pytest.fixture
def study(media_root):
    return pooled_study()


def test_each_run_is_scored_by_what_each_other_brought(study):
    people, reference = people_grades(), reference_grades(study)
    rows = table_of(study, NAME, measure="C@1 AP")
    assert len(rows) == 2 * 9
    scores = {(row["run"], row["pool"], row["measure"]): row for row in rows}
    for (run, pool, measure), row in scores.items():
        own = people.keys() & brought_by(pool)
        left = {
            pair: grade
            for pair, grade in people.items()
            if pair in own or pair not in brought_by("A", "B", "C")
        }
        values = trec.values(reference | left, rankings_of(run))[measure]
        assert row["score"] == pytest.approx(np.mean(list(values.values())))
        assert row["n_labels"] == len(own)
        assert row["n_positive"] == sum(people[pair] > 0 for pair in own)
        below = scores[run, run, measure]["score"] - row["score"]
        assert row["below_own"] == (None if run == pool else pytest.approx(below))
        whole = trec.values(reference | people, rankings_of(run))[measure]
        assert row["whole"] == pytest.approx(np.mean(list(whole.values())))


def test_without_a_choice_it_has_four_measures_and_a_neutral_sentence_for_few_queries(study):
    result = answer_of(study, NAME).result
    assert list(dict.fromkeys(row[2] for row in result.rows)) == ["C@1", "C@5", "C@10", "AP"]
    assert result.headline == (
        "C@1 of 3 runs by the labels that each of them alone would have brought"
    )
    assert "Left out, as no opened pool has them: D." in result.notes
    assert result.extent.startswith("3 runs, ") and "8 queries" in result.extent
    assert [layer["mark"]["type"] for layer in result.spec["layer"]] == ["rect", "rect", "text"]


def test_each_run_is_scored_by_what_each_team_brought(study):
    """A and B are one team and C another; without a second team the table is of runs alone."""
    Run.objects.filter(name="C").update(team="Green")
    people, reference = people_grades(), reference_grades(study)
    rows = [row for row in table_of(study, NAME, measure="AP") if row["made_by"] == "team"]
    teams = {"Blue": "AB", "Green": "C"}
    assert [(row["run"], row["pool"]) for row in rows] == [
        (run, team) for run in "ABC" for team in teams
    ]
    scores = {(row["run"], row["pool"]): row["score"] for row in rows}
    for row in rows:
        own = people.keys() & brought_by(*teams[row["pool"]])
        left = {
            pair: grade
            for pair, grade in people.items()
            if pair in own or pair not in brought_by("A", "B", "C")
        }
        values = trec.values(reference | left, rankings_of(row["run"]))["AP"]
        assert row["score"] == pytest.approx(np.mean(list(values.values())))
        assert row["n_labels"] == len(own)
        assert row["n_positive"] == sum(people[pair] > 0 for pair in own)
        own_team = next(team for team, runs in teams.items() if row["run"] in runs)
        below = scores[row["run"], own_team] - row["score"]
        assert row["below_own"] == (
            None if row["pool"] == own_team else pytest.approx(below, abs=1e-12)
        )
    result = answer_of(study, NAME, measure="AP").result
    assert "2 teams, of these runs alone." in result.notes
    assert result.extent.startswith("3 runs of 2 teams, ")
    assert "each of them, and each team, alone" in result.headline
    assert len(result.spec["vconcat"]) == 2


def test_a_run_without_a_team_is_one_by_itself(study):
    Run.objects.filter(name="D").update(name="Blue", team="")
    Run.objects.filter(name="C").update(team="Green")
    Pool.objects.get().runs.add(Run.objects.get(name="Blue"))
    rows = table_of(study, NAME, measure="AP")
    pools = {(row["pool"], row["n_labels"]) for row in rows if row["made_by"] == "team"}
    assert {name for name, _ in pools} == {"Blue", "Green", "Blue (a run)"}
    alone = {
        row["n_labels"]
        for row in rows
        if row["pool"] == row["run"] == "Blue" and row["made_by"] == "run"
    }
    assert {n for name, n in pools if name == "Blue (a run)"} == alone
    notes = answer_of(study, NAME, measure="AP").result.notes
    assert "Taken by themselves, as they name no team: Blue." in notes


def test_teams_are_told_where_two_are_known_and_one_has_several_runs(study):
    columns = [column.key for column in answer_of(study, NAME).result.columns]
    assert "made_by" not in columns
    Run.objects.filter(name="C").update(team="Green")
    runs = {run.name: run.pk for run in Run.objects.all()}
    result = answer_of(study, NAME, run=[runs["A"], runs["C"]]).result
    assert "made_by" not in [column.key for column in result.columns]
    assert "Each team has one of these runs: its pool is that run's." in result.notes


def test_many_queries_have_a_sentence_with_an_interval(study, monkeypatch):
    monkeypatch.setattr("metrics.charts.analyses.pool.pools_of_one.FEWEST", 5)
    rows = table_of(study, NAME, measure="AP")
    gain = np.mean([row["below_own"] for row in rows if row["below_own"] is not None])
    headline = answer_of(study, NAME, measure="AP").result.headline
    word = "worse" if gain < 0 else "better"
    assert headline.startswith(
        f"By the labels of its own pool the AP of a run is {abs(gain):.3f} {word} than by "
        "those of another run's pool, on average over 3 runs and 8 queries (95 % interval "
    )


def test_many_queries_have_the_gain_by_the_own_team_too(study, monkeypatch):
    monkeypatch.setattr("metrics.charts.analyses.pool.pools_of_one.FEWEST", 5)
    Run.objects.filter(name="C").update(team="Green")
    rows = [row for row in table_of(study, NAME, measure="AP") if row["made_by"] == "team"]
    gain = np.mean([row["below_own"] for row in rows if row["below_own"] is not None])
    word = "worse" if gain < 0 else "better"
    headline = answer_of(study, NAME, measure="AP").result.headline
    assert (
        f"); by its team's, {abs(gain):.3f} {word} than by another team's (95 % interval "
    ) in headline


def test_of_very_many_runs_the_first_are_shown(study, monkeypatch):
    monkeypatch.setattr(pools_of_one, "MOST_RUNS", 2)
    result = answer_of(study, NAME, measure="AP").result
    assert {row[0] for row in result.rows} == {"A", "B"}
    assert any(note.startswith("Of the first 2 of 3 pooled runs by name") for note in result.notes)


def test_labels_of_pooled_runs_that_are_not_chosen_are_said_to_count(study):
    note = (
        "1 more run is pooled and not among these: labels that it brought and none of these "
        "did count throughout."
    )
    runs = {run.name: run.pk for run in Run.objects.all()}
    assert note in answer_of(study, NAME, run=[runs["A"], runs["B"], runs["D"]]).result.notes
    assert not any("count throughout" in note for note in answer_of(study, NAME).result.notes)


def test_what_is_missing_is_said(study):
    runs = {run.name: run.pk for run in Run.objects.all()}
    assert "It takes 2 runs" in answer_of(study, NAME, run=[runs["A"]]).reason
    reason = answer_of(study, NAME, run=[runs["A"], runs["D"]]).reason
    assert reason == "It takes two runs that are in opened pools: choose others."
    answer = answer_of(study, NAME, labels="none:original")
    assert answer.reason.startswith("These labels are a reference's")
    Ranking.objects.filter(run__name__in="ABC").delete()
    reason = answer_of(study, NAME).reason
    assert reason == "No pair that these runs brought to a pool has a grade by people yet."


def test_a_study_without_a_pool_says_so():
    collection = small_study()
    assert answer_of(collection, NAME).reason.startswith("People have given no pair")
