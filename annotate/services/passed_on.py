"""Pairs that went on to others because somebody's browser does not play them."""

from collections.abc import Collection as Members
from typing import NamedTuple

from django.db.models import Count, Q

from annotate.models import Collection, Report, ReportQuerySet, Seat, User
from annotate.services import reports


class PassedOn(NamedTuple):
    """What went on to others in a collection.

    kinds : what does not play, in words, and on how many pairs; the most first
    n_waiting : how many of the pairs somebody is still asked about
    """

    n_pairs: int
    n_people: int
    n_waiting: int
    kinds: list[tuple[str, int]]

    @property
    def sentence(self) -> str:
        """All of it, for a lead."""
        pairs = "1 pair" if self.n_pairs == 1 else f"{self.n_pairs:,} pairs"
        browsers = "the browser of 1 person does"
        if self.n_people > 1:
            browsers = f"the browsers of {self.n_people:,} people do"
        listed = "; ".join(f"{what or 'of a type that nobody knows'} ({n:,})" for what, n in self.kinds)
        left = {0: "None of them waits for a label.", 1: "1 of them waits for a label."}
        share = "All" if self.n_waiting == self.n_pairs else f"{self.n_waiting:,}"
        rest = left.get(self.n_waiting, f"{share} of them wait for a label.")
        return f"{pairs} went on to others, since {browsers} not play what is shown: {listed}. {rest}"


def passed_on(*, collection: Collection) -> PassedOn | None:
    """What went on to others and was not taken back or settled; None where nothing did. Two queries at most."""
    rows = _open().filter(collection=collection).order_by()
    kinds = [(what, n) for what, n in rows.values_list("reason").annotate(n=Count("pair", distinct=True))]
    if not kinds:
        return None
    wanted = Q(pair__seats__purpose=Seat.Purpose.LABEL, pair__seats__state__in=[Seat.State.FREE, Seat.State.HELD])
    figures = rows.aggregate(
        n_pairs=Count("pair", distinct=True),
        n_people=Count("annotator", distinct=True),
        n_waiting=Count("pair", filter=wanted, distinct=True),
    )
    return PassedOn(**figures, kinds=sorted(kinds, key=lambda row: (-row[1], row[0])))


def bring_back(*, items: Members[int], by: User | None) -> int:
    """Let pairs of items that have other sources now come again to who passed them on; how many reports."""
    of_items = Q(pair__query__in=items) | Q(pair__document__in=items)
    return reports.take_back(reports=_open().filter(of_items), by=by, submission_id=None)


def _open() -> ReportQuerySet:
    return Report.objects.filter(kind=Report.Kind.UNPLAYABLE).open()
