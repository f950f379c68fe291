"""The number of batches left in open pools that can have golds among them."""

from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotate.core.labels.batches import max_batches
from annotate.models import Collection, Gold, Policy
from annotate.services.seating.queues import open_rounds
from annotate.statements import prepared_cursor

# Free seats of the open pools, and of them those of a query that has a gold in use: the seats of a
# pair stand in different runs of its query, first labels in one, second ones in another.
_FREE = """
    SELECT count(*) FROM annotate_seat seat JOIN annotate_round round ON round.id = seat.round_id
    WHERE round.collection_id = %(collection)s AND round.kind = 'pool' AND round.state = 'open'
      AND seat.purpose = 'label' AND seat.state = 'free'
"""
_OF_GOLD_QUERIES = """
    SELECT pair.query_id, seat.number, count(*)
    FROM annotate_pair pair JOIN annotate_seat seat ON seat.pair_id = pair.id
    JOIN annotate_round round ON round.id = seat.round_id
    WHERE pair.query_id IN (
            SELECT gold_pair.query_id FROM annotate_gold gold
              JOIN annotate_pair gold_pair ON gold_pair.id = gold.pair_id
            WHERE gold.collection_id = %(collection)s AND gold.retired_at IS NULL
              AND gold.is_positive = ANY(%(kinds)s))
      AND round.kind = 'pool' AND round.state = 'open'
      AND seat.purpose = 'label' AND seat.state = 'free'
    GROUP BY pair.query_id, seat.number
"""


class GoldReach(NamedTuple):
    """An estimate of the batches that golds fit into; their real begin and end are unknown.

    n_batches : batches that the open pools still hold; n_holding : those that can have a gold
    n_queries : their queries with a gold, if one query's pairs come together; None if mixed
    policy : the policy that batches are made under
    """

    n_batches: int
    n_holding: int
    n_queries: int | None
    policy: Policy

    @property
    def sentence(self) -> SafeString:
        """The reach in words, with its numbers set off."""
        policy, plural = self.policy, "" if self.n_batches == 1 else "es"
        if self.n_holding:
            return format_html(
                'The open pools still hold about <strong class="tabular">{n}</strong> '
                "batch{plural}; golds fit into about "
                '<strong class="tabular">{n_holding}</strong> of them{queries}. A batch holds up '
                "to {n_positives} relevant and up to {n_negatives} irrelevant, and nobody meets "
                "one twice.",
                n=f"{self.n_batches:,}",
                plural=plural,
                n_holding=f"{self.n_holding:,}",
                queries=self._queries_with_golds,
                n_positives=policy.gold_positives,
                n_negatives=policy.gold_negatives,
            )
        if not policy.gold_positives and not policy.gold_negatives:
            return format_html("{}", "The policy of the open pools puts no golds into batches.")
        if not self.n_batches:
            return format_html("{}", "The open pools hold no further batch.")
        is_grouped = self.n_queries is not None
        return format_html(
            "<strong>None of the about {} batch{} that the open pools still hold can have a gold"
            "</strong>{}. Add golds{}, or nobody\N{RIGHT SINGLE QUOTATION MARK}s work is checked.",
            f"{self.n_batches:,}",
            plural,
            ": none of their queries has one" if is_grouped else "",
            " of these queries" if is_grouped else "",
        )

    @property
    def _queries_with_golds(self) -> str:
        if self.n_queries is None:
            return ""
        return (
            f": {self.n_queries:,} of their queries {'has' if self.n_queries == 1 else 'have'} one"
        )


def gold_reach(*, collection: Collection) -> GoldReach | None:
    """Return the present reach of golds; None if no pool is open. Three queries."""
    round_ = open_rounds(collection_id=collection.pk).select_related("policy").first()
    if round_ is None:
        return None
    policy: Policy = round_.policy
    kinds = [
        is_positive
        for is_positive, n in ((True, policy.gold_positives), (False, policy.gold_negatives))
        if n
    ]
    with prepared_cursor() as cursor:
        cursor.execute(_FREE, {"collection": collection.pk})
        (n_free,) = cursor.fetchone()
    n_batches = -(-n_free // policy.batch_candidates)
    if not policy.grouped:
        has_golds = Gold.objects.filter(
            collection=collection, retired_at=None, is_positive__in=kinds
        ).exists()
        return GoldReach(n_batches, n_batches if has_golds else 0, None, policy)
    with prepared_cursor() as cursor:
        cursor.execute(_OF_GOLD_QUERIES, {"collection": collection.pk, "kinds": kinds})
        rows = cursor.fetchall()
    n_holding = max_batches([n for *_, n in rows], policy.batch_candidates)
    return GoldReach(
        n_batches, min(n_batches, n_holding), len({query for query, *_ in rows}), policy
    )
