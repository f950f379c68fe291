"""The navigation of a collection: its sections in the bar, and a section's pages as tabs."""

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import EVERYBODY, LEADERS
from annotate.models import Collection, Role
from annotate.services.review import inbox
from metrics.services.numbers.alarms import raising_events

LEAD = (Role.LEAD,)


class SectionTab(NamedTuple):
    """A page of a section; whatever lies under its address belongs to it.

    address : name of its URL
    also : further beginnings of paths, after the collection's, that belong to it
    """

    label: str
    address: str
    viewers: tuple[Role, ...]
    also: tuple[str, ...] = ()


# The tabs of each section; a section opens on the first tab that its viewer may open. The judge
# screen shows no tabs, and is last: whoever leads too would not come to the others.
SECTIONS = {
    "Home": (
        SectionTab("Overview", "metrics:collection", EVERYBODY),
        SectionTab("Dashboard", "metrics:dashboard", LEADERS),
        SectionTab("Imports", "annotate:imports", LEADERS),
        SectionTab("Settings", "annotate:settings", LEAD),
    ),
    "Judging": (
        SectionTab("Pools", "pooling:pools", LEADERS, also=("judging/pairs/",)),
        SectionTab("Golds", "annotate:golds", LEAD),
        SectionTab("Training", "annotate:training-setup", LEAD),
        SectionTab("Judge", "annotate:judge", (Role.ANNOTATOR,), also=("training/",)),
    ),
    "People": (SectionTab("Members", "annotate:members", LEAD),),
    "Results": (
        SectionTab("Leaderboard", "metrics:leaderboard", LEADERS),
        SectionTab("Explorer", "metrics:explorer", LEADERS),
        SectionTab(
            "Analysis",
            "metrics:analyses",
            LEADERS,
            also=("results/duplicates/", "results/comments/"),
        ),
        SectionTab("Runs", "pooling:runs", LEADERS),
        SectionTab("Downloads", "metrics:downloads", LEADERS),
        SectionTab("Releases", "metrics:releases", LEADERS),
    ),
    "Inbox": (
        SectionTab("Waiting", "annotate:inbox", LEAD),
        SectionTab("Log", "annotate:review-log", LEAD),
    ),
}


class WaitingCount(NamedTuple):
    """The number of things that wait for a lead somewhere, and their name."""

    n: int = 0
    label: str = ""


class TabLink(NamedTuple):
    """A tab of one collection, as its viewer sees it."""

    label: str
    url: str
    is_current: bool
    is_open: bool  # it is itself the open page, rather than above it
    waiting_count: WaitingCount


class SectionLink(NamedTuple):
    """A section of one collection with the tabs that its viewer may open, at least one."""

    label: str
    tabs: list[TabLink]

    @property
    def url(self) -> str:
        """The page on which the section opens."""
        return self.tabs[0].url

    @property
    def is_current(self) -> bool:
        """True if the open page belongs to the section."""
        return any(tab.is_current for tab in self.tabs)

    @property
    def waiting_count(self) -> WaitingCount:
        """The count of the section's tab that has one; of its tabs one at most does."""
        return next((tab.waiting_count for tab in self.tabs if tab.waiting_count.n), WaitingCount())


def navigation(request: HttpRequest) -> "dict[str, SimpleLazyObject[list[SectionLink]]]":
    """Context processor: `nav`, the sections of the present collection that the user may open.

    It is lazy: the judge screen, which many open at once, has a bar of its own and does not use it.
    """
    return {"nav": SimpleLazyObject(lambda: _sections(request))}


@require_safe
@login_required
def section(request: HttpRequest, slug: str, label: str) -> HttpResponse:
    """Open a section on its first page; Http404 without one that the user may open."""
    collection = access.get_collection(user=request.user, slug=slug)
    tabs = visible_tabs(access.roles_in(user=request.user, collection=collection)).get(label)
    if not tabs:
        raise Http404
    return redirect(tabs[0].address, slug)


def _sections(request: HttpRequest) -> list[SectionLink]:
    match = getattr(request, "resolver_match", None)
    slug = match.kwargs.get("slug") if match else None
    if slug is None or not request.user.is_authenticated:
        return []
    collection = access.collections_of(user=request.user).filter(slug=slug).first()
    return section_links(request, collection) if collection else []


def section_links(request: HttpRequest, collection: Collection) -> list[SectionLink]:
    """The sections of a collection for the user, each with its tabs; one tab at most is current."""
    roles = access.roles_in(user=request.user, collection=collection)
    sections = visible_tabs(roles)
    open_tab = _open_tab(request.path, collection.slug, chain.from_iterable(sections.values()))
    waiting_counts = _waiting(collection) if Role.LEAD in roles else {}

    def link(tab: SectionTab) -> TabLink:
        url = reverse(tab.address, args=[collection.slug])
        count = waiting_counts.get(tab.address, WaitingCount())
        return TabLink(tab.label, url, tab == open_tab, url == request.path, count)

    return [SectionLink(label, [link(tab) for tab in tabs]) for label, tabs in sections.items()]


def visible_tabs(roles: set[Role]) -> dict[str, list[SectionTab]]:
    """The tabs that roles may open, by section, without sections that have none."""
    sections = {
        label: [tab for tab in tabs if roles.intersection(tab.viewers)]
        for label, tabs in SECTIONS.items()
    }
    return {label: tabs for label, tabs in sections.items() if tabs}


def _open_tab(path: str, slug: str, tabs: Iterable[SectionTab]) -> SectionTab | None:
    """The tab to which a path belongs, by the longest beginning; Overview is itself alone."""
    home = reverse("metrics:collection", args=[slug])
    lengths = {}
    for tab in tabs:
        url = reverse(tab.address, args=[slug])
        beginnings = [home + beginning for beginning in tab.also] + [url] * (url != home)
        lengths[tab] = max(
            (len(beginning) for beginning in beginnings if path.startswith(beginning)),
            default=len(url) if path == url else 0,
        )
    return max((tab for tab in lengths if lengths[tab]), key=lengths.__getitem__, default=None)


def _waiting(collection: Collection) -> dict[str, WaitingCount]:
    """The counts of a lead, by the name of the page that shows what waits."""
    n_alarms = len(raising_events(collection=collection))
    return {
        "metrics:dashboard": WaitingCount(n_alarms, "alarm up" if n_alarms == 1 else "alarms up"),
        "annotate:inbox": WaitingCount(inbox.count(collection=collection).n, "waiting"),
    }
