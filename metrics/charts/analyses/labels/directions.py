"""Views, extents and notes of two directions beside one another."""

from collections.abc import Sequence

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import Spec


def in_directions(views: Sequence[Spec | None], titles: Sequence[str]) -> Spec | None:
    """The view of one direction, or those of two, one below the other with its title.

    A direction with nothing to draw is left out; None where neither has anything. The views have
    no axis at a side: their names stand within.
    """
    titled_views = [
        (title, view) for title, view in zip(titles, views, strict=True) if view is not None
    ]
    if not titled_views:
        return None
    if len(views) == 1:
        return titled_views[0][1]
    titled = [
        {"title": {"text": title, "fontWeight": 500, "offset": 12}, "width": "@bare", **view}
        for title, view in titled_views
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
