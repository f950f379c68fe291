"""The labels of a release in the JSON of FIRE, each with the runs that brought its pair."""

from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import islice
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from psycopg.sql import SQL

from annotate.core.labels.originals import Originals
from annotate.core.number_sets import is_among
from annotate.models import Collection, Direction, Part, Side
from annotate.services.collection.duplicates import originals_of
from annotate.services.storage.number_arrays import copied_columns
from annotate.statements import without_timeout
from metrics.core.releases.fire_labels import FireLabel
from metrics.services.downloads.bundles import ItemContents
from metrics.services.downloads.items import exported_items
from pooling.core.strategies.strategies import depth_of
from pooling.models import Pool, Run
from pooling.services.runs.rankings import left_out_keys, load_top

LABELS_AT_ONCE = 5_000
WIDTH = np.int64(1 << 31)  # of a pair's code; keys of items stay below it
_LABELS = SQL("""
    COPY (
        SELECT query.external_id, document.external_id, annotator.pseudonym, round.name,
               pair.query_id, pair.document_id, label.grade, seat.round_id
        FROM annotate_countingjudgment label
        JOIN annotate_seat seat ON seat.id = label.seat_id
        JOIN annotate_round round ON round.id = seat.round_id
        JOIN annotate_pair pair ON pair.id = label.pair_id
        JOIN annotate_item query ON query.id = pair.query_id
        JOIN annotate_item document ON document.id = pair.document_id
        JOIN annotate_annotator annotator ON annotator.id = label.annotator_id
        WHERE label.collection_id = {collection} AND label.is_label
        ORDER BY query.external_id COLLATE "C", document.external_id COLLATE "C",
                 label.number, label.seat_id
    ) TO STDOUT
""")
_POOL_PAIRS = """
    SELECT pair.query_id, pair.document_id
    FROM pooling_poolpair pool_pair JOIN annotate_pair pair ON pair.id = pool_pair.pair_id
    WHERE pool_pair.pool_id = %s
"""


class _FireRow(NamedTuple):
    """A label as the database has it, by keys."""

    query_id: str
    document_id: str
    annotator: str
    round: str
    query: int
    document: int
    grade: int
    round_key: int


class _BroughtPairs(NamedTuple):
    """The pairs that a run brought to a pool, as codes."""

    alias: str
    codes: NDArray[np.int64]


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
    runs = _pooled_runs(collection, aliases)
    with closing(_rows(collection)) as rows:
        while block := list(islice(rows, LABELS_AT_ONCE)):
            for row, models in zip(block, _models(block, runs), strict=True):
                yield FireLabel(
                    query=row.query_id,
                    query_text=texts.get(row.query, ""),
                    document=row.document_id,
                    document_hash=hashes.get(row.document, ""),
                    grade=row.grade,
                    level=levels[row.grade],
                    is_positive=row.grade >= collection.positive_from,
                    annotator=row.annotator,
                    pool=row.round,
                    models=models,
                )


def _rows(collection: Collection) -> Generator[_FireRow, None, None]:
    statement = _LABELS.format(collection=collection.pk).as_string(None)
    with without_timeout(), connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in copy.rows():
            query_id, document_id, annotator, round_name = row[:4]
            yield _FireRow(query_id, document_id, annotator, round_name, *map(int, row[4:]))


def _models(block: list[_FireRow], runs: dict[int, list[_BroughtPairs]]) -> list[list[str]]:
    """The aliases of the runs that brought each label's pair to its pool."""
    models: list[list[str]] = [[] for _ in block]
    documents = np.array([row.document for row in block], dtype=np.int64)
    codes = np.array([row.query for row in block], dtype=np.int64) * WIDTH + documents
    rounds = np.array([row.round_key for row in block])
    for round_key in set(rounds.tolist()) & runs.keys():
        positions = np.flatnonzero(rounds == round_key)
        for run in runs[round_key]:
            for position in positions[is_among(codes[positions], run.codes)]:
                models[position].append(run.alias)
    return models


def _pooled_runs(collection: Collection, aliases: dict[int, str]) -> dict[int, list[_BroughtPairs]]:
    """The runs of each pool that tells its runs, by the key of its round."""
    pools = Pool.objects.filter(collection=collection, opened_at__isnull=False)
    pools = pools.select_related("query_set", "round").prefetch_related("runs")
    left_out = left_out_keys(collection=collection)
    originals = originals_of(collection=collection)
    runs = {}
    for pool in pools.order_by("pk"):
        pool_runs = sorted(pool.runs.all(), key=lambda run: aliases.get(run.pk, ""))
        if all(run.pk in aliases for run in pool_runs):
            pairs = copied_columns(_POOL_PAIRS, ["query", "document"], [pool.pk])
            pool_codes = pairs["query"] * WIDTH + pairs["document"]
            runs[pool.own_round().pk] = [
                _BroughtPairs(
                    aliases[run.pk],
                    common(pool_codes, top_codes(run, pool, left_out, originals)),
                )
                for run in pool_runs
            ]
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


def common(numbers: NDArray[np.int64], members: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers that are among the members."""
    return numbers[is_among(numbers, members)]


def _texts(collection: Collection) -> dict[int, str]:
    return {item.pk: item.text for item in exported_items(collection=collection, side=Side.QUERY)}


def _hashes(collection: Collection) -> dict[int, str]:
    """The SHA-256 of the first medium of each document that has one."""
    parts = Part.objects.filter(
        item__collection=collection, item__side=Side.DOCUMENT, checksum__startswith="sha256:"
    )
    checksums = parts.order_by("-position").values_list("item", "checksum")
    return {item: str(checksum).removeprefix("sha256:") for item, checksum in checksums}
