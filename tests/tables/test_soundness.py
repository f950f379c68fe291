"""After everything people do, every check of `manage.py fsck` is still silent."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Judgment, Report, Role, Seat
from annotate.services.judging import claiming, reports, undoing
from annotate.services.people import accounts
from annotate.services.review import report_settling
from annotate.services.supervision import verdicts, withdrawing
from metrics.services.numbers import refresh
from pooling.services.pools import pools
from tests import campaigns, cast
from tests.annotate.core.files.samples import file
from tests.judgment_imports import import_judgments
from tests.tables.soundness import is_sound

pytestmark = pytest.mark.django_db


def test_an_import_and_the_same_people_with_other_labels(campaign):
    columns = JudgmentColumns()
    for grade in (1, 2, 2):
        stream = file(
            "annotator,query,document,grade", f"a,q0,d0,{grade}", "b,q0,d0,1", "c,q1,d1,0"
        )
        import_judgments(
            collection=campaign.collection,
            stream=stream,
            file_name="a.csv",
            columns=columns,
            name="experts",
        )
        assert is_sound()


def test_pools_opened_closed_and_opened_again_over_the_same_pairs(campaign):
    for number, depth in enumerate((2, 4)):
        pool = pools.create_pool(
            collection=campaign.collection,
            name=f"pool {number}",
            strategy="depth-k",
            parameters={"depth": depth},
            runs=[campaign.run],
            by=campaign.researcher,
        )
        pools.open_pool(pool=pool)
        assert pool.state == "open", pool.work.error
        assert is_sound()
    campaigns.judge_batch(cast.annotator(campaign.collection))
    for change in (pools.close_pool, pools.reopen_pool, pools.close_pool):
        change(pool=pool)
        assert is_sound()


def test_a_rejected_batch_and_the_labels_that_replace_it(campaign):
    batch = campaigns.judge_batch(campaign.annotators[1])
    verdicts.reject_batch(batch=batch, by=campaign.lead, reason="golds missed")
    assert is_sound()
    assert not Seat.objects.filter(judgment__hand_out__batch=batch).exists()
    for _ in range(2):
        campaigns.judge_batch(cast.annotator(campaign.collection))
        assert is_sound()


def test_an_annotator_whose_labels_are_withdrawn(campaign):
    since = timezone.now() - timedelta(days=1)
    assert withdrawing.withdraw_annotator(
        annotator=campaign.annotators[1], since=since, by=campaign.lead, reason="left"
    )
    assert is_sound()


def test_a_lapsed_seat_that_another_took_and_the_late_answer(campaign):
    late = campaign.annotators[1]
    (hand_out, *_) = claiming.open_hand_outs(annotator=late).select_related(
        "batch__annotator", "seat"
    )
    Seat.objects.filter(annotator=late, state="held").update(
        leased_until=timezone.now() - timedelta(minutes=1)
    )
    for _ in range(3):
        campaigns.judge_batch(cast.annotator(campaign.collection), grade=0)
        assert is_sound()
    campaigns.judge(hand_out, 2)
    assert Judgment.objects.filter(annotator=late, pair=hand_out.seat.pair).exists()
    assert is_sound()


def test_a_report_settled_and_an_undone_answer_given_again(campaign):
    report_settling.settle_reports(pair=Report.objects.get().pair, by=campaign.lead)
    assert is_sound()
    annotator = cast.annotator(campaign.collection)
    claiming.current_batch(annotator=annotator)
    hand_out, other, *_ = claiming.open_hand_outs(annotator=annotator).select_related(
        "batch__annotator", "seat"
    )
    campaigns.judge(hand_out, 2)
    undoing.take_back(annotator=annotator, token=hand_out.token)
    assert is_sound()
    campaigns.judge(hand_out, 0)
    reports.report_pair(
        annotator=annotator, token=other.token, submission_id=uuid4(), kind="escalated", note="?"
    )
    assert is_sound()


def test_people_erased_paused_and_gone(campaign):
    accounts.pause_annotator(annotator=campaign.annotators[0])
    accounts.erase_person(user=campaign.annotators[1].user)
    accounts.join(collection=campaign.collection, user=campaign.lead, role=Role.ANNOTATOR)
    accounts.leave(
        membership=campaign.collection.memberships.get(user=campaign.lead, role=Role.ANNOTATOR)
    )
    assert is_sound()


def test_numbers_computed_again(campaign):
    refresh.rebuild(collection=campaign.collection)
    assert is_sound()
