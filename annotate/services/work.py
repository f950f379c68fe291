"""Whether there is work for somebody, and why not: said alike on her first page, the overview and the judge screen."""

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from annotate.models import Annotator, Batch
from annotate.services import gold_checks
from annotate.services.training_gate import in_training
from annotate.statements import prepared

# The open pools of each of these people's collections, and whether one person's share of a pool is used up by her: of
# half a million pairs no more are counted than the answer hangs on.
OPEN_TO = """
    SELECT ann.id AS annotator, round.id AS round,
           policy.max_share < 1 AND hers.n >= greatest(1, floor(policy.max_share * (
               SELECT count(*) FROM (SELECT FROM annotate_roundpair wish WHERE wish.round_id = round.id
                                     LIMIT ceil((hers.n + 1) / policy.max_share)::bigint) counted))) AS is_used_up
    FROM annotate_annotator ann
    JOIN annotate_round round ON round.collection_id = ann.collection_id
    JOIN annotate_policy policy ON policy.id = round.policy_id
    CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM annotate_seat seat
        WHERE policy.max_share < 1 AND seat.annotator_id = ann.id AND seat.round_id = round.id
          AND seat.purpose = 'label' AND seat.state IN ('held', 'done')) hers
    WHERE ann.id = ANY(%(annotators)s) AND round.kind = 'pool' AND round.state = 'open'
"""
# What of a pair she has had: it never comes to her again.
_HAD = """
    (EXISTS (SELECT FROM annotate_seat mine WHERE mine.annotator_id = open_to.annotator AND mine.pair_id = seat.pair_id
             AND mine.id <> seat.id)
     OR EXISTS (SELECT FROM annotate_judgment said
                WHERE said.annotator_id = open_to.annotator AND said.pair_id = seat.pair_id)
     OR EXISTS (SELECT FROM annotate_report report WHERE report.annotator_id = open_to.annotator
                AND report.pair_id = seat.pair_id AND report.state <> 'undone'))
"""
# What she was handed and can go on with, as claiming.hold_again decides; checks alone are given up once their batch's
# candidates went to others. And what a queue would give her.
_HAS_WORK = f"""
    WITH open_to AS ({OPEN_TO}),
    handed AS (
        SELECT batch.annotator_id AS annotator, seat.purpose = 'label' AS is_label,
               seat.annotator_id = batch.annotator_id AND seat.state = 'held'
               OR (seat.state = 'free' OR seat.state = 'held' AND seat.leased_until < clock_timestamp())
               AND (seat.purpose = 'repeat' OR NOT EXISTS (
                    SELECT FROM annotate_seat mine WHERE mine.annotator_id = batch.annotator_id
                    AND mine.pair_id = seat.pair_id AND mine.id <> seat.id)) AS is_hers
        FROM annotate_batch batch JOIN annotate_handout given ON given.batch_id = batch.id
        JOIN annotate_seat seat ON seat.id = given.seat_id
        WHERE batch.annotator_id = ANY(%(annotators)s) AND given.answered_at IS NULL AND seat.purpose <> 'training')
    SELECT ann.id, ann.paused_at IS NOT NULL AS is_paused,
           EXISTS (SELECT FROM open_to WHERE annotator = ann.id) AS is_open,
           coalesce((SELECT bool_or(is_label AND is_hers) OR bool_or(is_hers) AND NOT bool_or(is_label AND NOT is_hers)
                     FROM handed WHERE annotator = ann.id), false)
           OR EXISTS (
               SELECT FROM open_to JOIN annotate_seat seat ON seat.round_id = open_to.round
               WHERE open_to.annotator = ann.id AND NOT open_to.is_used_up AND seat.purpose = 'label'
                 AND (seat.state = 'free' OR seat.state = 'held' AND seat.leased_until < clock_timestamp())
                 AND NOT {_HAD}) AS has_work
    FROM annotate_annotator ann WHERE ann.id = ANY(%(annotators)s)
"""  # noqa: S608 - own words
# Of those without: whether all that is left is of pools of which she judged her share; what others hold that could come
# to her, and in how many seconds the first; whether she has judged anything; pairs she passed on that still wait.
_WHY = f"""
    WITH open_to AS ({OPEN_TO})
    SELECT ann.id,
           EXISTS (SELECT FROM open_to JOIN annotate_seat seat ON seat.round_id = open_to.round
                   WHERE open_to.annotator = ann.id AND open_to.is_used_up AND seat.purpose = 'label'
                     AND seat.state IN ('free', 'held'))
           AND NOT EXISTS (SELECT FROM open_to JOIN annotate_seat seat ON seat.round_id = open_to.round
                           WHERE open_to.annotator = ann.id AND NOT open_to.is_used_up AND seat.purpose = 'label'
                             AND seat.state IN ('free', 'held') AND NOT {_HAD}),
           held.n, held.seconds,
           EXISTS (SELECT FROM annotate_judgment WHERE annotator_id = ann.id AND purpose <> 'training'),
           (SELECT count(DISTINCT seat.pair_id) FROM annotate_report report
            JOIN annotate_seat seat ON seat.pair_id = report.pair_id AND seat.purpose = 'label'
            JOIN open_to ON open_to.round = seat.round_id AND open_to.annotator = ann.id
            WHERE report.annotator_id = ann.id AND report.kind = 'unplayable' AND report.state = 'open'
              AND seat.state IN ('free', 'held'))
    FROM annotate_annotator ann
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT seat.pair_id) AS n,
               extract(epoch FROM min(seat.leased_until) - clock_timestamp())::float AS seconds
        FROM open_to JOIN annotate_seat seat ON seat.round_id = open_to.round
        WHERE open_to.annotator = ann.id AND NOT open_to.is_used_up AND seat.purpose = 'label' AND seat.state = 'held'
          AND seat.annotator_id <> ann.id AND seat.leased_until >= clock_timestamp() AND NOT {_HAD}) held
    WHERE ann.id = ANY(%(annotators)s)
"""  # noqa: S608 - own words


class Empty(TypedDict):
    """Why there is no work: a reason for the script, a message for the person, when to look again."""

    reason: str
    message: str
    retry_seconds: int | None


class _Left(NamedTuple):
    """Why the open pools hold nothing for somebody.

    seconds : until the first of the n_held pairs may be free; n_passed_on : pairs that her browser did not play
    """

    is_share: bool
    n_held: int
    seconds: float | None
    has_judged: bool
    n_passed_on: int


PAUSED = Empty(
    reason="paused", message="Your work is paused. Please ask the lead of this collection.", retry_seconds=None
)
TRAINING = Empty(reason="training", message="Before you judge, you go through a training.", retry_seconds=None)
CLOSED = Empty(
    reason="closed",
    message="No pool is open for judging right now. Your work is saved; come back when the lead opens one.",
    retry_seconds=None,
)
SHARE = Empty(
    reason="share",
    message="You have judged your share of this pool; the pairs that are left are for other people. Thank you.",
    retry_seconds=None,
)
JUST_FREED = Empty(reason="others_hold", message="A pair has just become free.", retry_seconds=1)


def why_none(*, annotators: Sequence[Annotator]) -> dict[int, Empty | None]:
    """By annotator why there is no work for her, None where there is; three queries, however many they are."""
    keys = [annotator.pk for annotator in annotators]
    if not keys:
        return {}
    in_training_ = set(Annotator.objects.filter(in_training(), pk__in=keys).values_list("pk", flat=True))
    with prepared() as cursor:
        cursor.execute(_HAS_WORK, {"annotators": keys})
        state = {pk: row for pk, *row in cursor.fetchall()}
    left = _why([pk for pk, (_, is_open, has_work) in state.items() if is_open and not has_work])
    found: dict[int, Empty | None] = {}
    for annotator in annotators:
        is_paused, is_open, has_work = state[annotator.pk]
        if is_paused:
            found[annotator.pk] = PAUSED
        elif annotator.pk in in_training_:
            found[annotator.pk] = TRAINING
        elif has_work:
            found[annotator.pk] = None
        else:
            found[annotator.pk] = _nothing_left(left[annotator.pk]) if is_open else CLOSED
    return found


def _why(annotators: list[int]) -> dict[int, _Left]:
    with prepared() as cursor:
        cursor.execute(_WHY, {"annotators": annotators})
        return {pk: _Left(*row) for pk, *row in cursor.fetchall()}


def _nothing_left(left: _Left) -> Empty:
    if left.is_share:
        return SHARE
    if left.n_held:
        minutes = max(1, round((left.seconds or 0) / 60))
        pairs = "1 pair is" if left.n_held == 1 else f"{left.n_held:,} pairs are"
        return Empty(
            reason="others_hold",
            message=f"{pairs} with other people; the next may be free in {minutes} min.",
            retry_seconds=max(30, int(left.seconds or 0)),
        )
    done = "Nothing is left that can come to you."
    if left.n_passed_on:
        pairs = "1 pair waits" if left.n_passed_on == 1 else f"{left.n_passed_on:,} pairs wait"
        done = f"{done} {pairs} for people whose browsers play what yours does not."
    elif left.has_judged:
        done = "You have judged every pair there is for you. Thank you."
    more = "More comes when the lead opens another pool."
    return Empty(reason="none_left", message=f"{done} {more}", retry_seconds=None)


def why_empty(*, annotator: Annotator, asked: bool) -> Empty:
    """Why this person has no card, in words that say what next.

    asked : she asked for more work, so that the end of a batch is no reason
    """
    empty = why_none(annotators=[annotator])[annotator.pk]
    if empty in (PAUSED, TRAINING):
        return empty
    last = None if asked else Batch.objects.filter(annotator=annotator, training_try=None).order_by("number").last()
    warning = gold_checks.warning(batch=last) if last else ""
    if empty == CLOSED:
        return Empty(reason="closed", message=f"{CLOSED['message']} {warning}".strip(), retry_seconds=None)
    if last is not None:
        said = f"Batch {last.number} is done and saved. {warning}"
        return Empty(reason="batch_done", message=said.strip(), retry_seconds=0)
    return empty or JUST_FREED
