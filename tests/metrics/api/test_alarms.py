"""Alarms for programs: set, up or down, ended, and their log."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import ApiToken, Role
from metrics.models import Alarm, AlarmEvent, Snapshot
from metrics.services.numbers import alarms as service
from tests import cast
from tests.metrics import studies
from tests.pages import text_of

pytestmark = pytest.mark.django_db
ALARMS = "/api/v1/collections/watched/alarms/"
LOG = f"{ALARMS}log/"
SCOPES = (ApiToken.Scope.NUMBERS_READ, ApiToken.Scope.COLLECTIONS_WRITE)


@pytest.fixture
def study():
    return studies.judged_study("watched", seeds=range(2))


@pytest.fixture
def lead(study):
    return cast.member(study, Role.LEAD)


@pytest.fixture
def headers(study, lead):
    return cast.bearer(lead, *SCOPES, collection=study)


def post(client, headers, *, key="", **fields):
    extra = {"Idempotency-Key": key} if key else {}
    return client.post(ALARMS, fields, content_type="application/json", headers=headers | extra)


def get(client, headers, url=ALARMS, **parameters):
    return client.get(url, parameters, headers=headers).json()


def change_golds(study, *, n_right):
    """The golds of the first person, as a refresh would store them."""
    snapshot = Snapshot.objects.get(collection=study, kind="people")
    snapshot.value["people"][0].update(n_gold=50, n_right=n_right)
    snapshot.save()
    service.check_alarms(collection=study)
    return snapshot.value["people"][0]["pseudonym"]


def test_an_alarm_is_set_rises_falls_and_is_ended(client, study, lead, headers):
    answer = post(client, headers, kind="gold", below=80, n_at_least=10)
    value = answer.json()
    assert (answer.status_code, answer["Location"]) == (201, value["url"])
    assert value["description"] == "Golds right shown to be below 80 %, from 10 golds on"
    assert (value["state"], value["raised_by"], value["below"]) == ("down", [], 80)
    assert Alarm.objects.get().by == lead
    pseudonym = change_golds(study, n_right=30)
    value = get(client, headers, value["url"])
    (rise,) = value["raised_by"]
    assert (value["state"], rise["annotator"], rise["value"], rise["n"]) == (
        "up",
        pseudonym,
        60,
        50,
    )
    assert rise["reading"] == f"{pseudonym}: 60 % on 50 golds"
    change_golds(study, n_right=50)
    assert get(client, headers, value["url"])["state"] == "down"
    assert client.delete(value["url"], headers=headers).status_code == 204
    assert Alarm.objects.get().ended_at is not None
    assert client.delete(value["url"], headers=headers).status_code == 404
    assert client.get(value["url"], headers=headers).status_code == 404
    assert get(client, headers)["alarms"] == []
    fall, first_rise = get(client, headers, LOG)["events"]
    assert (fall["kind"], fall["value"]) == ("fell", 100) and first_rise == rise


def test_an_alarm_is_looked_at_when_it_is_set(client, study, headers):
    value = post(client, headers, kind="alpha", below=1, n_at_least=1).json()
    assert (value["state"], len(value["raised_by"])) == ("up", 1)
    assert value["raised_by"][0]["annotator"] is None, "the number is that of all"


def test_the_answer_has_what_the_page_shows(client, study, lead, headers):
    post(client, headers, kind="alpha", below=1, n_at_least=1)
    post(client, headers, kind="speed", below=3600, n_at_least=1)
    client.force_login(lead)
    page = text_of(client.get(reverse("metrics:alarms", args=["watched"])))
    for alarm in get(client, headers)["alarms"]:
        assert alarm["description"] in page
    events = get(client, headers, LOG)["events"]
    assert len(events) == 3 and all(event["reading"] in page for event in events)


def test_alarms_are_filtered_by_state_and_kind(client, study, headers):
    alpha = post(client, headers, kind="alpha", below=1, n_at_least=1).json()["id"]
    gold = post(client, headers, kind="gold", below=80, n_at_least=1).json()["id"]

    def ids(**filters):
        return [row["id"] for row in get(client, headers, **filters)["alarms"]]

    assert [row["state"] for row in get(client, headers)["alarms"]] == ["up", "down"]
    assert (ids(), ids(state="up"), ids(state="down")) == ([alpha, gold], [alpha], [gold])
    assert (ids(kind="gold"), ids(kind="gold", state="up")) == ([gold], [])
    for url, parameters, sentence in (
        (ALARMS, {"state": "ended"}, "there are: up, down."),
        (ALARMS, {"kind": "kappa"}, "there are: alpha, gold, speed."),
        (ALARMS, {"is_up": "1"}, "there are state, kind, cursor, page_size."),
        (LOG, {"kind": "sank"}, "there are: rose, fell."),
    ):
        answer = client.get(url, parameters, headers=headers)
        assert answer.status_code == 422 and sentence in answer.json()["detail"]


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"kind": "kappa"}, "kind", '"kappa" is not a valid choice.'),
        ({"below": 0}, "below", "Golds right are per cent: above 0"),
        ({"below": 101}, "below", "Golds right are per cent: above 0"),
        ({"kind": "alpha", "below": 1.1}, "below", "Alpha is at most 1"),
        ({"below": 1e300}, "below", "less than or equal to 3600"),
        ({"below": "nan"}, "below", "valid number"),
        ({"below": "\0"}, "below", "valid number"),
        ({"n_at_least": 0}, "n_at_least", "greater than or equal to 1"),
        ({"n_at_least": 2**31}, "n_at_least", "less than or equal to 2147483647"),
        ({"n_at_least": None}, "n_at_least", "may not be null"),
        ({"name": "mine"}, "name", "There is no such field."),
    ],
)
def test_what_is_wrong_is_said_and_no_alarm_is_set(client, study, headers, fields, field, sentence):
    answer = post(client, headers, **{"kind": "gold", "below": 80, "n_at_least": 1, **fields})
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    faults = [row["message"] for row in answer.json()["errors"] if row["field"] == field]
    assert any(sentence in message for message in faults), answer.content
    assert not Alarm.objects.exists()


def test_the_same_alarm_is_set_once(client, study, headers):
    fields = {"kind": "gold", "below": 80, "n_at_least": 1}
    first = post(client, headers, key="a", **fields)
    again = post(client, headers, key="a", **fields)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again["Idempotency-Replayed"] == "true"
    answer = post(client, headers, **fields)
    assert (answer.status_code, answer.json()["detail"]) == (422, "This alarm is set already.")
    assert Alarm.objects.count() == 1


def test_lists_come_in_pages_with_as_many_queries_for_many(client, study, headers):
    for below in (10, 20, 3600):
        post(client, headers, kind="speed", below=below, n_at_least=1)
    for url, name in ((ALARMS, "alarms"), (LOG, "events")):
        with CaptureQueriesContext(connection) as few:
            page = get(client, headers, url, page_size=1)
        with CaptureQueriesContext(connection) as many:
            rows = get(client, headers, url)[name]
        assert len(few) == len(many) and len(rows) > 1
        assert page[name] == rows[:1]
        assert get(client, headers, page["next"])[name] == rows[1:2]


def test_alarms_are_for_leads_with_the_scopes_and_the_collection(client, study, lead):
    reader = cast.bearer(lead, ApiToken.Scope.NUMBERS_READ)
    value = post(client, cast.bearer(lead, *SCOPES), kind="gold", below=80, n_at_least=1).json()
    assert client.get(ALARMS, headers=reader).status_code == 200
    assert post(client, reader, kind="gold", below=70, n_at_least=1).status_code == 403
    assert client.delete(value["url"], headers=reader).status_code == 403
    writer = cast.bearer(lead, ApiToken.Scope.COLLECTIONS_WRITE)
    assert client.get(ALARMS, headers=writer).status_code == 403
    for headers, status in (
        (cast.bearer(lead, *SCOPES, collection=cast.collection("other")), 404),
        (cast.bearer(cast.member(study, Role.RESEARCHER), *SCOPES), 403),
        (cast.bearer(study.annotators.first().user, *SCOPES), 403),
    ):
        for url in (ALARMS, LOG, value["url"]):
            assert client.get(url, headers=headers).status_code == status
        assert post(client, headers, kind="gold", below=70, n_at_least=1).status_code == status
        assert client.delete(value["url"], headers=headers).status_code == status
    assert Alarm.objects.filter(ended_at=None).count() == 1


def test_the_log_is_that_of_this_collection(client, study, headers):
    elsewhere = Alarm.objects.create(
        collection=cast.collection("other"), kind="gold", below=80, n_at_least=1
    )
    AlarmEvent.objects.create(alarm=elsewhere, kind="rose", value=1, n=1)
    assert get(client, headers, LOG)["events"] == []
    url = f"{ALARMS}{elsewhere.pk}/"
    assert client.get(url, headers=headers).status_code == 404
    assert client.delete(url, headers=headers).status_code == 404


def test_alarms_that_have_not_changed_are_not_sent_again(client, study, headers):
    post(client, headers, kind="gold", below=80, n_at_least=1)
    tag = client.get(ALARMS, headers=headers)["ETag"]
    assert client.get(ALARMS, headers=headers | {"If-None-Match": tag}).status_code == 304
    change_golds(study, n_right=10)
    assert client.get(ALARMS, headers=headers | {"If-None-Match": tag}).status_code == 200
