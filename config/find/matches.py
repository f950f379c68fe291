"""Matches of what somebody typed, by kind, and how well a name fits it."""

from typing import NamedTuple

from annotate.services.pictures.item_pictures import ItemPicture

WHOLE, BEGINNING, WITHIN = range(3)


class Match(NamedTuple):
    """Something with the text in it, and its address; a smaller rank fits better."""

    name: str
    note: str
    url: str
    rank: int = WITHIN
    picture: ItemPicture | None = None


class MatchGroup(NamedTuple):
    """The first matches of one kind, best first, under the word for them.

    n : of all that fit; is_more : n is the least that there are
    overview : leads to all, where they are more than these
    is_offer : these do not fit, but are where to look
    """

    heading: str
    matches: list[Match]
    n: int
    is_more: bool = False
    overview: Match | None = None
    is_offer: bool = False

    @property
    def heading_text(self) -> str:
        """The word for them, and how many of all are listed."""
        n_first = len(self.matches)
        if self.is_offer or self.n <= n_first:
            return self.heading
        return f"{self.heading}, first {n_first} of {'over ' if self.is_more else ''}{self.n:,}"

    @property
    def listed(self) -> list[Match]:
        """The matches, then the way to all of them."""
        return [*self.matches, self.overview] if self.overview else self.matches


class MatchList(NamedTuple):
    """The groups that fit a text, those with the best match first.

    note : on what was not looked through, "" where all was
    is_in_collection : items, runs and people were looked for, too
    """

    text: str
    groups: list[MatchGroup]
    note: str = ""
    is_in_collection: bool = True

    @property
    def status(self) -> str:
        """The number of matches in words, or that there are none and what to try."""
        groups = [group for group in self.groups if not group.is_offer]
        n, n_first = sum(group.n for group in groups), sum(len(group.matches) for group in groups)
        words = "1 match" if n == 1 else f"{n:,} matches"
        if n > n_first:
            over = "over " if any(group.is_more for group in groups) else ""
            words = f"First {n_first} of {over}{words}"
        if not n and self.is_in_collection:
            words = f"Nothing with “{self.text}”: try the beginning of an id or of a name."
        elif not n:
            words = (
                f"Nothing with “{self.text}” here. Queries, documents, runs and people are looked "
                "for inside a collection: open one, and look there."
            )
        return f"{words.removesuffix('.')}. {self.note}" if self.note else words


def rank_of(text: str, name: str) -> int | None:
    """Rank of a name, large and small letters being the same; None where it does not fit.

    It fits where each word of the text is somewhere in it.
    """
    text, name = text.casefold(), name.casefold()
    if text == name:
        return WHOLE
    if name.startswith(text):
        return BEGINNING
    return WITHIN if all(word in name for word in text.split()) else None


def best_rank(text: str, *names: str) -> int:
    """The rank of the name that fits best; of those that the database found, one does."""
    return min(
        (rank for name in names if (rank := rank_of(text, name)) is not None), default=WITHIN
    )


def best_first(
    heading: str,
    matches: list[Match],
    *,
    most: int,
    overview: Match | None = None,
    is_more: bool = False,
) -> MatchGroup:
    """The group of the matches that fit best; those that fit alike keep their order.

    overview : leads to all of them, and is left out where all are listed; is_more : there are more
        than these matches
    """
    first = sorted(matches, key=lambda match: match.rank)[:most]
    n = len(matches)
    return MatchGroup(heading, first, n, is_more, overview if n > len(first) else None)
