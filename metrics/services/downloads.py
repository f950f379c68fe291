"""Files of labels and scores: streamed, in an order that never changes, from one moment of the database."""

from collections.abc import Iterator

import numpy as np
from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Q
from django.db.models.functions import Collate

from annotate.models import Collection, Item, QuerySet, Resolution, Seat
from metrics.core.label_sources import Grades
from metrics.http import Wanted
from metrics.models import Score
from metrics.services import labels
from metrics.services.measuring import N_POSITIVE
from metrics.services.moments import one_moment

LINES_A_PIECE = 5_000


def qrels(*, collection: Collection, wanted: Wanted) -> Iterator[str]:
    """TREC qrels: `source 0 target grade`, ordered by the bytes of source and target."""
    with one_moment():
        grades = labels.labels_of(
            collection=collection,
            direction=wanted.direction,
            label_source=wanted.label_source,
            reference_set=wanted.reference_set,
        )
        if wanted.query_set is not None:
            grades = labels.within(grades, labels.scope_of(query_set=wanted.query_set))
        ids = _Ids(collection)
        rows = ids.ordered(grades)
        grade = rows.grade if wanted.threshold is None else (rows.grade >= wanted.threshold).astype(np.int64)
        columns = (ids.names(rows.source), ids.names(rows.target), grade.tolist())
        lines = (f"{source} 0 {target} {value}\n" for source, target, value in zip(*columns, strict=True))
        yield from _pieces(lines)


def disputed(*, collection: Collection) -> Iterator[str]:
    """Pairs on which people's labels decide nothing: status and all counting grades, in the order of the seats."""
    counting = Q(pair__seats__state=Seat.State.DONE, pair__seats__purpose__in=Seat.COUNTING)
    grades = ArrayAgg("pair__seats__judgment__level__grade", filter=counting, order_by="pair__seats__number")
    statuses = [Resolution.Status.DISPUTED, Resolution.Status.ESCALATED]
    query, document = "pair__query__external_id", "pair__document__external_id"
    rows = (
        Resolution.objects.filter(collection=collection, status__in=statuses)
        .annotate(given=grades)
        .order_by(Collate(query, "C"), Collate(document, "C"))
        .values_list(query, document, "status", "given")
    )
    yield "query\tdocument\tstatus\tgrades\n"
    lines = (f"{q}\t{d}\t{status}\t{' '.join(map(str, given or ()))}\n" for q, d, status, given in rows.iterator(2_000))
    yield from _pieces(lines)


def scores_per_query(*, collection: Collection) -> Iterator[str]:
    """Every score of every run, a line a query; a run's queries are those of its query set."""
    yield "run\tdirection\tquery_set\tlabel_source\treference_set\tmeasure\tthreshold\tquery\tvalue\n"
    with one_moment():
        ids = _Ids(collection)
        queries = {
            query_set.pk: ids.names(labels.scope_of(query_set=query_set).sources)
            for query_set in QuerySet.objects.filter(collection=collection)
        }
        scores = Score.objects.filter(run__collection=collection).exclude(measure=N_POSITIVE)
        scores = scores.select_related("run", "query_set", "reference_set").order_by(
            Collate("run__name", "C"), "query_set", "reference_set", "label_source", "pk"
        )
        for score in scores.iterator(chunk_size=20):
            yield "".join(_score_lines(score, queries[score.query_set_id]))


def _score_lines(score: Score, queries: list[str]) -> Iterator[str]:
    values = np.frombuffer(score.per_query, dtype="<f8").tolist()
    reference = score.reference_set.name if score.reference_set else ""
    head = (score.run.name, score.query_set.direction, score.query_set.name, score.label_source, reference)
    start = "\t".join((*head, score.measure, str(score.threshold)))
    # A query excluded since the last refresh has a value and no name any more: the whole score waits for the next one.
    if len(values) == len(queries):
        yield from (f"{start}\t{query}\t{value!r}\n" for query, value in zip(queries, values, strict=True))


def _pieces(lines: Iterator[str]) -> Iterator[str]:
    """Lines in pieces worth sending."""
    piece: list[str] = []
    for line in lines:
        piece.append(line)
        if len(piece) == LINES_A_PIECE:
            yield "".join(piece)
            piece = []
    yield "".join(piece)


class _Ids:
    """The external ids of a collection's items, and their order by bytes."""

    def __init__(self, collection: Collection) -> None:
        found = dict(Item.objects.filter(collection=collection).values_list("pk", "external_id"))
        # Python compares code points, and UTF-8 keeps their order.
        ordered = sorted(found, key=lambda pk: (found[pk], pk))
        self._names = found
        self._pks = np.array(sorted(found), dtype=np.int64)
        self._place = np.empty(len(ordered), dtype=np.int64)
        self._place[np.searchsorted(self._pks, np.array(ordered, dtype=np.int64))] = np.arange(len(ordered))

    def names(self, pks: labels.Ids) -> list[str]:
        """The external ids of some items."""
        return [self._names[pk] for pk in pks.tolist()]

    def ordered(self, grades: Grades) -> Grades:
        """The rows by the external ids of source and target."""
        source, target = (self._place[np.searchsorted(self._pks, pks)] for pks in (grades.source, grades.target))
        order = np.lexsort((target, source))
        return Grades(*(values[order] for values in grades))
