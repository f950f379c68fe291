"""Somebody is paused, or is to be trained, while cards are on her screen: what she sends is kept.

In an archived collection she is also shown what she still holds.

To see these tests fail: refuse answers of whoever is paused, or let a seat that another took be
taken again.
"""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Judgment, Seat
from annotate.services.judging import claiming
from annotate.services.supervision import archiving, pausing, withdrawing
from annotate.services.training import people as training_people
from annotate.services.training import setup as training_setup
from tests import campaigns, cast
from tests.annotate.views.judging.test_judge import answer_to, call
from tests.tables.soundness import is_sound_without_pools

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return campaigns.open_collection(
        6, "birds", grades=3, batch_candidates=6, gold_positives=0, gold_negatives=0
    )


def cards_on_screen(client):
    """The first three of the six cards in her browser."""
    return call(client, "next").json()["cards"][:3]


def paused(annotator, lead):
    pausing.pause(annotator=annotator, by=lead, reason="asleep")


def switched_on(annotator, lead):
    collection = annotator.collection
    (pair,) = cast.pairs(collection, 1, per_query=1)
    spec = training_setup.PairSpec(
        pair.query.external_id, pair.document.external_id, 2, "a reason", ""
    )
    training_setup.add_pairs(collection=collection, specs=[spec], by=None)
    training_setup.change_training(collection=collection, is_on=True)


def sent_back(annotator, lead):
    training_people.decide(annotator=annotator, kind="exempted", by=lead)
    switched_on(annotator, lead)
    # she may go on until she is sent back
    assert len(list(claiming.open_hand_outs(annotator=annotator))) == 6
    training_people.decide(annotator=annotator, kind="sent_back", by=lead, reason="read them again")


@pytest.mark.parametrize("kept_out", [paused, sent_back, switched_on])
def test_answers_to_the_cards_on_her_screen_are_kept_and_count_and_no_card_follows(
    client, collection, annotator, kept_out
):
    lead, before = cast.member(collection, "lead"), timezone.now() - timedelta(minutes=1)
    cards = cards_on_screen(client)
    kept_out(annotator, lead)
    for card in cards:
        answered = call(client, "answer", answer_to(card))
        assert (answered.status_code, answered.json()["saved"], answered.json()["cards"]) == (
            200,
            True,
            [],
        )
    assert Seat.objects.filter(annotator=annotator, state="done").count() == len(cards) == 3
    assert claiming.current_batch(annotator=annotator) is None
    assert is_sound_without_pools()
    would = withdrawing.withdrawable(annotator=annotator, since=before)
    # a lead who does not want them sees and withdraws them with the others
    assert would.n_labels == 3
    assert (
        withdrawing.withdraw_annotator(
            annotator=annotator, since=before, by=lead, reason="asleep"
        ).n_done
        == 3
    )
    assert is_sound_without_pools()


def test_an_archive_leaves_the_cards_in_hand_and_gives_no_batch_after_them(
    client, collection, annotator
):
    order = call(client, "next").json()["order"]
    archiving.archive_collection(collection=collection, by=cast.member(collection, "lead"))
    reply = call(client, "next").json()  # as after a reload
    assert (reply["order"], reply["empty"]) == (order, None)
    Seat.objects.filter(hand_outs__token=order[-1]).update(
        state="free", annotator=None, leased_until=None
    )
    for n_answers, card in enumerate(reply["cards"][:-1], start=1):
        reply = call(client, "answer", answer_to(card)).json()
        assert (reply["saved"], reply["order"]) == (True, order[n_answers:-1])
    assert reply["empty"]["reason"] == "archived"
    assert call(client, "next").json()["order"] == []
    assert Seat.objects.filter(annotator=annotator, state="done").count() == 5


@pytest.mark.parametrize("kept_out", [paused, sent_back, switched_on])
def test_what_another_took_meanwhile_is_kept_as_surplus(client, collection, annotator, kept_out):
    cards = cards_on_screen(client)
    kept_out(annotator, cast.member(collection, "lead"))
    Seat.objects.filter(state="held").update(leased_until=timezone.now() - timedelta(minutes=1))
    other = cast.annotator(collection)
    claiming.current_batch(annotator=other)
    if kept_out is not paused:
        training_people.decide(annotator=other, kind="exempted", by=None)
        claiming.current_batch(annotator=other)
    for hand_out in list(
        claiming.open_hand_outs(annotator=other).select_related("batch__annotator")
    ):
        campaigns.judge(hand_out, 2)
    assert Seat.objects.filter(annotator=other, state="done").count() == 6
    for card in cards:
        answered = call(client, "answer", answer_to(card))
        assert (answered.status_code, answered.json()["saved"]) == (200, True)
    assert Judgment.objects.filter(annotator=annotator, seat=None).count() == 3
    assert Seat.objects.filter(state="done").count() == 6
    assert is_sound_without_pools()
