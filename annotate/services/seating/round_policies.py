"""Rounds brought under another policy, with the resolutions and seats of their pairs."""

import numpy as np
from django.db import transaction
from django.db.models import Q, QuerySet

from annotate.models import ClockTimestamp, Collection, Policy, Round
from annotate.services.seating.bulk_resolutions import resolve_pairs
from annotate.services.seating.reconciling import note_changes, reconcile_pairs
from annotate.services.seating.rounds import RowsCallback, ignore_rows
from annotate.services.storage.bulk_copy import BLOCK, stretches
from annotate.services.storage.planner_statistics import analyse_underestimated_tables


def differing_rounds(
    *, collection: Collection, policy: Policy, with_closed: bool
) -> QuerySet[Round]:
    """Return open rounds that resolve labels otherwise, and closed ones if asked."""
    same = Q(**{f"policy__{name}": getattr(policy, name) for name in Policy.RESOLVING})
    rounds = Round.objects.filter(collection=collection, kind__in=Round.FOR_LABELS).exclude(same)
    return rounds if with_closed else rounds.filter(state__in=Round.WANTING)


def begin_following(*, round_: Round, policy: Policy) -> None:
    """Resolve new answers by this policy; `finish_following` resolves earlier answers by it."""
    Round.objects.filter(pk=round_.pk).update(policy=policy, following_since=ClockTimestamp())


def finish_following(*, round_: Round, on_rows: RowsCallback = ignore_rows) -> None:
    """Resolve a round's pairs by its policy, and reconcile their seats; safe to run again.

    Pairs without a label stay as they are: they have nothing to resolve, and the number of labels
    wanted is the round's.

    on_rows : called with one row a pair
    """
    following_since = round_.following_since
    resolved_pairs = round_.round_pairs.filter(pair__resolution__isnull=False).order_by("pair_id")
    pairs = np.fromiter(
        resolved_pairs.values_list("pair_id", flat=True).iterator(chunk_size=BLOCK), dtype=np.int64
    )
    analyse_underestimated_tables(
        annotate_pair=len(pairs),
        annotate_roundpair=len(pairs),
        annotate_seat=len(pairs),
        annotate_resolution=len(pairs),
    )
    is_open = round_.state in Round.WANTING
    for block in stretches(len(pairs)):
        block_pairs = pairs[block]
        with transaction.atomic(savepoint=False):
            reconcile_pairs(pair_ids=block_pairs.tolist()) if is_open else resolve_pairs(
                pairs=block_pairs
            )
        on_rows(len(block_pairs))
    with transaction.atomic():
        # If the policy has changed once more meanwhile, another worker goes through all of them.
        Round.objects.filter(pk=round_.pk, following_since=following_since).update(
            following_since=None
        )
        note_changes(collection_id=round_.collection_id, pair_ids=[None])
