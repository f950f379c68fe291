"""The events of the last day: labels by people, the move of alpha, runs, pools; nothing older.

To see these tests fail: leave the moment out of a condition, or take today for the last day.
"""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Judgment, Role, Round
from metrics.models import Observation
from metrics.services.cockpit.cockpit import cockpit
from metrics.services.cockpit.since_yesterday import SinceYesterday
from metrics.services.dashboard import dashboard
from metrics.services.dashboard.dashboard import DashboardOptions
from metrics.services.dashboard.recent_events import RecentEvents, RecentRow, recent_events
from metrics.services.numbers import refresh
from pooling.models import Pool, Run
from tests import cast
from tests.metrics import studies

OLDER = timedelta(hours=26)  # than yesterday at this hour, whatever the hour
NOW = timezone.now()


def since_yesterday(*, runs=(), opened=(), closed=(), labels=(), before=None, alpha=None):
    """Events with these names, in a collection whose rounds 1, 2, 3 have 10, 20, 30 pairs."""
    rows = [
        tuple(RecentRow(number, name, number) for number, name in enumerate(names, 1))
        for names in (runs, opened, closed)
    ]
    events = RecentEvents(NOW, *rows)
    return SinceYesterday(events, labels, {1: 10, 2: 20, 3: 30}, before, alpha)


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ([], ""),
        ([0, 0], ""),
        ([1, 0], "1 label by 1 person"),
        ([1200, 0, 8], "1,208 labels by 2 people"),
    ],
)
def test_labels_are_those_of_the_people_who_gave_any(labels, text):
    assert since_yesterday(labels=labels).labels_text == text


@pytest.mark.parametrize(
    ("before", "alpha", "text"),
    [
        (None, 0.7, ""),
        (0.7, None, ""),
        (0.701, 0.714, "alpha rose from 0.70 to 0.71"),
        (0.714, -0.2, "alpha fell from 0.71 to -0.20"),
        (0.711, 0.714, "alpha still 0.71"),
    ],
)
def test_alpha_moves_by_the_digits_that_are_printed_and_only_from_a_value_that_was_kept(
    before, alpha, text
):
    assert since_yesterday(labels=[1], before=before, alpha=alpha).alpha_text == text


def test_runs_and_pools_have_a_line_each_and_one_name_each():
    events = since_yesterday(runs=["b", "a"], opened=["new"], closed=["old", "older", "oldest"])
    (run,) = events.run_lines
    assert (run.row.name, run.more_text, run.event) == ("b", "1 more", "added")
    opened, closed = events.pool_lines
    assert (opened.row.name, opened.more_text, opened.event) == ("new", "", "opened with 10 pairs")
    assert (closed.row.name, closed.more_text, closed.event) == ("old", "2 more", "closed")
    assert since_yesterday(opened=["a", "b"]).pool_lines[0].event == "opened"


def test_a_day_without_an_event_is_empty_although_alpha_is_there():
    assert since_yesterday(labels=[0], before=0.7, alpha=0.7).is_empty
    assert not since_yesterday(before=0.7, alpha=0.8).is_empty


@pytest.mark.django_db(transaction=True)
def test_what_is_older_than_a_day_or_not_for_everybody_is_left_out(client):
    study = studies.judged_study("study", seeds=range(2))
    events = recent_events(collection=study, now=timezone.now())
    n_runs, (pool,) = study.runs.count(), events.opened_pools
    assert len(events.runs) == n_runs and events.closed_pools == ()
    hidden, retired, *_ = Run.objects.filter(collection=study).order_by("pk")
    Run.objects.filter(pk=hidden.pk).update(is_hidden=True)
    Run.objects.filter(pk=retired.pk).update(retired_at=NOW)
    Round.objects.filter(pk=pool.round).update(state="closed", closed_at=timezone.now())
    Pool.objects.filter(pk=pool.pk).update(opened_at=NOW - OLDER, state="closed")
    events = recent_events(collection=study, now=timezone.now())
    assert {run.pk for run in events.runs}.isdisjoint({hidden.pk, retired.pk})
    assert (events.opened_pools, [row.pk for row in events.closed_pools]) == ((), [pool.pk])
    Run.objects.filter(collection=study).update(created_at=NOW - OLDER)
    Round.objects.filter(pk=pool.round).update(closed_at=NOW - OLDER)
    events = recent_events(collection=study, now=timezone.now())
    assert events == RecentEvents(events.since)
    client.force_login(cast.member(study, Role.LEAD))
    page = client.get("/c/study/dashboard/").content.decode()
    assert "Since yesterday" in page and "labels by 2 people</a>" in page


def page_of(study) -> SinceYesterday:
    options = DashboardOptions("ordinal")
    state = dashboard.state_of(collection=study, options=options)
    page = dashboard.dashboard(collection=study, options=options, state=state)
    answers = cockpit(collection=study, dashboard=page, state=state)
    assert answers is not None and answers.since_yesterday is not None
    return answers.since_yesterday


@pytest.mark.django_db(transaction=True)
def test_labels_count_alpha_starts_at_a_kept_value_and_more_events_take_no_more_queries():
    study = studies.judged_study("study", seeds=range(2))
    n_labels = sum(page_of(study).n_labels_by_person)
    assert n_labels == Judgment.objects.filter(collection=study, purpose="label").count()
    assert page_of(study).alpha_before is None  # no value is so old
    point = Observation.objects.get(collection=study, kind="agreement")
    value = {"planned": {"ordinal": {"value": 0.25}}, "all": {}}
    Observation.objects.create(
        collection=study, kind="agreement", n_judgments=1, value=value, at=point.at - OLDER
    )
    with CaptureQueriesContext(connection) as queries:
        assert page_of(study).alpha_before == 0.25
    n_at_first = len(queries)
    studies.run(study, "another", seed=7)
    refresh.refresh(collection=study)
    with CaptureQueriesContext(connection) as queries:
        assert page_of(study).run_lines[0].row.name == "another"
    assert len(queries) == n_at_first
