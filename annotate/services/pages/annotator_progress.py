"""An annotator's own progress, and her recent answers."""

from collections.abc import Sequence
from typing import TypedDict

from annotate.markdown import page_text
from annotate.models import (
    Annotator,
    HandOut,
    Item,
    Judgment,
    JudgmentEvent,
    JudgmentOutcome,
    Part,
    Report,
    Seat,
)
from annotate.services.judging import cards, undoing
from annotate.services.judging.cards import CardContext
from annotate.services.pictures.item_pictures import picture_of


class AnnotatorProgress(TypedDict):
    """The annotator's own figures; golds and candidates are counted alike.

    position : of the card to judge; done : pairs of the batch that are answered
    total : None if it was not asked for
    """

    batch: int
    position: int
    of: int
    done: int
    last_day: int
    total: int | None


class RecentAnswer(TypedDict):
    """An answer or report that can still be changed.

    Grade is None for a report, `report` its kind.
    """

    hand_out: str
    query_text: str
    document_text: str
    query_picture: dict[str, object] | None
    document_picture: dict[str, object] | None
    grade: int | None
    report: str
    at: str


def progress(
    *, annotator: Annotator, context: CardContext | None = None, with_total: bool = True
) -> AnnotatorProgress:
    """Return this person's progress in the batch, in 24 hours and in all, without undone answers.

    context : the figures read with the cards, if they were read already
    with_total : count all she ever judged, which takes longer the more there is
    """
    context = cards.card_context(annotator=annotator) if context is None else context
    return AnnotatorProgress(
        batch=context.batch,
        position=min(context.n - context.n_left + 1, context.n),
        of=context.n,
        done=context.n - context.n_left,
        last_day=context.n_last_day,
        total=_total(annotator) if with_total else None,
    )


def _total(annotator: Annotator) -> int:
    first_answers = Judgment.objects.filter(annotator=annotator, supersedes=None).exclude(
        purpose=Seat.Purpose.TRAINING
    )
    # Counted apart: undone answers are few, and joining them to all of a person's answers is slow.
    undone = JudgmentEvent.objects.filter(
        kind=JudgmentEvent.Kind.UNDONE,
        judgment__annotator=annotator,
        judgment__standing__outcome=JudgmentOutcome.Outcome.UNDONE,
    )
    return first_answers.count() - undone.values("judgment").distinct().count()


def recent(*, acts: Sequence[undoing.Act], slug: str) -> list[RecentAnswer]:
    """Return a person's last answers and reports in force, one a pair, newest first.

    slug : short name of the collection
    acts : her last acts, see undoing.last_acts; deferred pairs are left out, as they come again
    """
    keys = list(dict.fromkeys(act.hand_out for act in acts if act.kind != undoing.DEFER))
    hand_outs = HandOut.objects.select_related(
        "seat__pair__query", "seat__pair__document"
    ).prefetch_related("seat__pair__query__parts", "seat__pair__document__parts")
    by_key = hand_outs.in_bulk(keys)
    words = undoing.current_responses(hand_outs=list(by_key.values()))
    return [_recent(by_key[key], words[key], slug) for key in keys if key in words]


def _recent(hand_out: HandOut, response: Judgment | Report, slug: str) -> RecentAnswer:
    pair = hand_out.seat.pair
    return RecentAnswer(
        hand_out=str(hand_out.token),
        query_text=_text(pair.query),
        document_text=_text(pair.document),
        query_picture=picture_of(pair.query, slug).frame_json,
        document_picture=picture_of(pair.document, slug).frame_json,
        grade=response.level.grade if isinstance(response, Judgment) else None,
        report=response.get_kind_display() if isinstance(response, Report) else "",
        at=response.at.isoformat(),
    )


def _text(item: Item) -> str:
    parts = list(item.parts.all())
    texts = [
        page_text(part.text) if part.kind == Part.Kind.HTML else part.text
        for part in parts
        if part.text
    ]
    if texts:
        return texts[0][:120]
    # As on the card: an id is shown only where there is nothing else; it may tell something.
    return ", ".join(part.get_kind_display() for part in parts) or item.external_id
