"""The labels of a release in the JSON of FIRE, each with the runs that brought its pair."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.labels.originals import Originals
from annotate.core.number_sets import is_among
from annotate.models import Collection, Direction, Part, Side
from annotate.services.collection.duplicates import originals_of
from annotate.services.storage.number_arrays import copied_columns
from metrics.core.releases.fire_labels import FireLabel
from metrics.services.downloads.bundles import ItemContents
from metrics.services.downloads.items import ExternalIds, exported_items
from pooling.core.strategies.strategies import depth_of
from pooling.models import Pool, Run
from pooling.services.runs.rankings import left_out_keys, load_top

LABELS_AT_ONCE = 5_000
WIDTH = np.int64(1 << 31)  # of a pair's code; keys of items stay below it
_LABELS = """
    SELECT pair.query_id, pair.document_id, label.annotator_id, label.round_id, label.grade
    FROM annotate_countingjudgment label JOIN annotate_pair pair ON pair.id = label.pair_id
    WHERE label.collection_id = %s AND label.is_label
    ORDER BY label.number, label.seat_id
"""
_POOL_PAIRS = """
    SELECT pair.query_id, pair.document_id
    FROM pooling_poolpair pool_pair JOIN annotate_pair pair ON pair.id = pool_pair.pair_id
    WHERE pool_pair.pool_id = %s
"""


class _FireRows(NamedTuple):
    """Labels as the database has them, by keys."""

    query: NDArray[np.int64]
    document: NDArray[np.int64]
    annotator: NDArray[np.int64]
    round: NDArray[np.int64]
    grade: NDArray[np.int64]


class _BroughtPositions(NamedTuple):
    """The labels of the pairs that a run brought to their pool, by their positions, ascending."""

    alias: str
    positions: NDArray[np.int64]


def fire_labels(
    *, collection: Collection, aliases: dict[int, str], contents: ItemContents
) -> Iterator[FireLabel]:
    """The labels that count, by the bytes of their ids; ids stand for texts that stay inside.

    aliases : by the keys of the runs that may be told
    A run brought a pair of its pool that it returns so high that the strategy reads it there. No
    run is told of a pool with a run that is not among the aliases.
    """
    texts = _texts(collection) if contents.has_texts else {}
    hashes = _hashes(collection) if contents.has_media else {}
    levels = dict(collection.levels.values_list("grade", "name"))
    annotators = dict(collection.annotators.values_list("pk", "pseudonym"))
    rounds = dict(collection.rounds.values_list("pk", "name"))
    external_ids = ExternalIds(collection)
    rows = _label_rows(collection, external_ids)
    runs = _runs_of_labels(collection, aliases, rows)
    for start in range(0, len(rows.query), LABELS_AT_ONCE):
        block = _FireRows(*(column[start : start + LABELS_AT_ONCE] for column in rows))
        keys = zip(*(column.tolist() for column in block), strict=True)
        ids = zip(external_ids.of(block.query), external_ids.of(block.document), strict=True)
        label_models = _models(start, len(block.query), runs)
        for (query, document, annotator, round_, grade), (query_id, document_id), models in zip(
            keys, ids, label_models, strict=True
        ):
            yield FireLabel(
                query_id,
                texts.get(query, ""),
                document_id,
                hashes.get(document, ""),
                grade,
                levels[grade],
                grade >= collection.positive_from,
                annotators[annotator],
                rounds[round_],
                models,
            )


def _label_rows(collection: Collection, external_ids: ExternalIds) -> _FireRows:
    """The labels by the bytes of their ids, those of a pair by their seats."""
    rows = _FireRows(*copied_columns(_LABELS, _FireRows._fields, [collection.pk]).values())
    order = external_ids.order(rows.query, rows.document)
    return _FireRows(*(column[order] for column in rows))


def _models(start: int, n: int, runs: list[_BroughtPositions]) -> list[list[str]]:
    """The aliases of the runs that brought the pair of each of the n labels from a position on."""
    models: list[list[str]] = [[] for _ in range(n)]
    for run in runs:
        first, end = np.searchsorted(run.positions, (start, start + n))
        for position in run.positions[first:end].tolist():
            models[position - start].append(run.alias)
    return models


def _runs_of_labels(
    collection: Collection, aliases: dict[int, str], rows: _FireRows
) -> list[_BroughtPositions]:
    """The runs of each pool that tells its runs, with the labels of the pairs they brought."""
    pools = Pool.objects.filter(collection=collection, opened_at__isnull=False)
    pools = pools.select_related("query_set", "round").prefetch_related("runs")
    left_out = left_out_keys(collection=collection)
    originals = originals_of(collection=collection)
    codes = rows.query * WIDTH + rows.document
    runs = []
    for pool in pools.order_by("pk"):
        pool_runs = sorted(pool.runs.all(), key=lambda run: aliases.get(run.pk, ""))
        if all(run.pk in aliases for run in pool_runs):
            pairs = copied_columns(_POOL_PAIRS, ["query", "document"], [pool.pk])
            positions = np.flatnonzero(rows.round == pool.own_round().pk)
            pool_codes = pairs["query"] * WIDTH + pairs["document"]
            positions = positions[is_among(codes[positions], pool_codes)]
            for run in pool_runs:
                is_brought = is_among(codes[positions], top_codes(run, pool, left_out, originals))
                runs.append(_BroughtPositions(aliases[run.pk], positions[is_brought]))
    return runs


def top_codes(
    run: Run, pool: Pool, left_out: NDArray[np.int64], originals: Originals
) -> NDArray[np.int64]:
    """The pairs that a run returns so high that its pool takes pairs from there, as codes.

    A run that holds a duplicate brought the pair of its original.
    """
    depth = depth_of(pool.strategy, pool.parameters)
    top = load_top(run=run, depth=depth, query_set=pool.query_set, leave_out=left_out)
    is_item = top.target > 0  # below are ids that the collection lacks
    source, target = originals.of(top.source[is_item]), originals.of(top.target[is_item])
    query, document = (source, target) if run.direction == Direction.FORWARD else (target, source)
    return query * WIDTH + document


def _texts(collection: Collection) -> dict[int, str]:
    return {item.pk: item.text for item in exported_items(collection=collection, side=Side.QUERY)}


def _hashes(collection: Collection) -> dict[int, str]:
    """The SHA-256 of the first medium of each document that has one."""
    parts = Part.objects.filter(
        item__collection=collection, item__side=Side.DOCUMENT, checksum__startswith="sha256:"
    )
    checksums = parts.order_by("-position").values_list("item", "checksum")
    return {item: str(checksum).removeprefix("sha256:") for item, checksum in checksums}
