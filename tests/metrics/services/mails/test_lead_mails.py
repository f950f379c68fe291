"""Leads are sent one mail about whom guards name, where there is a mail server and an address."""

import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.db.models import F
from django.urls import reverse

from annotate.models import Collection, Concern, Role
from annotate.services.supervision import archiving
from metrics import tasks
from metrics.services.mails import lead_mails
from metrics.services.mails.concern_mails import CONCERN_MAIL
from tests import cast
from tests.annotate.views.review.inbox_rows import name_person
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mail_server(settings):
    """A site that sends mail."""
    settings.SENDS_MAIL = True


@pytest.fixture
def addressed_lead(collection):
    """A lead with an address."""
    return cast.member(collection, Role.LEAD, cast.user(email="lead@example.org"))


def test_leads_are_sent_one_mail_about_a_person(collection, addressed_lead):
    concern = name_person(collection)
    assert [*lead_mails.collections_due(CONCERN_MAIL)] == [collection.pk]
    assert [lead_mails.send(CONCERN_MAIL, collection=collection) for _ in range(2)] == [1, 0]
    (message,) = mail.outbox
    assert message.bcc == ["lead@example.org"] and message.to == []
    assert message.subject == f"{collection}: look at {concern.annotator}"
    assert concern.sentence in message.body
    assert f"/c/{collection.slug}/inbox/?tab=people" in message.body
    assert not lead_mails.collections_due(CONCERN_MAIL)


def test_the_mail_is_about_those_alone_who_are_still_to_be_looked_at(collection, addressed_lead):
    settled, faded, *others = [name_person(collection) for _ in range(4)]
    settled.state, faded.faded_at = Concern.State.SETTLED, settled.at
    Concern.objects.bulk_update([settled, faded], ["state", "faded_at"])
    assert lead_mails.send(CONCERN_MAIL, collection=collection) == 2
    (message,) = mail.outbox
    assert message.subject == f"{collection}: look at {others[0].annotator} and others"
    names = [str(concern.annotator) for concern in (settled, faded, *others)]
    assert [name in message.body for name in names] == [False, False, True, True]


def test_the_subject_is_one_line(collection, addressed_lead):
    name_person(collection)
    Collection.objects.update(name="Bird\rsongs")
    collection.refresh_from_db()
    assert lead_mails.send(CONCERN_MAIL, collection=collection) == 1
    assert mail.outbox[0].subject.startswith("Bird songs: look at ")


class RefusingBackend(EmailBackend):
    """A server that hangs up."""

    def send_messages(self, messages):
        """Refuse a mail."""
        raise smtplib.SMTPServerDisconnected


def test_a_server_that_hangs_up_is_asked_five_times_with_longer_waits(
    collection, addressed_lead, settings
):
    name_person(collection)
    settings.EMAIL_BACKEND = f"{__name__}.{RefusingBackend.__name__}"
    for number, wait in enumerate((*lead_mails.WAITS, timedelta(hours=23)), start=1):
        assert lead_mails.send(CONCERN_MAIL, collection=collection) == 0
        concern = Concern.objects.get()
        assert (concern.mail_attempts, concern.mailed_at) == (number, None)
        # half a minute before its turn, it is left alone
        early = F("mail_attempt_at") - wait + timedelta(seconds=30)
        Concern.objects.update(mail_attempt_at=early)
        assert not lead_mails.collections_due(CONCERN_MAIL)
        Concern.objects.update(mail_attempt_at=F("mail_attempt_at") - timedelta(seconds=31))
        is_due = number <= len(lead_mails.WAITS)
        assert lead_mails.collections_due(CONCERN_MAIL).exists() == is_due
    assert lead_mails.send(CONCERN_MAIL, collection=collection) == 0


def test_what_the_server_takes_later_is_sent_once(collection, addressed_lead, settings):
    name_person(collection)
    server = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.{RefusingBackend.__name__}"
    lead_mails.send(CONCERN_MAIL, collection=collection)
    settings.EMAIL_BACKEND = server
    assert lead_mails.send(CONCERN_MAIL, collection=collection) == 0
    Concern.objects.update(mail_attempt_at="2026-01-01T00:00Z")
    assert [lead_mails.send(CONCERN_MAIL, collection=collection) for _ in range(2)] == [1, 0]
    assert len(mail.outbox) == 1


class ObservingBackend(EmailBackend):
    """A server that notes whether a transaction is open while it is waited for."""

    in_transaction = []

    def send_messages(self, messages):
        """Take a mail, and note whether a transaction is open."""
        self.in_transaction.append(connection.in_atomic_block)
        return super().send_messages(messages)


@pytest.mark.django_db(transaction=True)
def test_no_row_is_locked_while_the_server_is_waited_for(collection, addressed_lead, settings):
    name_person(collection)
    settings.EMAIL_BACKEND = f"{__name__}.{ObservingBackend.__name__}"
    ObservingBackend.in_transaction.clear()
    assert lead_mails.send(CONCERN_MAIL, collection=collection) == 1
    assert ObservingBackend.in_transaction == [False]


@pytest.mark.django_db(transaction=True)
def test_the_sweep_enqueues_a_mail_that_expires_with_the_next_one(
    collection, addressed_lead, broker, settings
):
    name_person(collection)
    broker.flushdb()
    tasks.sweep()
    (message,) = broker.lrange("short", 0, -1)
    assert b"mail_concerns" in message and b'"expires": "2' in message
    schedule = settings.CELERY_BEAT_SCHEDULE["refresh-metrics"]["schedule"]
    assert schedule == tasks.SWEEP_SECONDS
    lead_mails.send(CONCERN_MAIL, collection=collection)
    broker.flushdb()
    tasks.sweep()
    assert broker.llen("short") == 0


@pytest.mark.parametrize("simulated", ["collection", "person"])
def test_nobody_is_sent_a_mail_about_simulated_people(collection, addressed_lead, simulated):
    annotator = name_person(collection).annotator
    if simulated == "person":
        type(annotator).objects.filter(pk=annotator.pk).update(origin="simulated", user=None)
    else:
        Collection.objects.update(is_rehearsal=True)
    assert not lead_mails.collections_due(CONCERN_MAIL)


def test_nobody_is_sent_a_mail_about_an_archived_collection_nor_promised_one(
    client, collection, addressed_lead
):
    name_person(collection)
    archiving.archive_collection(collection=collection, by=addressed_lead)
    assert not lead_mails.collections_due(CONCERN_MAIL)
    assert lead_mails.send(CONCERN_MAIL, collection=collection) == 0
    client.force_login(addressed_lead)
    for name, promise in (("guards", "get a mail"), ("alarms", "and come by mail")):
        page = text_of(client.get(reverse(f"metrics:{name}", args=[collection.slug])))
        assert promise not in page
    archiving.unarchive_collection(collection=collection, by=addressed_lead)
    assert lead_mails.send(CONCERN_MAIL, collection=collection) == 1


def test_without_an_address_nothing_is_due_or_called_sent(collection):
    name_person(collection)
    cast.member(collection, Role.LEAD)
    assert not lead_mails.collections_due(CONCERN_MAIL)
    assert lead_mails.send(CONCERN_MAIL, collection=collection) == 0
    concern = Concern.objects.get()
    assert (concern.mail_attempts, concern.mailed_at) == (0, None)


def test_without_a_mail_server_nothing_is_due_and_no_page_promises_a_mail(
    client, collection, addressed_lead, settings
):
    name_person(collection)
    client.force_login(addressed_lead)
    for sends_mail in (True, False):
        settings.SENDS_MAIL = sends_mail
        assert lead_mails.collections_due(CONCERN_MAIL).exists() == sends_mail
        for name, promise in (("guards", "get a mail"), ("alarms", "and come by mail")):
            page = text_of(client.get(reverse(f"metrics:{name}", args=[collection.slug])))
            assert (promise in page) == sends_mail
    assert lead_mails.send(CONCERN_MAIL, collection=collection) == 0
    concern = Concern.objects.get()
    assert (concern.mail_attempts, concern.mailed_at) == (0, None)
