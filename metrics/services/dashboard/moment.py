"""The moment that all numbers of a page of the dashboard are of."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Q
from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotate.core.phrases import counted
from annotate.models import Change, Collection


class LaterChanges(NamedTuple):
    """Changes that the numbers do not have yet: pairs whose labels changed, and whether all may."""

    n_pairs: int = 0
    is_of_all: bool = False

    @property
    def exist(self) -> bool:
        """True if there are any."""
        return self.is_of_all or self.n_pairs > 0


class Moment(NamedTuple):
    """The moment of the numbers.

    at : when the newest of them was written: one refresh reads one moment of the database and
        leaves alone what is still true, so all of them were true then
    later : what has changed since; details_at : moment of older parts, None where there are none
    """

    at: datetime
    later: LaterChanges
    details_at: datetime | None = None

    @property
    def text(self) -> str:
        """The moment, and what has come since."""
        return f"All numbers are as of {_words(self.at)}{self._later_text}."

    @property
    def first_page_text(self) -> str:
        """The moment of the first page, some of whose parts are read with the page."""
        return (
            "What waits, runs, pools, flags, who was seen last, pauses and rejected batches are "
            f"live; all other numbers are as of {_words(self.at)}{self._later_text}."
        )

    @property
    def _later_text(self) -> str:
        if self.later.is_of_all:
            return "; labels or settings have changed since and are being counted"
        if self.later.n_pairs:
            return f"; labels of {counted(self.later.n_pairs, 'pair')} have come since"
        return ""

    @property
    def older_text(self) -> str:
        """The moment of the older parts, for each of them; empty where there are none."""
        if self.details_at is None:
            return ""
        return f"Older than the other numbers: as of {_words(self.details_at)}."


def later_changes(*, collection: Collection) -> LaterChanges:
    """The changes that wait to be counted; one query."""
    counts = Change.objects.filter(collection=collection).aggregate(
        n_pairs=Count("pair", distinct=True), n_of_all=Count("pk", filter=Q(pair=None))
    )
    return LaterChanges(counts["n_pairs"], counts["n_of_all"] > 0)


def _words(moment: datetime) -> str:
    return date_format(localtime(moment), "j M Y H:i:s") + " UTC"
