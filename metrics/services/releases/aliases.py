"""The runs of a release, each under its own name or an alias that tells nothing of it."""

from hashlib import sha256
from typing import NamedTuple

from django.db.models import Q

from annotate.models import Collection
from pooling.models import Run


class RunAlias(NamedTuple):
    """A run under its alias; is_named : the alias is its name, as its uploader lets it be."""

    run: Run
    alias: str
    is_named: bool


def run_aliases(*, collection: Collection) -> list[RunAlias]:
    """The runs that are scored or were pooled, by alias; hidden ones are in no release.

    An unnamed run is run-01, run-02... in an order that a keyed hash gives: neither their order nor
    a gap tells when a run was uploaded.
    """
    runs = Run.objects.published().filter(collection=collection, state=Run.State.READY)
    runs = runs.filter(Q(retired_at=None, on_hold_since=None) | Q(pools__opened_at__isnull=False))
    runs = runs.distinct().order_by("name")
    own_names = [RunAlias(run, run.name, True) for run in runs if run.may_be_published]
    unnamed_runs = sorted(
        (run for run in runs if not run.may_be_published),
        key=lambda run: sha256(bytes(collection.key) + f"release {run.pk}".encode()).digest(),
    )
    names = {alias.alias for alias in own_names}
    width = max(2, len(str(len(unnamed_runs))))
    numbers = (number for number in range(1, len(unnamed_runs) + len(names) + 1))
    free_aliases = (alias for number in numbers if (alias := f"run-{number:0{width}}") not in names)
    aliases = [
        RunAlias(run, alias, False) for run, alias in zip(unnamed_runs, free_aliases, strict=False)
    ]
    return sorted([*own_names, *aliases], key=lambda alias: alias.alias.encode())
