"""A policy changed in the settings: seen before it is saved, where rounds follow it."""

import re

import pytest
from django.urls import reverse

from annotate import tasks
from annotate.models import Policy, Resolution, Round
from annotate.services.collection.collections import figures
from annotate.services.policy import policies
from tests import campaigns, works
from tests.annotate.views.people.test_annotator import FIGURES
from tests.pages import notice_form, text_of

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


def policy_figures(collection):
    return figures(collection.policies.latest("version"))


def save(client, **fields):
    answer = client.post(reverse("annotate:policy", args=["shapes"]), {**OURS, **fields})
    return answer, re.sub(r"\s+", " ", answer.content.decode())


def test_the_lead_sees_what_changes_before_anything_is_stored(client, collection):
    answer, text = save(client)
    assert answer.status_code == 200
    assert "<h3>1 pair would change</h3>" in text
    assert "disputed</td><td>majority 1" in text
    assert "Apply: 1 pair would change</button>" in text
    assert Policy.objects.count() == 1
    preview_key = re.search('name="seen" value="(.*?)"', text).group(1)
    answer, _ = save(client, seen=preview_key)
    assert answer.status_code == 302
    assert Round.objects.get().policy.tie == "up"
    tasks.follow_policy(round_id=Round.objects.get().pk)
    assert Resolution.objects.get().grade == 1


def apply(client, **fields):
    """The notice after a change whose preview was seen."""
    _, text = save(client, **fields)
    if preview_key := re.search('name="seen" value="(.*?)"', text):
        save(client, seen=preview_key.group(1), **fields)
    return text_of(client.get(reverse("annotate:policy", args=["shapes"])))


def test_undo_goes_back_to_the_figures_of_before_and_rounds_follow(client, collection):
    earlier = policy_figures(collection)
    url, fields = notice_form(apply(client))
    assert Round.objects.get().policy.tie == "up"
    n_versions = collection.policies.count()
    text = text_of(client.post(url, fields, follow=True))
    assert f"Taken back: version {n_versions + 1} has the figures of version 1." in text
    assert 'class="undo"' not in text
    assert policy_figures(collection) == earlier
    assert Round.objects.get().policy.tie == "dispute"
    assert "The policy was changed since" in text_of(client.post(url, fields, follow=True))
    assert collection.policies.count() == n_versions + 1


def test_a_policy_that_was_changed_since_is_not_taken_back(client, collection):
    url, fields = notice_form(apply(client))
    policies.save_policy(collection=collection, by=None, tie="down")
    text = text_of(client.post(url, fields, follow=True))
    assert "The policy was changed since, so nothing was taken back." in text
    assert policy_figures(collection)["tie"] == "down"


def test_what_closed_pools_followed_too_has_no_undo(client, collection):
    text = apply(client, with_closed="on")
    assert "opened from now on follow version" in text and 'class="undo"' not in text


def test_a_policy_that_stays_as_it_was_has_nothing_to_undo(client, collection):
    assert 'class="undo"' in apply(client, tie="dispute")
    assert 'class="undo"' not in apply(client, tie="dispute")
    assert Policy.objects.count() == 2


def test_what_was_seen_of_another_policy_saves_nothing(client, collection):
    _, text = save(client, tie="down")
    preview_key = re.search('name="seen" value="(.*?)"', text).group(1)
    answer, text = save(client, seen=preview_key)
    assert (answer.status_code, Policy.objects.count()) == (200, 1)
    assert "<h3>1 pair would change</h3>" in text


def test_a_policy_that_no_round_follows_is_saved_at_once(client, collection):
    answer, _ = save(client, tie="dispute")
    assert answer.status_code == 302
    assert Policy.objects.count() == 2


def test_while_rounds_follow_the_settings_say_so(client, collection):
    policies.save_policy(collection=collection, by=None, tie="up")
    page = client.get(reverse("annotate:policy", args=["shapes"]))
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
    assert "<h3>1 pair would change</h3>" in client.get(poll).content.decode()
    unknown_preview = reverse("annotate:policy-preview", args=["shapes", "nothing"])
    assert "Press Save once more" in client.get(unknown_preview).content.decode()


def draft(client, **fields):
    answer = client.post(reverse("annotate:policy-draft", args=["shapes"]), {**OURS, **fields})
    assert answer.status_code == 200
    assert Policy.objects.count() == 1
    return re.sub(r"\s+", " ", answer.content.decode())


def test_figures_are_told_in_words_with_price_and_effect_as_they_are_typed(client, collection):
    text = draft(client)
    assert "Every pair gets 2 labels, and exactly 12.5 % of a pool&#x27;s new pairs" in text
    assert "1,000 new pairs take 2,125 labels" in text
    assert "1 pair would change." in text
    assert "No pair that is judged would change." in draft(client, tie="dispute")


def test_a_contradiction_is_told_at_its_field_as_it_is_typed(client, collection):
    text = draft(client, ceiling=1)
    sentence = "At most must not be fewer than the labels every pair gets."
    assert f'id="id_ceiling_error" hx-swap-oob="true">{sentence}<' in text
    assert 'id="id_tie_error" hx-swap-oob="true"><' in text
    assert "would change" not in text


def test_what_the_scheme_contradicts_is_told_too(client, collection):
    collection.measurement = collection.Measurement.NOMINAL
    collection.save()
    assert "Nominal grades have no distance" in draft(client, tolerance=1)


def test_too_many_pairs_to_count_while_typing_start_no_work(client, collection, monkeypatch):
    monkeypatch.setattr(policies, "SYNCHRONOUS_ROWS", 0)
    with works.value_requests() as inquiries:
        assert "is counted before you save" in draft(client)
    assert not inquiries


def test_a_policy_in_use_elsewhere_fills_the_form_and_stores_nothing(client, collection):
    address = reverse("annotate:policy", args=["shapes"])
    text = client.get(address, {"policy": "gold-standard"}).content.decode()
    assert re.search(r'name="labels_per_pair" value="3"', text)
    assert re.search(r'id="preset-gold-standard" aria-current="true"', text)
    assert 'aria-current="true" href="?policy=' not in client.get(address).content.decode()
    assert Policy.objects.count() == 1
