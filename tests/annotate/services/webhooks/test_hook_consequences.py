"""What is told before a webhook is switched off or deleted, and what is held to it."""

import pytest

from annotate.core.consequences import CountChanged
from annotate.models import Hook, Role
from annotate.services.webhooks import hook_consequences, hooks
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def hook(collection):
    lead = cast.member(collection, Role.LEAD)
    url = "https://hooks.example.org/x"
    return hooks.create_hook(collection=collection, url=url, events=["job.ended"], by=lead).hook


def test_a_webhook_without_events_has_nothing_to_lose_but_its_log(hook):
    acts = hook_consequences.hook_acts(hook=hook)
    assert acts.off.button == "Switch off" and acts.deletion.button == "Delete it"
    assert acts.off.sentences[1] == "No event waits to be sent."
    assert acts.deletion.sentences == (
        "No event waits for it.",
        "Its log, 0 events, and its secret go for good.",
    )


def test_events_that_wait_are_counted_kept_by_switching_off_and_lost_by_deleting(hook):
    for _ in range(2):
        hooks.send_test(hook=hook)
    acts = hook_consequences.hook_acts(hook=hook)
    assert acts.off.button == "Switch off, with 2 events waiting"
    assert acts.off.sentences[1] == "What waits, 2 events, is kept."
    assert (acts.deletion.button, acts.deletion.n) == ("Delete it, with 2 events waiting", 2)
    assert acts.deletion.sentences[0] == "2 events waiting would never be sent."
    hooks.switch(hook=hook, is_on=False)
    hook.refresh_from_db()
    assert hook_consequences.hook_acts(hook=hook).off is None


def test_no_more_waiting_events_are_lost_than_were_told(hook):
    for _ in range(2):
        hooks.send_test(hook=hook)
    with pytest.raises(CountChanged, match="about 2 waiting events by now, not 1"):
        hooks.delete_hook(hook=hook, expected=1)
    assert Hook.objects.exists()
    hooks.delete_hook(hook=hook, expected=3)
    assert not Hook.objects.exists()
