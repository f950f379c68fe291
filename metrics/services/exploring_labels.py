"""What is known of one query's pairs: people's labels and a reference set's, and how far people agree."""

from typing import NamedTuple

from annotate.models import Collection, Item, Level, Pair, QuerySet, ReferenceLabel, Resolution, Seat
from metrics.core.agreement import Alpha, PercentAgreement, alpha_of_counts, percent_agreement
from metrics.core.counts import annotations, count_units
from metrics.explorer_state import Asked, Show
from metrics.services.labels import ends

UNDECIDED = {Resolution.Status.WAITING, Resolution.Status.DISPUTED, Resolution.Status.ESCALATED}


class Said(NamedTuple):
    """What is known of one pair.

    pair : its key; None where nobody pooled it
    status, grade : of its resolution; empty and None where it has no label, None while it is undecided
    given : the levels of its counting labels, in the order of the seats
    level, reference : the level of its grade, and of the reference set's; None where there is none
    threshold : the grade from which a pair is positive
    """

    pair: int | None = None
    status: str = ""
    grade: int | None = None
    given: tuple[Level, ...] = ()
    level: Level | None = None
    reference: Level | None = None
    threshold: int = 1

    @property
    def is_judged(self) -> bool:
        """Whether people gave it a grade."""
        return self.grade is not None

    @property
    def is_undecided(self) -> bool:
        """Whether it has labels and no grade."""
        return self.status in UNDECIDED

    @property
    def words(self) -> str:
        """How the grade came about: 'agreed'."""
        return str(Resolution.Status(self.status).label).lower() if self.status else ""

    @property
    def is_disagreed(self) -> bool:
        """Whether people gave it different levels."""
        return len({level.grade for level in self.given}) > 1

    @property
    def is_positive(self) -> bool:
        """Whether it is positive with people's labels over the reference."""
        return self._people_find_it_positive if self.is_judged else self._reference_finds_it_positive

    @property
    def is_differing(self) -> bool:
        """Whether people call it positive and the reference does not, or the reverse.

        A pair that the reference does not hold is not positive there: so scores count it.
        """
        return self.is_judged and self._people_find_it_positive != self._reference_finds_it_positive

    @property
    def _people_find_it_positive(self) -> bool:
        return self.grade is not None and self.grade >= self.threshold

    @property
    def _reference_finds_it_positive(self) -> bool:
        return self.reference is not None and self.reference.grade >= self.threshold

    def is_shown(self, show: Show) -> bool:
        """Whether a filter lets it through."""
        checks = {
            Show.ALL: True,
            Show.UNJUDGED: not self.is_judged,
            Show.DISAGREED: self.is_disagreed,
            Show.DIFFERING: self.is_differing,
        }
        return checks[show]


class Agreement(NamedTuple):
    """Agreement on the query's pairs: pairs with a label or more, with two or more, and with differing ones."""

    n_labelled: int
    n_shared: int
    n_differing: int
    percent: PercentAgreement
    alpha: Alpha

    @property
    def per_cent_equal(self) -> float | None:
        """On how many per cent of the pairs with two labels or more all labels are equal; None without such pairs."""
        share = self.percent.unanimous_units
        return None if share is None else 100 * share


class Labels(NamedTuple):
    """All that is known of a query's pairs, by target."""

    by_target: dict[int, Said]
    threshold: int
    agreement: Agreement | None

    def of(self, target: int) -> Said:
        """What is known of one pair; also where nothing is."""
        return self.by_target.get(target, Said(threshold=self.threshold))

    def positives(self) -> list[int]:
        """The targets that are positive with people's labels over the reference, the larger grade first."""
        found = [(said, target) for target, said in self.by_target.items() if said.is_positive]
        return [target for said, target in sorted(found, key=lambda each: (-_grade(each[0]), each[1]))]


def labels_of(*, collection: Collection, query_set: QuerySet, source: Item, asked: Asked) -> Labels:
    """Labels of a source's pairs; four queries, however many."""
    mine, theirs = ends(query_set.direction)  # type: ignore[arg-type]
    levels = {level.grade: level for level in Level.objects.filter(collection=collection)}
    threshold = collection.positive_from
    pairs = Pair.objects.filter(**{mine: source}).values_list(theirs, "pk", "resolution__status", "resolution__grade")
    references = ReferenceLabel.objects.filter(**{mine: source, "reference_set": asked.reference_set})
    reference = dict(references.values_list(theirs, "grade")) if asked.reference_set else {}
    seats = Seat.objects.filter(
        **{f"pair__{mine}": source}, collection=collection, state=Seat.State.DONE, purpose__in=Seat.COUNTING
    )
    columns = (f"pair__{theirs}", "judgment__annotator", "judgment__level__grade")
    said = list(seats.order_by("pair", "number").values_list(*columns))
    given: dict[int, tuple[Level, ...]] = {}
    for target, _, grade in said:
        given[target] = (*given.get(target, ()), levels[grade])
    found = {target: Said(threshold=threshold, reference=levels.get(grade)) for target, grade in reference.items()}
    for target, pair, status, grade in pairs:
        known = found.get(target, Said(threshold=threshold))
        level = None if grade is None else levels.get(grade)
        found[target] = known._replace(
            pair=pair, status=status or "", grade=grade, given=given.get(target, ()), level=level
        )
    return Labels(found, threshold, _agreement(collection, sorted(levels), said))


def _agreement(collection: Collection, domain: list[int], said: list[tuple[int, int, int]]) -> Agreement | None:
    """How far the labels agree; None without any."""
    if not said:
        return None
    counted = count_units(annotations(*zip(*said, strict=True), domain=domain))
    labels, kinds = counted.counts.sum(axis=1), (counted.counts > 0).sum(axis=1)
    return Agreement(
        n_labelled=int(counted.frequency.sum()),
        n_shared=int(counted.frequency[labels > 1].sum()),
        n_differing=int(counted.frequency[kinds > 1].sum()),
        percent=percent_agreement(counted),
        alpha=alpha_of_counts(counted, level=collection.measurement),
    )


def _grade(said: Said) -> int:
    if said.grade is not None:
        return said.grade
    return said.reference.grade if said.reference else 0
