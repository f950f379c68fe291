"""Labels of one query's pairs, by people and by a reference set, and people's agreement on them."""

from typing import NamedTuple

import numpy as np
from django.template.defaultfilters import floatformat

from annotate.models import (
    Collection,
    CountingJudgment,
    Direction,
    Item,
    Level,
    Pair,
    QuerySet,
    ReferenceLabel,
    Resolution,
)
from annotate.services.collection.duplicates import originals_of
from metrics.core.agreement.agreement import (
    Alpha,
    PercentAgreement,
    alpha_of_counts,
    percent_agreement,
)
from metrics.core.agreement.counts import annotations, count_units
from metrics.explorer_state import ExplorerState, ResultFilter
from metrics.services.scores.labels import ends, people_parts

UNDECIDED = {Resolution.Status.WAITING, Resolution.Status.DISPUTED, Resolution.Status.ESCALATED}


class PairSummary(NamedTuple):
    """Labels and resolution of one pair.

    pair : its key; None where no pool holds it
    status, grade : of its resolution; empty and None where it has no label, None while it is
        undecided
    levels : of its counting labels, in the order of the seats
    level, reference_level : the level of its grade, and of the reference set's grade; None where
        there is none
    threshold : the grade from which a pair is positive
    original : the pair of originals whose grade it takes, in words; "" where the grade is its own
    truth_level : the level of its true grade, where the known truth is shown and names the pair
    """

    pair: int | None = None
    status: str = ""
    grade: int | None = None
    levels: tuple[Level, ...] = ()
    level: Level | None = None
    reference_level: Level | None = None
    threshold: int = 1
    original: str = ""
    truth_level: Level | None = None

    @property
    def is_judged(self) -> bool:
        """True if people gave it a grade, or the pair that it repeats."""
        return self.grade is not None

    @property
    def is_undecided(self) -> bool:
        """True if it has labels and no grade."""
        return self.status in UNDECIDED

    @property
    def status_text(self) -> str:
        """The origin of its grade in words, such as 'agreed' or 'as q1 / d2'; empty without one."""
        if self.original:
            return f"as {self.original}"
        return str(Resolution.Status(self.status).label).lower() if self.status else ""

    @property
    def grades_text(self) -> str:
        """The grades of its labels, in the order of the seats."""
        return ", ".join(str(level.grade) for level in self.levels)

    @property
    def is_disagreed(self) -> bool:
        """True if people gave it different levels."""
        return len({level.grade for level in self.levels}) > 1

    @property
    def is_positive(self) -> bool:
        """True if it is positive with people's labels over the reference."""
        return self._is_positive_by_people if self.is_judged else self._is_positive_by_reference

    @property
    def is_differing(self) -> bool:
        """True if people call it positive and the reference does not, or the reverse.

        A pair that the reference does not hold is not positive there: so scores count it.
        """
        return self.is_judged and self._is_positive_by_people != self._is_positive_by_reference

    @property
    def _is_positive_by_people(self) -> bool:
        return self.grade is not None and self.grade >= self.threshold

    @property
    def _is_positive_by_reference(self) -> bool:
        return self.reference_level is not None and self.reference_level.grade >= self.threshold

    def passes(self, result_filter: ResultFilter) -> bool:
        """True if the pair passes a filter."""
        checks = {
            ResultFilter.ALL: True,
            ResultFilter.UNJUDGED: not self.is_judged,
            ResultFilter.DISAGREED: self.is_disagreed,
            ResultFilter.DIFFERING: self.is_differing,
        }
        return checks[result_filter]


class QueryAgreement(NamedTuple):
    """Agreement on the query's pairs.

    n_labelled, n_shared : pairs with a label or more, with two or more
    n_differing : pairs with differing labels
    """

    n_labelled: int
    n_shared: int
    n_differing: int
    percent: PercentAgreement
    alpha: Alpha

    @property
    def per_cent_equal(self) -> float | None:
        """Per cent with equal labels of the pairs with two or more; None without such pairs."""
        share = self.percent.unanimous_units
        return None if share is None else 100 * share

    @property
    def text(self) -> str:
        """A sentence on the number of labelled pairs and the agreement of their labels."""
        counts = (
            f"People labelled {self.n_labelled:,} of its pairs, {self.n_shared:,} of them twice or "
            "more"
        )
        if not self.n_shared:
            return f"{counts}: no agreement to tell yet."
        alpha = self.alpha
        value = (
            f"not defined: {alpha.reason}" if alpha.value is None else floatformat(alpha.value, 2)
        )
        per_cent = floatformat(self.per_cent_equal, 0)
        return (
            f"{counts} and differently on {self.n_differing:,} (all labels equal on {per_cent} %); "
            f"alpha of all labels ({alpha.level}) {value}."
        )


class QueryLabels(NamedTuple):
    """Labels of a query's pairs, by target."""

    by_target: dict[int, PairSummary]
    threshold: int
    agreement: QueryAgreement | None

    def of(self, target: int) -> PairSummary:
        """The summary of the pair with a target; an empty one where nothing is known."""
        return self.by_target.get(target, PairSummary(threshold=self.threshold))

    def positives(self) -> list[int]:
        """The positive targets, with people's labels over the reference; the best grade first."""
        positives = [
            (summary, target) for target, summary in self.by_target.items() if summary.is_positive
        ]
        return [
            target
            for summary, target in sorted(positives, key=lambda row: (-_grade(row[0]), row[1]))
        ]


def labels_of(
    *, collection: Collection, query_set: QuerySet, source: Item, state: ExplorerState
) -> QueryLabels:
    """Labels of a source's pairs; five database queries, a few more where it has duplicates."""
    source_side, target_side = ends(Direction(query_set.direction))
    levels = {level.grade: level for level in Level.objects.filter(collection=collection)}
    threshold = collection.positive_from
    pairs = Pair.objects.filter(**{source_side: source}).values_list(
        target_side, "pk", "resolution__status", "resolution__grade"
    )
    references = ReferenceLabel.objects.filter(
        **{source_side: source, "reference_set": state.reference_set}
    )
    reference = dict(references.values_list(target_side, "grade")) if state.reference_set else {}
    labels = CountingJudgment.objects.labels().filter(
        **{f"pair__{source_side}": source}, collection=collection
    )
    columns = (f"pair__{target_side}", "annotator", "grade")
    label_rows = list(labels.order_by("pair", "number", "seat").values_list(*columns))
    levels_of: dict[int, tuple[Level, ...]] = {}
    for target, _, grade in label_rows:
        levels_of[target] = (*levels_of.get(target, ()), levels[grade])
    summaries = {
        target: PairSummary(threshold=threshold, reference_level=levels.get(grade))
        for target, grade in reference.items()
    }
    for target, pair, status, grade in pairs:
        summary = summaries.get(target, PairSummary(threshold=threshold))
        level = None if grade is None else levels.get(grade)
        summaries[target] = summary._replace(
            pair=pair,
            status=status or "",
            grade=grade,
            levels=levels_of.get(target, ()),
            level=level,
        )
    for target, grade, original in _propagated(collection, query_set, source):
        summary = summaries.get(target, PairSummary(threshold=threshold))
        summaries[target] = summary._replace(
            grade=grade, level=levels.get(grade), original=original
        )
    truth = ReferenceLabel.objects.filter(
        **{source_side: source, "reference_set": state.truth_set}
    ).values_list(target_side, "grade")
    for target, grade in truth if state.truth_set else ():
        summary = summaries.get(target, PairSummary(threshold=threshold))
        summaries[target] = summary._replace(truth_level=levels.get(grade))
    return QueryLabels(summaries, threshold, _agreement(collection, sorted(levels), label_rows))


def _propagated(
    collection: Collection, query_set: QuerySet, source: Item
) -> list[tuple[int, int, str]]:
    """The targets whose pairs take grades of others, the grade, and that pair in words."""
    originals = originals_of(collection=collection)
    if not originals:
        return []
    parts = people_parts(
        collection=collection, direction=Direction(query_set.direction), sources=[source.pk]
    )
    _, target, grade = parts.propagated
    original_source = int(originals.of(np.array([source.pk]))[0])
    original_targets = originals.of(target).tolist()
    names = dict(
        Item.objects.filter(pk__in=[original_source, *original_targets]).values_list(
            "pk", "external_id"
        )
    )
    return [
        (key, value, f"{names[original_source]} / {names[original]}")
        for key, value, original in zip(
            target.tolist(), grade.tolist(), original_targets, strict=True
        )
    ]


def _agreement(
    collection: Collection, domain: list[int], label_rows: list[tuple[int, int, int]]
) -> QueryAgreement | None:
    """Agreement of the labels; None without labels."""
    if not label_rows:
        return None
    unit_counts = count_units(annotations(*zip(*label_rows, strict=True), domain=domain))
    labels, kinds = unit_counts.counts.sum(axis=1), (unit_counts.counts > 0).sum(axis=1)
    return QueryAgreement(
        n_labelled=int(unit_counts.frequency.sum()),
        n_shared=int(unit_counts.frequency[labels > 1].sum()),
        n_differing=int(unit_counts.frequency[kinds > 1].sum()),
        percent=percent_agreement(unit_counts),
        alpha=alpha_of_counts(unit_counts, level=collection.measurement),
    )


def _grade(summary: PairSummary) -> int:
    if summary.grade is not None:
        return summary.grade
    return summary.reference_level.grade if summary.reference_level else 0
