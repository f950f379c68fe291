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
    """The matches of one kind, best first, under the word for them."""

    heading: str
    matches: list[Match]


class MatchList(NamedTuple):
    """The groups that fit a text, those with the best match first.

    note : on what was not looked through, "" where all was
    """

    text: str
    groups: list[MatchGroup]
    note: str = ""

    @property
    def status(self) -> str:
        """The number of matches in words, or that there are none and what to try."""
        n = sum(len(group.matches) for group in self.groups)
        words = "1 match" if n == 1 else f"{n} matches"
        if not n:
            words = f"Nothing with “{self.text}”: try the beginning of an id or of a name."
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


def best_first(heading: str, matches: list[Match], *, most: int) -> MatchGroup:
    """The group of the matches that fit best; those that fit alike keep their order."""
    return MatchGroup(heading, sorted(matches, key=lambda match: match.rank)[:most])
