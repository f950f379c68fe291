"""What runs return for one query, and the scores it has in each."""

import struct
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from django.db.models import BinaryField
from django.db.models.functions import Substr

from annotate.models import Collection, Item, QuerySet, QuerySetItem
from metrics.core.alignment import Labels
from metrics.explorer_state import Asked
from metrics.models import Score
from metrics.services.labels import scope_of
from metrics.services.ranks import matrix_grades, matrix_of
from pooling.models import Ranking, Run

ONE_VALUE = struct.Struct("<d")


class Value(NamedTuple):
    """One measure of one run on the query, in per cent; `reference`: with the reference alone, where there is one."""

    whole: float
    reference: float | None

    @property
    def text(self) -> str:
        """A (B + C) as on the leaderboard, or A alone; rounded so that what is printed adds up."""
        if self.reference is None:
            return f"{self.whole:.1f}"
        part = round(self.reference, 1)
        difference = round(round(self.whole, 1) - part, 1)
        sign = "\N{MINUS SIGN}" if difference < 0 else "+"
        return f"{self.whole:.1f} ({part:.1f} {sign} {abs(difference):.1f})"


class Ranked(NamedTuple):
    """One run's targets for the query that count, best first; None where the run does not hold the query."""

    run: Run
    targets: list[int] | None
    places: dict[int, int]

    def rank(self, target: int) -> int | None:
        """Its place, from 1."""
        return self.places.get(target)


def rankings_of(*, query_set: QuerySet, source: Item, runs: list[Run]) -> list[Ranked]:
    """What the runs return, without targets that no score counts; four queries, however many runs."""
    rows = Ranking.objects.filter(run__in=runs, source=source).values_list("run", "targets")
    held: dict[int, list[int]] = dict(rows)
    left_out = _left_out(query_set, {target for targets in held.values() for target in targets})
    found = []
    for run in runs:
        targets = held.get(run.pk)
        kept = None if targets is None else [target for target in targets if target not in left_out]
        found.append(Ranked(run, kept, {target: rank for rank, target in enumerate(kept or [], start=1)}))
    return found


def with_matrix_ranks(ranked: list[Ranked], *, query_set: QuerySet, source: Item, targets: list[int]) -> list[Ranked]:
    """The same, with the ranks of these targets beyond what a matrix's ranking keeps."""
    matrices = [matrix_of(each.run) for each in ranked]
    if not any(matrices):
        return ranked
    scope, ones = scope_of(query_set=query_set), np.ones(len(targets), dtype=np.int64)
    table, sources = Labels(0 * ones, np.array(targets, dtype=np.int64), ones), np.array([source.pk])
    found = []
    for each, matrix in zip(ranked, matrices, strict=True):
        if matrix is None:
            found.append(each)
            continue
        (grades,) = matrix_grades(matrix=matrix, scope=scope, sources=sources, tables=[table])
        places = {targets[row]: rank for row, rank in zip(grades.label.tolist(), grades.rank.tolist(), strict=True)}
        found.append(each._replace(places=each.places | places))
    return found


def counting(*, query_set: QuerySet, targets: Iterable[int]) -> list[int]:
    """Those of some targets that scores count, in their order."""
    asked = list(targets)
    left_out = _left_out(query_set, set(asked))
    return [target for target in asked if target not in left_out]


def _left_out(query_set: QuerySet, targets: set[int]) -> set[int]:
    """The targets that are left out of evaluation or stand outside the query set's gallery."""
    excluded = Item.objects.filter(pk__in=targets).left_out().values_list("pk", flat=True)
    gallery = QuerySetItem.objects.filter(query_set=query_set, part=QuerySetItem.Part.GALLERY)
    found = set(excluded)
    if gallery.exists():
        found |= targets - set(gallery.filter(item__in=targets).values_list("item", flat=True))
    return found


def scores_of(
    *, collection: Collection, query_set: QuerySet, asked: Asked, place: int, n_queries: int
) -> dict[int, dict[str, Value]]:
    """Each run's stored values for the query at a place of the query set, by measure; one query.

    Only the eight bytes of the query leave the database, not the values of all queries.
    """
    at = Substr("per_query", ONE_VALUE.size * place + 1, ONE_VALUE.size, output_field=BinaryField())
    scores = Score.objects.filter(
        query_set=query_set, run__in=asked.runs, n_queries=n_queries, threshold=collection.positive_from,
        label_source__in=asked.label_source.with_reference,
    )  # fmt: skip
    stored: dict[tuple[int, str, str], float] = {}
    for run, source, measure, value in scores.values_list("run", "label_source", "measure", at):
        stored[run, source, measure] = 100 * ONE_VALUE.unpack(value)[0]
    found: dict[int, dict[str, Value]] = {}
    reference = str(asked.label_source.reference)
    for (run, source, measure), whole in stored.items():
        if source == asked.label_source.key:
            found.setdefault(run, {})[measure] = Value(whole, stored.get((run, reference, measure)))
    return found
