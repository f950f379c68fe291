"""Further sources of clips and recordings that are there already, as a later file of items names them."""

import json
from collections.abc import Mapping

from django.db import connection

from annotate.core.item_rows import ItemRow, PartRow
from annotate.models import User
from annotate.services import passed_on

_ADD = """
    UPDATE annotate_part SET also = named.also::jsonb, looked_at = NULL
    FROM unnest(%(items)s::bigint[], %(positions)s::int[], %(also)s::text[]) AS named(item, position, also)
    WHERE annotate_part.item_id = named.item AND annotate_part.position = named.position
"""
Content = tuple[object, ...]


def differ_in_sources(one: Content, other: Content) -> bool:
    """Whether of two contents, unlike otherwise in nothing, this one names what the other one does and more."""
    (*about_one, parts), (*about_other, others) = one, other
    if about_one != about_other or len(parts) != len(others) or parts == others:  # type: ignore[arg-type]
        return False
    return all(
        part[:-1] == known[:-1] and part[-1][: len(known[-1])] == known[-1]
        for part, known in zip(parts, others, strict=True)  # type: ignore[call-overload]
    )


def add_sources(rows: Mapping[int, ItemRow], *, by: User | None) -> None:
    """Write the sources of these rows to the items of these keys, and let who passed them on meet them again."""
    if not rows:
        return
    named = [(key, position, _stored(part)) for key, row in rows.items() for position, part in enumerate(row.parts)]
    items, positions, also = map(list, zip(*named, strict=True))
    with connection.cursor() as cursor:
        cursor.execute(_ADD, {"items": items, "positions": positions, "also": also})
    passed_on.bring_back(items=rows.keys(), by=by)


def _stored(part: PartRow) -> str:
    return json.dumps([source._asdict() for source in part.also])
