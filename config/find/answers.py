"""The answer to a few letters: pages, queries, documents, runs, people and collections.

Leads and researchers find what they may open, annotators pages alone: what they judge comes to them
by its queue, and nothing tells them of runs and people.
"""

from urllib.parse import urlencode

from django.db.models import Q
from django.urls import reverse

from annotate import access
from annotate.access import LEADERS
from annotate.models import Annotator, Collection, Direction, Role, Side, User
from annotate.services.collection.lifecycle.archive import archived_text
from annotate.services.pages import item_search
from annotate.services.pictures.item_pictures import picture_of
from config.find.matches import Match, MatchGroup, MatchList, best_first, best_rank
from config.find.pages import page_matches
from pooling.models import Run

MOST = 6  # of a kind
MOST_PAGES = 30  # without a text, which lists them all
CANDIDATES = 200  # rows with the words of which the best are chosen
PERSON_PAGE = "metrics:dashboard-person"


def answer(*, user: User, collection: Collection | None, text: str) -> MatchList:
    """The best matches of each kind; the number of database queries does not grow with them."""
    pages = page_matches(user=user, collection=collection, text=text)
    groups = [best_first("Pages", pages, most=MOST if text else MOST_PAGES)]
    note = ""
    if text and collection:
        roles = access.roles_in(user=user, collection=collection)
        if roles.intersection(LEADERS):
            groups += [
                _item_group("Queries", collection, Side.QUERY, text),
                _item_group("Documents", collection, Side.DOCUMENT, text),
                _run_group(user, collection, text),
                _people_group(collection, text, has_names=Role.LEAD in roles),
            ]
            if Role.LEAD in roles:
                groups.append(_colleague_group(collection, text))
            note = item_search.words_note(collection=collection, sides=list(Side))
    groups.append(_collection_group(user, collection, text))
    if not collection and not any(group.matches for group in groups):
        offer = _collection_group(user, None, "")
        groups = [offer._replace(heading="Look inside a collection", is_offer=True)]
    groups = [group for group in groups if group.matches]
    groups.sort(key=lambda group: group.matches[0].rank)
    return MatchList(text, groups, note, is_in_collection=collection is not None)


def _item_group(heading: str, collection: Collection, side: Side, text: str) -> MatchGroup:
    """The queries or documents; each leads to the explorer at it, among its query set.

    One that no query set holds stands there by itself.
    """
    page = reverse("metrics:explorer", args=[collection.slug])
    direction = Direction.FORWARD if side == Side.QUERY else Direction.REVERSE
    matches = []
    first, n = item_search.matches(collection=collection, side=side, text=text)
    for item, rank, query_set in first:
        queries = {"queries": query_set} if query_set else {}
        state = {"direction": direction, **queries, "q": item.external_id}
        picture = picture_of(item, collection.slug)
        url = f"{page}?{urlencode(state)}"
        matches.append(Match(item.external_id, picture.caption, url, rank, picture))
    group = best_first(heading, matches, most=MOST)
    if n <= len(group.matches):
        return group
    is_more = n > item_search.MAX_COUNTED
    n -= is_more
    name = f"{'Over ' if is_more else ''}{n:,} {heading.lower()} with “{text}”"
    url = f"{page}?{urlencode({'direction': direction, 'search': text})}"
    overview = Match(name, "in the explorer", url)
    return group._replace(n=n, is_more=is_more, overview=overview)


def _run_group(user: User, collection: Collection, text: str) -> MatchGroup:
    runs = Run.objects.visible_to(user).filter(collection=collection)
    page = reverse("pooling:runs", args=[collection.slug])
    for word in text.split():
        runs = runs.filter(name__icontains=word)
    matches = [
        Match(
            run.name,
            run.get_direction_display(),
            reverse("pooling:run", args=[collection.slug, run.pk]),
            best_rank(text, run.name),
        )
        for run in runs.order_by("name", "pk")[:CANDIDATES]
    ]
    return _listed_group("Runs", matches, Match("All runs", "", page))


def _people_group(collection: Collection, text: str, *, has_names: bool) -> MatchGroup:
    """The annotators by pseudonym and, for those who may know them, by name."""
    is_match = Q(pseudonym__icontains=text)
    if has_names:
        is_match |= Q(user__username__icontains=text)
    annotators = Annotator.objects.filter(is_match, collection=collection)
    matches = []
    for row in annotators.select_related("user").order_by("pseudonym", "pk")[:CANDIDATES]:
        name = row.user.username if has_names and row.user else ""
        url = reverse(PERSON_PAGE, args=[collection.slug, row.pk])
        matches.append(Match(row.pseudonym, name, url, best_rank(text, row.pseudonym, name)))
    page = reverse("metrics:dashboard-tab", args=[collection.slug, "people"])
    return _listed_group("People", matches, Match("All people", "", page))


def _colleague_group(collection: Collection, text: str) -> MatchGroup:
    """Leads and researchers by their user names; each leads to the page of members."""
    rows = collection.memberships.filter(role__in=LEADERS, user__username__icontains=text)
    roles_by_name: dict[str, list[str]] = {}
    for row in rows.select_related("user").order_by("user__username", "role")[:CANDIDATES]:
        roles_by_name.setdefault(row.user.username, []).append(row.get_role_display().lower())
    page = reverse("annotate:members", args=[collection.slug])
    matches = [
        Match(name, ", ".join(roles), page, best_rank(text, name))
        for name, roles in roles_by_name.items()
    ]
    return _listed_group("Leads and researchers", matches, Match("All members", "", page))


def _collection_group(user: User, collection: Collection | None, text: str) -> MatchGroup:
    """Her other collections; without a text the newest of them."""
    collections = access.collections_of(user=user)
    if collection:
        collections = collections.exclude(pk=collection.pk)
    for word in text.split():
        collections = collections.filter(Q(name__icontains=word) | Q(slug__icontains=word))
    matches = []
    for row in collections.order_by("-pk")[:CANDIDATES]:
        url = reverse("metrics:collection", args=[row.slug])
        notes = ["" if row.name == row.slug else row.slug, archived_text(row)]
        note = ", ".join(filter(None, notes))
        matches.append(Match(row.name, note, url, best_rank(text, row.name, row.slug)))
    heading = "Other collections" if collection else "Collections"
    return _listed_group(heading, matches, Match("All collections", "", reverse("annotate:home")))


def _listed_group(heading: str, matches: list[Match], overview: Match) -> MatchGroup:
    """The best of the matches that were read; overview : leads to all of them."""
    return best_first(
        heading, matches, most=MOST, overview=overview, is_more=len(matches) == CANDIDATES
    )
