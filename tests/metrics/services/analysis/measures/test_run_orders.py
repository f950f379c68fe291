"""The order of runs by measures and labels, from the database: scored by trec_eval's code."""

import pytest
import pytrec_eval

from annotate.models import Item, ReferenceLabel, Resolution
from metrics.services.numbers import refresh
from pooling.models import Pool, Ranking, Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
TREC = {"C@1": "success_1", "C@5": "success_5", "AP": "map", "RR": "recip_rank"}
FAMILIES = {"success.1,5", "map", "recip_rank"}


@pytest.fixture
def study():
    """Five forward runs, one of which misses two queries, and pairs that people graded."""
    collection = small_study()
    for number, name in enumerate(("delta", "epsilon", "zeta"), start=7):
        studies.run(collection, name, seed=number, missing=2 * (name == "zeta"))
    grade(collection, {(0, 3): 1, (0, 0): 0, (1, 4): 2, (2, 5): 1, (3, 3): 0, (4, 8): 1})
    Run.objects.filter(name="alpha").update(team="Blue")
    refresh.refresh(collection=collection)
    return collection


def keys_of(*names: str) -> list[int]:
    return [Run.objects.get(name=name).pk for name in names]


def expected_means(collection, *, people=True, reference=True) -> dict[str, dict[str, float]]:
    """Means of trec_eval's values over the six queries, by run; people's grades over reference."""
    labels = {}
    if reference:
        rows = ReferenceLabel.objects.values_list("query", "document", "grade")
        labels |= {(query, document): value for query, document, value in rows}
    if people:
        rows = Resolution.objects.values_list("pair__query", "pair__document", "grade")
        labels |= {(query, document): value for query, document, value in rows}
    qrels = {}
    for (query, document), value in labels.items():
        qrels.setdefault(str(query), {})[str(document)] = value
    oracle = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES)
    means = {}
    for run in Run.objects.filter(direction="forward"):
        rankings = {
            str(source): {str(target): 1.0 / rank for rank, target in enumerate(targets, 1)}
            for source, targets in Ranking.objects.filter(run=run).values_list("source", "targets")
        }
        values = oracle.evaluate(rankings)
        means[run.name] = {
            name: sum(row[trec_name] for row in values.values()) / 6
            for name, trec_name in TREC.items()
        }
    return means


def test_averages_are_those_of_trec_eval_and_ranks_follow_them(study):
    expected = expected_means(study)
    rows = table_of(study, "rank-changes-by-measure", measure=" ".join(TREC))
    assert {row["run"] for row in rows} == set(expected)
    for row in rows:
        for name in TREC:
            assert row[name] == pytest.approx(expected[row["run"]][name], abs=1e-12)
            better = [run for run, means in expected.items() if means[name] > row[name] + 1e-12]
            assert row[f"rank_by_{name}"] == 1 + len(better)
        ranks = [row[f"rank_by_{name}"] for name in TREC]
        assert row["places"] == max(ranks) - min(ranks)
    firsts = [row["rank_by_C@1"] for row in rows]
    assert firsts == sorted(firsts)


def test_each_label_source_scores_the_runs_by_itself(study):
    result = answer_of(study, "rank-changes-by-labels", measure="AP").result
    assert [column.key for column in result.columns][-3:] == [
        "none:original",
        "only",
        "over:original",
    ]
    sources = {
        "none:original": {"people": False},
        "only": {"reference": False},
        "over:original": {},
    }
    rows = table_of(study, "rank-changes-by-labels", measure="AP")
    for key, options in sources.items():
        expected = expected_means(study, **options)
        for row in rows:
            assert row[key] == pytest.approx(expected[row["run"]]["AP"], abs=1e-12)


def test_label_sources_with_the_same_labels_are_told(study):
    def notes() -> list[str]:
        result = answer_of(study, "rank-changes-by-labels", measure="AP").result
        return [note for note in result.notes if note.startswith("The labels of these two")]

    assert notes() == []
    Resolution.objects.filter(collection=study).delete()
    refresh.refresh(collection=study)
    assert notes() == [
        "The labels of these two are the same on these queries, and so is the order: reference "
        "“original” only; people over reference “original”."
    ]
    grade(study, {(0, 3): 1})
    assert notes() == []


def test_the_runs_in_opened_pools_are_told(study):
    def note() -> str:
        (text,) = [
            text
            for text in answer_of(study, "rank-changes-by-labels", measure="AP").result.notes
            if "opened pool" in text
        ]
        return text

    assert note() == "No opened pool has any of these runs."
    pool = Pool.objects.get(collection=study)
    pool.runs.set(keys_of("alpha", "beta", "delta", "zeta"))
    assert note() == "In no opened pool, so that labels may favour the other runs: epsilon."
    pool.runs.add(*keys_of("epsilon"))
    assert note() == (
        "All of these runs are in opened pools: labels may favour them over new ones."
    )
    Pool.objects.filter(pk=pool.pk).update(state="draft", opened_at=None)
    assert note() == "No opened pool has any of these runs."


def test_correlations_count_the_pairs_of_runs(study):
    expected = expected_means(study)
    rows = table_of(study, "measure-correlations", measure="AP RR")
    (row,) = rows
    pairs = [(a, b) for a in expected for b in expected if a < b]
    products = [
        (expected[a]["AP"] - expected[b]["AP"]) * (expected[a]["RR"] - expected[b]["RR"])
        for a, b in pairs
    ]
    n_same = sum(product > 1e-15 for product in products)
    n_opposite = sum(product < -1e-15 for product in products)
    assert (row["n_runs"], row["n_same"], row["n_opposite"]) == (5, n_same, n_opposite)
    assert row["tau"] == pytest.approx((n_same - n_opposite) / 10)


def test_the_scatter_has_both_averages_with_their_intervals(study):
    rows = table_of(study, "measure-against-measure", measure="C@1 AP")
    expected = expected_means(study)
    for row in rows:
        assert row["AP"] == pytest.approx(expected[row["run"]]["AP"], abs=1e-12)
        assert row["C@1_low"] <= row["C@1"] <= row["C@1_high"]


def test_missed_queries_count_0_and_are_told(study):
    notes = answer_of(study, "rank-changes-by-measure").result.notes
    assert any(note == "Runs that miss queries, which count 0: zeta (2)." for note in notes)
    of_ranks = (
        "Runs that miss queries, which count {}as beyond every rank by {} where there is a "
        "positive: zeta (2)."
    )
    notes = answer_of(study, "measure-against-measure", measure="AP MedR").result.notes
    assert of_ranks.format("0, and ", "MedR") in notes
    notes = answer_of(study, "measure-against-measure", measure="AP MeanR").result.notes
    assert (
        "MeanR is not defined for zeta: some queries have no positive in the run's lists, whose "
        "ranks nobody knows."
    ) in notes
    parameters = {"measure": "MedR AP", "labels": "over:original"}
    notes = answer_of(study, "rank-changes-by-labels", **parameters).result.notes
    assert of_ranks.format("", "MedR") in notes


def test_excluded_items_are_left_out_as_on_the_leaderboard(study):
    Item.objects.filter(pk=queries_of(study)[5].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    Item.objects.filter(pk=documents_of(study)[4].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    result = answer_of(study, "measure-against-measure").result
    assert result.extent == "5 runs and 5 queries"


def test_ranks_of_which_less_is_better_are_turned_round():
    collection = small_study()
    queries, documents = queries_of(collection), documents_of(collection)
    for name, rank in (("near", 0), ("far", 3)):
        rankings = {}
        for number, query in enumerate(queries):
            targets = [document.pk for document in documents if document != documents[number]]
            targets.insert(rank, documents[number].pk)
            rankings[query.pk] = (targets, list(range(9, 0, -1)))
        cast.run(collection, name, rankings, direction="forward")
    choices = {"run": keys_of("near", "far"), "measure": "MeanR RR"}
    rows = table_of(collection, "rank-changes-by-measure", **choices)
    by_run = {row["run"]: row for row in rows}
    assert [by_run["near"]["MeanR"], by_run["far"]["MeanR"]] == [1, 4]
    assert by_run["near"]["rank_by_MeanR"] == by_run["near"]["rank_by_RR"] == 1
    (row,) = table_of(collection, "measure-correlations", **choices)
    assert row["tau_b"] == 1


@pytest.mark.parametrize(
    ("name", "choices", "words"),
    [
        ("measure-correlations", {"measure": "AP"}, "It takes two measures: beside AP write"),
        ("measure-correlations", {"team": "Blue"}, "It takes 2 runs of this direction; 1 run is"),
        ("rank-changes-by-labels", {"labels": "only"}, "It takes two label sources"),
        ("rank-changes-by-labels", {"team": "Blue"}, "It takes 2 runs"),
        ("measure-against-measure", {"direction": "reverse"}, "It takes 2 runs"),
    ],
)
def test_what_is_missing_is_told(study, name, choices, words):
    assert answer_of(study, name, **choices).reason.startswith(words)


def test_runs_that_are_all_equal_have_no_correlation():
    collection = small_study()
    target = documents_of(collection)[0].pk
    rankings = {query.pk: ([target], [1.0]) for query in queries_of(collection)}
    for name in ("one", "two"):
        cast.run(collection, name, rankings, direction="forward")
    result = answer_of(collection, "measure-correlations", run=keys_of("one", "two")).result
    assert result.headline == "No two of these measures can be compared over 2 runs"
    assert {row[3] for row in result.rows} == {None}
