"""How many of the batches that open pools still hold can have golds among them."""

from typing import NamedTuple

from annotate.core.batches import n_touched
from annotate.models import Collection, Gold, Policy
from annotate.services.queues import open_rounds
from annotate.statements import prepared

# Free seats of the open pools, and of them those of a query that has a gold in use, query by query.
_FREE = """
    SELECT count(*) FROM annotate_seat seat JOIN annotate_round round ON round.id = seat.round_id
    WHERE round.collection_id = %(collection)s AND round.kind = 'pool' AND round.state = 'open'
      AND seat.purpose = 'label' AND seat.state = 'free'
"""
_OF_GOLD_QUERIES = """
    SELECT pair.query_id, count(*)
    FROM annotate_pair pair JOIN annotate_seat seat ON seat.pair_id = pair.id
    JOIN annotate_round round ON round.id = seat.round_id
    WHERE pair.query_id IN (
            SELECT asked.query_id FROM annotate_gold gold JOIN annotate_pair asked ON asked.id = gold.pair_id
            WHERE gold.collection_id = %(collection)s AND gold.retired_at IS NULL)
      AND round.kind = 'pool' AND round.state = 'open' AND seat.purpose = 'label' AND seat.state = 'free'
    GROUP BY pair.query_id
"""


class GoldReach(NamedTuple):
    """n_batches : that the open pools still hold; n_holding : of them those that can have a gold, at most

    n_queries : queries of theirs that have a gold, where one query's pairs come together; None where queries come mixed
    """

    n_batches: int
    n_holding: int
    n_queries: int | None


def gold_reach(*, collection: Collection) -> GoldReach | None:
    """What golds reach by now; None where no pool is open. Three queries."""
    round_ = open_rounds(collection_id=collection.pk).select_related("policy").first()
    if round_ is None:
        return None
    policy: Policy = round_.policy
    with prepared() as cursor:
        cursor.execute(_FREE, {"collection": collection.pk})
        (n_free,) = cursor.fetchone()
    n_batches = -(-n_free // policy.batch_candidates)
    if not policy.grouped:
        has_golds = Gold.objects.filter(collection=collection, retired_at=None).exists()
        return GoldReach(n_batches, n_batches if has_golds else 0, None)
    with prepared() as cursor:
        cursor.execute(_OF_GOLD_QUERIES, {"collection": collection.pk})
        seats = [n for _, n in cursor.fetchall()]
    return GoldReach(n_batches, min(n_batches, n_touched(seats, policy.batch_candidates)), len(seats))
