"""The leaderboard's tests for differences: letters, Cochran's Q, and queries that a run misses."""

import csv
import io

import numpy as np
import pytest

from annotate.models import Role
from metrics.charts.decision_notes import notes
from metrics.core.comparisons import permutation_tests, run_comparison
from metrics.core.comparisons.binary_scores import cochran
from metrics.core.comparisons.run_comparison import METHODS, decide
from metrics.core.comparisons.significance import paired_test
from metrics.core.measures.measures import parse_one
from metrics.core.statistics.groups import Groups
from metrics.models import Score
from metrics.services.leaderboard import computation
from metrics.services.leaderboard.cells import AbsentScore
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.leaderboard.comparison_page import comparison_of
from metrics.services.leaderboard.decisions import decision, decision_facts
from metrics.services.leaderboard.files import as_csv
from metrics.services.leaderboard.leaderboard import leaderboard_of
from metrics.services.numbers import refresh
from pooling.models import Ranking, Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of

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


def leaderboard_with(study, **parameters):
    choices = read_choices(collection=study, viewer=None, parameters=parameters)
    assert choices.errors == []
    boards.compute(collection=study, spec=choices.spec)
    look = computation.look(collection=study, spec=choices.spec)
    return leaderboard_of(choices=choices, collection=study, view=look.row, version=look.version)


def values(name):
    """Keys of the runs in forward direction, their values, and which queries each misses."""
    runs = list(Run.objects.filter(direction="forward").order_by("name"))
    scores = Score.objects.filter(measure=name, label_source="over:original")
    scores_by_run = np.array([np.frombuffer(scores.get(run=run).per_query) for run in runs]).T
    sources = sorted(Ranking.objects.filter(run=runs[0]).values_list("source_id", flat=True))
    missed = [
        ~np.isin(sources, Ranking.objects.filter(run=run).values_list("source_id", flat=True))
        for run in runs
    ]
    return [run.pk for run in runs], scores_by_run, np.array(missed).T


def facts(study, name="AP", **parameters):
    leaderboard = leaderboard_with(study, **parameters)
    return next(
        decision for decision in leaderboard.tables[0].decisions if decision.measure == name
    ), leaderboard


@pytest.mark.django_db
def test_randomized_tukey_decides_unless_told_and_its_letters_stand_in_the_cells(board):
    ap_decision, leaderboard = facts(board)
    runs, scores, _ = values("AP")
    same = decide(scores, method="randomized-tukey")
    assert leaderboard.choices.spec.method == "randomized-tukey"
    assert (
        ap_decision.facts["method"] == "randomized-tukey"
        and ap_decision.facts["n_samples"] == 10_000
    )
    assert ap_decision.letters == {
        runs[position]: letters for position, letters in zip(same.order, same.letters, strict=True)
    }
    for row in leaderboard.tables[0].rows:
        cell = row.cells[leaderboard.choices.spec.measures.index("AP")]
        assert list(cell.letters) == ap_decision.letters[row.run.pk] != []
    notes_text = " ".join(leaderboard.tables[0].decision_notes)
    assert notes_text.startswith("Randomized Tukey and each pair's own error: at .05 over 12 ")
    assert "10,000 permutations of the runs within queries, seeded by the scores." in notes_text
    assert "1 of 3 runs misses some, up to 2" in leaderboard.tables[0].missing_text


@pytest.mark.django_db
def test_a_missed_query_counts_0_by_shares_alone(board):
    (table, *_) = leaderboard_with(board, measures="AP MedR MeanR").tables
    assert table.missing_text == (
        "a query that a run misses counts 0, and as beyond every rank by MedR and MeanR where "
        "there is a positive, which leaves MeanR undefined (1 of 3 runs misses some, up to 2)"
    )
    delta = next(row for row in table.rows if row.run.name == "delta")
    assert delta.cells[0].whole > 0
    assert isinstance(delta.cells[2], AbsentScore)


@pytest.mark.django_db
def test_the_file_has_the_letters_beside_the_group(board):
    rows = list(
        csv.DictReader(io.StringIO(as_csv(leaderboard=leaderboard_with(board), collection=board)))
    )
    ap, _ = facts(board)
    keys = dict(Run.objects.values_list("name", "pk"))
    letters = {
        row["run"]: row["letters"]
        for row in rows
        if row["direction"] == "forward" and row["measure"] == "AP"
    }
    assert (
        letters == {name: " ".join(ap.letters[keys[name]]) for name in letters}
        and len(letters) == 3
    )
    assert list(rows[0])[list(rows[0]).index("pseudo_group") + 1] == "letters"


@pytest.mark.django_db
def test_runs_that_miss_queries_are_left_out_of_decisions_and_keep_their_scores(board):
    usual, before = facts(board)
    ap_decision, after = facts(board, missing="runs")
    runs, _, missed = values("AP")
    assert not after.choices.is_stored and before.choices.is_stored
    assert missed.sum(axis=0).tolist().count(0) == 2
    whole_runs = [run for run, n in zip(runs, missed.sum(axis=0), strict=True) if n == 0]
    assert set(ap_decision.letters) == set(whole_runs) < set(usual.letters) == set(runs)
    assert (
        ap_decision.facts["n_runs_out"],
        ap_decision.facts["n_queries_out"],
        ap_decision.n_pairs,
    ) == (1, 0, 1)
    left_out = "Runs that miss queries are left out of these tests: 1. Their scores count 0 for"
    assert left_out in " ".join(after.tables[0].decision_notes)
    cells = [
        {row.run.pk: row.cells[0].whole for row in page.tables[0].rows} for page in (before, after)
    ]
    assert cells[0] == pytest.approx(cells[1])


@pytest.mark.django_db
def test_stored_and_measured_boards_share_permutations_among_their_measures_alike(
    board, monkeypatch
):
    """12 queries x 3 runs allow 8,000 permutations in time, so two measures have 4,000 each."""
    monkeypatch.setattr(permutation_tests, "CELLS", 8_000 * 12 * 3)
    monkeypatch.setattr(permutation_tests, "MOST_SAMPLES", 4_321)
    parameters = {"measures": "AP nDCG@10", "label_source": "over:original"}
    stored, measured = (facts(board, **parameters, **more) for more in ({}, {"missing": "runs"}))
    for ap_decision, page in (stored, measured):
        n = ap_decision.facts["n_samples"]
        assert 4_000 <= n <= 4_321
        assert f"{n:,}" in page.tables[0].decision_notes[0]
    alone, _ = facts(board, measures="AP")
    assert alone.facts["n_samples"] == 4_321


@pytest.mark.django_db
def test_queries_that_some_run_misses_are_left_out_of_decisions(board, monkeypatch):
    tested_scores = []

    def watched(scores, **arguments):
        tested_scores.append(scores)
        return run_comparison.decide(scores, **arguments)

    monkeypatch.setattr("metrics.services.leaderboard.decisions.decide", watched)
    ap_decision, after = facts(board, missing="queries", measures="AP")
    _, scores, missed = values("AP")
    assert tested_scores[0].tolist() == scores[~missed.any(axis=1)].tolist() and tested_scores[
        0
    ].shape == (10, 3)
    assert (ap_decision.facts["n_runs_out"], ap_decision.facts["n_queries_out"]) == (0, 2)
    assert (
        "Queries that some run misses are left out of these tests: 2."
        in after.tables[0].decision_notes[-1]
    )


def test_what_is_left_out_may_leave_too_little():
    arguments = {
        "scores": np.random.default_rng(0).random((4, 3)),
        "runs": [1, 2, 3],
        "groups": Groups.single(4),
    }
    missed = np.zeros((4, 3), dtype=bool)
    missed[0, :2] = True
    facts = decision_facts(AP, **arguments, method="tukey", missing="runs", is_missing=missed)
    assert (facts["why"], facts["n_runs_out"]) == ("fewer than two runs hold every query", 2)
    missed[:3, 0] = True
    facts = decision_facts(AP, **arguments, method="tukey", missing="queries", is_missing=missed)
    assert facts["why"] == "fewer than two queries or groups that no run misses"
    assert decision_facts(AP, **arguments, method="tukey", is_missing=missed)["why"] == ""


def compared(study, **parameters):
    choices = read_comparison(collection=study, viewer=None, parameters=parameters)
    boards.compute(collection=study, spec=choices.spec)
    view = boards.find(collection=study, spec=choices.spec)
    return comparison_of(
        runs=choices.compared_runs,
        measure=choices.spec.measures[0],
        view=view,
        version=view.version,
    )


@pytest.mark.django_db
def test_two_runs_are_compared_with_or_without_the_queries_that_one_misses(board):
    runs, scores, missed = values("AP")
    runs_by_name = {run.name: run for run in Run.objects.filter(pk__in=runs)}
    of = {"a": str(runs_by_name["alpha"].pk), "b": str(runs_by_name["delta"].pk), "measure": "AP"}
    pair = [runs.index(runs_by_name[name].pk) for name in ("alpha", "delta")]
    with_missing, without_missing = compared(board, **of), compared(board, **of, missing="queries")
    assert with_missing.missing_text == "Of the queries delta misses 2, counted 0 here."
    assert without_missing.missing_text == "Of the queries delta misses 2, left out here."
    is_held = ~missed.any(axis=1)
    for page, rows in ((with_missing, scores), (without_missing, scores[is_held])):
        x, y = rows[:, pair].T
        assert page.facts["n_queries"] == len(rows)
        assert (
            next(test.p for test in page.tests if "Student" in test.name)
            == paired_test("t", x, y).p_value
        )
        assert page.facts["difference"] == pytest.approx(100 * (x - y).mean())
        # alpha's best query, in per cent as the means are
        assert page.ends[0].queries[0].difference == pytest.approx(100 * (x - y).max())
    assert compared(board, **of, missing="runs").missing_text == with_missing.missing_text
    of |= {"measure": "RBPres", "missing": "zero"}
    text = "Of the queries delta misses 2, counted 1 by RBPres here."
    assert compared(board, **of).missing_text == text
    items = {query.item.pk for end in without_missing.ends for query in end.queries}
    delta_queries = set(
        Ranking.objects.filter(run=runs_by_name["delta"]).values_list("source_id", flat=True)
    )
    assert items <= delta_queries


@pytest.mark.django_db
def test_scores_that_are_0_or_1_have_cochran_s_q_and_mcnemar(board):
    c1_decision, page = facts(board, "C@1", measures="C@1 AP")
    runs, scores, _ = values("C@1")
    q = cochran(scores)
    assert c1_decision.facts["q"] == {
        "df": q.df,
        "n_samples": 0,
        "statistic": q.statistic,
        "p": q.p_value,
    }
    assert c1_decision.q_text.startswith(f"Q {q.statistic:.2f}, df 2, p ")
    assert not c1_decision.is_marked and page.tables[0].has_q
    assert "0 or 1" not in " ".join(page.tables[0].decision_notes)
    marked, page = facts(board, "C@1", measures="C@1 AP", decide="tukey")
    assert marked.is_marked and not page.tables[0].decisions[1].is_marked
    notes_text = " ".join(page.tables[0].decision_notes)
    assert (
        "The scores of C@1 are 0 or 1 (‡): the method was made for scores that are near normal"
        in notes_text
    )
    pair = {"a": str(runs[0]), "b": str(runs[1])}
    tests = {test.name: test for test in compared(board, **pair, measure="C@1").tests}
    assert tests["McNemar"].p == paired_test("mcnemar", *scores[:, :2].T).p_value
    assert "mid-p" in compared(board, **pair, measure="C@1").zero_one_note
    assert compared(board, **pair, measure="AP").zero_one_note == ""


def test_cochran_s_q_of_groups_is_by_permutation():
    scores = (np.random.default_rng(0).random((30, 3)) < [0.2, 0.5, 0.8]).astype(float)
    arguments = {"scores": scores, "runs": [1, 2, 3], "method": "tukey"}
    runs = [Run(pk=pk, name=str(pk)) for pk in (1, 2, 3)]
    facts = decision_facts(AP, **arguments, groups=Groups.of(np.arange(30) // 2))
    text = decision({"name": "AP", "decided": facts}, runs).q_text
    assert text.endswith("2,000 permutations of the groups, p < 0.001")
    alike = decision_facts(AP, **arguments | {"scores": scores * 0}, groups=Groups.single(30))
    assert decision({"name": "AP", "decided": alike}, runs).q_text == "no query tells runs apart"


def decision_by(method, scores=None):
    scores = np.random.default_rng(0).random((20, 3)) if scores is None else scores
    runs = [Run(pk=pk, name=f"run {pk}") for pk in range(3)]
    facts = decision_facts(AP, scores, [0, 1, 2], groups=Groups.single(20), method=method)
    return decision({"name": "AP", "decided": facts}, runs)


def test_the_page_says_what_decided(monkeypatch):
    def notes_text(method):
        return " ".join(notes([decision_by(method).test], over="20 queries", unit="queries"))

    assert "10,000 tosses of all queries" in notes_text("randomization")
    assert "Of 3 pairs Holm's correction asks p below 0.017 of the first." in notes_text(
        "randomization"
    )
    hopeless = decision_by("randomized-tukey", np.eye(20, 3)[:, [0, 0, 1]])
    assert not hopeless.n_decided
    assert (
        "By AP the runs differ on too few queries for this test to tell any two of them apart, "
        "whatever their scores."
    ) in notes([hopeless.test], over="20 queries", unit="queries")
    assert notes_text("tukey") == "Tukey's HSD and each pair's own error: at .05 over 20 queries."
    assert notes_text("regwq") == "REGWQ and each pair's own error: at .05 over 20 queries."
    assert not any(
        "own error" in notes_text(method) for method in ("randomization", "newman-keuls")
    )
    assert "does not hold the family-wise error" in notes_text("newman-keuls")
    assert not any(
        "family-wise" in notes_text(method) for method in METHODS if method != "newman-keuls"
    )
    monkeypatch.setattr(permutation_tests, "CELLS", 100)
    instead = decision_by("randomized-tukey")
    assert (instead.method, instead.facts["asked"]) == ("tukey", "randomized-tukey")
    text = " ".join(notes([instead.test], over="20 queries", unit="queries"))
    assert text == (
        "Randomized Tukey and each pair's own error: at .05 over 20 queries. Tukey's HSD and "
        "each pair's own error tested AP instead, as so many runs and queries would take too "
        "long to permute."
    )
    monkeypatch.setattr(run_comparison, "_MOST_CELLS", 100)
    text = " ".join(notes([decision_by("randomization").test], over="20 queries", unit="queries"))
    assert "Tukey's HSD and each pair's own error tested AP instead" in text
    assert "too long to toss as often as Holm's correction needs." in text


def test_measures_without_decisions_have_no_notes():
    assert notes([], over="20 queries", unit="queries") == []


@pytest.mark.django_db(transaction=True)
def test_the_pages_show_it(board, client):
    client.force_login(cast.member(board, Role.RESEARCHER))
    for query_string in ("measures=C@1+AP", "measures=C@1+AP&decide=newman-keuls&missing=runs"):
        parameters = dict(pair.split("=") for pair in query_string.replace("+", " ").split("&"))
        leaderboard_with(board, **parameters)
        page = text_of(client.get(f"/c/{board.slug}/results/leaderboard/?{query_string}"))
        assert "Cochran&#x27;s Q" in page or "Cochran's Q" in page
        assert "two runs share one exactly where they do not differ" in page
        assert ("does not hold the family-wise error" in page) == ("newman" in query_string)
        assert ("are left out of these tests: 1" in page) == ("missing" in query_string)
        assert 'title="Letters a' in page
