"""The navigation bar of a collection: the links for each role."""

from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from annotate import access
from annotate.models import Collection, Role
from annotate.services.review import inbox
from metrics.services.numbers.alarms import raising_events

EVERYBODY = frozenset(Role)
LEADERS = frozenset({Role.LEAD, Role.RESEARCHER})
# Label, URL name, roles that see it; the collection's name links to the first one.
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


class NavigationLink(NamedTuple):
    """One link of the bar."""

    label: str
    url: str
    is_current: bool
    n_waiting: int = 0  # number of waiting things there, and their name
    waiting_label: str = ""


def navigation(request: HttpRequest) -> "dict[str, SimpleLazyObject[list[NavigationLink]]]":
    """Context processor: `nav`, the links of the present collection that the user may open.

    It is lazy: the judge screen, which many open at once, has a bar of its own and does not use it.
    """
    return {"nav": SimpleLazyObject(lambda: _pages(request))}


def _pages(request: HttpRequest) -> list[NavigationLink]:
    match = getattr(request, "resolver_match", None)
    slug = match.kwargs.get("slug") if match else None
    if slug is None or not request.user.is_authenticated:
        return []
    collection = access.collections_of(user=request.user).filter(slug=slug).first()
    return navigation_links(request, collection) if collection else []


def navigation_links(request: HttpRequest, collection: Collection) -> list[NavigationLink]:
    """The links of a collection for the user; the open page, or the one above it, is current."""
    roles = access.roles_in(user=request.user, collection=collection)
    home = reverse(PAGES[0][1], args=[collection.slug])
    # number and name of the things that wait for a lead, by URL name
    waiting_counts: dict[str, tuple[int, str]] = {}
    if Role.LEAD in roles:
        n_alarms = len(raising_events(collection=collection))
        waiting_counts = {
            "metrics:dashboard": (n_alarms, "alarm up" if n_alarms == 1 else "alarms up"),
            "annotate:inbox": (inbox.count(collection=collection).n, "waiting"),
        }
    links = []
    for label, name, viewers in PAGES:
        if roles & viewers:
            url = reverse(name, args=[collection.slug])
            is_open = request.path == url or (url != home and request.path.startswith(url))
            links.append(NavigationLink(label, url, is_open, *waiting_counts.get(name, ())))
    return links
