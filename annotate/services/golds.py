"""Golds that leads choose themselves: pairs whose grade they know, with the reason why. All of it stands in the log."""

from django.db import transaction

from annotate.models import ClockTimestamp, Collection, Gold, Item, Pair, ReviewAction, Side, User
from annotate.services import review_log
from annotate.services.seating import note_changes

Kind = ReviewAction.Kind
LONGEST = 500  # of a reason in the log


class BadGold(Exception):
    """The pair cannot be a gold; nothing was changed. `field` says which entry of the form is to blame."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@transaction.atomic
def add_gold(
    *, collection: Collection, query: str, document: str, grade: int, explanation: str, by: User | None
) -> Gold:
    """Make a pair, named by the ids of its items, a curated gold; a retired one is brought back as this one.

    Raises BadGold for unknown or excluded items, a grade that the scheme lacks, and a pair that is a gold in use.
    """
    if not collection.levels.filter(grade=grade).exists():
        raise BadGold("grade", f"The scheme has no grade {grade}.")
    items = [_item(collection, side, name) for side, name in ((Side.QUERY, query), (Side.DOCUMENT, document))]
    pair, _ = Pair.objects.get_or_create(collection=collection, query=items[0], document=items[1])
    if Pair.objects.left_out().filter(pk=pair.pk).exists():
        raise BadGold("document", "This pair is excluded; take it back in first.")
    known = Gold.objects.select_for_update().filter(pair=pair).first()
    if known is not None and known.retired_at is None:
        origin = known.get_origin_display().lower()
        raise BadGold("document", f"This pair is a gold already, of grade {known.grade} ({origin}): retire it first.")
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
    _follow(gold, Kind.GOLD_ADDED, by, explanation)
    return gold


@transaction.atomic
def retire_gold(*, gold: Gold, by: User | None, reason: str = "") -> None:
    """Hand a gold out no more; answers to it stay, but speak for and against nobody.

    Nobody's share of golds right counts it from now on, and no batch that is finished later is checked by it. What a
    batch was checked by before, and its verdict, stands. One that is retired already stays so.
    """
    if Gold.objects.filter(pk=gold.pk, retired_at=None).update(retired_at=ClockTimestamp()):
        _follow(gold, Kind.GOLD_RETIRED, by, reason)


@transaction.atomic
def bring_back_gold(*, gold: Gold, by: User | None, reason: str = "") -> None:
    """Hand a retired gold out again; what people answered counts again."""
    if Gold.objects.filter(pk=gold.pk, retired_at__isnull=False).update(retired_at=None):
        _follow(gold, Kind.GOLD_RESTORED, by, reason)


def _follow(gold: Gold, kind: ReviewAction.Kind, by: User | None, reason: str) -> None:
    """Write the line of the log, and let the numbers follow."""
    words = f"Grade {gold.grade}, {gold.get_origin_display().lower()}"
    words = f"{words}: {reason}" if reason else f"{words}."
    about = review_log.About(pair=gold.pair)
    review_log.note(collection=gold.collection, kind=kind, by=by, about=about, reason=words[:LONGEST])
    note_changes(collection_id=gold.collection_id, pair_ids=[gold.pair_id])


def _item(collection: Collection, side: Side, name: str) -> Item:
    found = Item.objects.filter(collection=collection, side=side, external_id=name).first()
    if found is None:
        raise BadGold(side.value, f'This collection has no {side.value} with the id "{name}".')
    if found.excluded_at is not None:
        raise BadGold(side.value, f"This {side.value} is excluded: {found.excluded_reason}")
    return found
