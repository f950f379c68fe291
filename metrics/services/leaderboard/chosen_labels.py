"""Labels and queries of a leaderboard that is not the usual one: other grades, fewer queries."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef

from annotate.models import (
    Collection,
    CountingJudgment,
    Direction,
    Pair,
    Part,
    Round,
    RoundPair,
)
from annotate.services.storage.number_arrays import table
from metrics.core.labels.label_sources import Grades, LabelSource, no_grades, sorted_grades
from metrics.services.leaderboard.choices.choices import FIRST, LeaderboardSpec
from metrics.services.scores import labels
from metrics.services.scores.labels import EvaluationScope
from pooling.core.strategies.selections import Pairs, is_in


class LeaderboardLabels(NamedTuple):
    """The labels of one direction that count in its scope.

    whole : of the chosen label source
    reference : of its reference sets alone, None if it has none
    unjudged : the pairs of the pools to which `whole` gives no label, each of grade 0; none for
        comparisons and analyses, which have no bounds
    """

    whole: Grades
    reference: Grades | None
    unjudged: Grades


def chosen_people_grades(*, collection: Collection, direction: Direction, people: str) -> Grades:
    """Read people's grades: as resolved, each pair's first label, or one person's.

    people : a LeaderboardSpec's choice of people
    The first label is that of the seat with the lowest number: seats are handed out in that order.
    """
    if not people:
        return labels.people_grades(collection=collection, direction=direction)
    source, target = labels.ends(direction)
    judgments = CountingJudgment.objects.labels().filter(collection=collection)
    if people != FIRST:
        judgments = judgments.filter(annotator=int(people))
    first = judgments.order_by("pair", "number", "seat").distinct("pair")
    rows = first.values_list(f"pair__{source}", f"pair__{target}", "grade")
    return sorted_grades(table(rows, 3))


def labelled_scope(
    *, collection: Collection, spec: LeaderboardSpec, scope: EvaluationScope
) -> tuple[EvaluationScope, LeaderboardLabels]:
    """Return the part of the scope that the spec selects, and the labels that count there."""
    people = chosen_people_grades(
        collection=collection, direction=scope.direction, people=spec.people
    )
    source = LabelSource.parse(spec.label_source)
    reference = None
    if source.reference:
        reference = labels.labels_of(
            collection=collection, direction=scope.direction, label_source=source.reference
        )
    scope = _selected_scope(scope, spec, people)
    whole = labels.within(source.grades(people, [] if reference is None else [reference]), scope)
    reference_alone = (
        labels.within(reference, scope) if reference is not None and source.has_people else None
    )
    has_bounds = spec.kind == "table"
    return scope, LeaderboardLabels(
        whole, reference_alone, _unjudged(collection, scope, whole) if has_bounds else no_grades()
    )


def _unjudged(collection: Collection, scope: EvaluationScope, whole: Grades) -> Grades:
    """Return the pairs of pools, or of files of judgments, that have no label; one query.

    The pairs of a closed pool count, as it may be opened again. Those that only retired runs hold,
    or that a lead excluded, are dropped from their round and do not count.
    """
    source, target = labels.ends(scope.direction)
    round_pairs = RoundPair.objects.filter(
        pair=OuterRef("pk"), round__kind__in=Round.FOR_LABELS, dropped_at=None
    )
    pairs = table(
        Pair.objects.filter(Exists(round_pairs), collection=collection).values_list(source, target),
        2,
    )
    pool_pairs = labels.within(sorted_grades(np.insert(pairs, 2, 0, axis=1)), scope)
    keep = ~is_in(pool_pairs.source, pool_pairs.target, Pairs(whole.source, whole.target))
    return Grades(*(values[keep] for values in pool_pairs))


def _selected_scope(
    scope: EvaluationScope, spec: LeaderboardSpec, people: Grades
) -> EvaluationScope:
    keep = np.ones(len(scope.sources), dtype=bool)
    if spec.judged_only:
        keep &= np.isin(scope.sources, people.source[scope.counts(people.target)])
    shortest, longest = spec.words
    if shortest is not None or longest is not None:
        # Words are separated by white space; an item without text has none.
        n_words = np.zeros(len(scope.sources), dtype=np.int64)
        for start in range(0, len(scope.sources), 20_000):
            chunk = scope.sources[start : start + 20_000]
            for item, text in texts_of(chunk.tolist()):
                n_words[start + int(np.searchsorted(chunk, item))] += len(text.split())
        keep &= (n_words >= max(1, shortest or 0)) & (
            n_words <= (longest if longest is not None else n_words.max(initial=0))
        )
    return scope._replace(sources=scope.sources[keep])


def texts_of(items: list[int]) -> Iterator[tuple[int, str]]:
    """Iterate over the items' text parts, each with its item's key."""
    parts = Part.objects.filter(item__in=items, kind=Part.Kind.TEXT).order_by("-position")
    return parts.values_list("item_id", "text").iterator(chunk_size=20_000)
