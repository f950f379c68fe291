"""Labels and queries of a leaderboard that is not the usual one: other grades, fewer queries."""

from typing import NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Exists, OuterRef

from annotate.models import (
    Collection,
    CountingJudgment,
    Direction,
    Pair,
    Round,
    RoundPair,
)
from annotate.services.storage.number_arrays import array_literal, table
from metrics.core.labels.label_sources import (
    Grades,
    LabelSource,
    no_grades,
    sorted_grades,
)
from metrics.services.leaderboard.choices.choices import FIRST, LeaderboardSpec
from metrics.services.scores import labels
from metrics.services.scores.labels import EvaluationScope, Ids, PeopleParts
from pooling.core.strategies.selections import Pairs, is_in

_TEXTS = """
    SELECT item_id, text FROM annotate_part
    WHERE kind = 'text' AND item_id = ANY(%s::bigint[]) ORDER BY position DESC
"""


class LeaderboardLabels(NamedTuple):
    """The labels of one direction that count in its scope.

    whole : of the chosen label source
    reference : of its reference sets alone, None if it has none
    people : people's as they are chosen; None where neither the source nor the scope asks for them
    unjudged : the pairs of the pools to which `whole` gives no label, each of grade 0; none for
        comparisons and analyses, which have no bounds
    """

    whole: Grades
    reference: Grades | None
    people: PeopleParts | None
    unjudged: Grades


def chosen_people_grades(
    *, collection: Collection, direction: Direction, people: str
) -> PeopleParts:
    """Read people's grades: as resolved, each pair's first label, or one person's.

    people : a LeaderboardSpec's choice of people; what is not as resolved is not propagated either
    The first label is that of the seat with the lowest number: seats are handed out in that order.
    """
    if not people:
        return labels.people_parts(collection=collection, direction=direction)
    source, target = labels.ends(direction)
    judgments = CountingJudgment.objects.labels().filter(collection=collection)
    if people != FIRST:
        judgments = judgments.filter(annotator=int(people))
    first = judgments.order_by("pair", "number", "seat").distinct("pair")
    rows = first.values_list(f"pair__{source}", f"pair__{target}", "grade")
    return PeopleParts(sorted_grades(table(rows, 3)), no_grades())


def labelled_scope(
    *, collection: Collection, spec: LeaderboardSpec, scope: EvaluationScope
) -> tuple[EvaluationScope, LeaderboardLabels]:
    """Return the part of the scope that the spec selects, and the labels that count there."""
    source = LabelSource.parse(spec.label_source)
    people = None
    if source.has_people or spec.judged_only:
        people = chosen_people_grades(
            collection=collection, direction=scope.direction, people=spec.people
        )
    reference = None
    if source.reference:
        reference = labels.labels_of(
            collection=collection, direction=scope.direction, label_source=source.reference
        )
    scope = _selected_scope(scope, spec, people.whole if people else no_grades())
    if people:
        people = PeopleParts(*(labels.within(grades, scope) for grades in people))
    if reference is not None:
        reference = labels.within(reference, scope)
    whole = source.grades(
        people.whole if people else no_grades(), [] if reference is None else [reference]
    )
    has_bounds = spec.kind == "table"
    return scope, LeaderboardLabels(
        whole=whole,
        reference=reference if source.has_people else None,
        people=people,
        unjudged=_unjudged(collection, scope, whole) if has_bounds else no_grades(),
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
            for item, text in texts_of(chunk):
                n_words[start + int(np.searchsorted(chunk, item))] += len(text.split())
        keep &= (n_words >= max(1, shortest or 0)) & (
            n_words <= (longest if longest is not None else n_words.max(initial=0))
        )
    return scope._replace(sources=scope.sources[keep])


def texts_of(items: Ids) -> list[tuple[int, str]]:
    """The items' text parts, each with its item's key; the last part of an item comes first."""
    with connection.cursor() as cursor:
        cursor.execute(_TEXTS, [array_literal(items)])
        return cursor.fetchall()
