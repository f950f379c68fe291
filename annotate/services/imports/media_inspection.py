"""Inspection of clips and recordings: types and lengths of their files, and doubts for the lead.

Uploaded files and those in a folder are inspected when their items are loaded. A worker inspects
files that were here before that was done, and files in a bucket, and it computes the checksums of
all media (see media_inspection_turns): a load does not wait for every byte of them.
"""

import json
from collections.abc import Sequence

from django.db import connection

from annotate.core.media import media_doubts
from annotate.core.media.media_doubts import TypedParts
from annotate.models import Collection, Part
from annotate.services.background import progress
from annotate.services.imports.media_files import MediaFiles, PartReading

CHUNK = 1_000
# A part that a load gave other sources or types during its inspection waits for another one.
_STORE_TYPES = """
    UPDATE annotate_part
    SET type = inspected.type, also = inspected.also::jsonb, seconds = inspected.seconds,
        looked_at = clock_timestamp()
    FROM unnest(%(parts)s::bigint[], %(types)s::text[], %(also)s::text[],
                %(seconds)s::double precision[], %(types_then)s::text[], %(also_then)s::text[])
         AS inspected(part, type, also, seconds, type_then, also_then)
    WHERE annotate_part.id = inspected.part AND annotate_part.looked_at IS NULL
      AND annotate_part.type = inspected.type_then
      AND annotate_part.also = inspected.also_then::jsonb
"""
# A part that a load has locked is left for the next turn: each would wait for the other.
_STORE_CHECKSUMS = """
    UPDATE annotate_part SET checksum = file.checksum
    FROM (SELECT part.id, read.checksum
          FROM unnest(%(parts)s::bigint[], %(paths)s::text[], %(checksums)s::text[])
               AS read(part, path, checksum)
          JOIN annotate_part part ON part.id = read.part AND part.path = read.path
          WHERE part.checksum IS NULL
          FOR NO KEY UPDATE OF part SKIP LOCKED) file
    WHERE annotate_part.id = file.id
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


def look_into_files(
    *, collection: Collection, report: progress.ProgressCallback = progress.ignore_progress
) -> int:
    """Inspect the uninspected clips and recordings, except in buckets; returns their number."""
    files = MediaFiles(collection, in_buckets=False)
    parts = Part.objects.not_inspected().filter(item__collection=collection).order_by("pk")
    n_stored, last_pk = 0, 0
    while chunk := list(parts.filter(pk__gt=last_pk)[:CHUNK]):
        readings = (files.read(part, with_checksum=False) for part in chunk)
        n_stored += store([reading for reading in readings if reading])
        last_pk = chunk[-1].pk
        report(n_stored, None, "clips and recordings")
    return n_stored


def store(readings: Sequence[PartReading]) -> int:
    """Store the types, lengths and checksums of parts; returns the number of readings."""
    with connection.cursor() as cursor:
        if inspections := [reading for reading in readings if reading.media]:
            cursor.execute(_STORE_TYPES, _parameters_of_types(inspections))
        if checksums := [reading for reading in readings if reading.checksum is not None]:
            cursor.execute(
                _STORE_CHECKSUMS,
                {
                    "parts": [reading.part.pk for reading in checksums],
                    "paths": [reading.part.path for reading in checksums],
                    "checksums": [reading.checksum for reading in checksums],
                },
            )
    return len(readings)


def _parameters_of_types(readings: Sequence[PartReading]) -> dict[str, list[object]]:
    also = [
        [
            {**source, "type": medium.type}
            for source, medium in zip(part.also, media[1:], strict=True)
        ]
        for part, media, _ in readings
    ]
    return {
        "parts": [part.pk for part, _, _ in readings],
        "types": [media[0].type for _, media, _ in readings],
        "also": [json.dumps(sources) for sources in also],
        "seconds": [reading.seconds for reading in readings],
        "types_then": [part.type for part, _, _ in readings],
        "also_then": [json.dumps(part.also) for part, _, _ in readings],
    }


def doubts(*, collection: Collection) -> list[str]:
    """Return sentences on media that cannot be read, or played by some browsers; one query."""
    with connection.cursor() as cursor:
        cursor.execute(_TYPES, {"collection": collection.pk})
        parts = [
            TypedParts(kind, (mime, *also), n, tuple(ids))
            for kind, mime, also, n, ids in cursor.fetchall()
        ]
    return [str(doubt) for doubt in media_doubts.doubts(parts)]
