"""The ceiling of people on the leaderboard: recounted label by label, marked, or not shown."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Annotator, CountingJudgment, Resolution, Role
from metrics.services.analysis.ceiling import ceiling_of, ceiling_spec
from metrics.services.analysis.register import ANALYSES
from metrics.services.leaderboard.ceilings import Ceiling, has_ceiling
from metrics.services.leaderboard.cells import ScoreCell
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.numbers import refresh
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import documents_of, queries_of
from tests.metrics.services.analysis.questions import chosen, compute_kept
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "people-as-systems"
LEADERBOARD = "/c/study/results/leaderboard/"
LABEL = "A person, by the labels"


@pytest.fixture
def study(client):
    """Two people who labelled all pairs of a pool by chance, and a run of the reference's pairs."""
    collection = studies.judged_study("study", seeds=(0, 1), n_queries=16, n_documents=18)
    documents = documents_of(collection)
    orders = {
        query.pk: ([documents[number].pk], [1.0])
        for number, query in enumerate(queries_of(collection))
    }
    cast.run(collection, "own", orders)
    refresh.refresh(collection=collection)
    client.force_login(cast.member(collection, Role.RESEARCHER))
    return collection


def choices_of(study, **parameters):
    return read_choices(collection=study, viewer=None, parameters=parameters)


def recount(threshold: int = 1) -> tuple[float, int]:
    """The per cent of positive labels whose pair the other person calls positive, and how many."""
    rows = CountingJudgment.objects.labels().filter(is_planned=True)
    by_pair: dict[int, list[int]] = {}
    for pair, grade in rows.values_list("pair", "grade"):
        by_pair.setdefault(pair, []).append(grade)
    n_both = n_positive = 0
    for grades in by_pair.values():
        if len(grades) == 2:
            n = sum(grade >= threshold for grade in grades)
            n_positive += n
            n_both += 2 * (n == 2)
    return 100 * n_both / n_positive, n_positive


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, True) for name in ("C@1", "P@1", "P@10")),
        *((name, False) for name in ("C@5", "AP", "nDCG@10", "R@1", "RR", "P(rel=2)@5", "Rprec")),
    ],
)
def test_a_precision_over_first_ranks_has_a_ceiling_and_nothing_else(name, expected):
    assert has_ceiling(name) is expected


def test_a_score_is_marked_if_its_interval_is_wholly_above():
    ceiling = Ceiling(80.0, 75.0, 85.0, n_positive=100)
    for low, is_above in ((85.1, True), (85.0, False), (80.0, False), (None, False)):
        cell = ScoreCell(90.0, None, low, 95.0, None, 0)
        assert ceiling.limits(cell) is is_above


def test_it_is_the_analysis_of_people_at_the_threshold_of_the_page(study):
    for threshold in (1, 2):
        choices = choices_of(study, threshold=str(threshold))
        assert ceiling_spec(choices) == ANALYSES[NAME].spec(chosen(study, threshold=threshold))
        assert ceiling_of(collection=study, choices=choices) is None
        compute_kept(study, NAME, threshold=threshold)
        ceiling = ceiling_of(collection=study, choices=choices)
        percent, n_positive = recount(threshold)
        if n_positive < 30:
            assert ceiling is None
        else:
            assert ceiling.percent == pytest.approx(percent)
            assert ceiling.n_positive == n_positive
            assert ceiling.low < percent < ceiling.high
    assert recount(1)[1] >= 30


def marks_of(client, parameters) -> dict[str, list[str]]:
    text = client.get(f"{LEADERBOARD}table.csv", parameters).content.decode()
    marks: dict[str, list[str]] = {}
    for line in csv.DictReader(io.StringIO(text)):
        marks.setdefault(line["run"], []).append(line["is_beyond_people"])
    return {run: sorted(of_run) for run, of_run in marks.items()}


def test_the_leaderboard_shows_it_and_marks_runs_above_it(client, study):
    """By people's labels as leads settled them the run of a positive of each query is right."""
    positives: dict[int, tuple[list[int], list[float]]] = {}
    for resolution in Resolution.objects.select_related("pair"):
        if resolution.pair.query_id not in positives:
            positives[resolution.pair.query_id] = ([resolution.pair.document_id], [1.0])
            resolution.grade, resolution.status = 1, Resolution.Status.ADJUDICATED
            resolution.save()
    cast.run(study, "chosen", positives)
    refresh.refresh(collection=study)
    parameters = {"labels": "only"}
    compute_kept(study, NAME)
    choices = choices_of(study, **parameters)
    boards.compute(collection=study, spec=choices.spec)
    ceiling = ceiling_of(collection=study, choices=choices)
    page = text_of(client.get(LEADERBOARD, parameters))
    assert LABEL in page and f'<td class="number">{ceiling.text}</td>' in page
    # of six measures C@1 alone has one, in both directions
    assert page.count('<td class="number">no ceiling</td>') == 10
    assert "A run whose interval lies wholly above that one is marked" in page
    assert "results/analysis/pool/people-as-systems/?threshold=1" in page
    marks = marks_of(client, parameters)
    n_marked = sum(of_run.count("yes") for of_run in marks.values())
    assert page.count('<span class="under">beyond what these labels can tell</span>') == n_marked
    assert marks["chosen"] == ["", "", "", "", "", "yes"]
    assert marks["alpha"] == ["", "", "", "", "", "no"]


@pytest.mark.parametrize("labels", ["over:original", "union:original"])
def test_where_a_reference_counts_too_it_stands_there_without_marks(client, study, labels):
    """By the larger grade the run of the reference's pairs is right everywhere."""
    compute_kept(study, NAME)
    choices = choices_of(study, labels=labels)
    boards.compute(collection=study, spec=choices.spec)
    ceiling = ceiling_of(collection=study, choices=choices)
    page = text_of(client.get(LEADERBOARD, {"labels": labels}))
    assert f'<td class="number">{ceiling.text}</td>' in page
    assert "No run is marked for being above it, as these scores are by a reference" in page
    assert "beyond what these labels can tell" not in page
    assert all(set(marks) == {""} for marks in marks_of(client, {"labels": labels}).values())


@pytest.mark.parametrize(
    "parameters",
    [{"labels": "none:original"}, {"people": "first"}, {"measures": "AP C@5"}],
)
def test_where_it_says_nothing_it_is_not_shown(client, study, parameters):
    compute_kept(study, NAME)
    assert ceiling_of(collection=study, choices=choices_of(study, **parameters)) is None
    assert LABEL not in text_of(client.get(LEADERBOARD, parameters))


def test_labels_of_programs_and_of_one_person_have_none(study):
    compute_kept(study, NAME)
    assert ceiling_of(collection=study, choices=choices_of(study))
    Annotator.objects.filter(pk=Annotator.objects.earliest("pk").pk).update(
        origin="model", user=None
    )

    study.kept_values.all().delete()
    compute_kept(study, NAME)
    assert ceiling_of(collection=study, choices=choices_of(study)) is None
    alone = studies.judged_study("alone", n=12)
    compute_kept(alone, NAME)
    assert ceiling_of(collection=alone, choices=choices_of(alone)) is None


def test_the_page_takes_as_many_queries_with_more_runs(client, study):
    compute_kept(study, NAME)

    def n_queries() -> int:
        boards.compute(collection=study, spec=choices_of(study).spec)
        with CaptureQueriesContext(connection) as queries:
            client.get(LEADERBOARD)
        return len(queries)

    n_queries()
    before = n_queries()
    for seed in range(3):
        studies.run(study, f"run {seed}", seed=seed)
    refresh.refresh(collection=study)
    assert n_queries() == before
