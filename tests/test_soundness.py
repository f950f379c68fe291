"""After everything people do, every check of `manage.py fsck` is still silent."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.checks.check import run
from annotate.core.judgment_formats import JudgmentColumns
from annotate.models import Batch, Judgment, Report, Role, Seat
from annotate.services import accounts, claiming, importing, judging, reviewing, settling, withdrawing
from config.management.commands.fsck import CHECKS
from metrics.services import refresh
from pooling.services import pools
from tests import campaigns, cast
from tests.annotate.core.files import file

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return campaigns.campaign("made")


def sound():
    """That nothing is broken; what is broken shows in the failure."""
    assert [(finding.check.name, finding.lines) for finding in run(CHECKS) if not finding.check.notice] == []
    return True


def finish(annotator, grade=1):
    """Judge all that is left of a batch, or of a new one."""
    batch = claiming.current_batch(annotator=annotator)
    for hand_out in claiming.unanswered(annotator=annotator).select_related("batch__annotator"):
        campaigns.judge(hand_out, grade)
    return Batch.objects.get(pk=batch.pk)


def test_an_import_and_the_same_people_with_other_labels(made):
    columns = JudgmentColumns()
    for grade in (1, 2, 2):
        stream = file("annotator,query,document,grade", f"a,q0,d0,{grade}", "b,q0,d0,1", "c,q1,d1,0")
        importing.import_judgments(
            collection=made.collection, stream=stream, file_name="a.csv", columns=columns, name="experts"
        )
        assert sound()


def test_pools_opened_closed_and_opened_again_over_the_same_pairs(made):
    for number, depth in enumerate((2, 4)):
        pool = pools.create_pool(
            collection=made.collection, name=f"pool {number}", strategy="depth-k", parameters={"depth": depth},
            runs=[made.run], by=made.researcher,
        )
        pools.open_pool(pool=pool)
        assert pool.state == "open", pool.error
        assert sound()
    finish(cast.annotator(made.collection))
    for change in (pools.close_pool, pools.reopen_pool, pools.close_pool):
        change(pool=pool)
        assert sound()


def test_a_rejected_batch_and_the_labels_that_replace_it(made):
    batch = finish(made.annotators[1])
    reviewing.reject_batch(batch=batch, by=made.lead, reason="golds missed")
    assert sound()
    assert not Seat.objects.filter(judgment__hand_out__batch=batch).exists()
    for _ in range(2):
        finish(cast.annotator(made.collection))
        assert sound()


def test_an_annotator_whose_labels_are_withdrawn(made):
    since = timezone.now() - timedelta(days=1)
    assert withdrawing.withdraw_annotator(annotator=made.annotators[1], since=since, by=made.lead, reason="left")
    assert sound()


def test_a_lapsed_seat_that_another_took_and_the_late_answer(made):
    late = made.annotators[1]
    (hand_out, *_) = claiming.unanswered(annotator=late).select_related("batch__annotator", "seat")
    Seat.objects.filter(annotator=late, state="held").update(leased_until=timezone.now() - timedelta(minutes=1))
    for _ in range(3):
        finish(cast.annotator(made.collection), grade=0)
        assert sound()
    campaigns.judge(hand_out, 2)
    assert Judgment.objects.filter(annotator=late, pair=hand_out.seat.pair).exists()
    assert sound()


def test_a_report_settled_and_an_undone_answer_given_again(made):
    settling.settle_reports(pair=Report.objects.get().pair, by=made.lead)
    assert sound()
    annotator = cast.annotator(made.collection)
    claiming.current_batch(annotator=annotator)
    hand_out, other, *_ = claiming.unanswered(annotator=annotator).select_related("batch__annotator", "seat")
    campaigns.judge(hand_out, 2)
    judging.undo_judgment(annotator=annotator, token=hand_out.token)
    assert sound()
    campaigns.judge(hand_out, 0)
    judging.report_pair(annotator=annotator, token=other.token, submission_id=uuid4(), kind="escalated", note="?")
    assert sound()


def test_people_erased_paused_and_gone(made):
    accounts.pause_annotator(annotator=made.annotators[0])
    accounts.erase_person(user=made.annotators[1].user)
    accounts.join(collection=made.collection, user=made.lead, role=Role.ANNOTATOR)
    accounts.leave(membership=made.collection.memberships.get(user=made.lead, role=Role.ANNOTATOR))
    assert sound()


def test_numbers_computed_again(made):
    refresh.rebuild(collection=made.collection)
    assert sound()
