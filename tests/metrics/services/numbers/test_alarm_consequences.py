"""What is told before an alarm is ended, and that its notice sets the same again."""

import pytest
from django.urls import reverse

from annotate.models import Role
from metrics.models import Alarm
from metrics.services.numbers import alarms
from metrics.services.numbers.alarm_consequences import end_consequences
from tests import cast
from tests.pages import notice_form, text_of

pytestmark = pytest.mark.django_db


def test_an_alarm_that_is_up_tells_the_notices_that_go_with_it():
    act = end_consequences(description="Alpha not shown to be 0.6 or more", n_up=2)
    assert act.button == "End it, with 2 notices"
    assert act.sentences[1] == "It is up: 2 notices would leave the dashboard and the bar."
    assert end_consequences(description="", n_up=0).button == "End it"


def test_the_notice_of_an_ended_alarm_sets_the_same_again(client):
    collection = cast.collection("birds")
    lead = cast.member(collection, Role.LEAD)
    client.force_login(lead)
    alarm = alarms.set_alarm(collection=collection, kind="gold", below=62.5, n_at_least=8, by=lead)
    end = reverse("metrics:alarm-end", args=["birds", alarm.pk])
    undo_url, undo_fields = notice_form(text_of(client.post(end, follow=True)))
    again = client.post(end, follow=True)
    assert "it had been ended before" in text_of(again)
    assert not alarms.alarms_set(collection=collection).exists()
    assert client.post(undo_url, undo_fields).status_code == 302
    alarm_again = alarms.alarms_set(collection=collection).get()
    assert (alarm_again.kind, alarm_again.below, alarm_again.n_at_least) == ("gold", 62.5, 8)
    assert Alarm.objects.count() == 2
