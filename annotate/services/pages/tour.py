"""The tour: six cards on a person's first page until she closes it; what there is, and where."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models.functions import Now

from annotate import access
from annotate.models import Role, User
from annotate.services.pages.collection_list import CollectionEntry

ACCOUNT = "annotate:account"


class TourCard(NamedTuple):
    """One card: a title, a text, a drawing by its name, and a link.

    page, slug : the address name of the link, and the collection that it leads into, if any
    """

    title: str
    text: str
    drawing: str
    label: str
    page: str
    slug: str


# Title, text and drawing of each card: of those who lead or research somewhere, and of annotators.
_LEADER_WORDS = (
    (
        "Judge five pairs",
        "People see a query and a result, and say by a key how well it fits. Judge five pairs "
        "yourself: it takes a minute, and tells more than any page.",
        "judge",
    ),
    (
        "See how far people agree",
        "Several people can judge the same pair. The dashboard says how far they agree, who "
        "differs from the others, how much is done, and when the rest will be.",
        "agreement",
    ),
    (
        "Decide what waits",
        "Pairs on which people differ, pairs that nobody could judge, and batches with missed "
        "checks wait for a lead in the inbox, until it is decided.",
        "inbox",
    ),
    (
        "Watch scores change",
        "A run that finds what the first labels missed scores too low. The leaderboard shows "
        "each score with those labels alone, and what people's labels add to it.",
        "scores",
    ),
    (
        "Begin your own",
        "Load items, choose the grades, upload runs, open a pool, invite people. A file of "
        "items is enough for a start.",
        "collection",
    ),
    (
        "Find your way",
        "The bar holds a collection's sections, the tabs below it their pages. On the judge "
        "screen and in the explorer ? shows the keys. Your account shows this tour again.",
        "keys",
    ),
)
_ANNOTATOR_WORDS = (
    (
        "Judge five pairs",
        "You see a query and a result, and say by a key how well it fits. Begin with five: "
        "each answer is saved at once, and you can stop at any time.",
        "judge",
    ),
    (
        "Read what each grade means",
        "The guidelines say what to look at and what each grade stands for. They are beside "
        "every pair, too; if they change, you are told.",
        "agreement",
    ),
    (
        "Change your mind",
        "The last answers stay in reach: take one back, or give another one. What counts is "
        "your last word on a pair.",
        "scores",
    ),
    (
        "Report what you cannot judge",
        "A video does not play, a text is in a language that you do not read: report the "
        "pair. It goes to a lead, who decides, and you go on with the next one.",
        "inbox",
    ),
    (
        "See what you have done",
        "Your first page of a collection tells how far your batch is, how much you judged "
        "in the last 24 hours and in all, and what comes next.",
        "collection",
    ),
    (
        "Work by keys",
        "Each grade has a key, and ? on the judge screen shows them all. Your account has "
        "your password, your data, and this tour again.",
        "keys",
    ),
)


class Tour(NamedTuple):
    """The card that is shown, its number from 1, and how many there are."""

    card: TourCard
    number: int
    n: int

    @property
    def position(self) -> str:
        """The place of the card in words."""
        return f"Card {self.number} of {self.n}"

    @property
    def previous(self) -> int | None:
        """The number of the card before it; None for the first."""
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        """The number of the card after it; None for the last."""
        return self.number + 1 if self.number < self.n else None


def tour_of(*, user: User, entries: Sequence[CollectionEntry], number: str) -> Tour | None:
    """The tour at a card; None if she closed it, or is in no collection yet. No query.

    number : of the card, as the address has it; the first if it is none
    """
    if user.tour_closed_at is not None or not entries:
        return None
    leads = user.is_superuser or any(set(entry.roles) & set(access.LEADERS) for entry in entries)
    cards = _leader_cards(user, entries) if leads else _annotator_cards(entries)
    position = int(number) if number in {str(n) for n in range(1, len(cards) + 1)} else 1
    return Tour(cards[position - 1], position, len(cards))


def close(*, user: User) -> None:
    """Close the tour for good, on every device."""
    User.objects.filter(pk=user.pk).update(tour_closed_at=Now())


def open_again(*, user: User) -> None:
    """Show the tour again, from its first card."""
    User.objects.filter(pk=user.pk).update(tour_closed_at=None)


def _collection_for(
    entries: Sequence[CollectionEntry],
    roles: Sequence[Role],
    *,
    to_look: bool = False,
    is_admin: bool = False,
) -> str:
    """The slug of a collection in which she holds one of the roles; empty without one.

    to_look : whether a rehearsal comes first, where there is much to see, or a collection of people
    """
    fitting = [entry.collection for entry in entries if is_admin or set(entry.roles) & set(roles)]
    fitting.sort(key=lambda collection: collection.is_rehearsal != to_look)
    return fitting[0].slug if fitting else ""


def _leader_cards(user: User, entries: Sequence[CollectionEntry]) -> list[TourCard]:
    is_admin = user.is_superuser
    judge_slug = _collection_for(entries, [Role.ANNOTATOR])
    lead_slug = _collection_for(entries, [Role.LEAD], to_look=True, is_admin=is_admin)
    leader_slug = _collection_for(entries, access.LEADERS, to_look=True, is_admin=is_admin)
    links = [
        (
            "Judge" if judge_slug else "See a collection",
            "annotate:judge" if judge_slug else "metrics:collection",
            judge_slug or leader_slug,
        ),
        ("Open the dashboard", "metrics:dashboard", leader_slug),
        (
            "Open the inbox" if lead_slug else "See a collection",
            "annotate:inbox" if lead_slug else "metrics:collection",
            lead_slug or leader_slug,
        ),
        ("Open the leaderboard", "metrics:leaderboard", leader_slug),
        ("New collection", "annotate:collection-new", ""),
        ("Your account", ACCOUNT, ""),
    ]
    return [TourCard(*words, *link) for words, link in zip(_LEADER_WORDS, links, strict=True)]


def _annotator_cards(entries: Sequence[CollectionEntry]) -> list[TourCard]:
    slug = _collection_for(entries, [Role.ANNOTATOR])
    links = [
        ("Judge", "annotate:judge", slug),
        ("Read the guidelines", "metrics:collection", slug),
        ("Judge", "annotate:judge", slug),
        ("Judge", "annotate:judge", slug),
        ("Your progress", "metrics:collection", slug),
        ("Your account", ACCOUNT, ""),
    ]
    return [TourCard(*words, *link) for words, link in zip(_ANNOTATOR_WORDS, links, strict=True)]
