"""Pairs resolved by a model of the annotators: written, kept by reconciling, and announced.

Change rows announce them.
"""

import json
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest
from django.utils import timezone

from annotate.checks.seats import differences_of_resolutions
from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.models import Annotator, Change, Collection, Report, Resolution, Seat
from annotate.services import seating
from annotate.services.judging import claiming, judging, reports
from annotate.services.seating.model_grades import ModelGrade, write_model_grades
from annotate.services.supervision import withdrawing
from metrics.services.scores.model_resolutions import resolve_by_model
from metrics.tasks import refresh
from tests import cast
from tests.metrics import studies

N_PEOPLE = 5  # two who know, three who toss a coin


def judged(rule: str = "model", n_queries: int = 12, n_people: int = N_PEOPLE) -> Collection:
    """A study of three pairs a query, each judged by all annotators.

    A pair is relevant if its key is even.
    """
    study = studies.study(
        grades=2,
        n_queries=n_queries,
        n_documents=12,
        with_runs=False,
        labels_per_pair=N_PEOPLE,
        ceiling=5,
        rule=rule,
    )
    coins = np.random.default_rng(3).integers(0, 2, (N_PEOPLE, 3 * n_queries))
    first = study.pairs.order_by("pk").first().pk
    for person in range(n_people):
        answer(
            cast.annotator(study),
            lambda pair, person=person: (
                truth(pair) if person < 2 else int(coins[person, pair - first])
            ),
        )
    return study


def truth(pair: int) -> int:
    return int(pair % 2 == 0)


def answer(annotator: Annotator, grade_of: Callable[[int], int]) -> None:
    claiming.current_batch(annotator=annotator)
    for hand_out in list(claiming.open_hand_outs(annotator=annotator)):
        judgment_answer = JudgmentAnswer(
            submission_id=uuid4(),
            grade=grade_of(hand_out.seat.pair_id),
            telemetry=Telemetry(active_ms=1000),
        )
        judging.record_judgment(annotator=annotator, token=hand_out.token, answer=judgment_answer)


def stored(study: Collection) -> dict[int, tuple[str, int | None]]:
    rows = Resolution.objects.filter(collection=study).values_list("pair_id", "status", "grade")
    return {pair: (status, grade) for pair, status, grade in rows}


@pytest.mark.django_db
@pytest.mark.filterwarnings("ignore")  # pandas warns of what crowd-kit asks it to do
def test_pairs_get_the_grade_crowd_kit_finds_which_the_majority_does_not():
    # here: a process that does not ask needs 40 MiB less
    from crowdkit.aggregation import DawidSkene

    study = judged()
    by_majority = stored(study)
    assert {status for status, _ in by_majority.values()} == {"majority", "agreed"}
    changed = resolve_by_model(collection=study)
    seats = Seat.objects.filter(collection=study, state="done")
    frame = pd.DataFrame(seats.values_list("pair", "annotator", "judgment__level__grade"))
    expected = DawidSkene(n_iter=200, tol=1e-14).fit_predict(
        frame.set_axis(["task", "worker", "label"], axis=1)
    )
    resolutions = stored(study)
    assert resolutions == {pair: ("model", grade) for pair, grade in expected.items()}
    assert changed == len(resolutions) == 36
    right, right_before = (
        sum(grade == truth(pair) for pair, (_, grade) in rows.items())
        for rows in (resolutions, by_majority)
    )
    assert right == 36 > right_before


@pytest.mark.django_db
def test_reconciling_keeps_the_model_s_grades_and_the_same_labels_write_nothing_again():
    study = judged(n_queries=4)
    resolve_by_model(collection=study)
    resolutions = stored(study)
    assert Change.objects.filter(pair__in=resolutions).exists()
    Change.objects.all().delete()
    seating.reconcile_pairs(pair_ids=resolutions)
    assert stored(study) == resolutions
    assert list(differences_of_resolutions()) == []
    assert resolve_by_model(collection=study) == 0
    assert not Change.objects.exists()


@pytest.mark.django_db
def test_a_pair_whose_labels_changed_goes_by_the_majority_until_the_model_has_looked_again():
    study = judged(n_queries=4)
    resolve_by_model(collection=study)
    pair = study.pairs.first()
    stale = ModelGrade(pair.pk, 1 - stored(study)[pair.pk][1], N_PEOPLE)
    leaver = Seat.objects.filter(pair=pair, state="done").first().annotator
    since = timezone.now() - timedelta(days=1)
    withdrawing.withdraw_annotator(
        annotator=leaver, since=since, by=cast.user(), reason="they guessed"
    )
    assert stored(study)[pair.pk][0] in ("majority", "agreed", "disputed")
    assert write_model_grades(collection=study, model_grades=[stale]) == 0
    assert list(differences_of_resolutions()) == []
    assert resolve_by_model(collection=study) == len(stored(study)) == 12
    assert {status for status, _ in stored(study).values()} == {"model"}


@pytest.mark.django_db
def test_other_rules_other_collections_and_escalated_pairs_are_left_alone():
    other = judged("majority", n_queries=2)
    before = stored(other)
    assert resolve_by_model(collection=other) == 0
    study = judged(n_queries=2, n_people=4)
    assert (
        write_model_grades(
            collection=study, model_grades=[ModelGrade(pair, 0, N_PEOPLE) for pair in before]
        )
        == 0
    )
    assert stored(other) == before
    doubtful = cast.annotator(study)
    claiming.current_batch(annotator=doubtful)
    hand_out = claiming.open_hand_outs(annotator=doubtful).first()
    reports.report_pair(
        annotator=doubtful,
        token=hand_out.token,
        submission_id=uuid4(),
        kind=Report.Kind.ESCALATED,
        reason="unclear",
    )
    resolve_by_model(collection=study)
    assert stored(study)[hand_out.seat.pair_id] == ("escalated", None)


@pytest.mark.django_db
def test_nobody_s_labels_give_no_grades():
    study = studies.study(with_runs=False, rule="model")
    assert resolve_by_model(collection=study) == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("rule", "n_tasks"), [("model", 1), ("majority", 0)])
def test_after_a_refresh_the_model_is_asked_once_where_a_policy_wants_it(broker, rule, n_tasks):
    study = studies.study(with_runs=False, rule=rule)
    broker.flushdb()
    for _ in range(2):
        refresh(collection_id=study.pk)
    tasks = [json.loads(raw)["headers"]["task"] for raw in broker.lrange("short", 0, -1)]
    assert tasks.count("metrics.tasks.resolve_by_model") == n_tasks
