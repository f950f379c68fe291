"""A batch for its lead: the pairs in the order of the hand-out, their answers, and its golds."""

from typing import NamedTuple

from annotate.core.phrases import counted
from annotate.http import ItemContent, item_content
from annotate.models import Batch, Gold, HandOut, Judgment, Report
from annotate.services.golds.batch_checks import GoldCheck


class BatchLine(NamedTuple):
    """One pair of a batch.

    judgment : the last answer; None if there is none
    gold : the known grade, if the pair checked the person; is_right : whether the answer is on the
        gold's side of the relevance threshold; slug : short name of the collection
    gold_name : the name of the gold's level, "" without a gold
    """

    hand_out: HandOut
    judgment: Judgment | None
    gold: Gold | None
    reports: list[Report]
    is_right: bool | None
    slug: str
    gold_name: str = ""

    @property
    def title(self) -> str:
        """The pair's place in the batch and the level given, or why none was."""
        answer = str(self.judgment.level.name) if self.judgment else self.outcome
        return f"Pair {self.hand_out.position}, {answer}"

    @property
    def gold_words(self) -> str:
        """The known grade and whether the answer is on its side; "" for other pairs."""
        if self.gold is None:
            return ""
        verdict = {True: ", answered rightly", False: ", answered wrongly", None: ""}[self.is_right]
        return f"gold: {self.gold_name} ({self.gold.grade}){verdict}"

    @property
    def remarks(self) -> list[str]:
        """The reasons, the comment and the reports, each a line."""
        if self.judgment is None:
            return self.report_texts
        reasons = [", ".join(self.judgment.reasons)] if self.judgment.reasons else []
        comment = getattr(self.judgment, "comment", None)
        comments = [f"“{comment.text}”"] if comment else []
        return [*reasons, *comments, *self.report_texts]

    @property
    def query_content(self) -> ItemContent:
        """The query as a page shows it."""
        query = self.hand_out.seat.pair.query
        return ItemContent(query, item_content(query, self.slug))

    @property
    def document_content(self) -> ItemContent:
        """The document as a page shows it."""
        document = self.hand_out.seat.pair.document
        return ItemContent(document, item_content(document, self.slug))

    @property
    def seconds(self) -> float | None:
        """Active time of the answer, in seconds."""
        return (
            None
            if self.judgment is None or self.judgment.active_ms is None
            else self.judgment.active_ms / 1000
        )

    @property
    def outcome(self) -> str:
        """The outcome of the answer: counts, undone ...; not answered; or reported."""
        if self.judgment is None:
            return "reported" if self.reports else "not answered"
        return self.judgment.standing.outcome

    @property
    def report_texts(self) -> list[str]:
        """The reports in words: what was reported, why, the note, and whether it was taken back."""
        return [_report_text(report) for report in self.reports]


def _report_text(report: Report) -> str:
    reason = f": {report.why}" if report.reason else ""
    note = f" “{report.note}”" if report.note else ""
    end = " (taken back)" if report.state == Report.State.UNDONE else ""
    return f"{report.get_kind_display()}{reason}{note}{end}"


def no_verdict_sentence(batch: Batch, *, lines: list[BatchLine]) -> str:
    """Return why no verdict on a batch can be given now; "" where one can."""
    if batch.finished_at is None:
        return "Nothing to decide yet: it is not finished."
    has_verdict = batch.verdict not in ("", Batch.Verdict.HELD)
    if has_verdict or any(line.outcome == "counts" for line in lines):
        return ""
    return (
        "Nothing to decide: none of its answers counts any more. "
        "Once some are restored, a verdict can be given here."
    )


def golds_sentence(batch: Batch, *, check: GoldCheck, is_out: bool) -> str:
    """Return how many of a batch's golds are right.

    Those of earlier batches are named where they are counted with its own, while it counts.
    """
    if batch.n_golds is None:
        return "Its golds have not been checked."
    together = ""
    if check.is_joined and not is_out:
        together = (
            f"; with those of the batches before it, {check.n_together_right} of "
            f"{check.n_together} in batches {check.first} to {check.last}"
        )
    return f"{batch.n_golds_right} of {counted(batch.n_golds, 'gold')} right{together}."


def lines_of(*, batch: Batch) -> list[BatchLine]:
    """Return the batch's pairs; seven queries, however many pairs."""
    hand_outs = batch.hand_outs.select_related(
        "seat__pair__query", "seat__pair__document"
    ).prefetch_related("seat__pair__query__parts", "seat__pair__document__parts")
    listed_hand_outs = list(hand_outs)
    judgments: dict[int | None, Judgment] = {}
    for row in (
        Judgment.objects.filter(hand_out__batch=batch)
        .select_related("level", "comment", "standing")
        .order_by("pk")
    ):
        judgments[row.hand_out_id] = row
    reports: dict[int, list[Report]] = {}
    for report in Report.objects.filter(hand_out__batch=batch).order_by("pk"):
        reports.setdefault(report.hand_out_id, []).append(report)
    checks = [
        hand_out.seat.pair_id for hand_out in listed_hand_outs if hand_out.seat.purpose == "gold"
    ]
    golds = {gold.pair_id: gold for gold in Gold.objects.filter(pair__in=checks)}
    names = dict(batch.collection.levels.values_list("grade", "name"))
    threshold = batch.collection.positive_from
    lines = []
    for hand_out in listed_hand_outs:
        judgment = judgments.get(hand_out.pk)
        gold = golds.get(hand_out.seat.pair_id) if hand_out.seat.purpose == "gold" else None
        is_right = None
        if gold and judgment:
            is_right = (judgment.level.grade >= threshold) == (gold.grade >= threshold)
        pair_reports = reports.get(hand_out.pk, [])
        gold_name = names[gold.grade] if gold else ""
        slug = batch.collection.slug
        line = BatchLine(hand_out, judgment, gold, pair_reports, is_right, slug, gold_name)
        lines.append(line)
    return lines
