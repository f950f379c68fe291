"""Pairs passed on to other annotators because somebody's browser does not play them."""

from collections.abc import Collection as Members
from typing import NamedTuple

from django.db.models import Count, Q

from annotate.core.phrases import counted
from annotate.models import Collection, Report, ReportQuerySet, Seat, User
from annotate.services.judging import reports


class UnplayablePairs(NamedTuple):
    """The pairs of a collection that were passed on to others.

    kinds : the type that does not play, in words, and its number of pairs; the most frequent first
    n_waiting : pairs among them that still want a label
    """

    n_pairs: int
    n_people: int
    n_waiting: int
    kinds: list[tuple[str, int]]

    @property
    def sentence(self) -> str:
        """The summary for a lead."""
        browsers = "the browser of 1 person does"
        if self.n_people > 1:
            browsers = f"the browsers of {self.n_people:,} people do"
        kind_texts = "; ".join(
            f"{reason or 'of a type that nobody knows'} ({n:,})" for reason, n in self.kinds
        )
        few_sentences = {0: "None of them waits for a label.", 1: "1 of them waits for a label."}
        share = "All" if self.n_waiting == self.n_pairs else f"{self.n_waiting:,}"
        waiting_sentence = few_sentences.get(self.n_waiting, f"{share} of them wait for a label.")
        return (
            f"{counted(self.n_pairs, 'pair')} went on to others, since {browsers} not play what is "
            f"shown: {kind_texts}. {waiting_sentence}"
        )


def unplayable_pairs(*, collection: Collection) -> UnplayablePairs | None:
    """Return the pairs passed on, neither taken back nor settled, None if none; two queries."""
    reports = _open_reports().filter(collection=collection).order_by()
    kinds = [
        (reason, n)
        for reason, n in reports.values_list("reason").annotate(n=Count("pair", distinct=True))
    ]
    if not kinds:
        return None
    has_open_seat = Q(
        pair__seats__purpose=Seat.Purpose.LABEL,
        pair__seats__state__in=[Seat.State.FREE, Seat.State.HELD],
    )
    figures = reports.aggregate(
        n_pairs=Count("pair", distinct=True),
        n_people=Count("annotator", distinct=True),
        n_waiting=Count("pair", filter=has_open_seat, distinct=True),
    )
    return UnplayablePairs(**figures, kinds=sorted(kinds, key=lambda row: (-row[1], row[0])))


def bring_back(*, items: Members[int], by: User | None) -> int:
    """Take back reports on pairs of items with new sources, to come again; return how many."""
    of_items = Q(pair__query__in=items) | Q(pair__document__in=items)
    return reports.take_back(reports=_open_reports().filter(of_items), by=by, submission_id=None)


def _open_reports() -> ReportQuerySet:
    return Report.objects.filter(kind=Report.Kind.UNPLAYABLE).open()
