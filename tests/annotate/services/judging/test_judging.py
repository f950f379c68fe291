"""Claiming and answering: what counts, what is kept."""

from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import Change, Gold, Judgment, Pair, Report, Resolution, Round, Seat
from annotate.services import seating
from annotate.services.judging import claiming, judging, reports, undoing
from annotate.services.judging.hand_outs import BatchSettled, NotHandedOut
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def study(n_pairs=6, **policy):
    """An open round of n pairs, three grades."""
    return campaigns.open_collection(n_pairs, grades=3, **{"batch_candidates": 5, **policy})


def hand_outs(annotator):
    claiming.current_batch(annotator=annotator)
    return list(claiming.open_hand_outs(annotator=annotator))


def judge(annotator, hand_out, grade=1, submission=None, **answer):
    answer = JudgmentAnswer(submission_id=submission or uuid4(), grade=grade, **answer)
    with transaction.atomic():  # which is the caller's, as it is the view's
        return judging.record_judgment(annotator=annotator, token=hand_out.token, answer=answer)


def test_a_batch_holds_its_seats_and_the_same_batch_comes_back():
    ann = cast.annotator(study())
    first = claiming.current_batch(annotator=ann)
    assert first.hand_outs.count() == 5
    assert Seat.objects.filter(state="held", annotator=ann).count() == 5
    assert claiming.current_batch(annotator=ann) == first


def test_two_people_never_hold_the_same_seat():
    collection = study(n_pairs=8)
    seat_ids = [ho.seat_id for ho in hand_outs(cast.annotator(collection))]
    seat_ids += [ho.seat_id for ho in hand_outs(cast.annotator(collection))]
    assert len(seat_ids) == len(set(seat_ids)) == 8


def test_an_answer_counts_resolves_the_pair_and_leaves_a_change():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    judgment = judge(ann, hand_out, grade=2)
    seat = Seat.objects.get(pk=hand_out.seat_id)
    assert (seat.state, seat.judgment) == ("done", judgment)
    resolution = Resolution.objects.get(pair=seat.pair)
    assert (resolution.status, resolution.grade) == ("single", 2)
    assert Change.objects.filter(pair=seat.pair).count() == 1


def test_the_same_submission_twice_is_one_judgment():
    ann = cast.annotator(study())
    hand_out, submission = hand_outs(ann)[0], uuid4()
    assert judge(ann, hand_out, submission=submission) == judge(
        ann, hand_out, submission=submission
    )
    assert Judgment.objects.count() == 1


def test_a_second_tab_with_the_same_grade_adds_no_row():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    assert judge(ann, hand_out) == judge(ann, hand_out)


def test_a_changed_grade_supersedes_and_only_the_new_one_counts():
    ann = cast.annotator(study())
    hand_out = hand_outs(ann)[0]
    old, new = judge(ann, hand_out, grade=0), judge(ann, hand_out, grade=2)
    assert new.supersedes == old
    assert Seat.objects.get(pk=hand_out.seat_id).judgment == new
    assert Resolution.objects.get(pair=new.pair).grade == 2


def test_a_done_batch_stands_once_the_next_one_is_done_too():
    ann = cast.annotator(study(n_pairs=4, batch_candidates=2))
    first = hand_outs(ann)
    for hand_out in first:
        judge(ann, hand_out, grade=1)
    judge(ann, first[0], grade=2)  # it may still be changed
    for hand_out in hand_outs(ann):
        judge(ann, hand_out, grade=1)
    with pytest.raises(BatchSettled, match="Batch 1 is settled"):
        judge(ann, first[0], grade=0)
    with pytest.raises(BatchSettled, match="Batch 1 is settled"):
        undoing.take_back(annotator=ann, token=first[1].token)
    assert Judgment.objects.count() == 5


def test_only_the_last_twenty_judgments_can_be_undone():
    ann = cast.annotator(study(n_pairs=22, batch_candidates=22))
    cards = hand_outs(ann)
    for hand_out in cards[:21]:
        judge(ann, hand_out)
    with pytest.raises(BatchSettled, match="Only the last 20"):
        undoing.take_back(annotator=ann, token=cards[0].token)
    assert undoing.take_back(annotator=ann, token=cards[1].token).answered_at is None


def test_an_answer_that_comes_again_after_another_was_given_changes_nothing_back():
    ann = cast.annotator(study())
    hand_out, submission = hand_outs(ann)[0], uuid4()
    old, new = judge(ann, hand_out, grade=0, submission=submission), judge(ann, hand_out, grade=2)
    assert judge(ann, hand_out, grade=0, submission=submission) == old
    assert Seat.objects.get(pk=hand_out.seat_id).judgment == new


def test_two_who_disagree_ask_for_a_third_and_three_ways_is_disputed():
    collection = study(n_pairs=1, labels_per_pair=2)
    for grade in (0, 1):
        ann = cast.annotator(collection)
        judge(ann, hand_outs(ann)[0], grade=grade)
    assert Seat.objects.get(state="free").why == Seat.Why.DISAGREEMENT
    ann = cast.annotator(collection)
    judge(ann, hand_outs(ann)[0], grade=2)
    assert Resolution.objects.get().status == "disputed"
    assert not Seat.objects.filter(state="free").exists()


def test_two_who_agree_ask_for_nothing_more():
    collection = study(n_pairs=1, labels_per_pair=2)
    for _ in range(2):
        ann = cast.annotator(collection)
        judge(ann, hand_outs(ann)[0], grade=2)
    assert Resolution.objects.get().status == "agreed"
    assert Seat.objects.count() == 2


@pytest.mark.parametrize(
    ("share", "n_pairs", "n"), [("0.29", 100, 29), ("0.25", 7, 1), ("0.01", 7, 1)]
)
def test_a_share_of_a_round_is_rounded_down_but_never_to_nothing(share, n_pairs, n):
    collection = study(n_pairs, max_share=share, batch_candidates=50)
    assert len(hand_outs(cast.annotator(collection))) == n


def test_a_foreign_hand_out_is_refused():
    collection = study()
    owner, thief = cast.annotator(collection), cast.annotator(collection)
    with pytest.raises(NotHandedOut):
        judge(thief, hand_outs(owner)[0])
    assert Judgment.objects.count() == 0


def test_an_unknown_grade_is_refused_and_changes_nothing():
    ann = cast.annotator(study())
    with pytest.raises(judging.UnknownGrade, match="no grade 7"):
        judge(ann, hand_outs(ann)[0], grade=7)
    assert Judgment.objects.count() == 0


def test_cannot_judge_frees_the_seat_never_returns_and_is_no_label():
    collection = study(n_pairs=1)
    ann = cast.annotator(collection)
    hand_out = hand_outs(ann)[0]
    report(ann, hand_out, Report.Kind.CANNOT_JUDGE)
    assert Seat.objects.get().state == "free"
    assert hand_outs(ann) == []
    assert Judgment.objects.count() == 0
    assert len(hand_outs(cast.annotator(collection))) == 1


def report(annotator, hand_out, kind, *, is_change=False):
    return reports.report_pair(
        annotator=annotator,
        token=hand_out.token,
        submission_id=uuid4(),
        kind=kind,
        reason="broken",
        is_change=is_change,
    )


def test_after_two_people_who_cannot_judge_a_pair_leaves_the_queue():
    collection = study(n_pairs=1)
    for _ in range(2):
        ann = cast.annotator(collection)
        report(ann, hand_outs(ann)[0], Report.Kind.CANNOT_JUDGE)
    assert Resolution.objects.get().status == "escalated"
    assert hand_outs(cast.annotator(collection)) == []


def test_one_person_who_says_twice_that_she_cannot_judge_a_pair_is_one_person():
    collection = study(n_pairs=1)
    ann = cast.annotator(collection)
    hand_out = hand_outs(ann)[0]
    report(ann, hand_out, Report.Kind.CANNOT_JUDGE)
    with pytest.raises(BatchSettled, match="You have reported this pair"):
        report(ann, hand_out, Report.Kind.CANNOT_JUDGE)
    report(ann, hand_out, Report.Kind.CANNOT_JUDGE, is_change=True)
    assert (Report.objects.count(), Report.objects.open().count()) == (2, 1)
    assert len(hand_outs(cast.annotator(collection))) == 1


def test_an_escalated_pair_waits_for_the_lead():
    collection = study(n_pairs=1)
    ann = cast.annotator(collection)
    report(ann, hand_outs(ann)[0], Report.Kind.ESCALATED)
    assert Resolution.objects.get().status == "escalated"
    assert Seat.objects.get().state == "withdrawn"


def test_later_puts_a_card_at_the_end_of_its_batch():
    ann = cast.annotator(study())
    first = hand_outs(ann)[0]
    reports.defer(annotator=ann, token=first.token)
    assert hand_outs(ann)[-1] == first


def test_golds_sit_unseen_in_the_batch_and_enter_no_resolution():
    collection = study(grouped=False)
    pair = cast.pairs(collection, 1)[0]
    Gold.objects.create(
        collection=collection, pair=pair, grade=2, is_positive=True, origin="curated"
    )
    ann = cast.annotator(collection)
    gold = next(ho for ho in hand_outs(ann) if ho.seat.pair_id == pair.pk)
    judgment = judge(ann, gold, grade=0)
    assert judgment.purpose == "gold"
    assert not Resolution.objects.filter(pair=pair).exists()


def test_a_gold_comes_once_to_a_person():
    collection = study(n_pairs=10, grouped=False)
    pair = cast.pairs(collection, 1)[0]
    Gold.objects.create(
        collection=collection, pair=pair, grade=2, is_positive=True, origin="curated"
    )
    ann = cast.annotator(collection)
    pair_ids = []
    while batch := hand_outs(ann):
        for hand_out in batch:
            pair_ids.append(hand_out.seat.pair_id)
            judge(ann, hand_out)
    assert len(pair_ids) == len(set(pair_ids)) == 11


def test_grouped_batches_keep_a_query_together():
    collection = study(n_pairs=40, batch_candidates=20)
    batch = hand_outs(cast.annotator(collection))
    queries = [ho.seat.pair.query_id for ho in batch]
    blocks = 1 + sum(a != b for a, b in pairwise(queries))
    assert blocks == len(set(queries)) <= 3


def test_a_paused_annotator_gets_nothing():
    ann = cast.annotator(study())
    ann.paused_at = timezone.now()
    ann.save()
    assert claiming.current_batch(annotator=ann) is None


def test_who_is_paused_in_a_batch_sees_no_card_but_may_send_the_answer_she_was_giving():
    ann = cast.annotator(study())
    first = hand_outs(ann)[0]
    ann.paused_at = timezone.now()
    ann.save()
    assert list(claiming.open_hand_outs(annotator=ann)) == []
    judgment = judge(ann, first)
    assert Seat.objects.get(pk=first.seat_id).judgment == judgment


def test_the_first_judgment_freezes_the_levels_but_not_their_wording():
    collection = study()
    ann = cast.annotator(collection)
    judge(ann, hand_outs(ann)[0])
    level = collection.levels.first()
    level.name = "Better said"
    level.save()
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        collection.levels.create(grade=9, key="9", name="New")
    level.grade = 8
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        level.save()


@pytest.mark.parametrize(
    "act",
    [
        lambda row: Judgment.objects.filter(pk=row.pk).update(active_ms=1),
        lambda row: Judgment.objects.filter(pk=row.pk)._raw_delete("default"),
    ],
)
def test_a_judgment_is_neither_updated_nor_deleted(act):
    ann = cast.annotator(study())
    row = judge(ann, hand_outs(ann)[0])
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        act(row)


def test_rows_of_one_collection_cannot_point_into_another():
    ours, theirs = study(), study()
    row = Pair.objects.filter(collection=ours).first()
    with pytest.raises(IntegrityError, match="in_collection"), transaction.atomic():
        Pair.objects.filter(pk=row.pk).update(collection=theirs)
        with transaction.get_connection().cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_an_answer_costs_a_constant_number_of_queries(django_assert_max_num_queries):
    ann = cast.annotator(study(n_pairs=300, batch_candidates=150))
    for hand_out in hand_outs(ann)[:2]:
        with django_assert_max_num_queries(34):
            judge(ann, hand_out)


def test_an_answer_takes_no_more_queries_than_it_needs(django_assert_max_num_queries):
    collection = study(labels_per_pair=2)
    first, second = hand_outs(cast.annotator(collection))[:2]
    ann = first.batch.annotator
    judge(ann, first)
    with django_assert_max_num_queries(21):
        judge(ann, second)


def test_a_report_on_a_gold_takes_its_pair_out_of_the_queue_as_well():
    collection = study(
        n_pairs=1, batch_candidates=1, gold_positives=1, gold_negatives=0, grouped=False
    )
    pair = Pair.objects.get()
    other = cast.pairs(collection, 1)[0]
    Gold.objects.create(
        collection=collection, pair=other, grade=2, is_positive=True, origin="curated"
    )
    seating.open_round(
        collection=collection,
        kind=Round.Kind.POOL,
        name="later",
        policy=cast.policy(collection),
        pair_ids=[other.pk],
    )
    Seat.objects.filter(pair=other).update(queue_key=2**63 - 2)
    ann = cast.annotator(collection)
    label_seats = Seat.objects.filter(pair=other, purpose="label")
    label_seats.update(state="withdrawn")  # out of her batch, so that the gold is in it
    hand_out = next(card for card in hand_outs(ann) if card.seat.purpose == "gold")
    label_seats.update(state="free")
    reports.report_pair(
        annotator=ann, token=hand_out.token, submission_id=uuid4(), kind=Report.Kind.ESCALATED
    )
    assert label_seats.get().state == "withdrawn"
    assert Resolution.objects.get(pair=other).status == "escalated"
    assert not seating.plan(pairs=[pair, other]).seats_to_withdraw
