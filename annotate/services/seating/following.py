"""Rounds brought under another policy: which policy, and then the resolutions and seats of their pairs."""

import numpy as np
from django.db import transaction
from django.db.models import Q, QuerySet

from annotate.models import ClockTimestamp, Collection, Policy, Round
from annotate.services.copying import BLOCK, stretches
from annotate.services.seating.reconciling import note_changes, reconcile_pairs
from annotate.services.seating.rounds import Told, nobody
from annotate.services.seating.settled import resolve_pairs
from annotate.services.statistics import learn_sizes


def rounds_apart(*, collection: Collection, policy: Policy, with_closed: bool) -> QuerySet[Round]:
    """Rounds that resolve labels otherwise than a policy does: open ones, and closed ones if asked."""
    same = Q(**{f"policy__{name}": getattr(policy, name) for name in Policy.RESOLVING})
    rounds = Round.objects.filter(collection=collection, kind__in=[Round.Kind.POOL, Round.Kind.IMPORT]).exclude(same)
    return rounds if with_closed else rounds.filter(state__in=Round.WANTING)


def begin_following(*, round_: Round, policy: Policy) -> None:
    """From now on answers are resolved by this policy; to be followed by `finish_following`, for what is resolved."""
    Round.objects.filter(pk=round_.pk).update(policy=policy, following_since=ClockTimestamp())


def finish_following(*, round_: Round, told: Told = nobody) -> None:
    """Resolve a round's pairs by its policy, and let their seats follow. Safe to run again after being killed.

    Pairs without a label are what they were: no label is resolved otherwise, and what is wanted is the round's.
    told : of one row a pair
    """
    begun = round_.following_since
    resolved = round_.round_pairs.filter(pair__resolution__isnull=False).order_by("pair_id")
    pairs = np.fromiter(resolved.values_list("pair_id", flat=True).iterator(chunk_size=BLOCK), dtype=np.int64)
    learn_sizes(annotate_pair=len(pairs), annotate_roundpair=len(pairs), annotate_seat=len(pairs),
                annotate_resolution=len(pairs))  # fmt: skip
    is_open = round_.state in Round.WANTING
    for block in stretches(len(pairs)):
        some = pairs[block]
        with transaction.atomic(savepoint=False):
            reconcile_pairs(pair_ids=some.tolist()) if is_open else resolve_pairs(pairs=some)
        told(len(some))
    with transaction.atomic():
        # The policy may have changed once more meanwhile: then another worker goes through all of them again.
        Round.objects.filter(pk=round_.pk, following_since=begun).update(following_since=None)
        note_changes(collection_id=round_.collection_id, pair_ids=[None])
