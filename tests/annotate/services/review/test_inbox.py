"""What waits for a lead leaves her inbox once nothing of it can be decided any more."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.models import Batch, Gold, JudgmentEvent, Resolution
from annotate.services.judging import claiming, reports
from annotate.services.review import exclusions, inbox
from annotate.services.review.inbox import Tab
from annotate.services.supervision import verdicts, withdrawing
from tests import campaigns, cast

pytestmark = pytest.mark.django_db
EARLIER, LATER = timezone.now() - timedelta(days=1), timezone.now() + timedelta(days=1)


@pytest.fixture
def collection():
    return campaigns.open_collection(
        4,
        grades=3,
        positive_from=2,
        labels_per_pair=2,
        ceiling=2,
        batch_candidates=4,
        gold_positives=0,
        gold_negatives=0,
    )


def fail(batch, **fields):
    """Let the batch wait for a lead."""
    Batch.objects.filter(pk=batch.pk).update(n_golds=2, n_golds_right=0, **fields)


def listed_batches(collection):
    """The keys of the batches that wait; as many as the count says."""
    keys = list(inbox.waiting_batches(collection=collection).values_list("pk", flat=True))
    assert inbox.count(collection=collection).batches == len(keys)
    return keys


@pytest.mark.parametrize("fields", [{"verdict": "held"}, {"gold_action": "warn"}])
def test_a_failed_batch_leaves_with_the_last_of_its_answers_and_returns_with_them(
    collection, lead, fields
):
    annotator = cast.annotator(collection)
    batch = campaigns.judge_batch(annotator, 2)
    fail(batch, **fields)
    assert listed_batches(collection) == [batch.pk]
    decision = {"by": lead, "reason": "guessed"}
    withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, **decision)
    assert listed_batches(collection) == []
    withdrawing.restore_annotator(annotator=annotator, since=EARLIER, until=LATER, **decision)
    assert listed_batches(collection) == [batch.pk]


def test_a_failed_batch_stays_while_one_of_its_answers_counts(collection, lead):
    annotator = cast.annotator(collection)
    batch = campaigns.judge_batch(annotator, 2)
    fail(batch, verdict="held")
    last_answer = annotator.judgments.latest("pk")
    withdrawing.withdraw_annotator(
        annotator=annotator, since=last_answer.at, by=lead, reason="guessed"
    )
    assert JudgmentEvent.objects.filter(kind="withdrawn").count() == 1
    assert listed_batches(collection) == [batch.pk]


def test_a_verdict_taken_back_whose_places_others_took_leaves_nothing_to_decide(collection, lead):
    annotator = cast.annotator(collection)
    batch = campaigns.judge_batch(annotator, 2)
    verdicts.reject_batch(batch=batch, by=lead, reason="guessed")
    for _ in range(2):
        campaigns.judge_batch(cast.annotator(collection), 1)
    verdicts.reopen_batch(batch=batch, by=lead)
    assert Batch.objects.get(pk=batch.pk).verdict == ""
    assert listed_batches(collection) == []


@pytest.mark.parametrize(
    ("gold_action", "verdict", "n_waiting"),
    [
        ("", "", 0),
        ("warn", "", 1),
        ("hold", "held", 1),
        ("reject", "held", 1),
        ("pause", "held", 1),
    ],
)
@pytest.mark.parametrize("act", ["accept_batch", "reject_batch"])
def test_a_verdict_taken_back_leaves_the_batch_as_it_was_before(
    collection, lead, act, gold_action, verdict, n_waiting
):
    batch = campaigns.judge_batch(cast.annotator(collection), 2)
    Batch.objects.filter(pk=batch.pk).update(verdict=verdict, gold_action=gold_action)
    getattr(verdicts, act)(batch=batch, by=lead, reason="looked")
    assert listed_batches(collection) == []
    verdicts.reopen_batch(batch=batch, by=lead)
    assert batch.verdict == verdict
    assert len(listed_batches(collection)) == n_waiting


def test_a_disputed_pair_leaves_with_the_labels_that_it_is_disputed_by(collection, lead):
    first, second = cast.annotator(collection), cast.annotator(collection)
    for annotator, grade in ((first, 0), (second, 2)):
        campaigns.judge_batch(annotator, grade)
    assert inbox.count(collection=collection).disputed == 4
    withdrawing.withdraw_annotator(annotator=second, since=EARLIER, by=lead, reason="guessed")
    assert inbox.count(collection=collection) == inbox.NOTHING
    assert not inbox.waiting_pairs(collection=collection, tab=Tab.DISPUTED).exists()
    assert not Resolution.objects.filter(status="disputed").exists()


@pytest.mark.parametrize("kind", ["cannot_judge", "escalated"])
@pytest.mark.parametrize("subject", ["pair", "document"])
def test_a_report_of_what_was_excluded_meanwhile_does_not_wait(lead, subject, kind):
    collection = cast.collection(
        "golds", grades=3, batch_candidates=2, grouped=False, gold_negatives=0
    )
    *candidates, gold = cast.pairs(collection, 4)
    Gold.objects.create(
        collection=collection, pair=gold, grade=2, is_positive=True, origin="curated"
    )
    campaigns.open_pool_round(collection, candidates)
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    hand_out = claiming.open_hand_outs(annotator=annotator).get(seat__pair=gold)
    if subject == "pair":
        exclusions.exclude_pair(pair=gold, by=lead, reason="broken")
    else:
        exclusions.exclude_item(item=gold.document, by=lead, reason="broken")
    reports.report_pair(annotator=annotator, token=hand_out.token, submission_id=uuid4(), kind=kind)
    assert inbox.count(collection=collection) == inbox.NOTHING
    tab = Tab.CANNOT if kind == "cannot_judge" else Tab.ESCALATED
    assert not inbox.waiting_pairs(collection=collection, tab=tab).exists()
