"""What waits in a lead's inbox, and its addresses."""

from uuid import uuid4

from django.urls import reverse

from annotate.models import Batch, Concern
from annotate.services.judging import claiming, reports
from tests import campaigns, cast


def inbox_collection():
    """A collection without golds, of three grades and two labels a pair."""
    return cast.collection(
        "birds",
        grades=3,
        positive_from=2,
        labels_per_pair=2,
        ceiling=2,
        gold_positives=0,
        gold_negatives=0,
        batch_candidates=20,
    )


def address(name, *args, **query):
    words = "&".join(f"{key}={value}" for key, value in query.items())
    return reverse(f"annotate:{name}", args=["birds", *args]) + (f"?{words}" if words else "")


def dispute(collection, n=1):
    """Pairs that two people gave the ends of the scheme."""
    pairs = cast.pairs(collection, n)
    campaigns.open_pool_round(collection, pairs, name=f"pool {uuid4()}")
    for grade in (0, 2):
        annotator = cast.annotator(collection)
        while claiming.current_batch(annotator=annotator):
            for hand_out in claiming.open_hand_outs(annotator=annotator).select_related(
                "batch__annotator"
            ):
                campaigns.judge(hand_out, grade, comment="only a wing")
    return pairs


def name_person(collection):
    """A person whom a guard names."""
    return Concern.objects.create(
        collection=collection,
        annotator=cast.annotator(collection),
        guard="speed",
        evidence={"n_hits": 41, "n": 50, "n_expected": 5.0, "mark": 1.0},
    )


def report(collection, kind, n_people=1, note="two birds"):
    """One new pair that so many people report."""
    (pair,) = cast.pairs(collection, 1)
    campaigns.open_pool_round(collection, [pair], name=f"pool {uuid4()}")
    for _ in range(n_people):
        annotator = cast.annotator(collection)
        claiming.current_batch(annotator=annotator)
        hand_out = claiming.open_hand_outs(annotator=annotator).get(seat__pair=pair)
        reports.report_pair(
            annotator=annotator,
            token=hand_out.token,
            submission_id=uuid4(),
            kind=kind,
            reason="broken",
            note=note,
        )
    return pair


def fail_batch(collection):
    """A finished batch whose golds were missed."""
    campaigns.open_pool_round(collection, cast.pairs(collection, 2), name=f"pool {uuid4()}")
    batch = campaigns.judge_batch(cast.annotator(collection), 2)
    Batch.objects.filter(pk=batch.pk).update(n_golds=2, n_golds_right=0, gold_action="warn")
    return Batch.objects.get(pk=batch.pk)
