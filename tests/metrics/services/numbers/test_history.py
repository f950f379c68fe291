"""The history of numbers: a point after enough judgments or time, thinned where it is shown."""

from datetime import timedelta

import pytest
from django.utils import timezone

from metrics.models import Observation
from metrics.services.numbers import history, refresh
from tests import cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)


def test_history_keeps_a_point_each_time_numbers_change():
    study = studies.study()
    people = [cast.annotator(study) for _ in range(2)]
    refresh.refresh(collection=study)
    for step in range(4):
        studies.judge(people[step % 2], n=3, seed=step)
        refresh.refresh(collection=study)
    assert [point.n_judgments for point in studies.observations(study, "agreement")] == [
        0,
        3,
        6,
        9,
        12,
    ]
    rows = studies.observations(study, "scores")[-1].value["rows"]
    assert len(rows) == 3 * 2 * 7


def test_history_leaves_out_points_that_are_near_the_last_one(monkeypatch):
    monkeypatch.setattr(history, "GROWTH", 1.5)
    monkeypatch.setattr(history, "PAUSE", timedelta(days=1))
    study = studies.study()
    ann = cast.annotator(study)
    for n in (6, 2, 2):
        studies.judge(ann, n=n)
        refresh.refresh(collection=study)
    assert [point.n_judgments for point in studies.observations(study, "agreement")] == [6, 10]
    Observation.objects.update(at=timezone.now() - timedelta(days=2))
    studies.judge(ann, n=1)
    refresh.refresh(collection=study)
    assert studies.observations(study, "agreement")[-1].n_judgments == 11


def test_a_long_history_is_shown_thinned_with_its_newest_point(monkeypatch):
    monkeypatch.setattr(history, "MAX_POINTS", 4)
    collection = cast.collection()
    for number in range(10):
        Observation.objects.create(
            collection=collection, kind="agreement", n_judgments=number, value={}
        )
    points = [
        point.n_judgments for point in history.points(collection=collection, kind="agreement")
    ]
    assert points == [0, 3, 6, 9]
    Observation.objects.create(collection=collection, kind="agreement", n_judgments=10, value={})
    assert [
        point.n_judgments for point in history.points(collection=collection, kind="agreement")
    ] == [1, 4, 7, 10]
