"""The way around a collection: what each role finds in the bar."""

from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse

from annotate import access
from annotate.models import Collection, Role

EVERYBODY = frozenset(Role)
LEADERS = frozenset({Role.LEAD, Role.RESEARCHER})
# Label, the name of its address, who finds it; the first one is where the collection's name leads.
PAGES = [
    ("Overview", "annotate:collection", EVERYBODY),
    ("Judge", "annotate:judge", frozenset({Role.ANNOTATOR})),
    ("Dashboard", "metrics:dashboard", LEADERS),
    ("Leaderboard", "metrics:leaderboard", LEADERS),
    ("Runs", "pooling:runs", LEADERS),
    ("Pools", "pooling:pools", LEADERS),
    ("Downloads", "metrics:downloads", LEADERS),
    ("Reports", "annotate:reports", frozenset({Role.LEAD})),
    ("Members", "annotate:members", frozenset({Role.LEAD})),
    ("Settings", "annotate:settings", frozenset({Role.LEAD})),
]


class Entry(NamedTuple):
    """One link of the bar."""

    label: str
    url: str
    current: bool


def navigation(request: HttpRequest) -> dict[str, list[Entry]]:
    """Context processor: `nav`, the pages of the present collection that this person may open."""
    match = getattr(request, "resolver_match", None)
    slug = match.kwargs.get("slug") if match else None
    if slug is None or not request.user.is_authenticated:
        return {"nav": []}
    collection = access.collections_of(user=request.user).filter(slug=slug).first()
    return {"nav": entries(request, collection) if collection else []}


def entries(request: HttpRequest, collection: Collection) -> list[Entry]:
    """The pages of a collection for who asks; the one that is open, or stands above it, is current."""
    roles = access.roles_in(user=request.user, collection=collection)
    home = reverse(PAGES[0][1], args=[collection.slug])
    found = []
    for label, name, whose in PAGES:
        if roles & whose:
            url = reverse(name, args=[collection.slug])
            open_ = request.path == url or (url != home and request.path.startswith(url))
            found.append(Entry(label, url, open_))
    return found

