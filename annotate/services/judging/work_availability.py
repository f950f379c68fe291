"""Work for an annotator, or the reason for none, alike on all pages and the judge screen."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, TypedDict

from annotate.core.phrases import counted
from annotate.models import Annotator, Batch
from annotate.services.golds import batch_checks as gold_checks
from annotate.services.judging.training_gate import in_training
from annotate.services.seating.eligibility import CLAIMABLE, has_no_other_seat, never_met
from annotate.statements import prepared_cursor

# The open pools of these people's collections, and whether a person has used up her share of a
# pool: of half a million pairs no more are counted than the result depends on.
OPEN_TO = """
    SELECT ann.id AS annotator, round.id AS round,
           policy.max_share < 1 AND own_seats.n >= greatest(1, floor(policy.max_share * (
               SELECT count(*) FROM (
                   SELECT FROM annotate_roundpair round_pair WHERE round_pair.round_id = round.id
                   LIMIT ceil((own_seats.n + 1) / policy.max_share)::bigint) pairs_counted)))
           AS is_used_up
    FROM annotate_annotator ann
    JOIN annotate_round round ON round.collection_id = ann.collection_id
    JOIN annotate_policy policy ON policy.id = round.policy_id
    CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM annotate_seat seat
        WHERE policy.max_share < 1 AND seat.annotator_id = ann.id AND seat.round_id = round.id
          AND seat.purpose = 'label' AND seat.state IN ('held', 'done')) own_seats
    WHERE ann.id = ANY(%(annotators)s) AND round.kind = 'pool' AND round.state = 'open'
"""
_NEVER_MET = never_met("open_to.annotator")
# Her hand-outs that she can go on with, as claiming.renew_leases decides; checks alone are given up
# once their batch's candidates went to others. Those that she holds, and the seats that a queue
# would give her.
_HAS_WORK = f"""
    WITH open_to AS ({OPEN_TO}),
    handed_out AS (
        SELECT batch.annotator_id AS annotator, seat.purpose = 'label' AS is_label,
               seat.annotator_id = batch.annotator_id AND seat.state = 'held' AS is_held,
               seat.annotator_id = batch.annotator_id AND seat.state = 'held'
               OR {CLAIMABLE} AND {has_no_other_seat("batch.annotator_id")} AS is_hers
        FROM annotate_batch batch JOIN annotate_handout hand_out ON hand_out.batch_id = batch.id
        JOIN annotate_seat seat ON seat.id = hand_out.seat_id
        WHERE batch.annotator_id = ANY(%(annotators)s) AND hand_out.answered_at IS NULL
          AND seat.purpose <> 'training')
    SELECT ann.id, collection.archived_at, ann.paused_at IS NOT NULL AS is_paused,
           coalesce((SELECT bool_or(is_held) FROM handed_out
                     WHERE annotator = ann.id), false) AS has_held,
           EXISTS (SELECT FROM open_to WHERE annotator = ann.id) AS is_open,
           coalesce((SELECT bool_or(is_label AND is_hers)
                            OR bool_or(is_hers) AND NOT bool_or(is_label AND NOT is_hers)
                     FROM handed_out WHERE annotator = ann.id), false)
           OR EXISTS (
               SELECT FROM open_to JOIN annotate_seat seat ON seat.round_id = open_to.round
               WHERE open_to.annotator = ann.id AND NOT open_to.is_used_up
                 AND seat.purpose = 'label'
                 AND {CLAIMABLE}
                 AND {_NEVER_MET}) AS has_work
    FROM annotate_annotator ann
    JOIN annotate_collection collection ON collection.id = ann.collection_id
    WHERE ann.id = ANY(%(annotators)s)
"""  # noqa: S608 - own words
# For annotators without work: whether all that is left is of pools of which she judged her share;
# pairs held by others that could come to her, and in how many seconds the first; whether she has
# judged anything; pairs she passed on that still wait.
_OBSTACLES = f"""
    WITH open_to AS ({OPEN_TO})
    SELECT ann.id,
           EXISTS (SELECT FROM open_to JOIN annotate_seat seat ON seat.round_id = open_to.round
                   WHERE open_to.annotator = ann.id AND open_to.is_used_up
                     AND seat.purpose = 'label' AND seat.state IN ('free', 'held'))
           AND NOT EXISTS (
               SELECT FROM open_to JOIN annotate_seat seat ON seat.round_id = open_to.round
               WHERE open_to.annotator = ann.id AND NOT open_to.is_used_up
                 AND seat.purpose = 'label' AND seat.state IN ('free', 'held')
                 AND {_NEVER_MET}),
           held_pairs.n, held_pairs.seconds,
           EXISTS (SELECT FROM annotate_judgment
                   WHERE annotator_id = ann.id AND purpose <> 'training'),
           (SELECT count(DISTINCT seat.pair_id) FROM annotate_report report
            JOIN annotate_seat seat ON seat.pair_id = report.pair_id AND seat.purpose = 'label'
            JOIN open_to ON open_to.round = seat.round_id AND open_to.annotator = ann.id
            WHERE report.annotator_id = ann.id AND report.kind = 'unplayable'
              AND report.state = 'open' AND seat.state IN ('free', 'held'))
    FROM annotate_annotator ann
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT seat.pair_id) AS n,
               extract(epoch FROM min(seat.leased_until) - clock_timestamp())::float AS seconds
        FROM open_to JOIN annotate_seat seat ON seat.round_id = open_to.round
        WHERE open_to.annotator = ann.id AND NOT open_to.is_used_up
          AND seat.purpose = 'label' AND seat.state = 'held' AND seat.annotator_id <> ann.id
          AND seat.leased_until >= clock_timestamp() AND {_NEVER_MET}) held_pairs
    WHERE ann.id = ANY(%(annotators)s)
"""  # noqa: S608 - own words


# Of each annotator the pairs that she holds or that a queue would give her, of each open pool no
# more than her share of it. No more seats are looked at than the answer names: a batch ends several
# times a second on a busy day.
_REACHABLE = f"""
    WITH open_to AS ({OPEN_TO})
    SELECT open_to.annotator, sum(greatest(least(reachable.n, allowance.n), 0))::int,
           coalesce(bool_or(reachable.n_seats = %(most)s
                            AND coalesce(allowance.n > reachable.n, true)), false)
    FROM open_to
    JOIN annotate_round round ON round.id = open_to.round
    JOIN annotate_policy policy ON policy.id = round.policy_id
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT pair_id) AS n, count(*) AS n_seats FROM (
            SELECT seat.pair_id FROM annotate_seat seat
            WHERE seat.round_id = open_to.round AND seat.purpose = 'label'
              AND (seat.annotator_id = open_to.annotator AND seat.state = 'held'
                   OR {CLAIMABLE} AND {_NEVER_MET})
            LIMIT %(most)s) seats) reachable
    CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM annotate_seat seat
        WHERE policy.max_share < 1 AND seat.annotator_id = open_to.annotator
          AND seat.round_id = open_to.round AND seat.purpose = 'label'
          AND seat.state = 'done') done_seats
    CROSS JOIN LATERAL (
        SELECT CASE WHEN policy.max_share < 1
               THEN greatest(1, floor(policy.max_share * (
                   SELECT count(*) FROM (
                       SELECT FROM annotate_roundpair round_pair
                       WHERE round_pair.round_id = open_to.round
                       LIMIT ceil((done_seats.n + %(most)s) / policy.max_share)::bigint
                   ) pairs_counted))) - done_seats.n END AS n) allowance
    GROUP BY open_to.annotator
"""  # noqa: S608 - own words
MOST_COUNTED = 1_000  # seats of a pool


class ReachablePairs(NamedTuple):
    """Number of pairs that a person holds or that can come to her, of all open pools.

    is_least : whether no more were counted and there may be more
    """

    n: int
    is_least: bool


class NoWorkReason(TypedDict):
    """The reason why there is no work: a code for the script, a message, when to look again."""

    reason: str
    message: str
    retry_seconds: int | None


class _Obstacles(NamedTuple):
    """The obstacles to work for an annotator in the open pools.

    is_share : whether all that is left is of pools of which she has judged her share
    seconds : until the first of the n_held pairs may be free
    n_passed_on : pairs that her browser did not play
    """

    is_share: bool
    n_held: int
    seconds: float | None
    has_judged: bool
    n_passed_on: int


PAUSED = NoWorkReason(
    reason="paused",
    message="Your work is paused. Please ask the lead of this collection.",
    retry_seconds=None,
)
TRAINING = NoWorkReason(
    reason="training", message="Before you judge, you go through a training.", retry_seconds=None
)
CLOSED = NoWorkReason(
    reason="closed",
    message=(
        "No pool is open for judging right now. Your work is saved; "
        "come back when the lead opens one."
    ),
    retry_seconds=None,
)
SHARE = NoWorkReason(
    reason="share",
    message=(
        "You have judged your share of this pool; "
        "the pairs that are left are for other people. Thank you."
    ),
    retry_seconds=None,
)
JUST_FREED = NoWorkReason(
    reason="others_hold", message="A pair has just become free.", retry_seconds=1
)


ARCHIVED = "archived"  # a reason, whose message names the day
# these come before the end of a batch
STOPPING = (PAUSED["reason"], TRAINING["reason"], ARCHIVED)


def no_work_reasons(*, annotators: Sequence[Annotator]) -> dict[int, NoWorkReason | None]:
    """Return why there is no work for each annotator, None if there is; three queries in all."""
    keys = [annotator.pk for annotator in annotators]
    if not keys:
        return {}
    in_training_ids = set(
        Annotator.objects.filter(in_training(), pk__in=keys).values_list("pk", flat=True)
    )
    with prepared_cursor() as cursor:
        cursor.execute(_HAS_WORK, {"annotators": keys})
        state_by_annotator = {pk: row for pk, *row in cursor.fetchall()}
    workless_ids = [
        pk for pk, (*_, is_open, has_work) in state_by_annotator.items() if is_open and not has_work
    ]
    with prepared_cursor() as cursor:
        cursor.execute(_OBSTACLES, {"annotators": workless_ids})
        obstacles = {pk: _Obstacles(*row) for pk, *row in cursor.fetchall()}
    reasons: dict[int, NoWorkReason | None] = {}
    for annotator in annotators:
        archived_at, is_paused, has_held, is_open, has_work = state_by_annotator[annotator.pk]
        if archived_at is not None:
            # as cards.next_cards: what she holds can be answered
            may_finish = has_held and not is_paused
            reasons[annotator.pk] = None if may_finish else _archived(archived_at)
        elif is_paused:
            reasons[annotator.pk] = PAUSED
        elif annotator.pk in in_training_ids:
            reasons[annotator.pk] = TRAINING
        elif has_work:
            reasons[annotator.pk] = None
        else:
            reasons[annotator.pk] = _nothing_left(obstacles[annotator.pk]) if is_open else CLOSED
    return reasons


def reachable_pairs(*, annotators: Sequence[Annotator]) -> dict[int, ReachablePairs]:
    """Count the pairs that each annotator holds or that can come to her now; one query."""
    keys = [annotator.pk for annotator in annotators]
    if not keys:
        return {}
    with prepared_cursor() as cursor:
        cursor.execute(_REACHABLE, {"annotators": keys, "most": MOST_COUNTED})
        counts = {key: ReachablePairs(*columns) for key, *columns in cursor.fetchall()}
    return {key: counts.get(key, ReachablePairs(0, False)) for key in keys}


def _archived(at: datetime) -> NoWorkReason:
    return NoWorkReason(
        reason=ARCHIVED,
        message=f"This collection was archived on {at:%-d %B %Y, %H:%M} UTC: there is nothing to "
        "do in it. Your work is saved.",
        retry_seconds=None,
    )


def _nothing_left(obstacles: _Obstacles) -> NoWorkReason:
    if obstacles.is_share:
        return SHARE
    if obstacles.n_held:
        minutes = max(1, round((obstacles.seconds or 0) / 60))
        pairs = f"{counted(obstacles.n_held, 'pair')} {'is' if obstacles.n_held == 1 else 'are'}"
        return NoWorkReason(
            reason="others_hold",
            message=f"{pairs} with other people; the next may be free in {minutes} min.",
            retry_seconds=max(30, int(obstacles.seconds or 0)),
        )
    message = "Nothing is left that can come to you."
    if obstacles.n_passed_on:
        pairs = (
            "1 pair waits"
            if obstacles.n_passed_on == 1
            else f"{obstacles.n_passed_on:,} pairs wait"
        )
        message = f"{message} {pairs} for people whose browsers play what yours does not."
    elif obstacles.has_judged:
        message = "You have judged every pair there is for you. Thank you."
    outlook = "More comes when the lead opens another pool."
    return NoWorkReason(reason="none_left", message=f"{message} {outlook}", retry_seconds=None)


def no_card_reason(*, annotator: Annotator, wants_more: bool) -> NoWorkReason:
    """Return why this person has no card, with a message on what comes next.

    wants_more : whether she asked for more work, so that the end of a batch is no reason
    """
    no_work = no_work_reasons(annotators=[annotator])[annotator.pk]
    if no_work is not None and no_work["reason"] in STOPPING:
        return no_work
    last_batch = (
        None
        if wants_more
        else Batch.objects.filter(annotator=annotator, training_try=None).order_by("number").last()
    )
    warning = gold_checks.warning(batch=last_batch) if last_batch else ""
    if no_work == CLOSED:
        return NoWorkReason(
            reason="closed", message=f"{CLOSED['message']} {warning}".strip(), retry_seconds=None
        )
    if last_batch is not None:
        message = f"Batch {last_batch.judging_number} is done and saved. {warning}"
        return NoWorkReason(reason="batch_done", message=message.strip(), retry_seconds=0)
    return no_work or JUST_FREED
