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


def test_whole_teams_are_pooled_where_two_are_known(study):
    """A and B are one team and C another: two choices of one team, of 1.5 runs on average."""
    before = table_of(study, NAME, measure="AP")
    Run.objects.filter(name="C").update(team="Green")
    people, reference = people_grades(), reference_grades(study)
    inside, outside = [], []
    for team in ("AB", "C"):
        held = brought_by(*team)
        some = {pair: grade for pair, grade in people.items() if pair in held}
        for name in "ABC":
            move = abs(score(name, reference | some) - score(name, reference | people))
            (inside if name in team else outside).append(move)
    rows = table_of(study, NAME, measure="AP")
    of_runs = [row for row in rows if row["pooled"] == "runs"]
    assert [{key: row[key] for key in before[0]} for row in of_runs] == before
    one, both = (row for row in rows if row["pooled"] == "teams")
    assert (one["size"], one["n_subsets"], one["n_runs"]) == (1, 2, 1.5)
    assert one["self_bias"] == pytest.approx(np.mean(inside))
    assert one["non_self_bias"] == pytest.approx(np.mean(outside))
    assert (both["size"], both["n_runs"], both["bias"]) == (2, 3, 0)
    result = answer_of(study, NAME, measure="AP").result
    assert "2 teams, of these runs alone." in result.notes
    assert result.extent.startswith("3 pooled runs of 2 teams, ")
    assert "Of whole teams" in result.reading and "has no interval: " in result.reading
    kinds = [value["kind"] for value in result.spec["data"]["values"]]
    assert kinds.count("Outside, of whole teams") == 1


def test_without_two_teams_there_are_no_rows_of_teams(study):
    result = answer_of(study, NAME, measure="AP").result
    assert result.columns[0].key == "size"
    assert "team" not in result.reading


def test_labels_of_pooled_runs_that_are_not_chosen_are_said_to_count(study):
    runs = {run.name: run.pk for run in Run.objects.all()}
    result = answer_of(study, NAME, run=[runs["A"], runs["C"]]).result
    assert (
        "1 more run is pooled and not among these: labels that it brought and none of these "
        "did count throughout."
    ) in result.notes
    assert not any("count throughout" in note for note in answer_of(study, NAME).result.notes)


def test_one_pooled_run_is_too_few(study):
    runs = {run.name: run.pk for run in Run.objects.all()}
    answer = answer_of(study, NAME, run=[runs["A"], runs["D"]])
    assert answer.reason == "It takes two runs that are in opened pools: choose others."
