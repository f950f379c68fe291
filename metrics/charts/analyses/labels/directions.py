"""Views, extents and notes of two directions beside one another."""

from collections.abc import Sequence

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import Spec


def in_directions(views: Sequence[Spec], titles: Sequence[str]) -> Spec:
    """The view of one direction, or those of two, one below the other with its title."""
    if len(views) == 1:
        return views[0]
    titled = [
        {"title": {"text": title, "fontWeight": 500, "offset": 12}, "width": "@whole", **view}
        for title, view in zip(titles, views, strict=True)
    ]
    return {"vconcat": titled, "spacing": 28}


def joined_nouns(nouns: Sequence[Nouns], notes: Sequence[str]) -> Nouns:
    """The nouns of all directions; each note once, before those that are of no direction."""
    of_directions = [note for row in nouns for note in row.notes]
    return Nouns(
        queries=nouns[0].queries if len(nouns) == 1 else "queries",
        extent=" and ".join(row.extent for row in nouns),
        notes=list(dict.fromkeys([*of_directions, *notes])),
    )
