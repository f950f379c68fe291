"""Conclusions under other labels, from the database: against labels that were really withdrawn."""

import numpy as np
import pytest
from django.utils import timezone

from annotate.models import CountingJudgment, Duplicate, Resolution
from annotate.services.review import exclusions
from annotate.services.supervision import withdrawing
from metrics.core.analyses.pool.conclusions import conclusions
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import direction_inputs, exact_values, runs_of
from metrics.services.analysis.pool.conclusions import BOUNDS, SetScores, words_of_bounds
from metrics.services.analysis.register import ANALYSES
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import small_study
from tests.metrics.services.analysis.questions import answer_of, chosen, table_of
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db
NAME = "conclusions"
COUNTS = ("n_same", "n_opposite", "n_lost", "n_new")


@cached_rows
def judged_by_three():
    """Eight queries, four runs forward and two reverse, and labels of three people, two a pair."""
    collection = studies.study(n_queries=8, n_documents=12, ceiling=3, batch_candidates=200)
    studies.run(collection, "delta", seed=7)
    studies.run(collection, "epsilon", seed=8)
    studies.run(collection, "zeta", direction="reverse", seed=9)
    for seed, n in enumerate((16, 20, None)):
        studies.judge(cast.annotator(collection), seed=seed, n=n, likes=0.6)
    return collection


@pytest.fixture
def study():
    return judged_by_three()


def scores_of(collection, **parameters):
    """The scores of the runs as the leaderboard has them: (Q, S), and the groups of the queries."""
    spec = ANALYSES[NAME].spec(chosen(collection, **parameters))
    request = AnalysisRequest(collection, spec, lambda done, total, unit: None)
    inputs = direction_inputs(request)
    values = exact_values(inputs, runs_of(request, least=2))
    return np.array([row.whole[0] for row in values]).T, inputs.groups


def expected(before, after):
    (scores, groups), (others, _) = before, after
    (conclusion,) = conclusions(scores, [others], groups=groups, smaller_is_better=False).of_sets
    return (conclusion.tau, conclusion.tau_ap, conclusion.fall, *conclusion[5:])


def rows_of(collection, **parameters):
    return {
        row["labels"]: (row["tau"], row["tau_ap"], row["fall"], *(row[name] for name in COUNTS))
        for row in table_of(collection, NAME, **parameters)
    }


def withdraw(collection, pseudonym):
    withdrawing.withdraw_annotator(
        annotator=collection.annotators.get(pseudonym=pseudonym),
        since=timezone.now() - timezone.timedelta(days=9),
        by=None,
        reason="x",
    )


@pytest.mark.parametrize(
    ("person", "labels", "direction"),
    [
        (0, "over:original", "forward"),
        (1, "only", "reverse"),
        (2, "only", "forward"),
        (1, "union:original", "forward"),
    ],
)
def test_without_an_annotator_it_is_as_if_the_labels_were_withdrawn(
    study, person, labels, direction
):
    choice = {"labels": labels, "measure": "AP", "direction": direction}
    pseudonym = study.annotators.order_by("pk")[person].pseudonym
    rows, before = rows_of(study, **choice), scores_of(study, **choice)
    withdraw(study, pseudonym)
    assert rows[pseudonym] == expected(before, scores_of(study, **choice))


def test_some_grade_hangs_on_every_annotator(study):
    n_labels = dict.fromkeys(study.annotators.values_list("pseudonym", flat=True), 0)
    for name in CountingJudgment.objects.labels().values_list("annotator__pseudonym", flat=True):
        n_labels[name] += 1
    rows = {row["labels"]: row for row in table_of(study, NAME) if row["n_left_out"]}
    assert {name: row["n_left_out"] for name, row in rows.items()} == n_labels
    before = dict(Resolution.objects.values_list("pair", "grade"))
    name = min(n_labels)
    withdraw(study, name)
    after = dict(Resolution.objects.values_list("pair", "grade"))
    # what people leave without a grade takes the reference's, which may be the same
    n_lost = sum(before[pair] is not None and after.get(pair) is None for pair in before)
    assert rows[name]["n_without_people"] == n_lost > rows[name]["n_ungraded"]


def test_grades_are_lost_moved_or_gained_without_an_annotator_as_if_labels_were_withdrawn(study):
    name = study.annotators.order_by("pk")[1].pseudonym
    (row,) = (row for row in table_of(study, NAME, labels="only") if row["labels"] == name)
    before = dict(Resolution.objects.values_list("pair", "grade"))
    withdraw(study, name)
    after = dict(Resolution.objects.values_list("pair", "grade"))
    both = [(grade, after.get(pair)) for pair, grade in before.items()]
    n_lost = sum(old is not None and new is None for old, new in both)
    assert row["n_ungraded"] == row["n_without_people"] == n_lost > 0
    assert row["n_moved"] == sum(None not in (old, new) and old != new for old, new in both)
    assert row["n_gained"] == sum(old is None and new is not None for old, new in both)
    assert all(
        row["n_ungraded"] is None
        for row in table_of(study, NAME, labels="only")
        if row["kind"] in ("other threshold", "unlabelled targets")
    )


@pytest.mark.parametrize("replace", [lambda grade: 2 - grade, lambda grade: grade])
def test_a_references_grade_in_the_place_of_a_lost_one_is_told_as_a_lost_one(study, replace):
    before = {row.pair: row.grade for row in Resolution.objects.select_related("pair__query")}
    names = {
        (pair.query.external_id, pair.document.external_id): replace(grade)
        for pair, grade in before.items()
        if grade in (0, 2)
    }
    studies.reference(study, names, "reversed")
    name = study.annotators.order_by("pk")[1].pseudonym
    rows = table_of(study, NAME, labels="over:reversed")
    (row,) = (row for row in rows if row["labels"] == name)
    assert all((row["n_without_people"] is None) == (row["n_left_out"] is None) for row in rows)
    withdraw(study, name)
    after = dict(Resolution.objects.values_list("pair", "grade"))
    both = [(grade, after.get(pair.pk)) for pair, grade in before.items()]
    assert row["n_without_people"] == sum(old is not None and new is None for old, new in both)
    assert row["n_ungraded"] == sum(old == 1 and new is None for old, new in both)
    assert any(old in (0, 2) and new is None for old, new in both)
    assert row["n_moved"] == sum(None not in (old, new) and old != new for old, new in both)


def test_duplicates_lose_what_their_originals_lose(study):
    documents = list(study.items.filter(side="document").order_by("pk"))
    pair = study.pairs.filter(counting_judgments__isnull=False).order_by("pk").first()
    spare = next(
        item
        for item in documents
        if not study.pairs.filter(query=pair.query, document=item).exists()
    )
    Duplicate.objects.create(collection=study, item=spare, original=pair.document, side="document")
    choice = {"labels": "only", "measure": "AP"}
    label = pair.counting_judgments.filter(is_label=True).first()
    pseudonym = label.annotator.pseudonym
    rows, before = rows_of(study, **choice), scores_of(study, **choice)
    withdraw(study, pseudonym)
    assert rows[pseudonym] == expected(before, scores_of(study, **choice))


def test_thresholds_and_label_sources_are_those_of_the_leaderboard(study):
    studies.reference(study, {("q0", "d3"): 2, ("q1", "d1"): 1}, "second")
    rows, before = rows_of(study, measure="AP"), scores_of(study, measure="AP")
    after = scores_of(study, measure="AP", threshold=2)
    assert rows["positive from 2"] == expected(before, after)
    for labels, title in (
        ("only", "people only"),
        ("none:original", "reference “original” only"),
        ("none:second", "reference “second” only"),
    ):
        after = scores_of(study, measure="AP", labels=labels)
        assert rows[title] == expected(before, after)
    assert {"the lowest scores", "the highest scores"} < rows.keys()


def test_reference_sets_that_are_not_taken_are_named(study):
    for number in range(5):
        studies.reference(study, {("q0", "d3"): 1}, f"set {number}")
    notes = answer_of(study, NAME, measure="AP").result.notes
    taken = "those taken are the chosen ones and the 5 oldest"
    assert f"Not among the label sets: “set 4”; {taken}." in notes
    notes = answer_of(study, NAME, measure="AP", labels="over:set 4").result.notes
    assert not any("Not among the label sets" in note for note in notes)


def test_an_adjudicated_pair_stays_and_an_excluded_one_does_not_count(study):
    resolution = Resolution.objects.filter(grade__isnull=False).order_by("pk").first()
    Resolution.objects.filter(pk=resolution.pk).update(status=Resolution.Status.ADJUDICATED)
    answer = answer_of(study, NAME, labels="only").result
    assert any(note.startswith("1 pair stays as a lead decided") for note in answer.notes)
    label = resolution.pair.counting_judgments.filter(is_label=True).first()
    by_name = {row["labels"]: row for row in table_of(study, NAME, labels="only")}
    before = by_name[label.annotator.pseudonym]["n_left_out"]
    exclusions.exclude_pair(pair=resolution.pair, by=cast.member(study, "lead"), reason="Blank")
    by_name = {row["labels"]: row for row in table_of(study, NAME, labels="only")}
    assert by_name[label.annotator.pseudonym]["n_left_out"] == before - 1


def test_without_people_the_reference_sets_remain(study):
    rows = rows_of(study, labels="none:original")
    assert "people only" in rows
    assert not any(name in rows for name in study.annotators.values_list("pseudonym", flat=True))
    result = answer_of(study, NAME, labels="none:original").result
    assert any("no annotator can be left out" in note for note in result.notes)


def test_few_queries_claim_nothing(study):
    result = answer_of(study, NAME).result
    assert result.headline.startswith("AP of 4 runs under ")
    assert result.headline.endswith(", over only 8 queries")
    assert not any("Tukey's HSD was made" in note for note in result.notes)
    result = answer_of(study, NAME, measure="C@1").result
    assert " differ in C@1 by Tukey's HSD; " in result.extent
    assert any("Tukey's HSD was made" in note for note in result.notes)


def test_what_is_missing_is_said(study):
    first = study.runs.order_by("pk").first()
    assert answer_of(study, NAME, run=first.pk).reason.startswith("It takes 2 runs")
    assert answer_of(study, NAME, measure="MedR").reason.startswith("MedR is a median")
    collection = small_study()
    reason = answer_of(collection, NAME, labels="only").reason
    assert reason == "None of these queries has a label from the chosen labels."


@pytest.mark.parametrize("scale", [1e-14, 1.0, 1e4])
def test_bounds_are_the_scores_themselves_only_where_they_are_equal(scale):
    base = scale * np.array([[0.1, 0.3], [0.7, 0.2]])
    ends = np.array([base * (1 + 1e-15), 1.001 * base])
    words = words_of_bounds(BOUNDS, SetScores(base, [], ends, [0, 0]))
    assert [of_bound.has_base_scores for of_bound in words] == [True, False]
