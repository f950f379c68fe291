"""Progress of the collections on a person's first page, from the latest snapshots."""

from collections.abc import Sequence
from typing import NamedTuple

from django import template

from annotate import access
from annotate.core.labels.pair_states import StateCounts
from annotate.services.pages.collection_list import CollectionEntry
from metrics.models import Snapshot

register = template.Library()


class EntryProgress(NamedTuple):
    """An entry of the first page, and how many pairs of its pools are complete; 0 of 0 unknown."""

    entry: CollectionEntry
    n_complete: int = 0
    n_pairs: int = 0

    @property
    def text(self) -> str:
        """The progress in words; empty where there is none to show."""
        return f"{self.n_complete:,} of {self.n_pairs:,} pairs complete" if self.n_pairs else ""


@register.simple_tag
def with_progress(entries: Sequence[CollectionEntry], *, is_admin: bool) -> list[EntryProgress]:
    """Each entry with its progress, where the person leads or researches; one query."""
    keys = [
        entry.collection.pk
        for entry in entries
        if is_admin or set(entry.roles) & set(access.LEADERS)
    ]
    snapshots = Snapshot.objects.filter(collection__in=keys, kind="progress")
    totals = dict(snapshots.values_list("collection", "value__total"))
    rows = []
    for entry in entries:
        total = totals.get(entry.collection.pk)
        if total is None:
            rows.append(EntryProgress(entry))
            continue
        states = StateCounts(total["states"], is_open=entry.is_open)
        rows.append(EntryProgress(entry, states.n_complete, total["n_pairs"]))
    return rows
