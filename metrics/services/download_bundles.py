"""Labels together with what they are about: a BEIR folder, and one JSON object with every label beside the grade."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import groupby, islice

from annotate.models import Collection, Direction, Side
from metrics.core.label_sources import Grades
from metrics.http import Wanted
from metrics.services import labels
from metrics.services.download_items import Names, Shown, shown_items
from metrics.services.download_labels import Said, grades_of, labels_said, written
from metrics.services.labels import Scope

ITEMS_A_PIECE = 1_000
Count = Callable[[int], None]
_encode = json.JSONEncoder(ensure_ascii=False).encode


def beir_members(*, collection: Collection, wanted: Wanted, count: Count) -> Iterator[tuple[str, Iterator[str]]]:
    """corpus.jsonl, queries.jsonl and qrels/test.tsv: the targets, the sources and the grades."""
    scope = _scope(wanted)
    sources, targets = _sides(wanted.direction)
    yield "corpus.jsonl", _items(collection, targets, scope.gallery if scope else None, count)
    yield "queries.jsonl", _items(collection, sources, scope.sources if scope else None, count)
    yield "qrels/test.tsv", _qrels(collection, wanted, scope, count)


def _items(collection: Collection, side: Side, only: labels.Ids | None, count: Count) -> Iterator[str]:
    rows = map(_beir_item, shown_items(collection=collection, side=side, only=only))
    while piece := list(islice(rows, ITEMS_A_PIECE)):
        yield "".join(piece)
        count(len(piece))


def _beir_item(item: Shown) -> str:
    """A line of corpus.jsonl or queries.jsonl; what is no text stands in the metadata."""
    media = [{"kind": kind, "path": path, **({"also": also} if also else {})} for kind, path, also in item.media]
    metadata = {"media": media} if media else {}
    return _encode({"_id": item.external_id, "title": "", "text": item.text, "metadata": metadata}) + "\n"


def _qrels(collection: Collection, wanted: Wanted, scope: Scope | None, count: Count) -> Iterator[str]:
    yield "query-id\tcorpus-id\tscore\n"
    for rows in _rows(collection, wanted, scope):
        yield "".join(f"{source}\t{target}\t{value}\n" for source, target, value in rows)
        count(len(rows))


def json_pieces(*, collection: Collection, wanted: Wanted, count: Count) -> Iterator[str]:
    """One JSON object: what the labels are, then by source item its text and each target's grade and labels."""
    scope = _scope(wanted)
    sources, _ = _sides(wanted.direction)
    texts = {item.external_id: item.text for item in shown_items(collection=collection, side=sources)}
    yield _encode(_head(collection, wanted))[:-1] + ', "queries": {'
    rows = (row for block in _rows(collection, wanted, scope) for row in block)
    # Last of all: nothing else can be asked of the database while these are read, and a COPY left open would hold it.
    with closing(labels_said(collection=collection, direction=wanted.direction)) as said:
        yield from _queries(rows, _Beside(said), texts, count)
    yield "\n}}\n"


def _queries(
    rows: Iterator[tuple[str, str, int]], said: "_Beside", texts: dict[str, str], count: Count
) -> Iterator[str]:
    comma = ""
    for source, own in groupby(rows, key=lambda row: row[0]):
        targets = {target: _target(value, said.of(source, target)) for _, target, value in own}
        yield f"{comma}\n{_encode(source)}: {_encode({'text': texts.get(source, ''), 'relevance': targets})}"
        comma = ","
        count(len(targets))


def _head(collection: Collection, wanted: Wanted) -> dict[str, object]:
    return {
        "collection": collection.slug,
        "direction": str(wanted.direction),
        "query_set": wanted.query_set.name if wanted.query_set else None,
        "label_source": wanted.label_source.key,
        "rule": wanted.rule or "policy",
        "positive_from": collection.positive_from if wanted.threshold is None else 1,
        "levels": [{"grade": level.grade, "name": level.name} for level in collection.levels.order_by("grade")],
    }


def _target(value: int, labels_: list[Said]) -> dict[str, object]:
    return {"grade": value, "labels": [{"annotator": each.annotator, "grade": each.grade} for each in labels_]}


class _Beside:
    """Labels read along with rows in the same order; those of pairs without a row are passed over."""

    def __init__(self, said: Iterator[Said]) -> None:
        self._groups = groupby(said, key=lambda each: (each.source.encode(), each.target.encode()))
        self._next = self._read()

    def of(self, source: str, target: str) -> list[Said]:
        """All labels of a pair; pairs are asked for in ascending order."""
        wanted = (source.encode(), target.encode())
        while self._next and self._next[0] < wanted:
            self._next = self._read()
        return self._next[1] if self._next and self._next[0] == wanted else []

    def _read(self) -> tuple[tuple[bytes, bytes], list[Said]] | None:
        return next(((pair, list(said)) for pair, said in self._groups), None)


def _rows(collection: Collection, wanted: Wanted, scope: Scope | None) -> Iterator[list[tuple[str, str, int]]]:
    """Source, target and grade in the order of their bytes, in blocks; all is read from the database at once."""
    names = Names(collection)
    return _blocks(names, names.ordered(grades_of(collection=collection, wanted=wanted, scope=scope)), wanted)


def _blocks(names: Names, grades: Grades, wanted: Wanted) -> Iterator[list[tuple[str, str, int]]]:
    for start in range(0, len(grades.grade), ITEMS_A_PIECE):
        part = Grades(*(values[start : start + ITEMS_A_PIECE] for values in grades))
        columns = (names.of(part.source), names.of(part.target), written(part, wanted.threshold))
        yield list(zip(*columns, strict=True))


def _scope(wanted: Wanted) -> Scope | None:
    return labels.scope_of(query_set=wanted.query_set) if wanted.query_set else None


def _sides(direction: Direction) -> tuple[Side, Side]:
    ends = (Side.QUERY, Side.DOCUMENT)
    return ends if direction == Direction.FORWARD else ends[::-1]
