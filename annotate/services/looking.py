"""Looking into clips and recordings: what their files are, once each, and what the lead is told of it.

What is uploaded or lies in a folder is looked into when its items are loaded. A worker looks into what was here before
that was done, and into files in a bucket (see looking_later). An address that somebody wrote into a file is never
asked: its type is what the file said.
"""

import io
import json
import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from django.db import connection
from django.db.models import QuerySet

from annotate.core import media_doubts
from annotate.core.cards import MediaSource
from annotate.core.containers.look import look_into
from annotate.core.item_rows import is_address
from annotate.core.media_doubts import TypedParts
from annotate.core.ranged_files import BLOCK, RangedFile, Unreachable
from annotate.models import Collection, Part
from annotate.services.background import progress
from annotate.services.media import locate

log = logging.getLogger(__name__)

CHUNK = 1_000
# A load may have given a part other sources or types while its files were looked into: then it waits for another look.
_STORE = """
    UPDATE annotate_part SET type = seen.type, also = seen.also::jsonb, looked_at = clock_timestamp()
    FROM unnest(%(parts)s::bigint[], %(types)s::text[], %(also)s::text[], %(types_then)s::text[], %(also_then)s::text[])
         AS seen(part, type, also, type_then, also_then)
    WHERE annotate_part.id = seen.part AND annotate_part.looked_at IS NULL
      AND annotate_part.type = seen.type_then AND annotate_part.also = seen.also_then::jsonb
"""
# Of a file that was looked into and has no type NULL, since it could not be read; of any other its type.
_TYPE = """CASE WHEN part.looked_at IS NULL OR {type} <> '' OR position('://' in {path}) > 0 THEN {type} END"""
_TYPES = f"""
    SELECT kind, type, also, n, ARRAY(
        SELECT item.external_id
        FROM (SELECT id FROM unnest(items) AS all_of_them(id) ORDER BY id LIMIT {media_doubts.NAMED}) first_of_them
        JOIN annotate_item item USING (id) ORDER BY id)
    FROM (
        SELECT part.kind, {_TYPE.format(type="part.type", path="part.path")} AS type,
               ARRAY(SELECT {_TYPE.format(type="(source->>'type')", path="(source->>'path')")}
                     FROM jsonb_array_elements(part.also) WITH ORDINALITY
                       AS listed(source, place) ORDER BY place) AS also,
               count(*) AS n, array_agg(item.id) AS items, min(item.id) AS first
        FROM annotate_part part JOIN annotate_item item ON item.id = part.item_id
        WHERE item.collection_id = %(collection)s AND part.kind IN ('video', 'audio') GROUP BY 1, 2, 3) grouped
    ORDER BY first
"""  # noqa: S608 - own text


class PartTypes(NamedTuple):
    """A part and the types of its sources, in their order."""

    part: Part
    types: list[str]


class FileTypes:
    """The types of a collection's files; a file of several parts is looked into once.

    in_buckets : whether files in a bucket are looked into as well, which takes a moment each; else they are left
    n_unanswered : files of a bucket, one after another, that it did not give
    """

    def __init__(self, collection: Collection, *, in_buckets: bool) -> None:
        self.collection = collection
        self.in_buckets = in_buckets
        self.n_unanswered = 0
        self._known: dict[tuple[str, str], str | None] = {}

    def of(self, part: Part) -> PartTypes | None:
        """The types of a part; None where one of its files is in a bucket and left for later."""
        types = [self._type(part.kind, source) for source in part.sources]
        return None if None in types else PartTypes(part, cast(list[str], types))

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
        mime = ""
        try:
            with _opened(where) as stream:
                mime = look_into(stream, kind)
        except Unreachable as error:
            log.warning("The bucket with the media of %s does not give %s: %s", self.collection, path, error)
            self.n_unanswered += 1
            return None
        except OSError as error:
            log.info("%s of %s cannot be looked into: %s", path, self.collection, error)
        if isinstance(where, str):
            self.n_unanswered = 0
        return mime


def _opened(where: Path | str | None) -> AbstractContextManager[BinaryIO]:
    if where is None:
        return io.BytesIO()
    if isinstance(where, Path):
        return where.open("rb")
    return cast(BinaryIO, io.BufferedReader(RangedFile(where, progress.clock), BLOCK))


def waiting(*, collection: Collection, after: int = 0, n: int = CHUNK) -> QuerySet[Part]:
    """The next n clips and recordings of a collection that nobody has looked into, behind the part of this key."""
    return Part.objects.not_looked_into().filter(item__collection=collection, pk__gt=after).order_by("pk")[:n]


def look_into_files(*, collection: Collection, tell: progress.Tell = progress.tell_nobody) -> int:
    """Look into the clips and recordings that nobody has looked into but for those in buckets; how many these were."""
    types = FileTypes(collection, in_buckets=False)
    n_seen, after = 0, 0
    while chunk := list(waiting(collection=collection, after=after)):
        n_seen += store([seen for part in chunk if (seen := types.of(part))])
        after = chunk[-1].pk
        tell(n_seen, None, "clips and recordings")
    return n_seen


def store(looked: Sequence[PartTypes]) -> int:
    """Write down what was seen of parts; how many they are."""
    also = [
        [{**source, "type": mime} for source, mime in zip(part.also, types[1:], strict=True)] for part, types in looked
    ]
    if looked:
        with connection.cursor() as cursor:
            cursor.execute(
                _STORE,
                {
                    "parts": [part.pk for part, _ in looked],
                    "types": [types[0] for _, types in looked],
                    "also": [json.dumps(sources) for sources in also],
                    "types_then": [part.type for part, _ in looked],
                    "also_then": [json.dumps(part.also) for part, _ in looked],
                },
            )
    return len(looked)


def doubts(*, collection: Collection) -> list[str]:
    """In sentences, which clips and recordings could not be read or do not play in which browsers; one query."""
    with connection.cursor() as cursor:
        cursor.execute(_TYPES, {"collection": collection.pk})
        parts = [TypedParts(kind, (mime, *also), n, tuple(ids)) for kind, mime, also, n, ids in cursor.fetchall()]
    return [str(doubt) for doubt in media_doubts.doubts(parts)]
