"""A lead's grade decides a pair alone, never enters agreement; it can be changed and taken back."""

from uuid import uuid4

import pytest

from annotate.core.consequences import ActChanged
from annotate.models import Judgment, JudgmentEvent, Report, Resolution, ReviewAction, Round, Seat
from annotate.services import seating
from annotate.services.judging import claiming, judging, reports
from annotate.services.people import accounts
from annotate.services.review import adjudicating, exclusions, report_settling
from metrics.models import Snapshot
from tests import campaigns, cast
from tests.tables.soundness import is_sound_without_pools

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    """One pair that two people of two disagree about."""
    collection = campaigns.open_collection(
        1,
        "birds",
        grades=4,
        positive_from=2,
        labels_per_pair=2,
        ceiling=2,
        gold_positives=0,
        gold_negatives=0,
    )
    for grade in (0, 3):
        campaigns.judge_batch(cast.annotator(collection), grade)
    assert resolution() == ("disputed", None, 2)
    return collection


def resolution():
    return Resolution.objects.values_list("status", "grade", "n_labels").get()


def inputs_of(collection):
    people = Snapshot.objects.get(collection=collection, kind="people").value["people"]
    return [(row["pseudonym"], row["n_labels"]) for row in people]


def test_the_grade_decides_and_agreement_does_not_see_it(collection, lead):
    before, people = campaigns.agreement(collection), inputs_of(collection)
    judgment = adjudicating.adjudicate(
        pair=collection.pairs.get(), by=lead, grade=2, note="a wing is enough"
    )
    assert resolution() == ("adjudicated", 2, 2)
    assert (judgment.purpose, judgment.annotator.user, judgment.hand_out) == (
        "adjudication",
        lead,
        None,
    )
    assert (campaigns.agreement(collection), inputs_of(collection)) == (before, people)
    action = ReviewAction.objects.get()
    assert (action.kind, action.by, action.pair, action.reason) == (
        "adjudicated",
        lead,
        collection.pairs.get(),
        "a wing is enough",
    )
    assert is_sound_without_pools()


def test_the_same_grade_again_changes_nothing_and_another_one_supersedes(collection, lead):
    pair = collection.pairs.get()
    first = adjudicating.adjudicate(pair=pair, by=lead, grade=2)
    assert adjudicating.adjudicate(pair=pair, by=lead, grade=2) == first
    changed = adjudicating.adjudicate(pair=pair, by=lead, grade=1)
    assert (changed.supersedes, resolution()) == (first, ("adjudicated", 1, 2))
    assert Seat.objects.filter(purpose="adjudication").count() == 1
    assert ReviewAction.objects.count() == 2
    assert is_sound_without_pools()


def test_a_page_that_shows_another_decision_decides_nothing(collection, lead):
    pair, other = collection.pairs.get(), cast.member(collection, "lead")
    first = adjudicating.adjudicate(pair=pair, by=lead, grade=2, decision=0)
    assert adjudicating.adjudicate(pair=pair, by=lead, grade=2, decision=0) == first
    for person, name in ((lead, "you"), (other, lead.username)):
        with pytest.raises(ActChanged, match=f"It was decided on grade 2 by {name}, .* UTC; look"):
            adjudicating.adjudicate(pair=pair, by=person, grade=1, decision=0)
    assert (resolution(), ReviewAction.objects.count()) == (("adjudicated", 2, 2), 1)
    second = adjudicating.adjudicate(pair=pair, by=other, grade=1, decision=first.pk)
    accounts.erase_person(user=other)
    with pytest.raises(ActChanged, match="on grade 1 by a former lead"):
        adjudicating.adjudicate(pair=pair, by=lead, grade=0, decision=first.pk)
    adjudicating.undo_adjudication(pair=pair, by=lead)
    with pytest.raises(ActChanged, match="taken back meanwhile"):
        adjudicating.adjudicate(pair=pair, by=lead, grade=0, decision=second.pk)
    assert resolution()[0] != "adjudicated"
    adjudicating.adjudicate(pair=pair, by=lead, grade=0)
    assert resolution() == ("adjudicated", 0, 2)
    assert is_sound_without_pools()


def test_another_leads_grade_withdraws_the_first_ones(collection, lead):
    pair, other = collection.pairs.get(), cast.member(collection, "lead")
    first = adjudicating.adjudicate(pair=pair, by=lead, grade=2)
    adjudicating.adjudicate(pair=pair, by=other, grade=3)
    assert (resolution(), first.events.get().kind, first.events.get().by) == (
        ("adjudicated", 3, 2),
        "withdrawn",
        other,
    )
    adjudicating.adjudicate(pair=pair, by=lead, grade=0)
    assert resolution() == ("adjudicated", 0, 2)
    assert Judgment.objects.filter(purpose="adjudication", seat__isnull=False).count() == 1
    assert is_sound_without_pools()


def test_undone_the_pair_is_disputed_again(collection, lead):
    pair = collection.pairs.get()
    adjudicating.adjudicate(pair=pair, by=lead, grade=2)
    adjudicating.undo_adjudication(pair=pair, by=lead, reason="looked again")
    assert resolution() == ("disputed", None, 2)
    assert JudgmentEvent.objects.get().kind == "undone"
    assert is_sound_without_pools()
    with pytest.raises(adjudicating.NotAdjudicated):
        adjudicating.undo_adjudication(pair=pair, by=lead)
    adjudicating.adjudicate(pair=pair, by=lead, grade=1)
    assert resolution() == ("adjudicated", 1, 2)
    assert is_sound_without_pools()


def test_an_adjudicated_pair_is_asked_no_more_and_an_escalation_is_settled_by_it(collection, lead):
    (pair,) = cast.pairs(collection, 1)
    campaigns.open_pool_round(collection, [pair], name="second")
    claiming.current_batch(annotator=(annotator := cast.annotator(collection)))
    hand_out = claiming.open_hand_outs(annotator=annotator).get()
    reports.report_pair(
        annotator=annotator, token=hand_out.token, submission_id=uuid4(), kind="escalated", note="?"
    )
    adjudicating.adjudicate(pair=pair, by=lead, grade=3)
    assert Resolution.objects.get(pair=pair).status == "adjudicated"
    assert not Seat.objects.filter(pair=pair, state="free").exists()
    assert not Report.objects.open().exists()
    assert is_sound_without_pools()
    adjudicating.undo_adjudication(pair=pair, by=lead)
    assert Resolution.objects.get(pair=pair).status == "escalated"
    assert Report.objects.open().count() == 1
    assert is_sound_without_pools()


def test_a_later_label_does_not_move_an_adjudicated_grade(collection, lead):
    (pair,) = cast.pairs(collection, 1)
    campaigns.open_pool_round(collection, [pair], name="second")
    claiming.current_batch(annotator=(annotator := cast.annotator(collection)))
    adjudicating.adjudicate(pair=pair, by=lead, grade=3)
    campaigns.judge(
        claiming.open_hand_outs(annotator=annotator).select_related("batch__annotator").get(), 0
    )
    assert Resolution.objects.values_list("status", "grade", "n_labels").get(pair=pair) == (
        "adjudicated",
        3,
        1,
    )
    assert is_sound_without_pools()


def test_rounds_closed_and_opened_over_it_leave_the_grade(collection, lead):
    pair = collection.pairs.get()
    adjudicating.adjudicate(pair=pair, by=lead, grade=2)
    seating.close_round(round_=Round.objects.get())
    assert resolution() == ("adjudicated", 2, 2)
    campaigns.open_pool_round(collection, [pair], name="again")
    assert resolution() == ("adjudicated", 2, 2)
    assert is_sound_without_pools()


def test_an_unknown_grade_or_a_pair_of_no_round_changes_nothing(collection, lead):
    with pytest.raises(judging.UnknownGrade, match="no grade 7"):
        adjudicating.adjudicate(pair=collection.pairs.get(), by=lead, grade=7)
    (lonely,) = cast.pairs(collection, 1)
    with pytest.raises(adjudicating.NotInARound):
        adjudicating.adjudicate(pair=lonely, by=lead, grade=1)
    assert not ReviewAction.objects.exists()


def test_an_excluded_pair_has_no_grade_until_it_is_taken_back_in(collection, lead):
    pair = collection.pairs.get()
    adjudicating.adjudicate(pair=pair, by=lead, grade=2)
    exclusions.exclude_pair(pair=pair, by=lead, reason="both are blurred")
    assert not Resolution.objects.exists()
    assert is_sound_without_pools()
    exclusions.restore_pair(pair=pair, by=lead)
    assert resolution() == ("adjudicated", 2, 2)
    assert is_sound_without_pools()


def test_reports_returned_to_the_queue_can_be_opened_again(collection, lead):
    (pair,) = cast.pairs(collection, 1)
    campaigns.open_pool_round(collection, [pair], name="second")
    claiming.current_batch(annotator=(annotator := cast.annotator(collection)))
    hand_out = claiming.open_hand_outs(annotator=annotator).get()
    reports.report_pair(
        annotator=annotator, token=hand_out.token, submission_id=uuid4(), kind="escalated", note="?"
    )
    assert report_settling.settle_reports(pair=pair, by=lead, reason="clear enough") == 1
    assert Seat.objects.filter(pair=pair, state="free").count() == 2
    assert is_sound_without_pools()
    with pytest.raises(report_settling.NothingOpen):
        report_settling.settle_reports(pair=pair, by=lead)
    assert report_settling.reopen_reports(pair=pair, by=lead) == 1
    assert (
        Resolution.objects.get(pair=pair).status,
        Seat.objects.filter(pair=pair, state="free").count(),
    ) == ("escalated", 0)
    assert is_sound_without_pools()
    assert list(ReviewAction.objects.order_by("pk").values_list("kind", flat=True)) == [
        "reports_settled",
        "reports_reopened",
    ]
