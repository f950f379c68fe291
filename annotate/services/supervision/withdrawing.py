"""Withdrawing a person's labels, so that they no longer count, and restoring them.

Nothing is deleted: a withdrawn judgment keeps its row and gains an event that says who and why. Its
seat is withdrawn with the person on it, so that the pair never returns to her, and reconciling
wants a new label from somebody else. Restored, it counts again, unless somebody has labelled the
pair since and it wants no more: then it stays a surplus. A worker does many answers, see
bulk_decisions.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotate.core.consequences import require_told
from annotate.core.phrases import counted
from annotate.models import (
    Annotator,
    Batch,
    CountingJudgment,
    Judgment,
    JudgmentEvent,
    JudgmentOutcome,
    Pair,
    ReviewAction,
    ReviewWork,
    Seat,
    User,
)
from annotate.services.seating import lock_annotator, n_missing, note_changes, reconcile_pairs
from annotate.services.supervision import bulk_decisions, review_log
from annotate.services.supervision.bulk_decisions import (
    Stretch,
    begin,
    require_none_under_way,
    unfinished_of_annotator,
)

# Index look-ups of each answer's last event, and no other plan: a person may have given 20,000.
_FROM_WITHDRAWN = """
    FROM annotate_judgment judgment
    JOIN annotate_judgmentoutcome standing
        ON standing.judgment_id = judgment.id AND standing.outcome = 'withdrawn'
    CROSS JOIN LATERAL (SELECT event.* FROM annotate_judgmentevent event
                        WHERE event.judgment_id = judgment.id
                        ORDER BY event.id DESC LIMIT 1) last
    LEFT JOIN annotate_handout hand_out ON hand_out.id = judgment.hand_out_id
    LEFT JOIN annotate_batch batch ON batch.id = hand_out.batch_id
    WHERE judgment.annotator_id = %s AND judgment.purpose <> 'adjudication'
      AND (batch.id IS NULL OR batch.verdict <> ALL(%s))
"""
# Of each reason and lead; and how many of others were withdrawn between the two moments.
_WITHDRAWN = f"""
    WITH withdrawn AS (SELECT last.reason, last.by_id, last.at {_FROM_WITHDRAWN}),
    spans AS (SELECT reason, count(*) AS n, min(at) AS since, max(at) AS until
              FROM withdrawn GROUP BY reason, by_id)
    SELECT reason, n, since, until,
           (SELECT count(*) FROM withdrawn WHERE at BETWEEN since AND until) - n
    FROM spans ORDER BY until DESC
"""  # noqa: S608 - a constant within
_N_WITHDRAWN = f"SELECT count(*) {_FROM_WITHDRAWN} AND last.at BETWEEN %s AND %s"
_COUNT_AGAIN = """
    UPDATE annotate_seat seat SET state = 'done', judgment_id = regained.judgment
    FROM unnest(%s::bigint[], %s::bigint[]) AS regained(seat, judgment)
    WHERE seat.id = regained.seat
"""


class Withdrawable(NamedTuple):
    """The extent of a withdrawal: labels that enter agreement, other answers, and their pairs."""

    n_labels: int
    n_checks: int
    n_pairs: int

    @property
    def n(self) -> int:
        """All answers together."""
        return self.n_labels + self.n_checks

    @property
    def rest_text(self) -> str:
        """The other answers and the pairs, as the rest of the sentence."""
        checks = counted(self.n_checks, "answer")
        further_answers = f" and {checks} to golds and other checks" if self.n_checks else ""
        return f"{further_answers}, on {counted(self.n_pairs, 'pair')}"


class Withdrawal(NamedTuple):
    """Answers withdrawn for one reason between two moments, and not restored.

    n_others : answers withdrawn between them for another reason or by another lead
    """

    reason: str
    n: int
    since: datetime
    until: datetime
    n_others: int


def withdrawable(*, annotator: Annotator, since: datetime) -> Withdrawable:
    """Count one person's counting answers from a moment on."""
    counts = _answers_since(annotator, since).aggregate(
        labels=Count("pk", filter=Q(is_label=True)),
        checks=Count("pk", filter=Q(is_label=False)),
        pairs=Count("pair", distinct=True),
    )
    return Withdrawable(counts["labels"], counts["checks"], counts["pairs"])


@transaction.atomic
def withdraw_annotator(
    *,
    annotator: Annotator,
    since: datetime,
    by: User | None,
    reason: str,
    expected: int | None = None,
) -> ReviewWork | None:
    """Withdraw one person's counting answers since a moment, many by a worker.

    Returns None if there are no answers. Raises DecisionUnderWay, CountChanged.

    expected : number of answers that the lead was told of, no more than which are withdrawn
    """
    lock_annotator(annotator.pk)
    require_none_under_way(unfinished_of_annotator(annotator=annotator))
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (until,) = cursor.fetchone()
    n_now = _answers_within(annotator, since, until).count()
    require_told(n_now, expected=expected, noun="answer")
    if not n_now:
        return None
    action = _note(ReviewAction.Kind.LABELS_WITHDRAWN, annotator, by, reason, n_now)
    return begin(action=action, n_total=n_now, handler=withdraw_stretch, since=since, until=until)


@transaction.atomic
def restore_annotator(
    *,
    annotator: Annotator,
    since: datetime,
    until: datetime,
    by: User | None,
    reason: str,
    expected: int | None = None,
) -> ReviewWork | None:
    """Restore one person's answers withdrawn within a time, except those of rejected batches.

    A worker restores many answers. None if there are none. Raises DecisionUnderWay, CountChanged.

    expected : number of answers that the lead was told of, no more than which count again
    """
    lock_annotator(annotator.pk)
    require_none_under_way(unfinished_of_annotator(annotator=annotator))
    with connection.cursor() as cursor:
        cursor.execute(_N_WITHDRAWN, [annotator.pk, list(Batch.TAKEN_OUT), since, until])
        (n_now,) = cursor.fetchone()
    require_told(n_now, expected=expected, noun="answer")
    if not n_now:
        return None
    action = _note(ReviewAction.Kind.LABELS_RESTORED, annotator, by, reason, n_now)
    return begin(action=action, n_total=n_now, handler=restore_stretch, since=since, until=until)


def outcome_text(*, annotator: Annotator, decision: ReviewWork | None) -> str:
    """The outcome of a withdrawal or a restoration in words, also where there were no answers."""
    if decision is None:
        return f"{annotator} has no such answer; nothing was changed."
    return bulk_decisions.summary(decision)


def withdraw_stretch(decision: ReviewWork) -> Stretch:
    """Withdraw the next answers of a withdrawal."""
    annotator = bulk_decisions.annotator_of(decision)
    since, until = bulk_decisions.since_of(decision), bulk_decisions.until_of(decision)
    return withdraw_next(decision, _answers_within(annotator, since, until))


def restore_stretch(decision: ReviewWork) -> Stretch:
    """Restore the next answers of a restoration, except those of rejected batches."""
    answers = Judgment.objects.filter(annotator=bulk_decisions.annotator_of(decision))
    return restore_next(decision, answers.exclude(hand_out__batch__verdict__in=Batch.TAKEN_OUT))


def withdrawals(*, annotator: Annotator) -> list[Withdrawal]:
    """Return one person's withdrawals not restored, latest first, except of rejected batches."""
    with connection.cursor() as cursor:
        cursor.execute(_WITHDRAWN, [annotator.pk, list(Batch.TAKEN_OUT)])
        return [Withdrawal(*row) for row in cursor.fetchall()]


def still_withdrawn(judgments: Sequence[int]) -> dict[int, datetime]:
    """Return when each of these answers was withdrawn, if it still is and no other replaces it."""
    outcomes = JudgmentOutcome.objects.filter(
        judgment__in=judgments, outcome=JudgmentOutcome.Outcome.WITHDRAWN
    ).exclude(judgment__purpose=Seat.Purpose.ADJUDICATION)
    events = JudgmentEvent.objects.filter(judgment__in=outcomes.values("judgment"))
    return dict(events.order_by("pk").values_list("judgment_id", "at"))  # of each, the last


def withdraw_next(decision: ReviewWork, answers: QuerySet[CountingJudgment]) -> Stretch:
    """Withdraw the next of these answers; those that count no more are left alone."""
    action = decision.action
    # else a change of mind on its way would go on counting
    lock_annotator(bulk_decisions.annotator_of(decision).pk)
    next_answers = answers.filter(judgment__gt=decision.cursor).order_by("judgment")
    rows = list(next_answers.values_list("judgment_id", "pair_id")[: bulk_decisions.STRETCH])
    pair_ids = _lock_pairs(pair for _, pair in rows)
    judgment_ids = [judgment for judgment, _ in rows]
    _record_events(judgment_ids, JudgmentEvent.Kind.WITHDRAWN, action.by, action.reason)
    Seat.objects.filter(judgment__in=judgment_ids).update(state=Seat.State.WITHDRAWN, judgment=None)
    reconcile_pairs(pair_ids=pair_ids)
    note_changes(collection_id=action.collection_id, pair_ids=pair_ids)
    return Stretch(len(rows), 0, judgment_ids[-1] if judgment_ids else decision.cursor, len(rows))


def restore_next(decision: ReviewWork, judgments: QuerySet[Judgment]) -> Stretch:
    """Restore those next answers that the decision is about and whose places nobody has taken."""
    action, annotator = decision.action, bulk_decisions.annotator_of(decision)
    lock_annotator(annotator.pk)
    # by their keys alone, then the events of these: the number of all events must not matter
    later_ids = judgments.filter(pk__gt=decision.cursor).order_by("pk").values_list("pk", flat=True)
    examined_ids = list(later_ids[: bulk_decisions.STRETCH])
    withdrawn_at = still_withdrawn(examined_ids)
    restorable_ids = [
        pk
        for pk, at in withdrawn_at.items()
        if decision.until is None or bulk_decisions.since_of(decision) <= at <= decision.until
    ]
    judgment_by_key = {
        (row.pair_id, row.purpose): row
        for row in Judgment.objects.filter(pk__in=restorable_ids).order_by("pk")
    }
    pair_ids = _lock_pairs(pair for pair, _ in judgment_by_key)
    seats_to_regain = _seats_to_regain(judgment_by_key, withdrawn_at, pair_ids, annotator.pk)
    _record_events(
        [judgment for _, judgment in seats_to_regain],
        JudgmentEvent.Kind.RESTORED,
        action.by,
        action.reason,
    )
    with connection.cursor() as cursor:
        cursor.execute(
            _COUNT_AGAIN,
            [[seat for seat, _ in seats_to_regain], [judgment for _, judgment in seats_to_regain]],
        )
    reconcile_pairs(pair_ids=pair_ids)
    note_changes(collection_id=action.collection_id, pair_ids=pair_ids)
    last_id = examined_ids[-1] if examined_ids else decision.cursor
    return Stretch(
        len(seats_to_regain), len(restorable_ids) - len(seats_to_regain), last_id, len(examined_ids)
    )


def _seats_to_regain(
    judgment_by_key: Mapping[tuple[int, str], Judgment],
    withdrawn_at: Mapping[int, datetime],
    pairs: list[int],
    annotator_id: int,
) -> list[tuple[int, int]]:
    """Return (seat, judgment) of one person's withdrawn answers that may count again.

    A label may if its pair misses one, or if nobody has labelled the pair since: two who agree
    are enough without a third, who had made them three.
    """
    n_missing_by_pair = n_missing(pair_ids=pairs)
    newest_by_pair = _newest_labels(pairs)

    def has_place(pair: int, judgment: Judgment) -> bool:
        newest_at = newest_by_pair.get(pair)
        is_newest = newest_at is None or newest_at < withdrawn_at[judgment.pk]
        return is_newest or pair in n_missing_by_pair

    withdrawn_seats = Seat.objects.filter(
        pair__in=pairs, annotator=annotator_id, state=Seat.State.WITHDRAWN
    )
    seat_by_key = {(seat.pair_id, seat.purpose): seat for seat in withdrawn_seats.order_by("pk")}
    return [
        (seat_by_key[key].pk, judgment.pk)
        for key, judgment in judgment_by_key.items()
        if key in seat_by_key and (key[1] != Seat.Purpose.LABEL or has_place(key[0], judgment))
    ]


def _newest_labels(pairs: list[int]) -> dict[int, datetime]:
    """Return when the newest of each pair's counting labels was first given, before any change."""
    first_answers = Judgment.objects.filter(hand_out=OuterRef("judgment__hand_out"))
    labels = CountingJudgment.objects.labels().filter(pair__in=pairs)
    labels = labels.annotate(
        first_at=Coalesce(Subquery(first_answers.order_by("at").values("at")[:1]), "at")
    )
    return dict(labels.order_by().values_list("pair").annotate(Max("first_at")))


def _answers_since(annotator: Annotator, since: datetime) -> QuerySet[CountingJudgment]:
    own_answers = CountingJudgment.objects.filter(annotator=annotator, at__gte=since)
    return own_answers.exclude(purpose=Seat.Purpose.ADJUDICATION)


def _answers_within(
    annotator: Annotator, since: datetime, until: datetime
) -> QuerySet[CountingJudgment]:
    """Return her answers given within a time, also if she changed them afterwards."""
    earlier_answers = Judgment.objects.filter(
        annotator=annotator, hand_out=OuterRef("judgment__hand_out"), at__range=(since, until)
    )
    return _answers_since(annotator, since).filter(Q(at__lte=until) | Exists(earlier_answers))


def _lock_pairs(pair_ids: Iterable[int]) -> list[int]:
    unique_ids = sorted(set(pair_ids))
    list(
        Pair.objects.filter(pk__in=unique_ids)
        .order_by("pk")
        .select_for_update(no_key=True)
        .values_list("pk")
    )
    return unique_ids


def _record_events(
    judgments: list[int], kind: JudgmentEvent.Kind, by: User | None, reason: str
) -> None:
    JudgmentEvent.objects.bulk_create(
        JudgmentEvent(judgment_id=judgment, kind=kind, by=by, reason=reason)
        for judgment in judgments
    )


def _note(
    kind: ReviewAction.Kind, annotator: Annotator, by: User | None, reason: str, n: int
) -> ReviewAction:
    subject = review_log.ActionSubject(annotator=annotator)
    return review_log.note(
        collection=annotator.collection,
        kind=kind,
        by=by,
        subject=subject,
        reason=reason,
        n_labels=n,
    )
