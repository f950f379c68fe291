"""The resolution of every pair of a collection's pools and imports: a page, or all as a file."""

from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from psycopg import ClientCursor

from annotate.core.files.judgments.judgment_exports import LINES_A_PIECE
from annotate.core.files.resolution_exports import FORMATS, SCHEMA
from annotate.core.labels.pair_states import PairState
from annotate.models import (
    Collection,
    Pair,
    Report,
    Resolution,
    Round,
    RoundPair,
    RoundPairState,
    Side,
)
from annotate.statements import without_timeout

OF_ITEMS = {"query": "query_name", "document": "document_name"}  # fields of a pair have the names
_LINES = """
    COPY (
        SELECT row_to_json(line)::text || E'\\n'
        FROM (SELECT pair, query_name AS query, document_name AS document, state, status, grade,
                n_labels, is_complete, policy, rule,
                to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
                    AS changed_at
            FROM ({rows}) source ORDER BY pair) line
    ) TO STDOUT (FORMAT BINARY)
"""


class ResolutionFilter(NamedTuple):
    """A choice of pairs.

    state : a PairState, "" for all; query : the id of their query item, "" for all
    changed_since : only pairs with a resolution that changed then or later
    """

    state: str = ""
    query: str = ""
    changed_since: datetime | None = None


def resolution_rows(
    *, collection: Collection, choice: ResolutionFilter
) -> QuerySet[Pair, dict[str, Any]]:
    """The pairs that a pool or import names, in the order of their keys, one query.

    Columns are those of SCHEMA, but for OF_ITEMS. A pair is left out if all its rounds leave it
    out; else its state is the same in all of them.
    """
    round_states = RoundPairState.objects.filter(
        pair=OuterRef("pk"), round__kind__in=Round.FOR_LABELS
    ).order_by(Case(When(state=PairState.LEFT_OUT, then=1), default=0))
    rows: QuerySet[Any] = Pair.objects.filter(collection=collection).annotate(
        pair=F("pk"),
        query_name=F("query__external_id"),
        document_name=F("document__external_id"),
        state=Subquery(round_states.values("state")[:1]),
        status=F("resolution__status"),
        grade=F("resolution__grade"),
        n_labels=Coalesce(F("resolution__n_labels"), 0),
        is_complete=Coalesce(F("resolution__is_complete"), False),
        policy=F("resolution__policy__version"),
        rule=F("resolution__policy__rule"),
        changed_at=F("resolution__changed_at"),
    )
    columns = [OF_ITEMS.get(name, name) for name in SCHEMA.names]
    return _filtered(rows, collection, choice).order_by("pair").values(*columns)


def write(*, collection: Collection, choice: ResolutionFilter, kind: str) -> Iterator[bytes]:
    """The pairs as a file of one of FORMATS, as of one moment, however many they are."""
    # a COPY left open would hold the connection
    with closing(_pieces(collection, choice)) as pieces:
        yield from FORMATS[kind](pieces)


def _filtered(
    rows: QuerySet[Any], collection: Collection, choice: ResolutionFilter
) -> QuerySet[Any]:
    """The rows of a choice."""
    if choice.query:
        rows = rows.filter(
            query__collection=collection,
            query__side=Side.QUERY,
            query__external_id=choice.query,
        )
    if choice.changed_since:
        rows = rows.filter(
            resolution__collection=collection, resolution__changed_at__gte=choice.changed_since
        )
    if not choice.state:
        return rows.filter(state__isnull=False)
    # what is true in the state anyway, and quicker to look for
    reports = Report.objects.open().filter(collection=collection)
    dropped_pairs = RoundPair.objects.filter(round__collection=collection, dropped_at__isnull=False)
    labelled_pairs = Resolution.objects.filter(pair=OuterRef("pk"), n_labels__gt=0)
    conditions = {
        PairState.LEFT_OUT: Q(pk__in=dropped_pairs.values("pair")),
        PairState.DISPUTED: Q(resolution__status=Resolution.Status.DISPUTED),
        PairState.ESCALATED: Q(pk__in=reports.values("pair")),
        PairState.CANNOT_JUDGE: Q(pk__in=reports.values("pair")),
        PairState.COMPLETE: Q(resolution__is_complete=True),
        PairState.SOME_LABELS: Q(resolution__is_complete=False, resolution__n_labels__gt=0),
        PairState.UNTOUCHED: ~Q(Exists(labelled_pairs)),
    }
    return rows.filter(conditions[PairState(choice.state)], state=choice.state)


def _pieces(collection: Collection, choice: ResolutionFilter) -> Generator[bytes, None, None]:
    """Yield the pairs as JSON lines, some thousand in a piece."""
    rows = resolution_rows(collection=collection, choice=choice)
    source, parameters = rows.query.sql_with_params()
    connection.ensure_connection()
    statement = ClientCursor(connection.connection).mogrify(_LINES.format(rows=source), parameters)
    lines: list[bytes] = []
    with without_timeout(), connection.cursor() as cursor, cursor.copy(statement) as copy:
        for (line,) in copy.rows():
            lines.append(line)
            if len(lines) == LINES_A_PIECE:
                yield b"".join(lines)
                lines = []
        if lines:
            yield b"".join(lines)
