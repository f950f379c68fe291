"""Conclusions before the last labels came: against what the product said when they had not come."""

from collections import Counter, defaultdict
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import CountingJudgment, Duplicate, HandOut, Resolution
from annotate.services.judging import judging, undoing
from annotate.services.review import adjudicating
from metrics.core.labels.label_sources import LabelSource
from metrics.services.analysis.labels.label_columns import AnnotatorFacts
from metrics.services.analysis.pool import earlier_labels
from metrics.services.analysis.pool.graded_pairs import (
    ChosenGrades,
    CountingGrades,
    GradeColumns,
    PeopleGrades,
)
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.pool.test_conclusions import (
    NAME,
    expected,
    rows_of,
    scores_of,
    withdraw,
)
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db
WITHOUT_100 = "without the last 100 labels"


@cached_rows
def study_before():
    """Forty queries, four runs forward and one reverse, 160 labels of two people, a duplicate.

    Returned with the second person, who has 80 pairs left.
    """
    collection = studies.study(n_queries=40, n_documents=12, ceiling=3, batch_candidates=300)
    studies.run(collection, "delta", seed=7)
    studies.run(collection, "epsilon", seed=8)
    studies.run(collection, "zeta", direction="reverse", seed=9)
    studies.judge(cast.annotator(collection), seed=0, likes=0.6)
    second = cast.annotator(collection)
    studies.judge(second, seed=1, n=40, likes=0.6)
    pair = collection.pairs.filter(counting_judgments__isnull=False).order_by("pk").first()
    pooled = collection.pairs.filter(query=pair.query).values("document")
    spare = collection.items.filter(side="document").exclude(pk__in=pooled).order_by("pk").first()
    Duplicate.objects.create(
        collection=collection, item=spare, original=pair.document, side="document"
    )
    return collection, second


def judge_the_rest(collection, second):
    """Give 100 more labels: the second person's 80, and 20 of a third on what was disputed."""
    n_second = studies.judge(second, seed=2, likes=0.6)
    assert n_second + studies.judge(cast.annotator(collection), seed=3, n=20, likes=0.9) == 100


@pytest.fixture
def before():
    return study_before()


def choices_of(labels, measure, direction="forward"):
    return {"labels": labels, "measure": measure, "direction": direction}


CHOICES = [
    choices_of("only", "AP"),
    choices_of("over:original", "C@1"),
    choices_of("union:original", "AP"),
    choices_of("only", "nDCG@3", "reverse"),
]


def earlier_rows(collection, **choice):
    """The lines of earlier label sets by their names."""
    return {
        row["labels"]: row
        for row in table_of(collection, NAME, **choice)
        if row["kind"] == "earlier labels"
    }


def n_differing(row):
    """The pairs of another grade, without one now, and with one in the earlier set alone."""
    return row["n_moved"] + row["n_ungraded"] + row["n_gained"]


def test_without_the_last_labels_it_is_as_before_they_came(before):
    collection, second = before
    scores_before = [scores_of(collection, **choice) for choice in CHOICES]
    judge_the_rest(collection, second)
    taus = set()
    for choice, scores in zip(CHOICES, scores_before, strict=True):
        row = rows_of(collection, **choice)[WITHOUT_100]
        assert row == expected(scores_of(collection, **choice), scores)
        taus.add(row[0])
    assert len(taus) > 1, "the last labels moved no order"


def test_a_third_label_that_settled_a_dispute_is_taken_back(before):
    collection, second = before
    Duplicate.objects.all().delete()  # so that every grade is of a pair itself
    studies.judge(second, seed=2, likes=0.6)
    open_statuses = (Resolution.Status.DISPUTED, Resolution.Status.WAITING)
    disputed = Resolution.objects.filter(status__in=open_statuses).values_list("pk", flat=True)
    keys, scores = set(disputed), scores_of(collection, **CHOICES[0])
    n_third = studies.judge(cast.annotator(collection), seed=3, likes=0.9)
    assert n_third == len(keys)
    settled = Resolution.objects.filter(pk__in=keys, grade__isnull=False)
    assert settled.count() > n_third / 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(earlier_labels, "SIZES", (n_third,))
        row = earlier_rows(collection, **CHOICES[0])[f"without the last {n_third} labels"]
    assert (row["n_moved"], row["n_ungraded"], row["n_gained"]) == (0, settled.count(), 0)
    assert row["tau"] == expected(scores_of(collection, **CHOICES[0]), scores)[0]


def test_labels_taken_back_are_no_labels_and_a_change_is_a_late_one(before):
    """Against a majority that is counted here, of the labels that count, by their keys."""
    collection, second = before
    judge_the_rest(collection, second)
    for act in undoing.last_acts(annotator=second)[:3]:
        token = HandOut.objects.get(pk=act.hand_out).token
        undoing.take_back(annotator=second, token=token)
    first = collection.annotators.order_by("pk").first()
    oldest = first.judgments.order_by("pk").first()
    grade = (oldest.level.grade + 1) % 3
    answer = JudgmentAnswer(submission_id=uuid4(), grade=grade)
    judging.record_judgment(annotator=first, token=oldest.hand_out.token, answer=answer)
    labels = list(
        CountingJudgment.objects.labels()
        .order_by("judgment")
        .values_list("pair", "grade", "judgment__supersedes")
    )
    assert len(labels) == 257 and labels[-1][0] == oldest.pair_id and labels[-1][2] is not None
    grades_by_pair = defaultdict(list)
    for pair, label_grade, _ in labels[:-100]:
        grades_by_pair[pair].append(label_grade)
    earlier = {pair: majority(grades) for pair, grades in grades_by_pair.items()}
    n_moved = sum(earlier.get(pair) != grade for pair, grade in grades_of(collection).items())
    Duplicate.objects.all().delete()  # so that every grade is of a pair itself
    assert n_differing(earlier_rows(collection, labels="only")[WITHOUT_100]) == n_moved
    withdraw(collection, second.pseudonym)
    assert earlier_rows(collection, labels="only") == {}


def majority(grades):
    """The grade of more than half; None where there is none."""
    ((grade, n),) = Counter(grades).most_common(1)
    return grade if 2 * n > len(grades) else None


def test_a_decision_of_a_lead_is_taken_back_if_it_came_later(before):
    collection, second = before
    lead = cast.member(collection, "lead")
    Duplicate.objects.all().delete()  # so that every grade is of a pair itself
    waiting = Resolution.objects.filter(status=Resolution.Status.WAITING).order_by("pk")
    first, second_pair = (resolution.pair for resolution in waiting[:2])
    adjudicating.adjudicate(pair=first, by=lead, grade=2)
    grades, scores = grades_of(collection), scores_of(collection, **CHOICES[0])
    judge_the_rest(collection, second)
    adjudicating.adjudicate(pair=second_pair, by=lead, grade=2)
    today = grades_of(collection)
    row = earlier_rows(collection, **CHOICES[0])[WITHOUT_100]
    assert (grades[first.pk], today[first.pk]) == (2, 2)
    assert (grades[second_pair.pk], today[second_pair.pk]) == (None, 2)
    assert n_differing(row) == sum(grades.get(pair) != grade for pair, grade in today.items())
    assert row["tau"] == expected(scores_of(collection, **CHOICES[0]), scores)[0]


def grades_of(collection):
    return dict(Resolution.objects.filter(collection=collection).values_list("pair", "grade"))


@pytest.mark.parametrize(
    ("n_labels", "sizes"),
    [
        (199, []),
        (200, [100]),
        (1_099, [100]),
        (1_100, [100, 1_000]),
        (10_100, [100, 1_000, 10_000]),
    ],
)
def test_a_hundred_labels_remain(n_labels, sizes):
    """Of pairs with one label each, in an order that is not that of the pairs."""
    row = np.arange(n_labels)
    judgment = 7 + np.random.default_rng(n_labels).permutation(n_labels)
    columns = {"pair": row, "grade": 1 + row % 2, "policy": 0 * row, "is_by_lead": 0 * row}
    people = PeopleGrades(columns, own=row, copied=0 * row - 1)
    choice = ChosenGrades(LabelSource.of("only"), people, GradeColumns(people.grade, {}), 1)
    people_labels = CountingGrades(
        row, 0 * row, columns["grade"], judgment, 0 * row, {0: AnnotatorFacts("A", "person")}, only
    )
    sets = earlier_labels.without_last_labels(choice, people_labels)
    assert [part.n_left_out for part in sets] == sizes
    for part in sets:
        is_left = judgment < 7 + n_labels - part.n_left_out
        assert np.array_equal(
            part.labels.grades, np.where(is_left, people.grade, np.nan), equal_nan=True
        )
    notes = earlier_labels.notes_on_earlier(people_labels)
    assert [note.startswith("There is no earlier") for note in notes] == [True] * (not sizes)


def only(_policy, grades):
    return grades[0] if grades else None


def test_more_labels_take_no_more_queries(before):
    collection, second = before
    n_queries, names = [], []
    for n in (50, 0):
        with CaptureQueriesContext(connection) as queries:
            names.append(earlier_rows(collection, labels="only").keys())
        n_queries.append(len(queries))
        studies.judge(second, seed=2, n=n)
    assert names == [set(), {WITHOUT_100}]
    assert n_queries[1] <= n_queries[0]  # what is read once is read by then


def test_too_few_labels_are_told(before):
    collection, _ = before
    answer = answer_of(collection, NAME, labels="only").result
    assert (
        "There is no earlier label set yet: the first leaves out the last 100 of at least 200 "
        "labels, and here 160 labels count."
    ) in answer.notes
    assert earlier_rows(collection, labels="only") == {}
    assert not any("convention" in note for note in answer.notes)
