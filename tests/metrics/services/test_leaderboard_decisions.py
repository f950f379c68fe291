"""What the leaderboard decides and says of it: letters, Cochran's Q, and queries that a run misses."""

import csv
import io

import numpy as np
import pytest

from annotate.models import Role
from metrics.core import permuting, tournament
from metrics.core.groups import Groups
from metrics.core.measures import parse_one
from metrics.core.significance import paired_test
from metrics.core.tournament import METHODS, decide
from metrics.core.zero_one import cochran
from metrics.models import Score
from metrics.services import leaderboard_views, refresh
from metrics.services.leaderboard import leaderboard_of
from metrics.services.leaderboard_comparison_page import comparison_of
from metrics.services.leaderboard_decisions import decided, decision, notes
from metrics.services.leaderboard_files import as_csv
from metrics.services.leaderboard_wanted import read, read_pair
from pooling.models import Ranking, Run
from tests import cast
from tests.metrics import studies

AP = parse_one("AP")


@pytest.fixture
def board():
    """Twelve queries, of which the run delta misses two."""
    study = studies.study("study", n_queries=12, n_documents=15)
    studies.run(study, "delta", seed=7, missing=2)
    for seed in range(2):
        studies.judge(cast.annotator(study), likes=0.5, seed=seed)
    refresh.refresh(collection=study)
    return study


def shown(study, **given):
    choices = read(collection=study, viewer=None, given=given)
    assert choices.errors == []
    leaderboard_views.compute(collection=study, wanted=choices.wanted)
    found = leaderboard_views.look(collection=study, wanted=choices.wanted)
    return leaderboard_of(choices=choices, collection=study, view=found.view, version=found.version)


def values(name):
    """Keys of the runs in forward direction, their values, and which queries each misses."""
    runs = list(Run.objects.filter(direction="forward").order_by("name"))
    scores = Score.objects.filter(measure=name, label_source="over:original")
    held = np.array([np.frombuffer(scores.get(run=run).per_query) for run in runs]).T
    sources = sorted(Ranking.objects.filter(run=runs[0]).values_list("source_id", flat=True))
    missed = [~np.isin(sources, Ranking.objects.filter(run=run).values_list("source_id", flat=True)) for run in runs]
    return [run.pk for run in runs], held, np.array(missed).T


def facts(study, name="AP", **given):
    found = shown(study, **given)
    return next(each for each in found.tables[0].decisions if each.measure == name), found


@pytest.mark.django_db
def test_randomized_tukey_decides_unless_told_and_its_letters_stand_in_the_cells(board):
    found, board_shown = facts(board)
    runs, scores, _ = values("AP")
    same = decide(scores, method="randomized-tukey")
    assert board_shown.choices.wanted.method == "randomized-tukey"
    assert found.facts["method"] == "randomized-tukey" and found.facts["n_samples"] == 10_000
    assert found.letters == {runs[place]: own for place, own in zip(same.order, same.letters, strict=True)}
    for row in board_shown.tables[0].rows:
        cell = row.cells[board_shown.choices.wanted.measures.index("AP")]
        assert list(cell.letters) == found.letters[row.run.pk] != []
    said = " ".join(board_shown.tables[0].decision_notes)
    assert said.startswith("Randomized Tukey and each pair's own error: at .05 over 12 ")
    assert "10,000 permutations of the runs within queries, seeded by the scores." in said
    assert "1 of 3 runs miss some, up to 2" in board_shown.tables[0].missing_text


@pytest.mark.django_db
def test_the_file_has_the_letters_beside_the_group(board):
    rows = list(csv.DictReader(io.StringIO(as_csv(shown=shown(board), collection=board))))
    ap, _ = facts(board)
    named = dict(Run.objects.values_list("name", "pk"))
    told = {row["run"]: row["letters"] for row in rows if row["direction"] == "forward" and row["measure"] == "AP"}
    assert told == {name: " ".join(ap.letters[named[name]]) for name in told} and len(told) == 3
    assert list(rows[0])[list(rows[0]).index("pseudo_group") + 1] == "letters"


@pytest.mark.django_db
def test_runs_that_miss_queries_are_left_out_of_decisions_and_keep_their_scores(board):
    usual, before = facts(board)
    found, after = facts(board, missing="runs")
    runs, _, missed = values("AP")
    assert not after.choices.is_stored and before.choices.is_stored
    assert missed.sum(axis=0).tolist().count(0) == 2
    kept = [run for run, n in zip(runs, missed.sum(axis=0), strict=True) if n == 0]
    assert set(found.letters) == set(kept) < set(usual.letters) == set(runs)
    assert (found.facts["n_runs_out"], found.facts["n_queries_out"], found.n_pairs) == (1, 0, 1)
    assert "Runs that miss queries are left out of these tests: 1." in " ".join(after.tables[0].decision_notes)
    cells = [{row.run.pk: row.cells[0].whole for row in each.tables[0].rows} for each in (before, after)]
    assert cells[0] == pytest.approx(cells[1])


@pytest.mark.django_db
def test_stored_and_measured_boards_share_permutations_among_their_measures_alike(board, monkeypatch):
    """Of 12 queries x 3 runs what can be waited for is 8,000 permutations, so two measures have 4,000 each."""
    monkeypatch.setattr(permuting, "CELLS", 8_000 * 12 * 3)
    monkeypatch.setattr(permuting, "MOST_SAMPLES", 4_321)
    given = {"measures": "AP nDCG@10", "label_source": "over:original"}
    stored, measured = (facts(board, **given, **more) for more in ({}, {"missing": "runs"}))
    for found, page in (stored, measured):
        n = found.facts["n_samples"]
        assert 4_000 <= n <= 4_321
        assert f"{n:,}" in page.tables[0].decision_notes[0]
    alone, _ = facts(board, measures="AP")
    assert alone.facts["n_samples"] == 4_321


@pytest.mark.django_db
def test_queries_that_some_run_misses_are_left_out_of_decisions(board, monkeypatch):
    given = []

    def watched(scores, **told):
        given.append(scores)
        return tournament.decide(scores, **told)

    monkeypatch.setattr("metrics.services.leaderboard_decisions.decide", watched)
    found, after = facts(board, missing="queries", measures="AP")
    _, scores, missed = values("AP")
    assert given[0].tolist() == scores[~missed.any(axis=1)].tolist() and given[0].shape == (10, 3)
    assert (found.facts["n_runs_out"], found.facts["n_queries_out"]) == (0, 2)
    assert "Queries that some run misses are left out of these tests: 2." in after.tables[0].decision_notes[-1]


def test_what_is_left_out_may_leave_too_little():
    told = {"scores": np.random.default_rng(0).random((4, 3)), "runs": [1, 2, 3], "groups": Groups.single(4)}
    missed = np.zeros((4, 3), dtype=bool)
    missed[0, :2] = True
    found = decided(AP, **told, method="tukey", missing="runs", missed=missed)
    assert (found["why"], found["n_runs_out"]) == ("fewer than two runs hold every query", 2)
    missed[:3, 0] = True
    found = decided(AP, **told, method="tukey", missing="queries", missed=missed)
    assert found["why"] == "fewer than two queries or groups that no run misses"
    assert decided(AP, **told, method="tukey", missed=missed)["why"] == ""


def compared(study, **given):
    choices = read_pair(collection=study, viewer=None, given=given)
    leaderboard_views.compute(collection=study, wanted=choices.wanted)
    view = leaderboard_views.find(collection=study, wanted=choices.wanted)
    return comparison_of(pair=choices.compared, measure=choices.wanted.measures[0], view=view, version=view.version)


@pytest.mark.django_db
def test_two_runs_are_compared_with_or_without_the_queries_that_one_misses(board):
    runs, scores, missed = values("AP")
    named = {run.name: run for run in Run.objects.filter(pk__in=runs)}
    of = {"a": str(named["alpha"].pk), "b": str(named["delta"].pk), "measure": "AP"}
    pair = [runs.index(named[name].pk) for name in ("alpha", "delta")]
    counted, left = compared(board, **of), compared(board, **of, missing="queries")
    assert counted.missing_text == "Of the queries delta misses 2, counted 0 here."
    assert left.missing_text == "Of the queries delta misses 2, left out here."
    is_held = ~missed.any(axis=1)
    for page, rows in ((counted, scores), (left, scores[is_held])):
        x, y = rows[:, pair].T
        assert page.facts["n_queries"] == len(rows)
        assert next(test.p for test in page.tests if "Student" in test.name) == paired_test("t", x, y).p_value
        assert page.facts["difference"] == pytest.approx(100 * (x - y).mean())
    assert compared(board, **of, missing="runs").missing_text == counted.missing_text
    items = {query.item for end in left.ends for query in end.queries}
    held = set(Ranking.objects.filter(run=named["delta"]).values_list("source_id", flat=True))
    assert items <= held


@pytest.mark.django_db
def test_scores_that_are_0_or_1_have_cochran_s_q_and_mcnemar(board):
    found, page = facts(board, "C@1", measures="C@1 AP")
    runs, scores, _ = values("C@1")
    q = cochran(scores)
    assert found.facts["q"] == {"df": q.df, "n_samples": 0, "statistic": q.statistic, "p": q.p_value}
    assert found.q_text.startswith(f"Q {q.statistic:.2f}, df 2, p ")
    assert not found.is_marked and page.tables[0].has_q
    assert "0 or 1" not in " ".join(page.tables[0].decision_notes)
    marked, page = facts(board, "C@1", measures="C@1 AP", decide="tukey")
    assert marked.is_marked and not page.tables[0].decisions[1].is_marked
    said = " ".join(page.tables[0].decision_notes)
    assert "The scores of C@1 are 0 or 1 (‡): the method was made for scores that are near normal" in said
    pair = {"a": str(runs[0]), "b": str(runs[1])}
    tests = {test.name: test for test in compared(board, **pair, measure="C@1").tests}
    assert tests["McNemar"].p == paired_test("mcnemar", *scores[:, :2].T).p_value
    assert "mid-p" in compared(board, **pair, measure="C@1").zero_one_note
    assert compared(board, **pair, measure="AP").zero_one_note == ""


def test_cochran_s_q_of_groups_is_by_permutation():
    scores = (np.random.default_rng(0).random((30, 3)) < [0.2, 0.5, 0.8]).astype(float)
    told = {"scores": scores, "runs": [1, 2, 3], "method": "tukey"}
    runs = [Run(pk=pk, name=str(pk)) for pk in (1, 2, 3)]
    found = decided(AP, **told, groups=Groups.of(np.arange(30) // 2))
    text = decision({"name": "AP", "decided": found}, runs).q_text
    assert text.endswith("2,000 permutations of the groups, p 0.0005")
    alike = decided(AP, **told | {"scores": scores * 0}, groups=Groups.single(30))
    assert decision({"name": "AP", "decided": alike}, runs).q_text == "no query tells runs apart"


def made(method, scores=None):
    scores = np.random.default_rng(0).random((20, 3)) if scores is None else scores
    runs = [Run(pk=pk, name=f"run {pk}") for pk in range(3)]
    found = decided(AP, scores, [0, 1, 2], groups=Groups.single(20), method=method)
    return decision({"name": "AP", "decided": found}, runs)


def test_the_page_says_what_decided(monkeypatch):
    def said(method):
        return " ".join(notes([made(method)], over="20 queries", unit="queries"))

    assert "10,000 tosses of all queries" in said("randomization")
    assert said("tukey") == "Tukey's HSD and each pair's own error: at .05 over 20 queries."
    assert said("regwq") == "REGWQ and each pair's own error: at .05 over 20 queries."
    assert not any("own error" in said(method) for method in ("randomization", "newman-keuls"))
    assert "does not hold the family-wise error" in said("newman-keuls")
    assert not any("family-wise" in said(method) for method in METHODS if method != "newman-keuls")
    monkeypatch.setattr(permuting, "CELLS", 100)
    instead = made("randomized-tukey")
    assert (instead.method, instead.facts["asked"]) == ("tukey", "randomized-tukey")
    text = " ".join(notes([instead], over="20 queries", unit="queries"))
    assert text == (
        "Randomized Tukey and each pair's own error: at .05 over 20 queries. Tukey's HSD and each pair's own error "
        "tested AP instead, as so many runs and queries would take too long to permute."
    )
    monkeypatch.setattr(tournament, "_MOST_CELLS", 100)
    text = " ".join(notes([made("randomization")], over="20 queries", unit="queries"))
    assert "Tukey's HSD and each pair's own error tested AP instead" in text
    assert "too long to toss as often as Holm's correction needs." in text


def test_measures_without_decisions_have_no_notes():
    assert notes([], over="20 queries", unit="queries") == []


@pytest.mark.django_db(transaction=True)
def test_the_pages_show_it(board, client):
    client.force_login(cast.member(board, Role.RESEARCHER))
    for given in ("measures=C@1+AP", "measures=C@1+AP&decide=newman-keuls&missing=runs"):
        asked = dict(pair.split("=") for pair in given.replace("+", " ").split("&"))
        shown(board, **asked)
        page = client.get(f"/c/{board.slug}/leaderboard/?{given}").content.decode()
        assert "Cochran&#x27;s Q" in page or "Cochran's Q" in page
        assert "two runs share one exactly where they do not differ" in page
        assert ("does not hold the family-wise error" in page) == ("newman" in given)
        assert ("are left out of these tests: 1" in page) == ("missing" in given)
        assert 'title="Letters a' in page
