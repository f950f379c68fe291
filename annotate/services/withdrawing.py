"""Labels that no longer count, and their way back.

Nothing is deleted: a withdrawn judgment keeps its row and gains an event that says who and why. Its seat is withdrawn
with the person on it, so that the pair never returns to her, and reconciling wants a new label from somebody else.
Restored, it counts again, unless the pair has got the labels it wanted meanwhile: then it stays a surplus. Of many
answers a worker does that, see review_work.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotate.models import Annotator, Batch, Judgment, JudgmentEvent, Pair, ReviewAction, ReviewWork, Seat, User
from annotate.services import review_log, review_work
from annotate.services.review_work import Stretch, begin, of_annotator, require_rest
from annotate.services.seating import lock_annotator, n_missing, note_changes, reconcile_pairs

# One look for each answer's last event, and no other plan: a person may have given 20,000.
_FROM_WITHDRAWN = """
    FROM annotate_judgment said
    CROSS JOIN LATERAL (SELECT event.* FROM annotate_judgmentevent event WHERE event.judgment_id = said.id
                        ORDER BY event.id DESC LIMIT 1) last
    LEFT JOIN annotate_handout given ON given.id = said.hand_out_id
    LEFT JOIN annotate_batch batch ON batch.id = given.batch_id
    WHERE said.annotator_id = %s AND said.purpose <> 'adjudication' AND last.kind = 'withdrawn'
      AND (batch.id IS NULL OR batch.verdict <> ALL(%s))
      AND NOT EXISTS (SELECT FROM annotate_seat seat WHERE seat.judgment_id = said.id)
      AND NOT EXISTS (SELECT FROM annotate_judgment later WHERE later.supersedes_id = said.id)
"""
_WITHDRAWN = f"""
    SELECT last.reason, count(*), min(last.at), max(last.at) {_FROM_WITHDRAWN}
    GROUP BY last.reason, last.by_id ORDER BY 4 DESC
"""
_N_WITHDRAWN = f"SELECT count(*) {_FROM_WITHDRAWN} AND last.at BETWEEN %s AND %s"
_COUNT_AGAIN = """
    UPDATE annotate_seat seat SET state = 'done', judgment_id = given.judgment
    FROM unnest(%s::bigint[], %s::bigint[]) AS given(seat, judgment) WHERE seat.id = given.seat
"""


class OtherCount(Exception):
    """Another number of labels would be withdrawn than was shown; nothing was changed."""


class Withdrawable(NamedTuple):
    """What a withdrawal would take: labels that enter agreement, other answers, pairs they are of."""

    n_labels: int
    n_checks: int
    n_pairs: int

    @property
    def n(self) -> int:
        """All answers together."""
        return self.n_labels + self.n_checks


class Withdrawal(NamedTuple):
    """Answers that were withdrawn for one reason between two moments, and have not been restored."""

    reason: str
    n: int
    since: datetime
    until: datetime


def withdrawable(*, annotator: Annotator, since: datetime) -> Withdrawable:
    """What one person said from a moment on that counts."""
    labels = Q(purpose__in=Seat.COUNTING)
    counted = _since(annotator, since).aggregate(
        labels=Count("pk", filter=labels), checks=Count("pk", filter=~labels), pairs=Count("pair", distinct=True)
    )
    return Withdrawable(counted["labels"], counted["checks"], counted["pairs"])


@transaction.atomic
def withdraw_annotator(
    *, annotator: Annotator, since: datetime, by: User | None, reason: str, expected: int | None = None
) -> ReviewWork | None:
    """Withdraw one person's counting answers from a moment on until now; much of it by a worker. None: there are none.

    expected : how many the lead was shown; raises OtherCount where they are others by now. Raises UnderWay
    """
    lock_annotator(annotator.pk)
    require_rest(of_annotator(annotator=annotator))
    until = _now()
    n_now = _said_within(annotator, since, until).count()
    if expected is not None and n_now != expected:
        raise OtherCount(f"{n_now:,} answers would be withdrawn by now, not {expected:,}; look again.")
    if not n_now:
        return None
    action = _note(ReviewAction.Kind.LABELS_WITHDRAWN, annotator, by, reason, n_now)
    return begin(action=action, n_total=n_now, handler=withdraw_some, since=since, until=until)


@transaction.atomic
def restore_annotator(
    *, annotator: Annotator, since: datetime, until: datetime, by: User | None, reason: str
) -> ReviewWork | None:
    """Let one person's answers count again that were withdrawn within a time; a rejected batch's stay withdrawn.

    Much of it by a worker. None: there are none. Raises UnderWay.
    """
    lock_annotator(annotator.pk)
    require_rest(of_annotator(annotator=annotator))
    n_now = _n_withdrawn(annotator, since, until)
    if not n_now:
        return None
    action = _note(ReviewAction.Kind.LABELS_RESTORED, annotator, by, reason, n_now)
    return begin(action=action, n_total=n_now, handler=restore_some, since=since, until=until)


def withdraw_some(decision: ReviewWork) -> Stretch:
    """The next answers of a withdrawal."""
    return withdraw_next(decision, _said_within(decision.action.annotator, decision.since, decision.until))


def restore_some(decision: ReviewWork) -> Stretch:
    """The next answers of a restoration."""
    return restore_next(decision, _answers(decision.action.annotator))


def withdrawals(*, annotator: Annotator) -> list[Withdrawal]:
    """What was withdrawn of one person's work and not restored, rejected batches apart; the latest first."""
    with connection.cursor() as cursor:
        cursor.execute(_WITHDRAWN, [annotator.pk, list(Batch.TAKEN_OUT)])
        return [Withdrawal(*row) for row in cursor.fetchall()]


def still_withdrawn(judgments: Sequence[int]) -> dict[int, datetime]:
    """Which of these answers are withdrawn at last, no other having taken their place, and since when."""
    last = {}
    events = JudgmentEvent.objects.filter(judgment__in=judgments).order_by("pk")
    for judgment, kind, at in events.values_list("judgment_id", "kind", "at"):
        last[judgment] = (kind, at)
    found = {pk: at for pk, (kind, at) in last.items() if kind == JudgmentEvent.Kind.WITHDRAWN}
    free = Judgment.objects.filter(pk__in=found, superseded_by=None, seat=None)
    free = free.exclude(purpose=Seat.Purpose.ADJUDICATION)
    return {pk: found[pk] for pk in free.order_by("pk").values_list("pk", flat=True)}


def withdraw_next(decision: ReviewWork, seats: QuerySet[Seat]) -> Stretch:
    """Let what counts for the next of these seats no longer count; undone and surplus answers are left alone."""
    action = decision.action
    lock_annotator(action.annotator_id)  # a change of mind on its way would count on
    due = seats.filter(state=Seat.State.DONE, judgment__gt=decision.cursor).order_by("judgment")
    done = list(due.values_list("judgment_id", "pair_id")[: review_work.STRETCH])
    pairs, counting = _lock(pair for _, pair in done), [judgment for judgment, _ in done]
    _tell(counting, JudgmentEvent.Kind.WITHDRAWN, action.by, action.reason)
    Seat.objects.filter(judgment__in=counting).update(state=Seat.State.WITHDRAWN, judgment=None)
    reconcile_pairs(pair_ids=pairs)
    note_changes(collection_id=action.collection_id, pair_ids=pairs)
    return Stretch(len(done), 0, counting[-1] if counting else decision.cursor, len(done))


def restore_next(decision: ReviewWork, judgments: QuerySet[Judgment]) -> Stretch:
    """Let those of the next answers count again that the decision is about, and whose pairs still miss a label."""
    action = decision.action
    lock_annotator(action.annotator_id)
    # by their keys alone, and then what became of these: how many events there are must not matter
    following = judgments.filter(pk__gt=decision.cursor).order_by("pk").values_list("pk", flat=True)
    looked_at = list(following[: review_work.STRETCH])
    withdrawn = still_withdrawn(looked_at)
    meant = [pk for pk, at in withdrawn.items() if decision.until is None or decision.since <= at <= decision.until]
    said = {(row.pair_id, row.purpose): row for row in Judgment.objects.filter(pk__in=meant).order_by("pk")}
    pairs = _lock(pair for pair, _ in said)
    taken = _places(said, pairs, action.annotator_id)
    _tell([judgment for _, judgment in taken], JudgmentEvent.Kind.RESTORED, action.by, action.reason)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_AGAIN, [[seat for seat, _ in taken], [judgment for _, judgment in taken]])
    reconcile_pairs(pair_ids=pairs)
    note_changes(collection_id=action.collection_id, pair_ids=pairs)
    last = looked_at[-1] if looked_at else decision.cursor
    return Stretch(len(taken), len(meant) - len(taken), last, len(looked_at))


def _places(said: Mapping[tuple[int, str], Judgment], pairs: list[int], annotator_id: int) -> list[tuple[int, int]]:
    """The seats of one person's withdrawn answers that may count again, each with its judgment."""
    missing = n_missing(pair_ids=pairs)
    empty = Seat.objects.filter(pair__in=pairs, annotator=annotator_id, state=Seat.State.WITHDRAWN)
    seats = {(seat.pair_id, seat.purpose): seat for seat in empty.order_by("pk")}
    return [
        (seats[key].pk, judgment.pk)
        for key, judgment in said.items()
        if key in seats and (key[1] != Seat.Purpose.LABEL or missing.get(key[0]))
    ]


def _answers(annotator: Annotator) -> QuerySet[Judgment]:
    """All answers of one person, rejected batches apart."""
    return Judgment.objects.filter(annotator=annotator).exclude(hand_out__batch__verdict__in=Batch.TAKEN_OUT)


def _n_withdrawn(annotator: Annotator, since: datetime, until: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_N_WITHDRAWN, [annotator.pk, list(Batch.TAKEN_OUT), since, until])
        return cursor.fetchone()[0]


def _since(annotator: Annotator, since: datetime) -> QuerySet[Seat]:
    mine = Seat.objects.filter(annotator=annotator, state=Seat.State.DONE, judgment__at__gte=since)
    return mine.exclude(purpose=Seat.Purpose.ADJUDICATION)


def _said_within(annotator: Annotator, since: datetime, until: datetime) -> QuerySet[Seat]:
    """Her seats whose answer was given within a time, also where she has changed her mind about it after that."""
    earlier = Judgment.objects.filter(
        annotator=annotator, hand_out=OuterRef("judgment__hand_out"), at__range=(since, until)
    )
    return _since(annotator, since).filter(Q(judgment__at__lte=until) | Exists(earlier))


def _now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]


def _lock(pair_ids: Iterable[int]) -> list[int]:
    pairs = sorted(set(pair_ids))
    list(Pair.objects.filter(pk__in=pairs).order_by("pk").select_for_update(no_key=True).values_list("pk"))
    return pairs


def _tell(judgments: list[int], kind: JudgmentEvent.Kind, by: User | None, reason: str) -> None:
    JudgmentEvent.objects.bulk_create(
        JudgmentEvent(judgment_id=judgment, kind=kind, by=by, reason=reason) for judgment in judgments
    )


def _note(kind: ReviewAction.Kind, annotator: Annotator, by: User | None, reason: str, n: int) -> ReviewAction:
    about = review_log.About(annotator=annotator)
    return review_log.note(
        collection=annotator.collection, kind=kind, by=by, about=about, reason=reason, n_labels=n
    )
