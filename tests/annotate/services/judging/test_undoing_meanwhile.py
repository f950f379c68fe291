"""Taking back what a lead or somebody else has been at meanwhile."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from annotate.models import Batch, Gold, Judgment, Report, Seat
from annotate.services.judging import claiming, reports, undoing
from annotate.services.judging.hand_outs import BatchSettled, NotWhileStopped
from annotate.services.pages import annotator_progress
from annotate.services.review import adjudicating
from annotate.services.supervision import withdrawing
from tests import cast
from tests.annotate.services.judging.test_judging import hand_outs, judge, report, study
from tests.annotate.services.judging.test_undoing import response_in_force, undo_last
from tests.tables.soundness import is_sound_without_pools

pytestmark = pytest.mark.django_db


def test_what_a_lead_withdrew_takes_along_what_it_had_replaced():
    collection = study(grouped=False)
    Gold.objects.create(
        collection=collection,
        pair=cast.pairs(collection, 1)[0],
        grade=2,
        is_positive=True,
        origin="curated",
    )
    ann = cast.annotator(collection)
    cards = hand_outs(ann)
    for hand_out in cards:
        judge(ann, hand_out, grade=2)
        judge(ann, hand_out, grade=0, is_change=True)
    since = Judgment.objects.earliest("pk").at
    withdrawing.withdraw_annotator(
        annotator=ann, since=since, by=cast.member(collection, "lead"), reason="odd"
    )
    assert undoing.last_acts(annotator=ann) == []
    with pytest.raises(undoing.NothingToUndo):
        undoing.take_back(annotator=ann, token=cards[0].token)


def test_a_report_that_stands_again_waits_for_nobody_where_a_lead_has_graded_the_pair():
    collection = study()
    ann, lead = cast.annotator(collection), cast.member(collection, "lead")
    hand_out = hand_outs(ann)[0]
    report(ann, hand_out, "escalated")
    pair = judge(ann, hand_out, grade=2).pair
    adjudicating.adjudicate(pair=pair, by=lead, grade=1)
    undo_last(ann)
    assert not Report.objects.open().exists()
    adjudicating.undo_adjudication(pair=pair, by=lead)
    assert Report.objects.open().count() == 1
    assert is_sound_without_pools()


def test_a_report_in_a_settled_batch_is_changed_no_more():
    ann = cast.annotator(study(n_pairs=2))
    first, second = hand_outs(ann)
    report(ann, first, "escalated")
    judge(ann, second)
    Batch.objects.update(settled_at=F("finished_at"))
    with pytest.raises(BatchSettled, match="settled"):
        report(ann, first, "cannot_judge", is_change=True)
    assert response_in_force(first) == "escalated"


def test_what_is_taken_back_of_golds_tells_nobody_which_they_are():
    collection = study(n_pairs=5, grouped=False)
    Gold.objects.create(
        collection=collection,
        pair=cast.pairs(collection, 1)[0],
        grade=2,
        is_positive=True,
        origin="curated",
    )
    ann = cast.annotator(collection)
    cards = hand_outs(ann)
    for hand_out in cards:
        report(ann, hand_out, "cannot_judge")
    for _ in range(2):
        hand_outs(cast.annotator(collection))  # others take what she gave back
    assert not Seat.objects.filter(state="free").exists()
    for hand_out in sorted(cards, key=lambda card: card.seat.purpose == "gold"):
        undoing.take_back(annotator=ann, token=hand_out.token, kind="report")
    assert list(claiming.open_hand_outs(annotator=ann)) == []


def test_a_pair_that_is_handed_out_twice_is_done_with_and_undone_like_any_other():
    collection = study(n_pairs=1)
    ann, other = cast.annotator(collection), cast.annotator(collection)
    first = hand_outs(ann)[0]
    report(ann, first, "cannot_judge")
    hand_outs(other)
    undo_last(ann)
    Seat.objects.update(leased_until=timezone.now() - timedelta(minutes=1))
    (second,) = hand_outs(ann)
    assert (second.seat, second.pk != first.pk) == (first.seat, True)
    judge(ann, first, grade=1)
    judge(ann, second, grade=1)
    assert list(claiming.open_hand_outs(annotator=ann)) == []
    judge(ann, second, grade=2, is_change=True)
    undo_last(ann)
    assert Seat.objects.get().judgment.level.grade == 1
    # it is of the batch before, which is settled
    assert annotator_progress.recent(acts=undoing.last_acts(annotator=ann), slug="x") == []
    assert is_sound_without_pools()


def test_a_pair_that_somebody_else_has_cannot_be_put_off():
    collection = study(n_pairs=1)
    ann = cast.annotator(collection)
    hand_out = hand_outs(ann)[0]
    report(ann, hand_out, "cannot_judge")
    hand_outs(cast.annotator(collection))
    undo_last(ann)
    with pytest.raises(BatchSettled, match="somebody else has it"):
        reports.defer(annotator=ann, token=hand_out.token)


def test_who_is_paused_takes_nothing_back_and_changes_nothing():
    ann = cast.annotator(study())
    first, second = hand_outs(ann)[:2]
    judge(ann, first, grade=2)
    ann.paused_at = timezone.now()
    ann.save()
    for act in (
        lambda: undoing.take_back(annotator=ann, token=first.token),
        lambda: undoing.changeable_response(annotator=ann, token=first.token),
        lambda: judge(ann, first, grade=0, is_change=True),
        lambda: report(ann, first, "escalated", is_change=True),
    ):
        with pytest.raises(NotWhileStopped, match="paused"):
            act()
    assert response_in_force(first) == 2
    judge(ann, second, grade=1)  # what she was at when it came
    assert response_in_force(second) == 1
