"""Means over folds, from the database: against the folds of a matrix, and a plain recount."""

import numpy as np
import pytest

from annotate.models import Item, QuerySet, QuerySetItem, ReferenceLabel, Undrawn
from metrics.core.measures.cross_modal_averages import rsum_of
from metrics.core.measures.matrices import Cells
from metrics.core.measures.measures import parse
from pooling.models import Ranking, Run
from tests import cast
from tests.metrics import studies
from tests.metrics.core.measures.matrix_averages import in_folds
from tests.metrics.matrix_runs import npz, received
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "folds"
MEASURES = ("C@1", "C@5", "C@10", "AP", "mAP@R")
N_QUERIES, N_DOCUMENTS, N_FOLDS = 24, 12, 3
CHOICES = {"labels": "none:original", "queries": "1k fold 1", "measure": " ".join(MEASURES)}


def add_set(collection, name, direction, items, gallery=()) -> QuerySet:
    query_set = QuerySet.objects.create(collection=collection, name=name, direction=direction)
    QuerySetItem.objects.bulk_create(
        [QuerySetItem(query_set=query_set, item=item) for item in items]
        + [QuerySetItem(query_set=query_set, item=item, part="gallery") for item in gallery]
    )
    return query_set


def sides(collection) -> tuple[list[Item], list[Item]]:
    items = collection.items.order_by("pk")
    return list(items.filter(side="query")), list(items.filter(side="document"))


@pytest.fixture
def study():
    """Three folds of 8 queries and 4 documents; a document is positive for two queries each."""
    collection = cast.collection(grades=2, n_queries=N_QUERIES, n_documents=N_DOCUMENTS)
    queries, documents = sides(collection)
    for fold in range(N_FOLDS):
        add_set(collection, f"1k fold {fold + 1}", "forward", queries[fold::N_FOLDS])
        add_set(collection, f"1k fold {fold + 1}", "reverse", documents[fold::N_FOLDS])
    # two positives in the fold for each query but the last, and one in another fold
    labels = {}
    for number in range(N_QUERIES - 1):
        for step in (0, 3, 7):
            labels[f"q{number}", f"d{(number + step) % N_DOCUMENTS}"] = 1
    cast.reference(collection, labels)
    return collection


def add_matrix_runs(collection, seed=3) -> np.ndarray:
    """Upload a matrix and its transpose as the runs of system M."""
    scores = np.random.default_rng(seed).normal(0, 1, (N_QUERIES, N_DOCUMENTS)).astype("float32")
    rows, columns = ([item.external_id for item in items] for items in sides(collection))
    received(collection, npz(scores, rows, columns), name="m1", system="M")
    reverse = npz(scores.T, columns, rows)
    received(collection, reverse, name="m2", system="M", direction="reverse")
    return scores


def cells_of(collection) -> Cells:
    queries, documents = ({item.pk: n for n, item in enumerate(side)} for side in sides(collection))
    rows = ReferenceLabel.objects.values_list("query", "document", "grade")
    cells = np.array(
        [(queries[query], documents[document], grade) for query, document, grade in rows]
    )
    return Cells(*cells.T)


def test_folds_of_a_matrix_run_are_those_of_its_matrix(study):
    scores = add_matrix_runs(study)
    expected = in_folds(
        scores,
        cells_of(study),
        parse(" ".join(MEASURES)),
        row_fold=np.arange(N_QUERIES) % N_FOLDS,
        column_fold=np.arange(N_DOCUMENTS) % N_FOLDS,
    )
    for direction in ("forward", "reverse"):
        (row,) = table_of(study, NAME, direction=direction, **CHOICES)
        assert (row["system"], row["forward_run"], row["reverse_run"]) == ("M", "m1", "m2")
        for name in MEASURES:
            assert row[f"{name}_forward"] == pytest.approx(expected[name].forward, abs=1e-12)
            assert row[f"{name}_reverse"] == pytest.approx(expected[name].reverse, abs=1e-12)
            assert row[f"{name}_mean"] == pytest.approx(expected[name].mean, abs=1e-12)
            assert row[f"{name}_forward_smallest"] <= row[f"{name}_forward"]
            assert row[f"{name}_forward_largest"] >= row[f"{name}_forward"]
        assert row["rsum"] == pytest.approx(rsum_of(expected))


def plain_recall(run: Run, sources, targets, k, excluded=()) -> float:
    """The share of the sources of a fold with a positive among the first k of its targets."""
    positives = {
        pair if run.direction == "forward" else pair[::-1]
        for pair in ReferenceLabel.objects.values_list("query", "document")
    }
    n_hits, sources = 0, [source for source in sources if source.pk not in excluded]
    inside = {target.pk for target in targets if target.pk not in excluded}
    for source in sources:
        ranking = Ranking.objects.filter(run=run, source=source).first()
        first = [key for key in (ranking.targets if ranking else []) if key in inside][:k]
        n_hits += any((source.pk, key) in positives for key in first)
    return n_hits / len(sources)


@pytest.mark.parametrize("n_excluded", [0, 2])
def test_cut_runs_are_counted_among_the_targets_of_their_fold_and_told(study, n_excluded):
    forward = studies.run(study, "cut", seed=1)
    reverse = studies.run(study, "back", seed=2, direction="reverse", missing=1)
    Run.objects.filter(pk__in=[forward.pk, reverse.pk]).update(system="S")
    for ranking in Ranking.objects.filter(run=forward):
        Ranking.objects.filter(pk=ranking.pk).update(
            targets=ranking.targets[:7], scores=ranking.scores[:7]
        )
    queries, documents = sides(study)
    excluded = [item.pk for item in (queries[4], documents[5])][:n_excluded]
    Item.objects.filter(pk__in=excluded).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    (row,) = table_of(study, NAME, **CHOICES)
    for name, k in (("C@1", 1), ("C@5", 5)):
        for run, side, (sources, targets) in (
            (forward, "forward", (queries, documents)),
            (reverse, "reverse", (documents, queries)),
        ):
            folds = [
                plain_recall(run, sources[n::N_FOLDS], targets[n::N_FOLDS], k, excluded)
                for n in range(N_FOLDS)
            ]
            assert row[f"{name}_{side}"] == pytest.approx(np.mean(folds))
            ends = row[f"{name}_{side}_smallest"], row[f"{name}_{side}_largest"]
            assert ends == pytest.approx((min(folds), max(folds)))
    result = answer_of(study, NAME, **CHOICES).result
    assert any(
        note.startswith("Rankings that lack some targets of their fold") and "cut (" in note
        for note in result.notes
    )
    assert "Runs that miss documents, which count 0: back (1)." in result.notes
    assert result.headline == "1 system over 3 folds by C@1"
    n_queries = N_QUERIES - bool(n_excluded)
    assert result.extent.startswith(f"1 system, 3 folds, {n_queries} queries")


def test_ranks_that_nobody_knows_are_told_and_a_measure_that_is_defined_leads(study):
    run = studies.run(study, "m1", seed=1)
    back = studies.run(study, "m2", seed=2, direction="reverse")
    Run.objects.filter(pk__in=[run.pk, back.pk]).update(system="M")
    result = answer_of(study, NAME, **CHOICES | {"measure": "MeanR C@1"}).result
    # the last query has no positive, and every other one has two in its fold
    assert not any("not defined for" in note for note in result.notes)
    assert result.headline == "1 system over 3 folds by MeanR"
    for ranking in Ranking.objects.filter(run__in=[run, back]):
        Ranking.objects.filter(pk=ranking.pk).update(
            targets=ranking.targets[:1], scores=ranking.scores[:1]
        )
    result = answer_of(study, NAME, **CHOICES | {"measure": "MeanR C@1"}).result
    unknown = "of a fold have no positive in the run's lists, whose ranks nobody knows."
    reasons = [
        f"MeanR is not defined for m1: some queries {unknown}",
        f"MeanR is not defined for m2: some documents {unknown}",
    ]
    assert result.notes[:2] == reasons
    assert result.headline == "1 system over 3 folds by C@1"
    assert result.reading.startswith("Chart: C@1 as a mean") and result.spec is not None
    assert reason_of(study, measure="MeanR") == " ".join(reasons)


def test_whole_rankings_are_not_told_of(study):
    add_matrix_runs(study)
    notes = answer_of(study, NAME, **CHOICES).result.notes
    assert not any("lack some targets" in note or "miss" in note for note in notes)


def test_a_fold_that_lists_its_targets_is_ranked_among_those(study):
    run = studies.run(study, "all", seed=1)
    back = studies.run(study, "back", seed=2, direction="reverse")
    Run.objects.filter(pk__in=[run.pk, back.pk]).update(system="S")
    queries, documents = sides(study)
    listed = documents[:2]
    query_set = QuerySet.objects.get(name="1k fold 1", direction="forward")
    QuerySetItem.objects.bulk_create(
        QuerySetItem(query_set=query_set, item=item, part="gallery") for item in listed
    )
    (row,) = table_of(study, NAME, **CHOICES)
    folds = [
        plain_recall(run, queries[n::3], listed if n == 0 else documents[n::3], 1) for n in range(3)
    ]
    assert row["C@1_forward"] == pytest.approx(np.mean(folds))


def reason_of(study, **choices) -> str:
    return answer_of(study, NAME, **(CHOICES | choices)).reason


def test_without_a_choice_the_only_folds_are_taken_and_named(study):
    add_matrix_runs(study)
    add_set(study, "everything", "forward", sides(study)[0])
    result, chosen_result = (
        answer_of(study, NAME, **(CHOICES | {"queries": queries})).result
        for queries in ("everything", "1k fold 1")
    )
    assert result.rows == chosen_result.rows
    sentence = "“everything” is no fold; the folds here are “1k fold 1” to “1k fold 3”."
    assert sentence in result.notes and sentence not in chosen_result.notes


def test_what_is_missing_is_told(study):
    assert reason_of(study).startswith("It takes 1 run of this direction; 0 runs are chosen")
    add_matrix_runs(study)
    queries, documents = sides(study)
    add_set(study, "alone 1", "forward", queries[:2])
    alone = reason_of(study, queries="alone 1")
    assert alone.startswith("The query set “alone 1” is not one of two folds or more. Folds are")
    add_set(study, "alone 2", "forward", queries[2:4])
    one_way = reason_of(study, queries="alone 1")
    assert one_way.startswith("There are query sets of both directions for each fold but “alone 1”")
    add_set(study, "everything", "forward", queries)
    assert "“everything” is not one of two folds" in reason_of(study, queries="everything")
    add_set(study, "1k fold 4", "forward", queries[:1])
    add_set(study, "1k fold 4", "reverse", documents[:1])
    assert reason_of(study).startswith("The folds share 1 query; each belongs to one fold.")


def test_a_fold_without_items_that_are_in_use_is_told(study):
    add_matrix_runs(study)
    queries, _ = sides(study)
    Item.objects.filter(pk__in=[item.pk for item in queries[1::3]]).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    assert reason_of(study) == "The fold “1k fold 2” has no queries left."


def test_pairs_of_a_fold_that_a_sample_did_not_draw_are_told(study):
    add_matrix_runs(study)
    queries, documents = sides(study)
    labels = ReferenceLabel.objects.all()
    labels.update(stratum=1)
    sampled = labels.first().reference_set
    # of two folds: what no fold ranks changes nothing
    Undrawn.objects.create(
        reference_set=sampled, query=queries[0], document=documents[1], stratum=1
    )
    assert reason_of(study) == ""
    labels.filter(query=queries[0], document=documents[9]).delete()
    Undrawn.objects.create(
        reference_set=sampled, query=queries[0], document=documents[9], stratum=1
    )
    assert reason_of(study).startswith("A sample did not draw all pairs of these folds")
