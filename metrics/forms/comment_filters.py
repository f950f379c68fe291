"""The filters of the page of comments."""

from typing import NamedTuple

from django.db.models import TextChoices

from annotate.models import Item, Level
from metrics.explorer_state import DEPTHS
from pooling.models import Run


class CommentKind(TextChoices):
    """Content of a label beside its level."""

    ANY = "any", "A comment or reasons"
    COMMENT = "comment", "A comment"
    REASONS = "reasons", "Reasons"
    BOTH = "both", "A comment and reasons"


class LabelState(TextChoices):
    """The labels that are listed, by their outcome."""

    COUNTS = "counts", "That count"
    ALL = "all", "Also those taken back or replaced"


class CommentFilters(NamedTuple):
    """The choices of an address, all of which a label must meet.

    words : each of them stands in the comment
    level, query, run : None for any; reason, purpose : "" for any
    depth : of the run's ranking
    before : only labels stored before the one with this key; None begins with the newest
    """

    words: tuple[str, ...] = ()
    kind: CommentKind = CommentKind.ANY
    level: Level | None = None
    reason: str = ""
    run: Run | None = None
    depth: int = DEPTHS[1]
    query: Item | None = None
    purpose: str = ""
    state: LabelState = LabelState.COUNTS
    before: int | None = None

    @property
    def is_narrow(self) -> bool:
        """True if a filter is set: no match does not mean that there is nothing."""
        return self._replace(depth=DEPTHS[1], before=None) != CommentFilters()

    @property
    def needs_comment(self) -> bool:
        """True if only labels with a comment meet the filters."""
        return bool(self.words) or self.kind in (CommentKind.COMMENT, CommentKind.BOTH)

    @property
    def needs_reasons(self) -> bool:
        """True if only labels with reasons meet the filters."""
        return bool(self.reason) or self.kind in (CommentKind.REASONS, CommentKind.BOTH)
