"""What an annotator learns of her own work, and why there may be nothing to do right now."""

from typing import TypedDict

from django.db.models import QuerySet

from annotate.markdown import page_text
from annotate.models import Annotator, Batch, HandOut, Item, Judgment, JudgmentEvent, Part, Report, Round, Seat
from annotate.services import cards, gold_checks, queues, undoing
from annotate.services.cards import Around
from annotate.services.claiming import free_later
from annotate.services.training_gate import is_in_training


class Progress(TypedDict):
    """Own figures only; golds and candidates are counted alike.

    total : None where it was not asked for
    """

    batch: int
    position: int
    of: int
    today: int
    total: int | None


class Empty(TypedDict):
    """Why there is no card: a reason for the script, a message for the person, when to look again."""

    reason: str
    message: str
    retry_seconds: int | None


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


def why_empty(*, annotator: Annotator, asked: bool) -> Empty:
    """Why this person has no card, in words that say what next.

    asked : she asked for more work, so that the end of a batch is no reason
    """
    if annotator.paused_at is not None:
        return Empty(reason="paused", message="Your work is paused. Please ask the lead of this collection.",
                     retry_seconds=None)
    if is_in_training(annotator=annotator):
        return Empty(reason="training", message="Before you judge, you go through a training.", retry_seconds=None)
    open_rounds = Round.objects.filter(
        collection=annotator.collection_id, kind=Round.Kind.POOL, state=Round.State.OPEN
    )
    if not open_rounds.exists():
        return Empty(
            reason="closed",
            message="No pool is open for judging right now. Your work is saved; come back when the lead opens one.",
            retry_seconds=None,
        )
    last = _batches(annotator).order_by("number").last()
    if last is not None and not asked:
        said = f"Batch {last.number} is done and saved. {gold_checks.warning(batch=last)}"
        return Empty(reason="batch_done", message=said.strip(), retry_seconds=0)
    return _why_nothing_is_left(annotator)


def _why_nothing_is_left(annotator: Annotator) -> Empty:
    """Why the open pools hold nothing for this person."""
    if _share_is_used_up(annotator):
        return Empty(
            reason="share",
            message="You have judged your share of this pool; the pairs that are left are for other people. Thank you.",
            retry_seconds=None,
        )
    n_held, seconds = free_later(annotator=annotator)
    if n_held:
        minutes = max(1, round((seconds or 0) / 60))
        pairs = "1 pair is" if n_held == 1 else f"{n_held} pairs are"
        return Empty(
            reason="others_hold",
            message=f"{pairs} with other people; the next may be free in {minutes} min.",
            retry_seconds=max(30, int(seconds or 0)),
        )
    own = Judgment.objects.filter(annotator=annotator).exclude(purpose=Seat.Purpose.TRAINING)
    done = "You have judged every pair there is for you. Thank you." if own.exists() else "All pairs have their labels."
    return Empty(
        reason="none_left", message=f"{done} More comes when the lead opens another pool.", retry_seconds=None
    )


def recent(*, annotator: Annotator) -> list[Recent]:
    """What stands of what she said last, one row a pair, newest first; what she put off is still to come."""
    acts = [act for act in undoing.last_acts(annotator=annotator) if act.kind != undoing.LATER]
    keys = list(dict.fromkeys(act.hand_out for act in acts))
    hand_outs = HandOut.objects.select_related("seat__pair__query", "seat__pair__document").prefetch_related(
        "seat__pair__query__parts", "seat__pair__document__parts"
    )
    by_key = hand_outs.in_bulk(keys)
    answers = Judgment.objects.filter(hand_out__in=keys, superseded_by=None).select_related("level").order_by("pk")
    words: dict[int, Judgment | Report] = {answer.hand_out_id: answer for answer in answers}
    words |= {report.hand_out_id: report for report in Report.objects.filter(hand_out__in=keys).open().order_by("pk")}
    return [_recent(by_key[key], words[key]) for key in keys]


def _recent(hand_out: HandOut, word: Judgment | Report) -> Recent:
    return Recent(
        hand_out=str(hand_out.token),
        query_text=_text(hand_out.seat.pair.query),
        document_text=_text(hand_out.seat.pair.document),
        grade=word.level.grade if isinstance(word, Judgment) else None,
        report=word.get_kind_display() if isinstance(word, Report) else "",
        at=word.at.isoformat(),
    )


def _share_is_used_up(annotator: Annotator) -> bool:
    """Whether all that is left belongs to pools of which she judged the share that one person may."""
    rounds = list(queues.open_rounds(collection_id=annotator.collection_id).select_related("policy"))
    left = queues.quotas(annotator=annotator, rounds=rounds)
    used_up = [round_ for round_, n in left.items() if not n]
    if not used_up:
        return False
    waiting = Seat.objects.filter(round__in=rounds, purpose=Seat.Purpose.LABEL)
    waiting = waiting.filter(state__in=[Seat.State.FREE, Seat.State.HELD])
    return waiting.filter(round__in=used_up).exists() and not waiting.exclude(round__in=used_up).exists()


def _batches(annotator: Annotator) -> QuerySet[Batch]:
    """Those of real work: a try at the training pairs is none."""
    return Batch.objects.filter(annotator=annotator, training_try=None)


def _text(item: Item) -> str:
    parts = list(item.parts.all())
    texts = [page_text(part.text) if part.kind == Part.Kind.HTML else part.text for part in parts if part.text]
    if texts:
        return texts[0][:120]
    # As on the card: an id is shown only where there is nothing else; it may tell something.
    return ", ".join(part.get_kind_display() for part in parts) or item.external_id
