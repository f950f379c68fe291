"""Looking into clips and recordings: what their files are, once each, and what the lead is told of it.

What is uploaded or lies in a folder is looked into when its items are loaded. A worker looks into what was here before
that was done, and into files in a bucket, of which only the heads are fetched. An address that somebody wrote into a
file is never asked: its type is what the file said.
"""

import io
import json
import logging
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from django.db import connection, transaction

from annotate.core import playing
from annotate.core.cards import MediaSource
from annotate.core.containers.look import look_into
from annotate.core.item_rows import is_address
from annotate.core.ranged_files import BLOCK, RangedFile, Unreachable
from annotate.models import Collection, Part
from annotate.services.jobs import Tell, tell_nobody
from annotate.services.media import locate

log = logging.getLogger(__name__)

CHUNK = 1_000
_STORE = """
    UPDATE annotate_part SET type = seen.type, also = seen.also::jsonb, looked_at = clock_timestamp()
    FROM unnest(%(parts)s::bigint[], %(types)s::text[], %(also)s::text[]) AS seen(part, type, also)
    WHERE annotate_part.id = seen.part
"""
_TYPES = """
    SELECT part.kind, part.type, ARRAY(SELECT source->>'type' FROM jsonb_array_elements(part.also) WITH ORDINALITY
                                       AS listed(source, place) ORDER BY place), count(*)
    FROM annotate_part part JOIN annotate_item item ON item.id = part.item_id
    WHERE item.collection_id = %(collection)s AND part.kind IN ('video', 'audio') GROUP BY 1, 2, 3
"""


class _PartTypes(NamedTuple):
    """A part and the types of its sources, in their order."""

    part: Part
    types: list[str]


class _FileTypes:
    """The types of a collection's files; a file of several parts is looked into once."""

    def __init__(self, collection: Collection, *, in_buckets: bool) -> None:
        self.collection = collection
        self.in_buckets = in_buckets
        self._known: dict[tuple[str, str], str | None] = {}

    def of(self, part: Part) -> _PartTypes | None:
        """The types of a part; None where one of its files is in a bucket and left for later. Raises Unreachable."""
        types = [self._type(part.kind, source) for source in part.sources]
        return None if None in types else _PartTypes(part, cast(list[str], types))

    def _type(self, kind: str, source: MediaSource) -> str | None:
        if is_address(source.path):
            return source.type
        if (kind, source.path) not in self._known:
            self._known[kind, source.path] = self._look(kind, source.path)
        return self._known[kind, source.path]

    def _look(self, kind: str, path: str) -> str | None:
        where = locate(collection=self.collection, path=path)
        if isinstance(where, str) and not self.in_buckets:
            return None
        try:
            with _opened(where) as stream:
                return look_into(stream, kind)
        except OSError as error:
            log.info("%s of %s cannot be looked into: %s", path, self.collection, error)
            return ""


def _opened(where: Path | str | None) -> AbstractContextManager[BinaryIO]:
    if where is None:
        return io.BytesIO()
    if isinstance(where, Path):
        return where.open("rb")
    return cast(BinaryIO, io.BufferedReader(RangedFile(where), BLOCK))


def look_into_files(*, collection: Collection, in_buckets: bool = False, tell: Tell = tell_nobody) -> int:
    """Look into the clips and recordings of a collection that nobody has looked into; how many these were.

    in_buckets : whether files in a bucket are looked into as well, which takes a moment each; else they wait
    Each thousand is kept as soon as it is done, and what another worker is at is left to it.
    Raises Unreachable where a bucket does not answer.
    """
    types = _FileTypes(collection, in_buckets=in_buckets)
    n_seen, after = 0, 0
    parts = Part.objects.not_looked_into().filter(item__collection=collection).order_by("pk")
    while True:
        with transaction.atomic():
            chunk = list(parts.filter(pk__gt=after).select_for_update(of=("self",), skip_locked=True)[:CHUNK])
            if not chunk:
                return n_seen
            n_seen += _keep([seen for part in chunk if (seen := types.of(part))])
        after = chunk[-1].pk
        tell(n_seen, None, "clips and recordings")


def _keep(seen: list[_PartTypes]) -> int:
    """Store what was seen of parts; how many they are."""
    also = [
        json.dumps([{**source, "type": mime} for source, mime in zip(each.part.also, each.types[1:], strict=True)])
        for each in seen
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE,
            {"parts": [each.part.pk for each in seen], "types": [each.types[0] for each in seen], "also": also},
        )
    return len(seen)


def look_into_rest(*, collection: Collection) -> int:
    """Look into what was left when items were loaded; how many parts. A bucket that is away is asked again later."""
    try:
        return look_into_files(collection=collection, in_buckets=True)
    except Unreachable as error:
        log.warning("The bucket with the media of %s does not answer: %s", collection, error)
        return 0


def overdue() -> list[int]:
    """Collections with clips or recordings that nobody has looked into."""
    return list(Part.objects.not_looked_into().order_by().values_list("item__collection", flat=True).distinct())


def doubts(*, collection: Collection) -> list[str]:
    """In sentences, which clips and recordings of a collection do not play in which browsers; one query."""
    with connection.cursor() as cursor:
        cursor.execute(_TYPES, {"collection": collection.pk})
        parts = [(kind, (mime, *also), n) for kind, mime, also, n in cursor.fetchall()]
    return [str(doubt) for doubt in playing.doubts(parts)]
