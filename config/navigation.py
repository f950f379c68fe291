"""The way around a collection: what each role finds in the bar."""

from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from annotate import access
from annotate.models import Collection, Role
from annotate.services import inbox
from metrics.services.alarms import raised

EVERYBODY = frozenset(Role)
LEADERS = frozenset({Role.LEAD, Role.RESEARCHER})
# Label, the name of its address, who finds it; the first one is where the collection's name leads.
PAGES = [
    ("Overview", "annotate:collection", EVERYBODY),
    ("Judge", "annotate:judge", frozenset({Role.ANNOTATOR})),
    ("Dashboard", "metrics:dashboard", LEADERS),
    ("Leaderboard", "metrics:leaderboard", LEADERS),
    ("Explorer", "metrics:explorer", LEADERS),
    ("Runs", "pooling:runs", LEADERS),
    ("Pools", "pooling:pools", LEADERS),
    ("Downloads", "metrics:downloads", LEADERS),
    ("Inbox", "annotate:inbox", frozenset({Role.LEAD})),
    ("Members", "annotate:members", frozenset({Role.LEAD})),
    ("Settings", "annotate:settings", frozenset({Role.LEAD})),
]


class Entry(NamedTuple):
    """One link of the bar."""

    label: str
    url: str
    current: bool
    n: int = 0  # what waits there, and what that is
    what: str = ""


def navigation(request: HttpRequest) -> dict[str, list[Entry]]:
    """Context processor: `nav`, the pages of the present collection that this person may open.

    Looked up by pages that show it alone: the judge screen, opened by many at once, has a bar of its own.
    """
    return {"nav": SimpleLazyObject(lambda: _pages(request))}


def _pages(request: HttpRequest) -> list[Entry]:
    match = getattr(request, "resolver_match", None)
    slug = match.kwargs.get("slug") if match else None
    if slug is None or not request.user.is_authenticated:
        return []
    collection = access.collections_of(user=request.user).filter(slug=slug).first()
    return entries(request, collection) if collection else []


def entries(request: HttpRequest, collection: Collection) -> list[Entry]:
    """The pages of a collection for who asks; the one that is open, or stands above it, is current."""
    roles = access.roles_in(user=request.user, collection=collection)
    home = reverse(PAGES[0][1], args=[collection.slug])
    waiting = _waiting(collection) if Role.LEAD in roles else {}
    found = []
    for label, name, whose in PAGES:
        if roles & whose:
            url = reverse(name, args=[collection.slug])
            open_ = request.path == url or (url != home and request.path.startswith(url))
            found.append(Entry(label, url, open_, *waiting.get(name, ())))
    return found


def _waiting(collection: Collection) -> dict[str, tuple[int, str]]:
    """What waits for a lead behind which link."""
    n_up = len(raised(collection=collection))
    return {
        "metrics:dashboard": (n_up, "alarm up" if n_up == 1 else "alarms up"),
        "annotate:inbox": (inbox.count(collection=collection).n, "waiting"),
    }
