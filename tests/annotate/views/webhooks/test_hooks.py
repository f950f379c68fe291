"""Pages of webhooks: made, tested, switched, their log, without script and in a browser."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import Delivery, Hook, Role
from annotate.services.webhooks import deliveries, hook_page, hooks
from annotate.services.webhooks.deliveries import Attempt
from annotate.templatetags.moments import local_times
from tests import cast
from tests.annotate.services.webhooks.receiver import running_receiver
from tests.pages import CHANGED_SINCE, notice_form, text_of

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/x"
LIST = "/c/shapes/settings/webhooks/"


@pytest.fixture
def client(client, collection):
    client.force_login(cast.member(collection, Role.LEAD))
    return client


def act(client, hook, name, **fields):
    url = reverse("annotate:webhook-act", args=["shapes", hook.pk])
    return client.post(url, {"act": name, **fields}, follow=True)


def test_a_webhook_is_made_and_a_reload_shows_its_secret_again_and_makes_no_other(client):
    assert "None yet." in text_of(client.get(LIST))
    answer = client.post(LIST, {"url": URL, "events": ["job.ended"]})
    hook = Hook.objects.get()
    own_page = f"{LIST}{hook.pk}/"
    assert answer.status_code == 302 and answer.url == own_page
    for _ in range(2):
        (secret,) = hooks.signing_secrets(hook=hook)
        answer = client.get(own_page)
        assert secret in answer.content.decode() and "no-store" in answer["Cache-Control"]
        hook.refresh_from_db()
    assert secret not in client.get(LIST).content.decode()
    client.cookies.clear()
    client.force_login(hook.by)
    answer = client.get(own_page)
    assert secret not in answer.content.decode() and hook.secret not in answer.content.decode()
    moment = local_times(f"{hook.created_at:{hook_page.MOMENT}} UTC")
    assert f"Made by {hook.by.username}, {moment}." in text_of(answer)
    Hook.objects.update(by=None)
    assert f"Made {moment}." in text_of(client.get(own_page)), "the account is gone"


def test_another_secret_is_shown_in_place_of_the_one_before(client):
    hook = _hook(client)
    (earlier_secret,) = hooks.signing_secrets(hook=hook)
    act(client, hook, "secret")
    hook.refresh_from_db()
    secrets = hooks.signing_secrets(hook=hook)
    assert len(secrets) == 2 and secrets[1] == earlier_secret
    answer = client.get(f"{LIST}{hook.pk}/").content.decode()
    assert secrets[0] in answer and earlier_secret not in answer
    hooks.rotate_secret(hook=hook)  # by another lead
    assert secrets[0] not in client.get(f"{LIST}{hook.pk}/").content.decode()


def test_wrong_fields_are_said_beside_them_and_nothing_is_stored(client):
    for fields, sentence in (
        ({"url": "https://127.0.0.1/", "events": ["job.ended"]}, "loopback"),
        ({"url": URL, "events": ["moon.full"]}, "not one of the available choices"),
        ({"url": URL}, "This field is required."),
    ):
        answer = client.post(LIST, fields)
        assert answer.status_code == 422 and sentence in text_of(answer)
    assert not Hook.objects.exists()
    hook = _hook(client)
    answer = act(client, hook, "change", url="https://10.0.0.1/", events=["job.ended"])
    assert answer.status_code == 422 and "private" in text_of(answer)
    assert Hook.objects.get().url == URL


def _hook(client, url=URL):
    client.post(LIST, {"url": url, "events": ["job.ended"]})
    return Hook.objects.latest("pk")


def test_it_is_changed_switched_and_deleted(client):
    hook = _hook(client)
    answer = act(client, hook, "change", url=f"{URL}2", events=["alarm.rose"])
    assert "Saved: it holds for events from now on." in text_of(answer)
    switched_off = text_of(act(client, hook, "off"))
    assert "Switched off: nothing is sent." in switched_off
    answer = act(client, hook, "test")
    assert "This webhook is switched off: switch it on first." in text_of(answer)
    undo_url, undo_fields = notice_form(switched_off)
    assert "Switched on" in text_of(client.post(undo_url, undo_fields, follow=True))
    hook.refresh_from_db()
    assert (hook.url, hook.events, hook.off_at) == (f"{URL}2", ["alarm.rose"], None)
    act(client, hook, "off")
    assert CHANGED_SINCE in text_of(client.post(undo_url, undo_fields, follow=True))
    act(client, hook, "on")
    hooks.send_test(hook=hook)
    refused = act(client, hook, "delete", expected=0)
    assert "It would be about 1 waiting event by now, not 0" in text_of(refused)
    assert "Delete it, with 1 event waiting" in text_of(refused)
    answer = act(client, hook, "delete", expected=1)
    assert f"The webhook to {URL}2 is deleted, with its log." in text_of(answer)
    assert not Hook.objects.exists()


def test_the_log_tells_each_attempt_and_sends_again(client, settings):
    with running_receiver() as receiver:
        settings.WEBHOOK_HOSTS = [receiver.authority]
        hook = _hook(client, receiver.url)
        assert "A test is being sent" in text_of(act(client, hook, "test"))
        assert "To be sent now." in text_of(client.get(f"{LIST}{hook.pk}/"))
        receiver.status, receiver.answer = 500, b"<b>broken</b>"
        deliveries.deliver(hook=hook)
        page = client.get(f"{LIST}{hook.pk}/")
        assert "Tried again from" in text_of(page) and "500 after" in text_of(page)
        assert "&lt;b&gt;broken" in page.content.decode()
        assert "1 attempt failed since" in text_of(page)
        receiver.status = 204
        delivery = Delivery.objects.get()
        url = reverse("annotate:webhook-again", args=["shapes", hook.pk, delivery.pk])
        assert "under the same id" in text_of(client.post(url, follow=True))
        deliveries.deliver(hook=hook)
        assert "Delivered" in text_of(client.get(f"{LIST}{hook.pk}/"))
        assert len(receiver.messages) == 2


def test_the_log_says_when_what_waits_is_sent(client):
    hook = _hook(client)
    act(client, hook, "test")
    in_an_hour = timezone.now() + timedelta(hours=1)
    Hook.objects.update(rests_until=in_an_hour)
    moment = local_times(f"{in_an_hour:{hook_page.MOMENT}} UTC on.")
    assert f"Sent from {moment}" in text_of(client.get(f"{LIST}{hook.pk}/"))
    attempt = Attempt("2026-03-05T07:08:09.123Z", 3, 500, "", "")
    Delivery.objects.update(attempts=[attempt._asdict()])
    assert f"Tried again from {moment}" in text_of(client.get(f"{LIST}{hook.pk}/"))
    act(client, hook, "off")
    assert "Sent once the webhook is on again." in text_of(client.get(f"{LIST}{hook.pk}/"))


def test_leads_read_on_the_first_page_and_in_the_settings_that_one_was_switched_off(client):
    hook = _hook(client)
    pages = ("/c/shapes/", "/c/shapes/settings/")
    sentence = f"Nothing is sent any more to {URL}"
    assert not any(sentence in text_of(client.get(page)) for page in pages)
    Hook.objects.update(off_at=timezone.now(), off_why="failing")
    assert all(sentence in text_of(client.get(page)) for page in pages)
    assert "it failed for days" in text_of(client.get(f"{LIST}{hook.pk}/"))
    client.force_login(cast.member(hook.collection, Role.RESEARCHER))
    assert sentence not in text_of(client.get("/c/shapes/"))


@pytest.mark.parametrize(
    ("attempt", "sentence"),
    [
        (Attempt("2026-03-05T07:08:09.123Z", 31, 204, "ok", ""), "204 after 31 ms"),
        (Attempt("2026-03-05T07:08:09.123Z", 1031, 500, "no", ""), "500 after 1,031 ms, no"),
        (Attempt("2026-03-05T07:08:09.123Z", 3, None, "", "It is."), "no answer. It is."),
    ],
)
def test_an_attempt_is_told_in_a_sentence(attempt, sentence):
    assert hook_page.outcome(attempt) == f"5 Mar 2026 07:08:09 UTC: {sentence}"
