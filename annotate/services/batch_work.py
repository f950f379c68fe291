"""A batch as a lead sees it: its pairs in the order they were handed out, the answers, and how golds were met."""

from typing import NamedTuple

from annotate.models import Batch, Gold, HandOut, Judgment, JudgmentEvent, Report


class Line(NamedTuple):
    """One pair of a batch.

    said : the last answer; None where there is none
    events : what became of it, the oldest first
    gold : the known grade, where it checked the person; is_right : whether the answer is on the gold's side
    """

    hand_out: HandOut
    said: Judgment | None
    events: list[JudgmentEvent]
    gold: Gold | None
    reports: list[Report]
    is_right: bool | None

    @property
    def seconds(self) -> float | None:
        """Active time."""
        return None if self.said is None or self.said.active_ms is None else self.said.active_ms / 1000

    @property
    def state(self) -> str:
        """What became of the answer."""
        if self.said is None:
            return "reported" if self.reports else "not answered"
        if self.hand_out.seat.judgment_id == self.said.pk:
            return "counts"
        return str(self.events[-1].kind) if self.events else "surplus"


def lines_of(*, batch: Batch) -> list[Line]:
    """The batch's pairs; seven queries, however many."""
    hand_outs = batch.hand_outs.select_related("seat__pair__query", "seat__pair__document").prefetch_related(
        "seat__pair__query__parts", "seat__pair__document__parts"
    )
    listed = list(hand_outs)
    said: dict[int | None, Judgment] = {}
    for judgment in Judgment.objects.filter(hand_out__batch=batch).select_related("level", "comment").order_by("pk"):
        said[judgment.hand_out_id] = judgment
    events: dict[int, list[JudgmentEvent]] = {}
    for event in JudgmentEvent.objects.filter(judgment__hand_out__batch=batch).order_by("pk"):
        events.setdefault(event.judgment_id, []).append(event)
    reports: dict[int, list[Report]] = {}
    for report in Report.objects.filter(hand_out__batch=batch).order_by("pk"):
        reports.setdefault(report.hand_out_id, []).append(report)
    checks = [hand_out.seat.pair_id for hand_out in listed if hand_out.seat.purpose == "gold"]
    golds = {gold.pair_id: gold for gold in Gold.objects.filter(pair__in=checks)}
    threshold = batch.collection.positive_from
    found = []
    for hand_out in listed:
        answer = said.get(hand_out.pk)
        gold = golds.get(hand_out.seat.pair_id) if hand_out.seat.purpose == "gold" else None
        right = None
        if gold and answer:
            right = (answer.level.grade >= threshold) == (gold.grade >= threshold)
        own = events.get(answer.pk, []) if answer else []
        found.append(Line(hand_out, answer, own, gold, reports.get(hand_out.pk, []), right))
    return found
