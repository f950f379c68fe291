"""Leases that run out: who gets the seat then, and what becomes of an answer that comes after."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import HandOut, Judgment, Resolution, Seat
from annotate.services.judging import undoing
from tests import cast
from tests.annotate.services.judging.test_judging import hand_outs, judge, study

pytestmark = pytest.mark.django_db


def lapse():
    Seat.objects.filter(state="held").update(leased_until=timezone.now() - timedelta(seconds=1))


def test_a_lapsed_seat_goes_to_the_next_annotator():
    collection = study(n_pairs=1)
    absent, next_ = cast.annotator(collection), cast.annotator(collection)
    seat = hand_outs(absent)[0].seat_id
    assert hand_outs(next_) == []
    lapse()
    assert hand_outs(next_)[0].seat_id == seat


def test_a_batch_is_held_for_ten_minutes_until_its_first_answer():
    ann = cast.annotator(study(n_pairs=2))
    first, second = hand_outs(ann)
    in_ten_minutes = timezone.now() + timedelta(minutes=10)
    assert Seat.objects.get(pk=second.seat_id).leased_until < in_ten_minutes
    judge(ann, first)
    assert Seat.objects.get(pk=second.seat_id).leased_until > in_ten_minutes


def test_a_lapsed_seat_at_the_front_of_a_queue_goes_to_the_next_annotator_too():
    collection = study(n_pairs=1)
    Seat.objects.update(queue_key=-1)  # where a live order puts what is urgent
    absent, next_ = cast.annotator(collection), cast.annotator(collection)
    seat = hand_outs(absent)[0].seat_id
    lapse()
    assert hand_outs(next_)[0].seat_id == seat


def test_a_late_answer_counts_while_nobody_else_took_the_seat():
    ann = cast.annotator(study(n_pairs=1))
    hand_out = hand_outs(ann)[0]
    lapse()
    judgment = judge(ann, hand_out)
    assert Seat.objects.get().judgment == judgment


def test_a_late_answer_whose_seat_is_taken_is_kept_as_surplus():
    collection = study(n_pairs=1)
    late, quick = cast.annotator(collection), cast.annotator(collection)
    hand_out = hand_outs(late)[0]
    lapse()
    counting = judge(quick, hand_outs(quick)[0], grade=2)
    surplus = judge(late, hand_out, grade=0)
    assert Seat.objects.get().judgment == counting
    assert Judgment.objects.filter(pk=surplus.pk).exists()
    assert Resolution.objects.get().grade == 2


def test_a_second_tab_of_an_answer_that_came_too_late_adds_no_row_either():
    collection = study(n_pairs=1)
    late, quick = cast.annotator(collection), cast.annotator(collection)
    hand_out = hand_outs(late)[0]
    lapse()
    judge(quick, hand_outs(quick)[0])
    assert judge(late, hand_out, grade=0) == judge(late, hand_out, grade=0)
    assert Judgment.objects.count() == 2


def test_who_answered_too_late_for_her_seat_does_not_get_its_pair_again():
    collection = study(n_pairs=1)
    late, quick = cast.annotator(collection), cast.annotator(collection)
    hand_out = hand_outs(late)[0]
    lapse()
    late_hand_out = hand_outs(quick)[0]
    judge(quick, late_hand_out)
    judge(late, hand_out)
    undoing.take_back(annotator=quick, token=late_hand_out.token)
    lapse()
    assert hand_outs(late) == []
    assert len(hand_outs(cast.annotator(collection))) == 1


def test_a_late_answer_takes_the_seat_of_somebody_whose_lease_lapsed_too():
    collection = study(n_pairs=1)
    late, idle = cast.annotator(collection), cast.annotator(collection)
    hand_out = hand_outs(late)[0]
    lapse()
    idle_hand_out = hand_outs(idle)[0]
    lapse()
    counting = judge(late, hand_out)
    assert Seat.objects.get().judgment == counting
    judge(idle, idle_hand_out, grade=0)
    assert Seat.objects.get().judgment == counting


def test_hand_outs_are_never_deleted_when_a_lease_lapses():
    collection = study(n_pairs=1)
    absent = cast.annotator(collection)
    hand_outs(absent)
    lapse()
    hand_outs(cast.annotator(collection))
    assert HandOut.objects.count() == 2


def test_an_answer_renews_the_batchs_leases_when_they_are_soon_over():
    ann = cast.annotator(study())
    first, second = hand_outs(ann)[:2]
    soon = timezone.now() + timedelta(minutes=5)
    Seat.objects.filter(state="held").update(leased_until=soon)
    judge(ann, first)
    assert Seat.objects.get(pk=second.seat_id).leased_until > soon + timedelta(minutes=20)
