"""Labels that are wanted and that nobody who is there can give."""

import random
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.models import Annotator, HandOut, Judgment, Membership, Report, Round, Seat, Training
from annotate.services.judging import claiming, reports, undoing
from annotate.services.pages import stuck_labels
from annotate.services.supervision import archiving
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def stuck(collection):
    """Labels and pairs that are stuck, all open rounds together."""
    stuck_in_round = stuck_labels.total_stuck(stuck_labels.stuck_labels(collection=collection))
    return (stuck_in_round.n_labels, stuck_in_round.n_pairs) if stuck_in_round else (0, 0)


def judge_all(annotator):
    while claiming.current_batch(annotator=annotator):
        for hand_out in claiming.open_hand_outs(annotator=annotator).select_related(
            "seat", "batch__annotator"
        ):
            campaigns.judge(hand_out)


def test_third_labels_of_two_people_are_stuck_until_somebody_comes():
    collection = campaigns.open_collection(4, labels_per_pair=3, gold_positives=0, gold_negatives=0)
    first, second = cast.annotator(collection), cast.annotator(collection)
    assert stuck(collection) == (4, 4)  # of three labels they can give two
    judge_all(first)
    judge_all(second)
    assert stuck(collection) == (4, 4)
    third = cast.annotator(collection)
    assert stuck(collection) == (0, 0)
    Annotator.objects.filter(pk=third.pk).update(paused_at=timezone.now())
    (stuck_in_round,) = stuck_labels.stuck_labels(collection=collection).values()
    assert stuck_in_round.sentence == (
        "4 labels are wanted on 4 pairs that nobody here can give. Each person gives one label of "
        "a pair at most, none of one they reported or passed on, and no more than their share of a "
        "pool; 2 people are here."
    )
    assert stuck_in_round.advice == (
        "Invite another annotator. Let the one who is paused go on. "
        "Or close the pool: what it has is kept."
    )
    assert stuck_in_round.researcher_advice == (
        "What a lead can do: invite another annotator. Let the one who is paused go on. "
        "Or close the pool: what it has is kept."
    )


def test_as_many_are_to_be_invited_as_the_pair_that_lacks_most_wants():
    collection = campaigns.open_collection(2, labels_per_pair=3, gold_positives=0, gold_negatives=0)
    for n_here, advice in (
        (0, "Invite 3 annotators."),
        (1, "Invite 2 more annotators."),
        (2, "Invite another annotator."),
    ):
        if n_here:
            cast.annotator(collection)
        stuck_in_round = stuck_labels.total_stuck(stuck_labels.stuck_labels(collection=collection))
        assert stuck_in_round.n_newcomers == 3 - n_here
        assert stuck_in_round.advice.startswith(advice)


def test_nobody_is_asked_for_labels_in_an_archived_collection(lead):
    collection = campaigns.open_collection(4, gold_positives=0, gold_negatives=0)
    assert stuck(collection) == (4, 4)
    archiving.archive_collection(collection=collection, by=lead)
    assert stuck(collection) == (0, 0)


def test_simulated_annotators_of_a_rehearsal_are_present():
    collection = campaigns.open_collection(4, labels_per_pair=3, gold_positives=0, gold_negatives=0)
    judge_all(cast.annotator(collection))
    for number in (1, 2):
        assert stuck(collection) != (0, 0)
        Annotator.objects.create(
            collection=collection,
            origin=Annotator.Origin.SIMULATED,
            pseudonym=f"simulated {number}",
        )
    assert stuck(collection) == (0, 0)


def test_what_lapsed_on_the_desk_of_the_only_annotator_is_hers_to_give():
    collection = campaigns.open_collection(2, gold_positives=0, gold_negatives=0)
    claiming.current_batch(annotator=cast.annotator(collection))
    Seat.objects.update(leased_until=timezone.now() - timedelta(hours=1))
    assert stuck(collection) == (0, 0)


def test_what_is_stuck_at_the_end_of_a_pool_is_seen_among_all_that_is_done(monkeypatch):
    monkeypatch.setattr(stuck_labels, "_AT_MOST", 3)
    collection = campaigns.open_collection(12, gold_positives=0, gold_negatives=0)
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    reported, *_ = claiming.open_hand_outs(annotator=annotator)
    reports.report_pair(
        annotator=annotator, token=reported.token, submission_id=uuid4(), kind="cannot_judge"
    )
    judge_all(annotator)
    assert stuck(collection) == (1, 1)


def test_a_stuck_label_is_found_behind_many_that_only_look_like_it(monkeypatch):
    monkeypatch.setattr(stuck_labels, "_AT_MOST", 3)
    collection = campaigns.open_collection(
        12, labels_per_pair=2, ceiling=2, gold_positives=0, gold_negatives=0
    )
    first, *others = (cast.annotator(collection) for _ in range(3))
    judge_all(first)  # each pair waits for one of the others
    hand_out = HandOut.objects.select_related("seat__pair").order_by("seat__pair").last()
    for annotator in others:
        Report.objects.create(
            collection=collection,
            pair=hand_out.seat.pair,
            hand_out=hand_out,
            annotator=annotator,
            submission_id=uuid4(),
            kind="cannot_judge",
        )
    assert stuck(collection) == plainly(collection) == (1, 1)


def test_who_is_still_to_be_trained_gives_no_label_yet():
    collection = campaigns.open_collection(2, gold_positives=0, gold_negatives=0)
    cast.annotator(collection)
    assert stuck(collection) == (0, 0)
    Training.objects.create(collection=collection, is_on=True)
    (stuck_in_round,) = stuck_labels.stuck_labels(collection=collection).values()
    assert (stuck_in_round.n_labels, stuck_in_round.n_people, stuck_in_round.n_in_training) == (
        2,
        0,
        1,
    )
    assert "1 more is in training still." in stuck_in_round.advice


def test_nobody_there_is_said_plainly():
    collection = campaigns.open_collection(2, gold_positives=0, gold_negatives=0)
    (stuck_in_round,) = stuck_labels.stuck_labels(collection=collection).values()
    assert (
        stuck_in_round.sentence == "2 labels are wanted on 2 pairs, and nobody is there to judge."
    )
    assert stuck_in_round.advice.startswith("Invite an annotator.")


def able(annotator, round_):
    """Whether her share of a pool leaves her something, by counting."""
    share = float(round_.policy.max_share)
    n = Seat.objects.filter(
        annotator=annotator, round=round_, purpose="label", state__in=["held", "done"]
    ).count()
    return share >= 1 or n < max(1, int(share * round_.round_pairs.count() + 1e-9))


def plainly(collection):
    """Count stuck labels pair by pair: those wanted beyond the people who can still give one."""
    people = [
        annotator
        for annotator in Annotator.objects.filter(collection=collection, paused_at=None)
        if Membership.objects.filter(
            collection=collection, user=annotator.user_id, role="annotator"
        ).exists()
    ]
    n_labels = n_pairs = 0
    for round_ in Round.objects.filter(collection=collection, kind="pool", state="open"):
        for pair in round_.round_pairs.values_list("pair", flat=True):
            seats = Seat.objects.filter(pair=pair, round=round_, purpose="label")
            lapsed = seats.filter(state="held", leased_until__lt=timezone.now()).exclude(
                annotator__in=people
            )
            n = seats.filter(state="free").count() + lapsed.count()
            left = [
                person
                for person in people
                if able(person, round_)
                and not (
                    Seat.objects.filter(pair=pair, annotator=person).exists()
                    or Judgment.objects.filter(pair=pair, annotator=person).exists()
                    or Report.objects.filter(pair=pair, annotator=person)
                    .exclude(state="undone")
                    .exists()
                )
            ]
            short = min(n, n - len(left))
            n_labels += max(0, short)
            n_pairs += short > 0
    return n_labels, n_pairs


@pytest.mark.parametrize("seed", range(3))
def test_they_are_counted_as_pair_by_pair(seed):
    chance = random.Random(seed)
    collection = cast.collection(
        grades=2,
        batch_candidates=3,
        labels_per_pair=chance.choice([2, 3]),
        max_share=chance.choice(["1", "0.5"]),
        gold_positives=0,
        gold_negatives=0,
        ceiling=3,
    )
    campaigns.open_pool_round(collection, cast.pairs(collection, 6, per_query=6))
    people = [cast.annotator(collection) for _ in range(chance.choice([2, 3, 4]))]
    for _ in range(25):
        annotator, act = (
            chance.choice(people),
            chance.choice(["judge", "judge", "judge", "report", "undo", "lapse"]),
        )
        claiming.current_batch(annotator=annotator)
        hand_out = (
            claiming.open_hand_outs(annotator=annotator)
            .select_related("seat", "batch__annotator")
            .first()
        )
        if act == "judge" and hand_out:
            campaigns.judge(hand_out, chance.choice([0, 1]))
        elif act == "report" and hand_out:
            reports.report_pair(
                annotator=annotator,
                token=hand_out.token,
                submission_id=uuid4(),
                kind="cannot_judge",
            )
        elif act == "undo" and (acts := undoing.last_acts(annotator=annotator)):
            undoing.take_back(annotator=annotator, token=acts[0].token)
        elif act == "lapse":
            Seat.objects.filter(annotator=annotator, state="held").update(
                leased_until=timezone.now() - timedelta(hours=1)
            )
        assert stuck(collection) == plainly(collection)


def test_of_very_many_it_is_said_that_there_may_be_more(monkeypatch):
    collection = campaigns.open_collection(3, gold_positives=0, gold_negatives=0)
    monkeypatch.setattr(stuck_labels, "_AT_MOST", 2)
    (stuck_in_round,) = stuck_labels.stuck_labels(collection=collection).values()
    assert (
        stuck_in_round.sentence
        == "2 or more labels are wanted on 2 or more pairs, and nobody is there to judge."
    )


def test_several_seats_of_a_pair_do_not_hide_that_there_may_be_more(monkeypatch):
    collection = campaigns.open_collection(4, labels_per_pair=3, gold_positives=0, gold_negatives=0)
    monkeypatch.setattr(stuck_labels, "_AT_MOST", 4)
    (stuck_in_round,) = stuck_labels.stuck_labels(collection=collection).values()
    assert " or more labels are wanted" in stuck_in_round.sentence
