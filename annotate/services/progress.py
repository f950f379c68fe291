"""What an annotator learns of her own work, and why there may be nothing to do right now."""

from typing import TypedDict

from django.db.models import Count, Q
from django.utils import timezone

from annotate.models import Annotator, Batch, HandOut, Item, Judgment, JudgmentEvent, Round
from annotate.services.claiming import free_later
from annotate.services.judging import CHANGEABLE


class Progress(TypedDict):
    """Own figures only; golds and candidates are counted alike."""

    batch: int
    position: int
    of: int
    today: int
    total: int


class Empty(TypedDict):
    """Why there is no card: a reason for the script, a message for the person, when to look again."""

    reason: str
    message: str
    retry_seconds: int | None


class Recent(TypedDict):
    """One judgment that can still be changed."""

    hand_out: str
    query_text: str
    document_text: str
    grade: int
    at: str


def progress(*, annotator: Annotator) -> Progress:
    """How far this person is: in the batch, today (UTC), in all; what was undone does not count."""
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    given = Judgment.objects.filter(annotator=annotator, supersedes=None).aggregate(
        total=Count("pk"), today=Count("pk", filter=Q(at__gte=midnight))
    )
    # Counted apart: undone answers are few, and joining them to all a person ever gave is dear.
    undone = JudgmentEvent.objects.filter(
        kind=JudgmentEvent.Kind.UNDONE, judgment__annotator=annotator, judgment__superseded_by=None
    ).aggregate(total=Count("judgment"), today=Count("judgment", filter=Q(judgment__at__gte=midnight)))
    batch = Batch.objects.filter(annotator=annotator).order_by("finished_at", "number").last()
    counts = {"of": 0, "left": 0}
    if batch is not None:
        counts = batch.hand_outs.aggregate(
            of=Count("pk"), left=Count("pk", filter=Q(answered_at=None))
        )
    return Progress(
        batch=batch.number if batch else 0,
        position=min(counts["of"] - counts["left"] + 1, counts["of"]),
        of=counts["of"],
        today=max(0, given["today"] - undone["today"]),
        total=given["total"] - undone["total"],
    )


def why_empty(*, annotator: Annotator, asked: bool) -> Empty:
    """Why this person has no card, in words that say what next.

    asked : she asked for more work, so that the end of a batch is no reason
    """
    if annotator.paused_at is not None:
        return Empty(reason="paused", message="Your work is paused. Please ask the lead of this collection.",
                     retry_seconds=None)
    open_rounds = Round.objects.filter(
        collection=annotator.collection_id, kind=Round.Kind.POOL, state=Round.State.OPEN
    )
    if not open_rounds.exists():
        return Empty(reason="closed", message="No pool is open for judging right now. Your work is saved.",
                     retry_seconds=None)
    last = Batch.objects.filter(annotator=annotator).order_by("number").last()
    if last is not None and not asked:
        return Empty(reason="batch_done", message=f"Batch {last.number} is done and saved.", retry_seconds=0)
    n_held, seconds = free_later(annotator=annotator)
    if n_held:
        minutes = max(1, round((seconds or 0) / 60))
        pairs = "1 pair is" if n_held == 1 else f"{n_held} pairs are"
        return Empty(
            reason="others_hold",
            message=f"{pairs} with other people; the next may be free in {minutes} min.",
            retry_seconds=max(30, int(seconds or 0)),
        )
    return Empty(reason="none_left", message="You have judged every pair there is for you. Thank you.",
                 retry_seconds=None)


def recent(*, annotator: Annotator) -> list[Recent]:
    """The last judgments of unsettled batches, newest first."""
    answered = HandOut.objects.filter(
        batch__annotator=annotator, batch__settled_at=None, answered_at__isnull=False,
        seat__judgment__annotator=annotator,
    )
    answered = answered.select_related(
        "seat__judgment__level", "seat__pair__query", "seat__pair__document"
    ).prefetch_related("seat__pair__query__parts", "seat__pair__document__parts")
    return [
        Recent(
            hand_out=str(hand_out.token),
            query_text=_text(hand_out.seat.pair.query),
            document_text=_text(hand_out.seat.pair.document),
            grade=hand_out.seat.judgment.level.grade,
            at=hand_out.seat.judgment.at.isoformat(),
        )
        for hand_out in answered.order_by("-answered_at")[:CHANGEABLE]
    ]


def _text(item: Item) -> str:
    parts = list(item.parts.all())
    texts = [part.text for part in parts if part.text]
    if texts:
        return texts[0][:120]
    # As on the card: an id is shown only where there is nothing else; it may tell something.
    return ", ".join(part.get_kind_display() for part in parts) or item.external_id
