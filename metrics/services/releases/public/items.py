"""The contents of items as a release holds them: texts and media by its own switches."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from annotate.core.files.items.item_rows import media_host
from metrics.core.releases.reading.sorted_lines import SortedLines
from metrics.services.releases.public.folder import PublicFolder

FILES = ("beir/queries.jsonl", "beir/corpus.jsonl")


class ReleasedMedium(NamedTuple):
    """A medium of an item: its kind, its name or address, and the address if it is one."""

    kind: str
    name: str
    address: str


class ReleasedItem(NamedTuple):
    """An item by its id, with what the release has of it."""

    external_id: str
    text: str
    media: list[ReleasedMedium]


def released_items(
    *, folder: PublicFolder, side: str, external_ids: Iterable[str]
) -> dict[str, ReleasedItem]:
    """Items of a side by their ids; those of which the release has nothing have their id alone.

    Texts and media are in its BEIR folder, which has the items of the first query set, of one
    of queries where there is any.
    """
    items = {name: ReleasedItem(name, "", []) for name in external_ids}
    if not (folder.release.texts_leave or folder.release.media_leave):
        return items
    is_forward = any(row.direction == "forward" for row in folder.manifest.query_sets)
    path = FILES[(side == "document") == is_forward]
    if path not in folder.files:
        return items
    with folder.open(path) as stream:
        lines = SortedLines(stream, folder.files[path].n_bytes)
        for name in items:
            if row := lines.find(name):
                items[name] = ReleasedItem(name, str(row.get("text") or ""), _media(row))
    return items


def _media(row: dict[str, Any]) -> list[ReleasedMedium]:
    media = (row.get("metadata") or {}).get("media") or []
    return [
        ReleasedMedium(medium["kind"], name, name if media_host(name) else "")
        for medium in media
        for name in (medium["path"], *(medium.get("also") or []))
    ]
