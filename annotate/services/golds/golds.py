"""Golds that leads choose: pairs whose grade they know, with the reason; every step is logged."""

from datetime import datetime

from django.db import transaction

from annotate.core.consequences import require_told, require_unchanged
from annotate.models import (
    ClockTimestamp,
    Collection,
    CountingJudgment,
    Gold,
    Item,
    Pair,
    ReviewAction,
    Seat,
    Side,
    User,
)
from annotate.services.collection.lifecycle.archive import lock_unarchived
from annotate.services.seating import note_changes
from annotate.services.supervision import review_log

Kind = ReviewAction.Kind
LONGEST = 500  # of a reason in the log


class BadGold(Exception):
    """The pair cannot be a gold; nothing was changed. `field` names the form field at fault."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@transaction.atomic
def add_gold(
    *,
    collection: Collection,
    query: str,
    document: str,
    grade: int,
    explanation: str,
    by: User | None,
) -> Gold:
    """Make a pair, named by the ids of its items, a curated gold, in place of a retired one.

    Raises BadGold for unknown or excluded items, a grade that the scheme lacks, and a pair that is
    a gold in use. Raises CollectionArchived.
    """
    lock_unarchived(collection_id=collection.pk)
    if not collection.levels.filter(grade=grade).exists():
        raise BadGold("grade", f"The scheme has no grade {grade}.")
    items = [
        _item(collection, side, name)
        for side, name in ((Side.QUERY, query), (Side.DOCUMENT, document))
    ]
    pair, _ = Pair.objects.get_or_create(collection=collection, query=items[0], document=items[1])
    if Pair.objects.left_out().filter(pk=pair.pk).exists():
        raise BadGold("document", "This pair is excluded; take it back in first.")
    existing_gold = Gold.objects.select_for_update().filter(pair=pair).first()
    if existing_gold is not None and existing_gold.retired_at is None:
        origin = existing_gold.get_origin_display().lower()
        raise BadGold(
            "document",
            f"This pair is a gold already, of grade {existing_gold.grade} ({origin}): "
            "retire it first.",
        )
    gold, _ = Gold.objects.update_or_create(
        pair=pair,
        defaults={
            "collection": collection,
            "grade": grade,
            "is_positive": grade >= collection.positive_from,
            "origin": Gold.Origin.CURATED,
            "explanation": explanation,
            "retired_at": None,
        },
    )
    _log_and_notify(gold, Kind.GOLD_ADDED, by, explanation)
    return gold


@transaction.atomic
def retire_gold(
    *, gold: Gold, by: User | None, reason: str = "", expected: int | None = None
) -> bool:
    """Hand a gold out no more; answers to it stay, but are no evidence for or against anybody.

    Nobody's share of golds right counts it from now on, and no batch that is finished later is
    checked by it. Earlier checks and verdicts of batches stand. False if it was retired before.
    Raises CountChanged.

    expected : number of people's answers that was told, no more than which there may be
    """
    if expected is not None:
        Pair.objects.select_for_update(no_key=True).get(pk=gold.pair_id)  # answers wait
    require_told(_n_answers(gold), expected=expected, noun="answer")
    is_new = Gold.objects.filter(pk=gold.pk, retired_at=None).update(retired_at=ClockTimestamp())
    gold.refresh_from_db(fields=["retired_at"])
    if is_new:
        _log_and_notify(gold, Kind.GOLD_RETIRED, by, reason)
    return bool(is_new)


@transaction.atomic
def bring_back_gold(
    *, gold: Gold, by: User | None, reason: str = "", done_at: datetime | None = None
) -> bool:
    """Hand a retired gold out again; people's answers to it count again. False if it was not.

    Raises CollectionArchived, ActChanged.

    done_at : moment of the retirement that is taken back, None for any
    """
    lock_unarchived(collection_id=gold.collection_id)
    since = Gold.objects.select_for_update(no_key=True).get(pk=gold.pk).retired_at
    if since is None:
        return False
    require_unchanged(since, done_at=done_at)
    Gold.objects.filter(pk=gold.pk).update(retired_at=None)
    gold.refresh_from_db(fields=["retired_at"])
    _log_and_notify(gold, Kind.GOLD_RESTORED, by, reason)
    return True


def _log_and_notify(gold: Gold, kind: ReviewAction.Kind, by: User | None, reason: str) -> None:
    """Write the line of the log, and let the numbers follow."""
    words = f"Grade {gold.grade}, {gold.get_origin_display().lower()}"
    words = f"{words}: {reason}" if reason else f"{words}."
    subject = review_log.ActionSubject(pair=gold.pair)
    review_log.note(
        collection=gold.collection, kind=kind, by=by, subject=subject, reason=words[:LONGEST]
    )
    note_changes(collection_id=gold.collection_id, pair_ids=[gold.pair_id])


def _n_answers(gold: Gold) -> int:
    """The number of people who have answered a gold, as gold_lines counts them."""
    answers = CountingJudgment.objects.filter(pair=gold.pair_id, purpose=Seat.Purpose.GOLD)
    return answers.values("annotator").distinct().count()


def _item(collection: Collection, side: Side, name: str) -> Item:
    item = Item.objects.filter(collection=collection, side=side, external_id=name).first()
    if item is None:
        raise BadGold(side.value, f'This collection has no {side.value} with the id "{name}".')
    if item.excluded_at is not None:
        raise BadGold(side.value, f"This {side.value} is excluded: {item.excluded_reason}")
    return item
