"""Further sources, and types of addresses, of clips and recordings that are there already, as a later file has them."""

import json
from collections.abc import Mapping

from django.db import connection

from annotate.core.cards import MediaSource
from annotate.core.item_rows import ItemRow, PartRow
from annotate.models import User
from annotate.services import passed_on

_ADD = """
    UPDATE annotate_part SET type = named.type, also = named.also::jsonb, looked_at = NULL
    FROM unnest(%(items)s::bigint[], %(positions)s::int[], %(types)s::text[], %(also)s::text[])
         AS named(item, position, type, also)
    WHERE annotate_part.item_id = named.item AND annotate_part.position = named.position
"""
Content = tuple[object, ...]
Sources = tuple[tuple[MediaSource, ...], ...]  # of each part of an item


def differ_in_sources(one: Content, other: Content) -> bool:
    """Whether of two contents, unlike otherwise in nothing, this one names what the other one does and more."""
    (*about_one, parts), (*about_other, others) = one, other
    if about_one != about_other or len(parts) != len(others) or parts == others:  # type: ignore[arg-type]
        return False
    return all(
        part[:-1] == known[:-1] and part[-1][: len(known[-1])] == known[-1]
        for part, known in zip(parts, others, strict=True)  # type: ignore[call-overload]
    )


def sources_of(row: ItemRow) -> Sources:
    """The sources of a row's parts."""
    return tuple((MediaSource(part.path, part.type), *part.also) for part in row.parts)


def with_stored(row: ItemRow, stored: Sources) -> ItemRow:
    """The row with the sources that one of both has, and of each the type that the row says, else the stored one.

    stored : of an item whose content is the row's but for further sources, which one of both has more of
    """
    return row._replace(parts=tuple(map(_merged, row.parts, stored)))


def _merged(part: PartRow, stored: tuple[MediaSource, ...]) -> PartRow:
    given = (MediaSource(part.path, part.type), *part.also)
    both = [MediaSource(one.path, one.type or other.type) for one, other in zip(given, stored, strict=False)]
    sources = (*both, *given[len(both) :], *stored[len(both) :])
    return part._replace(type=sources[0].type, also=sources[1:])


def add_sources(rows: Mapping[int, ItemRow], *, by: User | None) -> None:
    """Write the sources of these rows to the items of these keys, and let who passed them on meet them again."""
    if rows:
        write_sources(rows)
        passed_on.bring_back(items=rows.keys(), by=by)


def write_sources(rows: Mapping[int, ItemRow]) -> None:
    """Write the sources and types of these rows to the items of these keys; their files are looked into again."""
    named = [
        (key, position, part.type, _stored(part))
        for key, row in rows.items()
        for position, part in enumerate(row.parts)
    ]
    if named:
        items, positions, types, also = map(list, zip(*named, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(_ADD, {"items": items, "positions": positions, "types": types, "also": also})


def _stored(part: PartRow) -> str:
    return json.dumps([source._asdict() for source in part.also])
