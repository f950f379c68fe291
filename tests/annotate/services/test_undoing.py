"""Taking answers back: what an undo gives back, until when, and which of the last ones."""

from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.models import Batch, Resolution, Seat
from annotate.services import claiming, judging, training, training_people, training_setup
from tests import cast
from tests.annotate.services.test_judging import hand_outs, judge, report, study
from tests.annotate.trainees import reply, trained, waiting

pytestmark = pytest.mark.django_db


def test_undo_gives_the_seat_back_and_keeps_the_row():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    old = judge(ann, hand_out, grade=0)
    judging.undo_judgment(annotator=ann, token=hand_out.token)
    seat = Seat.objects.get(pk=hand_out.seat_id)
    assert (seat.state, seat.judgment, seat.leased_until > timezone.now()) == ("held", None, True)
    assert not Resolution.objects.filter(pair=old.pair).exists()
    assert claiming.unanswered(annotator=ann).first() == hand_out
    new = judge(ann, hand_out, grade=1)
    assert new.supersedes == old
    assert Resolution.objects.get(pair=old.pair).grade == 1


def test_the_same_answer_given_again_after_it_was_taken_back_is_a_new_row():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    old = judge(ann, hand_out)
    judging.undo_judgment(annotator=ann, token=hand_out.token)
    assert judge(ann, hand_out).supersedes == old


def test_what_is_taken_back_is_the_next_card_though_it_was_once_put_off():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    judging.defer(annotator=ann, token=hand_out.token)
    judge(ann, hand_out)
    judging.undo_judgment(annotator=ann, token=hand_out.token)
    assert claiming.unanswered(annotator=ann).first() == hand_out


def test_an_answer_that_comes_again_after_it_was_taken_back_judges_nothing():
    ann = cast.annotator(study())
    hand_out, submission = hand_outs(ann)[0], uuid4()
    old = judge(ann, hand_out, submission=submission)
    judging.undo_judgment(annotator=ann, token=hand_out.token)
    assert judge(ann, hand_out, submission=submission) == old
    assert Seat.objects.get(pk=hand_out.seat_id).judgment is None


def test_undo_of_the_last_answer_opens_the_batch_again():
    ann = cast.annotator(study(n_pairs=2))
    for hand_out in hand_outs(ann):
        judge(ann, hand_out)
    assert Batch.objects.get().finished_at is not None
    judging.undo_judgment(annotator=ann, token=hand_out.token)
    assert Batch.objects.get().finished_at is None


def test_a_settled_batch_can_no_longer_be_changed():
    ann = cast.annotator(study(n_pairs=10))
    first = hand_outs(ann)
    for hand_out in first:
        judge(ann, hand_out)
    for hand_out in hand_outs(ann):
        judge(ann, hand_out)
    with pytest.raises(judging.BatchSettled):
        judge(ann, first[0], grade=2)
    with pytest.raises(judging.BatchSettled):
        judging.undo_judgment(annotator=ann, token=first[0].token)


def test_what_she_reported_is_none_of_her_last_judgments_that_can_be_undone(monkeypatch):
    monkeypatch.setattr(judging, "CHANGEABLE", 2)
    collection = study(n_pairs=4)
    ann = cast.annotator(collection)
    first, reported, second, third = hand_outs(ann)[:4]
    judge(ann, first)
    report(ann, reported, "cannot_judge")
    judge(ann, second)
    judging.undo_judgment(annotator=ann, token=first.token)
    judge(ann, first)
    judging.undo_judgment(annotator=ann, token=second.token)
    judge(ann, second)
    judge(ann, third)
    with pytest.raises(judging.BatchSettled, match="Only the last 2"):
        judging.undo_judgment(annotator=ann, token=first.token)


def test_what_she_answers_in_a_training_is_none_of_them_either(monkeypatch):
    monkeypatch.setattr(judging, "CHANGEABLE", 2)
    collection = trained()
    training_setup.change_training(collection=collection, is_on=False)
    ann = cast.annotator(collection)
    first = hand_outs(ann)[0]
    judge(ann, first)
    training_setup.change_training(collection=collection, is_on=True)
    training_people.decide(annotator=ann, kind="sent_back", by=cast.member(collection, "lead"), reason="look again")
    training.begin(annotator=ann)
    for hand_out in waiting(ann)[:3]:
        reply(ann, hand_out, 1)
    assert judging.undo_judgment(annotator=ann, token=first.token).answered_at is None
