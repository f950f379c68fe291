"""Further sources and types of addresses that a later file gives to loaded media."""

import json
from collections.abc import Mapping

from django.db import connection

from annotate.core.files.items.item_rows import ItemRow, PartRow
from annotate.core.labels.cards import MediaSource
from annotate.models import User
from annotate.services.judging import unplayable_pairs

_ADD = """
    UPDATE annotate_part SET type = source.type, also = source.also::jsonb, looked_at = NULL
    FROM unnest(%(items)s::bigint[], %(positions)s::int[], %(types)s::text[], %(also)s::text[])
         AS source(item, position, type, also)
    WHERE annotate_part.item_id = source.item AND annotate_part.position = source.position
"""
Content = tuple[object, ...]
Sources = tuple[tuple[MediaSource, ...], ...]  # of each part of an item


def differ_in_sources(content: Content, other: Content) -> bool:
    """True if a content is like the other but for naming further sources."""
    (*content_fields, parts), (*other_fields, other_parts) = content, other
    if content_fields != other_fields or len(parts) != len(other_parts) or parts == other_parts:  # type: ignore[arg-type]  # tuples
        return False
    return all(
        part[:-1] == other_part[:-1] and part[-1][: len(other_part[-1])] == other_part[-1]
        for part, other_part in zip(parts, other_parts, strict=True)  # type: ignore[call-overload]  # tuples, as above
    )


def sources_of(row: ItemRow) -> Sources:
    """Return the sources of a row's parts."""
    return tuple((MediaSource(part.path, part.type), *part.also) for part in row.parts)


def with_stored(row: ItemRow, stored_sources: Sources) -> ItemRow:
    """Return the row with the sources of both; a source has the row's type, else the stored one.

    stored_sources : of an item whose content is the row's but for further sources of one of both
    """
    return row._replace(parts=tuple(map(_merged, row.parts, stored_sources)))


def _merged(part: PartRow, stored_sources: tuple[MediaSource, ...]) -> PartRow:
    new_sources = (MediaSource(part.path, part.type), *part.also)
    both = [
        MediaSource(source.path, source.type or stored_source.type)
        for source, stored_source in zip(new_sources, stored_sources, strict=False)
    ]
    sources = (*both, *new_sources[len(both) :], *stored_sources[len(both) :])
    return part._replace(type=sources[0].type, also=sources[1:])


def add_sources(rows: Mapping[int, ItemRow], *, by: User | None) -> None:
    """Write the sources of rows to the items of these keys.

    Pairs of theirs that were passed on come again to the annotators who passed them on.
    """
    if rows:
        write_sources(rows)
        unplayable_pairs.bring_back(items=rows.keys(), by=by)


def write_sources(rows: Mapping[int, ItemRow]) -> None:
    """Write the sources and types of rows to the items of these keys, to be inspected again."""
    rows_to_write = [
        (key, position, part.type, json.dumps([source._asdict() for source in part.also]))
        for key, row in rows.items()
        for position, part in enumerate(row.parts)
    ]
    if rows_to_write:
        items, positions, types, also = map(list, zip(*rows_to_write, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(
                _ADD, {"items": items, "positions": positions, "types": types, "also": also}
            )
