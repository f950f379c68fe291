"""Lines of states, reports, conflicts and scores, in a fixed order, from one moment."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Collate

from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import (
    Change,
    Collection,
    CountingJudgment,
    QuerySet,
    ReferenceLabel,
    ReferenceSet,
    Report,
    Resolution,
    Round,
    RoundPairState,
    User,
)
from annotate.services.review.inbox import IS_WANTED
from annotate.services.storage.number_arrays import copied_columns
from annotate.services.storage.transactions import repeatable_read
from metrics.models import Score
from metrics.services.downloads.items import ExternalIds
from metrics.services.scores import labels, query_groups
from metrics.services.scores.measuring import N_POSITIVE
from pooling.models import Run

LINES_PER_PIECE = 5_000
SCORE_COLUMNS = (
    "run",
    "direction",
    "query_set",
    "label_source",
    "measure",
    "threshold",
    "n_gallery",
    "gallery_at",
    "query",
    "value",
    "group",
)
ENDS = ("query", "document")
_QUERY, _DOCUMENT = "pair__query__external_id", "pair__document__external_id"
_IN_ORDER = (Collate(_QUERY, "C"), Collate(_DOCUMENT, "C"))
_COUNTING_GRADES = ArraySubquery(
    CountingJudgment.objects.labels()
    .filter(pair=OuterRef("pair"))
    .order_by("number", "seat")
    .values("grade")
)
_LABELS = """
    SELECT pair_id, grade FROM annotate_countingjudgment
    WHERE collection_id = %s AND is_label ORDER BY pair_id, number, seat_id
"""


def pair_states(*, collection: Collection) -> Iterator[str]:
    """Every pair of every round for labels: state, grade if any, and counting grades by seat."""
    rows = (
        RoundPairState.objects.filter(collection=collection, round__kind__in=Round.FOR_LABELS)
        .order_by(Collate("round__name", "C"), "round", *_IN_ORDER)
        .values_list(
            "pair",
            "round__name",
            "round__state",
            _QUERY,
            _DOCUMENT,
            "state",
            "pair__resolution__grade",
        )
        .iterator(LINES_PER_PIECE)
    )
    yield "pool\tpool_state\tquery\tdocument\tstate\tgrade\tgrades\n"
    # read once: to look for those of half a million pairs one by one takes the server seconds
    labels_by_pair = copied_columns(_LABELS, ["pair", "grade"], [collection.pk])
    label_grades = labels_by_pair["grade"].tolist()
    while block := list(islice(rows, LINES_PER_PIECE)):
        pairs = [pair for pair, *_ in block]
        starts, ends = (
            np.searchsorted(labels_by_pair["pair"], pairs, side=side).tolist()
            for side in ("left", "right")
        )
        yield "".join(
            f"{' '.join(pool.split())}\t{pool_state}\t{query}\t{document}\t{state}\t"
            f"{'' if grade is None else grade}\t{' '.join(map(str, label_grades[start:end]))}\n"
            for (_, pool, pool_state, query, document, state, grade), start, end in zip(
                block, starts, ends, strict=True
            )
        )


def disputed(*, collection: Collection) -> Iterator[str]:
    """Pairs that people's labels leave undecided and for which no more are requested.

    Each with its status and all counting grades.
    """
    statuses = [Resolution.Status.DISPUTED, Resolution.Status.ESCALATED]
    rows = (
        Resolution.objects.filter(IS_WANTED, collection=collection, status__in=statuses)
        .annotate(counting_grades=_COUNTING_GRADES)
        .order_by(*_IN_ORDER)
        .values_list(_QUERY, _DOCUMENT, "status", "counting_grades")
    )
    yield "query\tdocument\tstatus\tgrades\n"
    lines = (
        f"{q}\t{d}\t{status}\t{' '.join(map(str, counting_grades))}\n"
        for q, d, status, counting_grades in rows.iterator(2_000)
    )
    yield from pieces_of(lines)


def conflicts(*, collection: Collection) -> Iterator[str]:
    """Every pair whose grade by people differs from that of a reference set, set by set."""
    return _conflict_lines(collection, Q())


def refused_positives(*, collection: Collection) -> Iterator[str]:
    """The conflicts in which a reference set has the pair as positive, and people do not."""
    positive_from = collection.positive_from
    is_refused = Q(grade__gte=positive_from, people_grade__lt=positive_from)
    return _conflict_lines(collection, is_refused)


def _conflict_lines(collection: Collection, condition: Q) -> Iterator[str]:
    same_pair = {f"pair__{end}": OuterRef(end) for end in ENDS}
    conflicts = (
        ReferenceLabel.objects.filter(
            reference_set__in=ReferenceSet.objects.usual().filter(collection=collection)
        )
        .annotate(people_grade=Subquery(Resolution.objects.filter(**same_pair).values("grade")))
        .filter(people_grade__isnull=False)
        .exclude(people_grade=F("grade"))
        .filter(condition)
    )
    yield "reference_set\tquery\tdocument\treference_grade\tpeople_grade\n"
    reference_labels = conflicts.order_by(
        Collate("reference_set__name", "C"),
        *(Collate(f"{end}__external_id", "C") for end in ENDS),
    ).values_list(
        "reference_set__name", *(f"{end}__external_id" for end in ENDS), "grade", "people_grade"
    )
    rows = (
        [" ".join(name.split()), *map(str, fields)]
        for name, *fields in reference_labels.iterator(2_000)
    )
    yield from pieces_of("\t".join(row) + "\n" for row in rows)


def cannot_judge(*, collection: Collection) -> Iterator[str]:
    """Reports made instead of judgments: the annotator cannot judge, or a lead should look.

    Notes are left out.
    """
    columns = (
        _QUERY,
        _DOCUMENT,
        "annotator__pseudonym",
        "kind",
        "reason",
        "at",
        "state",
        "settled_at",
    )
    rows = Report.objects.filter(collection=collection).with_settled_at().order_by(*_IN_ORDER, "pk")
    yield "query\tdocument\tannotator\tkind\treason\tat\tstate\tsettled_at\n"
    yield from pieces_of(
        "\t".join(
            [
                q,
                d,
                pseudonym,
                kind,
                " ".join(reason.split()),
                timestamp(at) or "",
                state,
                timestamp(settled_at) or "",
            ]
        )
        + "\n"
        for q, d, pseudonym, kind, reason, at, state, settled_at in rows.values_list(
            *columns
        ).iterator(2_000)
    )


def scores_per_query(*, collection: Collection, viewer: User | None) -> Iterator[str]:
    """Every score of every run the viewer may know of, a line a query.

    A run's queries are those of its query set. The group is that of the query in the collection,
    the query itself where it has none.
    No line while items have changed since the last refresh: until then the queries of stored values
    are unknown.
    """
    yield "\t".join(SCORE_COLUMNS) + "\n"
    with repeatable_read():
        if Change.objects.filter(collection=collection, pair=None).exists():
            return
        external_ids = ExternalIds(collection)
        queries = {
            query_set.pk: _queries(collection, labels.scope_of(query_set=query_set), external_ids)
            for query_set in QuerySet.objects.filter(collection=collection)
        }
        runs = Run.objects.visible_to(viewer).filter(collection=collection)
        scores = Score.objects.usual().filter(run__in=runs).exclude(measure=N_POSITIVE)
        scores = scores.select_related("run", "query_set").order_by(
            Collate("run__name", "C"), "query_set", Collate("label_source", "C"), "pk"
        )
        for score in scores.iterator(chunk_size=20):
            yield "".join(_score_lines(score, queries[score.query_set_id]))


def _queries(
    collection: Collection, scope: labels.EvaluationScope, external_ids: ExternalIds
) -> list[tuple[str, str]]:
    """The queries of a query set with the names of their groups, blanks and tabs as one blank."""
    groups = query_groups.names_of(
        collection=collection, direction=scope.direction, sources=scope.sources
    )
    return [
        (query, " ".join(group.split()))
        for query, group in zip(external_ids.of(scope.sources), groups, strict=True)
    ]


def _score_lines(score: Score, queries: list[tuple[str, str]]) -> Iterator[str]:
    values = np.frombuffer(score.per_query, dtype="<f8").tolist()
    head = (score.run.name, score.query_set.direction, score.query_set.name, score.label_source)
    gallery = (
        "" if score.n_gallery is None else str(score.n_gallery),
        timestamp(score.gallery_at) or "",
    )
    start = "\t".join((*head, score.measure, str(score.threshold), *gallery))
    # A query excluded since the last refresh has a value and no name any more: the whole score
    # waits for the next one.
    if len(values) == len(queries):
        rows = zip(queries, values, strict=True)
        yield from (f"{start}\t{query}\t{value!r}\t{group}\n" for (query, group), value in rows)


def pieces_of(lines: Iterator[str]) -> Iterator[str]:
    """Join lines into pieces of some thousands."""
    piece: list[str] = []
    for line in lines:
        piece.append(line)
        if len(piece) == LINES_PER_PIECE:
            yield "".join(piece)
            piece = []
    yield "".join(piece)
