"""Nobody judges before the training; answers in it get feedback and count for nothing else."""

from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.checks.check import run
from annotate.core.labels.answers import JudgmentAnswer
from annotate.fsck import CHECKS
from annotate.models import (
    Batch,
    Gold,
    Judgment,
    Report,
    Resolution,
    Seat,
    TrainingDecision,
    TrainingTry,
)
from annotate.services.judging import (
    cards,
    claiming,
    judging,
    reports,
    training_gate,
    undoing,
    work_availability,
)
from annotate.services.judging.hand_outs import NotHandedOut
from annotate.services.pages import annotator_progress
from annotate.services.training import people as training_people
from annotate.services.training import setup, tries
from annotate.services.training.status import training_status
from metrics.services.numbers import refresh
from tests import campaigns, cast
from tests.annotate.trainees import go, reply, right_grade, trained, training_seats, waiting

pytestmark = pytest.mark.django_db


def state(annotator):
    return training_status(annotator=annotator).state.name


def broken():
    """Return the violations found by annotate's checks; the rounds here have no pools."""
    return [
        (finding.check.name, finding.lines) for finding in run(CHECKS) if not finding.check.notice
    ]


def test_a_newcomer_gets_no_pairs_until_she_has_passed():
    annotator = cast.annotator(trained())
    assert claiming.current_batch(annotator=annotator) is None
    assert (
        work_availability.no_card_reason(annotator=annotator, wants_more=True)["reason"]
        == "training"
    )
    go(annotator)
    assert state(annotator) == "passed"
    assert claiming.current_batch(annotator=annotator).hand_outs.count() == 4
    assert not broken()


def test_without_a_training_nobody_is_held_up():
    collection = campaigns.open_collection(2)
    assert claiming.current_batch(annotator=cast.annotator(collection)) is not None
    assert not training_gate.is_in_training(annotator=cast.annotator(collection))


def test_switched_on_whoever_has_judged_goes_on_and_others_give_their_pairs_back():
    collection = trained()
    setup.change_training(collection=collection, is_on=False)
    who_judged, newcomer = cast.annotator(collection), cast.annotator(collection)
    for annotator in (who_judged, newcomer):
        assert claiming.current_batch(annotator=annotator)
    n_left = claiming.open_hand_outs(annotator=newcomer).count()
    campaigns.judge(claiming.open_hand_outs(annotator=who_judged).first(), 1)
    setup.change_training(collection=collection, is_on=True)
    assert claiming.open_hand_outs(annotator=newcomer).count() == 0 < n_left
    assert not Seat.objects.filter(annotator=newcomer, state="held").exists()
    assert not newcomer.batches.filter(finished_at=None).exists()
    assert claiming.open_hand_outs(annotator=who_judged).count() == 3
    assert (
        work_availability.no_card_reason(annotator=newcomer, wants_more=False)["reason"]
        == "training"
    )
    assert state(newcomer) == "ready"
    assert not broken()


def test_an_open_tab_gets_no_card_once_the_training_is_switched_on():
    collection = trained()
    setup.change_training(collection=collection, is_on=False)
    newcomer = cast.annotator(collection)
    claiming.current_batch(annotator=newcomer)
    assert cards.next_cards(annotator=newcomer)[0].order
    setup.change_training(collection=collection, is_on=True)
    assert cards.next_cards(annotator=newcomer)[0].order == []


def test_each_answer_is_told_right_or_wrong_with_the_reason_and_the_paragraph():
    annotator = cast.annotator(trained())
    tries.begin(annotator=annotator)
    (first, second, *_) = waiting(annotator)
    feedback = reply(annotator, first, (right_grade(first) + 1) % 3)
    assert (feedback.given, feedback.right) == ((right_grade(first) + 1) % 3, right_grade(first))
    assert feedback.why == first.seat.pair.training_pair.why
    assert feedback.anchor == "colours"
    assert reply(annotator, second, right_grade(second)).right == right_grade(second)


def test_the_first_answer_stands_whatever_is_sent_after_the_feedback():
    annotator = cast.annotator(trained())
    tries.begin(annotator=annotator)
    hand_out = waiting(annotator)[0]
    wrong = (right_grade(hand_out) + 1) % 3
    reply(annotator, hand_out, wrong)
    assert reply(annotator, hand_out, right_grade(hand_out)).given == wrong
    other = JudgmentAnswer(submission_id=uuid4(), grade=right_grade(hand_out))
    for act in (
        lambda: judging.record_judgment(annotator=annotator, token=hand_out.token, answer=other),
        lambda: undoing.take_back(annotator=annotator, token=hand_out.token),
        lambda: reports.defer(annotator=annotator, token=hand_out.token),
    ):
        with pytest.raises(NotHandedOut), transaction.atomic():
            act()
    assert Judgment.objects.filter(annotator=annotator).count() == 1


def test_a_pair_of_real_work_is_not_answered_through_the_training():
    collection = trained()
    annotator = cast.annotator(collection)
    go(annotator)
    claiming.current_batch(annotator=annotator)
    hand_out = claiming.open_hand_outs(annotator=annotator).first()
    with pytest.raises(NotHandedOut):
        reply(annotator, hand_out, 1)


@pytest.mark.parametrize(("n_wrong", "passed"), [(0, True), (1, True), (2, False), (5, False)])
def test_a_try_passes_at_the_mark_and_not_below(n_wrong, passed):
    annotator = cast.annotator(trained(pass_mark="0.8"))
    go(annotator, n_wrong=n_wrong)
    training_try = TrainingTry.objects.get()
    assert (
        training_try.passed,
        training_try.n_right,
        training_try.n_answered,
        training_try.score,
    ) == (
        passed,
        5 - n_wrong,
        5,
        1 - n_wrong / 5,
    )
    assert training_gate.is_in_training(annotator=annotator) is not passed


def test_spearman_marks_the_order_and_not_the_grades():
    collection = trained(measure="spearman", pass_mark="0.7", grades=(0, 1, 1, 2, 2))
    annotator = cast.annotator(collection)
    tries.begin(annotator=annotator)
    for hand_out in waiting(annotator):
        # one too low, nearly the same order
        reply(annotator, hand_out, max(0, right_grade(hand_out) - 1))
    training_try = TrainingTry.objects.get()
    assert (training_try.n_right, training_try.passed) == (1, True)
    # scipy.stats.spearmanr([0,0,0,1,1], [0,1,1,2,2])
    assert training_try.score == pytest.approx(0.9128709291752769)


def test_one_level_for_everything_has_no_order_and_does_not_pass():
    collection = trained(measure="spearman", pass_mark="0")
    annotator = cast.annotator(collection)
    tries.begin(annotator=annotator)
    for hand_out in waiting(annotator):
        reply(annotator, hand_out, 1)
    training_try = TrainingTry.objects.get()
    assert (training_try.score, training_try.passed) == (None, False)


def test_tries_run_out_and_a_lead_who_sends_back_gives_new_ones():
    collection = trained(max_tries=2)
    annotator = cast.annotator(collection)
    go(annotator, n_wrong=5)
    assert state(annotator) == "ready"
    go(annotator, n_wrong=5)
    assert state(annotator) == "used_up"
    with pytest.raises(tries.TryRefused, match="no tries left"):
        tries.begin(annotator=annotator)
    for _ in range(2):
        training_people.decide(annotator=annotator, kind="sent_back", by=None)
    go(annotator)
    assert state(annotator) == "passed"
    assert [training_try.number for training_try in TrainingTry.objects.order_by("pk")] == [1, 2, 3]
    assert not broken()


def test_each_try_has_seats_of_its_own_and_the_answers_of_the_first_stay():
    annotator = cast.annotator(trained())
    go(annotator, n_wrong=5)
    before = {seat.pk: seat.judgment_id for seat in training_seats(annotator)}
    go(annotator)
    after = {seat.pk: seat.judgment_id for seat in training_seats(annotator)}
    assert after.items() >= before.items()
    assert len(after) == 10
    assert not Judgment.objects.filter(supersedes__isnull=False).exists()
    assert not broken()


def test_the_next_try_begins_after_the_wait():
    annotator = cast.annotator(trained(wait_minutes=60))
    go(annotator, n_wrong=5)
    training_state = training_status(annotator=annotator).state
    assert training_state.name == "waiting"
    assert training_state.ready_at == TrainingTry.objects.get().finished_at + timezone.timedelta(
        hours=1
    )
    with pytest.raises(tries.TryRefused):
        tries.begin(annotator=annotator)
    TrainingTry.objects.update(finished_at=timezone.now() - timezone.timedelta(minutes=61))
    assert state(annotator) == "ready"


def test_who_passed_waits_for_a_lead_where_one_is_to_look():
    collection = trained(needs_review=True)
    annotator = cast.annotator(collection)
    go(annotator)
    assert state(annotator) == "review"
    assert claiming.current_batch(annotator=annotator) is None
    lead = cast.user()
    training_people.decide(annotator=annotator, kind="admitted", by=lead)
    assert claiming.current_batch(annotator=annotator) is not None


def test_a_try_with_a_pair_left_out_goes_to_a_lead():
    annotator = cast.annotator(trained())
    tries.begin(annotator=annotator)
    (dead, *rest) = waiting(annotator)
    tries.report(
        annotator=annotator,
        token=dead.token,
        submission_id=uuid4(),
        reason="does_not_play",
        note="",
    )
    for hand_out in rest:
        reply(annotator, hand_out, right_grade(hand_out))
    assert TrainingTry.objects.get().passed
    assert TrainingTry.objects.get().n_answered == 4
    assert Report.objects.get().pair == dead.seat.pair
    assert state(annotator) == "review"
    assert not broken()


def test_answers_in_training_enter_no_resolution_and_no_agreement():
    collection = trained()
    for pair in collection.pairs.filter(training_pair__isnull=False):
        Gold.objects.create(
            collection=collection, pair=pair, grade=2, is_positive=True, origin="curated"
        )
    for _ in range(3):
        go(cast.annotator(collection), n_wrong=2)
    assert not Resolution.objects.exists()
    refresh.refresh(collection=collection)
    agreement, people = (
        collection.snapshots.get(kind=kind).value for kind in ("agreement", "people")
    )
    assert agreement["all"]["ordinal"]["n_labels"] == 0
    assert {(row["n_labels"], row["n_gold"], row["median_ms"]) for row in people["people"]} == {
        (0, 0, None)
    }
    assert {seat.purpose for seat in Seat.objects.filter(state="done")} == {"training"}


def test_a_pair_she_was_told_the_grade_of_is_never_given_to_her_as_work():
    collection = trained()
    training_pair_ids = {
        seat.pk for seat in collection.training.collection.pairs.filter(training_pair__isnull=False)
    }
    campaigns.open_pool_round(
        collection, list(collection.pairs.filter(pk__in=training_pair_ids)), name="same pairs"
    )
    annotator = cast.annotator(collection)
    go(annotator)
    while batch := claiming.current_batch(annotator=annotator):
        assert not training_pair_ids & set(batch.hand_outs.values_list("seat__pair", flat=True))
        for hand_out in claiming.open_hand_outs(annotator=annotator).select_related(
            "batch__annotator", "seat"
        ):
            campaigns.judge(hand_out, 1)
    assert setup.pairs_in_pools(collection=collection) == 5


def test_training_is_neither_work_done_nor_a_batch_that_can_be_changed():
    annotator = cast.annotator(trained())
    go(annotator)
    assert annotator_progress.progress(annotator=annotator)["total"] == 0
    assert annotator_progress.recent(acts=undoing.last_acts(annotator=annotator), slug="x") == []
    assert (
        work_availability.no_card_reason(annotator=annotator, wants_more=False)["reason"]
        != "batch_done"
    )


def test_who_is_sent_back_gives_her_pairs_to_others_and_keeps_what_she_judged():
    collection = trained()
    annotator, other = cast.annotator(collection), cast.annotator(collection)
    for person in (annotator, other):
        go(person)
    claiming.current_batch(annotator=annotator)
    campaigns.judge(
        claiming.open_hand_outs(annotator=annotator).select_related("batch__annotator", "seat")[0],
        1,
    )
    training_people.decide(
        annotator=annotator, kind="sent_back", by=None, reason="Mixed up the levels."
    )
    assert not claiming.open_hand_outs(annotator=annotator).exists()
    assert Seat.objects.filter(purpose="label", state="done", annotator=annotator).count() == 1
    assert not Seat.objects.filter(purpose="label", state="held").exists()
    assert claiming.current_batch(annotator=annotator) is None
    assert claiming.current_batch(annotator=other) is not None
    assert state(annotator) == "ready"
    assert not broken()


def test_a_lead_who_lets_somebody_in_ends_her_try():
    collection = trained()
    annotator = cast.annotator(collection)
    tries.begin(annotator=annotator)
    hand_out = waiting(annotator)[0]
    training_people.decide(annotator=annotator, kind="exempted", by=None)
    assert claiming.current_batch(annotator=annotator) is not None
    assert Batch.objects.filter(annotator=annotator, finished_at=None).count() == 1
    with pytest.raises(tries.TryOver):
        reply(annotator, hand_out, 1)
    with pytest.raises(training_people.AlreadyDecided):
        training_people.decide(annotator=annotator, kind="exempted", by=None)
    assert not broken()


def test_the_decisions_say_who_and_why_and_the_newest_holds():
    collection = trained()
    annotator, lead = cast.annotator(collection), cast.user()
    for kind in ("admitted", "sent_back", "exempted"):
        training_people.decide(annotator=annotator, kind=kind, by=lead, reason=f"as {kind}")
    decisions = TrainingDecision.objects.order_by("pk").values_list("kind", "by", "reason")
    assert list(decisions) == [
        (kind, lead.pk, f"as {kind}") for kind in ("admitted", "sent_back", "exempted")
    ]
    assert not training_gate.is_in_training(annotator=annotator)


def test_the_list_of_people_asks_as_often_for_one_as_for_many(django_assert_num_queries):
    collection = trained()
    go(cast.annotator(collection))
    with django_assert_num_queries(9):
        assert len(training_people.people(collection=collection)) == 1
    for n_wrong in (0, 5, 5):
        go(cast.annotator(collection), n_wrong=n_wrong)
    cast.annotator(collection)
    with django_assert_num_queries(9):
        statuses = training_people.people(collection=collection)
    assert sorted(status.state.name for status in statuses) == [
        "passed",
        "passed",
        "ready",
        "ready",
        "ready",
    ]
