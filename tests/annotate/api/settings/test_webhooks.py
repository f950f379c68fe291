"""Webhooks for programs: made with a secret that is shown once, changed, tested, their log."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import ApiToken, Delivery, Hook, HookEvent, Receipt, Role
from annotate.services.storage import outbox
from annotate.services.webhooks import deliveries, hooks
from tests import cast
from tests.annotate.services.webhooks.receiver import running_receiver

pytestmark = pytest.mark.django_db
WEBHOOKS = "/api/v1/collections/shapes/webhooks/"
SCOPE = ApiToken.Scope.COLLECTIONS_WRITE
URL = "https://hooks.example.org/x"
FIELDS = {"url": URL, "events": ["job.ended", "release.made"]}


@pytest.fixture
def headers(collection):
    return cast.bearer(cast.member(collection, Role.LEAD), SCOPE, collection=collection)


def send(client, method, address, headers, /, *, key="", **fields):
    extra = {"Idempotency-Key": key} if key else {}
    send_request = getattr(client, method)
    return send_request(address, fields, content_type="application/json", headers=headers | extra)


def test_a_webhook_is_made_with_a_secret_that_is_shown_once(client, headers):
    first = send(client, "post", WEBHOOKS, headers, key="a", **FIELDS)
    value = first.json()
    assert (first.status_code, first["Location"]) == (201, value["address"])
    secret = value.pop("secret")
    assert hooks.signing_secrets(hook=Hook.objects.get()) == [secret]
    assert client.get(value["address"], headers=headers).json() == value
    again = send(client, "post", WEBHOOKS, headers, key="a", **FIELDS)
    assert (again.status_code, again.json()) == (201, value | {"secret": None})
    assert Hook.objects.count() == 1
    assert client.get(WEBHOOKS, headers=headers).json() == {"webhooks": [value], "next": None}
    answer = send(client, "post", f"{value['address']}secret/", headers, key="b")
    other_secret = answer.json()["secret"]
    assert hooks.signing_secrets(hook=Hook.objects.get()) == [other_secret, secret]
    again = send(client, "post", f"{value['address']}secret/", headers, key="b")
    assert again.json()["secret"] is None, "and none is made anew"
    receipts = json.dumps(list(Receipt.objects.values("answer", "location", "key")))
    assert secret not in receipts and other_secret not in receipts


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"url": "https://10.0.0.1/"}, "url", "private"),
        ({"url": "http://hooks.example.org/"}, "url", "WEBHOOK_HOSTS"),
        ({"url": "hooks"}, "url", "https://host/path"),
        ({"url": f"https://h.example/{'x' * 1000}"}, "url", "no more than 1000"),
        ({"events": []}, "events", "at least 1"),
        ({"events": ["moon.full"]}, "events.0", "not a valid choice"),
        ({"events": ["test"]}, "events.0", "not a valid choice"),
        ({"secret": "x"}, "secret", "There is no such field."),
        ({"is_on": True}, "is_on", "There is no such field."),
    ],
)
def test_wrong_fields_are_named_and_no_webhook_is_made(client, headers, fields, field, sentence):
    answer = send(client, "post", WEBHOOKS, headers, **{**FIELDS, **fields})
    assert answer.status_code == 422
    faults = [row["message"] for row in answer.json()["errors"] if row["field"] == field]
    assert any(sentence in message for message in faults), answer.content
    assert not Hook.objects.exists()


def test_it_is_changed_switched_and_deleted(client, headers, collection):
    value = send(client, "post", WEBHOOKS, headers, **FIELDS).json()
    url = value["address"]
    lead = collection.memberships.get(role=Role.LEAD).user
    assert value["created_by"] == lead.username
    value = send(client, "patch", url, headers, events=["alarm.rose"]).json()
    assert (value["url"], value["events"], value["is_on"]) == (URL, ["alarm.rose"], True)
    value = send(client, "patch", url, headers, is_on=False).json()
    assert (value["is_on"], value["off_why"], value["events"]) == (False, "lead", ["alarm.rose"])
    assert send(client, "post", f"{url}test/", headers).status_code == 422
    value = send(client, "patch", url, headers, is_on=True, url=f"{URL}2").json()
    assert (value["is_on"], value["off_at"], value["url"]) == (True, None, f"{URL}2")
    answer = send(client, "patch", url, headers, url="https://127.0.0.1/", is_on=False)
    assert answer.status_code == 422 and Hook.objects.get().off_at is None
    assert client.delete(url, headers=headers).status_code == 204
    assert client.get(url, headers=headers).status_code == 404


def test_one_whose_address_is_refused_by_now_can_be_switched_off(client, headers, settings):
    settings.WEBHOOK_HOSTS = ["hooks.lab:8080"]
    fields = {**FIELDS, "url": "http://hooks.lab:8080/"}
    url = send(client, "post", WEBHOOKS, headers, **fields).json()["address"]
    settings.WEBHOOK_HOSTS = []
    value = send(client, "patch", url, headers, is_on=False, events=["alarm.rose"]).json()
    assert (value["url"], value["events"], value["off_why"]) == (
        "http://hooks.lab:8080/",
        ["alarm.rose"],
        "lead",
    )
    assert send(client, "patch", url, headers, url="http://hooks.lab:8080/2").status_code == 422


def test_a_test_is_sent_and_the_log_has_its_attempts(client, headers, settings):
    with running_receiver() as receiver:
        settings.WEBHOOK_HOSTS = [receiver.authority]
        fields = {**FIELDS, "url": receiver.url}
        url = send(client, "post", WEBHOOKS, headers, **fields).json()["address"]
        answer = send(client, "post", f"{url}test/", headers)
        delivery = answer.json()
        assert (answer.status_code, answer["Location"]) == (202, delivery["url"])
        assert (delivery["event"], delivery["state"]) == ("test", "waiting")
        receiver.status, receiver.answer = 500, b"broken"
        deliveries.deliver(hook=Hook.objects.get())
        delivery = client.get(delivery["url"], headers=headers).json()
        (attempt,) = delivery["attempts"]
        assert (attempt["status"], attempt["answer"]) == (500, "broken")
        receiver.status = 204
        answer = send(client, "post", f"{delivery['url']}again/", headers)
        assert (answer.status_code, answer.json()["n_attempts"]) == (202, 0)
        deliveries.deliver(hook=Hook.objects.get())
        ids = {message.headers["webhook-id"] for message in receiver.messages}
        assert ids == {delivery["message_id"]}
        log = client.get(f"{url}deliveries/", {"state": "delivered"}, headers=headers).json()
        assert [row["id"] for row in log["deliveries"]] == [delivery["id"]]
        for filters in ({"state": "waiting"}, {"event": "job.ended"}):
            log = client.get(f"{url}deliveries/", filters, headers=headers).json()
            assert log["deliveries"] == []
        answer = client.get(f"{url}deliveries/", {"state": "lost"}, headers=headers)
        assert answer.status_code == 422


def test_the_log_comes_in_pages_with_as_many_queries_for_many(client, headers, collection):
    url = send(client, "post", WEBHOOKS, headers, **FIELDS).json()["address"]

    def announce():
        outbox.announce(collection=collection, event=HookEvent.JOB_ENDED, data={"job": 1})

    announce()
    with CaptureQueriesContext(connection) as few:
        client.get(f"{url}deliveries/", headers=headers)
    for _ in range(4):
        announce()
    with CaptureQueriesContext(connection) as many:
        client.get(f"{url}deliveries/", headers=headers)
    assert len(few) == len(many)
    page = client.get(f"{url}deliveries/", {"page_size": 3}, headers=headers).json()
    rest = client.get(page["next"], headers=headers).json()
    keys = [row["id"] for row in page["deliveries"] + rest["deliveries"]]
    assert keys == sorted(keys, reverse=True) and len(keys) == 5 and rest["next"] is None


def test_a_delivery_is_there_under_its_own_webhook_and_collection_alone(client):
    """Of another collection of the same lead too: both keys of the address must belong together."""
    lead = cast.user("ada")
    shapes, other = (cast.collection(slug) for slug in ("shapes", "other"))
    for collection in (shapes, other):
        cast.member(collection, Role.LEAD, person=lead)
    made = [
        hooks.create_hook(collection=collection, url=url, events=["job.ended"], by=lead).hook
        for collection, url in ((shapes, URL), (shapes, f"{URL}2"), (other, URL))
    ]
    rows = [outbox.store(hook=hook, event=HookEvent.JOB_ENDED, data={}) for hook in made]
    headers, n_found = cast.bearer(lead, SCOPE), 0
    client.force_login(lead)
    for hook in made:
        for row in rows:
            for slug in ("shapes", "other"):
                url = f"/api/v1/collections/{slug}/webhooks/{hook.pk}/deliveries/{row.pk}/"
                page = f"/c/{slug}/settings/webhooks/{hook.pk}/deliveries/{row.pk}/again/"
                is_own = row.hook_id == hook.pk and slug == hook.collection.slug
                n_found += is_own
                assert client.get(url, headers=headers).status_code == (200 if is_own else 404)
                assert client.post(f"{url}again/", headers=headers).status_code == (
                    202 if is_own else 404
                )
                assert client.post(page).status_code == (302 if is_own else 404)
    assert n_found == 3


def test_webhooks_are_for_leads_with_the_scope_and_the_collection(client, collection, headers):
    url = send(client, "post", WEBHOOKS, headers, **FIELDS).json()["address"]
    delivery = outbox.store(hook=Hook.objects.get(), event=HookEvent.JOB_ENDED, data={})
    lead = collection.memberships.get(role=Role.LEAD).user
    scopes = [scope for scope in ApiToken.Scope if scope != SCOPE]
    researcher = cast.member(collection, Role.RESEARCHER)
    for other_headers, status in (
        (cast.bearer(lead, *scopes), 403),
        (cast.bearer(lead, SCOPE, collection=cast.collection("other")), 404),
        (cast.bearer(researcher, SCOPE), 403),
    ):
        for address in (WEBHOOKS, url, f"{url}deliveries/", f"{url}deliveries/{delivery.pk}/"):
            assert client.get(address, headers=other_headers).status_code == status
        for address in ("secret/", "test/", f"deliveries/{delivery.pk}/again/"):
            assert client.post(f"{url}{address}", headers=other_headers).status_code == status
        assert send(client, "patch", url, other_headers, is_on=False).status_code == status
        assert client.delete(url, headers=other_headers).status_code == status
    assert Hook.objects.get().off_at is None and Delivery.objects.count() == 1
