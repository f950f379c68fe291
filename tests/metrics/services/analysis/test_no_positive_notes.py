"""Queries without a positive: each analysis of means tells how many there are, and what they do."""

import pytest

from annotate.models import Item, QuerySet, ReferenceLabel, Resolution
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import direction_inputs, no_positive_notes
from metrics.services.analysis.register import ANALYSES
from metrics.services.numbers import refresh
from pooling.models import Run
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
)
from tests.metrics.services.analysis.questions import answer_of, chosen
from tests.metrics.services.analysis.systems.score_study import POSITIVES, score_study

pytestmark = pytest.mark.django_db
OF_QUERIES = [
    "topic-difficulty",
    "deciding-topics",
    "anova",
    "differences",
    "pairwise-differences",
    "swap-rates",
    "error-rates",
    "topics-needed",
    "sampling-error",
    "error-distribution",
    "queries-for-error",
    "queries-for-difference",
    "conclusions",
]
PEOPLE = {0: {3}, 1: {4}, 2: {5}, 4: {8}}  # the positives that people gave
OF_MEASURES = ["rank-changes-by-measure", "measure-correlations", "measure-against-measure"]


@pytest.fixture
def study():
    return score_study()


@pytest.mark.parametrize("name", [name for name in OF_QUERIES if name != "conclusions"])
def test_an_analysis_of_queries_tells_how_many_have_no_grade_by_people(study, name):
    def notes(labels: str) -> list[str]:
        answer = answer_of(study, name, measure="RR", missing="zero", labels=labels)
        assert answer.result is not None, answer.reason
        return [note for note in answer.result.notes if "grade by people" in note]

    Resolution.objects.exclude(pair__query__in=queries_of(study)[:2]).delete()
    assert notes("over:original") == ["4 of the 6 queries have no grade by people."]
    assert notes("none:original") == []


def notes_of(collection, name, **choices):
    answer = answer_of(collection, name, **choices)
    assert answer.result is not None, answer.reason
    return [note for note in answer.result.notes if "positive by" in note or "grade from" in note]


def sentences(collection, measure, **choices):
    spec = ANALYSES["measure-correlations"].spec(chosen(collection, measure=measure, **choices))
    request = AnalysisRequest(collection, spec, lambda done, total, unit: None)
    inputs = direction_inputs(request)
    return no_positive_notes([inputs], inputs.measures)


@pytest.mark.parametrize("name", OF_QUERIES)
def test_an_analysis_of_one_measure_tells_of_queries_without_a_positive(study, name):
    assert sum(not documents for documents in POSITIVES.values()) == 1
    (note,) = notes_of(study, name, measure="RR", missing="zero", labels="over:original")
    assert note == (
        "1 of the 6 queries has no positive by people over reference “original”: it counts 0 by "
        "RR for every run."
    )
    (note,) = notes_of(study, name, measure="RR", missing="zero", labels="only")
    assert note == (
        "2 of the 6 queries have no positive by people only: each counts 0 by RR for every run."
    )


@pytest.mark.parametrize("name", OF_MEASURES)
def test_an_analysis_of_measures_names_those_that_count_0(study, name):
    (note,) = notes_of(study, name, measure="C@5 AP", labels="only")
    assert note == (
        "2 of the 6 queries have no positive by people only: each counts 0 by C@5 and AP for "
        "every run."
    )


def test_each_label_source_has_its_own_number(study):
    assert notes_of(study, "rank-changes-by-labels", measure="AP", labels="over:original") == [
        "2 of the 6 queries have no positive by people only: each counts 0 by AP for every run.",
        "1 of the 6 queries has no positive by people over reference “original”: it counts 0 by "
        "AP for every run.",
    ]


def test_queries_that_are_left_out_are_not_counted(study):
    Item.objects.filter(pk=queries_of(study)[3].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="bad"
    )
    assert notes_of(study, "anova", measure="AP", labels="over:original") == []
    (note,) = notes_of(study, "anova", measure="AP", missing="zero", labels="only")
    assert note.startswith("1 of the 5 queries has no positive by people only")
    zeta = Run.objects.get(name="zeta")
    present = set(zeta.rankings.values_list("source", flat=True))
    left = [q for q, query in enumerate(queries_of(study)) if q != 3 and query.pk in present]
    n_without = sum(q not in (0, 1, 2, 4) for q in left)
    notes = notes_of(study, "anova", measure="AP", missing="queries", labels="only")
    start = f"{n_without} of the {len(left)} queries has no positive"
    assert [note.startswith(start) for note in notes] == [True] * n_without


def test_the_words_are_true_of_each_kind_of_measure(study):
    grade(study, {(5, 5): 2})
    refresh.refresh(collection=study)
    # ranks are of the queries with a positive; what is judged needs none
    assert sentences(study, "MeanR MedR Judged@5 RBPres", labels="only") == [
        "1 of the 6 queries has no positive by people only: MeanR and MedR leave it out."
    ]
    # from grade 2 up only two queries have a positive, but nDCG gains from grade 1 too
    assert sentences(study, "AP nDCG P(rel=1)@5", labels="only", threshold=2) == [
        "4 of the 6 queries have no positive by people only: each counts 0 by AP for every run.",
        "1 of the 6 queries has no grade from 1 up by people only: it counts 0 by nDCG and "
        "P(rel=1)@5 for every run.",
    ]


def test_without_any_positive_none_has_one(study):
    ReferenceLabel.objects.update(grade=0)
    assert sentences(study, "AP", labels="none:original") == [
        "None of the queries has a positive by reference “original” only: each counts 0 by AP for "
        "every run."
    ]


def test_each_direction_has_its_own_number(study):
    Run.objects.filter(name__in=["alpha", "gamma"]).update(system="A", team="")
    assert notes_of(study, "both-directions", measure="RR", labels="only") == [
        "2 of the 6 queries have no positive by people only: each counts 0 by RR for every run.",
        "5 of the 9 documents have no positive by people only: each counts 0 by RR for every run.",
    ]


def test_queries_of_folds_are_counted_together(study):
    Run.objects.filter(name__in=["alpha", "gamma"]).update(system="A", team="")
    sides = {"forward": queries_of(study), "reverse": documents_of(study)}
    for direction, items in sides.items():
        for number in (1, 2):
            fold = QuerySet.objects.create(
                collection=study, name=f"fold {number}", direction=direction
            )
            for item in items[number - 1 :: 2]:
                fold.members.create(item=item)
    # within its fold query 0 has no positive, as document 3 is in the other one, and so on
    in_a_fold = {(q, d) for q, documents in PEOPLE.items() for d in documents if q % 2 == d % 2}
    n_forward, n_reverse = (len({pair[end] for pair in in_a_fold}) for end in (0, 1))
    notes = notes_of(study, "folds", measure="RR", labels="only", queries="fold 1")
    assert [note.split(" have")[0] for note in notes] == [
        f"{6 - n_forward} of the 6 queries",
        f"{len(sides['reverse']) - n_reverse} of the {len(sides['reverse'])} documents",
    ]
