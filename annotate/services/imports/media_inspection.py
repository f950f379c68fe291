"""Inspection of clips and recordings: the types of their files, and doubts about them for the lead.

Uploaded files and those in a folder are inspected when their items are loaded. A worker inspects
files that were here before that was done, and files in a bucket (see media_inspection_turns). An
address that somebody wrote into a file is never fetched: its type is what the file says.
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

from annotate.core.files.archives.ranged_files import BLOCK, RangedFile, UnreachableFile
from annotate.core.files.items.item_rows import is_address
from annotate.core.labels.cards import MediaSource
from annotate.core.media import media_doubts
from annotate.core.media.containers.detection import detect_mime_type
from annotate.core.media.media_doubts import TypedParts
from annotate.models import Collection, Part
from annotate.services.background import progress
from annotate.services.collection.media import locate_medium

log = logging.getLogger(__name__)

CHUNK = 1_000
# A part that a load gave other sources or types during its inspection waits for another one.
_STORE = """
    UPDATE annotate_part
    SET type = inspected.type, also = inspected.also::jsonb, looked_at = clock_timestamp()
    FROM unnest(%(parts)s::bigint[], %(types)s::text[], %(also)s::text[],
                %(types_then)s::text[], %(also_then)s::text[])
         AS inspected(part, type, also, type_then, also_then)
    WHERE annotate_part.id = inspected.part AND annotate_part.looked_at IS NULL
      AND annotate_part.type = inspected.type_then
      AND annotate_part.also = inspected.also_then::jsonb
"""
# NULL for a file that was inspected and has no type, since it could not be read; else its type.
_TYPE = (
    "CASE WHEN part.looked_at IS NULL OR {type} <> '' OR position('://' in {path}) > 0 "
    "THEN {type} END"
)
_TYPES = f"""
    SELECT kind, type, also, n, ARRAY(
        SELECT item.external_id
        FROM (SELECT id FROM unnest(items) AS all_items(id)
              ORDER BY id LIMIT {media_doubts.NAMED}) first_items
        JOIN annotate_item item USING (id) ORDER BY id)
    FROM (
        SELECT part.kind, {_TYPE.format(type="part.type", path="part.path")} AS type,
               ARRAY(SELECT {_TYPE.format(type="(source->>'type')", path="(source->>'path')")}
                     FROM jsonb_array_elements(part.also) WITH ORDINALITY
                       AS listed(source, position) ORDER BY position) AS also,
               count(*) AS n, array_agg(item.id) AS items, min(item.id) AS first
        FROM annotate_part part JOIN annotate_item item ON item.id = part.item_id
        WHERE item.collection_id = %(collection)s AND part.kind IN ('video', 'audio')
        GROUP BY 1, 2, 3) grouped
    ORDER BY first
"""  # noqa: S608 - own text


class PartTypes(NamedTuple):
    """A part and the types of its sources, in their order."""

    part: Part
    types: list[str]


class FileTypes:
    """The types of a collection's files; a file of several parts is inspected once.

    in_buckets : whether files in a bucket are inspected as well, which takes a moment each
    n_unanswered : number of files in a row that the bucket did not give
    """

    def __init__(self, collection: Collection, *, in_buckets: bool) -> None:
        self.collection = collection
        self.in_buckets = in_buckets
        self.n_unanswered = 0
        self._types_by_file: dict[tuple[str, str], str | None] = {}

    def of(self, part: Part) -> PartTypes | None:
        """Return the types of a part; None if one of its files, in a bucket, is left for later."""
        types = [self._type(part.kind, source) for source in part.sources]
        return None if None in types else PartTypes(part, cast(list[str], types))

    def _type(self, kind: str, source: MediaSource) -> str | None:
        if is_address(source.path):
            return source.type
        if (kind, source.path) not in self._types_by_file:
            self._types_by_file[kind, source.path] = self._look(kind, source.path)
        return self._types_by_file[kind, source.path]

    def _look(self, kind: str, path: str) -> str | None:
        location = locate_medium(collection=self.collection, path=path)
        if isinstance(location, str) and not self.in_buckets:
            return None
        mime = ""
        try:
            with _opened(location) as stream:
                mime = detect_mime_type(stream, kind)
        except UnreachableFile as error:
            log.warning(
                "The bucket with the media of %s does not give %s: %s", self.collection, path, error
            )
            self.n_unanswered += 1
            return None
        except OSError as error:
            log.info("%s of %s cannot be looked into: %s", path, self.collection, error)
        if isinstance(location, str):
            self.n_unanswered = 0
        return mime


def _opened(location: Path | str | None) -> AbstractContextManager[BinaryIO]:
    if location is None:
        return io.BytesIO()
    if isinstance(location, Path):
        return location.open("rb")
    return cast(BinaryIO, io.BufferedReader(RangedFile(location, progress.clock), BLOCK))


def uninspected(*, collection: Collection, after: int = 0, n: int = CHUNK) -> QuerySet[Part]:
    """Return the next n uninspected clips and recordings, after the part of this key."""
    return (
        Part.objects.not_inspected()
        .filter(item__collection=collection, pk__gt=after)
        .order_by("pk")[:n]
    )


def look_into_files(
    *, collection: Collection, report: progress.ProgressCallback = progress.ignore_progress
) -> int:
    """Inspect the uninspected clips and recordings, except in buckets; returns their number."""
    types = FileTypes(collection, in_buckets=False)
    n_stored, last_pk = 0, 0
    while chunk := list(uninspected(collection=collection, after=last_pk)):
        n_stored += store_types([part_types for part in chunk if (part_types := types.of(part))])
        last_pk = chunk[-1].pk
        report(n_stored, None, "clips and recordings")
    return n_stored


def store_types(part_types: Sequence[PartTypes]) -> int:
    """Store the types of parts; returns their number."""
    also = [
        [{**source, "type": mime} for source, mime in zip(part.also, mimes[1:], strict=True)]
        for part, mimes in part_types
    ]
    if part_types:
        with connection.cursor() as cursor:
            cursor.execute(
                _STORE,
                {
                    "parts": [part.pk for part, _ in part_types],
                    "types": [mimes[0] for _, mimes in part_types],
                    "also": [json.dumps(sources) for sources in also],
                    "types_then": [part.type for part, _ in part_types],
                    "also_then": [json.dumps(part.also) for part, _ in part_types],
                },
            )
    return len(part_types)


def doubts(*, collection: Collection) -> list[str]:
    """Return sentences on media that cannot be read, or played by some browsers; one query."""
    with connection.cursor() as cursor:
        cursor.execute(_TYPES, {"collection": collection.pk})
        parts = [
            TypedParts(kind, (mime, *also), n, tuple(ids))
            for kind, mime, also, n, ids in cursor.fetchall()
        ]
    return [str(doubt) for doubt in media_doubts.doubts(parts)]
