"""Leads are sent a mail about alarms that rose, where there is a mail server and an address."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db.models import F
from django.urls import reverse

from annotate.models import Collection, Role
from annotate.services.supervision import archiving
from metrics import tasks
from metrics.models import Alarm, AlarmEvent, AlarmMail, Snapshot
from metrics.services.mails import lead_mails
from metrics.services.mails.alarm_mails import ALARM_MAIL
from metrics.services.numbers import alarms
from tests import cast
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


@pytest.fixture
def person(collection):
    """A person whose labels took 2 seconds."""
    annotator = cast.annotator(collection)
    set_seconds(collection, annotator, 2)
    return annotator


def set_seconds(collection, annotator, seconds):
    """Store a person's active time as a refresh does, and look at the alarms."""
    row = {"annotator": annotator.pk, "median_ms": 1000 * seconds, "n_labels": 30}
    Snapshot.objects.update_or_create(
        collection=collection,
        kind="people",
        defaults={"value": {"people": [row]}, "n_judgments": 30},
    )
    alarms.check_alarms(collection=collection)


def watch(collection):
    """An alarm on active time below 3 seconds."""
    return alarms.set_alarm(
        collection=collection, kind="speed", below=3, n_at_least=10, by=cast.user()
    )


def send(collection):
    return lead_mails.send(ALARM_MAIL, collection=collection)


def is_due(collection):
    return lead_mails.is_due(ALARM_MAIL, collection=collection)


def test_leads_are_sent_one_mail_about_an_alarm_that_rose(collection, addressed_lead, person):
    watch(collection)
    assert [*lead_mails.collections_due(ALARM_MAIL)] == [collection.pk]
    assert [send(collection) for _ in range(2)] == [1, 0]
    (message,) = mail.outbox
    assert message.bcc == ["lead@example.org"] and message.to == []
    assert message.subject == f"{collection}: alarm, active time a label"
    assert "Active time a label below 3 s, from 10 labels on" in message.body
    assert f"{person.pseudonym}: 2 s on 30 labels" in message.body
    for name in ("dashboard", "alarms"):
        assert reverse(f"metrics:{name}", args=[collection.slug]) in message.body
    assert not is_due(collection)


def test_an_alarm_that_is_down_again_or_ended_is_in_no_mail(collection, addressed_lead, person):
    alarm = watch(collection)
    set_seconds(collection, person, 4)
    assert not is_due(collection)
    set_seconds(collection, person, 2)
    assert is_due(collection)
    alarms.end_alarm(alarm=alarm)
    assert not is_due(collection)


def test_an_alarm_that_goes_up_and_down_is_mailed_once_a_day(collection, addressed_lead, person):
    watch(collection)
    assert send(collection) == 1
    for seconds in (4, 2):
        set_seconds(collection, person, seconds)
    assert AlarmEvent.objects.filter(kind="rose").count() == 2 and send(collection) == 0
    set_seconds(collection, cast.annotator(collection), 2)
    assert send(collection) == 1  # another person
    AlarmMail.objects.update(mailed_at=F("mailed_at") - timedelta(hours=25))
    set_seconds(collection, person, 2)
    assert send(collection) == 1


def test_an_alarm_on_all_labels_is_mailed_once_a_day(collection, addressed_lead):
    alarm = Alarm.objects.create(
        collection=collection, kind="alpha", below=0.8, n_at_least=1, by=addressed_lead
    )
    for kind in ("rose", "fell", "rose"):
        event = AlarmEvent.objects.create(alarm=alarm, kind=kind, value=0.5, n=30)
    AlarmMail.objects.create(event=event)
    assert send(collection) == 1
    assert "its lower limit at every check is 0.5 on 30 pairs" in mail.outbox[0].body
    for kind in ("fell", "rose"):
        event = AlarmEvent.objects.create(alarm=alarm, kind=kind, value=0.5, n=30)
    AlarmMail.objects.create(event=event)
    assert not is_due(collection)


@pytest.mark.parametrize("simulated", ["collection", "person"])
def test_nobody_is_sent_a_mail_about_simulated_people(
    collection, addressed_lead, person, simulated
):
    watch(collection)
    if simulated == "person":
        type(person).objects.filter(pk=person.pk).update(origin="simulated", user=None)
    else:
        Collection.objects.update(is_rehearsal=True)
    assert not is_due(collection)


def test_nobody_is_sent_a_mail_about_an_archived_collection(collection, addressed_lead, person):
    watch(collection)
    archiving.archive_collection(collection=collection, by=addressed_lead)
    assert not is_due(collection) and send(collection) == 0
    archiving.unarchive_collection(collection=collection, by=addressed_lead)
    assert is_due(collection)


@pytest.mark.django_db(transaction=True)
def test_the_sweep_enqueues_a_mail_that_expires_with_the_next_one(
    collection, addressed_lead, person, broker
):
    watch(collection)
    broker.flushdb()
    tasks.sweep()
    (message,) = broker.lrange("short", 0, -1)
    assert b"mail_alarms" in message and b'"expires": "2' in message
    tasks.mail_alarms(collection_id=collection.pk)
    broker.flushdb()
    tasks.sweep()
    assert broker.llen("short") == 0 and len(mail.outbox) == 1


def test_the_page_of_alarms_says_whether_mails_are_sent(client, collection, person, settings):
    client.force_login(cast.member(collection, Role.LEAD))
    watch(collection)

    def page():
        return text_of(client.get(reverse("metrics:alarms", args=[collection.slug])))

    assert "Leads with an address get a mail when it rises" in page()
    settings.SENDS_MAIL = False
    assert "This site sends no mail about it." in page() and not is_due(collection)
    settings.SENDS_MAIL = True
    Collection.objects.update(is_rehearsal=True)
    assert "Nobody gets a mail about a rehearsal." in page()
    Collection.objects.update(is_rehearsal=False)
    archiving.archive_collection(collection=collection, by=cast.user())
    assert "Nobody gets a mail while the collection is archived." in page()
