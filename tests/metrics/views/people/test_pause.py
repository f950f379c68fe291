"""A lead pauses a person and lets them go on: each is told as it is."""

import pytest
from django.urls import reverse

from annotate.models import Membership
from annotate.services.judging import claiming
from annotate.services.supervision import archiving
from annotate.services.training import setup as training_setup
from tests import campaigns, cast
from tests.annotate.views.judging.test_judge import call
from tests.pages import text_of
from tests.signed_in import lead  # noqa: F401 - the fixture

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return campaigns.open_collection(3, "birds", gold_positives=0, gold_negatives=0)


def removed(collection):
    Membership.objects.filter(collection=collection, role="annotator").delete()


def archived(collection):
    archiving.archive_collection(collection=collection, by=cast.member(collection, "lead"))


def trained(collection):
    (pair,) = cast.pairs(collection, 1, per_query=1)
    names = pair.query.external_id, pair.document.external_id
    spec = training_setup.PairSpec(*names, 1, "a reason", "")
    training_setup.add_pairs(collection=collection, specs=[spec], by=None)
    training_setup.change_training(collection=collection, is_on=True)


def unchanged(collection):
    pass


def test_a_pause_tells_what_is_in_hand_then(client, collection, lead):  # noqa: F811
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)  # after the page was shown
    act_url = reverse("metrics:dashboard-person-act", args=["birds", annotator.pk])
    page = text_of(client.post(act_url, {"act": "pause", "reason": "ill"}, follow=True))
    assert "3 pairs still in hand" in page


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (unchanged, "{} gets pairs again."),
        (removed, "The pause ends; {} is no annotator here and gets no pairs."),
        (archived, "The pause ends; an archived collection gives no pairs but those in hand."),
        (trained, "The pause ends; {} gets pairs once the training is passed."),
    ],
)
def test_who_goes_on_is_promised_no_pairs_that_do_not_come(
    client,
    collection,
    lead,  # noqa: F811
    change,
    sentence,
):
    annotator = cast.annotator(collection)
    act_url = reverse("metrics:dashboard-person-act", args=["birds", annotator.pk])
    client.post(act_url, {"act": "pause", "reason": "ill"})
    change(collection)
    sentence = sentence.format(annotator)
    page = client.get(reverse("metrics:dashboard-person", args=["birds", annotator.pk]))
    assert f"<p>{sentence}</p>" in text_of(page)  # before
    notice = text_of(client.post(act_url, {"act": "resume"}, follow=True))
    assert sentence in notice.partition("<h1")[0]
    client.force_login(annotator.user)
    answer = call(client, "next")
    has_pairs = answer.status_code == 200 and bool(answer.json()["cards"])
    assert has_pairs == (change is unchanged)
