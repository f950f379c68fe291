"""The numbers of a release: those of the dashboard, counted at this moment and stored nowhere."""

from typing import Any, NamedTuple

from annotate.models import Change, Collection
from metrics.services.numbers.numbers import KINDS
from metrics.services.numbers.tallies import CollectionTallies, current_tallies

# references are compared by all of them together, see label_facts.py
NAMES = ("progress", "agreement", "labels", "people")


class ReleaseNumbers(NamedTuple):
    """The counts of a collection, and its current numbers by kind, as a refresh would store them.

    values : by the names of `metrics.services.numbers.numbers.KINDS`
    """

    tallies: CollectionTallies
    values: dict[str, dict[str, Any]]


def count_numbers(*, collection: Collection) -> ReleaseNumbers:
    """Count and compute the numbers; it writes nothing, and changes that wait count too.

    Stored counts stand for the pairs that have not changed since, as they do for a refresh.
    The number of queries does not depend on how many people, pools, rounds or levels there are.
    """
    changes = Change.objects.filter(collection=collection).values_list("pair", flat=True)
    changed_pairs = set(changes)
    pairs = {pair for pair in changed_pairs if pair is not None}
    tallies = current_tallies(collection=collection, pairs=None if None in changed_pairs else pairs)
    values = {name: KINDS[name].compute(KINDS[name].gather(collection, tallies)) for name in NAMES}
    return ReleaseNumbers(tallies, values)
