"""Pages that somebody may open, by their names and by words for what is done on them."""

from collections.abc import Iterable
from typing import NamedTuple

from django.urls import reverse

from annotate import access
from annotate.access import EVERYBODY, LEADERS
from annotate.models import Collection, Role, User
from config.find.matches import WITHIN, Match, rank_of
from config.site.navigation import LEAD, visible_tabs

RESEARCHER = (Role.RESEARCHER,)
# Words by which people look for a page that does not have them in its name.
WORDS = {
    "metrics:dashboard": "progress agreement alpha cost forecast people alarms",
    "annotate:imports": "load upload items labels files queries documents",
    "annotate:settings": (
        "name description pay query groups publication licence archive marks agreement delete"
    ),
    "pooling:pools": "rounds strategies pairs to judge",
    "annotate:golds": "checks quality",
    "annotate:training-setup": "quiz lessons admission",
    "annotate:judge": "work guidelines queue batch",
    "annotate:members": "invite invitations roles annotators leads researchers",
    "metrics:leaderboard": "scores measures systems significance compare",
    "metrics:explorer": "queries results rankings",
    "metrics:analyses": "charts figures tables duplicates comments",
    "pooling:runs": "rankings systems upload",
    "metrics:downloads": "qrels export judgments",
    "metrics:releases": "versions publish",
    "annotate:inbox": "disputed escalated reports batches adjudicate review",
    "annotate:review-log": "decisions history",
}


class FindablePage(NamedTuple):
    """A page with the words by which it is looked for too, and the section in which it stands.

    address : name of its URL; viewers : the roles that may open it
    """

    name: str
    section: str
    address: str
    viewers: tuple[Role, ...] = EVERYBODY
    words: str = ""


# Pages of a collection that no tab leads to at once.
BELOW_TABS = (
    FindablePage("Levels", "Home · Settings", "annotate:levels", LEAD, "scheme grades reasons"),
    FindablePage("Guidelines", "Home · Settings", "annotate:guidelines", LEAD, "wording"),
    FindablePage(
        "Policy", "Home · Settings", "annotate:policy", LEAD, "labels a pair doubles golds"
    ),
    FindablePage("Flags", "Home · Settings", "metrics:guards", LEAD, "trust speed golds clips"),
    FindablePage("Webhooks", "Home · Settings", "annotate:webhooks", LEAD, "programs events"),
    FindablePage("Alarms", "Home · Dashboard", "metrics:alarms", LEAD, "thresholds"),
    FindablePage("New pool", "Judging · Pools", "pooling:pool-new", RESEARCHER, "strategy preview"),
    FindablePage("Upload a run", "Results · Runs", "pooling:run-upload", RESEARCHER, "rankings"),
    FindablePage("Plan", "Results · Leaderboard", "metrics:plan", LEAD, "measure tests alpha"),
    FindablePage("Duplicates", "Results · Analysis", "metrics:duplicates", LEADERS, "repeats"),
    FindablePage("Comments", "Results · Analysis", "metrics:comments", LEAD, "notes"),
)
OF_EVERYBODY = (
    FindablePage("All collections", "Site", "annotate:home", words="start home"),
    FindablePage("Your account", "Account", "annotate:account", words="name email data erase"),
    FindablePage("Password", "Account", "account_change_password", words="change"),
    FindablePage("Second factor", "Account", "mfa_index", words="2fa codes security"),
    FindablePage("API tokens", "Account", "annotate:tokens", words="keys programs"),
    FindablePage("API reference", "Site", "reference", words="docs documentation schema"),
)
OF_MAKERS = (FindablePage("New collection", "Site", "annotate:collection-new", words="create"),)


def page_matches(*, user: User, collection: Collection | None, text: str) -> list[Match]:
    """The pages of the collection and of the site that fit the text and that the person may open.

    A name that fits is better than a word beside it.
    """
    makers_pages = OF_MAKERS if access.may_make_collections(user=user) else ()
    matches = _matches([*OF_EVERYBODY, *makers_pages], text)
    if collection is None:
        return matches
    roles = access.roles_in(user=user, collection=collection)
    tabs = [
        FindablePage(tab.label, section, tab.address, words=WORDS.get(tab.address, ""))
        for section, section_tabs in visible_tabs(roles).items()
        for tab in section_tabs
    ]
    pages = [*tabs, *(page for page in BELOW_TABS if roles.intersection(page.viewers))]
    return _matches(pages, text, collection.slug) + matches


def _matches(pages: Iterable[FindablePage], text: str, *arguments: str) -> list[Match]:
    """The pages that fit, with their addresses."""
    return [
        Match(page.name, page.section, reverse(page.address, args=arguments), rank)
        for page in pages
        if (rank := _rank(text, page)) is not None
    ]


def _rank(text: str, page: FindablePage) -> int | None:
    rank = rank_of(text, page.name)
    if rank is None and rank_of(text, f"{page.name} {page.section} {page.words}") is not None:
        return WITHIN + 1
    return rank
