"""Checks hidden among the candidates of a batch: golds, and repeats of a person's own pairs.

Where one query's pairs come together a gold is of a query that was claimed, or there is none: a
lone card of another query would give it away. Where queries come mixed golds are drawn whatever
their query, as candidates are.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from annotate.core.labels import batches
from annotate.models import Annotator, ClockTimestamp, Policy, Round, Seat
from annotate.services.seating.eligibility import never_met
from annotate.services.seating.in_use import pair_in_use
from annotate.services.seating.queues import ClaimedSeat
from annotate.statements import SqlValue, prepared_cursor

_AT_MOST = 1_000  # golds examined for one batch
_HAS_GOLDS = """
    SELECT EXISTS (SELECT FROM annotate_gold
                   WHERE collection_id = %s AND retired_at IS NULL AND is_positive),
           EXISTS (SELECT FROM annotate_gold
                   WHERE collection_id = %s AND retired_at IS NULL AND NOT is_positive)
"""
# Golds of one kind that this person never met; of these queries alone if any are named. Golds whose
# pair an open round wants a label of come last: as a check of her, the pair could get no label from
# her. Each batch and kind has another order: golds of one query that came one after the other would
# be recognised.
_UNMET = f"""
    SELECT gold.pair_id, pair.query_id, EXISTS (
        SELECT FROM annotate_seat open_seat
        JOIN annotate_round round ON round.id = open_seat.round_id
        WHERE open_seat.pair_id = gold.pair_id AND open_seat.purpose = 'label'
          AND open_seat.state IN ('free', 'held') AND round.state = 'open') AS is_wanted
    FROM annotate_gold gold JOIN annotate_pair pair ON pair.id = gold.pair_id
    JOIN annotate_item query ON query.id = pair.query_id
    JOIN annotate_item document ON document.id = pair.document_id
    WHERE gold.collection_id = %(collection)s AND gold.is_positive = %(is_positive)s
      AND gold.retired_at IS NULL
      AND {pair_in_use("gold.pair_id")}
      AND gold.pair_id <> ALL(%(claimed)s)
      AND (%(queries)s::bigint[] IS NULL OR pair.query_id = ANY(%(queries)s))
      AND {never_met("%(annotator)s", pair="gold.pair_id", but_for="0")}
    ORDER BY is_wanted, hashint8extended(gold.pair_id, %(seed)s), gold.id
    LIMIT %(limit)s
"""  # noqa: S608 - own words
# Pairs with a counting label of hers, old enough and not repeated yet; grouped by query if asked.
_OLD = f"""
    SELECT own.pair_id, pair.query_id, own.round_id
    FROM annotate_countingjudgment own JOIN annotate_pair pair ON pair.id = own.pair_id
    JOIN annotate_item query ON query.id = pair.query_id
    JOIN annotate_item document ON document.id = pair.document_id
    WHERE own.annotator_id = %(annotator)s AND own.purpose = 'label'
      AND own.at <= clock_timestamp() - make_interval(days => %(days)s)
      AND {pair_in_use("own.pair_id")}
      AND NOT EXISTS (SELECT FROM annotate_seat repeat WHERE repeat.annotator_id = own.annotator_id
                      AND repeat.pair_id = own.pair_id AND repeat.purpose = 'repeat')
    ORDER BY CASE WHEN %(grouped)s THEN hashint8extended(pair.query_id, %(annotator)s) END,
             hashint8extended(own.pair_id, %(annotator)s), own.pair_id
    LIMIT %(limit)s
"""  # noqa: S608 - own words
_COUNT_OLD = """
    SELECT (SELECT count(*) FROM annotate_countingjudgment own
            WHERE own.annotator_id = %(annotator)s AND own.purpose = 'label'
              AND own.at <= clock_timestamp() - make_interval(days => %(days)s)),
           (SELECT count(*) FROM annotate_seat repeat
            WHERE repeat.annotator_id = %(annotator)s AND repeat.purpose = 'repeat')
"""


def n_golds_wanted(*, policy: Policy, collection_id: int) -> int:
    """Return the number of golds in a full batch, of the kinds that the collection has."""
    with prepared_cursor() as cursor:
        cursor.execute(_HAS_GOLDS, [collection_id, collection_id])
        has_kind = cursor.fetchone()
    return sum(
        n_of_kind
        for (_, n_of_kind), has_golds in zip(_golds_by_kind(policy), has_kind, strict=True)
        if has_golds
    )


def seat_golds(
    *, annotator: Annotator, policy: Policy, claimed_seats: Sequence[ClaimedSeat], seed: int
) -> list[ClaimedSeat]:
    """Make held seats of golds for a batch of these candidates, of pairs new to the person."""
    share = min(1.0, len(claimed_seats) / policy.batch_candidates)
    golds: list[tuple[int, int]] = []
    for index, (is_positive, n_wanted) in enumerate(_golds_by_kind(policy)):
        n_golds = batches.n_checks(n_wanted, share=share, seed=seed + index)
        used_queries = [query for _, query in golds]
        golds += (
            _choose_golds(
                annotator,
                policy,
                is_positive,
                n_golds,
                claimed_seats,
                used_queries=used_queries,
                seed=seed + index,
            )
            if n_golds
            else []
        )
    if not golds:
        return []
    round_, _ = Round.objects.get_or_create(
        collection_id=annotator.collection_id,
        kind=Round.Kind.GOLD,
        name="gold",
        defaults={"policy": policy},
    )
    return _make_seats(
        annotator, Seat.Purpose.GOLD, [(pair, query, round_.pk) for pair, query in golds]
    )


def due_repeats(*, annotator: Annotator, policy: Policy) -> list[tuple[int, int, int]]:
    """Return pair, query and round of a person's next repeats, which take places of candidates."""
    if not policy.repeat_share:
        return []
    parameters = {
        "annotator": annotator.pk,
        "days": policy.repeat_after_days,
        "grouped": policy.grouped,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_COUNT_OLD, parameters)
        n_old, n_given = cursor.fetchone()
        n_due = batches.n_repeats(
            float(policy.repeat_share),
            n_old_pairs=n_old,
            n_repeated=n_given,
            n_candidates=policy.batch_candidates,
        )
        cursor.execute(_OLD, {**parameters, "limit": n_due})
        return cursor.fetchall()


def seat_repeats(
    *, annotator: Annotator, rows: Sequence[tuple[int, int, int]]
) -> list[ClaimedSeat]:
    """Make held seats of these repeats: (pair, query, round)."""
    return _make_seats(annotator, Seat.Purpose.REPEAT, rows)


def _golds_by_kind(policy: Policy) -> list[tuple[bool, int]]:
    return [(True, policy.gold_positives), (False, policy.gold_negatives)]


def _choose_golds(
    annotator: Annotator,
    policy: Policy,
    is_positive: bool,
    n: int,
    claimed_seats: Sequence[ClaimedSeat],
    *,
    used_queries: Sequence[int],
    seed: int,
) -> list[tuple[int, int]]:
    """Return pair and query of the golds of one kind that go into a batch.

    used_queries : queries of golds of another kind; each has the place of a candidate already
    """
    parameters: dict[str, SqlValue] = {
        "annotator": annotator.pk,
        "collection": annotator.collection_id,
        "is_positive": is_positive,
        "seed": seed,
        "claimed": [row.pair for row in claimed_seats],
        "queries": list({row.query for row in claimed_seats}) if policy.grouped else None,
        "limit": _AT_MOST if policy.grouped else n,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_UNMET, parameters)
        rows = cursor.fetchall()
    if not policy.grouped:
        return [(pair, query) for pair, query, _ in rows]
    free_places = Counter(row.query for row in claimed_seats) - Counter(used_queries)
    golds: list[tuple[int, int]] = []
    for is_wanted in (False, True):
        by_query: dict[int, list[int]] = defaultdict(list)
        for pair, query, is_pair_wanted in rows:
            if is_pair_wanted == is_wanted:
                by_query[query].append(pair)
        free_queries = sorted((free_places - Counter(query for _, query in golds)).elements())
        picked_pairs = batches.pick_by_query(free_queries, by_query, n=n - len(golds), seed=seed)
        query_of = {pair: query for query, pairs in by_query.items() for pair in pairs}
        golds += [(pair, query_of[pair]) for pair in picked_pairs]
    return golds


def _make_seats(
    annotator: Annotator, purpose: Seat.Purpose, rows: Sequence[tuple[int, int, int]]
) -> list[ClaimedSeat]:
    """Make seats of these (pair, query, round)."""
    seats = [
        # A lease that is over at once: the claim sets the real one, from the database's clock.
        Seat(
            collection_id=annotator.collection_id,
            round_id=round_,
            pair_id=pair,
            number=1,
            purpose=purpose,
            state=Seat.State.HELD,
            annotator=annotator,
            leased_until=ClockTimestamp(),
        )
        for pair, _, round_ in rows
    ]
    Seat.objects.bulk_create(seats)
    return [
        ClaimedSeat(seat.pk, pair, query)
        for seat, (pair, query, _) in zip(seats, rows, strict=True)
    ]
