"""What is handed out unseen among the candidates of a batch: golds, and a person's own pairs once more.

Where one query's pairs come together a gold is of a query that was claimed, or there is none: a lone card of another
query would give it away. Where queries come mixed golds are drawn whatever their query, as candidates are.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from annotate.core import batches
from annotate.models import Annotator, ClockTimestamp, Policy, Round, Seat
from annotate.services.queues import Claimed
from annotate.statements import prepared

_AT_MOST = 1_000  # golds looked at for one batch
_HAS_GOLDS = """
    SELECT EXISTS (SELECT FROM annotate_gold WHERE collection_id = %s AND retired_at IS NULL AND is_positive),
           EXISTS (SELECT FROM annotate_gold WHERE collection_id = %s AND retired_at IS NULL AND NOT is_positive)
"""
# Golds of one kind that this person has no seat of, never judged (a late answer may have no seat) and reported nothing
# about; of these queries alone if any are named.
# Those last on whose pair she could give a label that is wanted: whom it checks it would keep from giving that.
# Another order for each batch and kind: golds of one query that came one after the other would be known by it.
_UNMET = """
    SELECT gold.pair_id, pair.query_id, EXISTS (
        SELECT FROM annotate_seat wanted JOIN annotate_round round ON round.id = wanted.round_id
        WHERE wanted.pair_id = gold.pair_id AND wanted.purpose = 'label' AND wanted.state IN ('free', 'held')
          AND round.state = 'open') AS is_wanted
    FROM annotate_gold gold JOIN annotate_pair pair ON pair.id = gold.pair_id
    JOIN annotate_item query ON query.id = pair.query_id JOIN annotate_item document ON document.id = pair.document_id
    WHERE gold.collection_id = %(collection)s AND gold.is_positive = %(is_positive)s AND gold.retired_at IS NULL
      AND query.excluded_at IS NULL AND document.excluded_at IS NULL
      AND gold.pair_id <> ALL(%(claimed)s)
      AND (%(queries)s::bigint[] IS NULL OR pair.query_id = ANY(%(queries)s))
      AND NOT EXISTS (SELECT FROM annotate_pairexclusion out WHERE out.pair_id = gold.pair_id)
      AND NOT EXISTS (SELECT FROM annotate_seat met
                      WHERE met.annotator_id = %(annotator)s AND met.pair_id = gold.pair_id)
      AND NOT EXISTS (SELECT FROM annotate_judgment said
                      WHERE said.annotator_id = %(annotator)s AND said.pair_id = gold.pair_id)
      AND NOT EXISTS (SELECT FROM annotate_report report
                      WHERE report.annotator_id = %(annotator)s AND report.pair_id = gold.pair_id
                        AND report.state <> 'undone')
    ORDER BY is_wanted, hashint8extended(gold.pair_id, %(seed)s), gold.id
    LIMIT %(limit)s
"""
# Pairs whose labels of hers count and are old enough, and that have not come back; one query's together if asked.
_OLD = """
    SELECT mine.pair_id, pair.query_id, mine.round_id
    FROM annotate_seat mine JOIN annotate_judgment said ON said.id = mine.judgment_id
    JOIN annotate_pair pair ON pair.id = mine.pair_id
    JOIN annotate_item query ON query.id = pair.query_id JOIN annotate_item document ON document.id = pair.document_id
    WHERE mine.annotator_id = %(annotator)s AND mine.purpose = 'label' AND mine.state = 'done'
      AND said.at <= clock_timestamp() - make_interval(days => %(days)s)
      AND query.excluded_at IS NULL AND document.excluded_at IS NULL
      AND NOT EXISTS (SELECT FROM annotate_pairexclusion out WHERE out.pair_id = mine.pair_id)
      AND NOT EXISTS (SELECT FROM annotate_seat again WHERE again.annotator_id = mine.annotator_id
                      AND again.pair_id = mine.pair_id AND again.purpose = 'repeat')
    ORDER BY CASE WHEN %(grouped)s THEN hashint8extended(pair.query_id, %(annotator)s) END,
             hashint8extended(mine.pair_id, %(annotator)s), mine.pair_id
    LIMIT %(limit)s
"""
_COUNT_OLD = """
    SELECT count(*) FILTER (WHERE mine.purpose = 'label' AND mine.state = 'done'
                            AND said.at <= clock_timestamp() - make_interval(days => %(days)s)),
           count(*) FILTER (WHERE mine.purpose = 'repeat')
    FROM annotate_seat mine LEFT JOIN annotate_judgment said ON said.id = mine.judgment_id
    WHERE mine.annotator_id = %(annotator)s AND mine.purpose IN ('label', 'repeat')
"""


def n_golds_wanted(*, policy: Policy, collection_id: int) -> int:
    """Golds of a full batch, of the kinds that the collection has at all."""
    with prepared() as cursor:
        cursor.execute(_HAS_GOLDS, [collection_id, collection_id])
        has = cursor.fetchone()
    return sum(n for (_, n), there_are in zip(_kinds(policy), has, strict=True) if there_are)


def seat_golds(*, annotator: Annotator, policy: Policy, claimed: Sequence[Claimed], seed: int) -> list[Claimed]:
    """Make held seats of golds for a batch with these candidates, from pairs that this person has no seat of."""
    share = min(1.0, len(claimed) / policy.batch_candidates)
    chosen: list[tuple[int, int]] = []
    for place, (is_positive, n_wanted) in enumerate(_kinds(policy)):
        n = batches.n_placed(n_wanted, share=share, seed=seed + place)
        taken = [query for _, query in chosen]
        chosen += _choose(annotator, policy, is_positive, n, claimed, taken=taken, seed=seed + place) if n else []
    if not chosen:
        return []
    round_, _ = Round.objects.get_or_create(
        collection_id=annotator.collection_id, kind=Round.Kind.GOLD, name="gold", defaults={"policy": policy}
    )
    return _seat(annotator, Seat.Purpose.GOLD, [(pair, query, round_.pk) for pair, query in chosen])


def due_repeats(*, annotator: Annotator, policy: Policy) -> list[tuple[int, int, int]]:
    """Pair, query and round of what comes back to this person in her next batch; candidates leave it their places."""
    if not policy.repeat_share:
        return []
    asked = {"annotator": annotator.pk, "days": policy.repeat_after_days, "grouped": policy.grouped}
    with prepared() as cursor:
        cursor.execute(_COUNT_OLD, asked)
        n_old, n_given = cursor.fetchone()
        n = batches.n_repeats(
            float(policy.repeat_share), n_old=n_old, n_given=n_given, n_candidates=policy.batch_candidates
        )
        cursor.execute(_OLD, {**asked, "limit": n})
        return cursor.fetchall()


def seat_repeats(*, annotator: Annotator, rows: Sequence[tuple[int, int, int]]) -> list[Claimed]:
    """Make held seats of them."""
    return _seat(annotator, Seat.Purpose.REPEAT, rows)


def _kinds(policy: Policy) -> list[tuple[bool, int]]:
    return [(True, policy.gold_positives), (False, policy.gold_negatives)]


def _choose(
    annotator: Annotator, policy: Policy, is_positive: bool, n: int, claimed: Sequence[Claimed], *,
    taken: Sequence[int], seed: int,
) -> list[tuple[int, int]]:  # fmt: skip
    """Pair and query of the golds of one kind that go into a batch.

    taken : queries of golds of another kind; each has the place of a candidate already
    """
    asked = {
        "annotator": annotator.pk, "collection": annotator.collection_id, "is_positive": is_positive, "seed": seed,
        "claimed": [row.pair for row in claimed],
        "queries": list({row.query for row in claimed}) if policy.grouped else None,
        "limit": _AT_MOST if policy.grouped else n,
    }  # fmt: skip
    with prepared() as cursor:
        cursor.execute(_UNMET, asked)
        rows = cursor.fetchall()
    if not policy.grouped:
        return [(pair, query) for pair, query, _ in rows]
    places = Counter(row.query for row in claimed) - Counter(taken)
    chosen: list[tuple[int, int]] = []
    for is_wanted in (False, True):
        by_query: dict[int, list[int]] = defaultdict(list)
        for pair, query, wanted in rows:
            if wanted == is_wanted:
                by_query[query].append(pair)
        left = sorted((places - Counter(query for _, query in chosen)).elements())
        picked = batches.pick_by_query(left, by_query, n=n - len(chosen), seed=seed)
        query_of = {pair: query for query, pairs in by_query.items() for pair in pairs}
        chosen += [(pair, query_of[pair]) for pair in picked]
    return chosen


def _seat(annotator: Annotator, purpose: Seat.Purpose, rows: Sequence[tuple[int, int, int]]) -> list[Claimed]:
    """Make seats of these (pair, query, round)."""
    seats = [
        # A lease that is over at once: whoever claims sets the one that counts, from the database's clock.
        Seat(
            collection_id=annotator.collection_id, round_id=round_, pair_id=pair, number=1, purpose=purpose,
            state=Seat.State.HELD, annotator=annotator, leased_until=ClockTimestamp(),
        )
        for pair, _, round_ in rows
    ]  # fmt: skip
    Seat.objects.bulk_create(seats)
    return [Claimed(seat.pk, pair, query) for seat, (pair, query, _) in zip(seats, rows, strict=True)]
