"""A policy changed in the settings: seen before it is saved, where rounds follow it."""

import re

import pytest
from django.urls import reverse

from annotate import tasks
from annotate.models import Policy, Resolution, Round
from annotate.services.collection import policies
from tests import campaigns, works
from tests.annotate.views.people.test_annotator import FIGURES

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lead")]
OURS = {**FIGURES, "rule": "majority", "tolerance": 0, "tie": "up"}


@pytest.fixture
def collection():
    """A pair that two people dispute in an open pool."""
    collection = campaigns.open_collection(
        1, "shapes", grades=3, labels_per_pair=2, ceiling=2, gold_positives=0, gold_negatives=0
    )
    for grade in (0, 1):
        campaigns.judge(*campaigns.first_batch(collection), grade)
    return collection


def save(client, **fields):
    answer = client.post(reverse("annotate:policy-change", args=["shapes"]), {**OURS, **fields})
    return answer, re.sub(r"\s+", " ", answer.content.decode())


def test_the_lead_sees_what_changes_before_anything_is_stored(client, collection):
    answer, text = save(client)
    assert answer.status_code == 200
    assert "1 pair changes" in text
    assert "disputed</td><td>majority 1" in text
    assert "Save, and change 1 pair<" in text
    assert Policy.objects.count() == 1
    preview_key = re.search('name="seen" value="(.*?)"', text).group(1)
    answer, _ = save(client, seen=preview_key)
    assert answer.status_code == 302
    assert Round.objects.get().policy.tie == "up"
    tasks.follow_policy(round_id=Round.objects.get().pk)
    assert Resolution.objects.get().grade == 1


def test_what_was_seen_of_another_policy_saves_nothing(client, collection):
    _, text = save(client, tie="down")
    preview_key = re.search('name="seen" value="(.*?)"', text).group(1)
    answer, text = save(client, seen=preview_key)
    assert (answer.status_code, Policy.objects.count()) == (200, 1)
    assert "1 pair changes" in text


def test_a_policy_that_no_round_follows_is_saved_at_once(client, collection):
    answer, _ = save(client, tie="dispute")
    assert answer.status_code == 302
    assert Policy.objects.count() == 2


def test_while_rounds_follow_the_settings_say_so(client, collection):
    policies.save_policy(collection=collection, by=None, tie="up")
    page = client.get(reverse("annotate:settings", args=["shapes"]))
    assert "are being brought under the new rule" in page.content.decode()


def test_a_large_change_is_counted_by_a_worker_while_the_page_asks_again(
    client, collection, monkeypatch
):
    monkeypatch.setattr(policies, "SYNCHRONOUS_ROWS", 0)
    with works.value_requests() as inquiries:
        _, text = save(client)
    poll = re.search('hx-get="(.*?)"', text[text.index('id="policy-change"') :]).group(1)
    assert "Counting what changes" in client.get(poll).content.decode()
    (inquiry,) = inquiries
    tasks.compute_value(
        collection_id=collection.pk,
        kind=inquiry.kind,
        key=inquiry.key,
        parameters=inquiry.parameters,
    )
    assert "1 pair changes" in client.get(poll).content.decode()
    unknown_preview = reverse("annotate:policy-preview", args=["shapes", "nothing"])
    assert "Press Save once more" in client.get(unknown_preview).content.decode()
