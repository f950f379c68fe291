"""Two leads at one pair at once, while a third withdraws the labels and brings them back.

To see this test fail: let `adjudicating.adjudicate` read the pair without locking it.
"""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotate.models import Judgment, JudgmentEvent, Pair, Resolution, ReviewAction, Seat
from annotate.services.review import adjudicating
from annotate.services.supervision import withdrawing
from tests import campaigns, cast
from tests.servers.databases import run_concurrently
from tests.tables.soundness import is_sound_without_pools

pytestmark = pytest.mark.django_db(transaction=True)
EARLIER, LATER = timezone.now() - timedelta(days=1), timezone.now() + timedelta(days=1)
N = 12


@pytest.fixture
def collection():
    """Pairs that two people disagree on."""
    collection = campaigns.open_collection(
        N,
        grades=3,
        positive_from=2,
        labels_per_pair=2,
        ceiling=2,
        batch_candidates=N,
        gold_positives=0,
        gold_negatives=0,
    )
    for grade in (0, 2):
        campaigns.judge_batch(cast.annotator(collection), grade)
    return collection


def test_of_two_leads_at_one_pair_one_decision_stands_and_both_are_in_the_log(collection):
    first, second, third = (cast.member(collection, "lead") for _ in range(3))
    annotator = collection.annotators.order_by("pk").first()
    pairs = list(collection.pairs.order_by("pk"))
    assert Resolution.objects.filter(status="disputed").count() == N

    def withdraw_or_restore(number):
        why = {"annotator": annotator, "since": EARLIER, "by": third, "reason": "asleep"}
        if number % 2:
            return withdrawing.restore_annotator(until=LATER, **why)
        return withdrawing.withdraw_annotator(**why)

    for number, pair in enumerate(pairs):
        acts = [
            lambda pair=pair: adjudicating.adjudicate(
                pair=Pair.objects.get(pk=pair.pk), by=first, grade=0, note="a"
            ),
            lambda pair=pair: adjudicating.adjudicate(
                pair=Pair.objects.get(pk=pair.pk), by=second, grade=2, note="b"
            ),
            lambda number=number: withdraw_or_restore(number),
        ]
        decided, against, work = run_concurrently(lambda act: act(), acts)
        assert {decided.level.grade, against.level.grade} == {0, 2}
        assert (work.n_done, work.n_surplus) == (N, 0)
    connection.close()

    adjudications = Seat.objects.filter(purpose="adjudication", state="done")
    assert adjudications.count() == N == Seat.objects.filter(purpose="adjudication").count()
    assert Judgment.objects.filter(purpose="adjudication").count() == 2 * N
    lost = Judgment.objects.filter(purpose="adjudication", seat=None)
    withdrawn = JudgmentEvent.objects.filter(judgment__in=lost, kind="withdrawn")
    assert (lost.count(), withdrawn.values("judgment").distinct().count()) == (N, N)
    grade_by_pair = dict(adjudications.values_list("pair", "judgment__level__grade"))
    assert (
        dict(Resolution.objects.filter(status="adjudicated").values_list("pair", "grade"))
        == grade_by_pair
    )
    for pair in pairs:
        log = ReviewAction.objects.filter(pair=pair, kind="adjudicated").order_by("pk")
        assert sorted(log.values_list("by", "reason")) == [(first.pk, "a"), (second.pk, "b")]
        # who came last decided
        assert log.last().by_id == adjudications.get(pair=pair).annotator.user_id
    assert ReviewAction.objects.filter(kind__startswith="labels").count() == N
    assert Seat.objects.filter(purpose="label", state="done").count() == 2 * N
    assert is_sound_without_pools()
