"""One annotator's labels that count, the last first, each beside the others' of its pair."""

from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Prefetch

from annotate.models import Annotator, CountingJudgment, Level, Pair

PAGE_SIZE = 20


class AnswerRow(NamedTuple):
    """A label: its pair, its level, and the levels that others gave the pair."""

    label: CountingJudgment
    pair: Pair
    level: Level
    others_levels: list[Level]

    @property
    def seconds(self) -> float | None:
        """Active time; None where it was not measured."""
        return None if self.label.active_ms is None else self.label.active_ms / 1000


def answer_page(
    *,
    annotator: Annotator,
    grade: int | None = None,
    only_differing: bool = False,
    number: str | None = None,
) -> tuple[Page[Any], list[AnswerRow]]:
    """Return one page of a person's labels; six queries.

    grade : of this level alone
    only_differing : only where a label of somebody else on the pair has another grade
    """
    labels = CountingJudgment.objects.labels()
    own_labels = labels.filter(annotator=annotator)
    if grade is not None:
        own_labels = own_labels.filter(grade=grade)
    if only_differing:
        others_labels = labels.filter(pair=OuterRef("pair")).exclude(annotator=annotator)
        own_labels = own_labels.filter(Exists(others_labels.exclude(grade=OuterRef("grade"))))
    own_labels = own_labels.select_related(
        "judgment__level", "pair__query", "pair__document"
    ).prefetch_related(
        "pair__query__parts",
        "pair__document__parts",
        Prefetch(
            "pair__counting_judgments",
            labels.exclude(annotator=annotator)
            .select_related("judgment__level")
            .order_by(F("grade").desc(), "seat"),
            to_attr="others_labels",
        ),
    )
    page = Paginator(own_labels.order_by("-at", "-judgment"), PAGE_SIZE).get_page(number)
    return page, [_row(label) for label in page.object_list]


def _row(label: Any) -> AnswerRow:
    others_levels = [other.judgment.level for other in label.pair.others_labels]
    return AnswerRow(label, label.pair, label.judgment.level, others_levels)
