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
            note = item_search.words_note(collection=collection, sides=list(Side))
    groups.append(_collection_group(user, collection, text))
    groups = [group for group in groups if group.matches]
    return MatchList(text, sorted(groups, key=lambda group: group.matches[0].rank), note)


def _item_group(heading: str, collection: Collection, side: Side, text: str) -> MatchGroup:
    """The queries or documents; each leads to the explorer at it, among its query set.

    Of items that no query set holds no page tells: they are left out.
    """
    page = reverse("metrics:explorer", args=[collection.slug])
    direction = Direction.FORWARD if side == Side.QUERY else Direction.REVERSE
    matches = []
    for item, rank, query_set in item_search.matches(collection=collection, side=side, text=text):
        state = {"direction": direction, "queries": query_set, "q": item.external_id}
        picture = picture_of(item, collection.slug)
        if query_set:
            url = f"{page}?{urlencode(state)}"
            matches.append(Match(item.external_id, picture.caption, url, rank, picture))
    return best_first(heading, matches, most=MOST)


def _run_group(user: User, collection: Collection, text: str) -> MatchGroup:
    runs = Run.objects.visible_to(user).filter(collection=collection)
    for word in text.split():
        runs = runs.filter(name__icontains=word)
    return best_first(
        "Runs",
        [
            Match(
                run.name,
                run.get_direction_display(),
                reverse("pooling:run", args=[collection.slug, run.pk]),
                best_rank(text, run.name),
            )
            for run in runs.order_by("name", "pk")[:CANDIDATES]
        ],
        most=MOST,
    )


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
    return best_first("People", matches, most=MOST)


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
        note = "" if row.name == row.slug else row.slug
        matches.append(Match(row.name, note, url, best_rank(text, row.name, row.slug)))
    return best_first("Other collections" if collection else "Collections", matches, most=MOST)
