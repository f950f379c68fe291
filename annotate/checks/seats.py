"""Checks of seats, hand-outs and batches: their holders, and whether free seats are as planned."""

from collections.abc import Iterator

from django.db.models import Q

from annotate.checks.check import Check, query
from annotate.core.labels import keyed_choices
from annotate.models import Pair, Resolution, Round, RoundPair
from annotate.services import seating


def differences_of_seats() -> Iterator[str]:
    """Yield the free seats that reconciling would make, move or withdraw."""
    for changes in _plans():
        yield from (
            f"pair {seat.pair_id}: a free seat {seat.number} is missing"
            for seat in changes.new_seats
        )
        yield from (
            f"seat {seat.pk} of pair {seat.pair_id} should be free, asked for: {seat.why}"
            for seat in changes.seats_to_free
        )
        yield from (
            f"seat {seat.pk} of pair {seat.pair_id} should be withdrawn"
            for seat in changes.seats_to_withdraw
        )
        yield from (
            f"held seat {seat.pk} of pair {seat.pair_id} is in a round that cannot give it out "
            "again"
            for seat in changes.seats_to_move
        )


def differences_of_resolutions() -> Iterator[str]:
    """Yield the resolutions that reconciling would write otherwise."""
    for changes in _plans():
        expected = {row.pair_id: row.content for row in changes.resolutions} | dict.fromkeys(
            changes.unresolved_pairs
        )
        stored_contents = {
            row.pair_id: row.content for row in Resolution.objects.filter(pair__in=expected)
        }
        for pair, content in expected.items():
            if stored_contents.get(pair) != content:
                yield f"pair {pair}: stored {stored_contents.get(pair)}, its labels give {content}"


def inexact_doubles() -> Iterator[str]:
    """Yield the rounds in which other pairs are doubled than the keyed order demands."""
    for round_ in Round.objects.filter(kind=Round.Kind.POOL).select_related("policy", "collection"):
        n_wanted_by_pair = dict(round_.round_pairs.values_list("pair_id", "n_wanted"))
        single, key = round_.policy.labels_per_pair, bytes(round_.collection.key)
        doubles = keyed_choices.choose_doubles(
            n_wanted_by_pair, share=round_.policy.double_share, key=key
        )
        wrong = [pair for pair, n in n_wanted_by_pair.items() if n != single + (pair in doubles)]
        if wrong:
            yield (
                f"round {round_.pk}: {len(wrong)} pairs want another number of labels, such as "
                f"pair {wrong[0]}"
            )


def _plans() -> Iterator[seating.SeatPlan]:
    has_turning_round = Q(round__state__in=[Round.State.OPENING, Round.State.CLOSING])
    under_way = RoundPair.objects.filter(
        has_turning_round | Q(round__following_since__isnull=False)
    )
    pairs_at_rest = Pair.objects.exclude(pk__in=under_way.values("pair"))
    last = 0
    while pairs := list(pairs_at_rest.filter(pk__gt=last).order_by("pk")[: seating.CHUNK]):
        yield seating.plan(pairs=pairs)
        last = pairs[-1].pk


CHECKS = [
    Check(
        "annotate.seat-state",
        "A seat is free, held until a moment, done with a judgment, or withdrawn.",
        query("""
        SELECT format('seat %s is %s', id, state) FROM annotate_seat
        WHERE CASE state
              WHEN 'free' THEN coalesce(annotator_id, judgment_id) IS NOT NULL
                            OR leased_until IS NOT NULL
              WHEN 'held' THEN annotator_id IS NULL OR leased_until IS NULL
                            OR judgment_id IS NOT NULL
              WHEN 'done' THEN annotator_id IS NULL OR leased_until IS NOT NULL
                            OR judgment_id IS NULL
              WHEN 'withdrawn' THEN leased_until IS NOT NULL OR judgment_id IS NOT NULL
              ELSE true END"""),
    ),
    Check(
        "annotate.seat-handed-out",
        "A seat that is held or done was handed out to its annotator.",
        query("""
        SELECT format('seat %s is %s by annotator %s', seat.id, seat.state, seat.annotator_id)
        FROM annotate_seat seat
        WHERE seat.state IN ('held', 'done')
          AND seat.purpose IN ('label', 'gold', 'training', 'repeat')
          AND NOT EXISTS (SELECT FROM annotate_handout hand_out
                          JOIN annotate_batch batch ON batch.id = hand_out.batch_id
                          WHERE hand_out.seat_id = seat.id
                            AND batch.annotator_id = seat.annotator_id)"""),
    ),
    Check(
        "annotate.seat-in-round",
        "A label's or import's seat belongs to a round that names its pair.",
        query("""
        SELECT format('seat %s of pair %s in round %s', seat.id, seat.pair_id, seat.round_id)
        FROM annotate_seat seat
        WHERE seat.purpose IN ('label', 'import')
          AND NOT EXISTS (SELECT FROM annotate_roundpair round_pair
                          WHERE round_pair.round_id = seat.round_id
                            AND round_pair.pair_id = seat.pair_id)"""),
    ),
    Check(
        "annotate.pair-left-out",
        "An excluded pair is wanted by no round.",
        query("""
        SELECT format('pair %s is wanted by round %s', pair.id, round_pair.round_id)
        FROM annotate_pairexclusion excluded JOIN annotate_pair pair ON pair.id = excluded.pair_id
        JOIN annotate_roundpair round_pair
          ON round_pair.pair_id = pair.id AND round_pair.dropped_at IS NULL"""),
    ),
    Check(
        "annotate.seat-reachable",
        "A free seat can be claimed: a label's seat in an open pool, or one being opened or "
        "closed.",
        query("""
        SELECT format('%s seat %s in %s %s round %s',
                      seat.purpose, seat.id, round.state, round.kind, round.id)
        FROM annotate_seat seat JOIN annotate_round round ON round.id = seat.round_id
        WHERE seat.state = 'free'
          AND NOT (seat.purpose = 'label' AND round.kind = 'pool' AND round.state <> 'closed')"""),
    ),
    Check(
        "annotate.seat-one-label",
        "Nobody has two labels that count on one pair.",
        query("""
        SELECT format('annotator %s, pair %s: %s labels count', annotator_id, pair_id, count(*))
        FROM annotate_seat
        WHERE state = 'done' AND purpose IN ('label', 'import')
        GROUP BY annotator_id, pair_id HAVING count(*) > 1"""),
    ),
    Check(
        "annotate.seats-planned",
        "The free seats are those that labels, open rounds and policy ask for.",
        differences_of_seats,
    ),
    Check(
        "annotate.resolutions-derived",
        "Each resolution is what its labels give.",
        differences_of_resolutions,
    ),
    Check(
        "annotate.doubles-exact",
        "Of a round's pairs exactly the head of the keyed order is doubled.",
        inexact_doubles,
    ),
    Check(
        "annotate.closed-round",
        "A closed round has no free seats.",
        query("""
        SELECT format('round %s has %s free seats', round.id, count(*))
        FROM annotate_round round
        JOIN annotate_seat seat ON seat.round_id = round.id AND seat.state = 'free'
        WHERE round.state = 'closed' GROUP BY round.id"""),
    ),
    Check(
        "annotate.batch-one-open",
        "A person has at most one unfinished batch.",
        query("""
        SELECT format('annotator %s has %s', annotator_id, count(*)) FROM annotate_batch
        WHERE finished_at IS NULL GROUP BY annotator_id HAVING count(*) > 1"""),
    ),
    Check(
        "annotate.batch-settled",
        "A settled batch is finished.",
        query("""
        SELECT format('batch %s', id) FROM annotate_batch
        WHERE settled_at IS NOT NULL AND finished_at IS NULL"""),
    ),
    Check(
        "annotate.batch-positions",
        "The positions of a batch count from 1 without a gap.",
        query("""
        SELECT format('batch %s: %s hand-outs, positions %s to %s',
                      batch_id, count(*), min(position), max(position))
        FROM annotate_handout GROUP BY batch_id
        HAVING min(position) <> 1 OR max(position) <> count(*)"""),
    ),
    Check(
        "annotate.batch-one-pair",
        "No pair is handed out twice in one batch.",
        query("""
        SELECT format('batch %s, pair %s', hand_out.batch_id, seat.pair_id)
        FROM annotate_handout hand_out JOIN annotate_seat seat ON seat.id = hand_out.seat_id
        GROUP BY hand_out.batch_id, seat.pair_id HAVING count(*) > 1"""),
    ),
    Check(
        "annotate.handout-answered",
        "What is judged by its holder counts as answered.",
        query("""
        SELECT format('hand-out %s', hand_out.id)
        FROM annotate_handout hand_out JOIN annotate_batch batch ON batch.id = hand_out.batch_id
        JOIN annotate_seat seat ON seat.id = hand_out.seat_id
        WHERE hand_out.answered_at IS NULL AND seat.state = 'done'
          AND seat.annotator_id = batch.annotator_id"""),
    ),
    Check(
        "annotate.lease-length",
        "No lease runs longer than a day from now.",
        query("""
        SELECT format('seat %s is held until %s', id, leased_until) FROM annotate_seat
        WHERE state = 'held' AND leased_until > clock_timestamp() + interval '25 hours'"""),
    ),
]
