"""Taking answers back: what an undo gives back, until when, and which of the last ones."""

import random
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.core.labels.answers import Telemetry
from annotate.models import Batch, Gold, HandOut, Report, Resolution, Seat
from annotate.services.judging import claiming, reports, undoing
from annotate.services.judging.hand_outs import BatchSettled
from annotate.services.review import report_settling
from annotate.services.training import people as training_people
from annotate.services.training import setup as training_setup
from annotate.services.training import tries as training
from tests import cast
from tests.annotate.services.judging.test_judging import hand_outs, judge, report, study
from tests.annotate.trainees import reply, trained, waiting
from tests.tables.soundness import is_sound_without_pools

pytestmark = pytest.mark.django_db


def test_undo_gives_the_seat_back_and_keeps_the_row():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    old = judge(ann, hand_out, grade=0)
    undoing.take_back(annotator=ann, token=hand_out.token)
    seat = Seat.objects.get(pk=hand_out.seat_id)
    assert (seat.state, seat.judgment, seat.leased_until > timezone.now()) == ("held", None, True)
    assert not Resolution.objects.filter(pair=old.pair).exists()
    assert claiming.open_hand_outs(annotator=ann).first() == hand_out
    new = judge(ann, hand_out, grade=1)
    assert new.supersedes == old
    assert Resolution.objects.get(pair=old.pair).grade == 1


def test_the_same_answer_given_again_after_it_was_taken_back_is_a_new_row():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    old = judge(ann, hand_out)
    undoing.take_back(annotator=ann, token=hand_out.token)
    assert judge(ann, hand_out).supersedes == old


def test_what_is_taken_back_is_the_next_card_though_it_was_once_put_off():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    reports.defer(annotator=ann, token=hand_out.token)
    judge(ann, hand_out)
    undoing.take_back(annotator=ann, token=hand_out.token)
    assert claiming.open_hand_outs(annotator=ann).first() == hand_out


def test_an_answer_that_comes_again_after_it_was_taken_back_judges_nothing():
    ann = cast.annotator(study())
    hand_out, submission = hand_outs(ann)[0], uuid4()
    old = judge(ann, hand_out, submission=submission)
    undoing.take_back(annotator=ann, token=hand_out.token)
    assert judge(ann, hand_out, submission=submission) == old
    assert Seat.objects.get(pk=hand_out.seat_id).judgment is None


def test_undo_of_the_last_answer_opens_the_batch_again():
    ann = cast.annotator(study(n_pairs=2))
    for hand_out in hand_outs(ann):
        judge(ann, hand_out)
    assert Batch.objects.get().finished_at is not None
    undoing.take_back(annotator=ann, token=hand_out.token)
    assert Batch.objects.get().finished_at is None


def test_a_settled_batch_can_no_longer_be_changed():
    ann = cast.annotator(study(n_pairs=10))
    first = hand_outs(ann)
    for hand_out in first:
        judge(ann, hand_out)
    for hand_out in hand_outs(ann):
        judge(ann, hand_out)
    with pytest.raises(BatchSettled):
        judge(ann, first[0], grade=2)
    with pytest.raises(BatchSettled):
        undoing.take_back(annotator=ann, token=first[0].token)


def test_only_what_she_did_with_the_last_pairs_can_be_taken_back(monkeypatch):
    monkeypatch.setattr(undoing, "CHANGEABLE", 2)
    ann = cast.annotator(study(n_pairs=5))
    first, reported, second, deferred, third = hand_outs(ann)[:5]
    judge(ann, first)
    report(ann, reported, "cannot_judge")
    undoing.take_back(annotator=ann, token=first.token)
    judge(ann, first)
    judge(ann, second)
    reports.defer(annotator=ann, token=deferred.token)
    assert [act.hand_out for act in undoing.last_acts(annotator=ann)] == [
        deferred.pk,
        second.pk,
        first.pk,
    ]
    judge(ann, third)
    with pytest.raises(BatchSettled, match="Only the last 2"):
        undoing.take_back(annotator=ann, token=first.token)


def test_what_she_answers_in_a_training_is_none_of_them_either(monkeypatch):
    monkeypatch.setattr(undoing, "CHANGEABLE", 2)
    collection = trained()
    training_setup.change_training(collection=collection, is_on=False)
    ann = cast.annotator(collection)
    first = hand_outs(ann)[0]
    judge(ann, first)
    training_setup.change_training(collection=collection, is_on=True)
    training_people.decide(
        annotator=ann, kind="sent_back", by=cast.member(collection, "lead"), reason="look again"
    )
    training.begin(annotator=ann)
    for hand_out in waiting(ann)[:3]:
        reply(ann, hand_out, 1)
    assert undoing.take_back(annotator=ann, token=first.token).answered_at is None


def response_in_force(hand_out):
    """Return the counting grade of a hand-out, or the kind of its open report, or neither."""
    seat = Seat.objects.get(pk=hand_out.seat_id)
    open_ = Report.objects.open().filter(hand_out=hand_out).first()
    return seat.judgment.level.grade if seat.judgment else open_ and open_.kind


def undo_last(ann):
    """Take back what she did last, as a tab does that knows nothing of it."""
    act = undoing.last_acts(annotator=ann)[0]
    return undoing.take_back(annotator=ann, token=act.token, submission_id=uuid4(), kind=act.kind)


def test_a_change_of_a_gold_taken_back_lets_the_first_answer_to_it_stand_again():
    collection = study(grouped=False)
    pair = cast.pairs(collection, 1)[0]
    Gold.objects.create(
        collection=collection, pair=pair, grade=2, is_positive=True, origin="curated"
    )
    ann = cast.annotator(collection)
    gold = next(ho for ho in hand_outs(ann) if ho.seat.purpose == "gold")
    first = judge(ann, gold, grade=2)
    changed = judge(ann, gold, grade=0, is_change=True)
    undo_last(ann)
    again = Seat.objects.get(pk=gold.seat_id).judgment
    assert (again.supersedes, again.restores, again.level) == (changed, first, first.level)


def test_a_change_taken_back_lets_the_first_answer_count_again_with_all_that_was_said_in_it():
    ann = cast.annotator(study())
    hand_out, other = hand_outs(ann)[:2]
    first = judge(ann, hand_out, grade=2, comment="clear", telemetry=Telemetry(1234))
    judge(ann, other, grade=1)
    changed = judge(ann, hand_out, grade=0, is_change=True)
    undo_last(ann)
    again = Seat.objects.get(pk=hand_out.seat_id).judgment
    assert (again.supersedes, again.restores, again.level, again.active_ms) == (
        changed,
        first,
        first.level,
        1234,
    )
    assert (again.comment.text, again.shown_at) == ("clear", first.shown_at)
    assert changed.events.get().kind == "undone"
    assert Resolution.objects.get(pair=first.pair).grade == 2
    assert HandOut.objects.get(pk=hand_out.pk).answered_at is not None
    assert [act.hand_out for act in undoing.last_acts(annotator=ann)] == [other.pk, hand_out.pk]
    undo_last(ann)
    assert (response_in_force(other), response_in_force(hand_out)) == (None, 2)
    undo_last(ann)
    assert response_in_force(hand_out) is None
    assert claiming.open_hand_outs(annotator=ann).first() == hand_out
    assert undoing.last_acts(annotator=ann) == []
    assert judge(ann, hand_out, grade=1).supersedes == again
    assert is_sound_without_pools()


def test_a_change_is_stored_for_other_reasons_or_another_comment_and_not_for_nothing():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    first = judge(ann, hand_out, comment="clear")
    assert judge(ann, hand_out, comment="not so clear") == first  # a second tab
    assert judge(ann, hand_out, comment="clear", is_change=True) == first
    assert judge(ann, hand_out, comment="not so clear", is_change=True).supersedes == first


@pytest.mark.parametrize("kind", ["cannot_judge", "escalated"])
@pytest.mark.parametrize("purpose", ["label", "gold"])
def test_a_report_taken_back_gives_the_seat_back_and_is_no_report_any_more(kind, purpose):
    collection = study(grouped=False)
    pair = cast.pairs(collection, 1)[0]
    Gold.objects.create(
        collection=collection, pair=pair, grade=2, is_positive=True, origin="curated"
    )
    ann = cast.annotator(collection)
    hand_out = next(card for card in hand_outs(ann) if card.seat.purpose == purpose)
    stored_report = report(ann, hand_out, kind)
    undo_last(ann)
    seat = Seat.objects.get(pk=hand_out.seat_id)
    assert (seat.state, seat.annotator, seat.leased_until > timezone.now()) == ("held", ann, True)
    stored_report.refresh_from_db()
    assert (
        stored_report.state,
        stored_report.events.get().kind,
        stored_report.events.get().by,
    ) == ("undone", "undone", ann.user)
    assert not Resolution.objects.exists()
    assert hand_out in claiming.open_hand_outs(annotator=ann)
    assert judge(ann, hand_out, grade=1).seat == seat
    assert is_sound_without_pools()


def test_what_comes_after_a_report_taken_back_is_a_surplus_where_somebody_else_has_the_seat():
    collection = study(n_pairs=1)
    ann, other = cast.annotator(collection), cast.annotator(collection)
    hand_out = hand_outs(ann)[0]
    report(ann, hand_out, "cannot_judge")
    theirs = hand_outs(other)[0]
    undo_last(ann)
    assert Seat.objects.get().annotator == other
    late = judge(ann, hand_out, grade=2)
    assert not hasattr(late, "seat")
    judge(other, theirs, grade=1)
    assert Resolution.objects.get().grade == 1
    undo_last(ann)  # a surplus is taken back like any other
    assert late.events.get().kind == "undone"
    assert is_sound_without_pools()


def test_who_took_her_report_back_may_be_given_the_pair_again():
    collection = study(n_pairs=1)
    ann, other = cast.annotator(collection), cast.annotator(collection)
    report(ann, hand_outs(ann)[0], "cannot_judge")
    assert hand_outs(ann) == []
    hand_outs(other)
    undo_last(ann)
    assert hand_outs(ann) == []
    Seat.objects.update(leased_until=timezone.now() - timedelta(minutes=1))
    assert [hand_out.seat for hand_out in hand_outs(ann)] == [Seat.objects.get()]


def test_what_was_put_off_is_the_next_card_again():
    ann = cast.annotator(study(n_pairs=3))
    first, second, _ = hand_outs(ann)
    reports.defer(annotator=ann, token=first.token)
    assert claiming.open_hand_outs(annotator=ann).first() == second
    undo_last(ann)
    assert claiming.open_hand_outs(annotator=ann).first() == first
    # harmless
    undoing.take_back(annotator=ann, token=first.token, submission_id=uuid4(), kind="later")


def test_an_undo_that_comes_late_leaves_what_was_done_since():
    ann = cast.annotator(study(n_pairs=3))
    first = hand_outs(ann)[0]
    reports.defer(annotator=ann, token=first.token)
    judge(ann, first, grade=2)
    with pytest.raises(undoing.NothingToUndo, match="since"):
        undoing.take_back(annotator=ann, token=first.token, submission_id=uuid4(), kind="later")
    assert response_in_force(first) == 2


@pytest.mark.parametrize("kind", ["cannot_judge", "escalated"])
def test_an_answer_given_after_all_takes_the_report_back_and_undone_lets_it_stand_again(kind):
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    report(ann, hand_out, kind)
    judge(ann, hand_out, grade=2)
    assert response_in_force(hand_out) == 2
    assert not Report.objects.open().exists()
    undo_last(ann)
    assert response_in_force(hand_out) == kind
    assert HandOut.objects.get(pk=hand_out.pk).answered_at is not None
    undo_last(ann)
    assert (response_in_force(hand_out), claiming.open_hand_outs(annotator=ann).first()) == (
        None,
        hand_out,
    )
    assert is_sound_without_pools()


def test_a_report_in_place_of_an_answer_must_be_meant_and_taken_back_lets_the_answer_count_again():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    first = judge(ann, hand_out, grade=2)
    with pytest.raises(BatchSettled, match="undo the judgment first"):
        report(ann, hand_out, "escalated")
    changed = report(ann, hand_out, "escalated", is_change=True)
    assert (response_in_force(hand_out), first.events.get().submission_id) == (
        "escalated",
        changed.submission_id,
    )
    undo_last(ann)
    again = Seat.objects.get(pk=hand_out.seat_id).judgment
    assert (response_in_force(hand_out), again.restores) == (2, first)
    undo_last(ann)
    assert response_in_force(hand_out) is None
    assert is_sound_without_pools()


def test_another_kind_of_report_takes_the_place_of_the_first_until_it_is_taken_back():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    report(ann, hand_out, "cannot_judge")
    report(ann, hand_out, "escalated", is_change=True)
    assert response_in_force(hand_out) == "escalated"
    undo_last(ann)
    assert (response_in_force(hand_out), Report.objects.open().count()) == ("cannot_judge", 1)
    assert is_sound_without_pools()


def test_a_report_that_a_lead_settled_can_no_longer_be_taken_back():
    collection = study()
    ann = cast.annotator(collection)
    hand_out = hand_outs(ann)[0]
    stored_report = report(ann, hand_out, "escalated")
    report_settling.settle_reports(pair=stored_report.pair, by=cast.member(collection, "lead"))
    assert undoing.last_acts(annotator=ann) == []
    with pytest.raises(undoing.NothingToUndo, match="your lead has settled it"):
        undoing.take_back(annotator=ann, token=hand_out.token)


def test_an_undo_that_is_sent_again_takes_nothing_more_back():
    ann = cast.annotator(study())
    hand_out, submission = hand_outs(ann)[0], uuid4()
    report(ann, hand_out, "cannot_judge")
    for _ in range(2):
        undoing.take_back(
            annotator=ann, token=hand_out.token, submission_id=submission, kind="report"
        )
    judge(ann, hand_out, grade=1)
    undoing.take_back(annotator=ann, token=hand_out.token, submission_id=submission, kind="report")
    assert response_in_force(hand_out) == 1


def to_be_taken_back(stack):
    """Hand-outs of a stack of (hand-out, word before, word), newest first.

    Of a report that was replaced the next one knows.
    """
    listed, above = [], {}
    for hand_out, _, word in reversed(stack):
        if hand_out not in above or (isinstance(word, int) and isinstance(above[hand_out], int)):
            listed.append(hand_out.pk)
        above[hand_out] = word
    return listed


@pytest.mark.parametrize("seed", range(8))
def test_whatever_she_did_undoing_goes_back_through_it_step_by_step(seed):
    chance = random.Random(seed)
    ann = cast.annotator(study(n_pairs=6, batch_candidates=6))
    mine = hand_outs(ann)[:3]
    words = dict.fromkeys(mine)
    stack = []
    for _ in range(25):
        hand_out, act = (
            chance.choice(mine),
            chance.choice(["answer", "answer", "report", "later", "undo"]),
        )
        before, grade = words[hand_out], chance.choice([0, 1, 2])
        if act == "undo" and stack:
            hand_out, words[hand_out], _ = stack.pop()
            undo_last(ann)
        elif act == "later" and before is None:
            reports.defer(annotator=ann, token=hand_out.token)
            stack = [*(entry for entry in stack if entry[0] != hand_out), (hand_out, None, "later")]
        elif act == "report" or (act == "answer" and before != grade):
            if act == "report":
                word = chance.choice(["cannot_judge", "escalated"])
                report(ann, hand_out, word, is_change=before is not None)
            else:
                word = judge(
                    ann, hand_out, grade=grade, is_change=chance.random() < 0.5
                ).level.grade
            if before is None:  # it was put off at most
                stack = [entry for entry in stack if entry[0] != hand_out]
            stack.append((hand_out, before, word))
            words[hand_out] = word
        assert {hand_out: response_in_force(hand_out) for hand_out in mine} == words
        assert [act.hand_out for act in undoing.last_acts(annotator=ann)] == to_be_taken_back(stack)
    assert is_sound_without_pools()
