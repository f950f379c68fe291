"""Whether there is work for somebody: the same on every page, and as asking for a batch says."""

import random
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.models import Annotator, Gold, Round, Seat
from annotate.services import seating
from annotate.services.judging import claiming, reports, undoing, work_availability
from annotate.services.pages import collection_list
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def reason(annotator):
    """Return why there is no work for her; None if there is."""
    annotator.refresh_from_db()
    empty = work_availability.no_work_reasons(annotators=[annotator])[annotator.pk]
    return empty and empty["reason"]


def is_given_cards(annotator):
    """Whether she would get cards if she asked now; nothing is changed by asking."""
    with transaction.atomic():
        claiming.current_batch(annotator=annotator)
        has_cards = claiming.open_hand_outs(annotator=annotator).exists()
        transaction.set_rollback(True)
    return has_cards


def test_what_others_hold_is_counted_in_pairs_that_may_come_to_her():
    collection = campaigns.open_collection(1, labels_per_pair=2, gold_positives=0, gold_negatives=0)
    (hers,) = campaigns.first_batch(collection)
    campaigns.first_batch(collection)
    person, newcomer = hers.batch.annotator, cast.annotator(collection)
    assert reason(person) is None  # she is at this pair herself
    assert work_availability.no_work_reasons(annotators=[newcomer])[newcomer.pk][
        "message"
    ].startswith("1 pair is with other people")
    Round.objects.update(state=Round.State.CLOSED, closed_at="2026-01-01T00:00Z")
    assert reason(newcomer) == "closed"
    Round.objects.update(state=Round.State.OPEN, closed_at=None)
    reports.report_pair(
        annotator=person, token=hers.token, submission_id=uuid4(), kind="cannot_judge"
    )
    claiming.current_batch(annotator=newcomer)
    assert reason(person) == "none_left"  # it never comes back to who could not judge it


def test_labels_that_only_others_can_give_are_no_work_for_her():
    collection = campaigns.open_collection(2, labels_per_pair=2, gold_positives=0, gold_negatives=0)
    annotator = cast.annotator(collection)
    assert reason(annotator) is None
    claiming.current_batch(annotator=annotator)
    for hand_out in claiming.open_hand_outs(annotator=annotator).select_related(
        "seat", "batch__annotator"
    ):
        campaigns.judge(hand_out)
    assert Seat.objects.filter(state="free").count() == 2
    assert reason(annotator) == "none_left"
    assert work_availability.no_work_reasons(annotators=[]) == {}


def test_her_first_page_says_what_the_judge_screen_says():
    collection = campaigns.open_collection(1, gold_positives=0, gold_negatives=0)
    annotator = cast.annotator(collection)
    user = annotator.user

    def first_page():
        (entry,) = collection_list.entries(user=user)
        return entry.todo, entry.page

    assert first_page() == ("1 pair waits for you.", "annotate:judge")
    claiming.current_batch(annotator=annotator)
    campaigns.judge(
        claiming.open_hand_outs(annotator=annotator)
        .select_related("seat", "batch__annotator")
        .get()
    )
    assert first_page() == (
        work_availability.no_card_reason(annotator=annotator, wants_more=True)["message"],
        "metrics:collection",
    )
    assert "You have judged every pair there is for you." in first_page()[0]


class Campaign:
    """Two pools of random policies, in which people do random things."""

    def __init__(self, chance):
        self.chance = chance
        collection = collection_by_chance(chance)
        pairs = cast.pairs(collection, 14, per_query=7)
        for pair in pairs[12:]:
            Gold.objects.create(
                collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
            )
        self.round = campaigns.open_pool_round(collection, pairs[:8])
        campaigns.open_pool_round(collection, pairs[6:12], "second")
        self.people = [cast.annotator(collection) for _ in range(3)]

    def act(self, annotator, step):
        if step == "ask":
            claiming.current_batch(annotator=annotator)
        elif step == "judge" and (left := cards(annotator)):
            campaigns.judge(left[0], self.chance.choice([0, 1]))
        elif step == "report" and (left := cards(annotator)):
            reports.report_pair(
                annotator=annotator,
                token=left[0].token,
                submission_id=uuid4(),
                kind=self.chance.choice(["cannot_judge", "escalated"]),
            )
        elif (
            step == "undo"
            and not annotator.paused_at
            and (acts := undoing.last_acts(annotator=annotator))
        ):
            undoing.take_back(annotator=annotator, token=acts[0].token)
        elif step == "lapse":
            Seat.objects.filter(annotator=annotator, state="held").update(
                leased_until=timezone.now() - timedelta(hours=1)
            )
        elif step == "pause":
            Annotator.objects.filter(pk=annotator.pk).update(
                paused_at=self.chance.choice([None, timezone.now()])
            )
        elif step == "close":
            fresh = Round.objects.get(pk=self.round.pk)
            close = seating.close_round if fresh.state == Round.State.OPEN else seating.reopen_round
            close(round_=fresh)


def collection_by_chance(chance):
    return cast.collection(
        grades=2,
        batch_candidates=chance.choice([2, 4]),
        labels_per_pair=chance.choice([1, 2, 3]),
        max_share=chance.choice(["1", "0.4"]),
        grouped=chance.random() < 0.5,
        gold_positives=chance.choice([0, 1]),
        repeat_share=chance.choice(["0", "0.5"]),
        repeat_after_days=0,
    )


def cards(annotator):
    left = claiming.open_hand_outs(annotator=annotator).select_related("seat", "batch__annotator")
    return list(left.filter(batch__annotator=annotator))


@pytest.mark.parametrize("seed", range(3))
def test_there_is_work_for_who_would_get_cards_and_for_nobody_else(seed):
    chance = random.Random(seed)
    campaign = Campaign(chance)
    for _ in range(40):
        acts = ["ask", "judge", "judge", "judge", "report", "undo", "lapse", "close"]
        campaign.act(chance.choice(campaign.people), chance.choice(acts))
        if chance.random() < 0.1:
            campaign.act(chance.choice(campaign.people), "pause")
        for annotator in campaign.people:
            assert (reason(annotator) is None) is is_given_cards(annotator)
