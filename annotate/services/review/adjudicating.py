"""A lead's grade for a pair: it decides the resolution alone and never enters agreement.

It is a judgment of the lead's own annotator on the pair's one seat for adjudication. A change
supersedes it; one by another lead withdraws the first one's; undone, the labels decide again, and
reports that it settled are open again.
"""

from uuid import uuid4

from django.db import transaction

from annotate.core.consequences import ActChanged
from annotate.models import (
    Annotator,
    Guidelines,
    Judgment,
    JudgmentEvent,
    Level,
    Pair,
    Report,
    ReviewAction,
    Round,
    Seat,
    User,
)
from annotate.services.judging import reports
from annotate.services.judging.judging import UnknownGrade
from annotate.services.people import accounts
from annotate.services.review.pair_actions import reconcile_and_log


class NotInARound(Exception):
    """No pool or import names the pair, so it has no grade to decide; nothing was changed."""


class NotAdjudicated(Exception):
    """No adjudication of the pair stands; nothing was changed."""


@transaction.atomic
def adjudicate(
    *, pair: Pair, by: User, grade: int, note: str = "", decision: int | None = None
) -> Judgment:
    """Make a lead's grade the pair's; the same grade by the same lead again changes nothing.

    Settles the pair's open reports. Raises UnknownGrade, NotInARound, ActChanged.

    decision : key of the adjudication that her page showed as the one in force, 0 for none; None
        of who was shown none, as a program
    """
    level = Level.objects.filter(collection=pair.collection_id, grade=grade).first()
    if level is None:
        raise UnknownGrade(f"The scheme has no grade {grade}.")
    annotator = accounts.ensure_annotator(collection=pair.collection, user=by)
    locked_pair = Pair.objects.select_for_update(no_key=True).get(pk=pair.pk)
    seat = _seat(pair)
    earlier = seat.judgment
    if earlier is not None and (earlier.annotator_id, earlier.level_id) == (annotator.pk, level.pk):
        return earlier
    _require_shown(earlier, decision=decision, by=by)
    if earlier is not None and earlier.annotator_id != annotator.pk:
        JudgmentEvent.objects.create(
            judgment=earlier,
            kind=JudgmentEvent.Kind.WITHDRAWN,
            by=by,
            reason="Adjudicated anew by another lead.",
        )
    judgment = _store(pair, annotator, level)
    seat.state = Seat.State.DONE
    seat.annotator = annotator
    seat.judgment = judgment
    seat.leased_until = None
    seat.save()
    collection = pair.collection
    if collection.scheme_frozen_at is None:
        collection.scheme_frozen_at = judgment.at
        collection.save(update_fields=["scheme_frozen_at"])
    reports.settle(reports=Report.objects.filter(pair=pair), by=by, at=judgment.at)
    reconcile_and_log(pair=locked_pair, kind=ReviewAction.Kind.ADJUDICATED, by=by, reason=note)
    return judgment


@transaction.atomic
def undo_adjudication(
    *, pair: Pair, by: User, reason: str = "", decision: int | None = None
) -> None:
    """Let the labels decide again. Raises NotAdjudicated, ActChanged.

    decision : key of the adjudication that her page showed, None of who was shown none
    """
    locked_pair = Pair.objects.select_for_update(no_key=True).get(pk=pair.pk)
    seat = adjudication_seat(pair=pair)
    if seat is None:
        raise NotAdjudicated("No adjudication of this pair stands.")
    assert seat.judgment is not None, "a done seat has a judgment"  # noqa: S101
    _require_shown(seat.judgment, decision=decision, by=by)
    JudgmentEvent.objects.create(
        judgment=seat.judgment, kind=JudgmentEvent.Kind.UNDONE, by=by, reason=reason[:200]
    )
    seat.state, seat.judgment = Seat.State.WITHDRAWN, None
    seat.save()
    adjudicated_at = Judgment.objects.filter(
        pair=pair, purpose=Seat.Purpose.ADJUDICATION
    ).values_list("at", flat=True)
    reports.reopen(
        reports=Report.objects.filter(pair=pair).settled_at_one_of(adjudicated_at), by=by
    )
    reconcile_and_log(
        pair=locked_pair, kind=ReviewAction.Kind.ADJUDICATION_UNDONE, by=by, reason=reason
    )


def adjudication_seat(*, pair: Pair) -> Seat | None:
    """Return the seat of the adjudication that decides this pair, if one does."""
    seats = Seat.objects.filter(pair=pair, purpose=Seat.Purpose.ADJUDICATION, state=Seat.State.DONE)
    return seats.select_related("judgment__level", "judgment__annotator__user").first()


def _seat(pair: Pair) -> Seat:
    """Return the pair's one seat for adjudication, or a new one that is not stored yet."""
    seat = (
        Seat.objects.select_related("judgment__level", "judgment__annotator__user")
        .filter(pair=pair, purpose=Seat.Purpose.ADJUDICATION)
        .first()
    )
    if seat is not None:
        return seat
    rounds = Round.objects.filter(round_pairs__pair=pair, kind__in=Round.FOR_LABELS)
    newest_round = rounds.order_by("-pk").first()
    if newest_round is None:
        raise NotInARound("No pool or import has this pair, so it has no grade to decide.")
    return Seat(
        collection_id=pair.collection_id,
        round=newest_round,
        pair=pair,
        purpose=Seat.Purpose.ADJUDICATION,
        number=1,
    )


def _require_shown(earlier: Judgment | None, *, decision: int | None, by: User) -> None:
    """Raise ActChanged where another adjudication is in force than the page showed."""
    if decision is None or decision == (earlier.pk if earlier else 0):
        return
    if earlier is None:
        raise ActChanged("The grade that stood here was taken back meanwhile; look again.")
    lead = earlier.annotator.user
    name = "you" if lead == by else lead.username if lead else "a former lead"
    raise ActChanged(
        f"It was decided on grade {earlier.level.grade} by {name}, "
        f"{earlier.at:%-d %b %Y %H:%M:%S} UTC; look again."
    )


def _store(pair: Pair, annotator: Annotator, level: Level) -> Judgment:
    """Store the judgment; it supersedes the lead's own last one, if any."""
    own_judgments = Judgment.objects.filter(
        pair=pair, annotator=annotator, purpose=Seat.Purpose.ADJUDICATION
    )
    guidelines = Guidelines.objects.filter(collection=pair.collection_id).order_by("-pk").first()
    judgment: Judgment = Judgment.objects.create(
        collection_id=pair.collection_id,
        pair=pair,
        annotator=annotator,
        purpose=Seat.Purpose.ADJUDICATION,
        level=level,
        guidelines=guidelines,
        submission_id=uuid4(),
        supersedes=own_judgments.filter(superseded_by=None).order_by("-pk").first(),
    )
    judgment.refresh_from_db(fields=["at"])
    return judgment
