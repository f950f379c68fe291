"""Alarms rise and fall with the numbers of the refresh, once each; the log only grows."""

import pytest
from django.core.cache import cache
from django.db import IntegrityError, transaction

from annotate.models import Role
from metrics.core.comparisons.sequential_analysis import MIN_GROUPS, alpha_lower_limit
from metrics.models import Alarm, AlarmEvent, Snapshot
from metrics.services.numbers import alarms, refresh
from tests import cast
from tests.metrics import studies
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return studies.judged_study("watched", seeds=range(2))


def watch(study, kind, below, n_at_least=1):
    return alarms.set_alarm(
        collection=study, kind=kind, below=below, n_at_least=n_at_least, by=cast.user()
    )


def log(study):
    return list(
        AlarmEvent.objects.filter(alarm__collection=study)
        .order_by("pk")
        .values_list("kind", "value", "n")
    )


def change_snapshot(study, kind, change):
    """Change the numbers of a snapshot as a refresh would, and check the alarms."""
    snapshot = Snapshot.objects.get(collection=study, kind=kind)
    change(snapshot.value)
    snapshot.save()
    return alarms.check_alarms(collection=study)


def add_informative_groups(study, n=MIN_GROUPS):
    """Set the number of informative groups of queries to the least for a lower limit of alpha."""
    return change_snapshot(
        study, "agreement", lambda value: value["planned"]["ordinal"].update(n_informative=n)
    )


def test_alpha_below_its_threshold_rises_once_and_falls_once(study):
    alpha = Snapshot.objects.get(collection=study, kind="agreement").value["planned"]["ordinal"]
    add_informative_groups(study)
    watch(study, "alpha", alpha["value"])  # which its limit lies below
    low = alpha_lower_limit(
        alpha["value"],
        low=alpha["low"],
        high=alpha["high"],
        n=18,
        n_informative=MIN_GROUPS,
        tuned_for=1,
    )
    assert log(study) == [("rose", low, 18)] and low < alpha["low"]
    assert alarms.check_alarms(collection=study) == 0
    sure = {
        "value": alpha["value"] + 0.01,
        "low": alpha["value"] + 0.009,
        "high": alpha["value"] + 0.011,
    }
    assert (
        change_snapshot(study, "agreement", lambda value: value["planned"]["ordinal"].update(sure))
        == 1
    )
    assert [kind for kind, _, _ in log(study)] == ["rose", "fell"] and alarms.raising_events(
        collection=study
    ) == []
    assert alarms.check_alarms(collection=study) == 0


def test_a_number_that_rests_on_too_little_is_no_alarm_yet(study):
    watch(study, "alpha", 1.1, n_at_least=19)
    assert log(study) == []
    change_snapshot(
        study, "agreement", lambda value: value["planned"]["ordinal"].update(n_pairable_units=19)
    )
    assert len(log(study)) == 1


def test_a_number_that_is_no_longer_defined_lets_the_alarm_fall(study):
    watch(study, "alpha", 1.1)
    change_snapshot(
        study, "agreement", lambda value: value["planned"]["ordinal"].update(value=None)
    )
    assert log(study)[-1] == ("fell", None, 18)


def test_an_interval_that_reaches_the_threshold_at_one_look_lets_no_alarm_fall(study):
    add_informative_groups(study)
    watch(study, "alpha", 0.6)
    usual = {"value": 0.65, "low": 0.61, "high": 0.69, "n_pairable_units": 100}
    assert (
        change_snapshot(study, "agreement", lambda value: value["planned"]["ordinal"].update(usual))
        == 0
    )
    assert len(alarms.raising_events(collection=study)) == 1
    surer = {"value": 0.7, "low": 0.67, "high": 0.73}
    assert (
        change_snapshot(study, "agreement", lambda value: value["planned"]["ordinal"].update(surer))
        == 1
    )


def test_golds_and_times_are_watched_person_by_person(study):
    def some_golds(value):
        value["people"][0].update(n_gold=50, n_right=30)
        value["people"][1].update(n_gold=50, n_right=37)  # below the mark, but not shown to be

    watch(study, "gold", 80, n_at_least=10)
    assert change_snapshot(study, "people", some_golds) == 1
    (event,) = alarms.raising_events(collection=study)
    first = Snapshot.objects.get(collection=study, kind="people").value["people"][0]
    assert (event.annotator_id, event.value, event.n) == (first["annotator"], 60, 50)
    assert alarms.reading_text(event) == f"{first['pseudonym']}: 60 % on 50 golds"
    assert alarms.alarm_text(event.alarm) == "Golds right shown to be below 80 %, from 10 golds on"
    watch(study, "speed", 3600)
    assert len(alarms.raising_events(collection=study)) == 3
    assert (
        alarms.alarm_text(Alarm.objects.get(kind="speed"))
        == "Active time a label below 3600 s, from 1 label on"
    )


def test_who_is_no_longer_among_the_people_is_no_alarm(study):
    watch(study, "speed", 3600)
    change_snapshot(study, "people", lambda value: value["people"].pop())
    assert [kind for kind, _, _ in log(study)] == ["rose", "rose", "fell"]


def test_a_refresh_looks_at_the_alarms(study):
    Snapshot.objects.filter(collection=study, kind="people").update(
        value={"people": []}, inputs_sha256=""
    )
    watch(study, "speed", 3600)
    assert alarms.raising_events(collection=study) == []
    refresh.refresh(collection=study)
    assert len(alarms.raising_events(collection=study)) == 2


def test_the_same_alarm_is_set_once_until_it_is_ended(study):
    alarm = watch(study, "alpha", 1.1)
    with pytest.raises(alarms.AlarmExists):
        watch(study, "alpha", 1.1)
    alarms.end_alarm(alarm=alarm)
    assert alarms.raising_events(collection=study) == [] and len(log(study)) == 1
    watch(study, "alpha", 1.1)
    assert len(alarms.raising_events(collection=study)) == 1


def test_the_log_refuses_changes(study):
    watch(study, "alpha", 1.1)
    for change in (lambda rows: rows.update(n=0), lambda rows: rows.delete()):
        with pytest.raises(IntegrityError), transaction.atomic():
            change(AlarmEvent.objects.all())


def test_a_lead_sets_sees_and_ends_an_alarm(client, study):
    client.force_login(cast.member(study, Role.LEAD))
    address = "/c/watched/dashboard/alarms/"
    for kind, below, n in (
        ("alpha", 80, 1),
        ("gold", 0, 1),
        ("gold", 101, 1),
        ("speed", 5000, 1),
        ("alpha", 0.9, 0),
    ):
        wrong = client.post(address, {"kind": kind, "below": below, "n_at_least": n})
        assert wrong.status_code == 422 and "field-error" in text_of(wrong)
    add_informative_groups(study)
    assert client.post(address, {"kind": "alpha", "below": 1, "n_at_least": 1}).status_code == 302
    assert client.post(address, {"kind": "alpha", "below": 1, "n_at_least": 1}).status_code == 422
    alarm_text = "Alpha not shown to be 1 or more, from 1 pair with two planned labels on"
    page = text_of(client.get("/c/watched/dashboard/"))
    assert f"{alarm_text}:" in page and "its lower limit at every check is -" in page
    assert '<span class="unseen"> alarm up</span>' in page
    etag = client.get("/c/watched/dashboard/numbers/")["ETag"]
    assert alarm_text in text_of(client.get(address))
    client.post(f"{address}{Alarm.objects.get().pk}/end/")
    cache.clear()
    assert (
        client.get("/c/watched/dashboard/numbers/", headers={"If-None-Match": etag}).status_code
        == 200
    )
    assert alarm_text not in text_of(client.get("/c/watched/dashboard/"))


def test_alpha_without_an_interval_is_not_shown_to_reach_anything(study):
    sure = {"value": 0.7, "low": 0.69, "high": 0.71, "n_informative": MIN_GROUPS}
    change_snapshot(study, "agreement", lambda value: value["planned"]["ordinal"].update(sure))
    watch(study, "alpha", 0.5)
    assert log(study) == []
    # all of one group of queries
    change_snapshot(study, "agreement", lambda value: value["planned"]["ordinal"].update(low=None))
    assert log(study)[-1][:2] == ("rose", None)


@pytest.mark.parametrize(
    ("change", "is_raised"),
    [
        (lambda alpha: alpha.update(n_informative=MIN_GROUPS - 1), True),
        (lambda alpha: alpha.update(n_informative=MIN_GROUPS), False),
        # of before it was counted: the rest of the rule decides
        (lambda alpha: alpha.pop("n_informative"), False),
    ],
)
def test_alpha_that_few_groups_tell_of_is_not_shown_to_reach_anything(study, change, is_raised):
    sure = {"value": 0.7, "low": 0.69, "high": 0.71, "n_informative": MIN_GROUPS}
    change_snapshot(study, "agreement", lambda value: value["planned"]["ordinal"].update(sure))
    watch(study, "alpha", 0.5)
    assert (
        change_snapshot(study, "agreement", lambda value: change(value["planned"]["ordinal"]))
        == is_raised
    )
    if not is_raised:
        return
    (event,) = alarms.raising_events(collection=study)
    assert alarms.reading_text(event) == (
        "it had no lower limit yet on 18 pairs with two planned labels: that takes 20 groups of "
        "queries with a label beside the commonest level, and labels that differ"
    )
    assert add_informative_groups(study, 0) == 0


def test_groups_that_tell_are_counted_in_the_refresh(study):
    planned = Snapshot.objects.get(collection=study, kind="agreement").value["planned"]["ordinal"]
    assert 0 < planned["n_informative"] <= planned["n_groups"] == 6
