"""What an annotator learns of her own work: how far she is, and what she said last."""

from collections.abc import Sequence
from typing import TypedDict

from annotate.markdown import page_text
from annotate.models import Annotator, HandOut, Item, Judgment, JudgmentEvent, Part, Report, Seat
from annotate.services import cards, undoing
from annotate.services.cards import Around


class Progress(TypedDict):
    """Own figures only; golds and candidates are counted alike.

    position : of the card to judge; done : pairs of the batch that wait for nothing any more
    total : None where it was not asked for
    """

    batch: int
    position: int
    of: int
    done: int
    today: int
    total: int | None


class Recent(TypedDict):
    """One answer or report that can still be changed; grade : None for a report, which then says what kind it is."""

    hand_out: str
    query_text: str
    document_text: str
    grade: int | None
    report: str
    at: str


def progress(*, annotator: Annotator, around: Around | None = None, with_total: bool = True) -> Progress:
    """How far this person is: in the batch, today (UTC), in all; what was undone does not count.

    around : what was found of the batch already
    with_total : count all she ever judged, which takes longer the more it is
    """
    around = cards.around(annotator=annotator) if around is None else around
    return Progress(
        batch=around.batch,
        position=min(around.n - around.n_left + 1, around.n),
        of=around.n,
        done=around.n - around.n_left,
        today=around.n_today,
        total=_total(annotator) if with_total else None,
    )


def _total(annotator: Annotator) -> int:
    given = Judgment.objects.filter(annotator=annotator, supersedes=None).exclude(purpose=Seat.Purpose.TRAINING)
    # Counted apart: undone answers are few, and joining them to all a person ever gave is dear.
    undone = JudgmentEvent.objects.filter(
        kind=JudgmentEvent.Kind.UNDONE, judgment__annotator=annotator, judgment__superseded_by=None
    )
    return given.count() - undone.values("judgment").distinct().count()


def recent(*, acts: Sequence[undoing.Act]) -> list[Recent]:
    """What stands of what somebody said last, one row a pair, newest first; what was put off is still to come.

    acts : the last ones, see undoing.last_acts
    """
    keys = list(dict.fromkeys(act.hand_out for act in acts if act.kind != undoing.LATER))
    hand_outs = HandOut.objects.select_related("seat__pair__query", "seat__pair__document").prefetch_related(
        "seat__pair__query__parts", "seat__pair__document__parts"
    )
    by_key = hand_outs.in_bulk(keys)
    words = undoing.standing_words(hand_outs=list(by_key.values()))
    return [_recent(by_key[key], words[key]) for key in keys if key in words]


def _recent(hand_out: HandOut, word: Judgment | Report) -> Recent:
    return Recent(
        hand_out=str(hand_out.token),
        query_text=_text(hand_out.seat.pair.query),
        document_text=_text(hand_out.seat.pair.document),
        grade=word.level.grade if isinstance(word, Judgment) else None,
        report=word.get_kind_display() if isinstance(word, Report) else "",
        at=word.at.isoformat(),
    )


def _text(item: Item) -> str:
    parts = list(item.parts.all())
    texts = [page_text(part.text) if part.kind == Part.Kind.HTML else part.text for part in parts if part.text]
    if texts:
        return texts[0][:120]
    # As on the card: an id is shown only where there is nothing else; it may tell something.
    return ", ".join(part.get_kind_display() for part in parts) or item.external_id
