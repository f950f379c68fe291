"""Labels together with their items: a BEIR folder, and one JSON object with every label."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import groupby, islice
from typing import NamedTuple

from annotate.core.labels.originals import Originals
from annotate.models import Collection, Direction, Side
from annotate.services.collection.duplicates import originals_of
from metrics.http import QrelsRequest
from metrics.services.downloads.grades import (
    CountingLabel,
    FileGrades,
    counting_labels,
    file_grades,
    grades_of,
)
from metrics.services.downloads.items import ExportedItem, ExternalIds, exported_items
from metrics.services.scores import labels
from metrics.services.scores.labels import EvaluationScope

ITEMS_PER_PIECE = 1_000
Count = Callable[[int], None]
_encode = json.JSONEncoder(ensure_ascii=False).encode


class LabelRow(NamedTuple):
    """A pair by the ids of its items, with its grade.

    original : the pair of originals whose grade it takes; None where the grade is its own
    """

    source: str
    target: str
    grade: int
    original: tuple[str, str] | None


class ItemContents(NamedTuple):
    """The contents of items in a file: their texts, the names of their media."""

    has_texts: bool = True
    has_media: bool = True


WHOLE_ITEMS = ItemContents()


def beir_members(
    *,
    collection: Collection,
    qrels_request: QrelsRequest,
    count: Count,
    contents: ItemContents = WHOLE_ITEMS,
) -> Iterator[tuple[str, Iterator[str]]]:
    """The files of a BEIR folder: targets, sources and grades.

    They are corpus.jsonl, queries.jsonl and qrels/test.tsv.
    """
    scope = _scope(qrels_request)
    sources, targets = _sides(qrels_request.direction)
    for path, side, pks in (
        ("corpus.jsonl", targets, scope.gallery if scope else None),
        ("queries.jsonl", sources, scope.sources if scope else None),
    ):
        items = exported_items(collection=collection, side=side, pks=pks)
        yield path, _items(items, contents, count)
    yield "qrels/test.tsv", _qrels(collection, qrels_request, scope, count)


def _items(items: Iterator[ExportedItem], contents: ItemContents, count: Count) -> Iterator[str]:
    rows = (_beir_item(item, contents) for item in items)
    while piece := list(islice(rows, ITEMS_PER_PIECE)):
        yield "".join(piece)
        count(len(piece))


def _beir_item(item: ExportedItem, contents: ItemContents) -> str:
    """A line of corpus.jsonl or queries.jsonl; media stand in the metadata."""
    media = [
        {"kind": kind, "path": path, **({"also": also} if also else {})}
        for kind, path, also in item.media
    ]
    line = {
        "_id": item.external_id,
        "title": "",
        "text": item.text if contents.has_texts else "",
        "metadata": {"media": media} if media and contents.has_media else {},
    }
    return f"{_encode(line)}\n"


def _qrels(
    collection: Collection, qrels_request: QrelsRequest, scope: EvaluationScope | None, count: Count
) -> Iterator[str]:
    yield "query-id\tcorpus-id\tscore\n"
    for rows in _rows(collection, qrels_request, scope):
        yield "".join(f"{row.source}\t{row.target}\t{row.grade}\n" for row in rows)
        count(len(rows))


def json_pieces(
    *, collection: Collection, qrels_request: QrelsRequest, count: Count
) -> Iterator[str]:
    """One JSON object: a description of the labels, then the grades.

    For each source its text, and each target's grade and labels.
    """
    scope = _scope(qrels_request)
    sources, _ = _sides(qrels_request.direction)
    texts = {
        item.external_id: item.text for item in exported_items(collection=collection, side=sources)
    }
    yield _encode(_head(collection, qrels_request))[:-1] + ', "queries": {'
    rows = (row for block in _rows(collection, qrels_request, scope) for row in block)
    # Last of all: no other query can run while these are read, and a COPY left open would hold the
    # connection.
    with closing(
        counting_labels(collection=collection, direction=qrels_request.direction)
    ) as label_stream:
        yield from _queries(rows, _LabelCursor(label_stream), texts, count)
    yield "\n}}\n"


def _queries(
    rows: Iterator[LabelRow],
    labels: "_LabelCursor",
    texts: dict[str, str],
    count: Count,
) -> Iterator[str]:
    comma = ""
    for source, source_rows in groupby(rows, key=lambda row: row.source):
        targets = {row.target: _relevance(row, labels) for row in source_rows}
        yield (
            f"{comma}\n{_encode(source)}: "
            f"{_encode({'text': texts.get(source, ''), 'relevance': targets})}"
        )
        comma = ","
        count(len(targets))


def _relevance(row: LabelRow, labels: "_LabelCursor") -> dict[str, object]:
    """A pair's grade and labels; or the ids of the pair of originals that it has its grade from."""
    values: dict[str, object] = {
        "grade": row.grade,
        "labels": [
            {"annotator": label.annotator, "grade": label.grade}
            for label in labels.of(row.source, row.target)
        ],
    }
    if row.original is not None:
        values["propagated_from"] = list(row.original)
    return values


def _head(collection: Collection, qrels_request: QrelsRequest) -> dict[str, object]:
    return {
        "collection": collection.slug,
        "direction": str(qrels_request.direction),
        "query_set": qrels_request.query_set.name if qrels_request.query_set else None,
        "label_source": qrels_request.label_source.key,
        "rule": qrels_request.rule or "policy",
        "positive_from": collection.positive_from if qrels_request.threshold is None else 1,
        "levels": [
            {"grade": level.grade, "name": level.name}
            for level in collection.levels.order_by("grade")
        ],
    }


class _LabelCursor:
    """A cursor over labels, read along with rows in the same order.

    Labels of pairs without a row are skipped.
    """

    def __init__(self, labels: Iterator[CountingLabel]) -> None:
        self._groups = groupby(
            labels, key=lambda label: (label.source.encode(), label.target.encode())
        )
        self._next = self._read()

    def of(self, source: str, target: str) -> list[CountingLabel]:
        """All labels of a pair; to be called for pairs in ascending order."""
        pair = (source.encode(), target.encode())
        while self._next and self._next[0] < pair:
            self._next = self._read()
        return self._next[1] if self._next and self._next[0] == pair else []

    def _read(self) -> tuple[tuple[bytes, bytes], list[CountingLabel]] | None:
        return next(((pair, list(labels)) for pair, labels in self._groups), None)


def _rows(
    collection: Collection, qrels_request: QrelsRequest, scope: EvaluationScope | None
) -> Iterator[list[LabelRow]]:
    """Pairs with their grades in blocks, by their bytes; the database is read at once."""
    external_ids = ExternalIds(collection)
    grades = grades_of(collection=collection, qrels_request=qrels_request, scope=scope)
    order = external_ids.order(grades.source, grades.target)
    originals = originals_of(collection=collection)
    return _blocks(external_ids, grades.rows(order), originals, qrels_request.threshold)


def _blocks(
    external_ids: ExternalIds, grades: FileGrades, originals: Originals, threshold: int | None
) -> Iterator[list[LabelRow]]:
    for start in range(0, len(grades.grade), ITEMS_PER_PIECE):
        block = grades.rows(slice(start, start + ITEMS_PER_PIECE))
        columns = (
            external_ids.of(block.source),
            external_ids.of(block.target),
            file_grades(block, threshold),
            zip(
                external_ids.of(originals.of(block.source)),
                external_ids.of(originals.of(block.target)),
                strict=True,
            ),
            block.is_propagated.tolist(),
        )
        yield [
            LabelRow(source, target, grade, original if is_propagated else None)
            for source, target, grade, original, is_propagated in zip(*columns, strict=True)
        ]


def _scope(qrels_request: QrelsRequest) -> EvaluationScope | None:
    return labels.scope_of(query_set=qrels_request.query_set) if qrels_request.query_set else None


def _sides(direction: Direction) -> tuple[Side, Side]:
    ends = (Side.QUERY, Side.DOCUMENT)
    return ends if direction == Direction.FORWARD else ends[::-1]
